/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * headers.c - a header block as names and raw values.
 *
 * All fields are cut out of the block in one pass into one buffer, and sorted by name for look-ups,
 * so that a hundred thousand fields cost no more than a hundred, each. Lines that are no fields are
 * passed over, but for those behind the last field where no empty line says that they are body.
 */
#include "mime/mime-private.h"
#include "schema.h"

#include <stdlib.h>
#include <string.h>
#include <talloc.h>

/* One field in the block. */
struct span {
    const char *line, *end; /* all of its lines */
    size_t name_length;     /* 0: this is no field */
    const char *value;
};

/* ---- cutting ---- */

static const char *
line_end (const char *line, const char *end)
{
    const char *newline = memchr (line, '\n', (size_t) (end - line));

    return newline != NULL ? newline + 1 : end;
}

static bool
is_blank (char c)
{
    return c == ' ' || c == '\t';
}

/* Nothing but CRs: a CRLF may have been made one more than once. */
static bool
is_empty_line (const char *line, const char *end)
{
    while (end - line > 1 && *line == '\r')
        line++;
    return *line == '\n';
}

/* A name is printable bytes up to the colon; blanks between them are allowed (RFC 5322 4.5). */
static void
span_split (struct span *span)
{
    const char *p = span->line, *name_end;

    while (p < span->end && (unsigned char) *p > ' ' && *p != 0x7f && *p != ':')
        p++;
    name_end = p;
    while (p < span->end && is_blank (*p))
        p++;
    span->name_length = p < span->end && *p == ':' ? (size_t) (name_end - span->line) : 0;
    span->value = p + 1;
}

/* A line of blanks before one that is no field: somebody's empty line. */
static bool
is_blank_end (const char *line, const char *end)
{
    struct span next;

    if (!is_blank (*line))
        return false;
    while (line < end && (is_blank (*line) || *line == '\r'))
        line++;
    if (end - line < 2 || *line != '\n')
        return false;
    next = (struct span){.line = line + 1, .end = line_end (line + 1, end)};
    span_split (&next);
    return next.name_length == 0 && !is_blank (*next.line) && !is_empty_line (next.line, end);
}

static bool
ends_header (const char *line, const char *end)
{
    return is_empty_line (line, end) || is_blank_end (line, end);
}

/* The field at the front, with the lines that continue it. */
static struct span
span_next (const char *line, const char *end)
{
    struct span span = {.line = line};

    do
        line = line_end (line, end);
    while (line < end && is_blank (*line) && !is_blank_end (line, end));
    span.end = line;
    span_split (&span);
    return span;
}

/* ---- values ---- */

/* Writes the value and a NUL; returns the place after it. Never more than value_length + 1. */
static char *
put_value (char *out, const char *value, size_t length, bool *cut)
{
    char *start = out;

    while (length > 0 && (g_ascii_isspace (*value) || *value == '\0'))
        value++, length--;
    for (size_t i = 0; i < length && out - start < HEADER_MAX; i++) {
        if (value[i] == '\0' || (value[i] == '\r' && i + 1 < length && value[i + 1] != '\n'))
            *out++ = ' ';
        else if (value[i] != '\r' && value[i] != '\n')
            *out++ = value[i];
    }
    *cut |= out - start == HEADER_MAX;
    while (out > start && g_ascii_isspace (out[-1]))
        out--;
    *out++ = '\0';
    return out;
}

static char *
put_name (char *out, const struct span *span)
{
    out = mempcpy (out, span->line, span->name_length);
    *out++ = '\0';
    return out;
}

/* ---- the list ---- */

static void
add_field (struct mime_headers *headers, char **arena, const struct span *span)
{
    struct mime_field *field;

    if ((headers->count & (headers->count + 1)) == 0)
        headers->fields =
            talloc_realloc (headers, headers->fields, struct mime_field, 2 * (headers->count + 1));
    field = &headers->fields[headers->count++];
    field->name = *arena;
    *arena = put_name (*arena, span);
    field->value = *arena;
    *arena = put_value (*arena, span->value, (size_t) (span->end - span->value), &headers->cut);
}

static int
field_compare (const void *a, const void *b)
{
    const struct mime_field *x = a, *y = b;
    int order = g_ascii_strcasecmp (x->name, y->name);

    /* Names lie in the buffer in the order of the file. */
    return order != 0 ? order : x->name < y->name ? -1 : 1;
}

bool
mime_headers_begin (const char *data, size_t length)
{
    return length > 0 && span_next (data, data + length).name_length > 0;
}

struct mime_headers *
mime_headers_parse (void *ctx, const char *data, size_t length)
{
    struct mime_headers *headers = talloc_zero (ctx, struct mime_headers);
    const char *line = data, *end = data + length, *last = end;
    char *arena = talloc_array (headers, char, length + 2);

    while (line < end && !ends_header (line, end)) {
        struct span span = span_next (line, end);

        if (span.name_length > 0) {
            add_field (headers, &arena, &span);
            last = span.end;
        }
        line = span.end;
    }
    headers->body = (size_t) ((line < end ? line_end (line, end) : last) - data);
    if (headers->count > 1)
        qsort (headers->fields, headers->count, sizeof (headers->fields[0]), field_compare);
    return headers;
}

const struct mime_field *
mime_headers_find (const struct mime_headers *headers, const char *name, unsigned nth)
{
    size_t low = 0, high = headers->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (g_ascii_strcasecmp (headers->fields[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (nth >= headers->count - low ||
        g_ascii_strcasecmp (headers->fields[low + nth].name, name) != 0)
        return NULL;
    return &headers->fields[low + nth];
}

const char *
mime_headers_get (const struct mime_headers *headers, const char *name, unsigned nth)
{
    const struct mime_field *field = mime_headers_find (headers, name, nth);

    return field != NULL ? field->value : NULL;
}
