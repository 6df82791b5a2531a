/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * folders.c - the table of folders, read in one pass over their column.
 *
 * Work expected: 30,000 folders loaded by every `new` and every folder: or path: query, each looked
 * up once or twice; and as many added one by one by a first run. A hash table by id; one by parent
 * and name, and an array sorted by them, each made when first asked for.
 */
#include "folders.h"
#include "index-private.h"
#include "problem.h"
#include "record.h"
#include "schema.h"
#include "term.h"

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

struct mail_folders {
    struct mail_folder *list; /* by ascending id, until something is added */
    size_t count, room;
    GHashTable *by_id;                    /* id -> index in list + 1 */
    const struct mail_folder **by_parent; /* sorted by (parent, name); NULL when out of date */
    GHashTable *by_place;                 /* struct place -> index in list + 1; NULL: not made */
};

/* Where a folder is. */
struct place {
    uint32_t parent;
    const char *name; /* belongs to the folder */
};

static guint
hash_place (gconstpointer key)
{
    const struct place *place = key;
    return g_str_hash (place->name) ^ (place->parent * 2654435761u);
}

static gboolean
same_place (gconstpointer a, gconstpointer b)
{
    const struct place *left = a, *right = b;
    return left->parent == right->parent && strcmp (left->name, right->name) == 0;
}

static int
folders_destroy (struct mail_folders *folders)
{
    g_hash_table_destroy (folders->by_id);
    if (folders->by_place)
        g_hash_table_destroy (folders->by_place);
    return 0;
}

static struct mail_folders *
folders_create (void *ctx)
{
    struct mail_folders *folders = talloc_zero (ctx, struct mail_folders);
    folders->by_id = g_hash_table_new (NULL, NULL);
    talloc_set_destructor (folders, folders_destroy);
    return folders;
}

static size_t
find_index (const struct mail_folders *folders, uint32_t id)
{
    return GPOINTER_TO_SIZE (g_hash_table_lookup (folders->by_id, GSIZE_TO_POINTER (id)));
}

static void
note_place (struct mail_folders *folders, size_t at)
{
    const struct mail_folder *folder = &folders->list[at - 1];
    struct place *place = g_new (struct place, 1);
    *place = (struct place){folder->parent, folder->name};
    g_hash_table_replace (folders->by_place, place, GSIZE_TO_POINTER (at));
}

static void
forget_place (struct mail_folders *folders, size_t at)
{
    const struct mail_folder *folder = &folders->list[at - 1];
    struct place place = {folder->parent, folder->name};
    if (folders->by_place)
        g_hash_table_remove (folders->by_place, &place);
}

const struct mail_folder *
folders_set (struct mail_folders *folders, const struct mail_folder *folder)
{
    size_t at = find_index (folders, folder->id);
    if (at == 0) {
        if (folders->count == folders->room) {
            folders->room = folders->room ? 2 * folders->room : 64;
            folders->list =
                talloc_realloc (folders, folders->list, struct mail_folder, folders->room);
        }
        at = ++folders->count;
        g_hash_table_insert (folders->by_id, GSIZE_TO_POINTER (folder->id), GSIZE_TO_POINTER (at));
    } else {
        forget_place (folders, at);
    }
    folders->list[at - 1] = *folder;
    folders->list[at - 1].name = talloc_strdup (folders, folder->name);
    if (folders->by_place)
        note_place (folders, at);
    TALLOC_FREE (folders->by_parent);
    return &folders->list[at - 1];
}

void
folders_remove (struct mail_folders *folders, uint32_t id)
{
    size_t at = find_index (folders, id);
    if (at == 0)
        return;
    g_hash_table_remove (folders->by_id, GSIZE_TO_POINTER (id));
    forget_place (folders, at);
    folders->list[at - 1] = folders->list[--folders->count];
    if (at - 1 < folders->count) {
        g_hash_table_insert (folders->by_id, GSIZE_TO_POINTER (folders->list[at - 1].id),
                             GSIZE_TO_POINTER (at));
        if (folders->by_place)
            note_place (folders, at);
    }
    TALLOC_FREE (folders->by_parent);
}

static bool
note_folder (void *closure, uint32_t id, const char *value, size_t length)
{
    struct mail_folders *folders = closure;
    struct mail_folder folder;
    if (folder_record_decode (folders, value, length, &folder)) {
        char *name = (char *) folder.name;
        folder.id = id;
        folders_set (folders, &folder);
        talloc_free (name);
    }
    return true;
}

enum mail_status
folders_read (void *ctx, struct store *state, struct mail_folders **folders_out)
{
    struct mail_folders *folders = folders_create (ctx);
    enum mail_status status = store_each_value (state, SLOT_FOLDER, note_folder, folders);
    if (status != MAIL_OK) {
        talloc_free (folders);
        return status;
    }
    *folders_out = folders;
    return MAIL_OK;
}

enum mail_status
mail_folders_load (void *ctx, struct mail_index *index, struct mail_folders **folders_out)
{
    unsigned attempt = 0;
    enum mail_status status;
    do {
        status = folders_read (ctx, index->state, folders_out);
        if (status != MAIL_OK)
            index_fail_store (index, index->state, status);
    } while (index_retry (index, &status, &attempt));
    return status;
}

const struct mail_folder *
mail_folders_list (const struct mail_folders *folders, size_t *count_out)
{
    *count_out = folders->count;
    return folders->list;
}

const struct mail_folder *
mail_folders_by_id (const struct mail_folders *folders, uint32_t id)
{
    size_t at = find_index (folders, id);
    return at ? &folders->list[at - 1] : NULL;
}

static int
compare_place (const void *a, const void *b)
{
    const struct mail_folder *left = *(const struct mail_folder *const *) a;
    const struct mail_folder *right = *(const struct mail_folder *const *) b;
    if (left->parent != right->parent)
        return left->parent < right->parent ? -1 : 1;
    return strcmp (left->name, right->name);
}

static void
sort_by_parent (const struct mail_folders *constant)
{
    struct mail_folders *folders = (struct mail_folders *) constant;
    if (folders->by_parent)
        return;
    folders->by_parent = talloc_array (folders, const struct mail_folder *, folders->count + 1);
    for (size_t i = 0; i < folders->count; i++)
        folders->by_parent[i] = &folders->list[i];
    qsort (folders->by_parent, folders->count, sizeof *folders->by_parent, compare_place);
}

/* First place in by_parent that is not before (parent, name). */
static size_t
lower_bound (const struct mail_folders *folders, uint32_t parent, const char *name)
{
    struct mail_folder wanted = {.parent = parent, .name = name};
    const struct mail_folder *key = &wanted;
    size_t low = 0, high = folders->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_place (&folders->by_parent[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct mail_folder *
mail_folders_child (const struct mail_folders *constant, uint32_t parent, const char *name)
{
    struct mail_folders *folders = (struct mail_folders *) constant;
    struct place place = {parent, name};
    if (!folders->by_place) {
        folders->by_place = g_hash_table_new_full (hash_place, same_place, g_free, NULL);
        for (size_t at = 1; at <= folders->count; at++)
            note_place (folders, at);
    }
    size_t at = GPOINTER_TO_SIZE (g_hash_table_lookup (folders->by_place, &place));
    return at ? &folders->list[at - 1] : NULL;
}

const struct mail_folder *const *
mail_folders_children (const struct mail_folders *folders, uint32_t parent, size_t *count_out)
{
    sort_by_parent (folders);
    size_t start = lower_bound (folders, parent, ""), end = start;
    while (end < folders->count && folders->by_parent[end]->parent == parent)
        end++;
    *count_out = end - start;
    return folders->by_parent + start;
}

void
folders_tree (const struct mail_folders *folders, uint32_t id, GArray *ids)
{
    size_t count;
    guint first = ids->len;
    g_array_append_val (ids, id);
    /* the bound ends a circle in a damaged table */
    for (guint i = first; i < ids->len && ids->len - first <= folders->count; i++) {
        const struct mail_folder *const *children =
            mail_folders_children (folders, g_array_index (ids, uint32_t, i), &count);
        for (size_t k = 0; k < count; k++)
            g_array_append_val (ids, children[k]->id);
    }
}

char *
mail_folders_path (void *ctx, const struct mail_folders *folders, uint32_t id)
{
    const struct mail_folder *folder = mail_folders_by_id (folders, id);
    char *path = talloc_strdup (ctx, "");
    /* the bound ends a circle in a damaged table */
    for (size_t steps = 0; folder && folder->parent && steps <= folders->count; steps++) {
        char *longer = *path ? talloc_asprintf (ctx, "%s/%s", folder->name, path)
                             : talloc_strdup (ctx, folder->name);
        talloc_free (path);
        path = longer;
        folder = mail_folders_by_id (folders, folder->parent);
    }
    return path;
}

const struct mail_folder *
folders_find (const struct mail_folders *folders, const char *path)
{
    const struct mail_folder *folder = mail_folders_child (folders, 0, "");
    char *copy = talloc_strdup (NULL, path), *rest = copy, *name;
    if (*path == '\0')
        rest = NULL;
    while (folder && (name = strsep (&rest, "/")) != NULL)
        folder = mail_folders_child (folders, folder->id, name);
    talloc_free (copy);
    return folder;
}
