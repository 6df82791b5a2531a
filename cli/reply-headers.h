/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reply-headers.h - from whom and to whom a reply goes. */
#ifndef REPLY_HEADERS_H
#define REPLY_HEADERS_H

#include "config.h"

#include <stdio.h>

struct printer;

struct reply_list {
    struct mail_address *list;
    size_t count;
};

struct reply {
    struct mail_address from;
    struct reply_list to, cc, bcc;
    const char *subject;     /* NULL: the original has none */
    const char *in_reply_to; /* "<id>" of the original */
    const char *before;      /* its References, as they are; "" for none */
};

/* Works out the header of a reply to a message, to all or to its sender only. Belongs to ctx. */
struct reply *reply_create (void *ctx, const struct config *config,
                            const struct mail_message *message, struct mail_content *content,
                            bool to_all);

/* As the header of a message that is to be sent; only_new: without what a mail program sets by
 * itself (From, Subject). An empty line ends it. */
void reply_write_header (FILE *file, const struct reply *reply, bool only_new);
/* As the map of headers. */
void reply_print_headers (struct printer *printer, const struct reply *reply);

#endif
