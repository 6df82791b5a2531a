/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * publish-heirs.c - tags of a message whose file says another Message-ID when it is read again.
 *
 * The mail was changed in place, and what its owner has said of it he has said of this mail. So
 * tags and properties go with the file; what the new message has already stays, and so does what
 * the old one has while it has other files. So it does not matter in what order, or how many at a
 * time, the files of a message are read again.
 */
#include "properties.h"
#include "publish-private.h"
#include "schema.h"

#include <string.h>

static void
inherit (struct edit *edit, const struct edit *old)
{
    size_t count;
    const struct mail_property *properties = mail_message_properties (old->message, &count);
    for (size_t i = 0; i < old->message->tag_count; i++)
        if (!content_is_tag (old->message->tags[i]))
            edit_add_tag (edit, old->message->tags[i]);
    for (size_t i = 0; i < count; i++)
        if (strncmp (properties[i].key, "index.", 6) != 0)
            edit_add_property (edit, &properties[i]);
}

void
publish_pass_on (struct publish *publish)
{
    for (guint i = 0; i < publish->heirs->len; i++) {
        const struct heir *heir = &g_array_index (publish->heirs, struct heir, i);
        if (heir->node->edit)
            inherit (heir->node->edit, heir->old);
    }
}
