/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * publish-folders.c - folder records within a transaction.
 *
 * The table in memory and the documents are changed together, so that paths resolve to what this
 * transaction has made of them.
 */
#include "folder-record.h"
#include "publish-private.h"

#include <string.h>
#include <talloc.h>

enum mail_status
publish_folder (struct publish *publish, const char *path, uint32_t *id_out)
{
    char *copy = talloc_strdup (publish, path), *rest = *path ? copy : NULL, *name;
    enum mail_status status = folder_make_child (publish->writer, publish->folders, 0, "", id_out);
    while (status == MAIL_OK && (name = strsep (&rest, "/")) != NULL)
        status = folder_make_child (publish->writer, publish->folders, *id_out, name, id_out);
    talloc_free (copy);
    return status;
}

enum mail_status
publish_folder_stat (struct publish *publish, const char *path, const struct mail_stat *stat)
{
    uint32_t id;
    enum mail_status status = publish_folder (publish, path, &id);
    if (status != MAIL_OK)
        return status;
    struct mail_folder folder = *mail_folders_by_id (publish->folders, id);
    if (folder.stat.inode == stat->inode && folder.stat.device == stat->device &&
        folder.stat.mtime == stat->mtime && folder.stat.ctime == stat->ctime)
        return MAIL_OK;
    folder.stat = *stat;
    return folder_put (publish->writer, publish->folders, &folder);
}

static bool
may_move (struct publish *publish, uint32_t id, const char *to)
{
    if (!mail_folders_by_id (publish->folders, id))
        return false;
    char *from = mail_folders_path (publish, publish->folders, id);
    size_t length = strlen (from);
    bool into_itself = strncmp (to, from, length) == 0 && to[length] == '/';
    const struct mail_folder *other = folders_find (publish->folders, to);
    talloc_free (from);
    return !into_itself && (!other || other->id == id);
}

enum mail_status
publish_move_folder (struct publish *publish, uint32_t id, const char *to, bool *done_out)
{
    const char *slash = strrchr (to, '/');
    uint32_t parent;
    *done_out = may_move (publish, id, to);
    if (!*done_out)
        return MAIL_OK;
    char *above = slash ? talloc_strndup (publish, to, slash - to) : talloc_strdup (publish, "");
    enum mail_status status = publish_folder (publish, above, &parent);
    talloc_free (above);
    if (status != MAIL_OK)
        return status;
    struct mail_folder moved = *mail_folders_by_id (publish->folders, id);
    moved.parent = parent;
    moved.name = slash ? slash + 1 : to;
    publish->writer->changed = true;
    return folder_put (publish->writer, publish->folders, &moved);
}

static enum mail_status
drop_files (struct publish *publish, uint32_t id)
{
    char **names;
    size_t count;
    struct writer *writer = publish->writer;
    enum mail_status status = folders_read_files (publish, writer->state, id, &names, &count);
    if (status != MAIL_OK)
        return writer_fail (writer, status);
    for (size_t i = 0; status == MAIL_OK && i < count; i++)
        status = publish_drop (publish, id, names[i]);
    talloc_free (names);
    return status;
}

enum mail_status
publish_drop_folder (struct publish *publish, uint32_t id)
{
    enum mail_status status = MAIL_OK;
    if (!mail_folders_by_id (publish->folders, id))
        return MAIL_OK;
    GArray *ids = g_array_new (FALSE, FALSE, sizeof id);
    folders_tree (publish->folders, id, ids);
    for (guint i = ids->len; status == MAIL_OK && i > 0; i--) {
        uint32_t each = g_array_index (ids, uint32_t, i - 1);
        status = drop_files (publish, each);
        if (status == MAIL_OK) {
            status = store_delete (publish->writer->state, each);
            if (status != MAIL_OK)
                writer_fail (publish->writer, status);
        }
    }
    for (guint i = 0; status == MAIL_OK && i < ids->len; i++)
        folders_remove (publish->folders, g_array_index (ids, uint32_t, i));
    g_array_unref (ids);
    return status;
}
