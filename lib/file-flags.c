/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * file-flags.c - renames files so that their letters say what the tags say.
 *
 * Work expected: one file of one message while somebody reads mail; all files of a folder after a
 * restore. Folders are synced once a commit, not once a file.
 */
#include "file-flags.h"
#include "files.h"
#include "folder-record.h"
#include "index-private.h"
#include "maildir.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <unistd.h>

struct renamed {
    char *from, *to; /* absolute */
};

struct renames {
    struct mail_index *index;
    struct writer *writer; /* until it is committed */
    GArray *list;          /* of struct renamed */
};

static int
renames_destroy (struct renames *renames)
{
    g_array_unref (renames->list);
    return 0;
}

struct renames *
renames_create (void *ctx, struct writer *writer)
{
    struct renames *renames = talloc_zero (ctx, struct renames);
    renames->index = writer->index;
    renames->writer = writer;
    renames->list = g_array_new (FALSE, FALSE, sizeof (struct renamed));
    talloc_set_destructor (renames, renames_destroy);
    return renames;
}

/* A rename that takes no other file's name. */
static bool
rename_file (const char *from, const char *to)
{
    struct stat st;
    if (renameat2 (AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return true;
    /* file systems that do not know the flag */
    return (errno == EINVAL || errno == ENOSYS) && lstat (to, &st) != 0 && errno == ENOENT &&
           rename (from, to) == 0;
}

static bool
has_tag (void *closure, const char *tag)
{
    return edit_has_tag (closure, tag);
}

static char *
path_of (struct renames *renames, const struct mail_folders *folders, uint32_t folder,
         const char *name)
{
    struct mail_file file = {mail_folders_path (renames, folders, folder), name};
    return mail_file_path (renames, renames->index, &file);
}

/* The folder "cur" beside a folder "new"; made in state where only the file system has it. */
static enum mail_status
find_cur (struct renames *renames, struct mail_folders *folders, const struct mail_folder *folder,
          uint32_t *id_out, bool *found_out)
{
    struct stat st;
    char *path =
        talloc_asprintf (renames, "%s/cur", path_of (renames, folders, folder->parent, ""));
    *found_out = stat (path, &st) == 0 && S_ISDIR (st.st_mode);
    talloc_free (path);
    if (!*found_out)
        return MAIL_OK;
    return folder_make_child (renames->writer, folders, folder->parent, "cur", id_out);
}

/* Renames the file at this place of the record, if its name is not what it should be. */
static enum mail_status
follow_tags (struct renames *renames, struct edit *edit, size_t at, struct mail_folders *folders)
{
    struct mail_index *index = renames->index;
    struct record_file *file = &edit->message->record.files[at];
    const struct mail_folder *folder = mail_folders_by_id (folders, file->folder);
    bool is_new = folder && strcmp (folder->name, "new") == 0, found = true;
    uint32_t target = file->folder;
    if (!folder || (!is_new && strcmp (folder->name, "cur") != 0))
        return MAIL_OK;
    char *name = maildir_name (edit, index->flags, folder->name, file->name, has_tag, edit);
    if (!name || (!is_new && strcmp (name, file->name) == 0))
        return MAIL_OK;
    if (is_new) {
        enum mail_status status = find_cur (renames, folders, folder, &target, &found);
        if (status != MAIL_OK || !found)
            return status;
    }
    struct renamed renamed = {path_of (renames, folders, file->folder, file->name),
                              path_of (renames, folders, target, name)};
    if (!rename_file (renamed.from, renamed.to))
        return MAIL_OK;
    g_array_append_val (renames->list, renamed);
    file->folder = target;
    file->name = talloc_steal (edit->message, name);
    edit->record_changed = true;
    return MAIL_OK;
}

enum mail_status
renames_follow_tags (struct renames *renames, struct edit *edit)
{
    struct mail_index *index = renames->index;
    if (!index->flags_to_names)
        return MAIL_OK;
    if (!index_folders (index))
        return MAIL_ERROR_STORE;
    enum mail_status status = MAIL_OK;
    for (size_t i = 0; status == MAIL_OK && i < edit->message->record.file_count; i++)
        status = follow_tags (renames, edit, i, index->folders);
    return status;
}

static void
note_folder (GHashTable *seen, GPtrArray *folders, const char *path)
{
    char *folder = g_path_get_dirname (path);
    if (g_hash_table_contains (seen, folder)) {
        g_free (folder);
        return;
    }
    g_hash_table_add (seen, folder);
    g_ptr_array_add (folders, folder);
}

/* Where files have gone to first: a power cut may leave a file under two names, and not under none.
 */
enum mail_status
renames_sync (struct renames *renames)
{
    struct mail_index *index = renames->index;
    GHashTable *seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    GPtrArray *folders = g_ptr_array_new ();
    enum mail_status status = MAIL_OK;
    for (guint i = 0; i < renames->list->len; i++)
        note_folder (seen, folders, g_array_index (renames->list, struct renamed, i).to);
    for (guint i = 0; i < renames->list->len; i++)
        note_folder (seen, folders, g_array_index (renames->list, struct renamed, i).from);
    for (guint i = 0; status == MAIL_OK && i < folders->len; i++) {
        int error = files_sync_folder (g_ptr_array_index (folders, i));
        if (error)
            status = index_fail (index, files_status (error), "cannot sync '%s': %s",
                                 (char *) g_ptr_array_index (folders, i), strerror (error));
    }
    g_ptr_array_unref (folders);
    g_hash_table_destroy (seen);
    return status;
}

void
renames_undo (struct renames *renames)
{
    for (guint i = renames->list->len; i > 0; i--) {
        struct renamed *renamed = &g_array_index (renames->list, struct renamed, i - 1);
        rename_file (renamed->to, renamed->from);
    }
    g_array_set_size (renames->list, 0);
    TALLOC_FREE (renames->index->folders); /* records of folders have not come to be */
}
