/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * visited.c - a hash table with open addressing.
 *
 * Every folder of every run goes in, 30,000 in a large tree and most often for nothing, so it has
 * to cost less than the stat: 16 bytes a place, no allocation an entry. Inode 0 marks an empty
 * place (no file system hands it out).
 */
#include "visited.h"

#include <talloc.h>

struct place {
    uint64_t device, inode;
};

struct visited {
    struct place *places;
    size_t size; /* a power of two, at least twice the count */
    size_t count;
};

static struct place *
visited_place (const struct visited *visited, uint64_t device, uint64_t inode)
{
    uint64_t hash = (inode + device * 31) * UINT64_C (0x9e3779b97f4a7c15);
    size_t at = (size_t) (hash >> 20) & (visited->size - 1);

    while (visited->places[at].inode &&
           (visited->places[at].inode != inode || visited->places[at].device != device))
        at = (at + 1) & (visited->size - 1);
    return &visited->places[at];
}

struct visited *
visited_create (void *ctx, size_t expected)
{
    struct visited *visited = talloc_zero (ctx, struct visited);

    visited->size = 64;
    while (visited->size < expected * 2)
        visited->size *= 2;
    visited->places = talloc_zero_array (visited, struct place, visited->size);
    return visited;
}

static void
visited_grow (struct visited *visited)
{
    struct place *old = visited->places;
    size_t old_size = visited->size;

    visited->size *= 2;
    visited->places = talloc_zero_array (visited, struct place, visited->size);
    for (size_t i = 0; i < old_size; i++)
        if (old[i].inode)
            *visited_place (visited, old[i].device, old[i].inode) = old[i];
    talloc_free (old);
}

bool
visited_add (struct visited *visited, uint64_t device, uint64_t inode)
{
    struct place *place = visited_place (visited, device, inode);

    if (place->inode)
        return false;
    *place = (struct place){device, inode};
    if (++visited->count * 2 > visited->size)
        visited_grow (visited);
    return true;
}

bool
visited_has (const struct visited *visited, uint64_t device, uint64_t inode)
{
    return visited_place (visited, device, inode)->inode != 0;
}
