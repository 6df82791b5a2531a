/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lines.h - a mail file line by line. */
#ifndef LINES_H
#define LINES_H

#include "mime/mime-private.h"

#define LINE_KEPT 2048 /* bytes that are seen of a line, however long it is */

struct line {
    const char *text;  /* without its newline; until the next call */
    size_t length;     /* of text: all of the line, or at least LINE_KEPT bytes of it */
    size_t start, end; /* offsets in the file; end is after the newline */
};

struct lines {
    const struct mime_source *source;
    size_t offset; /* of the next line; may be set */
    const char *window;
    size_t start, length; /* of the window */
    char *own;            /* the window's memory; NULL where the file lies in memory */
    char kept[LINE_KEPT];
};

/* From this offset on. Memory hangs on ctx. */
void lines_start (struct lines *lines, void *ctx, const struct mime_source *source, size_t offset);
/* False at the end of the file. */
bool lines_next (struct lines *lines, struct line *line);
/* Nothing but CRs: a CRLF may have been made one more than once. */
bool line_is_empty (const struct line *line);

#endif
