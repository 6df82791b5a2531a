/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tell.c - what cannot be indexed is told once, and remembered.
 *
 * A problem stands under a name in a folder; for a folder that cannot be read that is its own name
 * in the one above. What the walk meets it knows by path. Which folder of the index that is, after
 * what has moved in this run, is worked out only where anything is remembered at all.
 */
#include "scan-private.h"

#include <string.h>
#include <talloc.h>

/* ---- folders of the index by their place, as of this run ------------------------------------- */

static const struct task *
tell_renamed (const struct scan *scan, const struct mail_folder *folder)
{
    for (size_t i = 0; i < scan->renamed_count; i++)
        if (scan->renamed[i].known->id == folder->id)
            return &scan->renamed[i];
    return NULL;
}

char *
tell_folder_path (void *ctx, struct scan *scan, uint32_t id)
{
    const struct mail_folder *folder = mail_folders_by_id (scan->folders, id);
    const struct task *renamed = folder ? tell_renamed (scan, folder) : NULL;
    char *above;

    if (renamed)
        return talloc_strdup (ctx, renamed->path);
    if (!folder || moves_is_missing (scan->moves, folder))
        return NULL;
    if (!folder->parent)
        return talloc_strdup (ctx, "");
    above = tell_folder_path (ctx, scan, folder->parent);
    if (!above || !*above)
        return above ? talloc_strdup (ctx, folder->name) : NULL;
    return talloc_asprintf (ctx, "%s/%s", above, folder->name);
}

/* The folder at the first length bytes of path; 0 where the index has none. */
static uint32_t
tell_folder_id (struct scan *scan, const char *path, size_t length)
{
    const struct mail_folder *folder;
    const char *slash;
    char *name;
    uint32_t parent;

    for (size_t i = 0; i < scan->renamed_count; i++)
        if (strlen (scan->renamed[i].path) == length &&
            memcmp (scan->renamed[i].path, path, length) == 0)
            return scan->renamed[i].known->id;
    slash = length ? memrchr (path, '/', length) : NULL;
    parent = length ? tell_folder_id (scan, path, slash ? (size_t) (slash - path) : 0) : 0;
    if (length && !parent)
        return 0;
    name = talloc_strndup (NULL, slash ? slash + 1 : path,
                           slash ? length - (size_t) (slash + 1 - path) : length);
    folder = mail_folders_child (scan->folders, parent, name);
    talloc_free (name);
    return folder && !moves_is_missing (scan->moves, folder) ? folder->id : 0;
}

/* ---- telling ------------------------------------------------------------------------------- */

static void
tell (struct scan *scan, enum mail_reason reason, const char *path, int error)
{
    char *full;

    scan->counts->told += reason != MAIL_REASON_VANISHED;
    if (reason == MAIL_REASON_VANISHED || reason == MAIL_REASON_UNREADABLE)
        scan->counts->again++;
    if (!scan->options->problem)
        return;
    full = talloc_asprintf (NULL, "%.*s%s%s", (int) scan->root_length, scan->root, *path ? "/" : "",
                            path);
    scan->options->problem (scan->options->closure, reason, full, error);
    talloc_free (full);
}

/* Whether it is remembered already. Else it is to be. */
static bool
tell_remember (struct scan *scan, enum mail_reason reason, const char *path)
{
    const char *slash = strrchr (path, '/'), *name = slash ? slash + 1 : path;
    size_t length = slash ? (size_t) (slash - path) : 0;
    struct remembered *known = NULL;
    char *folder;

    if (scan->problems->count)
        known = problems_find (scan->problems, tell_folder_id (scan, path, length), name);
    if (known)
        known->met = true;
    if (known && known->problem->reason == reason)
        return true;
    folder = talloc_strndup (NULL, path, length);
    mail_changes_problem (scan->changes, folder, name, reason, &(struct mail_stat){0});
    talloc_free (folder);
    return false;
}

void
scan_problem (struct scan *scan, enum mail_reason reason, const char *path, const char *name,
              int error)
{
    char *full = talloc_asprintf (NULL, "%s%s%s", path, *path && name ? "/" : "", name ? name : "");
    bool lasting = reason != MAIL_REASON_VANISHED && *full;

    scan->counts->problems++;
    if (!lasting || !tell_remember (scan, reason, full))
        tell (scan, reason, full, error);
    else if (reason == MAIL_REASON_UNREADABLE && !name)
        scan->counts->again++; /* a folder: who knows what is in it */
    talloc_free (full);
}
