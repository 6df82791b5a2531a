/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mailbox.c - whether an mbox file has more than one message.
 *
 * Lines that begin with "From " stand in letters too. A separator comes after an empty line, has a
 * time of day in it, and a header field after it.
 */
#include "mime/lines.h"

#include <string.h>
#include <talloc.h>

/* A field name and its colon. */
static bool
is_field (const struct line *line)
{
    size_t n = 0;

    while (n < line->length && line->text[n] > ' ' && line->text[n] < 0x7f && line->text[n] != ':')
        n++;
    return n > 0 && n < line->length && line->text[n] == ':';
}

static bool
is_separator (const struct line *line)
{
    if (line->length < 5 || memcmp (line->text, "From ", 5) != 0)
        return false;
    for (size_t i = 5; i + 1 < line->length; i++)
        if (line->text[i] == ':' && g_ascii_isdigit (line->text[i - 1]) &&
            g_ascii_isdigit (line->text[i + 1]))
            return true;
    return false;
}

bool
mime_mailbox_has_more (const struct mime_source *source)
{
    void *ctx = talloc_new (NULL);
    struct lines *lines = talloc (ctx, struct lines);
    struct line line;
    bool empty = false, separator = false, found = false;

    lines_start (lines, ctx, source, source->start);
    while (!found && lines_next (lines, &line)) {
        found = separator && is_field (&line);
        separator = empty && is_separator (&line);
        empty = line_is_empty (&line);
    }
    talloc_free (ctx);
    return found;
}
