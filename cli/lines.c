/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lines.c - reads text line by line, of any length, and does not take a read error for the end. */
#include "lines.h"
#include "gzip.h"
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>
#include <unistd.h>

struct lines {
    FILE *file;
    bool opened; /* by us */
    char *line;
    size_t size;
    unsigned long number;
    bool cut_off; /* the line given last has a NUL in it */
    int error;    /* errno */
};

static int
destroy (struct lines *lines)
{
    if (lines->opened)
        fclose (lines->file);
    free (lines->line);
    return 0;
}

static int
lines_begin (void *ctx, const char *path, FILE *file, bool opened, struct lines **lines_out)
{
    struct lines *lines;

    if (!file) {
        report_message ("Error opening %s for reading: %s\n", path ? path : "the input",
                        strerror (errno));
        return 1;
    }
    lines = talloc_zero (ctx, struct lines);
    lines->file = file;
    lines->opened = opened;
    talloc_set_destructor (lines, destroy);
    *lines_out = lines;
    return 0;
}

int
lines_open (void *ctx, const char *path, struct lines **lines_out)
{
    return lines_begin (ctx, path, path ? fopen (path, "re") : stdin, path != NULL, lines_out);
}

int
lines_open_gzip (void *ctx, const char *path, struct lines **lines_out)
{
    int fd = path ? open (path, O_RDONLY | O_CLOEXEC) : dup (STDIN_FILENO);

    return lines_begin (ctx, path, fd < 0 ? NULL : gzip_read (fd), true, lines_out);
}

char *
lines_next (struct lines *lines)
{
    ssize_t length = getline (&lines->line, &lines->size, lines->file);

    if (length < 0) {
        lines->error = ferror (lines->file) ? errno : 0;
        return NULL;
    }
    lines->number++;
    lines->cut_off = memchr (lines->line, '\0', (size_t) length) != NULL;
    if (length > 0 && lines->line[length - 1] == '\n')
        lines->line[length - 1] = '\0';
    return lines->line;
}

bool
lines_cut_off (const struct lines *lines)
{
    return lines->cut_off;
}

unsigned long
lines_number (const struct lines *lines)
{
    return lines->number;
}

int
lines_status (const struct cli *cli, const struct lines *lines)
{
    if (lines->error == 0)
        return 0;
    report (cli, "cannot read the input: %s",
            lines->error == EBADMSG ? "the compressed data are damaged or end early"
                                    : strerror (lines->error));
    return 1;
}
