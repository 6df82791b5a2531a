/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lines.h - the lines of a file or of stdin, for --batch and --input. */
#ifndef LINES_H
#define LINES_H

#include "command.h"

struct lines;

/* path: NULL for stdin. Returns 0, or an exit code after a message. */
int lines_open (void *ctx, const char *path, struct lines **lines_out);
/* The same of what may be compressed (told by its content). */
int lines_open_gzip (void *ctx, const char *path, struct lines **lines_out);
/* The next line without its end, until the next call; NULL at the end of the file. A NUL ends a
 * line early. */
char *lines_next (struct lines *lines);
/* Number of the line that lines_next gave last, from 1. */
unsigned long lines_number (const struct lines *lines);
/* Whether that line goes on behind a NUL: what is read of it may mean something else than all. */
bool lines_cut_off (const struct lines *lines);
/* After the end: 0, or an exit code after a message where reading failed. */
int lines_status (const struct cli *cli, const struct lines *lines);

#endif
