/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * apply-removals.c - what has moved and what has gone.
 *
 * Files are done in slices of a quarter of a second, with the lock let go of in between; records of
 * folders, which are few, all at once.
 */
#include "apply-private.h"
#include "clock.h"
#include "folders.h"

#include <talloc.h>
#include <unistd.h>

#define SLICE_MS 250 /* of one commit */

static enum mail_status
move_folder (struct apply *apply, struct publish *publish, const struct change_folder_move *move)
{
    bool done = false;
    enum mail_status status = apply_doubt_parent (apply, publish, move->id);
    if (status == MAIL_OK)
        status = publish_move_folder (publish, move->id, move->to, &done);
    if (status == MAIL_OK)
        status = apply_doubt_parent (apply, publish, move->id);
    struct change_folder *folder = changes_folder (apply->changes, move->to);
    if (status == MAIL_OK && !done && folder)
        folder->failed = true;
    return status;
}

/* Where the index does not have the file under its old name, it may not have it at all: another run
 * has taken it for gone. Then the next one has to find it. */
static enum mail_status
move_file (struct apply *apply, struct publish *publish, const struct change_move *move)
{
    bool done;
    struct change_folder *folder = changes_folder_at (apply->changes, move->folder);
    enum mail_status status = apply_doubt (
        apply, publish, mail_folders_by_id (publish_folders (publish), move->from_folder));
    if (status == MAIL_OK)
        status = apply_doubt_path (apply, publish, folder->path);
    if (status != MAIL_OK)
        return status;
    status = publish_move (publish, move->from_folder, move->from_name, folder->path, move->name,
                           &move->stat, &done);
    if (status == MAIL_OK && !done)
        folder->failed = true;
    return status;
}

/* All folders, then as many files as there is time for. */
static enum mail_status
move_slice (struct apply *apply, size_t *folder, size_t *file)
{
    GArray *folders = apply->changes->folder_moves, *files = apply->changes->moves;
    struct publish *publish;
    enum mail_status status = apply_begin (apply, &publish);
    if (status != MAIL_OK)
        return status;
    uint64_t end = clock_ms () + SLICE_MS; /* of work: waiting for the lock does not count */
    while (status == MAIL_OK && *folder < folders->len)
        status = move_folder (apply, publish,
                              &g_array_index (folders, struct change_folder_move, (*folder)++));
    while (status == MAIL_OK && *file < files->len) {
        status = move_file (apply, publish, &g_array_index (files, struct change_move, (*file)++));
        if (clock_ms () >= end)
            break;
    }
    bool last = *file == files->len && apply->changes->adds->len + apply->changes->drops->len == 0;
    if (status == MAIL_OK && last)
        status = apply_last (apply, publish);
    return apply_end (apply, publish, status, NULL);
}

enum mail_status
apply_moves (struct apply *apply)
{
    enum mail_status status = MAIL_OK;
    size_t folder = 0, file = 0;
    while (status == MAIL_OK && !apply->stopped &&
           (folder < apply->changes->folder_moves->len || file < apply->changes->moves->len)) {
        status = move_slice (apply, &folder, &file);
        if (status == MAIL_OK)
            apply_tell (apply, NULL);
    }
    return status;
}

/* ---- what will go ---- */

static gchar *
drop_key (uint32_t folder, const char *name)
{
    return g_strdup_printf ("%" G_GUINT32_FORMAT "/%s", folder, name ? name : "");
}

static void
note_drops (struct apply *apply)
{
    GArray *drops = apply->changes->drops;
    apply->dropped = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    for (size_t i = 0; i < drops->len; i++) {
        struct change_drop *drop = &g_array_index (drops, struct change_drop, i);
        g_hash_table_add (apply->dropped, drop_key (drop->folder, drop->name));
    }
}

static bool
is_noted (struct apply *apply, uint32_t folder, const char *name)
{
    gchar *key = drop_key (folder, name);
    bool noted = g_hash_table_contains (apply->dropped, key);
    g_free (key);
    return noted;
}

bool
apply_will_drop (struct apply *apply, const struct mail_folders *folders, uint32_t folder,
                 const char *name)
{
    size_t count;
    if (!apply->dropped)
        note_drops (apply);
    if (g_hash_table_size (apply->dropped) == 0)
        return false;
    bool dropped = is_noted (apply, folder, name);
    mail_folders_list (folders, &count);
    for (size_t steps = 0; !dropped && folder && steps <= count; steps++) {
        const struct mail_folder *known = mail_folders_by_id (folders, folder);
        dropped = is_noted (apply, folder, NULL);
        folder = known ? known->parent : 0;
    }
    return dropped;
}

/* Replaces folders to drop by their files, so that removing them can be sliced; the records
 * themselves go in the last commit. */
static enum mail_status
expand_folder (struct apply *apply, const struct mail_folders *folders, uint32_t id, GArray *drops)
{
    GArray *ids = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    enum mail_status status = MAIL_OK;
    folders_tree (folders, id, ids);
    for (guint i = 0; status == MAIL_OK && i < ids->len; i++) {
        char **names;
        size_t count;
        uint32_t folder = g_array_index (ids, uint32_t, i);
        status = mail_folder_files (apply, apply->index, folder, &names, &count);
        for (size_t k = 0; status == MAIL_OK && k < count; k++) {
            struct change_drop drop = {folder, names[k], false};
            g_array_append_val (drops, drop);
        }
    }
    g_array_unref (ids);
    return status;
}

static enum mail_status
expand_drops (struct apply *apply, GArray *drops)
{
    struct mail_folders *folders;
    GArray *asked = apply->changes->drops;
    enum mail_status status = mail_folders_load (apply, apply->index, &folders);
    for (size_t i = 0; status == MAIL_OK && i < asked->len; i++) {
        struct change_drop *drop = &g_array_index (asked, struct change_drop, i);
        if (drop->name)
            g_array_append_val (drops, *drop);
        else
            status = expand_folder (apply, folders, drop->folder, drops);
    }
    return status;
}

/* Under the lock: whether the file is there after all. */
static bool
is_back (struct apply *apply, const struct change_drop *drop)
{
    const struct mail_folders *folders = drop->if_missing ? index_folders (apply->index) : NULL;
    if (!folders || !mail_folders_by_id (folders, drop->folder))
        return false;
    void *local = talloc_new (NULL);
    char *folder = mail_folders_path (local, folders, drop->folder);
    bool is = access (apply_path (local, apply, folder, drop->name), F_OK) == 0;
    talloc_free (local);
    return is;
}

static enum mail_status
drop_file (struct apply *apply, struct publish *publish, const struct change_drop *drop)
{
    enum mail_status status =
        apply_doubt (apply, publish, mail_folders_by_id (publish_folders (publish), drop->folder));
    return status == MAIL_OK ? publish_drop (publish, drop->folder, drop->name) : status;
}

static enum mail_status
drop_slice (struct apply *apply, GArray *drops, size_t *next)
{
    struct publish *publish;
    enum mail_status status = apply_begin (apply, &publish);
    if (status != MAIL_OK)
        return status;
    uint64_t end = clock_ms () + SLICE_MS;
    while (status == MAIL_OK && *next < drops->len) {
        struct change_drop *drop = &g_array_index (drops, struct change_drop, (*next)++);
        if (!is_back (apply, drop))
            status = drop_file (apply, publish, drop);
        if (clock_ms () >= end)
            break;
    }
    if (status == MAIL_OK && *next == drops->len)
        status = apply_last (apply, publish);
    return apply_end (apply, publish, status, NULL);
}

/* A file was gone when its turn came: perhaps it has its next name by now, and what is to be
 * dropped is the one before, of the same mail. The next run, which lists the folders again, will
 * see. */
static void
put_off_drops (struct apply *apply)
{
    struct mail_changes *changes = apply->changes;
    if (apply->counts->vanished == 0 || changes->drops->len == 0)
        return;
    g_array_set_size (changes->drops, 0);
    for (size_t i = 0; i < changes->folders->len; i++)
        changes_folder_at (changes, i)->failed = true;
}

enum mail_status
apply_drops (struct apply *apply)
{
    put_off_drops (apply);
    if (apply_has_ended (apply))
        return MAIL_OK;
    GArray *drops = g_array_new (FALSE, FALSE, sizeof (struct change_drop));
    enum mail_status status = expand_drops (apply, drops);
    size_t next = 0;
    while (status == MAIL_OK && !apply->stopped && !apply->ended) {
        status = drop_slice (apply, drops, &next);
        if (status == MAIL_OK)
            apply_tell (apply, NULL);
    }
    g_array_unref (drops);
    return status;
}
