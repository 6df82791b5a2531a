/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * writer-segments.c - which segments a change brings and takes, and the ids reserved for them.
 */
#include "writer-private.h"
#include "schema.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <talloc.h>
#include <unistd.h>

/* ---- the folder text/ ---- */

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

/* Removes what lies in text/ and is in no manifest: left over from a run that was stopped. */
static void
remove_unnamed (struct writer *writer)
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

/* ---- reservations ---- */

static enum mail_status
reserve (struct writer *writer, void *ctx, const struct scratch *scratch, uint32_t count,
         struct reservation **reservation_out)
{
    struct mail_index *index = writer->index;
    if (writer->next_docid + count > UINT32_MAX)
        return index_fail (index, MAIL_ERROR_STORE, "no document ids are left");
    uint32_t first = (uint32_t) writer->next_docid;
    enum mail_status status =
        reservation_make (ctx, scratch, first, first + count - 1, reservation_out);
    return status == MAIL_OK ? status
                             : index_fail (index, status, "cannot write in '%s/text/tmp': %s",
                                           index->folder, strerror (errno));
}

enum mail_status
writer_reserve (struct mail_index *index, void *ctx, const struct scratch *scratch, uint32_t count,
                struct reservation **reservation_out)
{
    struct writer *writer;
    enum mail_status status = writer_look (ctx, index, &writer);
    if (status != MAIL_OK)
        return status;
    remove_unnamed (writer);
    status = reserve (writer, ctx, scratch, count, reservation_out);
    talloc_free (writer);
    return status;
}

void
writer_use_reserved (struct writer *writer, const struct reservation *reservation, uint32_t used)
{
    reservations_leave_out (writer->reserved, reservation->first);
    writer->next_docid = MAX (writer->stored_docid, (uint64_t) used + 1);
    writer->next_docid = MAX (writer->next_docid, reservations_end (writer->reserved));
}

bool
writer_range_is_free (const struct writer *writer, uint32_t first, uint32_t last)
{
    for (size_t i = 0; i < writer->manifest->count; i++) {
        const struct segment *segment = &writer->manifest->segments[i];
        if (segment->first <= last && segment->last >= first)
            return false;
    }
    return !reservations_meet (writer->reserved, first, last);
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
