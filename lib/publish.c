/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * publish.c - begin, commit, and the messages under change in between.
 *
 * At commit: threads are settled first (they need state as it was), then every changed message is
 * written, then the messages without a file are taken out and their threads looked after.
 */
#include "publish.h"
#include "first-import.h"
#include "publish-private.h"

#include <talloc.h>

static int
publish_destroy (struct publish *publish)
{
    g_ptr_array_unref (publish->edits);
    g_ptr_array_unref (publish->nodes);
    g_array_unref (publish->removals);
    g_array_unref (publish->heirs);
    g_hash_table_destroy (publish->by_docid);
    g_hash_table_destroy (publish->by_id);
    g_hash_table_destroy (publish->by_thread);
    return 0;
}

enum mail_status
publish_begin (void *ctx, struct mail_index *index, const struct mail_apply_options *options,
               struct publish **out)
{
    struct publish *publish = talloc_zero (ctx, struct publish);
    publish->options = options;
    publish->edits = g_ptr_array_new ();
    publish->nodes = g_ptr_array_new ();
    publish->removals = g_array_new (FALSE, FALSE, sizeof (struct removal));
    publish->heirs = g_array_new (FALSE, FALSE, sizeof (struct heir));
    publish->by_docid = g_hash_table_new (NULL, NULL);
    publish->by_id = g_hash_table_new (g_str_hash, g_str_equal);
    publish->by_thread = g_hash_table_new (g_int64_hash, g_int64_equal);
    talloc_set_destructor (publish, publish_destroy);
    enum mail_status status = writer_begin (publish, index, &publish->writer);
    if (status == MAIL_OK) {
        status = folders_read (publish, publish->writer->state, &publish->folders);
        if (status != MAIL_OK)
            writer_fail (publish->writer, status);
    }
    if (status != MAIL_OK) {
        talloc_free (publish);
        return status;
    }
    *out = publish;
    return MAIL_OK;
}

struct writer *
publish_writer (struct publish *publish)
{
    return publish->writer;
}

const struct mail_folders *
publish_folders (struct publish *publish)
{
    return publish->folders;
}

void
publish_keep_edit (struct publish *publish, struct edit *edit)
{
    g_ptr_array_add (publish->edits, edit);
    g_hash_table_insert (publish->by_docid, GUINT_TO_POINTER (edit->message->docid), edit);
}

enum mail_status
publish_edit (struct publish *publish, uint32_t docid, struct edit **edit_out)
{
    *edit_out = g_hash_table_lookup (publish->by_docid, GUINT_TO_POINTER (docid));
    if (*edit_out)
        return MAIL_OK;
    enum mail_status status = edit_open (publish, publish->writer, docid, edit_out);
    if (status == MAIL_OK && *edit_out)
        publish_keep_edit (publish, *edit_out);
    return status;
}

/* The message's document, and its text document if that is another one, become stale. */
static enum mail_status
remove_message (struct publish *publish, struct edit *edit)
{
    struct writer *writer = publish->writer;
    struct mail_message *message = edit->message;
    struct removal removal = {message->id, message->thread};
    enum mail_status status = publish->options->tombstone_days > 0
                                  ? publish_put_tombstone (publish, edit)
                                  : writer_put_stale (writer, message->docid);
    writer_count_stale (writer, message->record.text);
    if (status == MAIL_OK && message->record.text != message->docid)
        status = writer_put_stale (writer, message->record.text);
    writer->changed = true;
    publish->counts.removed++;
    g_array_append_val (publish->removals, removal);
    return status;
}

/* What the names of files say, now that all of them are known, and what the first import says. */
static void
settle_tags (struct publish *publish, struct edit *edit)
{
    bool unread = edit_has_tag (edit, FIRST_IMPORT_UNREAD);
    if (edit->files_changed && publish->options->maildir_flags && !edit->keep_tags)
        edit_tags_from_flags (edit, publish->folders);
    if (first_import_is_quiet (publish->options, edit, publish->folders))
        publish->counts.quiet += first_import_hush (edit, unread);
}

/* culprit_out: the message whose document was refused. */
static enum mail_status
write_messages (struct publish *publish, const char **culprit_out)
{
    enum mail_status status = MAIL_OK;
    for (size_t i = 0; status == MAIL_OK && i < publish->edits->len; i++) {
        struct edit *edit = g_ptr_array_index (publish->edits, i);
        if (edit->files_changed)
            edit_drop_doubles (edit);
        if (edit->message->record.file_count == 0) {
            status = remove_message (publish, edit);
            continue;
        }
        settle_tags (publish, edit);
        status = edit_save (publish->writer, edit, NULL);
        if (status == MAIL_ERROR_STORE)
            *culprit_out = edit->message->id;
    }
    return status;
}

static void
add_counts (struct mail_apply_counts *sum, const struct mail_apply_counts *more)
{
    sum->added += more->added;
    sum->renamed += more->renamed;
    sum->removed += more->removed;
    sum->quiet += more->quiet;
    sum->known += more->known;
}

enum mail_status
publish_commit (struct publish *publish, struct mail_apply_counts *counts_out, char **culprit_out)
{
    const char *culprit = NULL;
    publish_pass_on (publish);
    enum mail_status status = threads_settle (publish);
    if (status == MAIL_OK)
        status = write_messages (publish, &culprit);
    if (status == MAIL_OK)
        status = threads_after_removals (publish);
    if (status == MAIL_OK)
        status = writer_commit (publish->writer);
    if (status == MAIL_OK)
        add_counts (counts_out, &publish->counts);
    if (culprit_out)
        *culprit_out = culprit ? talloc_strdup (talloc_parent (publish), culprit) : NULL;
    talloc_free (publish);
    return status;
}
