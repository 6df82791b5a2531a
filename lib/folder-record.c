/* SPDX-License-Identifier: GPL-3.0-or-later */
/* folder-record.c - writes the records of folders; who renames and removes them is
 * publish-folders.c. */
#include "folder-record.h"
#include "schema.h"

#include <string.h>
#include <talloc.h>

enum mail_status
folder_put (struct writer *writer, struct mail_folders *folders, const struct mail_folder *folder)
{
    struct store_term type = {TERM_TYPE_FOLDER, strlen (TERM_TYPE_FOLDER)};
    size_t length;
    char *bytes = folder_record_encode (writer, folder, &length);
    struct store_value value = {SLOT_FOLDER, bytes, length};
    enum mail_status status = store_put (writer->state, folder->id, &type, 1, &value, 1, NULL, 0);
    talloc_free (bytes);
    if (status != MAIL_OK)
        return writer_fail (writer, status);
    folders_set (folders, folder);
    return MAIL_OK;
}

enum mail_status
folder_make_child (struct writer *writer, struct mail_folders *folders, uint32_t parent,
                   const char *name, uint32_t *id_out)
{
    const struct mail_folder *known = mail_folders_child (folders, parent, name);
    if (known) {
        *id_out = known->id;
        return MAIL_OK;
    }
    struct mail_folder made = {.id = writer_new_docid (writer), .parent = parent, .name = name};
    *id_out = made.id;
    return folder_put (writer, folders, &made);
}
