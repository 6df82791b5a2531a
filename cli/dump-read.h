/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dump-read.h - reads a dump, line by line. */
#ifndef DUMP_READ_H
#define DUMP_READ_H

#include "dump.h"
#include "lines.h"
#include "progress.h"

struct dump_reader {
    struct lines *lines;
    struct progress *progress; /* out of the way before a message */
    int format;                /* enum dump_format; DUMP_AUTO becomes what the file is in */
    int include;               /* enum dump_include; 0: all */
    bool accumulate;           /* the lines do not take away what a message has */
    bool failed;               /* there were lines of which not all could be read */
    /* What to do with a message's line; anything but MAIL_OK ends the reading. */
    enum mail_status (*edit) (void *closure, const char *id, const struct mail_edit *edit);
    void (*setting) (void *closure, const char *key, const char *value);
    void *closure;
};

/* Reads to the end. Whether the file could be read is told by lines_status. */
enum mail_status dump_read (struct dump_reader *reader);
/* A warning on stderr that names the line at hand. */
void dump_warn (struct dump_reader *reader, const char *what, const char *text);

#endif
