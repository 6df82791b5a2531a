/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * charset.c - owns the decision which character set a text is in.
 *
 * Nearly all text is ASCII or UTF-8, which is checked first and copied. The rest goes through a
 * table (windows-1252) or iconv, strictly, so that a wrong label shows; see charset.h for the order
 * of the attempts.
 */
#include "mime/charset.h"
#include "mime/charset-private.h"

#include <errno.h>
#include <glib.h>
#include <iconv.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>
#include <uchardet.h>

#define GUESS_MAX ((size_t) 64 << 10) /* bytes shown to the detector */
#define SURE 3                        /* signs of UTF-8 that are more than chance */
#define GUESS_MIN 12                  /* letters below which its guess is worth nothing */

/* ---- looking at bytes ---- */

bool
charset_is_ascii (const char *bytes, size_t length)
{
    uint64_t word, seen = 0;
    size_t i = 0;

    for (; i + sizeof (word) <= length; i += sizeof (word)) {
        memcpy (&word, bytes + i, sizeof (word));
        seen |= word;
        if ((i & 0xff8) == 0xff8 && (seen & UINT64_C (0x8080808080808080)) != 0)
            return false;
    }
    for (; i < length; i++)
        seen |= (unsigned char) bytes[i];
    return (seen & UINT64_C (0x8080808080808080)) == 0;
}

static bool
has_c1 (const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (((unsigned char) bytes[i] & 0xe0) == 0x80)
            return true;
    return false;
}

/* Bytes of the UTF-8 sequence at the front, 0 where there is none. A NUL counts as one. */
static size_t
sequence_length (const char *bytes, size_t length)
{
    gunichar c;

    if ((unsigned char) *bytes < 0x80)
        return 1;
    c = g_utf8_get_char_validated (bytes, (gssize) MIN (length, 6));
    return c >= (gunichar) -2 ? 0 : (size_t) g_utf8_skip[(unsigned char) *bytes];
}

/* Whether the bytes are the beginning of a sequence that the end of the text has cut off: two bytes
 * of it at least, for one may be a letter of windows-1252. */
static bool
is_cut_off (const char *bytes, size_t length)
{
    return length >= 2 && length <= 3 && (unsigned char) *bytes >= 0xc2 &&
           g_utf8_get_char_validated (bytes, (gssize) length) == (gunichar) -2;
}

static size_t
cut_off_length (const char *bytes, size_t length)
{
    for (size_t n = 2; n <= 3 && n <= length; n++)
        if (is_cut_off (bytes + length - n, n))
            return n;
    return 0;
}

void
charset_count_sequences (const char *bytes, size_t length, size_t *good_out, size_t *bad_out)
{
    size_t good = 0, bad = 0;

    for (size_t i = 0; i < length;) {
        size_t n = sequence_length (bytes + i, length - i);

        if (n == 0 && is_cut_off (bytes + i, length - i))
            n = length - i;
        good += n > 1;
        bad += n == 0;
        i += MAX (n, 1);
    }
    *good_out = good;
    *bad_out = bad;
}

bool
charset_is_mostly_utf8 (const char *bytes, size_t length)
{
    size_t good, bad;

    charset_count_sequences (bytes, length, &good, &bad);
    return good > bad || bad == 0;
}

/* ---- reading ---- */

/* The upper half of windows-1252; what it does not define is the C1 control, as browsers do. */
static const uint16_t windows_1252[32] = {
    0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008d, 0x017d, 0x008f, 0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178,
};

static size_t
put_windows_1252 (char *out, unsigned char byte)
{
    gunichar c = (byte & 0xe0) == 0x80 ? windows_1252[byte - 0x80] : byte;

    return (size_t) g_unichar_to_utf8 (c, out);
}

/* What stands for a NUL: a blank between words; nothing where there are so many that the text is
 * one of wide characters. */
static const char *
nul_text (const char *bytes, size_t length)
{
    size_t count = 0;

    for (size_t i = 0; i < length; i++)
        count += bytes[i] == '\0';
    return count * 3 > length ? "" : " ";
}

/* Copies, without NULs. */
static char *
copy (void *ctx, const char *bytes, size_t length, size_t *length_out)
{
    char *out = talloc_array (ctx, char, length + 1);
    const char *nul;
    size_t n = 0;

    if (memchr (bytes, '\0', length) == NULL) {
        memcpy (out, bytes, n = length);
    } else {
        nul = nul_text (bytes, length);
        for (size_t i = 0; i < length; i++)
            if (bytes[i] != '\0' || *nul != '\0')
                out[n++] = bytes[i] != '\0' ? bytes[i] : *nul;
    }
    out[n] = '\0';
    *length_out = n;
    return out;
}

/* UTF-8 sequences as they are, without one that is cut off (if utf8), all other bytes from
 * windows-1252. */
static char *
copy_repaired (void *ctx, const char *bytes, size_t length, bool utf8, size_t *length_out)
{
    char *out = talloc_array (ctx, char, 3 * length + 1);
    const char *nul = memchr (bytes, '\0', length) != NULL ? nul_text (bytes, length) : "";
    size_t n = 0;

    for (size_t i = 0; i < length;) {
        size_t step =
            utf8 || (unsigned char) bytes[i] < 0x80 ? sequence_length (bytes + i, length - i) : 0;

        if (step == 0 && utf8 && is_cut_off (bytes + i, length - i))
            break;
        if (step == 0)
            n += put_windows_1252 (out + n, (unsigned char) bytes[i]);
        else if (bytes[i] == '\0')
            n = (size_t) (stpcpy (out + n, nul) - out);
        else {
            memcpy (out + n, bytes + i, step);
            n += step;
        }
        i += MAX (step, 1);
    }
    out[n] = '\0';
    *length_out = n;
    return talloc_realloc (ctx, out, char, n + 1);
}

/* iconv over all bytes; each that cannot be read becomes U+FFFD, at most bad_max of them: then
 * NULL. A sequence cut off at the end is not counted. */
static char *
convert (void *ctx, iconv_t handle, const char *bytes, size_t length, size_t bad_max,
         size_t *length_out)
{
    size_t room = length + length / 2 + 16, bad = 0;
    char *out = talloc_array (ctx, char, room + 1);
    char *in = (char *) bytes, *to = out;
    size_t left = length, free_room = room;

    while (iconv (handle, &in, &left, &to, &free_room) == (size_t) -1) {
        size_t done = (size_t) (to - out);

        if (errno == E2BIG || free_room < 4) {
            out = talloc_realloc (ctx, out, char, 2 * room + 1);
            free_room += room;
            room *= 2;
            to = out + done;
            continue;
        }
        if (errno == EILSEQ && ++bad > bad_max)
            goto unreadable;
        memcpy (to, "\357\277\275", 3);
        to += 3;
        free_room -= 3;
        if (errno != EILSEQ || left <= 1)
            break;
        in++;
        left--;
    }
    *length_out = (size_t) (to - out);
    *to = '\0';
    return out;
unreadable:
    talloc_free (out);
    return NULL;
}

/* In the set of this name, with at most so many wrong bytes. */
static char *
convert_from (void *ctx, const char *name, size_t bad_max, const char *bytes, size_t length,
              size_t *length_out)
{
    iconv_t handle;
    char *raw, *out = NULL;
    size_t raw_length;

    if (strcmp (name, "CP1252") == 0 || g_ascii_strcasecmp (name, "windows-1252") == 0)
        return copy_repaired (ctx, bytes, length, false, length_out);
    handle = iconv_open ("UTF-8", name);
    if (handle == (iconv_t) -1)
        return NULL;
    raw = convert (ctx, handle, bytes, length, bad_max, &raw_length);
    iconv_close (handle);
    if (raw != NULL) {
        out = copy_repaired (ctx, raw, raw_length, true, length_out);
        talloc_free (raw);
    }
    return out;
}

/* ---- deciding ---- */

/* ISO-2022-JP without a label: an escape sequence that switches to Japanese. */
static bool
has_japanese_escape (const char *bytes, size_t length)
{
    return memchr (bytes, 033, length) != NULL && memmem (bytes, length, "\033$B", 3) != NULL;
}

/* The declared set; NULL where the bytes do not fit it. */
static char *
read_declared (void *ctx, const char *name, const char *bytes, size_t length, bool utf8,
               size_t *length_out)
{
    const char *windows = charset_name_windows (name);
    bool wrong = windows != NULL && has_c1 (bytes, length);

    if (wrong && utf8)
        return NULL;
    if (wrong || g_ascii_strcasecmp (name, "iso-8859-1") == 0)
        name = windows;
    return convert_from (ctx, name, 0, bytes, length, length_out);
}

/* 8-bit bytes that are not the punctuation of windows-1252: quotes, dashes, no-break spaces are all
 * that many an English text has, and the detector finds foreign letters in them. */
static size_t
count_letters (const char *bytes, size_t length)
{
    static const char punctuation[] = "\x80\x82\x84\x85\x91\x92\x93\x94\x95\x96\x97\x99\xa0"
                                      "\xa3\xa7\xa9\xab\xad\xae\xb0\xb7\xbb";
    size_t count = 0;

    for (size_t i = 0; i < length && count < GUESS_MIN; i++)
        count += (unsigned char) bytes[i] >= 0x80 && strchr (punctuation, bytes[i]) == NULL;
    return count;
}

/* In the set that the detector finds; NULL where it finds none, or one the bytes do not fit. */
static char *
read_detected (void *ctx, const char *bytes, size_t length, size_t *length_out)
{
    uchardet_t detector = uchardet_new ();
    char *out = NULL;
    const char *name;

    if (uchardet_handle_data (detector, bytes, MIN (length, GUESS_MAX)) == 0) {
        uchardet_data_end (detector);
        name = uchardet_get_charset (detector);
        if (strcmp (name, "UTF-8") == 0)
            out = copy_repaired (ctx, bytes, length, true, length_out);
        else if (*name != '\0' && strcmp (name, "ASCII") != 0 && !g_str_has_prefix (name, "MAC-"))
            out = read_declared (ctx, name, bytes, length, false, length_out);
    }
    uchardet_delete (detector);
    return out;
}

void
charset_prepare (void)
{
    uchardet_delete (uchardet_new ());
}

/* No label, or a wrong one, and not UTF-8. */
static char *
read_guessed (void *ctx, const char *bytes, size_t length, size_t *length_out)
{
    char *out = NULL;

    if (count_letters (bytes, length) >= GUESS_MIN)
        out = read_detected (ctx, bytes, length, length_out);
    return out != NULL ? out : copy_repaired (ctx, bytes, length, false, length_out);
}

/* ISO-2022-JP or HZ, of 7-bit bytes. */
static char *
read_shifted (void *ctx, const char *name, const char *bytes, size_t length, size_t *length_out)
{
    size_t n;
    char *euc, *out;
    const char *set = charset_unshift (ctx, name, bytes, length, &euc, &n);

    out = convert_from (ctx, set, SIZE_MAX, euc, n, length_out);
    talloc_free (euc);
    return out;
}

/* The set to read the bytes in; NULL where neither label nor bytes say. */
static const char *
settle (const char *name, const char *bytes, size_t length, bool ascii)
{
    name = charset_settle_wide (name, bytes, length);
    if (name == NULL && has_japanese_escape (bytes, length))
        name = "ISO-2022-JP";
    return name != NULL && charset_name_shifts (name) && !ascii ? NULL : name;
}

/* How much a line must look like UTF-8 in a text that is not. Where the label says UTF-8 and most
 * of the text is, anything; elsewhere more than one character that may be two of another set. */
static size_t
least_marks (bool is_utf8, size_t good, size_t bad)
{
    return is_utf8 && good >= bad ? 1 : SURE;
}

char *
charset_to_utf8 (void *ctx, const char *bytes, size_t length, const char *label, size_t *length_out)
{
    char buffer[CHARSET_LABEL_MAX], *out = NULL;
    bool ascii = charset_is_ascii (bytes, length), is_utf8, few;
    const char *name = settle (charset_label_name (label, buffer), bytes, length, ascii);
    size_t good, bad;

    is_utf8 = name == NULL || strcmp (name, "UTF-8") == 0;
    if (ascii && !is_utf8 && charset_name_shifts (name))
        out = read_shifted (ctx, name, bytes, length, length_out);
    if (out != NULL)
        return out;
    if (ascii && (is_utf8 || charset_name_ascii_compatible (name)))
        return copy (ctx, bytes, length, length_out);
    charset_count_sequences (bytes, length, &good, &bad);
    if (bad == 0 && (is_utf8 || (good >= SURE && charset_name_single_byte (name))))
        return copy (ctx, bytes, length - cut_off_length (bytes, length), length_out);
    if (good > 0 && bad > 0 && (is_utf8 || charset_name_single_byte (name)))
        out = charset_read_mixed (ctx, bytes, length, label, least_marks (is_utf8, good, bad),
                                  length_out);
    if (out == NULL && !is_utf8) {
        out = read_declared (ctx, name, bytes, length, bad == 0, length_out);
        if (out == NULL && bad == 0)
            return copy (ctx, bytes, length - cut_off_length (bytes, length), length_out);
        if (out == NULL) /* one byte in 64 may be wrong */
            out = convert_from (ctx, name, length / 64, bytes, length, length_out);
    }
    /* a label that is right for some of a text too short to guess */
    few = name != NULL && is_utf8 && good > 0 && count_letters (bytes, length) < GUESS_MIN;
    if (out == NULL && (good > bad || few))
        out = copy_repaired (ctx, bytes, length, true, length_out);
    return out != NULL ? out : read_guessed (ctx, bytes, length, length_out);
}
