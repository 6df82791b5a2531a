/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * publish.h - one transaction's worth of changes to messages and folders.
 *
 * Between publish_begin and publish_commit the index is locked. Everything found without the lock
 * is checked again here: a file that is in state by now, a message-id that came meanwhile. Messages
 * are read once, altered in memory, and written once, at commit.
 */
#ifndef PUBLISH_H
#define PUBLISH_H

#include "edit.h"
#include "folders.h"
#include "index/build.h"
#include "writer.h"

struct publish;

enum mail_status publish_begin (void *ctx, struct mail_index *index,
                                const struct mail_apply_options *options, struct publish **out);
/* Writes everything and commits; the publish is freed in either case. What was done is added to
 * *counts_out on success only. When the store refuses one message, *culprit_out (may be NULL) is
 * its id, talloc'd on the publish's context; otherwise it is NULL. */
enum mail_status publish_commit (struct publish *publish, struct mail_apply_counts *counts_out,
                                 char **culprit_out);
struct writer *publish_writer (struct publish *publish);
const struct mail_folders *publish_folders (struct publish *publish);

/* ---- files ---- */

/* A parsed file under its name; text is the document that was built of it alone. *deferred_out is
 * true where the message has other files with other words: then nothing has been recorded, and the
 * message's words have to be made anew of all its files (publish_rebuilt). */
enum mail_status publish_file (struct publish *publish, const char *folder, const char *name,
                               const struct parsed_file *file, uint32_t text, bool *deferred_out);
/* text was built of all files of the message, among them these new ones, whose names are given. */
struct publish_name {
    const char *folder, *name;
    const struct parsed_file *file;
};
enum mail_status publish_rebuilt (struct publish *publish, const char *id, uint32_t text,
                                  const struct publish_name *files, size_t count);
enum mail_status publish_move (struct publish *publish, uint32_t from_folder, const char *from_name,
                               const char *folder, const char *name, const struct mail_stat *stat);
enum mail_status publish_drop (struct publish *publish, uint32_t folder, const char *name);

/* Remembers that a name could not be indexed, or not wholly; a problem that is known keeps its
 * date.
 */
enum mail_status publish_problem (struct publish *publish, const char *folder, const char *name,
                                  enum mail_reason reason, const struct mail_stat *stat);

/* Ends the tombstones that are older than the options say. */
enum mail_status publish_expire_tombstones (struct publish *publish);

/* ---- folders ---- */

/* Id of the folder's record, made with its parents where missing. */
enum mail_status publish_folder (struct publish *publish, const char *path, uint32_t *id_out);
enum mail_status publish_folder_stat (struct publish *publish, const char *path,
                                      const struct mail_stat *stat);
enum mail_status publish_move_folder (struct publish *publish, uint32_t id, const char *to);
/* Removes the records of the folder and of all below it, with any files they still have. */
enum mail_status publish_drop_folder (struct publish *publish, uint32_t id);

#endif
