/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fresh.c - folders that the index does not have: new ones, and known ones under another name.
 *
 * They wait on a stack until the known ones have been walked; by then it is known what is missing,
 * and a folder or file found here can be recognised as that. Links come last, so that a folder is
 * known by its real place where it has one below the mail root. New trees are walked without
 * recursion, each folder by its path: there the listing is what costs.
 */
#include "scan-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

/* Of a name in the folder at hand. */
static struct task
task_make (struct scan *scan, const char *name, const struct mail_folder *known,
           const struct mail_stat *stat)
{
    return (struct task){
        .path = talloc_asprintf (scan, "%s%s%s", scan->path, scan->path_length ? "/" : "", name),
        .known = known,
        .stat = *stat};
}

static void
task_push (struct scan *scan, const struct task *task)
{
    scan->fresh = scan_grow (scan, scan->fresh, scan->fresh_count, sizeof *task);
    scan->fresh[scan->fresh_count++] = *task;
}

/* Stats a name of the look; false with the problem told. */
static bool
fresh_stat (struct scan *scan, const struct look *look, const char *name, int flags,
            struct mail_stat *stat_out)
{
    struct stat st;
    int error = 0;

    scan->counts->folders_stated++;
    if (fstatat (look->fd, name, &st, flags) < 0)
        error = errno;
    else if (!S_ISDIR (st.st_mode))
        error = ENOTDIR;
    if (error)
        scan_problem (scan, error == EACCES ? MAIL_REASON_UNREADABLE : MAIL_REASON_VANISHED,
                      scan->path, name, error);
    else
        *stat_out = times_from_stat (&st);
    return !error;
}

void
fresh_folder (struct scan *scan, const struct look *look, const char *name)
{
    struct mail_stat stat;
    struct task task;

    if (!fresh_stat (scan, look, name, AT_SYMLINK_NOFOLLOW, &stat))
        return;
    task = task_make (scan, name, NULL, &stat);
    task_push (scan, &task);
}

static bool
is_below (const char *path, const char *folder)
{
    size_t length = strlen (folder);

    if (length == 1) /* "/" */
        return true;
    return strncmp (path, folder, length) == 0 && (!path[length] || path[length] == '/');
}

/* What lies in the mail root is found there; what holds the mail root would be a loop. */
static bool
link_leads_out (struct scan *scan, const char *path)
{
    char *name = talloc_asprintf (NULL, "%.*s/%s", (int) scan->root_length, scan->root, path);
    char *target = realpath (name, NULL);
    bool out = false;

    if (!scan->root_real) {
        char *real = realpath (scan->root, NULL);

        scan->root_real = talloc_strdup (scan, real ? real : scan->root);
        free (real);
    }
    if (target)
        out = !is_below (target, scan->root_real) && !is_below (scan->root_real, target);
    free (target);
    talloc_free (name);
    return out;
}

void
fresh_link (struct scan *scan, const struct look *look, const char *name,
            const struct mail_folder *known)
{
    struct mail_stat stat;
    struct task task;

    if (!fresh_stat (scan, look, name, 0, &stat))
        return;
    task = task_make (scan, name, known, &stat);
    if (!link_leads_out (scan, task.path)) {
        if (known)
            moves_missing_folder (scan->moves, known, look->stat.device);
        talloc_free (task.path);
        return;
    }
    scan->links = scan_grow (scan, scan->links, scan->links_count, sizeof *scan->links);
    scan->links[scan->links_count++] = task;
}

void
fresh_root (struct scan *scan)
{
    struct task task = {0};
    struct stat st;

    scan->counts->folders_stated++;
    if (fstatat (scan->root_fd, "", &st, AT_EMPTY_PATH) < 0) {
        scan_problem (scan, MAIL_REASON_UNREADABLE, "", NULL, errno);
        return;
    }
    task.path = talloc_strdup (scan, "");
    task.stat = times_from_stat (&st);
    task_push (scan, &task);
}

enum mail_status
fresh_renamed (struct scan *scan)
{
    enum mail_status status = MAIL_OK;

    /* The walk may note more. */
    for (size_t i = 0; i < scan->fresh_count && status == MAIL_OK; i++) {
        struct task task = scan->fresh[i];
        const struct mail_folder *known = NULL;

        if (!visited_has (scan->visited, task.stat.device, task.stat.inode))
            known = scan_found_folder (scan, task.path, &task.stat);
        if (!known)
            continue;
        status = walk_known_at (scan, known, task.path);
        /* Its place on the stack stays; it has been visited now. */
    }
    return status;
}

/* ---- new folders --------------------------------------------------------------------------- */

static void
fresh_file (struct scan *scan, const struct look *look, const char *path, const char *name)
{
    struct mail_stat stat;
    int error = look_file (look, name, &stat);

    if (!error)
        scan_found_file (scan, path, name, &stat, 0);
    else if (error != EINVAL)
        scan_problem (scan, error == ENOENT ? MAIL_REASON_VANISHED : MAIL_REASON_UNREADABLE, path,
                      name, error);
}

/* In the order of their inodes, which on a spinning disk is that of their places. */
static void
fresh_files (struct scan *scan, struct look *look, const char *path)
{
    struct entry **files = talloc_array (look, struct entry *, look->listing->count);
    size_t count = 0;

    for (size_t i = 0; i < look->listing->count; i++)
        if (look->listing->entries[i].kind == ENTRY_FILE)
            files[count++] = &look->listing->entries[i];
    scan->counts->files_listed += count;
    listing_sort_by_inode (files, count);
    for (size_t i = 0; i < count; i++)
        fresh_file (scan, look, path, files[i]->name);
}

/* Of the folders the last name first: they go on a stack. */
static void
fresh_folders (struct scan *scan, struct look *look)
{
    const struct entry *entries = look->listing->entries;

    for (size_t i = look->listing->count; i-- > 0;)
        if (entries[i].kind == ENTRY_FOLDER)
            fresh_folder (scan, look, entries[i].name);
    for (size_t i = 0; i < look->listing->count; i++)
        if (entries[i].kind == ENTRY_FOLDER_LINK)
            fresh_link (scan, look, entries[i].name, NULL);
}

/* A folder that cannot be read gets a record without times, so that every run tries it again. */
static void
fresh_unreadable (struct scan *scan, const struct task *task)
{
    struct look look = {.stat = task->stat, .trusted = task->stat};

    look.trusted.mtime = look.trusted.ctime = 0;
    look_listed (scan, &look, NULL);
}

static void
fresh_walk (struct scan *scan, const struct task *task)
{
    struct base base = walk_root (scan);
    void *local = talloc_new (NULL);
    struct look *look;
    size_t length;
    int error;

    walk_up (scan, 0);
    if (*task->path && !walk_down (scan, task->path, &length))
        goto done;
    error = look_at (local, scan, &base, &look);
    if (!error) {
        fresh_files (scan, look, look_listed (scan, look, NULL)->path);
        fresh_folders (scan, look);
    } else if (error != ENOENT && error != ENOTDIR) {
        fresh_unreadable (scan, task);
    }
    walk_up (scan, 0);
done:
    talloc_free (local);
}

static enum mail_status
fresh_task (struct scan *scan, const struct task *task)
{
    const struct mail_folder *known;

    if (!visited_add (scan->visited, task->stat.device, task->stat.inode))
        return MAIL_OK;
    known = scan_found_folder (scan, task->path, &task->stat);
    if (known)
        return walk_known_at (scan, known, task->path);
    fresh_walk (scan, task);
    return MAIL_OK;
}

/* ---- links --------------------------------------------------------------------------------- */

static enum mail_status
link_task (struct scan *scan, const struct task *task)
{
    if (visited_has (scan->visited, task->stat.device, task->stat.inode)) {
        if (task->known)
            moves_missing_folder (scan->moves, task->known, task->stat.device);
        return MAIL_OK;
    }
    return task->known ? walk_known_at (scan, task->known, task->path) : fresh_task (scan, task);
}

enum mail_status
fresh_all (struct scan *scan)
{
    enum mail_status status = MAIL_OK;

    while (status == MAIL_OK && (scan->fresh_count || scan->links_done < scan->links_count)) {
        struct task task;

        if (scan->fresh_count) {
            task = scan->fresh[--scan->fresh_count];
            status = fresh_task (scan, &task);
        } else {
            task = scan->links[scan->links_done++];
            status = link_task (scan, &task);
        }
        talloc_free (task.path);
    }
    return status;
}
