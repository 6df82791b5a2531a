/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tombstone.h - what is kept of a message whose last file has gone, to be read. */
#ifndef TOMBSTONE_H
#define TOMBSTONE_H

#include "message.h"

/* Document ids of all of them, in order. */
enum mail_status tombstone_list (void *ctx, struct mail_index *index, struct idset *ids_out);
/* A message with id, tags and properties, and nothing else; *message_out is NULL where the document
 * is no tombstone (any more). */
enum mail_status tombstone_read (void *ctx, struct mail_index *index, uint32_t docid,
                                 struct mail_message **message_out);

#endif
