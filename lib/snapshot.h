/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * snapshot.h - files of all tags and properties, in backups/ of the index folder.
 *
 * UNIXTIME-REVISION.tags: a dump as notmuch's restore reads it (batch-tag, version 3); its last
 * line,
 * "#e CRC32", is the sum of what stands before. A snapshot and the journals after it, in order, are
 * what the tags of every message are made of anew when state is lost.
 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "mailindex.h"

/* Paths, the oldest first; NULL-terminated, talloc'd on ctx. */
char **snapshot_files (void *ctx, const char *folder);
/* Whether there is any snapshot or journal. */
bool snapshot_has_history (const char *folder);
/* Path of the one that state says is the newest; NULL for none, or where state cannot be read.
 * talloc'd on ctx. */
char *snapshot_newest (void *ctx, struct mail_index *index);
/* MAIL_OK where the file is whole, MAIL_ERROR_CORRUPT where it is not or is not there; else what
 * keeps it from being read. */
enum mail_status snapshot_check (const char *path);
/* Calls back with each line between the first and the last of a whole snapshot, without its end. */
typedef enum mail_status (*snapshot_line_fn) (void *closure, const char *line);
enum mail_status snapshot_read (const char *path, snapshot_line_fn each, void *closure);

#endif
