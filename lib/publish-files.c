/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * publish-files.c - files come, go and are renamed: what that means for their messages.
 */
#include "publish-private.h"
#include "schema.h"
#include "term.h"

#include <string.h>
#include <talloc.h>

/* ---- the text document of a message ---- */

static void
mark_own_text_stale (struct edit *edit)
{
    struct mail_message *message = edit->message;
    for (size_t i = 0; i < message->other_count; i++) {
        if (strcmp (message->others[i].text, TERM_TYPE_STALE) == 0)
            return;
    }
    message->others =
        talloc_realloc (message, message->others, struct store_term, message->other_count + 1);
    message->others[message->other_count++] = term_make_string (message, TERM_TYPE_STALE, "");
}

static enum mail_status
put_alias (struct writer *writer, uint32_t text, uint32_t message)
{
    char bytes[8];
    struct store_term type = {TERM_TYPE_ALIAS, strlen (TERM_TYPE_ALIAS)};
    value_encode (message, bytes);
    struct store_value value = {SLOT_ALIAS, bytes, sizeof bytes};
    enum mail_status status = store_put (writer->state, text, &type, 1, &value, 1, NULL, 0);
    return status == MAIL_OK ? status : writer_fail (writer, status);
}

static enum mail_status
waste_text (struct publish *publish, uint32_t text)
{
    writer_count_stale (publish->writer, text);
    return writer_put_stale (publish->writer, text);
}

enum mail_status
publish_set_text (struct publish *publish, struct edit *edit, uint32_t text)
{
    struct mail_message *message = edit->message;
    uint32_t old = message->record.text;
    enum mail_status status = MAIL_OK;
    if (old == message->docid) {
        mark_own_text_stale (edit);
        writer_count_stale (publish->writer, old);
    } else {
        status = waste_text (publish, old);
    }
    message->record.text = text;
    edit->record_changed = true;
    return status == MAIL_OK ? put_alias (publish->writer, text, message->docid) : status;
}

/* ---- the holder of a name ---- */

/* The message that has this file, and the file's place in its record; *edit_out is NULL where
 * nobody has it. inode: which one is meant where several do (a name passed on in this run); 0 for
 * any. A remembered problem of the name is forgotten: whoever asks changes what it stood for. */
static enum mail_status
find_holder (struct publish *publish, uint32_t folder, const char *name, uint64_t inode,
             struct edit **edit_out, size_t *at_out)
{
    void *local = talloc_new (publish);
    struct store_term term = term_file (local, folder, name);
    struct idset ids = {NULL, 0};
    enum mail_status status = store_postings (local, publish->writer->state, term, &ids);
    if (status != MAIL_OK)
        writer_fail (publish->writer, status);
    *edit_out = NULL;
    for (size_t i = 0; status == MAIL_OK && i < ids.count && !*edit_out; i++) {
        struct edit *edit;
        status = publish_edit (publish, ids.ids[i], &edit);
        if (status == MAIL_OK && !edit)
            status = publish_forget_problem (publish, ids.ids[i]);
        if (status != MAIL_OK || !edit)
            continue;
        long at = record_find_file (&edit->message->record, folder, name);
        if (at < 0 || (inode && edit->message->record.files[at].stat.inode != inode))
            continue;
        *edit_out = edit;
        *at_out = (size_t) at;
    }
    talloc_free (local);
    return status;
}

/* ---- files come ---- */

static struct record_file
name_file (struct edit *edit, uint32_t folder, const char *name, const struct parsed_file *file)
{
    struct mail_message *message = edit->message;
    struct record_file named = file->record.files[0];
    named.folder = folder;
    named.name = talloc_strdup (message, name);
    for (unsigned i = 0; i < MAIL_FIELD_COUNT; i++) {
        const char *value = file->record.fields[i];
        bool same =
            message->record.file_count == 0 || strcmp (value, message->record.fields[i]) == 0;
        named.differs[i] = same ? NULL : talloc_strdup (message, value);
    }
    return named;
}

/* known: it has its tags already, from before it went. */
static void
tag_new_message (struct publish *publish, struct edit *edit, const struct parsed_file *file,
                 bool known)
{
    const struct mail_apply_options *options = publish->options;
    for (size_t i = 0; i < file->tag_count; i++)
        edit_add_tag (edit, file->tags[i]);
    if (options->maildir_flags)
        edit_tags_from_flags (edit, publish->folders);
    edit->files_changed = false;
    if (known)
        return;
    bool seen = edit_is_seen (edit, publish->folders);
    for (size_t i = 0; i < options->new_tags_count; i++) {
        const char *tag = options->new_tags[i];
        if (*tag && !(seen && strcmp (tag, "unread") == 0))
            edit_add_tag (edit, tag);
    }
}

static void
copy_record (struct mail_message *message, const struct record *from)
{
    struct record *to = &message->record;
    *to = *from;
    for (unsigned i = 0; i < MAIL_FIELD_COUNT; i++)
        to->fields[i] = talloc_strdup (message, from->fields[i]);
    to->parent = talloc_strdup (message, from->parent);
    to->references = talloc_array (message, const char *, from->reference_count + 1);
    for (size_t i = 0; i < from->reference_count; i++)
        to->references[i] = talloc_strdup (message, from->references[i]);
    to->references[from->reference_count] = NULL;
    to->files = NULL;
    to->file_count = 0;
}

/* Headers, date and size as the only file has them now. */
static void
renew_headers (struct edit *edit, const struct parsed_file *file)
{
    struct mail_message *message = edit->message;
    struct record kept = message->record;
    copy_record (message, &file->record);
    message->record.text = kept.text;
    message->record.files = kept.files;
    message->record.file_count = kept.file_count;
}

static enum mail_status
add_message (struct publish *publish, struct node *node, uint32_t folder, const char *name,
             const struct parsed_file *file, uint32_t text)
{
    uint64_t thread;
    bool was_gone;
    struct edit *edit = edit_create (publish, publish->writer, text, node->id);
    copy_record (edit->message, &file->record);
    edit->message->record.text = text;
    struct record_file named = name_file (edit, folder, name, file);
    edit_add_file (edit, &named);
    node->edit = edit;
    node->is_mail = true;
    publish_keep_edit (publish, edit);
    enum mail_status status = publish_take_back (publish, edit, &thread, &was_gone);
    if (status != MAIL_OK)
        return status;
    if (thread)
        threads_set (publish, node, thread);
    tag_new_message (publish, edit, file, was_gone);
    if (was_gone)
        publish->counts.renamed++;
    else
        publish->counts.added++;
    return threads_link (publish, node, &file->record);
}

static bool
same_words (const struct record *record, const struct parsed_file *file)
{
    const unsigned char *digest = file->record.files[0].digest;
    for (size_t i = 0; i < record->file_count; i++) {
        if (memcmp (record->files[i].digest, digest, DIGEST_SIZE) == 0)
            return true;
    }
    return false;
}

/* Puts a file into the record of a message that has its words already. */
static void
add_further_file (struct edit *edit, uint32_t folder, const char *name,
                  const struct parsed_file *file)
{
    struct record_file named = name_file (edit, folder, name, file);
    long known = record_find_file (&edit->message->record, folder, name);
    if (known < 0) {
        edit_add_file (edit, &named);
    } else {
        edit->message->record.files[known] = named;
        edit->record_changed = true;
    }
}

/* A file that this name stood for until now, of another message, is gone. */
static enum mail_status
drop_from_others (struct publish *publish, uint32_t folder, const char *name, const char *id)
{
    struct edit *holder;
    size_t at;
    enum mail_status status = find_holder (publish, folder, name, 0, &holder, &at);
    if (status == MAIL_OK && holder && strcmp (holder->message->id, id) != 0)
        edit_drop_file (holder, at);
    return status;
}

static enum mail_status
open_node (struct publish *publish, const char *id, struct node **node_out)
{
    enum mail_status status = threads_node (publish, id, node_out);
    struct node *node = *node_out;
    if (status == MAIL_OK && node->is_mail && !node->edit)
        status = publish_edit (publish, node->docid, &node->edit);
    return status;
}

enum mail_status
publish_file (struct publish *publish, const char *folder, const char *name,
              const struct parsed_file *file, uint32_t text, bool *deferred_out)
{
    struct node *node = NULL;
    uint32_t folder_id;
    *deferred_out = false;
    enum mail_status status = publish_folder (publish, folder, &folder_id);
    if (status == MAIL_OK)
        status = drop_from_others (publish, folder_id, name, file->id);
    if (status == MAIL_OK)
        status = open_node (publish, file->id, &node);
    if (status != MAIL_OK)
        return status;
    if (!node->edit)
        return add_message (publish, node, folder_id, name, file, text);
    if (same_words (&node->edit->message->record, file))
        add_further_file (node->edit, folder_id, name, file);
    else
        *deferred_out = true;
    return waste_text (publish, text);
}

enum mail_status
publish_rebuilt (struct publish *publish, const char *id, uint32_t text,
                 const struct publish_name *files, size_t count)
{
    struct node *node = NULL;
    enum mail_status status = open_node (publish, id, &node);
    for (size_t i = 0; status == MAIL_OK && i < count; i++) {
        uint32_t folder;
        status = publish_folder (publish, files[i].folder, &folder);
        if (status == MAIL_OK)
            status = drop_from_others (publish, folder, files[i].name, id);
        if (status != MAIL_OK)
            return status;
        if (node->edit) {
            add_further_file (node->edit, folder, files[i].name, files[i].file);
            if (node->edit->message->record.file_count == 1)
                renew_headers (node->edit, files[i].file);
            continue;
        }
        /* the message has gone meanwhile: what was built is a new one */
        status = add_message (publish, node, folder, files[i].name, files[i].file, text);
        if (status == MAIL_OK)
            return MAIL_OK;
    }
    return status == MAIL_OK ? publish_set_text (publish, node->edit, text) : status;
}

/* ---- files are renamed, files go ---- */

enum mail_status
publish_move (struct publish *publish, uint32_t from_folder, const char *from_name,
              const char *folder, const char *name, const struct mail_stat *stat)
{
    struct edit *edit;
    size_t at;
    uint32_t folder_id;
    enum mail_status status = publish_folder (publish, folder, &folder_id);
    if (status == MAIL_OK)
        status = find_holder (publish, from_folder, from_name, stat->inode, &edit, &at);
    if (status != MAIL_OK || !edit)
        return status;
    struct record_file *file = &edit->message->record.files[at];
    file->folder = folder_id;
    file->name = talloc_strdup (edit->message, name);
    file->stat.inode = stat->inode;
    file->stat.size = stat->size;
    file->stat.mtime = stat->mtime;
    edit->record_changed = edit->files_changed = true;
    publish->counts.renamed++;
    return MAIL_OK;
}

enum mail_status
publish_drop (struct publish *publish, uint32_t folder, const char *name)
{
    struct edit *edit;
    size_t at;
    enum mail_status status = find_holder (publish, folder, name, 0, &edit, &at);
    if (status != MAIL_OK || !edit)
        return status;
    edit_drop_file (edit, at);
    if (edit->message->record.file_count > 0)
        publish->counts.renamed++;
    return MAIL_OK;
}
