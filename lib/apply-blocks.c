/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * apply-blocks.c - a block of files to add: its ids, its segment, and its one commit.
 */
#include "apply-lanes.h"

#include <string.h>
#include <talloc.h>

#define KEEP_BUSY_EVERY 32 /* files published: less than workers have read meanwhile */

/* ---- a block's ids and segment ---- */

enum mail_status
apply_reserve (struct apply *apply, void *ctx, uint32_t count, struct block *block)
{
    enum mail_status status =
        writer_reserve (apply->index, ctx, apply->scratch, count, &block->ids);
    if (status != MAIL_OK)
        return status;
    block->first = block->used = block->ids->first;
    return MAIL_OK;
}

enum mail_status
apply_begin_segment (struct apply *apply, void *ctx, unsigned worker, struct block *block)
{
    char *folder, *name = talloc_asprintf (ctx, "%u", apply->segments++);
    enum mail_status status = scratch_subfolder (ctx, apply->scratch, name, &folder);
    if (status != MAIL_OK)
        return index_fail (apply->index, status, "cannot write in '%s': %s", apply->scratch->path,
                           mail_status_text (status));
    block->path = talloc_asprintf (ctx, "%s.segment", folder);
    block->made = false;
    crew_begin (apply->crew, worker, folder);
    return MAIL_OK;
}

void
apply_end_segment (struct apply *apply, unsigned worker, const struct block *block)
{
    crew_end (apply->crew, worker, block->path, block->first, block->used);
}

void
apply_take_segment (struct block *block, const struct crew_event *event)
{
    block->segment = event->segment;
    block->segment.first = block->first;
    block->segment.last = block->used;
    block->made = event->made;
}

enum mail_status
apply_begin_publish (struct apply *apply, const struct block *block, struct publish **publish_out)
{
    struct publish *publish;
    enum mail_status status = apply_begin (apply, &publish);
    if (status != MAIL_OK)
        return status;
    struct writer *writer = publish_writer (publish);
    writer_use_reserved (writer, block->ids, block->used);
    if (block->made)
        status = writer_add_segment (writer, block->path, &block->segment);
    if (status != MAIL_OK)
        return apply_end (apply, publish, status, NULL);
    *publish_out = publish;
    return MAIL_OK;
}

void
apply_note_parsed (struct apply *apply, const char *path, const struct parsed_file *file)
{
    struct mail_apply_counts *counts = apply->counts;
    counts->processed++;
    if (file->status == MAIL_OK && !file->limit)
        return;
    if (file->status == MAIL_OK)
        counts->in_part++;
    else if (file->status == MAIL_ERROR_NOT_MAIL)
        counts->not_mail++;
    else if (file->vanished)
        counts->vanished++;
    else
        counts->failed++;
    apply_tell_problem (apply, path, file->status,
                        file->status == MAIL_OK ? file->limit : file->problem);
}

void
apply_note_lost (struct apply *apply, const char *path)
{
    apply->counts->failed++;
    apply_tell_problem (apply, path, MAIL_ERROR_IO,
                        "it cannot be read, and is not found by its words until it can");
}

struct parsed_file
apply_worker_died (const struct mail_stat *stat)
{
    return (struct parsed_file){
        .status = MAIL_ERROR_WORKER, .problem = "the process that read it died", .stat = *stat};
}

/* ---- publishing ---- */

static void
defer (struct apply *apply, size_t add, const struct parsed_file *file)
{
    struct deferred deferred = {.add = add, .file = parsed_file_copy (apply->deferred_ctx, file)};
    deferred.id = deferred.file.id;
    g_array_append_val (apply->deferred, deferred);
}

static enum mail_reason
reason_of (const struct parsed_file *file)
{
    switch (file->status) {
    case MAIL_ERROR_NOT_MAIL:
        return file->stat.size == 0 ? MAIL_REASON_EMPTY : MAIL_REASON_NOT_MAIL;
    case MAIL_ERROR_WORKER:
        return MAIL_REASON_WORKER_DIED;
    case MAIL_ERROR_STORE:
        return MAIL_REASON_REFUSED;
    default:
        return MAIL_REASON_UNREADABLE;
    }
}

static enum mail_status
publish_added (struct apply *apply, struct publish *publish, struct lane *lane, size_t at)
{
    struct change_add *add = apply_add_at (apply, at);
    struct change_folder *folder = changes_folder_at (apply->changes, add->folder);
    struct parsed_file *file = &lane->files[at - lane->from];
    uint32_t text = lane->block.first + (uint32_t) (at - lane->from);
    bool deferred = false;
    enum mail_status status = apply_doubt_path (apply, publish, folder->path);
    if (status != MAIL_OK)
        return status;
    if (file->status == MAIL_OK)
        status = publish_file (publish, folder->path, add->name, file, text, &deferred);
    else if (file->status == MAIL_ERROR_IO && file->vanished)
        folder->failed = true;
    else if (file->status == MAIL_ERROR_IO) /* what was read of it before stays */
        status = publish_problem (publish, folder->path, add->name, MAIL_REASON_UNREADABLE,
                                  &add->stat, false);
    else /* so does what is there of a message that cannot be changed */
        status = publish_problem (publish, folder->path, add->name, reason_of (file), &file->stat,
                                  file->status != MAIL_ERROR_STORE);
    if (status == MAIL_OK && file->status == MAIL_ERROR_STORE) /* built, and of nothing */
        status = publish_waste_text (publish, text);
    if (status != MAIL_OK)
        return status;
    if (deferred) {
        defer (apply, at, file);
        return MAIL_OK;
    }
    folder->adds_left--;
    return apply_finish_folder (apply, publish, folder);
}

/* A transaction has failed: what publish_added() noted about the files up to at is not so. */
static void
forget_published (struct apply *apply, struct lane *lane, size_t at, size_t deferred_before)
{
    GHashTable *deferred = g_hash_table_new (NULL, NULL);
    for (size_t i = deferred_before; i < apply->deferred->len; i++) {
        size_t add = g_array_index (apply->deferred, struct deferred, i).add;
        g_hash_table_add (deferred, GSIZE_TO_POINTER (add + 1));
    }
    for (size_t i = lane->from; i < at; i++) {
        size_t folder = apply_add_at (apply, i)->folder;
        if (!g_hash_table_contains (deferred, GSIZE_TO_POINTER (i + 1)))
            changes_folder_at (apply->changes, folder)->adds_left++;
    }
    g_hash_table_destroy (deferred);
    g_array_set_size (apply->deferred, deferred_before);
}

static enum mail_status
try_to_publish (struct apply *apply, struct lane *lane, char **culprit_out)
{
    struct publish *publish;
    size_t at = lane->from, deferred_before = apply->deferred->len;
    enum mail_status status = apply_begin_publish (apply, &lane->block, &publish);
    if (status != MAIL_OK)
        return status;
    while (status == MAIL_OK && at < lane->to) {
        if (at % KEEP_BUSY_EVERY == 0)
            lanes_keep_busy (lane->lanes);
        status = publish_added (apply, publish, lane, at);
        at += status == MAIL_OK;
    }
    if (status == MAIL_OK && lanes_are_done (lane->lanes) && apply_block_is_last (apply))
        status = apply_last (apply, publish);
    status = apply_end (apply, publish, status, culprit_out);
    if (status != MAIL_OK)
        forget_published (apply, lane, at, deferred_before);
    return status;
}

/* The store refuses this message: its files become problems. False where the block has none. */
static bool
give_up (struct apply *apply, struct lane *lane, const char *id)
{
    bool any = false;
    for (size_t at = lane->from; at < lane->to; at++) {
        struct parsed_file *file = &lane->files[at - lane->from];
        if (file->status != MAIL_OK || strcmp (file->id, id) != 0)
            continue;
        char *path = lane_path (lane->ctx, lane, at);
        file->status = MAIL_ERROR_STORE;
        file->problem = talloc_strdup (lane->files, mail_index_error (apply->index));
        apply->counts->processed--;
        apply_note_parsed (apply, path, file);
        any = true;
    }
    return any;
}

enum mail_status
lane_publish (struct lane *lane)
{
    struct apply *apply = lane->lanes->apply;
    for (;;) {
        char *culprit = NULL;
        enum mail_status status = try_to_publish (apply, lane, &culprit);
        bool again = culprit && give_up (apply, lane, culprit);
        talloc_free (culprit);
        if (!again)
            return status;
    }
}
