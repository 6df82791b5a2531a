/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * writer.c - the commit protocol.
 *
 * Xapian renames its version file without syncing the folder and reuses the blocks of the revision
 * before last, so the folder state/ is synced before the first change and after each commit;
 * segments are durable in text/ before state names them. The price is about a millisecond a
 * commit; doc/design/commit.md goes through the crashes one by one.
 */
#include "writer.h"
#include "files.h"
#include "journal.h"
#include "lock.h"
#include "schema.h"
#include "snapshot.h"
#include "term.h"

#include <dirent.h>
#include <errno.h>
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <unistd.h>

enum mail_status
writer_fail (struct writer *writer, enum mail_status status)
{
    return index_fail_store (writer->index, writer->state, status);
}

static enum mail_status
sync_folder (struct mail_index *index, const char *name)
{
    char *path = talloc_asprintf (index, "%s/%s", index->folder, name);
    int error = files_sync_folder (path);
    if (error)
        index_fail (index, files_status (error), "cannot sync '%s': %s", path, strerror (error));
    talloc_free (path);
    return error ? files_status (error) : MAIL_OK;
}

/* ---- metadata ---- */

static enum mail_status
get_number (struct writer *writer, const char *key, uint64_t *number_out)
{
    char *text;
    enum mail_status status = store_metadata (writer, writer->state, key, &text, NULL);
    if (status != MAIL_OK)
        return writer_fail (writer, status);
    *number_out = strtoull (text, NULL, 10);
    talloc_free (text);
    return MAIL_OK;
}

static enum mail_status
set_text (struct writer *writer, const char *key, const char *text)
{
    enum mail_status status = store_set_metadata (writer->state, key, text, strlen (text));
    return status == MAIL_OK ? status : writer_fail (writer, status);
}

static enum mail_status
set_number (struct writer *writer, const char *key, uint64_t number)
{
    char text[24];
    snprintf (text, sizeof text, "%" PRIu64, number);
    return set_text (writer, key, text);
}

static enum mail_status
load_manifest (struct writer *writer)
{
    char *text, *error = NULL;
    enum mail_status status = store_metadata (writer, writer->state, META_MANIFEST, &text, NULL);
    if (status != MAIL_OK)
        return writer_fail (writer, status);
    writer->manifest = manifest_decode (writer, text, &error);
    if (!writer->manifest)
        return index_fail (writer->index, MAIL_ERROR_CORRUPT, "%s", error);
    return MAIL_OK;
}

static enum mail_status
load_restoring (struct writer *writer)
{
    char *text;
    enum mail_status status = store_metadata (writer, writer->state, META_RESTORING, &text, NULL);
    if (status != MAIL_OK)
        return writer_fail (writer, status);
    writer->restoring = *text != '\0';
    talloc_free (text);
    return MAIL_OK;
}

static enum mail_status
load_counters (struct writer *writer)
{
    uint64_t revision;
    enum mail_status status = get_number (writer, META_REVISION, &revision);
    if (status == MAIL_OK)
        status = get_number (writer, META_NEXT_DOCID, &writer->next_docid);
    if (status == MAIL_OK)
        status = get_number (writer, META_NEXT_THREAD, &writer->next_thread);
    if (status == MAIL_OK)
        status = get_number (writer, META_JOURNAL, &writer->journal_length);
    if (status == MAIL_OK)
        status = load_restoring (writer);
    if (status == MAIL_OK)
        status = load_manifest (writer);
    writer->revision = status == MAIL_OK ? revision + 1 : 0;
    return status;
}

/* ---- begin ---- */

static enum mail_status
open_state (struct writer *writer, enum store_open_mode mode)
{
    struct mail_index *index = writer->index;
    char *error = NULL, *path = talloc_asprintf (writer, "%s/state", index->folder);
    enum mail_status status = store_open (writer, path, mode, &writer->state, &error);
    if (status != MAIL_OK)
        return index_fail (index, status, "cannot change the index '%s': %s", index->folder, error);
    status = store_begin (writer->state);
    return status == MAIL_OK ? status : writer_fail (writer, status);
}

static enum mail_status
take_lock (struct writer *writer)
{
    struct mail_index *index = writer->index;
    char *error = NULL;
    enum mail_status status =
        lock_acquire (writer, index->folder, index->lock_timeout, index->command, &writer->lock,
                      &index->lock_wait, &error);
    return status == MAIL_OK ? status : index_fail (index, status, "%s", error);
}

/* State is closed before the lock is let go of. */
static int
writer_destroy (struct writer *writer)
{
    TALLOC_FREE (writer->state);
    TALLOC_FREE (writer->lock);
    return 0;
}

static struct writer *
new_writer (void *ctx, struct mail_index *index)
{
    struct writer *writer = talloc_zero (ctx, struct writer);
    writer->index = index;
    talloc_set_destructor (writer, writer_destroy);
    return writer;
}

enum mail_status
writer_begin (void *ctx, struct mail_index *index, struct writer **writer_out)
{
    struct writer *writer = new_writer (ctx, index);
    enum mail_status status = take_lock (writer);
    if (status == MAIL_OK)
        status = sync_folder (index, "state");
    if (status == MAIL_OK)
        status = open_state (writer, STORE_WRITE);
    if (status == MAIL_OK)
        status = load_counters (writer);
    if (status != MAIL_OK) {
        talloc_free (writer);
        return status;
    }
    lock_let_next_wait (writer->lock);
    *writer_out = writer;
    return MAIL_OK;
}

/* ---- commit ---- */

static enum mail_status
move_segments (struct writer *writer)
{
    struct mail_index *index = writer->index;
    for (size_t i = 0; i < writer->incoming_count; i++) {
        char *to = talloc_asprintf (writer, "%s/text/%s", index->folder, writer->names[i]);
        if (rename (writer->incoming[i], to) != 0)
            return index_fail (index, files_status (errno), "cannot move '%s' to '%s': %s",
                               writer->incoming[i], to, strerror (errno));
    }
    return writer->incoming_count ? sync_folder (index, "text") : MAIL_OK;
}

static enum mail_status
write_metadata (struct writer *writer)
{
    if (writer->next_docid > UINT32_MAX)
        return index_fail (writer->index, MAIL_ERROR_STORE, "no document ids are left");
    enum mail_status status = set_number (writer, META_NEXT_DOCID, writer->next_docid);
    if (status == MAIL_OK)
        status = set_number (writer, META_NEXT_THREAD, writer->next_thread);
    if (status == MAIL_OK && writer->changed)
        status = set_number (writer, META_REVISION, writer->revision);
    if (status == MAIL_OK && writer->moved_manifest)
        status = set_text (writer, META_MANIFEST, manifest_encode (writer, writer->manifest));
    return status;
}

static void
take_back_segments (struct writer *writer)
{
    for (size_t i = 0; i < writer->incoming_count; i++) {
        char *path =
            talloc_asprintf (writer, "%s/text/%s", writer->index->folder, writer->names[i]);
        remove (path);
    }
}

enum mail_status
writer_commit (struct writer *writer)
{
    struct mail_index *index = writer->index;
    enum mail_status status = move_segments (writer);
    if (status == MAIL_OK)
        status = journal_write (writer);
    if (status == MAIL_OK)
        status = write_metadata (writer);
    if (status == MAIL_OK) {
        status = store_commit (writer->state);
        if (status != MAIL_OK)
            writer_fail (writer, status);
    }
    if (status != MAIL_OK) {
        take_back_segments (writer);
        journal_take_back (writer);
    } else {
        status = sync_folder (index, "state");
    }
    talloc_free (writer);
    return status == MAIL_OK ? mail_index_refresh (index) : status;
}

/* ---- making an index ---- */

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
    enum mail_status status = set_number (writer, META_SCHEMA, SCHEMA_VERSION);
    if (status == MAIL_OK)
        status = set_text (writer, META_UUID, uuid);
    if (status == MAIL_OK && restore)
        status = set_text (writer, META_RESTORING, "1");
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
prepare_state_folder (struct mail_index *index, bool restore)
{
    enum mail_status status = MAIL_OK;
    char *folder = talloc_asprintf (index, "%s/state", index->folder);
    if (!restore && !has_content (folder, "iamglass") && snapshot_has_history (index->folder))
        status = index_fail (index, MAIL_ERROR_CORRUPT,
                             "'%s' is missing, but not what its tags can be made of", folder);
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
    struct writer *writer = new_writer (index, index);
    status = take_lock (writer);
    if (status == MAIL_OK)
        status = prepare_state_folder (index, restore);
    if (status == MAIL_OK)
        status = open_state (writer, STORE_CREATE);
    if (status == MAIL_OK)
        status = sync_folder (index, "state"); /* making it was a commit */
    if (status == MAIL_OK)
        status = get_number (writer, META_SCHEMA, &schema);
    if (status == MAIL_OK && schema == 0 && store_last_docid (writer->state) > 0)
        status = index_fail (index, MAIL_ERROR_CORRUPT, "the index '%s' is damaged", index->folder);
    if (status == MAIL_OK && schema == 0 && store_doc_count (writer->state) == 0) {
        status = write_first_metadata (writer, restore);
        if (status == MAIL_OK)
            status = write_metadata (writer);
        if (status == MAIL_OK) {
            status = store_commit (writer->state);
            if (status != MAIL_OK)
                writer_fail (writer, status);
        }
    }
    if (status == MAIL_OK)
        status = sync_folder (index, "state");
    if (status == MAIL_OK)
        status = sync_folder (index, ".");
    talloc_free (writer);
    return status;
}

/* ---- ids ---- */

uint32_t
writer_new_docid (struct writer *writer)
{
    return (uint32_t) writer->next_docid++;
}

uint64_t
writer_new_thread (struct writer *writer)
{
    return writer->next_thread++;
}

/* The lines of META_RESERVATIONS whose owners live, without the one that begins with first. */
static enum mail_status
read_reservations (struct writer *writer, uint32_t without, char **lines_out)
{
    char *text, *kept = talloc_strdup (writer, ""), *rest, *line;
    enum mail_status status =
        store_metadata (writer, writer->state, META_RESERVATIONS, &text, NULL);
    if (status != MAIL_OK)
        return writer_fail (writer, status);
    for (rest = text; (line = strsep (&rest, "\n")) != NULL && *line;) {
        uint32_t first, last;
        char owner[64];
        if (sscanf (line, "%" SCNu32 " %" SCNu32 " %63s", &first, &last, owner) == 3 &&
            first != without && scratch_is_owned (writer->index->folder, owner))
            kept = talloc_asprintf_append (kept, "%s\n", line);
    }
    *lines_out = kept;
    return MAIL_OK;
}

enum mail_status
writer_reserve (struct writer *writer, const struct scratch *scratch, uint32_t count,
                uint32_t *first_out)
{
    char *lines;
    enum mail_status status = read_reservations (writer, 0, &lines);
    if (status != MAIL_OK)
        return status;
    if (writer->next_docid + count > UINT32_MAX)
        return index_fail (writer->index, MAIL_ERROR_STORE, "no document ids are left");
    *first_out = (uint32_t) writer->next_docid;
    writer->next_docid += count;
    lines = talloc_asprintf_append (lines, "%" PRIu32 " %" PRIu32 " %s\n", *first_out,
                                    *first_out + count - 1, scratch->name);
    return set_text (writer, META_RESERVATIONS, lines);
}

enum mail_status
writer_release (struct writer *writer, uint32_t first, uint32_t last, uint32_t used)
{
    char *lines;
    enum mail_status status = read_reservations (writer, first, &lines);
    if (status != MAIL_OK)
        return status;
    if (writer->next_docid == (uint64_t) last + 1)
        writer->next_docid = (uint64_t) used + 1;
    return set_text (writer, META_RESERVATIONS, lines);
}

/* ---- segments ---- */

enum mail_status
writer_add_segment (struct writer *writer, const char *path, const struct segment *segment)
{
    struct segment named = *segment;
    named.name = talloc_asprintf (writer, "%" PRIu32 "-%" PRIu32 "-%.8s", named.first, named.last,
                                  named.sha256);
    if (!manifest_insert (writer->manifest, &named))
        return index_fail (writer->index, MAIL_ERROR_CORRUPT, "segment %s overlaps another one",
                           named.name);
    size_t at = writer->incoming_count++;
    writer->incoming = talloc_realloc (writer, writer->incoming, char *, at + 1);
    writer->names = talloc_realloc (writer, writer->names, char *, at + 1);
    writer->incoming[at] = talloc_strdup (writer, path);
    writer->names[at] = named.name;
    writer->moved_manifest = true;
    return MAIL_OK;
}

/* Place of a segment in the manifest; -1 for none. */
static long
segment_place (const struct manifest *manifest, const char *name)
{
    for (size_t i = 0; i < manifest->count; i++) {
        if (strcmp (manifest->segments[i].name, name) == 0)
            return (long) i;
    }
    return -1;
}

bool
writer_take_segments (struct writer *writer, const char *const *names, size_t count,
                      uint32_t *stale_out)
{
    *stale_out = 0;
    for (size_t i = 0; i < count; i++) {
        if (segment_place (writer->manifest, names[i]) < 0)
            return false;
    }
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t) segment_place (writer->manifest, names[i]);
        *stale_out += writer->manifest->segments[at].stale;
        manifest_remove (writer->manifest, at);
    }
    writer->moved_manifest = true;
    return true;
}

void
writer_remove_unnamed (struct writer *writer)
{
    char *folder = talloc_asprintf (writer, "%s/text", writer->index->folder);
    DIR *dir = opendir (folder);
    for (struct dirent *entry; dir && (entry = readdir (dir)) != NULL;) {
        if (entry->d_name[0] == '.' || segment_place (writer->manifest, entry->d_name) >= 0)
            continue;
        char *path = talloc_asprintf (folder, "%s/%s", folder, entry->d_name);
        unlink (path); /* fails, as it should, for the folder tmp */
    }
    if (dir)
        closedir (dir);
    talloc_free (folder);
}

void
writer_count_stale (struct writer *writer, uint32_t id)
{
    struct segment *segment = manifest_find (writer->manifest, id);
    if (segment)
        segment->stale++;
    writer->moved_manifest = true;
}

enum mail_status
writer_put_stale (struct writer *writer, uint32_t id)
{
    struct store_term stale = {TERM_TYPE_STALE, strlen (TERM_TYPE_STALE)};
    enum mail_status status = store_put (writer->state, id, &stale, 1, NULL, 0, NULL, 0);
    return status == MAIL_OK ? status : writer_fail (writer, status);
}

void
writer_values (struct writer *writer, const int64_t *date, uint64_t thread, uint64_t size,
               struct message_values *values_out)
{
    const struct {
        unsigned slot;
        uint64_t number;
        bool wanted;
    } all[4] = {{SLOT_DATE, date ? date_to_value (*date) : 0, date != NULL},
                {SLOT_THREAD, thread, true},
                {SLOT_REVISION, writer->revision, true},
                {SLOT_SIZE, size, date != NULL}};
    values_out->count = 0;
    for (size_t i = 0; i < 4; i++) {
        if (!all[i].wanted)
            continue;
        size_t at = values_out->count++;
        value_encode (all[i].number, values_out->bytes[at]);
        values_out->slots[at] = (struct store_value){all[i].slot, values_out->bytes[at], 8};
    }
}
