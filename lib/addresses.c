/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * addresses.c - the mailboxes of messages and of mail files.
 */
#include "addresses.h"
#include "message.h"
#include "mime/mime.h"

#include <talloc.h>

struct mail_address *
addresses_read (void *ctx, const char *raw, size_t *count_out)
{
    size_t count, kept = 0;
    struct mime_address *list = mime_decode_addresses (ctx, raw, &count);
    struct mail_address *addresses = talloc_array (ctx, struct mail_address, count + 1);

    for (size_t i = 0; i < count; i++)
        if (*list[i].address != '\0')
            addresses[kept++] = (struct mail_address){list[i].name, list[i].address};
    talloc_steal (addresses, list);
    *count_out = kept;
    return addresses;
}

struct mail_address *
mail_message_addresses (void *ctx, const struct mail_message *message, enum mail_field field,
                        size_t *count_out)
{
    return addresses_read (ctx, message_raw_field (message, field), count_out);
}

char *
mail_address_text (void *ctx, const struct mail_address *address)
{
    return mime_address_text (ctx, address->name, address->address);
}
