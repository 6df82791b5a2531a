/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * charset-mixed.c - text whose lines are in two character sets: a list's footer in one, what was
 * written in another; a quotation; a log.
 *
 * Lines that are UTF-8, and are so by more than chance, are taken as they are; the others are read
 * together, as a text of their own, and put back into their places.
 */
#include "mime/charset.h"
#include "mime/charset-private.h"

#include <glib.h>
#include <string.h>
#include <talloc.h>

struct mixed {
    const char *bytes, *end;
    size_t least; /* marks of UTF-8 that a line must have */
};

static const char *
next_line (const char *line, const char *end)
{
    const char *newline = memchr (line, '\n', (size_t) (end - line));

    return newline != NULL ? newline + 1 : end;
}

/* How likely a line is UTF-8: for each character beyond ASCII the number of bytes that follow its
 * first one; 0 where it is not valid. */
static size_t
line_marks (const char *line, const char *end)
{
    size_t marks = 0;

    for (; line < end; line++)
        marks += ((unsigned char) *line & 0xc0) == 0x80;
    return marks;
}

static bool
is_utf8_line (const struct mixed *mixed, const char *line, const char *next)
{
    return line_marks (line, next) >= mixed->least &&
           g_utf8_validate (line, (gssize) (next - line), NULL);
}

/* Whether the lines that are not UTF-8 are it but for some bytes. */
static bool
is_damaged (const GString *others)
{
    size_t good, bad;

    charset_count_sequences (others->str, others->len, &good, &bad);
    return good > 0;
}

/* The lines that are not UTF-8; NULL where all are, or none is. */
static GString *
other_lines (const struct mixed *mixed)
{
    GString *others = g_string_new (NULL);
    bool found = false;

    for (const char *line = mixed->bytes, *next; line < mixed->end; line = next) {
        next = next_line (line, mixed->end);
        if (is_utf8_line (mixed, line, next))
            found = true;
        else
            g_string_append_len (others, line, next - line);
    }
    if (found && others->len > 0 && !(mixed->least == 1 && is_damaged (others)))
        return others;
    g_string_free (others, TRUE);
    return NULL;
}

/* All lines in their order, the others from what was made of them. */
static char *
put_together (void *ctx, const struct mixed *mixed, const char *read, const char *read_end,
              size_t *length_out)
{
    GString *out = g_string_sized_new ((size_t) (mixed->end - mixed->bytes));
    char *text;

    for (const char *line = mixed->bytes, *next; line < mixed->end; line = next) {
        next = next_line (line, mixed->end);
        if (is_utf8_line (mixed, line, next))
            g_string_append_len (out, line, next - line);
        else {
            const char *read_next = next_line (read, read_end);

            g_string_append_len (out, read, read_next - read);
            read = read_next;
        }
    }
    g_string_append_len (out, read, read_end - read);
    *length_out = out->len;
    text = talloc_strndup (ctx, out->str, out->len);
    g_string_free (out, TRUE);
    return text;
}

char *
charset_read_mixed (void *ctx, const char *bytes, size_t length, const char *label, size_t least,
                    size_t *length_out)
{
    struct mixed mixed = {bytes, bytes + length, least};
    GString *others = memchr (bytes, '\0', length) == NULL ? other_lines (&mixed) : NULL;
    char *read, *text;
    size_t n;

    if (others == NULL)
        return NULL;
    read = charset_to_utf8 (ctx, others->str, others->len, label, &n);
    text = put_together (ctx, &mixed, read, read + n, length_out);
    talloc_free (read);
    g_string_free (others, TRUE);
    return text;
}
