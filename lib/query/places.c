/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * places.c - finds folders by what a query says of their path.
 *
 * State has no terms for paths; a query's folders are looked up in the table of folders, which is
 * small. Exact paths walk down from the mail root; only wildcards look at every folder.
 */
#include "query/places.h"
#include "folders.h"
#include <string.h>
#include <talloc.h>

static void
add (void *ctx, struct idset *set, uint32_t id)
{
    size_t room = set->ids != NULL ? talloc_array_length (set->ids) : 0;

    if (set->count == room)
        set->ids = talloc_realloc (ctx, set->ids, uint32_t, room * 2 + 4);
    set->ids[set->count++] = id;
}

static void
add_below (void *ctx, const struct mail_folders *folders, struct idset *set, uint32_t id)
{
    size_t next = set->count, count, total;

    mail_folders_list (folders, &total);
    add (ctx, set, id);
    /* the bound ends a circle in a damaged table */
    for (; next < set->count && set->count <= total; next++) {
        uint32_t parent = set->ids[next];
        const struct mail_folder *const *children = mail_folders_children (folders, parent, &count);
        for (size_t i = 0; i < count; i++)
            add (ctx, set, children[i]->id);
    }
}

static struct idset
finish (struct idset set)
{
    set.count = idset_normalise (set.ids, set.count);
    return set;
}

struct idset
places_by_path (void *ctx, const struct mail_folders *folders, const char *path)
{
    size_t length = strlen (path);
    bool below = length >= 3 && strcmp (path + length - 3, "/**") == 0;
    char *top = talloc_strndup (ctx, path, below ? length - 3 : length);
    const struct mail_folder *folder = folders_find (folders, top);
    struct idset set = {0};

    if (folder != NULL && below)
        add_below (ctx, folders, &set, folder->id);
    else if (folder != NULL)
        add (ctx, &set, folder->id);
    talloc_free (top);
    return finish (set);
}

static bool
is_maildir_part (const char *name)
{
    return strcmp (name, "cur") == 0 || strcmp (name, "new") == 0;
}

struct idset
places_by_folder (void *ctx, const struct mail_folders *folders, const char *path)
{
    static const char *const parts[] = {"cur", "new"};
    const struct mail_folder *folder = folders_find (folders, path);
    const struct mail_folder *part;
    struct idset set = {0};

    if (folder == NULL)
        return set;
    if (!is_maildir_part (folder->name))
        add (ctx, &set, folder->id);
    for (size_t i = 0; i < 2; i++) {
        part = mail_folders_child (folders, folder->id, parts[i]);
        if (part != NULL)
            add (ctx, &set, part->id);
    }
    return finish (set);
}

struct idset
places_by_start (void *ctx, const struct mail_folders *folders, const char *start)
{
    size_t count, length = strlen (start);
    const struct mail_folder *list = mail_folders_list (folders, &count);
    struct idset set = {0};

    for (size_t i = 0; i < count; i++) {
        char *path = mail_folders_path (NULL, folders, list[i].id);
        if (strncmp (path, start, length) == 0)
            add (ctx, &set, list[i].id);
        talloc_free (path);
    }
    return finish (set);
}

/* Takes off a last "cur" or "new". */
static void
strip_maildir_part (char *path)
{
    char *slash = strrchr (path, '/');
    char *name = slash != NULL ? slash + 1 : path;

    if (is_maildir_part (name))
        *(slash != NULL ? slash : path) = '\0';
}

struct idset
places_by_start_of (void *ctx, const struct mail_folders *folders, const char *start, bool without)
{
    size_t count, length = strlen (start);
    const struct mail_folder *list = mail_folders_list (folders, &count);
    struct idset set = {0};

    for (size_t i = 0; i < count; i++) {
        char *path = mail_folders_path (NULL, folders, list[i].id);
        if (without)
            strip_maildir_part (path);
        if (strncmp (path, start, length) == 0)
            add (ctx, &set, list[i].id);
        talloc_free (path);
    }
    return finish (set);
}

struct idset
places_by_regex (void *ctx, const struct mail_folders *folders, const regex_t *regex, bool without)
{
    size_t count;
    const struct mail_folder *list = mail_folders_list (folders, &count);
    struct idset set = {0};

    for (size_t i = 0; i < count; i++) {
        char *path = mail_folders_path (NULL, folders, list[i].id);
        if (without)
            strip_maildir_part (path);
        if (regexec (regex, path, 0, NULL, 0) == 0)
            add (ctx, &set, list[i].id);
        talloc_free (path);
    }
    return finish (set);
}
