/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * walk.c - the known folders, from the mail root down.
 *
 * Most runs are nothing but this: 30,000 times one stat, compared with what is stored. So a path is
 * kept in one buffer and not allocated, and the stat is relative to the descriptor of a folder not
 * far above. Opening every folder would cost a second and third call for the two sub-folders that a
 * maildir has; a path from the mail root is walked anew by the kernel each time. A descriptor is
 * opened for folders with several sub-folders and every few levels, a bounded number at a time.
 *
 * The recursion is as deep as the tree, at most PATH_MAX / 2 levels of small frames.
 */
#include "scan-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <talloc.h>
#include <unistd.h>

#define BASES_MAX 64   /* descriptors */
#define BASE_FOLDERS 3 /* so many sub-folders pay for one */
#define BASE_LEVELS 4  /* and so many levels */

struct base
walk_root (const struct scan *scan)
{
    return (struct base){.fd = scan->root_fd};
}

const char *
walk_relative (const struct scan *scan, const struct base *base)
{
    return scan->path + base->skip;
}

bool
walk_down (struct scan *scan, const char *name, size_t *length_out)
{
    size_t length = scan->path_length, name_length = strlen (name);
    size_t start = length ? length + 1 : 0;

    if (scan->root_length + 1 + start + name_length >= PATH_MAX)
        return false;
    *length_out = length;
    if (length)
        scan->path[length] = '/';
    memcpy (scan->path + start, name, name_length + 1);
    scan->path_length = start + name_length;
    return true;
}

void
walk_up (struct scan *scan, size_t length)
{
    scan->path_length = length;
    scan->path[length] = '\0';
}

struct base
walk_enter (struct scan *scan, const struct base *base, size_t count)
{
    struct base inner = *base;
    const char *relative = walk_relative (scan, base);
    int fd;

    inner.levels++;
    if (!*relative || scan->bases == BASES_MAX ||
        (count < BASE_FOLDERS && inner.levels < BASE_LEVELS))
        return inner;
    fd = openat (base->fd, relative, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return inner;
    scan->bases++;
    return (struct base){.fd = fd, .skip = scan->path_length + 1};
}

void
walk_leave (struct scan *scan, const struct base *outer, struct base *inner)
{
    if (inner->fd == outer->fd)
        return;
    close (inner->fd);
    scan->bases--;
}

bool
walk_unchanged (const struct mail_stat *stored, const struct mail_stat *stat)
{
    return stored->mtime && stored->ctime && stored->mtime == stat->mtime &&
           stored->ctime == stat->ctime && stored->inode == stat->inode;
}

/* A known folder that cannot be looked at. It is not known to be gone: its contents stay. If it is,
 * the folder above will be listed without it. */
static void
walk_failed (struct scan *scan, const struct base *base, int error)
{
    enum mail_reason reason = MAIL_REASON_UNREADABLE;
    struct stat st;

    if (error == ENOENT || error == ENOTDIR || error == ELOOP) {
        reason = MAIL_REASON_VANISHED;
        if (fstatat (base->fd, walk_relative (scan, base), &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISLNK (st.st_mode))
            reason = MAIL_REASON_DANGLING_LINK;
    } else if (error == ENAMETOOLONG) {
        reason = MAIL_REASON_NAME_TOO_LONG;
    }
    scan_problem (scan, reason, scan->path, NULL, error);
}

static bool
walk_stat (struct scan *scan, const struct base *base, struct mail_stat *stat_out)
{
    const char *relative = walk_relative (scan, base);
    struct stat st;
    int error = 0;

    scan->counts->folders_stated++;
    ahead_note (scan->ahead);
    if (fstatat (base->fd, relative, &st, *relative ? 0 : AT_EMPTY_PATH) < 0)
        error = errno;
    else if (!S_ISDIR (st.st_mode))
        error = ENOTDIR;
    if (error) {
        walk_failed (scan, base, error);
        return false;
    }
    *stat_out = times_from_stat (&st);
    return true;
}

/* Walks folders that lie in the one at hand. */
static enum mail_status
walk_below (struct scan *scan, const struct mail_folder *const *folders, size_t count,
            const struct base *base)
{
    enum mail_status status = MAIL_OK;
    struct base inner;
    size_t length;

    if (!count)
        return MAIL_OK;
    inner = walk_enter (scan, base, count);
    for (size_t i = 0; i < count && status == MAIL_OK; i++) {
        if (ignore_match (scan->ignore, scan->path, folders[i]->name))
            continue;
        if (!walk_down (scan, folders[i]->name, &length)) {
            scan_problem (scan, MAIL_REASON_NAME_TOO_LONG, scan->path, folders[i]->name,
                          ENAMETOOLONG);
            continue;
        }
        status = walk_known (scan, folders[i], &inner);
        walk_up (scan, length);
    }
    walk_leave (scan, base, &inner);
    return status;
}

static enum mail_status
walk_changed (struct scan *scan, const struct mail_folder *folder, const struct base *base)
{
    void *local = talloc_new (NULL);
    const struct mail_folder **below;
    enum mail_status status;
    size_t count;

    status = diff_known (local, scan, folder, base, &below, &count);
    if (status == MAIL_OK)
        status = walk_below (scan, below, count, base);
    talloc_free (local);
    return status;
}

enum mail_status
walk_known (struct scan *scan, const struct mail_folder *folder, const struct base *base)
{
    const struct mail_folder *const *children;
    struct mail_stat stat;
    size_t count;

    if (!walk_stat (scan, base, &stat))
        return MAIL_OK;
    visited_add (scan->visited, stat.device, stat.inode);
    if (scan->options->full || !walk_unchanged (&folder->stat, &stat))
        return walk_changed (scan, folder, base);
    children = mail_folders_children (scan->folders, folder->id, &count);
    return walk_below (scan, children, count, base);
}

enum mail_status
walk_known_at (struct scan *scan, const struct mail_folder *folder, const char *path)
{
    struct base base = walk_root (scan);
    size_t length;
    enum mail_status status = MAIL_OK;

    walk_up (scan, 0);
    if (*path && !walk_down (scan, path, &length))
        return MAIL_OK;
    status = walk_known (scan, folder, &base);
    walk_up (scan, 0);
    return status;
}
