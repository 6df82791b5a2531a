/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * moves.c - the missing ones, by inode.
 *
 * A move costs one changed record where a removal and an addition cost the reading of a mail, so it
 * pays to look at the record of every missing file; but only once something unknown has been found.
 * The tables grow with what is missing in this run and with nothing else.
 */
#include "moves.h"

#include "times.h"

#include <glib.h>
#include <talloc.h>

struct moves {
    struct mail_index *index;
    const struct mail_folders *folders;
    const struct problems *problems;
    struct missing_file *files;
    size_t file_count;
    size_t files_loaded;        /* the first so many have their stat and are in the table */
    GHashTable *files_by_inode; /* → position from 1 */
    struct missing_folder *missing;
    size_t missing_count;
    GHashTable *folders_by_inode;
    GHashTable *folders_by_id;
};

static int
moves_destroy (struct moves *moves)
{
    g_hash_table_destroy (moves->files_by_inode);
    g_hash_table_destroy (moves->folders_by_inode);
    g_hash_table_destroy (moves->folders_by_id);
    return 0;
}

struct moves *
moves_create (void *ctx, struct mail_index *index, const struct mail_folders *folders,
              const struct problems *problems)
{
    struct moves *moves = talloc_zero (ctx, struct moves);

    moves->index = index;
    moves->folders = folders;
    moves->problems = problems;
    moves->files = talloc_array (moves, struct missing_file, 16);
    moves->missing = talloc_array (moves, struct missing_folder, 16);
    moves->files_by_inode = g_hash_table_new (NULL, NULL);
    moves->folders_by_inode = g_hash_table_new (NULL, NULL);
    moves->folders_by_id = g_hash_table_new (NULL, NULL);
    talloc_set_destructor (moves, moves_destroy);
    return moves;
}

/* Tables hold a position from 1 under a number; 0 where there is none. Where pointers have 32 bits,
 * inodes that differ above share a chain. */
static size_t
table_get (GHashTable *table, uint64_t number)
{
    return GPOINTER_TO_SIZE (g_hash_table_lookup (table, GSIZE_TO_POINTER ((size_t) number)));
}

/* Returns the position that stood there before. */
static size_t
table_put (GHashTable *table, uint64_t number, size_t position)
{
    size_t before = table_get (table, number);

    g_hash_table_insert (table, GSIZE_TO_POINTER ((size_t) number), GSIZE_TO_POINTER (position));
    return before;
}

static void
moves_add_file (struct moves *moves, const struct missing_file *file)
{
    size_t size = talloc_array_length (moves->files);

    if (moves->file_count == size)
        moves->files = talloc_realloc (moves, moves->files, struct missing_file, size * 2);
    moves->files[moves->file_count++] = *file;
}

void
moves_missing_file (struct moves *moves, uint32_t folder, const char *name, uint64_t device)
{
    moves_add_file (moves, &(struct missing_file){.folder = folder,
                                                  .name = talloc_strdup (moves, name),
                                                  .device = device});
}

/* The file's stat is known now. */
static void
moves_enter_file (struct moves *moves, size_t position, const struct mail_stat *stat)
{
    struct missing_file *file = &moves->files[position - 1];

    file->stat = *stat;
    file->next = table_put (moves->files_by_inode, stat->inode, position);
}

size_t
moves_replaced_file (struct moves *moves, uint32_t folder, const char *name, uint64_t device,
                     const struct mail_stat *record)
{
    moves_missing_file (moves, folder, name, device);
    moves->files[moves->file_count - 1].replaced = true;
    moves->files[moves->file_count - 1].loaded = true;
    moves_enter_file (moves, moves->file_count, record);
    return moves->file_count;
}

/* Unlike the public one, for the folders below too. */
static void
moves_add_folder (struct moves *moves, const struct mail_folder *folder, uint64_t device, bool top)
{
    size_t size = talloc_array_length (moves->missing);
    const struct mail_folder *const *children;
    struct missing_folder *missing;
    size_t count;

    if (moves->missing_count == size)
        moves->missing = talloc_realloc (moves, moves->missing, struct missing_folder, size * 2);
    missing = &moves->missing[moves->missing_count++];
    *missing = (struct missing_folder){.folder = folder, .device = device, .top = top};
    missing->next = table_put (moves->folders_by_inode, folder->stat.inode, moves->missing_count);
    table_put (moves->folders_by_id, folder->id, moves->missing_count);

    children = mail_folders_children (moves->folders, folder->id, &count);
    for (size_t i = 0; i < count; i++)
        moves_add_folder (moves, children[i], device, false);
}

void
moves_missing_folder (struct moves *moves, const struct mail_folder *folder, uint64_t device)
{
    moves_add_folder (moves, folder, device, true);
}

bool
moves_empty (const struct moves *moves)
{
    return moves->file_count == 0 && moves->missing_count == 0;
}

/* ---- folders found ------------------------------------------------------------------------- */

/* What lies below a folder that was found is found with it: the walk looks there. */
static void
moves_take_below (struct moves *moves, const struct mail_folder *folder)
{
    size_t position = table_get (moves->folders_by_id, folder->id);
    const struct mail_folder *const *children;
    size_t count;

    if (!position)
        return;
    moves->missing[position - 1].taken = true;
    children = mail_folders_children (moves->folders, folder->id, &count);
    for (size_t i = 0; i < count; i++)
        moves_take_below (moves, children[i]);
}

static bool
is_folder (const struct missing_folder *missing, const struct mail_stat *found)
{
    const struct mail_stat *stat = &missing->folder->stat;

    return !missing->taken && stat->inode == found->inode && stat->mtime == found->mtime &&
           (found->device == missing->device || found->device == stat->device);
}

const struct mail_folder *
moves_take_folder (struct moves *moves, const struct mail_stat *found)
{
    size_t at;

    if (!times_precise (found->mtime))
        return NULL;
    for (at = table_get (moves->folders_by_inode, found->inode); at;
         at = moves->missing[at - 1].next) {
        struct missing_folder *missing = &moves->missing[at - 1];

        if (is_folder (missing, found)) {
            missing->found = true;
            moves_take_below (moves, missing->folder);
            return missing->folder;
        }
    }
    return NULL;
}

bool
moves_is_missing (const struct moves *moves, const struct mail_folder *folder)
{
    size_t position = table_get (moves->folders_by_id, folder->id);

    return position && (!moves->missing[position - 1].taken || moves->missing[position - 1].found);
}

/* ---- files found --------------------------------------------------------------------------- */

/* The files of a missing folder are missing files, too, that a found one may be. */
static enum mail_status
moves_name_files (struct moves *moves, size_t position)
{
    struct missing_folder *missing = &moves->missing[position - 1];
    void *local = talloc_new (NULL);
    enum mail_status status;
    char **names;
    size_t count;

    missing->named = true;
    status = mail_folder_files (local, moves->index, missing->folder->id, &names, &count);
    for (size_t i = 0; status == MAIL_OK && i < count; i++) {
        if (problems_find (moves->problems, missing->folder->id, names[i]))
            continue;
        moves_add_file (moves, &(struct missing_file){.folder = missing->folder->id,
                                                      .name = talloc_strdup (moves, names[i]),
                                                      .device = missing->device,
                                                      .below = position});
    }
    talloc_free (local);
    return status;
}

static enum mail_status
moves_load_file (struct moves *moves, size_t position)
{
    struct missing_file *file = &moves->files[position - 1];
    enum mail_status status = MAIL_OK;
    struct mail_stat stat;
    bool found = false;

    if (!file->loaded)
        status = mail_folder_file_stat (moves->index, file->folder, file->name, &stat, &found);
    file->loaded = true;
    if (status == MAIL_OK && found)
        moves_enter_file (moves, position, &stat);
    return status;
}

static enum mail_status
moves_load (struct moves *moves)
{
    enum mail_status status = MAIL_OK;

    for (size_t i = 0; i < moves->missing_count && status == MAIL_OK; i++)
        if (!moves->missing[i].named && !moves->missing[i].taken)
            status = moves_name_files (moves, i + 1);
    while (status == MAIL_OK && moves->files_loaded < moves->file_count)
        status = moves_load_file (moves, ++moves->files_loaded);
    return status;
}

static bool
is_file (const struct moves *moves, const struct missing_file *file, const struct mail_stat *found)
{
    const struct mail_stat *stat = &file->stat;

    if (file->taken || stat->inode != found->inode || stat->size != found->size ||
        stat->mtime != found->mtime)
        return false;
    return found->device == file->device ||
           (file->below && found->device == moves->missing[file->below - 1].folder->stat.device);
}

enum mail_status
moves_take_file (struct moves *moves, const struct mail_stat *found, size_t *taken_out)
{
    enum mail_status status;

    *taken_out = 0;
    if (moves_empty (moves) || !times_precise (found->mtime))
        return MAIL_OK;
    status = moves_load (moves);
    if (status != MAIL_OK)
        return status;
    for (size_t at = table_get (moves->files_by_inode, found->inode); at;
         at = moves->files[at - 1].next) {
        struct missing_file *file = &moves->files[at - 1];

        if (is_file (moves, file, found)) {
            file->taken = true;
            *taken_out = at;
            break;
        }
    }
    return MAIL_OK;
}

const struct missing_file *
moves_file (const struct moves *moves, size_t position)
{
    return &moves->files[position - 1];
}

/* ---- what is left -------------------------------------------------------------------------- */

struct missing_file *
moves_left_file (struct moves *moves, size_t *at)
{
    while (*at < moves->file_count) {
        struct missing_file *file = &moves->files[(*at)++];

        if (!file->taken && !file->below && !file->replaced)
            return file;
    }
    return NULL;
}

struct missing_folder *
moves_left_folder (struct moves *moves, size_t *at)
{
    while (*at < moves->missing_count) {
        struct missing_folder *missing = &moves->missing[(*at)++];

        if (missing->top && !missing->taken)
            return missing;
    }
    return NULL;
}

/* The folder that would be dropped with this one. */
static struct missing_folder *
moves_top (struct moves *moves, struct missing_folder *missing)
{
    while (!missing->top)
        missing = &moves->missing[table_get (moves->folders_by_id, missing->folder->parent) - 1];
    return missing;
}

enum mail_status
moves_withhold (struct moves *moves, uint64_t inode)
{
    enum mail_status status = moves_load (moves);
    size_t at;

    for (at = table_get (moves->files_by_inode, inode); at; at = moves->files[at - 1].next) {
        struct missing_file *file = &moves->files[at - 1];

        if (file->taken || file->stat.inode != inode)
            continue;
        if (file->below)
            moves_top (moves, &moves->missing[file->below - 1])->withheld = true;
        file->withheld = true;
    }
    for (at = table_get (moves->folders_by_inode, inode); at; at = moves->missing[at - 1].next)
        if (!moves->missing[at - 1].taken && moves->missing[at - 1].folder->stat.inode == inode)
            moves_top (moves, &moves->missing[at - 1])->withheld = true;
    return status;
}
