/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * merge.c - keeps the number of segments small.
 *
 * Every query looks into every segment, so there must be few; every merge writes its bytes again,
 * so there must be few merges, and of like sizes. Nothing is merged while there are not too many.
 * Then those neighbours become one that are the cheapest for what they bring: few bytes, and many
 * segments less. How much many should count was found by trying it out: with its cube a thousand
 * small runs write each byte about three times, with the number itself fifteen times, since then
 * the same large segment is merged with each small one that comes next to it.
 *
 * Only neighbours in order of ids are merged, and never across a reservation: ranges must not
 * interleave, or they could never be merged again.
 */
#include "merge.h"
#include "lock.h"
#include "reservations.h"
#include "schema.h"
#include "writer.h"

#include <glib.h>
#include <math.h>
#include <string.h>
#include <sys/statvfs.h>
#include <talloc.h>
#include <unistd.h>

#define SEGMENTS_MAX 12
#define SEGMENTS_IMPORTED 8

static uint64_t
sum_bytes (const struct manifest *manifest, size_t first, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += manifest->segments[first + i].bytes;
    return sum;
}

void
merge_choose (const struct manifest *manifest, const struct reservations *reserved, uint64_t limit,
              enum merge_goal goal, size_t *first_out, size_t *count_out)
{
    size_t most = goal == MERGE_IMPORTED ? SEGMENTS_IMPORTED : SEGMENTS_MAX;
    size_t left = goal == MERGE_IMPORTED ? SEGMENTS_IMPORTED : 1; /* no merge makes them fewer */
    const struct segment *list = manifest->segments;
    double best = INFINITY;
    *count_out = 0;
    for (size_t first = 0; manifest->count > most && first < manifest->count; first++) {
        uint64_t bytes = list[first].bytes;
        for (size_t count = 2; count <= manifest->count - MAX (left - 1, first); count++) {
            const struct segment *last = &list[first + count - 1];
            double fewer = (double) (count - 1), cube = fewer * fewer * fewer;
            bytes += last->bytes;
            if (bytes > limit || reservations_meet (reserved, list[first].first, last->last))
                break;
            if ((double) bytes / cube >= best)
                continue;
            best = (double) bytes / cube;
            *first_out = first;
            *count_out = count;
        }
    }
}

/* The most neighbours that no reservation parts. */
static void
choose_all (const struct manifest *manifest, const struct reservations *reserved, size_t *first_out,
            size_t *count_out)
{
    size_t first = 0;
    *count_out = 0;
    for (size_t i = 1; i < manifest->count; i++) {
        if (reservations_meet (reserved, manifest->segments[first].first,
                               manifest->segments[i].last))
            first = i;
        else if (i - first >= *count_out) {
            *first_out = first;
            *count_out = i - first + 1;
        }
    }
}

/* ---- doing one ---- */

static bool
has_room (struct mail_index *index, uint64_t bytes)
{
    struct statvfs fs;
    return statvfs (index->folder, &fs) != 0 || fs.f_bavail * fs.f_frsize >= 2 * bytes;
}

struct merge {
    struct mail_index *index;
    int lock; /* descriptor of the file "merge" */
    struct reservations *reserved;
    const char **names; /* of the sources */
    const char **paths;
    size_t count;
    struct segment result;
    char *path;
};

static int
merge_destroy (struct merge *merge)
{
    if (merge->lock >= 0)
        close (merge->lock);
    return 0;
}

static bool
take_lock (struct merge *merge)
{
    char *path = talloc_asprintf (NULL, "%s/merge", merge->index->folder);
    bool taken = lock_file_try (path, &merge->lock) == MAIL_OK;
    talloc_free (path);
    return taken;
}

static void
name_sources (struct merge *merge, struct scratch *scratch, size_t first)
{
    const struct manifest *manifest = merge->index->manifest;
    merge->names = talloc_array (merge, const char *, merge->count);
    merge->paths = talloc_array (merge, const char *, merge->count);
    for (size_t i = 0; i < merge->count; i++) {
        const struct segment *segment = &manifest->segments[first + i];
        merge->names[i] = talloc_strdup (merge, segment->name);
        merge->paths[i] =
            talloc_asprintf (merge, "%s/text/%s", merge->index->folder, merge->names[i]);
        merge->result.documents += segment->documents;
    }
    merge->result.first = manifest->segments[first].first;
    merge->result.last = manifest->segments[first + merge->count - 1].last;
    merge->path = talloc_asprintf (merge, "%s/merged", scratch->path);
    unlink (merge->path);
}

/* With the right to merge, and the manifest of now: what another merge had under way when this one
 * was thought of is no more. */
static struct merge *
begin (void *ctx, struct mail_index *index)
{
    struct merge *merge = talloc_zero (ctx, struct merge);
    merge->index = index;
    merge->lock = -1;
    talloc_set_destructor (merge, merge_destroy);
    if (!take_lock (merge) || mail_index_refresh (index) != MAIL_OK ||
        reservations_read (merge, index->folder, &merge->reserved) != MAIL_OK)
        TALLOC_FREE (merge);
    return merge;
}

/* Of so many segments from first on; NULL, and merge is freed, where that cannot be. */
static struct merge *
prepare (struct merge *merge, struct scratch *scratch, size_t first, size_t count)
{
    merge->count = count;
    if (count == 0 || !has_room (merge->index, sum_bytes (merge->index->manifest, first, count)))
        TALLOC_FREE (merge);
    else
        name_sources (merge, scratch, first);
    return merge;
}

struct merge *
merge_begin (void *ctx, struct mail_index *index, struct scratch *scratch, uint64_t limit,
             enum merge_goal goal)
{
    size_t first = 0, count;
    static const struct reservations none = {NULL, 0};
    merge_choose (index->manifest, &none, limit, goal, &first, &count);
    struct merge *merge = count ? begin (ctx, index) : NULL;
    if (!merge)
        return NULL;
    merge_choose (index->manifest, merge->reserved, limit, goal, &first, &count);
    return prepare (merge, scratch, first, count);
}

struct merge *
merge_begin_all (void *ctx, struct mail_index *index, struct scratch *scratch)
{
    size_t first = 0, count;
    struct merge *merge = begin (ctx, index);
    if (!merge)
        return NULL;
    choose_all (index->manifest, merge->reserved, &first, &count);
    return prepare (merge, scratch, first, count);
}

bool
merge_lacks_source (const struct merge *merge)
{
    bool lacks = false;
    for (size_t i = 0; i < merge->count; i++)
        lacks |= access (merge->paths[i], F_OK) != 0;
    return lacks;
}

void
merge_send (struct merge *merge, struct crew *crew, unsigned worker)
{
    crew_merge (crew, worker, merge->path, merge->paths, merge->count);
}

/* Under the lock: takes the sources out of the manifest and puts the result in, unless one of them
 * is there no more, or there are ids between them that were being built under when they were
 * chosen. *exchanged_out says whether it was done. */
static enum mail_status
exchange (struct merge *merge, bool *exchanged_out)
{
    struct writer *writer;
    enum mail_status status = writer_begin (merge, merge->index, &writer);
    *exchanged_out = false;
    if (status != MAIL_OK)
        return status;
    *exchanged_out =
        writer_take_segments (writer, merge->names, merge->count, &merge->result.stale) &&
        writer_range_is_free (writer, merge->result.first, merge->result.last);
    if (*exchanged_out)
        status = writer_add_segment (writer, merge->path, &merge->result);
    if (status == MAIL_OK && *exchanged_out)
        return writer_commit (writer);
    talloc_free (writer);
    /* what was chosen is no more: it must not be chosen again */
    return status == MAIL_OK ? mail_index_refresh (merge->index) : status;
}

enum mail_status
merge_end (struct merge *merge, const struct segment *built)
{
    bool exchanged;
    merge->result.bytes = built->bytes;
    memcpy (merge->result.sha256, built->sha256, sizeof merge->result.sha256);
    enum mail_status status = exchange (merge, &exchanged);
    for (size_t i = 0; status == MAIL_OK && exchanged && i < merge->count; i++)
        unlink (merge->paths[i]);
    return status;
}
