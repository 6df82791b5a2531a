/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * skip.c - owns what of a plain text is no word: uuencoded files, ASCII-armoured PGP, the line
 * breaks that format=flowed puts into words.
 *
 * Both begin with a line that people write as well ("begin 644 of these ..."), so what follows
 * decides. The text is compacted in place; a text without such lines is searched twice and not
 * touched. Time is linear, whatever the lines are.
 */
#include "mime/mime-private.h"

#include <string.h>

static const char *
line_end (const char *line, const char *end)
{
    const char *newline = memchr (line, '\n', (size_t) (end - line));

    return newline != NULL ? newline + 1 : end;
}

/* Length without line end and trailing blanks. */
static size_t
line_length (const char *line, const char *next)
{
    while (next > line && g_ascii_isspace (next[-1]))
        next--;
    return (size_t) (next - line);
}

/* ---- uuencode ---- */

/* A line of data: a count, then four characters for three bytes. Blanks at the end may have been
 * lost, a check character may have been added. */
static bool
is_uu_data (const char *line, const char *next)
{
    size_t length = (size_t) (next - line), count, want;

    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
        length--;
    if (length < 2)
        return false;
    for (size_t i = 0; i < length; i++)
        if (line[i] < 0x20 || line[i] > 0x60)
            return false;
    count = (size_t) (line[0] - 0x20) & 0x3f;
    want = 1 + (count + 2) / 3 * 4;
    return count > 0 && length + 4 > want && length <= want + 2;
}

/* "begin MODE NAME" */
static bool
is_uu_begin (const char *line, const char *next)
{
    const char *p = line + strlen ("begin ");
    size_t digits = 0;

    if (next - line < 11 || memcmp (line, "begin ", 6) != 0)
        return false;
    while (digits < 5 && p[digits] >= '0' && p[digits] <= '7')
        digits++;
    return (digits == 3 || digits == 4) && p[digits] == ' ' &&
           line_length (line, next) > 7 + digits;
}

/* The place after the data that follows this line; NULL where it begins no file. "end" stays, as
 * the line with the name does. */
static const char *
uu_block (const char *line, const char *end)
{
    const char *next = line_end (line, end), *data = next;

    if (!is_uu_begin (line, next) || data >= end || !is_uu_data (data, line_end (data, end)))
        return NULL;
    while (data < end && is_uu_data (data, next = line_end (data, end)))
        data = next;
    /* An empty line of data. */
    next = data < end ? line_end (data, end) : end;
    if (data < end &&
        (line_length (data, next) == 0 || (*data == '`' && line_length (data, next) == 1)))
        data = next;
    return data;
}

/* ---- PGP ---- */

static const char begin_mark[] = "-----BEGIN PGP ";
static const char *const armours[] = {"MESSAGE", "SIGNATURE", "PUBLIC KEY BLOCK",
                                      "PRIVATE KEY BLOCK"};

struct skipper {
    char *text, *end;
    bool unended[G_N_ELEMENTS (armours)]; /* no end line of this kind is left */
};

/* Which armour a begin line announces; -1 for none (a clear-signed message is text). */
static int
armour_kind (const char *mark, const char *end)
{
    const char *name = mark + strlen (begin_mark);

    for (size_t i = 0; i < G_N_ELEMENTS (armours); i++) {
        size_t n = strlen (armours[i]);

        if ((size_t) (end - name) > n && memcmp (name, armours[i], n) == 0 &&
            (name[n] == '-' || name[n] == ','))
            return (int) i;
    }
    return -1;
}

/* Marks of quoting, and the dash that escapes a line of a signed message. */
static const char *
skip_quote (const char *line, const char *next)
{
    while (line < next && strchr ("> \t|", *line) != NULL && *line != '\0')
        line++;
    return next - line > 2 && line[0] == '-' && line[1] == ' ' ? line + 2 : line;
}

/* A line as it stands between the marks: empty, "Key: value", or base64. */
static bool
is_armour_line (const char *line, const char *next)
{
    size_t length;

    line = skip_quote (line, next);
    length = line_length (line, next);
    if (length == 0)
        return true;
    if (length > 76)
        return false;
    if (g_ascii_isupper (*line) && memmem (line, length, ": ", 2) != NULL)
        return true;
    for (size_t i = 0; i < length; i++)
        if (!g_ascii_isalnum (line[i]) && strchr ("+/=", line[i]) == NULL)
            return false;
    return length >= 60 || line[length - 1] == '=' || line[0] == '=';
}

/* The place after the armour whose mark stands here: after its end line, or, where that is missing,
 * after the lines that look like it. NULL where there is none. */
static const char *
armour_block (struct skipper *skipper, const char *mark)
{
    int kind = armour_kind (mark, skipper->end);
    const char *line = line_end (mark, skipper->end), *close;
    char end_mark[48];

    if (kind < 0)
        return NULL;
    if (!skipper->unended[kind]) {
        g_snprintf (end_mark, sizeof (end_mark), "-----END PGP %s", armours[kind]);
        close = memmem (line, (size_t) (skipper->end - line), end_mark, strlen (end_mark));
        if (close != NULL)
            return line_end (close, skipper->end);
        skipper->unended[kind] = true;
    }
    while (line < skipper->end && is_armour_line (line, line_end (line, skipper->end)))
        line = line_end (line, skipper->end);
    return line;
}

/* ---- the text ---- */

static const char *
line_start (const char *text, const char *at)
{
    const char *newline = memrchr (text, '\n', (size_t) (at - text));

    return newline != NULL ? newline + 1 : text;
}

/* The first block from this place on; NULL where there is none. */
static const char *
find_uu (struct skipper *skipper, const char *from, const char **block_end)
{
    const char *end = skipper->end;

    while ((from = memmem (from, (size_t) (end - from), "begin ", 6)) != NULL) {
        *block_end = from == skipper->text || from[-1] == '\n' ? uu_block (from, end) : NULL;
        if (*block_end != NULL)
            return line_end (from, end);
        from++;
    }
    return NULL;
}

static const char *
find_armour (struct skipper *skipper, const char *from, const char **block_end)
{
    const char *end = skipper->end, *mark = from, *line;

    while ((mark = memmem (mark, (size_t) (end - mark), begin_mark, strlen (begin_mark))) != NULL) {
        line = line_start (from, mark);
        *block_end = skip_quote (line, mark + 1) == mark ? armour_block (skipper, mark) : NULL;
        if (*block_end != NULL)
            return line;
        mark++;
    }
    return NULL;
}

typedef const char *(*find_fn) (struct skipper *skipper, const char *from, const char **block_end);

static size_t
take_out (char *text, size_t length, find_fn find)
{
    struct skipper skipper = {.text = text, .end = text + length};
    const char *from = text, *block_end, *block;
    char *to = text;

    while ((block = find (&skipper, from, &block_end)) != NULL) {
        memmove (to, from, (size_t) (block - from));
        to += block - from;
        from = block_end;
    }
    if (to != from)
        memmove (to, from, (size_t) (skipper.end - from));
    to += skipper.end - from;
    *to = '\0';
    return (size_t) (to - text);
}

size_t
mime_skip_blocks (char *text, size_t length)
{
    length = take_out (text, length, find_uu);
    return take_out (text, length, find_armour);
}

/* ---- format=flowed ---- */

/* The place after a line's ">" marks and the blank that may follow them (RFC 3676 4.4, 4.5). */
static const char *
skip_marks (const char *line, const char *end)
{
    const char *p = line;

    while (p < end && *p == '>')
        p++;
    return p < end && *p == ' ' ? p + 1 : p;
}

size_t
mime_join_delsp (char *text, size_t length)
{
    const char *line = text, *end = text + length, *body, *next;
    char *to = text;
    bool flowed = false;

    for (; line < end; line = next) {
        next = line_end (line, end);
        body = flowed ? skip_marks (line, end) : line;
        flowed = next - line > 1 && next[-1] == '\n' && next[-2] == ' ' &&
                 !(next - body >= 4 && memcmp (next - 4, "-- \n", 4) == 0);
        if (body > next)
            body = next;
        memmove (to, body, (size_t) (next - body));
        to += next - body;
        if (flowed && next - body >= 2)
            to -= 2;
    }
    *to = '\0';
    return (size_t) (to - text);
}
