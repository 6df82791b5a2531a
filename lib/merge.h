/* SPDX-License-Identifier: GPL-3.0-or-later */
/* merge.h - fewer and larger text segments. */
#ifndef MERGE_H
#define MERGE_H

#include "index-private.h"
#include "index/crew.h"
#include "reservations.h"
#include "scratch.h"

/* As a rule, never too many. At the end of a large import some fewer, for as few bytes as that
 * takes, so that the small runs after it find room for what they bring. */
enum merge_goal { MERGE_RULE, MERGE_IMPORTED };

/* The run of neighbours that is worth merging next: *count_out segments from *first_out on; 0 where
 * there is none. None has ids in between that are reserved. limit: bytes that may be merged at
 * once. */
void merge_choose (const struct manifest *manifest, const struct reservations *reserved,
                   uint64_t limit, enum merge_goal goal, size_t *first_out, size_t *count_out);

/* A merge under way. While one lives, no other process merges. */
struct merge;

/* Begins the merge that is worth it, if there is one, nobody else is merging and the disk has twice
 * the room; else NULL. The result is built in scratch. */
struct merge *merge_begin (void *ctx, struct mail_index *index, struct scratch *scratch,
                           uint64_t limit, enum merge_goal goal);
/* The same for all segments, or where ids are reserved as many neighbours as there can be. */
struct merge *merge_begin_all (void *ctx, struct mail_index *index, struct scratch *scratch);
/* Whether a source is no more: what makes a segment anew (a reindex) does not wait for a merge. */
bool merge_lacks_source (const struct merge *merge);
/* Gives the work to a worker, which answers with a CREW_SEGMENT event. */
void merge_send (struct merge *merge, struct crew *crew, unsigned worker);
/* built: bytes and sha256 of the result. Exchanges the segments in one commit, unless one of the
 * sources has gone meanwhile, and removes the sources. */
enum mail_status merge_end (struct merge *merge, const struct segment *built);

#define MERGE_AUTOMATIC_LIMIT (UINT64_C (512) << 20)

#endif
