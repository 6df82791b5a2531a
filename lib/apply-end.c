/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * apply-end.c - how a transaction of the list ends, and what the last one does for the whole list.
 *
 * A folder's times go with the last of what was found in it. What concerns no single file (folders
 * that are gone, problems, folders without anything new, tombstones that are too old) goes with the
 * last transaction, whichever that is: every commit costs several syncs.
 *
 * What this run has seen may be older than what another one has recorded meanwhile, with the times
 * that the folder has now. Then nobody would look there again. So whoever changes something in a
 * folder takes those times away, unless they are the ones that this run began with.
 */
#include "apply-private.h"
#include "folders.h"

#include <talloc.h>

/* With a block of mail: else the lock would be held for long. */
#define FOLDERS_WITH_BLOCK 1000

/* ---- what the caller is told ---- */

static void
tell (struct apply *apply, const struct notice *notice)
{
    const struct mail_apply_options *options = apply->options;
    if (notice->is_problem && options->problem)
        options->problem (options->closure, notice->path, notice->status, notice->text);
    if (!notice->is_problem && options->progress &&
        !options->progress (options->closure, notice->path, notice->done,
                            apply->changes->adds->len))
        apply->stopped = true;
}

/* Now, or when the transaction has ended. */
static void
tell_in_time (struct apply *apply, struct notice notice)
{
    if (!apply->publishing) {
        tell (apply, &notice);
        return;
    }
    notice.path = notice.path ? talloc_strdup (apply, notice.path) : NULL;
    notice.text = notice.text ? talloc_strdup (apply, notice.text) : NULL;
    g_array_append_val (apply->notices, notice);
}

bool
apply_tell (struct apply *apply, const char *path)
{
    tell_in_time (apply, (struct notice){.path = (char *) path, .done = apply->counts->processed});
    return !apply->stopped;
}

void
apply_tell_problem (struct apply *apply, const char *path, enum mail_status status,
                    const char *text)
{
    tell_in_time (apply, (struct notice){(char *) path, (char *) text, true, status, 0});
}

/* ---- a transaction ---- */

enum mail_status
apply_begin (struct apply *apply, struct publish **publish_out)
{
    enum mail_status status = publish_begin (apply, apply->index, apply->options, publish_out);
    apply->publishing = status == MAIL_OK;
    return status;
}

/* The lock is free again. */
static void
tell_what_was_noted (struct apply *apply)
{
    apply->publishing = false;
    for (guint i = 0; i < apply->notices->len; i++) {
        struct notice *notice = &g_array_index (apply->notices, struct notice, i);
        tell (apply, notice);
        talloc_free (notice->path);
        talloc_free (notice->text);
    }
    g_array_set_size (apply->notices, 0);
}

enum mail_status
apply_end (struct apply *apply, struct publish *publish, enum mail_status status,
           char **culprit_out)
{
    if (status == MAIL_OK)
        status = publish_commit (publish, apply->counts, culprit_out);
    else
        talloc_free (publish);
    for (guint i = 0; status != MAIL_OK && i < apply->ending->len; i++)
        ((struct change_folder *) g_ptr_array_index (apply->ending, i))->done = false;
    g_ptr_array_set_size (apply->ending, 0);
    if (status != MAIL_OK)
        apply->ended = false;
    tell_what_was_noted (apply);
    return status;
}

/* ---- the times of folders ---- */

static enum mail_status
keep_times (struct apply *apply, struct publish *publish, struct change_folder *folder)
{
    if (!folder->listed || folder->done || folder->adds_left > 0)
        return MAIL_OK;
    folder->done = true;
    g_ptr_array_add (apply->ending, folder);
    struct mail_stat stat = folder->stat;
    if (folder->failed)
        stat.mtime = stat.ctime = 0;
    return publish_folder_stat (publish, folder->path, &stat);
}

static bool
is_recorded_as (const struct mail_folder *now, const struct mail_folder *before)
{
    return before && now->stat.mtime == before->stat.mtime &&
           now->stat.ctime == before->stat.ctime && now->stat.inode == before->stat.inode;
}

enum mail_status
apply_doubt (struct apply *apply, struct publish *publish, const struct mail_folder *folder)
{
    if (!folder || (folder->stat.mtime == 0 && folder->stat.ctime == 0) ||
        is_recorded_as (folder, mail_folders_by_id (apply->changes->known, folder->id)))
        return MAIL_OK;
    struct mail_stat stat = folder->stat;
    char *path = mail_folders_path (apply, publish_folders (publish), folder->id);
    struct change_folder *listed = changes_folder (apply->changes, path);
    stat.mtime = stat.ctime = 0;
    if (listed)
        listed->failed = true;
    enum mail_status status = publish_folder_stat (publish, path, &stat);
    talloc_free (path);
    return status;
}

enum mail_status
apply_doubt_path (struct apply *apply, struct publish *publish, const char *path)
{
    return apply_doubt (apply, publish, folders_find (publish_folders (publish), path));
}

enum mail_status
apply_doubt_parent (struct apply *apply, struct publish *publish, uint32_t id)
{
    const struct mail_folders *folders = publish_folders (publish);
    const struct mail_folder *folder = mail_folders_by_id (folders, id);
    return apply_doubt (apply, publish,
                        folder ? mail_folders_by_id (folders, folder->parent) : NULL);
}

enum mail_status
apply_finish_folder (struct apply *apply, struct publish *publish, struct change_folder *folder)
{
    return folder->later ? MAIL_OK : keep_times (apply, publish, folder);
}

/* ---- what is left for the last ---- */

static enum mail_status
publish_problems (struct apply *apply, struct publish *publish)
{
    enum mail_status status = MAIL_OK;
    GArray *problems = apply->changes->problems;
    for (size_t i = 0; status == MAIL_OK && i < problems->len; i++) {
        struct change_problem *problem = &g_array_index (problems, struct change_problem, i);
        status =
            publish_problem (publish, changes_folder_at (apply->changes, problem->folder)->path,
                             problem->name, problem->reason, &problem->stat, false);
    }
    return status;
}

static enum mail_status
drop_folders (struct apply *apply, struct publish *publish)
{
    enum mail_status status = MAIL_OK;
    GArray *drops = apply->changes->drops;
    for (size_t i = 0; status == MAIL_OK && i < drops->len; i++) {
        struct change_drop *drop = &g_array_index (drops, struct change_drop, i);
        if (drop->name)
            continue;
        status = apply_doubt_parent (apply, publish, drop->folder);
        if (status == MAIL_OK)
            status = publish_drop_folder (publish, drop->folder);
    }
    return status;
}

enum mail_status
apply_last (struct apply *apply, struct publish *publish)
{
    struct mail_changes *changes = apply->changes;
    enum mail_status status = drop_folders (apply, publish);
    apply->ended = true;
    if (status == MAIL_OK)
        status = publish_problems (apply, publish);
    for (size_t i = 0; status == MAIL_OK && i < changes->folders->len; i++)
        status = keep_times (apply, publish, changes_folder_at (changes, i));
    return status == MAIL_OK ? publish_expire_tombstones (publish) : status;
}

bool
apply_block_is_last (const struct apply *apply)
{
    const struct mail_changes *changes = apply->changes;
    return changes->drops->len == 0 && apply->deferred->len == 0 &&
           changes->folders->len <= FOLDERS_WITH_BLOCK;
}

bool
apply_has_ended (const struct apply *apply)
{
    struct mail_changes *changes = apply->changes;
    bool ended = changes->drops->len == 0 && changes->problems->len == 0;
    for (size_t i = 0; ended && i < changes->folders->len; i++) {
        struct change_folder *folder = changes_folder_at (changes, i);
        ended = folder->done || !folder->listed;
    }
    return ended || apply->ended;
}
