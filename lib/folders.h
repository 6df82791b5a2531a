/* SPDX-License-Identifier: GPL-3.0-or-later */
/* folders.h - what the modules of lib/ use of the table of folders besides mailindex.h. */
#ifndef FOLDERS_H
#define FOLDERS_H

#include "mailindex.h"
#include "store/store.h"

#include <glib.h>

/* As mail_folders_load, from any store. */
enum mail_status folders_read (void *ctx, struct store *state, struct mail_folders **folders_out);
/* As mail_folder_files, from any store. */
enum mail_status folders_read_files (void *ctx, struct store *state, uint32_t folder,
                                     char ***names_out, size_t *count_out);
/* The folder of a relative path; NULL where it has no record. */
const struct mail_folder *folders_find (const struct mail_folders *folders, const char *path);
/* Adds or replaces a record in memory; strings are copied. */
const struct mail_folder *folders_set (struct mail_folders *folders,
                                       const struct mail_folder *folder);
void folders_remove (struct mail_folders *folders, uint32_t id);
/* Appends the ids (uint32_t) of the folder and of all below it, each behind the one it lies in. */
void folders_tree (const struct mail_folders *folders, uint32_t id, GArray *ids);

#endif
