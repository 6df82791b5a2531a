/* SPDX-License-Identifier: GPL-3.0-or-later */
/* manifest.h - the list of text segments, as kept in state (META_MANIFEST). */
#ifndef MANIFEST_H
#define MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct segment {
    char *name;           /* file name in text/ */
    uint32_t first, last; /* document ids that may be in it */
    uint32_t documents;
    uint32_t stale; /* of these, how many are of nothing by now */
    uint64_t bytes;
    char sha256[65];
};

struct manifest {
    struct segment *segments; /* in order of ids; ranges do not overlap */
    size_t count;
};

struct manifest *manifest_create (void *ctx);
/* A version line, then a line a segment: NAME FIRST LAST DOCS STALE BYTES SHA256. */
char *manifest_encode (void *ctx, const struct manifest *manifest);
/* NULL and *error_out for anything that is not such a text ("" is an empty manifest). */
struct manifest *manifest_decode (void *ctx, const char *text, char **error_out);
/* Keeps the order; false where the range overlaps another segment's. Strings are copied. */
bool manifest_insert (struct manifest *manifest, const struct segment *segment);
/* Takes the segment at this place out. */
void manifest_remove (struct manifest *manifest, size_t at);
/* The segment whose range holds id; NULL for none. */
struct segment *manifest_find (struct manifest *manifest, uint32_t id);

#endif
