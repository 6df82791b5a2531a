/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * file-flags.h - names of files that follow the tags, within one change of the index.
 *
 * A file is renamed before the commit that records its new name (doc/design/flags.md): a crash in
 * between leaves a file that has moved, which the next scan finds.
 */
#ifndef FILE_FLAGS_H
#define FILE_FLAGS_H

#include "edit.h"

/* The files renamed so far; freeing it forgets about them. */
struct renames;
struct renames *renames_create (void *ctx, struct writer *writer);
/* Renames the files of a message whose tags have changed, and puts their new names into edit. What
 * cannot be renamed (the file is gone, the new name taken, the folder read-only) stays as it is. */
enum mail_status renames_follow_tags (struct renames *renames, struct edit *edit);
/* Makes what was renamed durable. Before the commit. */
enum mail_status renames_sync (struct renames *renames);
/* Gives the files their old names back: there will be no commit. */
void renames_undo (struct renames *renames);

#endif
