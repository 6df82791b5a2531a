/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * recheck.c - remembered problems, looked at again in every run.
 *
 * What ends a problem leaves no trace in the times of its folder: the target of a link appears, a
 * right is given, a file is changed in place. So each costs a stat, relative to its folder; where
 * nothing is remembered nothing is asked. The comparison of a folder's listing leaves these names
 * to this. What the walk itself has met and told in this run is passed over.
 *
 * Comes when folders have been recognised under new names, and before new ones are looked at, as it
 * may find some.
 */
#include "scan-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <talloc.h>
#include <unistd.h>

/* ---- one name, in the folder at hand, which is open as fd ------------------------------------ */

static void
recheck_drop (struct scan *scan, const struct remembered *known)
{
    mail_changes_drop (scan->changes, known->problem->folder, known->problem->name);
}

/* Some files open, and cannot be read. */
static bool
is_readable (int folder, const char *name)
{
    int fd = openat (folder, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    char byte;
    bool readable;

    if (fd < 0)
        return false;
    readable = read (fd, &byte, 1) >= 0;
    close (fd);
    return readable;
}

static bool
is_same (const struct mail_stat *then, const struct mail_stat *now)
{
    return then->inode == now->inode && then->size == now->size && then->mtime == now->mtime &&
           (!then->ctime || then->ctime == now->ctime);
}

static void
recheck_file (struct scan *scan, int fd, const struct mail_problem *problem, const struct stat *st)
{
    struct mail_stat stat = times_from_stat (st);
    bool mended = true;

    switch (problem->reason) {
    case MAIL_REASON_DANGLING_LINK:
    case MAIL_REASON_SPECIAL_FILE:
    case MAIL_REASON_NAME_TOO_LONG:
    case MAIL_REASON_VANISHED:
        break;
    case MAIL_REASON_UNREADABLE:
        mended = is_readable (fd, problem->name);
        break;
    default:
        mended = !is_same (&problem->stat, &stat);
    }
    if (mended)
        mail_changes_add (scan->changes, scan->path, problem->name, &stat);
}

static bool
is_folder_at (int fd, const char *name)
{
    struct stat st;

    return fstatat (fd, name, &st, 0) == 0 && S_ISDIR (st.st_mode);
}

/* A folder that the index has is looked at by the walk. */
static void
recheck_folder (struct scan *scan, int fd, struct remembered *known, bool link)
{
    const char *name = known->problem->name;
    const struct look look = {.fd = fd};

    known->is_folder = true;
    if (mail_folders_child (scan->folders, known->problem->folder, name))
        return;
    if (strcmp (name, "tmp") == 0 && is_folder_at (fd, "cur") && is_folder_at (fd, "new"))
        return;
    if (link)
        fresh_link (scan, &look, name, NULL);
    else
        fresh_folder (scan, &look, name);
}

static void
recheck_name (struct scan *scan, int fd, struct remembered *known)
{
    const char *name = known->problem->name;
    struct stat st;
    bool link;

    if (look_is_too_long (scan, name))
        return;
    if (fstatat (fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
        if (errno == ENOENT)
            recheck_drop (scan, known);
        return;
    }
    link = S_ISLNK (st.st_mode);
    if (link && fstatat (fd, name, &st, 0) < 0)
        look_bad_link (scan, name, errno);
    else if (S_ISREG (st.st_mode))
        recheck_file (scan, fd, known->problem, &st);
    else if (S_ISDIR (st.st_mode))
        recheck_folder (scan, fd, known, link);
    else
        scan_problem (scan, MAIL_REASON_SPECIAL_FILE, scan->path, name, 0);
}

/* ---- all of them --------------------------------------------------------------------------- */

/* Whether a folder on the way to this one is hidden: then it is gone with all in it when the one
 * above is listed. */
static bool
is_below_hidden (const struct scan *scan, const char *path)
{
    char *copy = talloc_strdup (NULL, path), *name = copy;
    bool hidden = false;

    while (*name && !hidden) {
        char *slash = strchr (name, '/'), *end = slash ? slash : name + strlen (name);
        char *above = talloc_strndup (copy, copy, name > copy ? (size_t) (name - 1 - copy) : 0);

        *end = '\0';
        hidden = ignore_match (scan->ignore, above, name);
        if (slash)
            *slash = '/';
        name = slash ? slash + 1 : end;
    }
    talloc_free (copy);
    return hidden;
}

/* All that are remembered in one folder. */
static void
recheck_group (struct scan *scan, struct remembered *group, size_t count)
{
    void *local = talloc_new (NULL);
    char *path = tell_folder_path (local, scan, group->problem->folder);
    size_t length;
    int fd = -1;

    walk_up (scan, 0);
    if (path && !is_below_hidden (scan, path) && (!*path || walk_down (scan, path, &length)))
        fd = openat (scan->root_fd, *path ? path : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (size_t i = 0; fd >= 0 && i < count; i++) {
        if (group[i].met)
            continue;
        if (ignore_match (scan->ignore, scan->path, group[i].problem->name))
            recheck_drop (scan, &group[i]);
        else
            recheck_name (scan, fd, &group[i]);
    }
    if (fd >= 0)
        close (fd);
    walk_up (scan, 0);
    talloc_free (local);
}

void
recheck_all (struct scan *scan)
{
    struct remembered *list = scan->problems->list;
    size_t count = scan->problems->count;

    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && list[to].problem->folder == list[from].problem->folder;)
            to++;
        recheck_group (scan, &list[from], to - from);
    }
}

void
recheck_end (struct scan *scan)
{
    for (size_t i = 0; i < scan->problems->count; i++)
        if (scan->problems->list[i].is_folder && !scan->problems->list[i].met)
            recheck_drop (scan, &scan->problems->list[i]);
}
