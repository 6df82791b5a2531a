/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * publish-files.c - files come: what that means for their messages.
 */
#include "edits.h"
#include "properties.h"
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

enum mail_status
publish_waste_text (struct publish *publish, uint32_t text)
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
        status = publish_waste_text (publish, old);
    }
    message->record.text = text;
    edit->record_changed = true;
    return status == MAIL_OK ? put_alias (publish->writer, text, message->docid) : status;
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
        bool same = strcmp (value, message->record.fields[i]) == 0;
        named.differs[i] = same ? NULL : talloc_strdup (message, value);
    }
    return named;
}

static bool
is_heir (const struct publish *publish, const struct node *node)
{
    for (guint i = publish->heirs->len; i > 0; i--)
        if (g_array_index (publish->heirs, struct heir, i - 1).node == node)
            return true;
    return false;
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

static enum mail_status
add_message (struct publish *publish, struct node *node, uint32_t folder, const char *name,
             const struct parsed_file *file, uint32_t text, bool *again_out)
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
    content_forget_findings (edit);
    content_note_findings (edit, file);
    content_tag_new (publish, edit, file, was_gone || is_heir (publish, node));
    *again_out = (was_gone || edit->keep_tags) && content_is_shut (publish, edit, file);
    if (was_gone)
        publish->counts.renamed++;
    else
        publish->counts.added++;
    return threads_link (publish, node, &file->record);
}

/* Whether one of the message's files, or with all set each of them, has these words; those count
 * too that it had when this transaction began. */
static bool
same_words (const struct edit *edit, const struct parsed_file *file, bool all)
{
    const struct record *record = &edit->message->record;
    const unsigned char *digest = file->record.files[0].digest;
    size_t same = 0, count = record->file_count + edit->dropped_count;
    for (size_t i = 0; i < record->file_count; i++)
        same += memcmp (record->files[i].digest, digest, DIGEST_SIZE) == 0;
    for (size_t i = 0; i < edit->dropped_count; i++)
        same += memcmp (edit->dropped[i], digest, DIGEST_SIZE) == 0;
    return all ? same == count : same > 0;
}

/* Headers, date and size are those of the only file, as it is now. */
static void
renew_headers (struct mail_message *message, const struct parsed_file *file)
{
    struct record kept = message->record;
    copy_record (message, &file->record);
    message->record.text = kept.text;
    message->record.files = kept.files;
    message->record.file_count = kept.file_count;
}

/* Whether the message has no file but (perhaps) this one. */
static bool
is_alone (const struct edit *edit, uint32_t folder, const char *name)
{
    const struct record *record = &edit->message->record;
    return record->file_count == 0 ||
           (record->file_count == 1 && record_find_file (record, folder, name) == 0);
}

/* Puts a file into the record of a message, or takes note that it is another one now. */
static void
add_further_file (struct publish *publish, struct edit *edit, uint32_t folder, const char *name,
                  const struct parsed_file *file)
{
    struct record *record = &edit->message->record;
    struct mail_edits *known_of = publish->options->known;
    edit->keep_tags |= known_of && edits_know (known_of, edit->message->id);
    if (is_alone (edit, folder, name)) {
        renew_headers (edit->message, file);
        content_forget_findings (edit);
    }
    content_note_findings (edit, file);
    struct record_file named = name_file (edit, folder, name, file);
    long known = record_find_file (record, folder, name);
    if (known < 0)
        edit_add_file (edit, &named);
    else
        record->files[known] = named;
    edit->record_changed = true;
}

struct dropping {
    struct publish *publish;
    struct node *node;
    bool changed; /* the file under that name, and not another one put in its place */
};

/* Whether the message has this very file already, under whatever name: then it has been moved to
 * where another one was. */
static bool
is_moved (const struct edit *edit, const struct mail_stat *stat)
{
    const struct record *record = &edit->message->record;
    bool moved = false;
    for (size_t i = 0; i < record->file_count; i++) {
        const struct mail_stat *known = &record->files[i].stat;
        moved |=
            known->inode == stat->inode && known->size == stat->size && known->mtime == stat->mtime;
    }
    return moved;
}

static bool
drop_if_other (void *closure, struct edit *edit, size_t at)
{
    struct dropping *dropping = closure;
    struct heir heir = {edit, dropping->node};
    if (strcmp (edit->message->id, dropping->node->id) == 0)
        return true;
    edit_drop_file (edit, at);
    if (dropping->changed)
        g_array_append_val (dropping->publish->heirs, heir);
    return true;
}

/* Files that this name stood for until now, of other messages, are gone. Where the message is not
 * known with what the file says, the mail was changed in place. */
static enum mail_status
drop_from_others (struct publish *publish, uint32_t folder, const char *name, struct node *node,
                  const struct parsed_file *file)
{
    bool known =
        node->edit && (is_moved (node->edit, &file->stat) || same_words (node->edit, file, false));
    struct dropping dropping = {publish, node, publish->options->reindex && !known};
    return publish_each_holder (publish, folder, name, drop_if_other, &dropping);
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

/* A file of a message that is known: its words are known too, or it has them to itself, or they
 * have to be made anew of all files. */
static enum mail_status
further_file (struct publish *publish, struct node *node, uint32_t folder, const char *name,
              const struct parsed_file *file, uint32_t text, bool *deferred_out)
{
    struct edit *edit = node->edit;
    bool reindex = publish->options->reindex, alone = is_alone (edit, folder, name);
    bool known = !reindex && same_words (edit, file, alone);
    *deferred_out = !known && !alone;
    if (*deferred_out)
        return publish_waste_text (publish, text);
    if (reindex)
        content_forget (publish, edit);
    add_further_file (publish, edit, folder, name, file);
    if (reindex)
        content_add_tags (edit, file);
    enum mail_status status = threads_link (publish, node, &file->record);
    if (status != MAIL_OK)
        return status;
    return known ? publish_waste_text (publish, text) : publish_set_text (publish, edit, text);
}

/* The file was another message's, and until what is deferred is done it is nobody's: if the run
 * ends there, the next scan finds it, for it lists the folder. */
static enum mail_status
look_again (struct publish *publish, uint32_t id, const char *path)
{
    const struct mail_folder *folder = mail_folders_by_id (publish->folders, id);
    struct mail_stat stat = folder ? folder->stat : (struct mail_stat){0};
    stat.mtime = stat.ctime = 0;
    return publish_folder_stat (publish, path, &stat);
}

enum mail_status
publish_file (struct publish *publish, const char *folder, const char *name,
              const struct parsed_file *file, uint32_t text, bool *deferred_out)
{
    struct node *node = NULL;
    uint32_t folder_id;
    guint heirs = publish->heirs->len;
    *deferred_out = false;
    enum mail_status status = publish_folder (publish, folder, &folder_id);
    if (status == MAIL_OK)
        status = open_node (publish, file->id, &node);
    if (status == MAIL_OK)
        status = drop_from_others (publish, folder_id, name, node, file);
    if (status != MAIL_OK)
        return status;
    if (!node->edit)
        return add_message (publish, node, folder_id, name, file, text, deferred_out);
    status = further_file (publish, node, folder_id, name, file, text, deferred_out);
    if (status == MAIL_OK && *deferred_out && publish->heirs->len > heirs)
        status = look_again (publish, folder_id, folder);
    return status;
}

static enum mail_status
rebuilt_file (struct publish *publish, struct node *node, const struct publish_name *name,
              uint32_t text)
{
    uint32_t folder;
    bool again; /* of what has just been read with all that there is: no */
    enum mail_status status = publish_folder (publish, name->folder, &folder);
    if (status == MAIL_OK)
        status = drop_from_others (publish, folder, name->name, node, name->file);
    if (status != MAIL_OK)
        return status;
    if (!node->edit) /* the message has gone meanwhile: what was built is a new one */
        return add_message (publish, node, folder, name->name, name->file, text, &again);
    add_further_file (publish, node->edit, folder, name->name, name->file);
    return threads_link (publish, node, &name->file->record);
}

static const struct publish_name *
first_by_name (const struct publish_name *files, size_t count)
{
    const struct publish_name *first = files;
    for (size_t i = 1; i < count; i++) {
        int order = strcmp (files[i].folder, first->folder);
        if (order < 0 || (order == 0 && strcmp (files[i].name, first->name) < 0))
            first = &files[i];
    }
    return first;
}

enum mail_status
publish_rebuilt (struct publish *publish, const struct publish_words *words, bool *done_out)
{
    struct node *node = NULL;
    bool reindex = publish->options->reindex;
    enum mail_status status = open_node (publish, words->id, &node);
    if (status != MAIL_OK)
        return status;
    *done_out = !node->edit || node->edit->message->record.text == words->before;
    if (!*done_out)
        return publish_waste_text (publish, words->text);
    if (node->edit && reindex)
        renew_headers (node->edit->message, first_by_name (words->files, words->count)->file);
    for (size_t i = 0; status == MAIL_OK && i < words->count; i++)
        status = rebuilt_file (publish, node, &words->files[i], words->text);
    if (status != MAIL_OK)
        return status;
    content_renew (publish, node->edit, words);
    if (node->edit->message->docid == words->text)
        return MAIL_OK;
    return publish_set_text (publish, node->edit, words->text);
}
