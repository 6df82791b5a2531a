/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lines.c - a mail file line by line, wherever it lies.
 *
 * In memory a line is a pointer. A file is read window by window; a line that begins in one is
 * whole in it, or longer than a window: then only its first bytes are shown, for nobody asks for
 * more.
 */
#include "mime/lines.h"

#include <string.h>
#include <talloc.h>

#define WINDOW ((size_t) 256 << 10)

void
lines_start (struct lines *lines, void *ctx, const struct mime_source *source, size_t offset)
{
    *lines = (struct lines){.source = source, .offset = offset};
    if (source->memory != NULL) {
        lines->window = source->memory;
        lines->length = source->size;
    } else {
        lines->own = talloc_array (ctx, char, WINDOW);
        lines->window = lines->own;
    }
}

/* Reads the window that begins at this offset; false at the end. */
static bool
fill (struct lines *lines, size_t offset)
{
    if (lines->own == NULL)
        return false;
    lines->start = offset;
    lines->length = mime_source_read (lines->source, lines->own, WINDOW, offset);
    return lines->length > 0;
}

/* The line that begins at this offset, as far as the window goes. */
static const char *
find_newline (const struct lines *lines, size_t offset, struct line *line)
{
    size_t at = offset - lines->start;

    line->text = lines->window + at;
    line->length = at < lines->length ? lines->length - at : 0;
    return line->length > 0 ? memchr (line->text, '\n', line->length) : NULL;
}

/* A line longer than a window: keeps its beginning, and looks for its end. */
static void
skip_long_line (struct lines *lines, struct line *line)
{
    size_t kept = MIN (line->length, sizeof (lines->kept));
    const char *newline = NULL;
    size_t offset = line->start + line->length;

    memcpy (lines->kept, line->text, kept);
    while (newline == NULL && fill (lines, offset)) {
        newline = memchr (lines->window, '\n', lines->length);
        offset += newline != NULL ? (size_t) (newline + 1 - lines->window) : lines->length;
    }
    line->text = lines->kept;
    line->length = kept;
    line->end = offset;
}

bool
lines_next (struct lines *lines, struct line *line)
{
    const char *newline;

    if (lines->offset >= lines->source->size)
        return false;
    line->start = lines->offset;
    newline = find_newline (lines, line->start, line);
    if (newline == NULL && fill (lines, line->start))
        newline = find_newline (lines, line->start, line);
    if (line->length == 0)
        return false;
    line->end = line->start + line->length;
    if (newline != NULL) {
        line->length = (size_t) (newline - line->text);
        line->end = line->start + line->length + 1;
    } else if (lines->own != NULL && line->length == WINDOW)
        skip_long_line (lines, line);
    lines->offset = line->end;
    return true;
}

bool
line_is_empty (const struct line *line)
{
    for (size_t i = 0; i < line->length; i++)
        if (line->text[i] != '\r')
            return false;
    return true;
}
