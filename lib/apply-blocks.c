/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * apply-blocks.c - files to add: built in blocks without the lock, each published in one commit.
 *
 * Blocks begin small (an interrupted first run keeps its work early) and grow to BLOCK_MAX files or
 * BLOCK_SECONDS of work.
 */
#include "apply-private.h"
#include "clock.h"

#include <string.h>
#include <talloc.h>

#define BLOCK_MIN 256
#define BLOCK_MAX 4096
#define BLOCK_SECONDS 5
#define BLOCK_BYTES (256 << 20)    /* of mail */
#define REFERENCES_PER_BLOCK 50000 /* each may be a ghost to write */
#define DEFERRED_MAX 1024          /* collected before they are done */

/* ---- building ---- */

enum mail_status
apply_reserve (struct apply *apply, uint32_t count, struct block *block)
{
    struct writer *writer;
    enum mail_status status = writer_begin (apply, apply->index, &writer);
    if (status != MAIL_OK)
        return status;
    writer_remove_unnamed (writer);
    status = writer_reserve (writer, apply->scratch, count, &block->first);
    if (status != MAIL_OK) {
        talloc_free (writer);
        return status;
    }
    block->last = block->first + count - 1;
    return writer_commit (writer);
}

enum mail_status
apply_begin_segment (struct apply *apply, void *ctx, struct builder **builder_out, char **path_out)
{
    char *error = NULL, *folder;
    char *name = talloc_asprintf (ctx, "%u", apply->segments++);
    enum mail_status status = scratch_subfolder (ctx, apply->scratch, name, &folder);
    if (status == MAIL_OK)
        status = builder_create (ctx, folder, apply->terms, builder_out, &error);
    if (status != MAIL_OK)
        return index_fail (apply->index, status, "cannot write in '%s': %s", apply->scratch->path,
                           error ? error : mail_status_text (status));
    *path_out = talloc_asprintf (ctx, "%s.segment", folder);
    return MAIL_OK;
}

enum mail_status
apply_finish_segment (struct apply *apply, struct builder *builder, struct block *block, char *path)
{
    bool made;
    enum mail_status status =
        builder_finish (builder, path, block->first, block->used, &block->segment, &made);
    block->path = made ? path : NULL;
    if (status != MAIL_OK)
        return index_fail (apply->index, status, "cannot write '%s': %s", path,
                           builder_error (builder));
    talloc_free (builder);
    return MAIL_OK;
}

/* Counts a file that was tried, and tells of one that could not be indexed. */
static void
note_parsed (struct apply *apply, const char *path, const struct parsed_file *file)
{
    struct mail_apply_counts *counts = apply->counts;
    counts->processed++;
    if (file->status == MAIL_OK)
        return;
    if (file->status == MAIL_ERROR_NOT_MAIL)
        counts->not_mail++;
    else if (file->vanished)
        counts->vanished++;
    else
        counts->failed++;
    if (apply->options->problem)
        apply->options->problem (apply->options->closure, path, file->status, file->problem);
}

static enum mail_status
build_block (struct apply *apply, void *ctx, struct block *block)
{
    struct builder *builder;
    char *segment_path;
    size_t references = 0;
    uint64_t end = clock_ms () + BLOCK_SECONDS * 1000;
    enum mail_status status = apply_begin_segment (apply, ctx, &builder, &segment_path);
    block->files = talloc_zero_array (ctx, struct parsed_file, block->to - block->from);
    size_t at = block->from;
    while (status == MAIL_OK && at < block->to && !apply->stopped) {
        struct change_add *add = apply_add_at (apply, at);
        struct parsed_file *file = &block->files[at - block->from];
        char *path = apply_path (NULL, apply, changes_folder_at (apply->changes, add->folder)->path,
                                 add->name);
        const char *paths[] = {path};
        block->used = block->first + (uint32_t) (at - block->from);
        struct build_job job = {block->used, paths, 1};
        status = builder_add (builder, block->files, &job, file);
        if (status == MAIL_OK) {
            note_parsed (apply, path, file);
            apply_tell (apply, path);
        } else {
            index_fail (apply->index, status, "cannot index '%s': %s", path,
                        builder_error (builder));
        }
        talloc_free (path);
        references += file->record.reference_count;
        at++;
        if (clock_ms () >= end || builder_bytes (builder) > BLOCK_BYTES ||
            references > REFERENCES_PER_BLOCK)
            break;
    }
    block->to = at;
    return status == MAIL_OK ? apply_finish_segment (apply, builder, block, segment_path) : status;
}

/* ---- publishing ---- */

static void
defer (struct apply *apply, size_t add, const struct parsed_file *file)
{
    struct deferred deferred = {.add = add, .file = parsed_file_copy (apply->deferred_ctx, file)};
    deferred.id = deferred.file.id;
    g_array_append_val (apply->deferred, deferred);
}

enum mail_status
apply_begin_publish (struct apply *apply, const struct block *block, struct publish **publish_out)
{
    struct publish *publish;
    enum mail_status status = publish_begin (apply, apply->index, apply->options, &publish);
    if (status != MAIL_OK)
        return status;
    struct writer *writer = publish_writer (publish);
    status = writer_release (writer, block->first, block->last, block->used);
    if (status == MAIL_OK && block->path)
        status = writer_add_segment (writer, block->path, &block->segment);
    if (status != MAIL_OK) {
        talloc_free (publish);
        return status;
    }
    *publish_out = publish;
    return MAIL_OK;
}

enum mail_status
apply_finish_folder (struct publish *publish, struct change_folder *folder)
{
    if (!folder->listed || folder->adds_left > 0 || folder->later)
        return MAIL_OK;
    struct mail_stat stat = folder->stat;
    if (folder->failed)
        stat.mtime = stat.ctime = 0;
    return publish_folder_stat (publish, folder->path, &stat);
}

static enum mail_status
publish_added (struct apply *apply, struct publish *publish, struct block *block, size_t at)
{
    struct change_add *add = apply_add_at (apply, at);
    struct change_folder *folder = changes_folder_at (apply->changes, add->folder);
    struct parsed_file *file = &block->files[at - block->from];
    enum mail_status status = MAIL_OK;
    bool deferred = false;
    if (file->status == MAIL_OK)
        status = publish_file (publish, folder->path, add->name, file,
                               block->first + (uint32_t) (at - block->from), &deferred);
    else if (file->status != MAIL_ERROR_NOT_MAIL)
        folder->failed = true;
    if (status != MAIL_OK)
        return status;
    if (deferred) {
        defer (apply, at, file);
        return MAIL_OK;
    }
    folder->adds_left--;
    return apply_finish_folder (publish, folder);
}

/* A transaction has failed: what publish_added() noted about the files up to at is not so. */
static void
forget_published (struct apply *apply, struct block *block, size_t at, size_t deferred_before)
{
    GHashTable *deferred = g_hash_table_new (NULL, NULL);
    for (size_t i = deferred_before; i < apply->deferred->len; i++) {
        size_t add = g_array_index (apply->deferred, struct deferred, i).add;
        g_hash_table_add (deferred, GSIZE_TO_POINTER (add + 1));
    }
    for (size_t i = block->from; i < at; i++) {
        if (!g_hash_table_contains (deferred, GSIZE_TO_POINTER (i + 1)))
            changes_folder_at (apply->changes, apply_add_at (apply, i)->folder)->adds_left++;
    }
    g_hash_table_destroy (deferred);
    g_array_set_size (apply->deferred, deferred_before);
}

static enum mail_status
try_to_publish (struct apply *apply, struct block *block, char **culprit_out)
{
    struct publish *publish;
    size_t at = block->from, deferred_before = apply->deferred->len;
    enum mail_status status = apply_begin_publish (apply, block, &publish);
    if (status != MAIL_OK)
        return status;
    while (status == MAIL_OK && at < block->to) {
        status = publish_added (apply, publish, block, at);
        at += status == MAIL_OK;
    }
    if (status == MAIL_OK)
        status = publish_commit (publish, apply->counts, culprit_out);
    else
        talloc_free (publish);
    if (status != MAIL_OK)
        forget_published (apply, block, at, deferred_before);
    return status;
}

/* The store refuses this message: its files become problems. False where the block has none. */
static bool
give_up (struct apply *apply, struct block *block, const char *id)
{
    bool any = false;
    for (size_t at = block->from; at < block->to; at++) {
        struct parsed_file *file = &block->files[at - block->from];
        if (file->status != MAIL_OK || strcmp (file->id, id) != 0)
            continue;
        struct change_add *add = apply_add_at (apply, at);
        char *path = apply_path (block->files, apply,
                                 changes_folder_at (apply->changes, add->folder)->path, add->name);
        file->status = MAIL_ERROR_STORE;
        file->problem = talloc_strdup (block->files, mail_index_error (apply->index));
        apply->counts->processed--;
        note_parsed (apply, path, file);
        any = true;
    }
    return any;
}

static enum mail_status
publish_block (struct apply *apply, struct block *block)
{
    for (;;) {
        char *culprit = NULL;
        enum mail_status status = try_to_publish (apply, block, &culprit);
        bool again = culprit && give_up (apply, block, culprit);
        talloc_free (culprit);
        if (!again)
            return status;
    }
}

enum mail_status
apply_adds (struct apply *apply)
{
    enum mail_status status = MAIL_OK;
    size_t total = apply->changes->adds->len, size = BLOCK_MIN;
    for (size_t from = 0; status == MAIL_OK && from < total && !apply->stopped;) {
        void *local = talloc_new (apply);
        struct block block = {.from = from, .to = MIN (from + size, total)};
        status = apply_reserve (apply, (uint32_t) (block.to - block.from), &block);
        block.used = block.first;
        if (status == MAIL_OK)
            status = build_block (apply, local, &block);
        if (status == MAIL_OK)
            status = publish_block (apply, &block);
        talloc_free (local);
        from = block.to;
        size = MIN (2 * size, BLOCK_MAX);
        if (status == MAIL_OK && apply->deferred->len >= DEFERRED_MAX)
            status = apply_deferred (apply);
        if (status == MAIL_OK)
            apply_tell (apply, NULL);
    }
    return status;
}
