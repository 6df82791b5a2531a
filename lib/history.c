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
#include "edits.h"
#include "first-import.h"
#include "journal.h"
#include "metadata.h"
#include "publish-private.h"
#include "schema.h"
#include "slice.h"
#include "snapshot.h"

#include <string.h>
#include <talloc.h>

#define AT_ONCE 20000 /* lines */
#define FLAGS_AT_ONCE 2000

struct history {
    struct mail_index *index;
    struct mail_edits *edits;
    GHashTable *seen;    /* ids */
    GHashTable *missing; /* id -> set of tags, of messages that are not there now */
    bool of_missing;     /* the second pass: they get their tags */
    enum mail_status status;
};

static void
free_set (gpointer set)
{
    g_hash_table_destroy (set);
}

static void
note_missing (void *closure, const char *id)
{
    struct history *history = closure;
    if (!g_hash_table_contains (history->missing, id))
        g_hash_table_insert (history->missing, g_strdup (id),
                             g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL));
}

static enum mail_status
do_edits (struct history *history)
{
    return mail_edits_apply (history->edits, note_missing, history, NULL);
}

static void
do_missing (struct history *history, const struct batch_line *line)
{
    GHashTable *tags = g_hash_table_lookup (history->missing, line->id);
    for (size_t i = 0; tags && i < line->tag_count; i++) {
        if (line->tags[i].add)
            g_hash_table_add (tags, g_strdup (line->tags[i].tag));
        else
            g_hash_table_remove (tags, line->tags[i].tag);
    }
}

static enum mail_status
do_line (void *closure, const char *text)
{
    struct history *history = closure;
    struct batch_line line;
    void *local = talloc_new (NULL);
    struct mail_setting setting;
    enum mail_status status = MAIL_OK;
    if (batch_parse_setting (talloc_strdup (local, text), &setting)) {
        if (!history->of_missing)
            status = mail_index_set_settings (history->index, &setting, 1);
    } else if (history->of_missing && batch_parse (local, text, &line)) {
        do_missing (history, &line);
    } else if (!history->of_missing && batch_parse (local, text, &line)) {
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
    enum mail_status status = MAIL_ERROR_CORRUPT;
    while (last > paths && (status = snapshot_check (last[-1])) == MAIL_ERROR_CORRUPT)
        last--;
    if (last == paths)
        return MAIL_OK;
    if (status == MAIL_OK) /* an older one would bring back older tags */
        return snapshot_read (last[-1], do_line, history);
    return index_fail (history->index, status, "cannot read '%s'", last[-1]);
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

/* ---- what else belongs to it ---- */

/* Of a message whose file is away now (a folder that is not mounted, mail that is fetched again) a
 * tombstone keeps the tags. */
static enum mail_status
bury_missing (void *ctx, struct history *history)
{
    struct mail_apply_options options = {0};
    struct publish *publish;
    GHashTableIter iter, tags;
    gpointer id, set, tag;
    if (g_hash_table_size (history->missing) == 0)
        return MAIL_OK;
    enum mail_status status = publish_begin (ctx, history->index, &options, &publish);
    if (status != MAIL_OK)
        return status;
    struct writer *writer = publish_writer (publish);
    g_hash_table_iter_init (&iter, history->missing);
    while (status == MAIL_OK && g_hash_table_iter_next (&iter, &id, &set)) {
        struct edit *edit = edit_create (publish, writer, writer_new_docid (writer), id);
        g_hash_table_iter_init (&tags, set);
        while (g_hash_table_iter_next (&tags, &tag, NULL))
            edit_add_tag (edit, tag);
        edit->message->thread = writer_new_thread (writer);
        status = publish_put_tombstone (publish, edit);
        talloc_free (edit);
    }
    struct mail_apply_counts counts;
    if (status == MAIL_OK)
        return publish_commit (publish, &counts, NULL);
    talloc_free (publish);
    return status;
}

/* Names of files are newer than the last line about a message, where they follow each other. Only
 * unread does not come from them to a message that is known as read: it can be one that the first
 * import was quiet about, whose name says nothing. */
static void
take_flags_of (const struct history *history, struct edit *edit)
{
    bool read = g_hash_table_contains (history->seen, edit->message->id) &&
                !edit_has_tag (edit, FIRST_IMPORT_UNREAD);
    if (index_folders (history->index))
        edit_tags_from_flags (edit, index_folders (history->index));
    if (read)
        edit_remove_tag (edit, FIRST_IMPORT_UNREAD);
}

static enum mail_status
take_flags (void *ctx, const struct history *history)
{
    struct mail_index *index = history->index;
    struct idset ids = {NULL, 0};
    enum mail_status status = index_list_mail (ctx, index, &ids);
    for (size_t from = 0; status == MAIL_OK && from < ids.count; from += FLAGS_AT_ONCE) {
        struct slice *slice;
        uint64_t written;
        status = slice_begin (ctx, index, &slice);
        if (status != MAIL_OK)
            break;
        for (size_t i = from; status == MAIL_OK && i < ids.count && i < from + FLAGS_AT_ONCE; i++) {
            struct edit *edit;
            status = slice_edit (slice, ids.ids[i], &edit);
            if (status == MAIL_OK && edit)
                take_flags_of (history, edit);
        }
        if (status == MAIL_OK)
            status = slice_commit (slice, &written);
        else
            slice_cancel (slice);
    }
    return status;
}

bool
mail_repair_is_open (struct mail_index *index)
{
    return mark_is_set (index, META_RESTORING);
}

/* All lines, in order. */
static enum mail_status
follow (void *ctx, struct history *history)
{
    enum mail_status status = do_snapshot (ctx, history);
    return status == MAIL_OK ? do_journals (ctx, history) : status;
}

enum mail_status
mail_repair_tags (struct mail_index *index, bool flags)
{
    void *local = talloc_new (index);
    struct history history = {.index = index, .edits = mail_edits_create (local, index)};
    history.seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    history.missing = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_set);
    index->repairing = true;
    enum mail_status status = follow (local, &history);
    if (status == MAIL_OK)
        status = do_edits (&history);
    history.of_missing = true;
    if (status == MAIL_OK && g_hash_table_size (history.missing) > 0)
        status = follow (local, &history);
    if (status == MAIL_OK)
        status = bury_missing (local, &history);
    if (status == MAIL_OK && flags)
        status = take_flags (local, &history);
    if (status == MAIL_OK)
        status = mark_end (index, META_RESTORING);
    index->repairing = false;
    g_hash_table_destroy (history.seen);
    g_hash_table_destroy (history.missing);
    talloc_free (local);
    return status;
}
