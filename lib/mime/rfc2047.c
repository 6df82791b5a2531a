/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rfc2047.c - owns the decoding of encoded words and of raw 8-bit header text.
 *
 * Not GMime's, for three reasons that are common in mail: a character split over two words comes
 * out whole (bytes of neighbouring words in one character set are joined before they are
 * converted), the character set rules are those of charset.c, and addresses need the words' places
 * before they are parsed (address.c).
 */
#include "mime/charset.h"
#include "mime/mime-private.h"
#include "mime/rfc2047.h"

#include <string.h>
#include <talloc.h>

#define CHARSET_MAX 63

/* =?charset?encoding?text?= */
struct word {
    const char *charset;
    size_t charset_length;
    char encoding; /* 'b' or 'q' */
    const char *text;
    size_t length;
    const char *end;
};

/* ---- finding ---- */

/* The "?=" that ends a word's text; NULL where another word begins before it. ("=?=" is the end of
 * a text that ends in "=".) */
static const char *
word_close (const char *p)
{
    for (; *p != '\0'; p++) {
        if (p[0] == '?' && p[1] == '=')
            return p;
        if (p[0] == '=' && p[1] == '?' && p[2] != '=')
            return NULL;
    }
    return NULL;
}

/* Whether an encoded word begins here. Blanks in its text are taken: many programs make such
 * words. */
static gboolean
word_parse (const char *p, struct word *word)
{
    const char *close;

    word->charset = p + 2;
    word->charset_length = strcspn (word->charset, "?*= \t");
    p = word->charset + word->charset_length;
    if (*p == '*') /* a language, RFC 2231 5 */
        p += strcspn (p, "?= \t");
    if (*p != '?' || word->charset_length == 0 || word->charset_length > CHARSET_MAX)
        return FALSE;
    word->encoding = g_ascii_tolower (p[1]);
    if ((word->encoding != 'b' && word->encoding != 'q') || p[2] != '?')
        return FALSE;
    word->text = p + 3;
    close = word_close (word->text);
    if (close == NULL)
        return FALSE;
    word->length = (size_t) (close - word->text);
    word->end = close + 2;
    return TRUE;
}

static const char *
word_find (const char *text, struct word *word)
{
    for (; *text != '\0'; text++)
        if (text[0] == '=' && text[1] == '?' && word_parse (text, word))
            return text;
    return NULL;
}

gboolean
rfc2047_next (const char *text, struct encoded_run *run)
{
    struct word word;

    run->start = word_find (text, &word);
    if (run->start == NULL)
        return FALSE;
    for (;;) {
        const char *next = word.end + strspn (word.end, " \t");

        run->end = word.end;
        if (next[0] != '=' || next[1] != '?' || !word_parse (next, &word))
            return TRUE;
    }
}

/* ---- decoding ---- */

static void
append_q (GString *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '=' && i + 2 < length && g_ascii_isxdigit (text[i + 1]) &&
            g_ascii_isxdigit (text[i + 2])) {
            g_string_append_c (out, (char) (g_ascii_xdigit_value (text[i + 1]) * 16 +
                                            g_ascii_xdigit_value (text[i + 2])));
            i += 2;
        } else
            g_string_append_c (out, text[i] == '_' ? ' ' : text[i]);
    }
}

static void
append_b (GString *out, const char *text, size_t length)
{
    gsize old = out->len;
    gint state = 0;
    guint save = 0;

    g_string_set_size (out, old + length / 4 * 3 + 3);
    g_string_truncate (
        out, old + g_base64_decode_step (text, length, (guchar *) out->str + old, &state, &save));
    /* No padding: what is left over are one or two bytes more. */
    if (state > 0) {
        char rest[8];
        gsize n = g_base64_decode_step ("==", 2, (guchar *) rest, &state, &save);

        g_string_append_len (out, rest, (gssize) n);
    }
}

static void
append_converted (GString *out, const char *bytes, size_t length, const char *label)
{
    size_t n;
    char *text = charset_to_utf8 (NULL, bytes, length, label, &n);

    g_string_append_len (out, text, (gssize) n);
    talloc_free (text);
}

static gboolean
same_charset (const struct word *a, const struct word *b)
{
    return a->charset_length == b->charset_length &&
           g_ascii_strncasecmp (a->charset, b->charset, a->charset_length) == 0;
}

void
rfc2047_decode (const struct encoded_run *run, GString *out)
{
    const char *p = run->start;
    GString *bytes = g_string_new (NULL);
    struct word word, before = {0};

    while (p < run->end && word_parse (p, &word)) {
        char label[CHARSET_MAX + 1] = "";

        if (before.charset != NULL && !same_charset (&before, &word)) {
            memcpy (label, before.charset, before.charset_length);
            append_converted (out, bytes->str, bytes->len, label);
            g_string_truncate (bytes, 0);
        }
        (word.encoding == 'b' ? append_b : append_q) (bytes, word.text, word.length);
        before = word;
        p = word.end + strspn (word.end, " \t");
    }
    if (before.charset != NULL) {
        char label[CHARSET_MAX + 1] = "";

        memcpy (label, before.charset, before.charset_length);
        append_converted (out, bytes->str, bytes->len, label);
    }
    g_string_free (bytes, TRUE);
}

void
rfc2047_plain (const char *bytes, size_t length, GString *out)
{
    if (charset_is_ascii (bytes, length))
        g_string_append_len (out, bytes, (gssize) length);
    else
        append_converted (out, bytes, length, NULL);
}

/* ---- whole values ---- */

char *
mime_line (void *ctx, const char *text, size_t length)
{
    char *line;

    if (g_utf8_validate (text, (gssize) length, NULL))
        line = talloc_strndup (ctx, text, length);
    else {
        char *valid = g_utf8_make_valid (text, (gssize) length);

        line = talloc_strdup (ctx, valid);
        g_free (valid);
    }
    for (char *p = line; *p != '\0'; p++)
        if (*p == '\r' || *p == '\n')
            *p = ' ';
    return line;
}

/* Nothing to decode: ASCII, no encoded word, no line break. */
static bool
is_plain (const char *raw)
{
    for (; *raw != '\0'; raw++)
        if ((unsigned char) *raw >= 0x80 || *raw == '\r' || *raw == '\n' ||
            (*raw == '=' && raw[1] == '?'))
            return false;
    return true;
}

char *
mime_decode_text (void *ctx, const char *raw)
{
    struct encoded_run run;
    GString *out;
    char *text;

    if (is_plain (raw))
        return talloc_strdup (ctx, raw);
    out = g_string_new (NULL);
    while (rfc2047_next (raw, &run)) {
        rfc2047_plain (raw, (size_t) (run.start - raw), out);
        rfc2047_decode (&run, out);
        raw = run.end;
    }
    rfc2047_plain (raw, strlen (raw), out);
    text = mime_line (ctx, out->str, out->len);
    g_string_free (out, TRUE);
    return text;
}

bool
mime_field_is_addresses (const char *name)
{
    static const char *const fields[] = {"to", "cc", "bcc", "reply-to"};

    for (unsigned i = 0; i < G_N_ELEMENTS (fields); i++)
        if (g_ascii_strcasecmp (name, fields[i]) == 0)
            return true;
    return false;
}

char *
mime_decode_field (void *ctx, const char *name, const char *raw)
{
    return mime_field_is_addresses (name) ? mime_decode_address_text (ctx, raw)
                                          : mime_decode_text (ctx, raw);
}
