/* SPDX-License-Identifier: GPL-3.0-or-later */
/* metadata.h - the named texts and numbers that state keeps about the index as a whole (META_ in
 * schema.h). */
#ifndef METADATA_H
#define METADATA_H

#include "writer.h"

/* Of the state that a writer has open, changed when it commits. What is not there is "" or 0. An
 * error is one of the writer's. */
enum mail_status writer_get_text (struct writer *writer, const char *key, char **text_out);
enum mail_status writer_get_number (struct writer *writer, const char *key, uint64_t *number_out);
enum mail_status writer_set_text (struct writer *writer, const char *key, const char *text);
enum mail_status writer_set_number (struct writer *writer, const char *key, uint64_t number);

/* Marks: META_MARK or not there. They say how things stand from one commit to another, so whoever
 * comes after a process that was killed knows. */
#define META_MARK "1"
/* Whether the newest state has the mark. One that cannot be read is not set. */
bool mark_is_set (struct mail_index *index, const char *key);
/* Takes it away in a commit of its own. */
enum mail_status mark_end (struct mail_index *index, const char *key);

#endif
