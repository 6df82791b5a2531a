/* SPDX-License-Identifier: GPL-3.0-or-later */
/* message.h - messages as the other modules of lib/ use them. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "index-private.h"
#include "record.h"

struct mail_message {
    struct mail_index *index;
    uint32_t docid;
    const char *id;
    uint64_t thread;
    struct record record;
    const char **tags; /* byte order, NULL-terminated */
    size_t tag_count;
    struct store_term *others; /* terms that say nothing of the above: properties, the stale mark */
    size_t other_count;
    struct mail_property *properties; /* made on first use */
    size_t property_count;
    struct mail_file *files;         /* made on first use */
    char *decoded[MAIL_FIELD_COUNT]; /* made on first use */
};

/* Splits a document of state into a message. False where it is no mail document. Without data the
 * record is empty. */
bool message_from_document (struct mail_message *message, const struct store_document *document);
/* Reads one, under the revision the handle has: *message_out is NULL where there is none. Does not
 * start again by itself (MAIL_ERROR_OVERTAKEN). */
enum mail_status message_read_once (void *ctx, struct mail_index *index, uint32_t docid,
                                    unsigned parts, struct mail_message **message_out);
/* The same, started again when overtaken. */
enum mail_status message_read (void *ctx, struct mail_index *index, uint32_t docid,
                               struct mail_message **message_out);
/* The same; parts: STORE_TERMS alone gives id, thread, tags and properties, and the rest is empty.
 */
enum mail_status message_read_parts (void *ctx, struct mail_index *index, uint32_t docid,
                                     unsigned parts, struct mail_message **message_out);
/* Values of the property session-key; NULL-terminated, talloc'd on ctx. message: NULL for none. */
const char *const *message_session_keys (void *ctx, const struct mail_message *message);
/* Raw value as in the record. */
const char *message_raw_field (const struct mail_message *message, enum mail_field field);

#endif
