/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * publish-heirs.c - tags of a message whose file says another Message-ID when it is read again.
 *
 * The mail was changed in place, and what its owner has said of it he has said of this mail. So
 * tags and properties go with the file, once the old message has no other file; what the new one
 * has already stays. While the old one has files, the other mail is a new one.
 */
#include "properties.h"
#include "publish-private.h"
#include "schema.h"

#include <string.h>

static void
inherit (struct edit *edit, const struct edit *old)
{
    size_t count;
    edit->untagged = false;
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
        if (heir->node->edit && heir->old->message->record.file_count == 0)
            inherit (heir->node->edit, heir->old);
    }
    for (guint i = 0; i < publish->heirs->len; i++) {
        struct edit *edit = g_array_index (publish->heirs, struct heir, i).node->edit;
        if (edit && edit->untagged)
            publish_new_tags (publish, edit);
    }
}
