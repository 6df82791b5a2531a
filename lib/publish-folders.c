/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * publish-folders.c - folder records within a transaction.
 *
 * The table in memory and the documents are changed together, so that paths resolve to what this
 * transaction has made of them.
 */
#include "publish-private.h"
#include "schema.h"

#include <string.h>
#include <talloc.h>

static enum mail_status
put_folder (struct publish *publish, const struct mail_folder *folder)
{
    struct writer *writer = publish->writer;
    struct store_term type = {TERM_TYPE_FOLDER, strlen (TERM_TYPE_FOLDER)};
    size_t length;
    char *bytes = folder_record_encode (publish, folder, &length);
    struct store_value value = {SLOT_FOLDER, bytes, length};
    enum mail_status status = store_put (writer->state, folder->id, &type, 1, &value, 1, NULL, 0);
    talloc_free (bytes);
    if (status != MAIL_OK)
        return writer_fail (writer, status);
    folders_set (publish->folders, folder);
    return MAIL_OK;
}

/* The child of a folder by name (parent 0: the root), made where missing. */
static enum mail_status
child_folder (struct publish *publish, uint32_t parent, const char *name, uint32_t *id_out)
{
    const struct mail_folder *known = mail_folders_child (publish->folders, parent, name);
    if (known) {
        *id_out = known->id;
        return MAIL_OK;
    }
    struct mail_folder made = {
        .id = writer_new_docid (publish->writer), .parent = parent, .name = name};
    *id_out = made.id;
    return put_folder (publish, &made);
}

enum mail_status
publish_folder (struct publish *publish, const char *path, uint32_t *id_out)
{
    char *copy = talloc_strdup (publish, path), *rest = *path ? copy : NULL, *name;
    enum mail_status status = child_folder (publish, 0, "", id_out);
    while (status == MAIL_OK && (name = strsep (&rest, "/")) != NULL)
        status = child_folder (publish, *id_out, name, id_out);
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
    return put_folder (publish, &folder);
}

enum mail_status
publish_move_folder (struct publish *publish, uint32_t id, const char *to)
{
    const struct mail_folder *known = mail_folders_by_id (publish->folders, id);
    const char *slash = strrchr (to, '/');
    char *above = slash ? talloc_strndup (publish, to, slash - to) : talloc_strdup (publish, "");
    uint32_t parent;
    if (!known) /* another run has dropped it meanwhile: the next scan finds it new */
        return MAIL_OK;
    enum mail_status status = publish_folder (publish, above, &parent);
    talloc_free (above);
    if (status != MAIL_OK)
        return status;
    struct mail_folder moved = *mail_folders_by_id (publish->folders, id);
    moved.parent = parent;
    moved.name = slash ? slash + 1 : to;
    publish->writer->changed = true;
    return put_folder (publish, &moved);
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
    size_t count;
    if (!mail_folders_by_id (publish->folders, id))
        return MAIL_OK;
    enum mail_status status = MAIL_OK;
    for (;;) {
        const struct mail_folder *const *children =
            mail_folders_children (publish->folders, id, &count);
        if (count == 0 || status != MAIL_OK)
            break;
        status = publish_drop_folder (publish, children[0]->id);
    }
    if (status == MAIL_OK)
        status = drop_files (publish, id);
    if (status != MAIL_OK)
        return status;
    status = store_delete (publish->writer->state, id);
    if (status != MAIL_OK)
        return writer_fail (publish->writer, status);
    folders_remove (publish->folders, id);
    return MAIL_OK;
}
