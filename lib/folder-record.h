/* SPDX-License-Identifier: GPL-3.0-or-later */
/* folder-record.h - writing the records of folders, in state and in the table in memory. */
#ifndef FOLDER_RECORD_H
#define FOLDER_RECORD_H

#include "folders.h"
#include "writer.h"

/* Writes a record (new or not) in state and in the table. */
enum mail_status folder_put (struct writer *writer, struct mail_folders *folders,
                             const struct mail_folder *folder);
/* The child of a folder by name (parent 0: the root), made where missing. */
enum mail_status folder_make_child (struct writer *writer, struct mail_folders *folders,
                                    uint32_t parent, const char *name, uint32_t *id_out);

#endif
