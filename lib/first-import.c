/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * first-import.c - mail that lies there already when an index is made.
 *
 * Ten years of mail are no news: without this, all of it would be in the inbox. The mark that the
 * import goes on is set in the commit that makes the index and taken away by whoever knows that all
 * mail has been looked at, so a run that is killed, or two at once, need no thought.
 *
 * Whether a message is quiet is decided when a transaction writes it, and not file by file: a
 * message can have several, of which any may be seen.
 */
#include "first-import.h"
#include "schema.h"
#include "snapshot.h"

#include <talloc.h>

bool
mail_index_first_import (struct mail_index *index)
{
    char *text = NULL;
    unsigned attempt = 0;
    enum mail_status status;
    do
        status = store_metadata (index, index->state, META_FIRST_IMPORT, &text, NULL);
    while (status != MAIL_OK && index_overtaken (index, status, &attempt) == MAIL_OK);
    bool open = status == MAIL_OK && *text;
    talloc_free (text);
    return open;
}

enum mail_status
mail_index_end_first_import (struct mail_index *index)
{
    struct writer *writer;
    enum mail_status status = writer_begin (index, index, &writer);
    if (status != MAIL_OK)
        return status;
    status = store_set_metadata (writer->state, META_FIRST_IMPORT, "", 0);
    if (status == MAIL_OK)
        return writer_commit (writer);
    writer_fail (writer, status);
    talloc_free (writer);
    return status;
}

bool
first_import_was_done (const char *folder)
{
    char **snapshots = snapshot_files (NULL, folder);
    bool any = snapshots[0] != NULL;
    talloc_free (snapshots);
    return any;
}

bool
first_import_is_quiet (const struct mail_apply_options *options, struct edit *edit,
                       const struct mail_folders *folders)
{
    int64_t date = edit->message->record.date;
    if (options->quiet_before == 0)
        return false;
    return (date != 0 && date < options->quiet_before) || edit_is_seen (edit, folders);
}

bool
first_import_hush (struct edit *edit, bool was_unread)
{
    if (!edit->first_tags) {
        if (!was_unread)
            edit_remove_tag (edit, FIRST_IMPORT_UNREAD);
        return false;
    }
    bool unread = edit_remove_tag (edit, FIRST_IMPORT_UNREAD);
    return edit_remove_tag (edit, FIRST_IMPORT_INBOX) || unread;
}
