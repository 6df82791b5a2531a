/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * idset.h - sets of document ids as sorted arrays without repeats, and their algebra.
 *
 * A set is a plain struct; ids is talloc'd (on whatever context the maker was given) and NULL for
 * the empty set. Results of the operations are new arrays on ctx; inputs stay as they are.
 */
#ifndef IDSET_H
#define IDSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct idset {
    uint32_t *ids;
    size_t count;
};

struct idset idset_union (void *ctx, struct idset a, struct idset b);
struct idset idset_intersect (void *ctx, struct idset a, struct idset b);
struct idset idset_subtract (void *ctx, struct idset a, struct idset b);
bool idset_contains (struct idset set, uint32_t id);
/* Sorts an arbitrary array in place and drops repeats; returns the new count. */
size_t idset_normalise (uint32_t *ids, size_t count);

#endif
