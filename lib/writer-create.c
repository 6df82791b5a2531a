/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * writer-create.c - making an index: its folders, an empty state, and what is there already.
 *
 * Xapian takes tables without a version file for an empty database and begins anew, so what a
 * creation left that could not finish is told from a state that has lost files.
 */
#include "writer-private.h"
#include "files.h"
#include "first-import.h"
#include "metadata.h"
#include "schema.h"
#include "snapshot.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <unistd.h>

static enum mail_status
make_folder (struct mail_index *index, const char *path)
{
    if (mkdir (path, 0700) == 0 || errno == EEXIST)
        return MAIL_OK;
    return index_fail (index, files_status (errno), "cannot make '%s': %s", path, strerror (errno));
}

static enum mail_status
make_folders (struct mail_index *index)
{
    char *above = talloc_strdup (index, index->path);
    enum mail_status status = MAIL_OK;
    for (char *slash = strchr (above + 1, '/'); slash; slash = strchr (slash + 1, '/')) {
        *slash = '\0';
        mkdir (above, 0700);
        *slash = '/';
    }
    char *const paths[] = {index->path, index->folder,
                           talloc_asprintf (above, "%s/text", index->folder),
                           talloc_asprintf (above, "%s/text/tmp", index->folder),
                           talloc_asprintf (above, "%s/state", index->folder)};
    for (size_t i = 0; i < G_N_ELEMENTS (paths) && status == MAIL_OK; i++)
        status = make_folder (index, paths[i]);
    talloc_free (above);
    return status;
}

static enum mail_status
write_first_metadata (struct writer *writer, bool restore)
{
    gchar *uuid = g_uuid_string_random ();
    enum mail_status status = writer_set_number (writer, META_SCHEMA, SCHEMA_VERSION);
    if (status == MAIL_OK)
        status = writer_set_text (writer, META_UUID, uuid);
    if (status == MAIL_OK && restore)
        status = writer_set_text (writer, META_RESTORING, META_MARK);
    if (status == MAIL_OK && !first_import_was_done (writer->index->folder))
        status = writer_set_text (writer, META_FIRST_IMPORT, META_MARK);
    g_free (uuid);
    writer->next_docid = writer->next_thread = 1;
    writer->moved_manifest = true;
    writer->manifest = manifest_create (writer);
    return status;
}

static bool
has_content (const char *folder, const char *name)
{
    struct stat st;
    char *path = talloc_asprintf (NULL, "%s/%s", folder, name);
    bool has = stat (path, &st) == 0 && st.st_size > 0;
    talloc_free (path);
    return has;
}

static const char *const state_tables[] = {"postlist.glass", "docdata.glass",  "termlist.glass",
                                           "position.glass", "spelling.glass", "synonym.glass"};

/* A database without its first table, or tables without their version file: Xapian would take it
 * for an empty one and begin anew, and all tags would be gone. */
static bool
is_damaged (const char *folder)
{
    bool any = false;
    for (size_t i = 0; i < G_N_ELEMENTS (state_tables); i++)
        any |= has_content (folder, state_tables[i]);
    return any && !(has_content (folder, "iamglass") && has_content (folder, state_tables[0]));
}

/* What a creation left that could not finish (a full disk): tables without content, and no version
 * file, which is the last to come. Xapian would take them for a database and fail to open it. */
static void
remove_unfinished (const char *folder)
{
    if (has_content (folder, "iamglass"))
        return;
    for (size_t i = 0; i < G_N_ELEMENTS (state_tables); i++) {
        char *path = talloc_asprintf (NULL, "%s/%s", folder, state_tables[i]);
        unlink (path);
        talloc_free (path);
    }
}

static enum mail_status
history_remains (struct mail_index *index)
{
    return index_fail (index, MAIL_ERROR_CORRUPT,
                       "'%s/state' is missing, but not what its tags can be made of",
                       index->folder);
}

static enum mail_status
prepare_state_folder (struct mail_index *index, bool restore)
{
    enum mail_status status = MAIL_OK;
    char *folder = talloc_asprintf (index, "%s/state", index->folder);
    if (!restore && !has_content (folder, "iamglass") && snapshot_has_history (index->folder))
        status = history_remains (index);
    else if (is_damaged (folder))
        status =
            index_fail (index, MAIL_ERROR_CORRUPT, "'%s' is damaged: files are missing", folder);
    else
        remove_unfinished (folder);
    talloc_free (folder);
    return status;
}

enum mail_status
writer_create_index (struct mail_index *index, bool restore)
{
    uint64_t schema = 0;
    enum mail_status status = make_folders (index);
    if (status != MAIL_OK)
        return status;
    struct writer *writer = writer_new (index, index);
    status = writer_take_lock (writer);
    if (status == MAIL_OK)
        status = prepare_state_folder (index, restore);
    if (status == MAIL_OK)
        status = writer_open_state (writer, STORE_CREATE);
    if (status == MAIL_OK)
        status = writer_sync_folder (index, "state"); /* making it was a commit */
    if (status == MAIL_OK)
        status = writer_get_number (writer, META_SCHEMA, &schema);
    if (status == MAIL_OK && schema == 0 && store_last_docid (writer->state) > 0)
        status = index_fail (index, MAIL_ERROR_CORRUPT, "the index '%s' is damaged", index->folder);
    if (status == MAIL_OK && schema == 0 && !restore && snapshot_has_history (index->folder))
        status = history_remains (index);
    if (status == MAIL_OK && schema == 0 && store_doc_count (writer->state) == 0) {
        status = write_first_metadata (writer, restore);
        if (status == MAIL_OK)
            status = writer_write_metadata (writer);
        if (status == MAIL_OK) {
            status = store_commit (writer->state);
            if (status != MAIL_OK)
                writer_fail (writer, status);
        }
    }
    if (status == MAIL_OK)
        status = writer_sync_folder (index, "state");
    if (status == MAIL_OK)
        status = writer_sync_folder (index, ".");
    talloc_free (writer);
    return status;
}
