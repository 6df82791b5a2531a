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
 * message's words have to be made anew of all its files (publish_rebuilt). It is also true of a
 * message that has come back and has session keys, with which it can be read now that it is
 * recorded. */
enum mail_status publish_file (struct publish *publish, const char *folder, const char *name,
                               const struct parsed_file *file, uint32_t text, bool *deferred_out);
/* text was built of all files of the message, among them these new ones, whose names are given,
 * when before was the message's text (0: there was no message). *done_out is false where its words
 * have been made anew meanwhile: then nothing has been recorded. */
struct publish_name {
    const char *folder, *name;
    const struct parsed_file *file;
};
struct publish_words {
    const char *id;
    uint32_t text, before;
    const struct publish_name *files; /* the new ones */
    size_t count;
    const struct parsed_file *read; /* what the text was built of; new ones may be among them */
    size_t read_count;
    bool part; /* not all files of the message could be read */
};
enum mail_status publish_rebuilt (struct publish *publish, const struct publish_words *words,
                                  bool *done_out);
/* The message that has the file is to be found by its words no more, as it could not be read when
 * they were made anew: remembered as a problem, so that it is read as soon as that can be done. */
enum mail_status publish_lose_words (struct publish *publish, const char *folder, const char *name);
/* The text document belongs to nothing. */
enum mail_status publish_waste_text (struct publish *publish, uint32_t text);
/* The file with this inode. *done_out: whether a message has it under its new name now (perhaps
 * from before); otherwise nobody had it under the old one. */
enum mail_status publish_move (struct publish *publish, uint32_t from_folder, const char *from_name,
                               const char *folder, const char *name, const struct mail_stat *stat,
                               bool *done_out);
/* The file is gone, whoever has it. */
enum mail_status publish_drop (struct publish *publish, uint32_t folder, const char *name);

/* Remembers that a name could not be indexed, or not wholly; a problem that is known keeps its
 * date. read: there was something under the name that has been read, so a message that had the name
 * has it no more. */
enum mail_status publish_problem (struct publish *publish, const char *folder, const char *name,
                                  enum mail_reason reason, const struct mail_stat *stat, bool read);

/* Ends the tombstones that are older than the options say. */
enum mail_status publish_expire_tombstones (struct publish *publish);

/* ---- folders ---- */

/* Id of the folder's record, made with its parents where missing. */
enum mail_status publish_folder (struct publish *publish, const char *path, uint32_t *id_out);
enum mail_status publish_folder_stat (struct publish *publish, const char *path,
                                      const struct mail_stat *stat);
/* *done_out is false, and nothing is done, where there is no such folder (any more), where another
 * one has the new path by now, and where it would come into itself. */
enum mail_status publish_move_folder (struct publish *publish, uint32_t id, const char *to,
                                      bool *done_out);
/* Removes the records of the folder and of all below it, with any files they still have. */
enum mail_status publish_drop_folder (struct publish *publish, uint32_t id);

#endif
