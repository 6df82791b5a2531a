/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * again.c - a last look, before anything is given up for lost.
 *
 * A mail program that moves a file while the scan runs, from a folder still to be listed into one
 * that has been looked at, makes a file that is nowhere; dropping it would lose its tags. So where
 * something is missing, every folder gets one more stat, and those that have changed since are
 * listed once more: what may be there is not dropped in this run, and the folder it is missing from
 * is listed again in the next.
 *
 * A run in which nothing is missing, or all that is has been found, does none of this.
 */
#include "scan-private.h"

#include <dirent.h>
#include <fcntl.h>
#include <glib.h>
#include <talloc.h>
#include <unistd.h>

struct again {
    struct scan *scan;
    GHashTable *listed; /* id of a known folder → position in scan->listed, from 1 */
    bool all; /* a folder nobody has looked into has turned up: no name is lost for sure */
};

static int
again_destroy (struct again *again)
{
    g_hash_table_destroy (again->listed);
    return 0;
}

static struct again *
again_create (struct scan *scan)
{
    struct again *again = talloc_zero (NULL, struct again);

    again->scan = scan;
    again->listed = g_hash_table_new (NULL, NULL);
    talloc_set_destructor (again, again_destroy);
    for (size_t i = 0; i < scan->listed_count; i++)
        if (scan->listed[i].known)
            g_hash_table_insert (again->listed, GUINT_TO_POINTER (scan->listed[i].known->id),
                                 GSIZE_TO_POINTER (i + 1));
    return again;
}

static struct listed *
again_listed (struct again *again, uint32_t id)
{
    size_t position = GPOINTER_TO_SIZE (g_hash_table_lookup (again->listed, GUINT_TO_POINTER (id)));

    return position ? &again->scan->listed[position - 1] : NULL;
}

/* The folder has changed since it was looked at. */
static enum mail_status
again_list (struct again *again, const struct base *base, uint64_t device)
{
    const char *relative = walk_relative (again->scan, base);
    int fd = openat (base->fd, *relative ? relative : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    enum mail_status status = MAIL_OK;
    struct listing *listing = NULL;

    /* What cannot be listed is none of this user's. */
    if (fd >= 0)
        listing_read (NULL, fd, &listing);
    for (size_t i = 0; listing && i < listing->count && status == MAIL_OK; i++) {
        const struct entry *entry = &listing->entries[i];

        status = moves_withhold (again->scan->moves, entry->inode);
        if ((entry->type == DT_DIR || entry->type == DT_UNKNOWN) &&
            !visited_has (again->scan->visited, device, entry->inode))
            again->all = true;
    }
    talloc_free (listing);
    if (fd >= 0)
        close (fd);
    return status;
}

/* Stats the folder at hand; lists it where this is not what it was. */
static enum mail_status
again_stat (struct again *again, const struct base *base, const struct mail_stat *before)
{
    const char *relative = walk_relative (again->scan, base);
    struct mail_stat now;
    struct stat st;

    again->scan->counts->folders_stated++;
    if (fstatat (base->fd, relative, &st, *relative ? 0 : AT_EMPTY_PATH) < 0 ||
        !S_ISDIR (st.st_mode))
        return MAIL_OK;
    now = times_from_stat (&st);
    if (now.inode == before->inode && now.mtime == before->mtime && now.ctime == before->ctime)
        return MAIL_OK;
    return again_list (again, base, now.device);
}

static enum mail_status
again_known (struct again *again, const struct mail_folder *folder, const struct base *base)
{
    const struct listed *listed = again_listed (again, folder->id);
    const struct mail_folder *const *children;
    struct scan *scan = again->scan;
    enum mail_status status;
    struct base inner;
    size_t count, length;

    status = again_stat (again, base, listed ? &listed->stat : &folder->stat);
    children = mail_folders_children (scan->folders, folder->id, &count);
    if (!count)
        return status;
    inner = walk_enter (scan, base, count);
    for (size_t i = 0; i < count && status == MAIL_OK; i++) {
        if (moves_is_missing (scan->moves, children[i]) ||
            ignore_match (scan->ignore, scan->path, children[i]->name) ||
            !walk_down (scan, children[i]->name, &length))
            continue;
        status = again_known (again, children[i], &inner);
        walk_up (scan, length);
    }
    walk_leave (scan, base, &inner);
    return status;
}

/* known: with all below it; else this one folder and its stat. */
static enum mail_status
again_at (struct again *again, const char *path, const struct mail_folder *known,
          const struct mail_stat *before)
{
    struct base base = walk_root (again->scan);
    enum mail_status status = MAIL_OK;
    size_t length;

    walk_up (again->scan, 0);
    if (!*path || walk_down (again->scan, path, &length))
        status = known ? again_known (again, known, &base) : again_stat (again, &base, before);
    walk_up (again->scan, 0);
    return status;
}

static enum mail_status
again_everywhere (struct again *again)
{
    struct scan *scan = again->scan;
    const struct mail_folder *root = mail_folders_child (scan->folders, 0, "");
    enum mail_status status = again_at (again, "", root, NULL);

    for (size_t i = 0; i < scan->renamed_count && status == MAIL_OK; i++)
        status = again_at (again, scan->renamed[i].path, scan->renamed[i].known, NULL);
    for (size_t i = 0; i < scan->listed_count && status == MAIL_OK; i++)
        if (!scan->listed[i].known)
            status = again_at (again, scan->listed[i].path, NULL, &scan->listed[i].stat);
    return status;
}

/* The next scan has to list the folder, to miss the name again. */
static void
again_untrust (struct again *again, uint32_t folder)
{
    struct listed *listed = again_listed (again, folder);

    if (listed)
        listed->stored.mtime = listed->stored.ctime = 0;
}

static void
again_withhold (struct again *again)
{
    struct moves *moves = again->scan->moves;
    struct missing_folder *folder;
    struct missing_file *file;
    size_t at = 0;

    while ((file = moves_left_file (moves, &at))) {
        file->withheld = file->withheld || again->all;
        if (file->withheld)
            again_untrust (again, file->folder);
    }
    at = 0;
    while ((folder = moves_left_folder (moves, &at))) {
        folder->withheld = folder->withheld || again->all;
        if (folder->withheld)
            again_untrust (again, folder->folder->parent);
    }
}

enum mail_status
again_look (struct scan *scan)
{
    enum mail_status status;
    struct again *again;
    size_t files = 0, folders = 0;

    if (!moves_left_file (scan->moves, &files) && !moves_left_folder (scan->moves, &folders))
        return MAIL_OK;
    again = again_create (scan);
    status = again_everywhere (again);
    if (status == MAIL_OK)
        again_withhold (again);
    talloc_free (again);
    return status;
}
