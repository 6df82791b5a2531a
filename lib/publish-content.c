/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * publish-content.c - tags and properties that a message has because of what its mail says, or of
 * where it comes from.
 */
#include "edits.h"
#include "message.h"
#include "properties.h"
#include "publish-private.h"
#include "schema.h"

#include <string.h>
#include <talloc.h>

static const char *const tags[] = {"attachment", "encrypted", "signed"};

bool
content_is_tag (const char *tag)
{
    bool is = false;
    for (size_t i = 0; i < G_N_ELEMENTS (tags); i++)
        is |= strcmp (tag, tags[i]) == 0;
    return is;
}

void
content_note_findings (struct edit *edit, const struct parsed_file *file)
{
    const struct mail_property property = {PROPERTY_LIMIT, file->limit};
    if (file->limit)
        edit_add_property (edit, &property);
    for (size_t i = 0; i < file->property_count; i++)
        edit_add_property (edit, &file->properties[i]);
}

void
content_forget_findings (struct edit *edit)
{
    edit_remove_properties (edit, PROPERTY_LIMIT);
    edit_remove_properties (edit, PROPERTY_DECRYPTION);
    edit_remove_properties (edit, PROPERTY_REPAIRED);
}

void
content_add_tags (struct edit *edit, const struct parsed_file *file)
{
    for (size_t i = 0; i < file->tag_count; i++)
        edit_add_tag (edit, file->tags[i]);
}

/* Another index had the message, and its tags are what they were there. */
static bool
take_over (struct publish *publish, struct edit *edit, const struct parsed_file *file)
{
    struct mail_edits *known = publish->options->known;
    edit->keep_tags = known && edits_know (known, edit->message->id);
    if (edit->keep_tags) {
        edits_alter (known, edit);
        content_forget_findings (edit); /* of the other index: what to say about this is ours */
        content_note_findings (edit, file);
        publish->counts.known++;
    }
    return edit->keep_tags;
}

/* mail_apply_options.new_tags, but for "unread" where a name says that it is not. */
static void
give_new_tags (struct publish *publish, struct edit *edit)
{
    const struct mail_apply_options *options = publish->options;
    bool seen = edit_is_seen (edit, publish->folders);
    edit->first_tags = true;
    for (size_t i = 0; i < options->new_tags_count; i++) {
        const char *tag = options->new_tags[i];
        if (*tag && !(seen && strcmp (tag, "unread") == 0))
            edit_add_tag (edit, tag);
    }
}

void
content_tag_new (struct publish *publish, struct edit *edit, const struct parsed_file *file,
                 bool known)
{
    const struct mail_apply_options *options = publish->options;
    content_add_tags (edit, file);
    if (!known && take_over (publish, edit, file))
        return;
    if (options->maildir_flags)
        edit_tags_from_flags (edit, publish->folders);
    edit->files_changed = false;
    if (!known)
        give_new_tags (publish, edit);
}

bool
content_is_shut (const struct publish *publish, const struct edit *edit,
                 const struct parsed_file *file)
{
    void *local = talloc_new (NULL);
    bool encrypted = false, has_key = *message_session_keys (local, edit->message) != NULL;
    for (size_t i = 0; i < file->tag_count; i++)
        encrypted |= strcmp (file->tags[i], "encrypted") == 0;
    for (size_t i = 0; i < file->property_count; i++)
        has_key &= strcmp (file->properties[i].value, "success") != 0;
    talloc_free (local);
    return encrypted && has_key && publish->options->decrypt != MAIL_DECRYPT_FALSE;
}

void
content_forget (const struct publish *publish, struct edit *edit)
{
    if (publish->options->decrypt == MAIL_DECRYPT_FALSE)
        edit_remove_properties (edit, PROPERTY_SESSION_KEY);
    for (size_t i = 0; i < G_N_ELEMENTS (tags); i++)
        edit_remove_tag (edit, tags[i]);
    edit_remove_properties (edit, "index.");
}

void
content_renew (const struct publish *publish, struct edit *edit, const struct publish_words *words)
{
    bool reindex = publish->options->reindex;
    if (!words->part)
        content_forget_findings (edit);
    if (reindex && !words->part)
        content_forget (publish, edit);
    for (size_t i = 0; i < words->count + words->read_count; i++) {
        const struct parsed_file *file =
            i < words->count ? words->files[i].file : &words->read[i - words->count];
        content_note_findings (edit, file);
        if (reindex)
            content_add_tags (edit, file);
    }
}
