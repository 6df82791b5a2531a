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
#include "metadata.h"
#include "schema.h"
#include "snapshot.h"

#include <talloc.h>

bool
mail_index_first_import (struct mail_index *index)
{
    return mark_is_set (index, META_FIRST_IMPORT);
}

enum mail_status
mail_index_end_first_import (struct mail_index *index)
{
    return mark_end (index, META_FIRST_IMPORT);
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
