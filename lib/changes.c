/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * changes.c - a list of what a scan has found.
 *
 * Work expected: a first run lists a million files, so names go into string chunks and entries into
 * flat arrays.
 */
#include "changes.h"
#include "index-private.h"

#include <talloc.h>

#define CHUNK (1 << 16)

static int
changes_destroy (struct mail_changes *changes)
{
    g_string_chunk_free (changes->strings);
    g_hash_table_destroy (changes->by_path);
    g_array_unref (changes->folders);
    g_array_unref (changes->adds);
    g_array_unref (changes->moves);
    g_array_unref (changes->drops);
    g_array_unref (changes->folder_moves);
    g_array_unref (changes->problems);
    return 0;
}

struct mail_changes *
mail_changes_create (void *ctx, struct mail_index *index)
{
    struct mail_changes *changes = talloc_zero (ctx, struct mail_changes);
    changes->index = index;
    changes->strings = g_string_chunk_new (CHUNK);
    changes->by_path = g_hash_table_new (g_str_hash, g_str_equal);
    changes->folders = g_array_new (FALSE, TRUE, sizeof (struct change_folder));
    changes->adds = g_array_new (FALSE, TRUE, sizeof (struct change_add));
    changes->moves = g_array_new (FALSE, TRUE, sizeof (struct change_move));
    changes->drops = g_array_new (FALSE, TRUE, sizeof (struct change_drop));
    changes->folder_moves = g_array_new (FALSE, TRUE, sizeof (struct change_folder_move));
    changes->problems = g_array_new (FALSE, TRUE, sizeof (struct change_problem));
    talloc_set_destructor (changes, changes_destroy);
    changes->status = mail_folders_load (changes, index, &changes->known);
    return changes;
}

enum mail_status
mail_changes_folders (const struct mail_changes *changes, const struct mail_folders **folders_out)
{
    *folders_out = changes->known;
    return changes->status;
}

void
changes_clear (struct mail_changes *changes)
{
    g_hash_table_remove_all (changes->by_path);
    GArray *const all[] = {changes->folders, changes->adds,         changes->moves,
                           changes->drops,   changes->folder_moves, changes->problems};
    for (size_t i = 0; i < G_N_ELEMENTS (all); i++)
        g_array_set_size (all[i], 0);
}

static const char *
keep (struct mail_changes *changes, const char *string)
{
    return g_string_chunk_insert (changes->strings, string);
}

struct change_folder *
changes_folder_at (struct mail_changes *changes, size_t at)
{
    return &g_array_index (changes->folders, struct change_folder, at);
}

struct change_folder *
changes_folder (struct mail_changes *changes, const char *path)
{
    size_t at = GPOINTER_TO_SIZE (g_hash_table_lookup (changes->by_path, path));
    return at ? changes_folder_at (changes, at - 1) : NULL;
}

static size_t
folder_place (struct mail_changes *changes, const char *path)
{
    size_t at = GPOINTER_TO_SIZE (g_hash_table_lookup (changes->by_path, path));
    if (at == 0) {
        struct change_folder folder = {.path = keep (changes, path)};
        g_array_append_val (changes->folders, folder);
        at = changes->folders->len;
        g_hash_table_insert (changes->by_path, (char *) folder.path, GSIZE_TO_POINTER (at));
    }
    return at - 1;
}

void
mail_changes_folder (struct mail_changes *changes, const char *folder, const struct mail_stat *stat)
{
    struct change_folder *entry = changes_folder_at (changes, folder_place (changes, folder));
    entry->stat = *stat;
    entry->listed = true;
}

void
mail_changes_move_folder (struct mail_changes *changes, uint32_t id, const char *to)
{
    struct change_folder_move move = {id, keep (changes, to)};
    g_array_append_val (changes->folder_moves, move);
}

void
mail_changes_drop_folder (struct mail_changes *changes, uint32_t id)
{
    struct change_drop drop = {id, NULL, false};
    g_array_append_val (changes->drops, drop);
}

void
mail_changes_add (struct mail_changes *changes, const char *folder, const char *name,
                  const struct mail_stat *stat)
{
    struct change_add add = {folder_place (changes, folder), keep (changes, name), *stat};
    changes_folder_at (changes, add.folder)->adds_left++;
    g_array_append_val (changes->adds, add);
}

void
mail_changes_move (struct mail_changes *changes, uint32_t from_folder, const char *from_name,
                   const char *folder, const char *name, const struct mail_stat *stat)
{
    struct change_move move = {from_folder, keep (changes, from_name),
                               folder_place (changes, folder), keep (changes, name), *stat};
    g_array_append_val (changes->moves, move);
}

void
mail_changes_drop (struct mail_changes *changes, uint32_t folder, const char *name)
{
    struct change_drop drop = {folder, keep (changes, name), false};
    g_array_append_val (changes->drops, drop);
}

void
mail_changes_drop_missing (struct mail_changes *changes, uint32_t folder, const char *name)
{
    struct change_drop drop = {folder, keep (changes, name), true};
    g_array_append_val (changes->drops, drop);
}

void
mail_changes_problem (struct mail_changes *changes, const char *folder, const char *name,
                      enum mail_reason reason, const struct mail_stat *stat)
{
    struct change_problem problem = {folder_place (changes, folder), keep (changes, name), reason,
                                     *stat};
    g_array_append_val (changes->problems, problem);
}

size_t
mail_changes_count_added (const struct mail_changes *changes)
{
    return changes->adds->len;
}

bool
mail_changes_empty (const struct mail_changes *changes)
{
    return changes->folders->len + changes->moves->len + changes->drops->len +
               changes->folder_moves->len ==
           0;
}
