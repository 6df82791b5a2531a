/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * publish-files.c - files come, go and are renamed: what that means for their messages.
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

/* ---- who has a name ---- */

/* Calls back with each message that has this file, and the file's place in its record. That is one
 * message, but where a name is passed on in this run, and after a run that was stopped. Return
 * false to stop. A remembered problem of the name is forgotten: whoever asks changes what it stood
 * for. */
typedef bool (*holder_fn) (void *closure, struct edit *edit, size_t at);

/* Within one record a name can stand twice: while two files of a message exchange theirs. */
static bool
each_file (struct edit *edit, uint32_t folder, const char *name, holder_fn each, void *closure)
{
    const struct record *record = &edit->message->record;
    bool more = true;
    for (size_t at = 0; more && at < record->file_count;) {
        size_t before = record->file_count;
        if (record->files[at].folder == folder && strcmp (record->files[at].name, name) == 0)
            more = each (closure, edit, at);
        at += record->file_count == before; /* else the file has gone, and the next is here */
    }
    return more;
}

static enum mail_status
each_holder (struct publish *publish, uint32_t folder, const char *name, holder_fn each,
             void *closure)
{
    void *local = talloc_new (publish);
    struct store_term term = term_file (local, folder, name);
    struct idset ids = {NULL, 0};
    enum mail_status status = store_postings (local, publish->writer->state, term, &ids);
    if (status != MAIL_OK)
        writer_fail (publish->writer, status);
    bool more = true;
    for (size_t i = 0; status == MAIL_OK && more && i < ids.count; i++) {
        struct edit *edit;
        status = publish_edit (publish, ids.ids[i], &edit);
        if (status == MAIL_OK && !edit)
            status = publish_forget_problem (publish, ids.ids[i]);
        if (status != MAIL_OK || !edit)
            continue;
        more = each_file (edit, folder, name, each, closure);
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
        bool same = strcmp (value, message->record.fields[i]) == 0;
        named.differs[i] = same ? NULL : talloc_strdup (message, value);
    }
    return named;
}

/* What was found while reading a file: that not all of it is indexed, how decrypting it went. */
static void
note_findings (struct edit *edit, const struct parsed_file *file)
{
    const struct mail_property property = {PROPERTY_LIMIT, file->limit};
    if (file->limit)
        edit_add_property (edit, &property);
    for (size_t i = 0; i < file->property_count; i++)
        edit_add_property (edit, &file->properties[i]);
}

/* All of that is to be found anew; but keys are kept. */
static void
forget_findings (struct edit *edit)
{
    edit_remove_properties (edit, PROPERTY_LIMIT);
    edit_remove_properties (edit, PROPERTY_DECRYPTION);
    edit_remove_properties (edit, PROPERTY_REPAIRED);
}

static void
add_content_tags (struct edit *edit, const struct parsed_file *file)
{
    for (size_t i = 0; i < file->tag_count; i++)
        edit_add_tag (edit, file->tags[i]);
}

/* Another index had the message, and its tags are what they were there. */
static bool
take_over (struct publish *publish, struct edit *edit)
{
    struct mail_edits *known = publish->options->known;
    edit->keep_tags = known && edits_know (known, edit->message->id);
    if (edit->keep_tags) {
        edits_alter (known, edit);
        publish->counts.known++;
    }
    return edit->keep_tags;
}

void
publish_new_tags (struct publish *publish, struct edit *edit)
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

/* known: it has its tags already, from before it went, or gets those of another message. */
static void
tag_new_message (struct publish *publish, struct edit *edit, const struct parsed_file *file,
                 bool known)
{
    const struct mail_apply_options *options = publish->options;
    add_content_tags (edit, file);
    if (!known && take_over (publish, edit))
        return;
    if (options->maildir_flags)
        edit_tags_from_flags (edit, publish->folders);
    edit->files_changed = false;
    if (!known)
        publish_new_tags (publish, edit);
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

/* Whether the message has a session key from before, without which the file has just been read. */
static bool
is_shut (const struct publish *publish, const struct edit *edit, const struct parsed_file *file)
{
    void *local = talloc_new (NULL);
    bool has_key = *message_session_keys (local, edit->message) != NULL;
    for (size_t i = 0; i < file->property_count; i++)
        has_key &= strcmp (file->properties[i].value, "success") != 0;
    talloc_free (local);
    return has_key && publish->options->decrypt != MAIL_DECRYPT_FALSE;
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
    *again_out = was_gone && is_shut (publish, edit, file);
    forget_findings (edit);
    note_findings (edit, file);
    edit->untagged = !was_gone && is_heir (publish, node);
    tag_new_message (publish, edit, file, was_gone || edit->untagged);
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
        forget_findings (edit);
    }
    note_findings (edit, file);
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
};

static bool
drop_if_other (void *closure, struct edit *edit, size_t at)
{
    struct dropping *dropping = closure;
    struct heir heir = {edit, dropping->node};
    if (strcmp (edit->message->id, dropping->node->id) == 0)
        return true;
    edit_drop_file (edit, at);
    if (dropping->publish->options->reindex)
        g_array_append_val (dropping->publish->heirs, heir);
    return true;
}

/* Files that this name stood for until now, of other messages, are gone. */
static enum mail_status
drop_from_others (struct publish *publish, uint32_t folder, const char *name, struct node *node)
{
    struct dropping dropping = {publish, node};
    return each_holder (publish, folder, name, drop_if_other, &dropping);
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

/* What follows from the content of the files, and is to be found in it anew. */
static void
forget_content (const struct publish *publish, struct edit *edit)
{
    if (publish->options->decrypt == MAIL_DECRYPT_FALSE)
        edit_remove_properties (edit, PROPERTY_SESSION_KEY);
    edit_remove_tag (edit, "attachment");
    edit_remove_tag (edit, "encrypted");
    edit_remove_tag (edit, "signed");
    edit_remove_properties (edit, "index.");
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
        forget_content (publish, edit);
    add_further_file (publish, edit, folder, name, file);
    if (reindex)
        add_content_tags (edit, file);
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
        status = drop_from_others (publish, folder_id, name, node);
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
        status = drop_from_others (publish, folder, name->name, node);
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

/* What the content of all files says, not only of the new ones: these are as many as came
 * together. What could not be read may have said what the message has. */
static void
renew_content (const struct publish *publish, struct edit *edit, const struct publish_words *words)
{
    bool reindex = publish->options->reindex;
    if (!words->part)
        forget_findings (edit);
    if (reindex && !words->part)
        forget_content (publish, edit);
    for (size_t i = 0; i < words->count + words->read_count; i++) {
        const struct parsed_file *file =
            i < words->count ? words->files[i].file : &words->read[i - words->count];
        note_findings (edit, file);
        if (reindex)
            add_content_tags (edit, file);
    }
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
    renew_content (publish, node->edit, words);
    if (node->edit->message->docid == words->text)
        return MAIL_OK;
    return publish_set_text (publish, node->edit, words->text);
}

/* ---- files are renamed, files go ---- */

/* Which of the files of a name is meant, and who has it. */
struct wanted {
    uint64_t inode; /* 0: any */
    struct edit *edit;
    size_t at;
};

static bool
note_wanted (void *closure, struct edit *edit, size_t at)
{
    struct wanted *wanted = closure;
    uint64_t inode = edit->message->record.files[at].stat.inode;
    if (wanted->inode && wanted->inode != inode)
        return true;
    wanted->edit = edit;
    wanted->at = at;
    return false;
}

static void
rename_file (struct edit *edit, size_t at, uint32_t folder, const char *name,
             const struct mail_stat *stat)
{
    struct record *record = &edit->message->record;
    struct record_file renamed = record->files[at];
    renamed.folder = folder;
    renamed.name = talloc_strdup (edit->message, name);
    renamed.stat.inode = stat->inode;
    renamed.stat.size = stat->size;
    renamed.stat.mtime = stat->mtime;
    /* to the end: if another file of the message has the name and does not give it up in this
     * transaction, edit_drop_doubles() leaves the one that came last */
    record_drop_file (record, at);
    edit_add_file (edit, &renamed);
}

enum mail_status
publish_move (struct publish *publish, uint32_t from_folder, const char *from_name,
              const char *folder, const char *name, const struct mail_stat *stat, bool *done_out)
{
    uint32_t folder_id;
    struct wanted from = {.inode = stat->inode}, to = from;
    enum mail_status status = publish_folder (publish, folder, &folder_id);
    if (status == MAIL_OK)
        status = each_holder (publish, from_folder, from_name, note_wanted, &from);
    if (status == MAIL_OK && !from.edit)
        status = each_holder (publish, folder_id, name, note_wanted, &to);
    *done_out = from.edit || to.edit;
    if (status == MAIL_OK && from.edit) {
        bool has_words = record_file_has_words (&from.edit->message->record.files[from.at]);
        rename_file (from.edit, from.at, folder_id, name, stat);
        publish->counts.renamed++;
        if (!has_words) /* it has still to be read */
            status = publish_problem (publish, folder, name, MAIL_REASON_UNREADABLE, stat, false);
    }
    return status;
}

static bool
forget_words (void *closure, struct edit *edit, size_t at)
{
    (void) closure;
    memset (edit->message->record.files[at].digest, 0, DIGEST_SIZE);
    edit->record_changed = true;
    return true;
}

enum mail_status
publish_lose_words (struct publish *publish, const char *folder, const char *name)
{
    uint32_t folder_id;
    const struct mail_stat unknown = {0};
    enum mail_status status = publish_folder (publish, folder, &folder_id);
    if (status == MAIL_OK)
        status = each_holder (publish, folder_id, name, forget_words, NULL);
    return status == MAIL_OK
               ? publish_problem (publish, folder, name, MAIL_REASON_UNREADABLE, &unknown, false)
               : status;
}

static bool
drop_from (void *closure, struct edit *edit, size_t at)
{
    struct publish *publish = closure;
    edit_drop_file (edit, at);
    publish->counts.renamed += edit->message->record.file_count > 0;
    return true;
}

enum mail_status
publish_drop (struct publish *publish, uint32_t folder, const char *name)
{
    return each_holder (publish, folder, name, drop_from, publish);
}
