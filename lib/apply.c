/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * apply.c - carries out a list of changes.
 *
 * Order: folders and files that moved; then the files to add, in blocks that are each built without
 * the lock and published in one commit; then messages whose words have to be made anew; then what
 * has gone. Removals come last so that a file which is gone here and new there never loses its
 * tags.
 *
 * Blocks begin small (an interrupted first run keeps its work early) and grow to BLOCK_MAX files or
 * BLOCK_SECONDS of work.
 */
#include "changes.h"
#include "index-private.h"
#include "merge.h"
#include "publish.h"
#include "scratch.h"

#include <string.h>
#include <talloc.h>
#include <time.h>

#define BLOCK_MIN 256
#define BLOCK_MAX 4096
#define BLOCK_SECONDS 5
#define BLOCK_BYTES (256 << 20)    /* of mail */
#define REFERENCES_PER_BLOCK 50000 /* each may be a ghost to write */
#define SLICE_MS 250               /* of one commit of removals */

/* A file whose message has other files with other words. */
struct deferred {
    const char *id;
    size_t add; /* in changes->adds */
    struct parsed_file file;
};

struct apply {
    struct mail_changes *changes;
    struct mail_index *index;
    const struct mail_apply_options *options;
    struct mail_apply_counts *counts;
    struct scratch *scratch;
    struct terms *terms;
    GArray *deferred;
    unsigned segments; /* built so far: names of scratch folders */
    bool stopped;
};

/* What was built of adds[from..to): for the publish. */
struct block {
    size_t from, to;
    uint32_t first, last; /* the reservation */
    uint32_t used;        /* last id that has a job */
    struct parsed_file *files;
    struct segment segment;
    char *path; /* of the segment; NULL when there is none */
};

static struct change_add *
add_at (struct apply *apply, size_t at)
{
    return &g_array_index (apply->changes->adds, struct change_add, at);
}

static uint64_t
now_ms (void)
{
    struct timespec now;
    clock_gettime (CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;
}

static bool
tell_progress (struct apply *apply, const char *path)
{
    const struct mail_apply_options *options = apply->options;
    if (options->progress && !options->progress (options->closure, path, apply->counts->processed,
                                                 apply->changes->adds->len))
        apply->stopped = true;
    return !apply->stopped;
}

static char *
file_path (void *ctx, struct apply *apply, const char *folder, const char *name)
{
    struct mail_file file = {folder, name};
    return mail_file_path (ctx, apply->index, &file);
}

/* ---- building ---- */

static enum mail_status
reserve (struct apply *apply, uint32_t count, struct block *block)
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

static enum mail_status
begin_segment (struct apply *apply, void *ctx, struct builder **builder_out, char **path_out)
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

static enum mail_status
finish_segment (struct apply *apply, struct builder *builder, struct block *block, char *path)
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
    uint64_t end = now_ms () + BLOCK_SECONDS * 1000;
    enum mail_status status = begin_segment (apply, ctx, &builder, &segment_path);
    block->files = talloc_zero_array (ctx, struct parsed_file, block->to - block->from);
    size_t at = block->from;
    while (status == MAIL_OK && at < block->to && !apply->stopped) {
        struct change_add *add = add_at (apply, at);
        struct parsed_file *file = &block->files[at - block->from];
        char *path = file_path (NULL, apply, changes_folder_at (apply->changes, add->folder)->path,
                                add->name);
        const char *paths[] = {path};
        block->used = block->first + (uint32_t) (at - block->from);
        struct build_job job = {block->used, paths, 1};
        status = builder_add (builder, block->files, &job, file);
        if (status == MAIL_OK) {
            note_parsed (apply, path, file);
            tell_progress (apply, path);
        } else {
            index_fail (apply->index, status, "cannot index '%s': %s", path,
                        builder_error (builder));
        }
        talloc_free (path);
        references += file->record.reference_count;
        at++;
        if (now_ms () >= end || builder_bytes (builder) > BLOCK_BYTES ||
            references > REFERENCES_PER_BLOCK)
            break;
    }
    block->to = at;
    return status == MAIL_OK ? finish_segment (apply, builder, block, segment_path) : status;
}

/* ---- publishing ---- */

static void
defer (struct apply *apply, size_t add, const struct parsed_file *file)
{
    struct deferred deferred = {file->id, add, *file};
    talloc_steal (apply->scratch, file->id);
    g_array_append_val (apply->deferred, deferred);
}

/* The times of a folder whose last file has just been done. */
static enum mail_status
finish_folder (struct publish *publish, struct change_folder *folder)
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
    struct change_add *add = add_at (apply, at);
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
        talloc_steal (apply->scratch, block->files);
        defer (apply, at, file);
        return MAIL_OK;
    }
    folder->adds_left--;
    return finish_folder (publish, folder);
}

static enum mail_status
publish_block (struct apply *apply, struct block *block)
{
    struct publish *publish;
    enum mail_status status = publish_begin (apply, apply->index, apply->options, &publish);
    if (status != MAIL_OK)
        return status;
    struct writer *writer = publish_writer (publish);
    status = writer_release (writer, block->first, block->last, block->used);
    if (status == MAIL_OK && block->path)
        status = writer_add_segment (writer, block->path, &block->segment);
    for (size_t at = block->from; status == MAIL_OK && at < block->to; at++)
        status = publish_added (apply, publish, block, at);
    if (status != MAIL_OK) {
        talloc_free (publish);
        return status;
    }
    return publish_commit (publish, apply->counts);
}

static enum mail_status
apply_adds (struct apply *apply)
{
    enum mail_status status = MAIL_OK;
    size_t total = apply->changes->adds->len, size = BLOCK_MIN;
    for (size_t from = 0; status == MAIL_OK && from < total && !apply->stopped;) {
        void *local = talloc_new (apply);
        struct block block = {.from = from, .to = MIN (from + size, total)};
        status = reserve (apply, (uint32_t) (block.to - block.from), &block);
        block.used = block.first;
        if (status == MAIL_OK)
            status = build_block (apply, local, &block);
        if (status == MAIL_OK)
            status = publish_block (apply, &block);
        talloc_free (local);
        from = block.to;
        size = MIN (2 * size, BLOCK_MAX);
        if (status == MAIL_OK)
            tell_progress (apply, NULL);
    }
    return status;
}

/* ---- messages whose words are made anew ---- */

/* One message of the deferred files: places in the array that belong to it. */
struct rebuild {
    const char *id;
    GArray *places; /* size_t */
    uint32_t text;
};

static void
free_rebuild (gpointer data)
{
    struct rebuild *rebuild = data;
    g_array_unref (rebuild->places);
    g_free (rebuild);
}

static GPtrArray *
group_deferred (struct apply *apply)
{
    GPtrArray *rebuilds = g_ptr_array_new_with_free_func (free_rebuild);
    GHashTable *by_id = g_hash_table_new (g_str_hash, g_str_equal);
    for (size_t i = 0; i < apply->deferred->len; i++) {
        struct deferred *deferred = &g_array_index (apply->deferred, struct deferred, i);
        struct rebuild *rebuild = g_hash_table_lookup (by_id, deferred->id);
        if (!rebuild) {
            rebuild = g_new0 (struct rebuild, 1);
            rebuild->id = deferred->id;
            rebuild->places = g_array_new (FALSE, FALSE, sizeof (size_t));
            g_hash_table_insert (by_id, (char *) rebuild->id, rebuild);
            g_ptr_array_add (rebuilds, rebuild);
        }
        g_array_append_val (rebuild->places, i);
    }
    g_hash_table_destroy (by_id);
    return rebuilds;
}

static struct deferred *
deferred_at (struct apply *apply, const struct rebuild *rebuild, size_t i)
{
    size_t place = g_array_index (rebuild->places, size_t, i);
    return &g_array_index (apply->deferred, struct deferred, place);
}

static const char *
deferred_folder (struct apply *apply, const struct deferred *deferred)
{
    return changes_folder_at (apply->changes, add_at (apply, deferred->add)->folder)->path;
}

/* All files of the message: those state knows, then the deferred ones that it does not. */
static const char **
rebuild_paths (void *ctx, struct apply *apply, const struct rebuild *rebuild, size_t *count_out)
{
    struct mail_message *message = NULL;
    const struct mail_file *files = NULL;
    size_t known = 0, count = 0;
    if (mail_message_find (ctx, apply->index, rebuild->id, &message) == MAIL_OK && message)
        files = mail_message_files (message, &known);
    const char **paths = talloc_array (ctx, const char *, known + rebuild->places->len);
    for (size_t i = 0; i < known; i++)
        paths[count++] = mail_file_path (ctx, apply->index, &files[i]);
    for (size_t i = 0; i < rebuild->places->len; i++) {
        struct deferred *deferred = deferred_at (apply, rebuild, i);
        char *path = file_path (ctx, apply, deferred_folder (apply, deferred),
                                add_at (apply, deferred->add)->name);
        bool is_known = false;
        for (size_t k = 0; k < known; k++)
            is_known |= strcmp (paths[k], path) == 0;
        if (!is_known)
            paths[count++] = path;
    }
    *count_out = count;
    return paths;
}

static enum mail_status
build_rebuilds (struct apply *apply, void *ctx, GPtrArray *rebuilds, struct block *block)
{
    struct builder *builder;
    char *segment_path;
    enum mail_status status = begin_segment (apply, ctx, &builder, &segment_path);
    for (size_t i = 0; status == MAIL_OK && i < rebuilds->len; i++) {
        struct rebuild *rebuild = g_ptr_array_index (rebuilds, i);
        struct build_job job = {.docid = block->first + (uint32_t) i};
        job.paths = rebuild_paths (ctx, apply, rebuild, &job.path_count);
        struct parsed_file *files = talloc_zero_array (ctx, struct parsed_file, job.path_count);
        rebuild->text = block->used = job.docid;
        status = builder_add (builder, ctx, &job, files);
        if (status != MAIL_OK)
            index_fail (apply->index, status, "cannot index '%s': %s", job.paths[0],
                        builder_error (builder));
    }
    return status == MAIL_OK ? finish_segment (apply, builder, block, segment_path) : status;
}

static enum mail_status
publish_rebuild (struct apply *apply, struct publish *publish, const struct rebuild *rebuild)
{
    size_t count = rebuild->places->len;
    struct publish_name *names = talloc_array (publish, struct publish_name, count);
    for (size_t i = 0; i < count; i++) {
        struct deferred *deferred = deferred_at (apply, rebuild, i);
        names[i] = (struct publish_name){deferred_folder (apply, deferred),
                                         add_at (apply, deferred->add)->name, &deferred->file};
    }
    enum mail_status status = publish_rebuilt (publish, rebuild->id, rebuild->text, names, count);
    for (size_t i = 0; status == MAIL_OK && i < count; i++) {
        size_t place = add_at (apply, deferred_at (apply, rebuild, i)->add)->folder;
        struct change_folder *folder = changes_folder_at (apply->changes, place);
        folder->adds_left--;
        status = finish_folder (publish, folder);
    }
    return status;
}

static enum mail_status
publish_rebuilds (struct apply *apply, GPtrArray *rebuilds, struct block *block)
{
    struct publish *publish;
    enum mail_status status = publish_begin (apply, apply->index, apply->options, &publish);
    if (status != MAIL_OK)
        return status;
    struct writer *writer = publish_writer (publish);
    status = writer_release (writer, block->first, block->last, block->used);
    if (status == MAIL_OK && block->path)
        status = writer_add_segment (writer, block->path, &block->segment);
    for (size_t i = 0; status == MAIL_OK && i < rebuilds->len; i++)
        status = publish_rebuild (apply, publish, g_ptr_array_index (rebuilds, i));
    if (status != MAIL_OK) {
        talloc_free (publish);
        return status;
    }
    return publish_commit (publish, apply->counts);
}

static enum mail_status
apply_deferred (struct apply *apply)
{
    if (apply->deferred->len == 0)
        return MAIL_OK;
    void *local = talloc_new (apply);
    struct block block = {0};
    GPtrArray *rebuilds = group_deferred (apply);
    enum mail_status status = reserve (apply, rebuilds->len, &block);
    block.used = block.first;
    if (status == MAIL_OK)
        status = build_rebuilds (apply, local, rebuilds, &block);
    if (status == MAIL_OK)
        status = publish_rebuilds (apply, rebuilds, &block);
    g_ptr_array_unref (rebuilds);
    talloc_free (local);
    return status;
}

/* ---- moves and removals ---- */

static enum mail_status
apply_moves (struct apply *apply)
{
    GArray *folders = apply->changes->folder_moves, *files = apply->changes->moves;
    enum mail_status status = MAIL_OK;
    size_t folder = 0, file = 0;
    while (status == MAIL_OK && (folder < folders->len || file < files->len)) {
        struct publish *publish;
        uint64_t end = now_ms () + SLICE_MS;
        status = publish_begin (apply, apply->index, apply->options, &publish);
        if (status != MAIL_OK)
            break;
        while (status == MAIL_OK && folder < folders->len) {
            struct change_folder_move *move =
                &g_array_index (folders, struct change_folder_move, folder++);
            status = publish_move_folder (publish, move->id, move->to);
        }
        while (status == MAIL_OK && file < files->len && now_ms () < end) {
            struct change_move *move = &g_array_index (files, struct change_move, file++);
            status = publish_move (publish, move->from_folder, move->from_name,
                                   changes_folder_at (apply->changes, move->folder)->path,
                                   move->name, &move->stat);
        }
        if (status == MAIL_OK)
            status = publish_commit (publish, apply->counts);
        else
            talloc_free (publish);
    }
    return status;
}

/* Replaces folders to drop by their files, so that removing them can be sliced; the records
 * themselves go in the last commit. */
static enum mail_status
expand_folder (struct apply *apply, const struct mail_folders *folders, uint32_t id, GArray *drops)
{
    char **names;
    size_t count, children_count;
    const struct mail_folder *const *children =
        mail_folders_children (folders, id, &children_count);
    enum mail_status status = MAIL_OK;
    for (size_t i = 0; status == MAIL_OK && i < children_count; i++)
        status = expand_folder (apply, folders, children[i]->id, drops);
    if (status == MAIL_OK)
        status = mail_folder_files (apply, apply->index, id, &names, &count);
    for (size_t i = 0; status == MAIL_OK && i < count; i++) {
        struct change_drop drop = {id, names[i]};
        g_array_append_val (drops, drop);
    }
    return status;
}

static enum mail_status
expand_drops (struct apply *apply, GArray *drops)
{
    struct mail_folders *folders;
    GArray *asked = apply->changes->drops;
    enum mail_status status = mail_folders_load (apply, apply->index, &folders);
    for (size_t i = 0; status == MAIL_OK && i < asked->len; i++) {
        struct change_drop *drop = &g_array_index (asked, struct change_drop, i);
        if (drop->name)
            g_array_append_val (drops, *drop);
        else
            status = expand_folder (apply, folders, drop->folder, drops);
    }
    return status;
}

static enum mail_status
drop_slice (struct apply *apply, GArray *drops, size_t *next)
{
    struct publish *publish;
    uint64_t end = now_ms () + SLICE_MS;
    enum mail_status status = publish_begin (apply, apply->index, apply->options, &publish);
    if (status != MAIL_OK)
        return status;
    while (status == MAIL_OK && *next < drops->len && now_ms () < end) {
        struct change_drop *drop = &g_array_index (drops, struct change_drop, (*next)++);
        status = publish_drop (publish, drop->folder, drop->name);
    }
    if (status != MAIL_OK) {
        talloc_free (publish);
        return status;
    }
    return publish_commit (publish, apply->counts);
}

/* The last commit: records of folders that are gone, and the times of those that waited. */
static enum mail_status
finish_folders (struct apply *apply)
{
    struct publish *publish;
    GArray *drops = apply->changes->drops;
    enum mail_status status = publish_begin (apply, apply->index, apply->options, &publish);
    if (status != MAIL_OK)
        return status;
    for (size_t i = 0; status == MAIL_OK && i < drops->len; i++) {
        struct change_drop *drop = &g_array_index (drops, struct change_drop, i);
        if (!drop->name)
            status = publish_drop_folder (publish, drop->folder);
    }
    for (size_t i = 0; status == MAIL_OK && i < apply->changes->folders->len; i++) {
        struct change_folder *folder = changes_folder_at (apply->changes, i);
        folder->later = false;
        status = finish_folder (publish, folder);
    }
    if (status != MAIL_OK) {
        talloc_free (publish);
        return status;
    }
    return publish_commit (publish, apply->counts);
}

static enum mail_status
apply_drops (struct apply *apply)
{
    GArray *drops = g_array_new (FALSE, FALSE, sizeof (struct change_drop));
    enum mail_status status = expand_drops (apply, drops);
    size_t next = 0;
    while (status == MAIL_OK && next < drops->len)
        status = drop_slice (apply, drops, &next);
    if (status == MAIL_OK)
        status = finish_folders (apply);
    g_array_unref (drops);
    return status;
}

/* ---- all of it ---- */

static int
apply_destroy (struct apply *apply)
{
    g_array_unref (apply->deferred);
    return 0;
}

static enum mail_status
prepare (struct apply *apply)
{
    char *error = NULL;
    struct mail_changes *changes = apply->changes;
    bool later = changes->drops->len > 0;
    for (size_t i = 0; i < changes->folders->len; i++)
        changes_folder_at (changes, i)->later = later;
    scratch_remove_left_over (apply->index->folder);
    enum mail_status status = scratch_create (apply, apply->index->folder, &apply->scratch, &error);
    if (status != MAIL_OK)
        return index_fail (apply->index, status, "%s", error);
    apply->terms = terms_create (apply, "english");
    return MAIL_OK;
}

enum mail_status
mail_changes_apply (struct mail_changes *changes, const struct mail_apply_options *options,
                    struct mail_apply_counts *counts_out)
{
    *counts_out = (struct mail_apply_counts){0};
    if (mail_changes_empty (changes))
        return MAIL_OK;
    struct apply *apply = talloc_zero (changes, struct apply);
    apply->changes = changes;
    apply->index = changes->index;
    apply->options = options;
    apply->counts = counts_out;
    apply->deferred = g_array_new (FALSE, FALSE, sizeof (struct deferred));
    talloc_set_destructor (apply, apply_destroy);
    enum mail_status status = prepare (apply);
    if (status == MAIL_OK)
        status = apply_moves (apply);
    if (status == MAIL_OK)
        status = apply_adds (apply);
    if (status == MAIL_OK)
        status = apply_deferred (apply);
    if (status == MAIL_OK && !apply->stopped)
        status = apply_drops (apply);
    if (status == MAIL_OK && !apply->stopped)
        status = merge_segments (apply->index, apply->scratch, MERGE_AUTOMATIC_LIMIT);
    if (status == MAIL_OK && apply->stopped)
        status = index_fail (apply->index, MAIL_ERROR_INTERRUPTED, "interrupted");
    talloc_free (apply);
    return status;
}
