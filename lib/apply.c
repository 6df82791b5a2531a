/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * apply.c - carries out a list of changes.
 *
 * Order: folders and files that moved; then the files to add; then messages whose words have to be
 * made anew; then what has gone. Removals come last so that a file which is gone here and new there
 * never loses its tags.
 */
#include "apply-private.h"

#include <string.h>
#include <talloc.h>

struct change_add *
apply_add_at (struct apply *apply, size_t at)
{
    return &g_array_index (apply->changes->adds, struct change_add, at);
}

char *
apply_path (void *ctx, struct apply *apply, const char *folder, const char *name)
{
    struct mail_file file = {folder, name};
    return mail_file_path (ctx, apply->index, &file);
}

static int
apply_destroy (struct apply *apply)
{
    g_array_unref (apply->deferred);
    g_ptr_array_unref (apply->ending);
    g_array_unref (apply->notices);
    if (apply->dropped)
        g_hash_table_destroy (apply->dropped);
    return 0;
}

/* Folders that changed last come first; within a folder, in order of inodes, which is the order on
 * the disk. */
static int
compare_adds (const void *a, const void *b, void *closure)
{
    const struct change_add *left = a, *right = b;
    struct mail_changes *changes = closure;
    if (left->folder != right->folder) {
        int64_t left_time = changes_folder_at (changes, left->folder)->stat.mtime;
        int64_t right_time = changes_folder_at (changes, right->folder)->stat.mtime;
        if (left_time != right_time)
            return left_time > right_time ? -1 : 1;
        return left->folder < right->folder ? -1 : 1;
    }
    if (left->stat.inode != right->stat.inode)
        return left->stat.inode < right->stat.inode ? -1 : 1;
    return strcmp (left->name, right->name);
}

static enum mail_status
prepare (struct apply *apply)
{
    char *error = NULL;
    struct mail_changes *changes = apply->changes;
    bool later = changes->drops->len > 0;
    for (size_t i = 0; i < changes->folders->len; i++)
        changes_folder_at (changes, i)->later = later;
    for (size_t i = 0; i < changes->problems->len; i++) {
        size_t folder = g_array_index (changes->problems, struct change_problem, i).folder;
        changes_folder_at (changes, folder)->later = true;
    }
    g_array_sort_with_data (changes->adds, compare_adds, changes);
    scratch_remove_left_over (apply->index->folder);
    enum mail_status status = scratch_create (apply, apply->index->folder, &apply->scratch, &error);
    if (status != MAIL_OK)
        return index_fail (apply->index, status, "%s", error);
    return MAIL_OK;
}

enum mail_status
mail_changes_apply (struct mail_changes *changes, const struct mail_apply_options *options,
                    struct mail_apply_counts *counts_out)
{
    *counts_out = (struct mail_apply_counts){0};
    if (mail_changes_empty (changes) && !options->rebuild)
        return MAIL_OK;
    if (changes->status != MAIL_OK)
        return changes->status;
    struct apply *apply = talloc_zero (changes, struct apply);
    apply->changes = changes;
    apply->index = changes->index;
    apply->options = options;
    apply->counts = counts_out;
    apply->deferred = g_array_new (FALSE, FALSE, sizeof (struct deferred));
    apply->deferred_ctx = talloc_new (apply);
    apply->ending = g_ptr_array_new ();
    apply->notices = g_array_new (FALSE, FALSE, sizeof (struct notice));
    talloc_set_destructor (apply, apply_destroy);
    enum mail_status status = prepare (apply);
    if (status == MAIL_OK)
        status = apply_moves (apply);
    if (status == MAIL_OK)
        status = apply_adds (apply);
    if (status == MAIL_OK && !apply->stopped)
        status = apply_drops (apply);
    if (status == MAIL_OK && !apply->stopped && options->merge_limit == 0)
        status = apply_refresh (apply);
    if (status == MAIL_OK && apply->stopped)
        status = index_fail (apply->index, MAIL_ERROR_INTERRUPTED, "interrupted");
    talloc_free (apply);
    changes_clear (changes);
    return status;
}
