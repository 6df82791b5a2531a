/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * diff.c - a folder's listing against its stored names: two sorted lists, merged.
 *
 * A folder of 400,000 files in which one is new costs its listing and its stored names, and one
 * stat. The record of a stored file is another read of the database, so whether the files under
 * known names are still the same is looked into only where that is cheap, or asked for.
 */
#include "scan-private.h"

#include <errno.h>
#include <string.h>
#include <talloc.h>

/* Known names are compared with their records in folders of at most so many: at 12 us each, a fifth
 * of a second. */
#define CHECK_MAX 16384

struct diff {
    struct scan *scan;
    const struct mail_folder *folder;
    struct look *look;
    const char *path; /* as the library is to know it */
    struct entry **unknown;
    size_t unknown_count;
    struct entry **known;
    size_t known_count;
    size_t missing_count;
};

/* ---- files --------------------------------------------------------------------------------- */

static void
diff_add_name (struct diff *diff, struct entry *entry, bool known)
{
    if (entry->kind == ENTRY_KEPT)
        return;
    diff->scan->counts->files_listed++;
    if (problems_find (diff->scan->problems, diff->folder->id, entry->name))
        return;
    if (known)
        diff->known[diff->known_count++] = entry;
    else
        diff->unknown[diff->unknown_count++] = entry;
}

static void
diff_miss_name (struct diff *diff, const char *name)
{
    diff->missing_count++;
    if (!diff->look->torn)
        moves_missing_file (diff->scan->moves, diff->folder->id, name, diff->look->stat.device);
}

/* Names that are remembered as problems are none of this: see recheck.c. */
static size_t
diff_without_problems (const struct diff *diff, char **names, size_t count)
{
    const struct problems *problems = diff->scan->problems;
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (!problems_find (problems, diff->folder->id, names[i]))
            names[kept++] = names[i];
    return kept;
}

static void
diff_merge_files (struct diff *diff, char **names, size_t count)
{
    const struct listing *listing = diff->look->listing;
    size_t j = 0;

    diff->unknown = talloc_array (diff, struct entry *, listing->count);
    diff->known = talloc_array (diff, struct entry *, listing->count);
    for (size_t i = 0; i < listing->count; i++) {
        struct entry *entry = &listing->entries[i];
        int order = -1;

        if (entry->kind != ENTRY_FILE && entry->kind != ENTRY_KEPT)
            continue;
        while (j < count && (order = strcmp (entry->name, names[j])) > 0)
            diff_miss_name (diff, names[j++]);
        if (j == count)
            order = -1;
        diff_add_name (diff, entry, order == 0);
        if (order == 0)
            j++;
    }
    while (j < count)
        diff_miss_name (diff, names[j++]);
}

static void
diff_stat_failed (struct diff *diff, const char *name, int error)
{
    if (error == ENOENT)
        scan_problem (diff->scan, MAIL_REASON_VANISHED, diff->path, name, error);
    else if (error != EINVAL)
        scan_problem (diff->scan, MAIL_REASON_UNREADABLE, diff->path, name, error);
}

static void
diff_unknown (struct diff *diff)
{
    listing_sort_by_inode (diff->unknown, diff->unknown_count);
    for (size_t i = 0; i < diff->unknown_count; i++) {
        const char *name = diff->unknown[i]->name;
        struct mail_stat stat;
        int error = look_file (diff->look, name, &stat);

        if (error)
            diff_stat_failed (diff, name, error);
        else
            scan_found_file (diff->scan, diff->path, name, &stat, 0);
    }
}

/* ---- files under known names --------------------------------------------------------------- */

/* A program that keeps to the rules of maildir gives no name to two files. So there only a folder
 * that has changed, while no name has, is a reason to look: a file was replaced by renaming. Not
 * where the stored times say nothing, as they do after each delivery. Messages of MH change their
 * numbers whenever the folder is sorted or packed. */
static size_t
diff_check_max (const struct diff *diff)
{
    const char *name = diff->folder->name;
    bool maildir = strcmp (name, "cur") == 0 || strcmp (name, "new") == 0;

    if (diff->scan->options->full)
        return SIZE_MAX;
    if (maildir && (diff->unknown_count || diff->missing_count || !diff->folder->stat.mtime))
        return 0;
    return CHECK_MAX;
}

/* Whether the record is of this file. In a folder that is a copy, as after moving to another disk,
 * a file of the same size and precise time is a copy too. (Within a folder that is none of it:
 * files delivered in one tick of the clock have the same time.) */
static bool
is_recorded (const struct diff *diff, const struct mail_stat *record, const struct mail_stat *stat)
{
    bool copied = diff->folder->stat.inode != diff->look->stat.inode && !diff->scan->options->full;

    if (record->size != stat->size || record->mtime != stat->mtime)
        return false;
    return record->inode == stat->inode || (copied && times_precise (stat->mtime));
}

/* A known name with another file. Either may be known under another name: messages of an MH folder
 * change their numbers when it is sorted or packed. */
static void
diff_replaced (struct diff *diff, const char *name, const struct mail_stat *record,
               const struct mail_stat *stat)
{
    size_t old = moves_replaced_file (diff->scan->moves, diff->folder->id, name,
                                      diff->look->stat.device, record);

    scan_found_file (diff->scan, diff->path, name, stat, old);
}

/* The inode alone would not do: that of a file removed is given to the next one made. */
static enum mail_status
diff_check (struct diff *diff, const struct entry *entry)
{
    struct mail_stat record, stat;
    enum mail_status status;
    bool found;
    int error;

    status =
        mail_folder_file_stat (diff->scan->index, diff->folder->id, entry->name, &record, &found);
    if (status != MAIL_OK)
        return status;
    error = look_file (diff->look, entry->name, &stat);
    if (error)
        diff_stat_failed (diff, entry->name, error);
    else if (!found)
        scan_found_file (diff->scan, diff->path, entry->name, &stat, 0);
    else if (!is_recorded (diff, &record, &stat))
        diff_replaced (diff, entry->name, &record, &stat);
    return MAIL_OK;
}

static enum mail_status
diff_known_names (struct diff *diff)
{
    enum mail_status status = MAIL_OK;

    if (diff->known_count > diff_check_max (diff))
        return MAIL_OK;
    for (size_t i = 0; i < diff->known_count && status == MAIL_OK; i++)
        status = diff_check (diff, diff->known[i]);
    return status;
}

static enum mail_status
diff_files (struct diff *diff)
{
    char **names;
    size_t count;
    enum mail_status status =
        mail_folder_files (diff, diff->scan->index, diff->folder->id, &names, &count);

    if (status != MAIL_OK)
        return status;
    diff_merge_files (diff, names, diff_without_problems (diff, names, count));
    diff_unknown (diff);
    return diff_known_names (diff);
}

/* ---- folders ------------------------------------------------------------------------------- */

/* Whether the folder is to be walked at once. */
static bool
diff_folder_found (struct diff *diff, const struct entry *entry, const struct mail_folder *known)
{
    switch (entry->kind) {
    case ENTRY_FOLDER:
        if (!known)
            fresh_folder (diff->scan, diff->look, entry->name);
        return known != NULL;
    case ENTRY_FOLDER_LINK:
        fresh_link (diff->scan, diff->look, entry->name, known);
        return false;
    default:
        return false;
    }
}

static void
diff_miss_folder (struct diff *diff, const struct mail_folder *folder)
{
    if (!diff->look->torn)
        moves_missing_folder (diff->scan->moves, folder, diff->look->stat.device);
}

static size_t
diff_merge_folders (struct diff *diff, const struct mail_folder **below)
{
    const struct listing *listing = diff->look->listing;
    const struct mail_folder *const *children;
    size_t count, j = 0, below_count = 0;

    children = mail_folders_children (diff->scan->folders, diff->folder->id, &count);
    for (size_t i = 0; i < listing->count; i++) {
        const struct entry *entry = &listing->entries[i];
        const struct mail_folder *known = NULL;

        if (entry->kind == ENTRY_NONE || entry->kind == ENTRY_FILE)
            continue;
        while (j < count && strcmp (entry->name, children[j]->name) > 0)
            diff_miss_folder (diff, children[j++]);
        if (j < count && strcmp (entry->name, children[j]->name) == 0)
            known = children[j++];
        if (diff_folder_found (diff, entry, known))
            below[below_count++] = known;
    }
    while (j < count)
        diff_miss_folder (diff, children[j++]);
    return below_count;
}

enum mail_status
diff_known (void *ctx, struct scan *scan, const struct mail_folder *folder, const struct base *base,
            const struct mail_folder ***below_out, size_t *count_out)
{
    struct diff *diff = talloc_zero (NULL, struct diff);
    enum mail_status status = MAIL_OK;
    size_t children;

    *count_out = 0;
    diff->scan = scan;
    diff->folder = folder;
    if (look_at (diff, scan, base, &diff->look))
        goto done;
    diff->path = look_listed (scan, diff->look, folder)->path;
    status = diff_files (diff);
    if (status != MAIL_OK)
        goto done;
    mail_folders_children (scan->folders, folder->id, &children);
    *below_out = talloc_array (ctx, const struct mail_folder *, children);
    *count_out = diff_merge_folders (diff, *below_out);
done:
    talloc_free (diff);
    return status;
}
