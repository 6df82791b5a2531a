/* SPDX-License-Identifier: GPL-3.0-or-later */
/* merge.h - fewer and larger text segments. */
#ifndef MERGE_H
#define MERGE_H

#include "index-private.h"
#include "scratch.h"

/* The run of neighbours that is worth merging next: *count_out segments from *first_out on; 0 where
 * there is none. limit: bytes that may be merged at once. */
void merge_choose (const struct manifest *manifest, uint64_t limit, size_t *first_out,
                   size_t *count_out);

/* Merges while there is something worth it. Holds the lock for the exchange of each result only;
 * does nothing when another process is merging, or when the disk has less than twice the room.
 * Trouble while merging throws the merge away and is no error; what is returned is about state. */
enum mail_status merge_segments (struct mail_index *index, struct scratch *scratch, uint64_t limit);

#define MERGE_AUTOMATIC_LIMIT (UINT64_C (512) << 20)

#endif
