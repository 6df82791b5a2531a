/* SPDX-License-Identifier: GPL-3.0-or-later */
/* messages.h - reading many messages. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "message.h"
#include "term.h"

/* Reads these messages, in order of their ids, into the places they have in docids; NULL for what
 * is gone. All of it hangs on ctx. parts: as for message_read_parts. */
enum mail_status messages_read (void *ctx, struct mail_index *index, const uint32_t *docids,
                                size_t count, unsigned parts, struct mail_message **messages_out);

#endif
