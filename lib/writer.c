/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * writer.c - the commit protocol.
 *
 * Xapian renames its version file without syncing the folder and reuses the blocks of the revision
 * before last, so the folder state/ is synced before the first change and after each commit;
 * segments are durable in text/ before state names them. The price is about a millisecond a
 * commit; doc/design/commit.md goes through the crashes one by one.
 */
#include "writer-private.h"
#include "files.h"
#include "journal.h"
#include "lock.h"
#include "metadata.h"
#include "schema.h"
#include "term.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>
#include <unistd.h>

enum mail_status
writer_fail (struct writer *writer, enum mail_status status)
{
    return index_fail_store (writer->index, writer->state, status);
}

enum mail_status
writer_sync_folder (struct mail_index *index, const char *name)
{
    char *path = talloc_asprintf (index, "%s/%s", index->folder, name);
    int error = files_sync_folder (path);
    if (error)
        index_fail (index, files_status (error), "cannot sync '%s': %s", path, strerror (error));
    talloc_free (path);
    return error ? files_status (error) : MAIL_OK;
}

/* ---- what state says of the index ---- */

static enum mail_status
load_manifest (struct writer *writer)
{
    char *text, *error = NULL;
    enum mail_status status = writer_get_text (writer, META_MANIFEST, &text);
    if (status != MAIL_OK)
        return status;
    writer->manifest = manifest_decode (writer, text, &error);
    if (!writer->manifest)
        return index_fail (writer->index, MAIL_ERROR_CORRUPT, "%s", error);
    return MAIL_OK;
}

static enum mail_status
load_restoring (struct writer *writer)
{
    char *text;
    enum mail_status status = writer_get_text (writer, META_RESTORING, &text);
    if (status != MAIL_OK)
        return status;
    writer->restoring = *text != '\0';
    talloc_free (text);
    return MAIL_OK;
}

/* The next id is one that nobody has reserved. */
static enum mail_status
load_next_docid (struct writer *writer)
{
    struct mail_index *index = writer->index;
    enum mail_status status = writer_get_number (writer, META_NEXT_DOCID, &writer->stored_docid);
    if (status != MAIL_OK)
        return status;
    status = reservations_read (writer, index->folder, &writer->reserved);
    if (status != MAIL_OK)
        return index_fail (index, status, "cannot read '%s/text/tmp': %s", index->folder,
                           strerror (errno));
    writer->next_docid = MAX (writer->stored_docid, reservations_end (writer->reserved));
    return MAIL_OK;
}

static enum mail_status
load_counters (struct writer *writer)
{
    uint64_t revision;
    enum mail_status status = writer_get_number (writer, META_REVISION, &revision);
    if (status == MAIL_OK)
        status = load_next_docid (writer);
    if (status == MAIL_OK)
        status = writer_get_number (writer, META_NEXT_THREAD, &writer->next_thread);
    if (status == MAIL_OK)
        status = writer_get_number (writer, META_JOURNAL, &writer->journal_length);
    if (status == MAIL_OK)
        status = load_restoring (writer);
    if (status == MAIL_OK)
        status = load_manifest (writer);
    writer->revision = status == MAIL_OK ? revision + 1 : 0;
    return status;
}

/* ---- begin ---- */

enum mail_status
writer_open_state (struct writer *writer, enum store_open_mode mode)
{
    struct mail_index *index = writer->index;
    char *error = NULL, *path = talloc_asprintf (writer, "%s/state", index->folder);
    enum mail_status status = store_open (writer, path, mode, &writer->state, &error);
    if (status != MAIL_OK)
        return index_fail (index, status, "cannot change the index '%s': %s", index->folder, error);
    if (mode != STORE_READ)
        status = store_begin (writer->state);
    return status == MAIL_OK ? status : writer_fail (writer, status);
}

enum mail_status
writer_take_lock (struct writer *writer)
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

struct writer *
writer_new (void *ctx, struct mail_index *index)
{
    struct writer *writer = talloc_zero (ctx, struct writer);
    writer->index = index;
    talloc_set_destructor (writer, writer_destroy);
    return writer;
}

static enum mail_status
begin (void *ctx, struct mail_index *index, enum store_open_mode mode, struct writer **writer_out)
{
    struct writer *writer = writer_new (ctx, index);
    enum mail_status status = writer_take_lock (writer);
    if (status == MAIL_OK && mode != STORE_READ)
        status = writer_sync_folder (index, "state");
    if (status == MAIL_OK)
        status = writer_open_state (writer, mode);
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

enum mail_status
writer_begin (void *ctx, struct mail_index *index, struct writer **writer_out)
{
    return begin (ctx, index, STORE_WRITE, writer_out);
}

enum mail_status
writer_look (void *ctx, struct mail_index *index, struct writer **writer_out)
{
    return begin (ctx, index, STORE_READ, writer_out);
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
    return writer->incoming_count ? writer_sync_folder (index, "text") : MAIL_OK;
}

enum mail_status
writer_write_metadata (struct writer *writer)
{
    if (writer->next_docid > UINT32_MAX)
        return index_fail (writer->index, MAIL_ERROR_STORE, "no document ids are left");
    enum mail_status status = writer_set_number (writer, META_NEXT_DOCID, writer->next_docid);
    if (status == MAIL_OK)
        status = writer_set_number (writer, META_NEXT_THREAD, writer->next_thread);
    if (status == MAIL_OK && writer->changed)
        status = writer_set_number (writer, META_REVISION, writer->revision);
    if (status == MAIL_OK && writer->moved_manifest)
        status =
            writer_set_text (writer, META_MANIFEST, manifest_encode (writer, writer->manifest));
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
        status = writer_write_metadata (writer);
    if (status == MAIL_OK) {
        status = store_commit (writer->state);
        if (status != MAIL_OK)
            writer_fail (writer, status);
    }
    if (status != MAIL_OK) {
        take_back_segments (writer);
        journal_take_back (writer);
    } else {
        index->blocks += writer->journal_written;
        status = writer_sync_folder (index, "state");
    }
    talloc_free (writer);
    return status == MAIL_OK ? mail_index_refresh (index) : status;
}

/* ---- what a change numbers ---- */

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
