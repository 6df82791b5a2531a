/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * charset-shift.c - owns the sets in which escape sequences switch between ASCII and pairs of 7-bit
 * bytes: ISO-2022-JP (RFC 1468) and HZ (RFC 1843), as EUC, where each byte says what it is.
 *
 * iconv knows HZ not at all, and of ISO-2022-JP what is written down, but not what mail has: the
 * katakana and the numbers in circles of Windows, and lines that forget to switch back. So a line
 * begins in ASCII, whatever the one before it was in.
 */
#include "mime/charset-private.h"

#include <glib.h>
#include <string.h>
#include <talloc.h>

#define ESCAPE '\033'

/* What the bytes of a stretch are. */
enum shift { ASCII, PAIRS, PAIRS_0212, KATAKANA };

static const struct escape {
    const char *sequence;
    enum shift shift;
} escapes[] = {
    {"\033(B", ASCII},       {"\033(J", ASCII},    {"\033(H", ASCII},
    {"\033$B", PAIRS},       {"\033$@", PAIRS},    {"\033$(B", PAIRS},
    {"\033$(D", PAIRS_0212}, {"\033(I", KATAKANA}, {"\033&@\033$B", PAIRS},
};

/* The bytes of an escape sequence at the front; 0 where there is none that is known. */
static size_t
read_escape (const char *bytes, size_t length, enum shift *shift_out)
{
    for (size_t i = 0; i < G_N_ELEMENTS (escapes); i++) {
        size_t n = strlen (escapes[i].sequence);

        if (n <= length && memcmp (bytes, escapes[i].sequence, n) == 0) {
            *shift_out = escapes[i].shift;
            return n;
        }
    }
    return 0;
}

/* The same of HZ; what begins with "~" and switches nothing is text. */
static size_t
read_tilde (const char *bytes, size_t length, enum shift *shift_out)
{
    if (length < 2 || bytes[0] != '~' || (bytes[1] != '{' && bytes[1] != '}'))
        return 0;
    *shift_out = bytes[1] == '{' ? PAIRS : ASCII;
    return 2;
}

static bool
is_graphic (char c)
{
    return c > 0x20 && c < 0x7f;
}

/* Writes what stands at the front, at most three bytes; returns how many bytes it was. */
static size_t
put (GString *out, const char *bytes, size_t length, enum shift shift)
{
    bool pair = shift == PAIRS || shift == PAIRS_0212;

    if (shift == ASCII || !is_graphic (*bytes) ||
        (pair && (length < 2 || !is_graphic (bytes[1])))) {
        g_string_append_c (out, *bytes);
        return 1;
    }
    if (!pair || shift == PAIRS_0212)
        g_string_append_c (out, pair ? '\217' : '\216');
    g_string_append_c (out, (char) (bytes[0] | 0x80));
    if (pair)
        g_string_append_c (out, (char) (bytes[1] | 0x80));
    return pair ? 2 : 1;
}

static bool
is_japanese (const char *name)
{
    static const char *const names[] = {"ISO-2022-JP", "ISO-2022-JP-1", "ISO-2022-JP-MS",
                                        "CSISO2022JP", "CP50220",       "CP50221",
                                        "CP50222",     "JIS7"};

    for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
        if (g_ascii_strcasecmp (name, names[i]) == 0)
            return true;
    return false;
}

static bool
is_hz (const char *name)
{
    return g_ascii_strcasecmp (name, "hz-gb-2312") == 0 || g_ascii_strcasecmp (name, "hz") == 0;
}

bool
charset_name_shifts (const char *name)
{
    return is_japanese (name) || is_hz (name);
}

const char *
charset_unshift (void *ctx, const char *name, const char *bytes, size_t length, char **euc_out,
                 size_t *length_out)
{
    size_t (*read_shift) (const char *, size_t, enum shift *) =
        is_hz (name) ? read_tilde : read_escape;
    GString *out = g_string_sized_new (length + length / 2);
    enum shift shift = ASCII;

    for (size_t i = 0, n; i < length; i += n) {
        n = read_shift (bytes + i, length - i, &shift);
        if (n > 0)
            continue;
        if (bytes[i] == '\n')
            shift = ASCII;
        n = put (out, bytes + i, length - i, shift);
    }
    *length_out = out->len;
    *euc_out = talloc_memdup (ctx, out->str, out->len + 1);
    g_string_free (out, TRUE);
    return is_hz (name) ? "GB18030" : "EUC-JP-MS";
}
