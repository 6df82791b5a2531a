/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * look.c - a folder listed, and each of its names judged.
 *
 * What cannot be told (a link to nothing, a path too long) is a problem that is told, and whatever
 * the index has under that name stays: the disk it was on may be back tomorrow. Where a later run
 * could see something else although the folder's times stay the same - a folder that is ignored now
 * - the times are not stored, and the folder is listed again next time.
 */
#include "scan-private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <talloc.h>
#include <unistd.h>

#define ATTEMPTS 3

static int
look_destroy (struct look *look)
{
    if (look->fd >= 0)
        close (look->fd);
    return 0;
}

/* The index folder counts as one that has been looked at, wherever it lies. */
static void
look_hide_index (struct scan *scan)
{
    struct stat st;

    if (scan->index_hidden)
        return;
    scan->index_hidden = true;
    if (stat (mail_index_folder (scan->index), &st) == 0)
        visited_add (scan->visited, st.st_dev, st.st_ino);
}

/* ---- judging names ------------------------------------------------------------------------- */

static void
look_untrust (struct look *look)
{
    look->trusted.mtime = look->trusted.ctime = 0;
}

static uint8_t
type_of_mode (mode_t mode)
{
    return (uint8_t) ((mode & S_IFMT) >> 12); /* IFTODT: how DT_* are defined */
}

void
look_bad_link (struct scan *scan, const char *name, int error)
{
    bool denied = error == EACCES;

    scan_problem (scan, denied ? MAIL_REASON_UNREADABLE : MAIL_REASON_DANGLING_LINK, scan->path,
                  name, error);
}

/* Follows a link. */
static enum entry_kind
look_link (struct scan *scan, struct look *look, struct entry *entry)
{
    struct stat st;

    if (fstatat (look->fd, entry->name, &st, 0) < 0) {
        look_bad_link (scan, entry->name, errno);
        return ENTRY_KEPT;
    }
    entry->inode = st.st_ino;
    if (S_ISREG (st.st_mode))
        return ENTRY_FILE;
    if (S_ISDIR (st.st_mode))
        return ENTRY_FOLDER_LINK;
    scan_problem (scan, MAIL_REASON_SPECIAL_FILE, scan->path, entry->name, 0);
    return ENTRY_NONE;
}

static enum entry_kind
look_kind (struct scan *scan, struct look *look, struct entry *entry)
{
    switch (entry->type) {
    case DT_REG:
        return ENTRY_FILE;
    case DT_DIR:
        return ENTRY_FOLDER;
    case DT_LNK:
        return look_link (scan, look, entry);
    case DT_UNKNOWN: /* only where it could not be found out */
        scan_problem (scan, MAIL_REASON_VANISHED, scan->path, entry->name, ENOENT);
        return ENTRY_KEPT;
    default:
        scan_problem (scan, MAIL_REASON_SPECIAL_FILE, scan->path, entry->name, 0);
        return ENTRY_NONE;
    }
}

static bool
is_hidden (const struct entry *entry)
{
    return entry->type != DT_REG && entry->name[0] == '.' &&
           (strcmp (entry->name, ".mailindex") == 0 || strcmp (entry->name, ".notmuch") == 0);
}

static bool
is_folder_named (struct look *look, const char *name)
{
    const struct entry *entry = listing_find (look->listing, name);
    struct stat st;

    if (!entry)
        return false;
    return entry->type == DT_DIR ||
           (entry->type == DT_LNK && fstatat (look->fd, name, &st, 0) == 0 && S_ISDIR (st.st_mode));
}

/* Files on their way into a maildir are in its tmp. */
static const struct entry *
look_maildir_tmp (struct look *look)
{
    if (!is_folder_named (look, "cur") || !is_folder_named (look, "new") ||
        !is_folder_named (look, "tmp"))
        return NULL;
    return listing_find (look->listing, "tmp");
}

bool
look_is_too_long (const struct scan *scan, const char *name)
{
    return scan->root_length + 1 + scan->path_length + 1 + strlen (name) >= PATH_MAX;
}

static void
look_judge (struct scan *scan, struct look *look)
{
    const struct entry *tmp = look_maildir_tmp (look);

    for (size_t i = 0; i < look->listing->count; i++) {
        struct entry *entry = &look->listing->entries[i];

        if (entry == tmp || is_hidden (entry))
            continue;
        if (ignore_match (scan->ignore, scan->path, entry->name)) {
            if (entry->type == DT_DIR)
                look_untrust (look);
            continue;
        }
        if (look_is_too_long (scan, entry->name)) {
            scan_problem (scan, MAIL_REASON_NAME_TOO_LONG, scan->path, entry->name, ENAMETOOLONG);
            entry->kind = ENTRY_KEPT;
            continue;
        }
        entry->kind = (uint8_t) look_kind (scan, look, entry);
    }
}

/* Some file systems do not tell what a name is. */
static void
look_types (struct look *look)
{
    struct stat st;

    for (size_t i = 0; i < look->listing->count; i++) {
        struct entry *entry = &look->listing->entries[i];

        if (entry->type == DT_UNKNOWN &&
            fstatat (look->fd, entry->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
            entry->type = type_of_mode (st.st_mode);
    }
}

/* ---- listing ------------------------------------------------------------------------------- */

/* Reads the folder, the stat first, so that what changes meanwhile makes the stored one wrong.
 * "." and not the descriptor itself: that asks for the right to reach the names, too. */
static int
look_read (struct look *look)
{
    int64_t now = times_now ();
    struct stat st;
    int error;

    if (fstatat (look->fd, ".", &st, 0) < 0 || lseek (look->fd, 0, SEEK_SET) < 0)
        return errno;
    look->stat = times_from_stat (&st);
    look->trusted = times_trusted (&look->stat, now);
    error = listing_read (look, look->fd, &look->listing);
    if (error)
        return error;
    if (fstat (look->fd, &st) < 0)
        return errno;
    look->torn = look->stat.ctime != times_from_stat (&st).ctime;
    return 0;
}

/* A name that is renamed while the folder is read may be seen twice or not at all: so read again.
 */
static int
look_read_whole (struct look *look)
{
    int error = look_read (look);

    for (int i = 1; i < ATTEMPTS && !error && look->torn; i++) {
        TALLOC_FREE (look->listing);
        error = look_read (look);
    }
    return error;
}

int
look_at (void *ctx, struct scan *scan, const struct base *base, struct look **look_out)
{
    struct look *look = talloc_zero (ctx, struct look);
    const char *relative = walk_relative (scan, base);
    int error;

    talloc_set_destructor (look, look_destroy);
    look_hide_index (scan);
    look->fd = openat (base->fd, *relative ? relative : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    error = look->fd < 0 ? errno : look_read_whole (look);
    if (error) {
        bool gone = error == ENOENT || error == ENOTDIR;

        scan_problem (scan, gone ? MAIL_REASON_VANISHED : MAIL_REASON_UNREADABLE, scan->path, NULL,
                      error);
        talloc_free (look);
        return error;
    }
    scan->counts->folders_listed++;
    look_types (look);
    look_judge (scan, look);
    *look_out = look;
    return 0;
}

int
look_file (const struct look *look, const char *name, struct mail_stat *stat_out)
{
    struct stat st;

    if (fstatat (look->fd, name, &st, 0) < 0)
        return errno;
    if (!S_ISREG (st.st_mode))
        return EINVAL;
    *stat_out = times_from_stat (&st);
    return 0;
}

struct listed *
look_listed (struct scan *scan, const struct look *look, const struct mail_folder *known)
{
    struct listed *listed;

    scan->listed = scan_grow (scan, scan->listed, scan->listed_count, sizeof *listed);
    listed = &scan->listed[scan->listed_count++];
    *listed = (struct listed){.known = known,
                              .path = talloc_strndup (scan, scan->path, scan->path_length),
                              .stat = look->stat,
                              .stored = look->trusted};
    return listed;
}
