/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan.c - the order of things.
 *
 *   1. known folders, top down: what has changed is listed and compared (walk.c, diff.c)
 *   2. unknown folders that are missing elsewhere: renamed, walked as known (fresh.c)
 *   3. remembered problems: gone, mended, or nothing new (recheck.c)
 *   4. unknown folders, then links to folders (fresh.c)
 *   5. unknown files: missing elsewhere, or new
 *   6. what is still missing: a last look (again.c), then it is dropped
 *
 * Unknown files wait for step 5 if anything is missing by the time they are found; those of a first
 * run, a million perhaps, go straight into the library's list. A scan that finds nothing leaves
 * that empty.
 */
#include "scan-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <talloc.h>
#include <unistd.h>

void *
scan_grow (struct scan *scan, void *array, size_t count, size_t size)
{
    if (array && (count + 1) * size <= talloc_get_size (array))
        return array;
    return talloc_realloc_size (scan, array, (count ? count * 2 : 16) * size);
}

/* ---- what is found ------------------------------------------------------------------------- */

void
scan_found_file (struct scan *scan, const char *folder, const char *name,
                 const struct mail_stat *stat, size_t replaced)
{
    if (moves_empty (scan->moves) && !scan->walking) {
        mail_changes_add (scan->changes, folder, name, stat);
        return;
    }
    scan->found = scan_grow (scan, scan->found, scan->found_count, sizeof *scan->found);
    scan->found[scan->found_count++] = (struct found_file){
        .folder = folder, .name = talloc_strdup (scan, name), .stat = *stat, .replaced = replaced};
}

/* A file was moved over another that is nowhere now. That one has to give up the name before, so
 * that the two are not mistaken for each other, and to keep its message until all is added. Its
 * name until then is one that no file can have. */
static void
scan_move_aside (struct scan *scan, const char *folder, const struct missing_file *old)
{
    char *aside = talloc_asprintf (NULL, "%s/", old->name);

    mail_changes_move (scan->changes, old->folder, old->name, folder, aside, &old->stat);
    mail_changes_drop (scan->changes, old->folder, aside);
    talloc_free (aside);
}

static void
scan_tell_file (struct scan *scan, const struct found_file *file)
{
    const struct missing_file *missing;

    if (!file->missing) {
        mail_changes_add (scan->changes, file->folder, file->name, &file->stat);
        return;
    }
    if (file->replaced && !moves_file (scan->moves, file->replaced)->taken)
        scan_move_aside (scan, file->folder, moves_file (scan->moves, file->replaced));
    missing = moves_file (scan->moves, file->missing);
    mail_changes_move (scan->changes, missing->folder, missing->name, file->folder, file->name,
                       &file->stat);
}

/* All folders have been looked at. */
static enum mail_status
scan_found_files (struct scan *scan)
{
    enum mail_status status = MAIL_OK;

    for (size_t i = 0; i < scan->found_count && status == MAIL_OK; i++)
        status = moves_take_file (scan->moves, &scan->found[i].stat, &scan->found[i].missing);
    for (size_t i = 0; i < scan->found_count && status == MAIL_OK; i++)
        scan_tell_file (scan, &scan->found[i]);
    return status;
}

const struct mail_folder *
scan_found_folder (struct scan *scan, const char *path, const struct mail_stat *stat)
{
    const struct mail_folder *folder = moves_take_folder (scan->moves, stat);

    if (!folder)
        return NULL;
    mail_changes_move_folder (scan->changes, folder->id, path);
    scan->renamed = scan_grow (scan, scan->renamed, scan->renamed_count, sizeof *scan->renamed);
    scan->renamed[scan->renamed_count++] =
        (struct task){.path = talloc_strdup (scan, path), .known = folder};
    return folder;
}

/* ---- the end ------------------------------------------------------------------------------- */

static void
scan_drop_missing (struct scan *scan)
{
    struct missing_folder *folder;
    struct missing_file *file;
    size_t at = 0;

    while ((file = moves_left_file (scan->moves, &at)))
        if (!file->withheld)
            mail_changes_drop (scan->changes, file->folder, file->name);
    at = 0;
    while ((folder = moves_left_folder (scan->moves, &at)))
        if (!folder->withheld)
            mail_changes_drop_folder (scan->changes, folder->folder->id);
}

static void
scan_store_folders (struct scan *scan)
{
    for (size_t i = 0; i < scan->listed_count; i++) {
        const struct listed *listed = &scan->listed[i];
        const struct mail_stat *old = listed->known ? &listed->known->stat : NULL;

        if (!old || old->mtime != listed->stored.mtime || old->ctime != listed->stored.ctime ||
            old->inode != listed->stored.inode || old->device != listed->stored.device)
            mail_changes_folder (scan->changes, listed->path, &listed->stored);
    }
}

/* ---- the beginning ------------------------------------------------------------------------- */

static int
scan_destroy (struct scan *scan)
{
    if (scan->root_fd >= 0)
        close (scan->root_fd);
    return 0;
}

static struct scan *
scan_create (struct mail_index *index, const struct scan_options *options,
             struct scan_counts *counts)
{
    struct scan *scan = talloc_zero (NULL, struct scan);

    scan->index = index;
    scan->options = options;
    scan->counts = counts;
    scan->root_fd = -1;
    scan->root = mail_index_mail_root (index);
    scan->root_length = strlen (scan->root);
    while (scan->root_length && scan->root[scan->root_length - 1] == '/')
        scan->root_length--;
    talloc_set_destructor (scan, scan_destroy);
    return scan;
}

static enum mail_status
scan_open_root (void *ctx, struct scan *scan, char **error_out)
{
    int error;

    scan->root_fd = open (scan->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (scan->root_fd >= 0)
        return MAIL_OK;
    error = errno;
    if (error_out)
        *error_out = talloc_asprintf (ctx, "cannot open '%s': %s", scan->root, strerror (error));
    if (error == EMFILE || error == ENFILE)
        return MAIL_ERROR_RESOURCES;
    return error == ENOENT || error == ENOTDIR ? MAIL_ERROR_NO_MAIL_ROOT : MAIL_ERROR_IO;
}

static enum mail_status
scan_load (struct scan *scan)
{
    enum mail_status status = mail_changes_folders (scan->changes, &scan->folders);
    size_t count;

    if (status != MAIL_OK)
        return status;
    mail_folders_list (scan->folders, &count);
    scan->counts->folders_known = count;
    scan->visited = visited_create (scan, count);
    scan->ahead = ahead_create (scan, scan->folders, scan->root_fd);
    status = problems_load (scan, scan->index, &scan->problems);
    if (status == MAIL_OK)
        scan->moves = moves_create (scan, scan->index, scan->folders, scan->problems);
    return status;
}

static enum mail_status
scan_run (struct scan *scan)
{
    const struct mail_folder *root = mail_folders_child (scan->folders, 0, "");
    enum mail_status status = MAIL_OK;

    scan->walking = true;
    if (root)
        status = walk_known_at (scan, root, "");
    else
        fresh_root (scan);
    if (status == MAIL_OK)
        status = fresh_renamed (scan);
    scan->walking = false;
    scan->counts->threads = ahead_stop (scan->ahead);
    if (status == MAIL_OK) {
        recheck_all (scan);
        status = fresh_all (scan);
    }
    if (status == MAIL_OK)
        status = scan_found_files (scan);
    if (status == MAIL_OK)
        status = again_look (scan);
    if (status != MAIL_OK)
        return status;
    recheck_end (scan);
    scan_drop_missing (scan);
    scan_store_folders (scan);
    return MAIL_OK;
}

enum mail_status
scan_mail_root (void *ctx, struct mail_index *index, const struct scan_options *options,
                struct mail_changes **changes_out, struct scan_counts *counts_out, char **error_out)
{
    struct scan *scan = scan_create (index, options, counts_out);
    enum mail_status status;

    *counts_out = (struct scan_counts){0};
    status = ignore_create (scan, options->ignore, options->ignore_count, &scan->ignore, error_out);
    if (status != MAIL_OK) {
        if (error_out)
            talloc_steal (ctx, *error_out);
        goto done;
    }
    status = scan_open_root (ctx, scan, error_out);
    if (status != MAIL_OK)
        goto done;
    scan->changes = mail_changes_create (scan, index);
    status = scan_load (scan);
    if (status == MAIL_OK)
        status = scan_run (scan);
    if (status == MAIL_OK)
        *changes_out = talloc_steal (ctx, scan->changes);
    else if (error_out)
        *error_out = talloc_strdup (ctx, mail_index_error (index));
done:
    talloc_free (scan);
    return status;
}
