/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * apply-rebuild.c - messages whose words are made anew, of all their files.
 *
 * It is the rare case: of the files of known messages, most have the words that are indexed
 * already. They are collected and done in blocks of their own.
 */
#include "apply-private.h"
#include "index/wire.h"

#include <string.h>
#include <talloc.h>

/* One message of the deferred files: places in the array that belong to it. */
struct rebuild {
    const char *id;
    GArray *places; /* size_t */
    uint32_t text;  /* id of the new text document */
    bool failed;    /* it took a worker down */
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
    return changes_folder_at (apply->changes, apply_add_at (apply, deferred->add)->folder)->path;
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
        char *path = apply_path (ctx, apply, deferred_folder (apply, deferred),
                                 apply_add_at (apply, deferred->add)->name);
        bool is_known = false;
        for (size_t k = 0; k < known; k++)
            is_known |= strcmp (paths[k], path) == 0;
        if (!is_known)
            paths[count++] = path;
    }
    *count_out = count;
    return paths;
}

/* Sends the job of one message; false where none of its files can be opened. */
static bool
send_rebuild (struct apply *apply, struct rebuild *rebuild)
{
    void *local = talloc_new (NULL);
    int fds[WIRE_FILES_MAX];
    size_t path_count, count = 0;
    const char **paths = rebuild_paths (local, apply, rebuild, &path_count);
    for (size_t i = 0; i < path_count && count < WIRE_FILES_MAX; i++) {
        struct parsed_file ignored;
        int fd = build_open (local, paths[i], &ignored);
        if (fd >= 0)
            fds[count++] = fd;
    }
    if (count > 0)
        crew_job (apply->crew, 0, rebuild->text, fds, count);
    talloc_free (local);
    return count > 0;
}

/* The worker died over this message: its further files become problems. */
static void
give_up (struct apply *apply, GPtrArray *rebuilds, uint32_t docid)
{
    for (size_t i = 0; i < rebuilds->len; i++) {
        struct rebuild *rebuild = g_ptr_array_index (rebuilds, i);
        if (rebuild->text != docid)
            continue;
        rebuild->failed = true;
        for (size_t k = 0; k < rebuild->places->len; k++) {
            struct parsed_file died = apply_worker_died ();
            struct deferred *deferred = deferred_at (apply, rebuild, k);
            char *path = apply_path (NULL, apply, deferred_folder (apply, deferred),
                                     apply_add_at (apply, deferred->add)->name);
            apply->counts->processed--;
            apply_note_parsed (apply, path, &died);
            talloc_free (path);
        }
    }
}

/* Waits until the worker has nothing more to answer for; *again_out: it died on the way. */
static enum mail_status
await (struct apply *apply, GPtrArray *rebuilds, struct block *block, size_t answers, bool *again)
{
    enum mail_status status = MAIL_OK;
    while (status == MAIL_OK && answers > 0 && !*again) {
        void *local = talloc_new (apply);
        struct crew_event event;
        crew_wait (local, apply->crew, -1, &event);
        if (event.kind == CREW_PARSED || event.kind == CREW_SEGMENT)
            answers--;
        if (event.kind == CREW_SEGMENT) {
            apply_take_segment (block, &event);
        } else if (event.kind == CREW_DIED) {
            give_up (apply, rebuilds, event.docid);
            *again = true;
        } else if (event.kind == CREW_FAILED) {
            status = index_fail (apply->index, event.status, "cannot index: %s", event.text);
        }
        talloc_free (local);
    }
    return status;
}

static enum mail_status
build_once (struct apply *apply, void *ctx, GPtrArray *rebuilds, struct block *block, bool *again)
{
    *again = false;
    enum mail_status status = apply_begin_segment (apply, ctx, 0, block);
    for (size_t i = 0; status == MAIL_OK && i < rebuilds->len && !*again; i++) {
        struct rebuild *rebuild = g_ptr_array_index (rebuilds, i);
        rebuild->text = block->used = block->first + (uint32_t) i;
        if (!rebuild->failed && send_rebuild (apply, rebuild))
            status = await (apply, rebuilds, block, 1, again);
        else
            rebuild->failed = true;
    }
    if (status != MAIL_OK || *again)
        return status;
    apply_end_segment (apply, 0, block);
    return await (apply, rebuilds, block, 1, again);
}

static enum mail_status
build_rebuilds (struct apply *apply, void *ctx, GPtrArray *rebuilds, struct block *block)
{
    bool again = true;
    enum mail_status status = MAIL_OK;
    for (size_t tries = 0; status == MAIL_OK && again; tries++) {
        if (tries > rebuilds->len + 3)
            return index_fail (apply->index, MAIL_ERROR_WORKER,
                               "the processes that read mail keep dying");
        status = build_once (apply, ctx, rebuilds, block, &again);
    }
    return status;
}

static enum mail_status
publish_rebuild (struct apply *apply, struct publish *publish, const struct rebuild *rebuild)
{
    size_t count = rebuild->places->len;
    struct publish_name *names = talloc_array (publish, struct publish_name, count);
    for (size_t i = 0; i < count; i++) {
        struct deferred *deferred = deferred_at (apply, rebuild, i);
        names[i] =
            (struct publish_name){deferred_folder (apply, deferred),
                                  apply_add_at (apply, deferred->add)->name, &deferred->file};
    }
    enum mail_status status = MAIL_OK;
    if (!rebuild->failed)
        status = publish_rebuilt (publish, rebuild->id, rebuild->text, names, count);
    for (size_t i = 0; status == MAIL_OK && i < count; i++) {
        size_t place = apply_add_at (apply, deferred_at (apply, rebuild, i)->add)->folder;
        struct change_folder *folder = changes_folder_at (apply->changes, place);
        folder->adds_left--;
        status = apply_finish_folder (publish, folder);
    }
    return status;
}

static enum mail_status
publish_rebuilds (struct apply *apply, GPtrArray *rebuilds, struct block *block)
{
    struct publish *publish;
    enum mail_status status = apply_begin_publish (apply, block, &publish);
    if (status != MAIL_OK)
        return status;
    for (size_t i = 0; status == MAIL_OK && i < rebuilds->len; i++)
        status = publish_rebuild (apply, publish, g_ptr_array_index (rebuilds, i));
    if (status != MAIL_OK) {
        talloc_free (publish);
        return status;
    }
    return publish_commit (publish, apply->counts, NULL);
}

enum mail_status
apply_deferred (struct apply *apply)
{
    if (apply->deferred->len == 0)
        return MAIL_OK;
    void *local = talloc_new (apply);
    struct block block = {0};
    GPtrArray *rebuilds = group_deferred (apply);
    enum mail_status status = apply_reserve (apply, rebuilds->len, &block);
    if (status == MAIL_OK)
        status = build_rebuilds (apply, local, rebuilds, &block);
    if (status == MAIL_OK)
        status = publish_rebuilds (apply, rebuilds, &block);
    g_ptr_array_unref (rebuilds);
    g_array_set_size (apply->deferred, 0);
    talloc_free (apply->deferred_ctx);
    apply->deferred_ctx = talloc_new (apply);
    talloc_free (local);
    return status;
}
