/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * publish-moves.c - files are renamed, files go; and who has a name.
 */
#include "publish-private.h"
#include "schema.h"
#include "term.h"

#include <string.h>
#include <talloc.h>

/* ---- who has a name ---- */

/* Within one record a name can stand twice: while two files of a message exchange theirs. */
static bool
each_file (struct edit *edit, uint32_t folder, const char *name, publish_holder_fn each,
           void *closure)
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

enum mail_status
publish_each_holder (struct publish *publish, uint32_t folder, const char *name,
                     publish_holder_fn each, void *closure)
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
        status = publish_each_holder (publish, from_folder, from_name, note_wanted, &from);
    if (status == MAIL_OK && !from.edit)
        status = publish_each_holder (publish, folder_id, name, note_wanted, &to);
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
        status = publish_each_holder (publish, folder_id, name, forget_words, NULL);
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
    return publish_each_holder (publish, folder, name, drop_from, publish);
}
