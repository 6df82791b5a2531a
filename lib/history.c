/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * history.c - tags and properties as snapshot and journals have them, given to an index that has
 * been made anew.
 *
 * The first line about a message takes away what the index gave it (it cannot know better); then
 * everything is done in the order in which it was done before. The journal that the new index
 * writes is not part of it.
 */
#include "batch.h"
#include "journal.h"
#include "schema.h"
#include "snapshot.h"

#include <string.h>
#include <talloc.h>

#define AT_ONCE 20000 /* lines */

struct history {
    struct mail_index *index;
    struct mail_edits *edits;
    GHashTable *seen; /* ids */
    enum mail_status status;
};

static enum mail_status
do_edits (struct history *history)
{
    return mail_edits_apply (history->edits, NULL, NULL, NULL);
}

static enum mail_status
do_line (void *closure, const char *text)
{
    struct history *history = closure;
    struct batch_line line;
    void *local = talloc_new (NULL);
    enum mail_status status = MAIL_OK;
    if (batch_parse (local, text, &line)) {
        struct mail_edit edit = {
            .tags = line.tags,
            .tag_count = line.tag_count,
            .remove_properties = line.is_properties,
            .properties = line.properties,
            .property_count = line.property_count,
        };
        edit.remove_tags = g_hash_table_add (history->seen, g_strdup (line.id));
        status = mail_edits_add (history->edits, line.id, &edit);
    }
    if (status == MAIL_ERROR_ARGUMENT) /* what could be written once, and may not be now */
        status = MAIL_OK;
    if (status == MAIL_OK && mail_edits_count (history->edits) >= AT_ONCE)
        status = do_edits (history);
    talloc_free (local);
    return status;
}

static bool
do_block (void *closure, const struct journal_block *block)
{
    struct history *history = closure;
    for (size_t i = 0; history->status == MAIL_OK && i < block->line_count; i++)
        history->status = do_line (history, block->lines[i]);
    return history->status == MAIL_OK;
}

/* The newest snapshot that is whole. */
static enum mail_status
do_snapshot (void *ctx, struct history *history)
{
    char **paths = snapshot_files (ctx, history->index->folder), **last = paths;
    while (*last)
        last++;
    while (last > paths && !snapshot_is_whole (last[-1]))
        last--;
    return last > paths ? snapshot_read (last[-1], do_line, history) : MAIL_OK;
}

static enum mail_status
do_journals (void *ctx, struct history *history)
{
    enum mail_status status = MAIL_OK;
    for (char **path = journal_files (ctx, history->index->folder); path[1]; path++) {
        status = journal_read (*path, UINT64_MAX, do_block, history, NULL);
        if (status != MAIL_OK || history->status != MAIL_OK)
            break;
    }
    return status == MAIL_OK ? history->status : status;
}

/* Takes the mark away that says that there is something to restore. */
static enum mail_status
finish (void *ctx, struct mail_index *index)
{
    struct writer *writer;
    enum mail_status status = writer_begin (ctx, index, &writer);
    if (status != MAIL_OK)
        return status;
    status = store_set_metadata (writer->state, META_RESTORING, "", 0);
    if (status == MAIL_OK)
        return writer_commit (writer);
    writer_fail (writer, status);
    talloc_free (writer);
    return status;
}

bool
mail_repair_is_open (struct mail_index *index)
{
    char *text = NULL;
    enum mail_status status = store_metadata (index, index->state, META_RESTORING, &text, NULL);
    bool open = status == MAIL_OK && *text;
    talloc_free (text);
    return open;
}

enum mail_status
mail_repair_tags (struct mail_index *index)
{
    void *local = talloc_new (index);
    struct history history = {.index = index, .edits = mail_edits_create (local, index)};
    history.seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    enum mail_status status = do_snapshot (local, &history);
    if (status == MAIL_OK)
        status = do_journals (local, &history);
    if (status == MAIL_OK)
        status = do_edits (&history);
    if (status == MAIL_OK)
        status = finish (local, index);
    g_hash_table_destroy (history.seen);
    talloc_free (local);
    return status;
}
