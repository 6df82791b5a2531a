/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * idset.c - algebra of sorted arrays of ids.
 *
 * Work expected: a set of a few next to one of a million, so the smaller one leads and the other is
 * searched by doubling steps (cost: small * log large), which is as good as a merge where both are
 * of one size.
 */
#include "idset.h"

#include <stdlib.h>
#include <string.h>
#include <talloc.h>

/* An array that has one in so many of all ids up to its largest is sorted by marking a bit for
 * each. */
#define DENSE 256

/* First index from start on whose id is >= wanted; set.count where there is none. */
static size_t
seek (struct idset set, size_t start, uint32_t wanted)
{
    size_t step = 1, low = start, high = start;
    while (high < set.count && set.ids[high] < wanted) {
        low = high + 1;
        high += step;
        step *= 2;
    }
    if (high > set.count)
        high = set.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set.ids[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t *
room_for (void *ctx, size_t count)
{
    return talloc_array (ctx, uint32_t, count ? count : 1);
}

/* Copies from[start] to from[end - 1] to the end of ids; the new count. */
static size_t
append (uint32_t *ids, size_t count, struct idset from, size_t start, size_t end)
{
    if (end > start)
        memcpy (ids + count, from.ids + start, (end - start) * sizeof *ids);
    return count + (end - start);
}

struct idset
idset_union (void *ctx, struct idset a, struct idset b)
{
    if (a.count < b.count) {
        struct idset swap = a;
        a = b;
        b = swap;
    }
    uint32_t *ids = room_for (ctx, a.count + b.count);
    size_t at = 0, count = 0;
    for (size_t i = 0; i < b.count; i++) {
        size_t next = seek (a, at, b.ids[i]);
        count = append (ids, count, a, at, next);
        ids[count++] = b.ids[i];
        at = next < a.count && a.ids[next] == b.ids[i] ? next + 1 : next;
    }
    return (struct idset){ids, append (ids, count, a, at, a.count)};
}

struct idset
idset_intersect (void *ctx, struct idset a, struct idset b)
{
    if (a.count > b.count) {
        struct idset swap = a;
        a = b;
        b = swap;
    }
    uint32_t *ids = room_for (ctx, a.count);
    size_t at = 0, count = 0;
    for (size_t i = 0; i < a.count && at < b.count; i++) {
        at = seek (b, at, a.ids[i]);
        if (at < b.count && b.ids[at] == a.ids[i])
            ids[count++] = a.ids[i];
    }
    return (struct idset){ids, count};
}

static size_t
subtract_few (uint32_t *ids, struct idset a, struct idset b)
{
    size_t at = 0, count = 0;
    for (size_t i = 0; i < b.count; i++) {
        size_t next = seek (a, at, b.ids[i]);
        count = append (ids, count, a, at, next);
        at = next < a.count && a.ids[next] == b.ids[i] ? next + 1 : next;
    }
    return append (ids, count, a, at, a.count);
}

struct idset
idset_subtract (void *ctx, struct idset a, struct idset b)
{
    uint32_t *ids = room_for (ctx, a.count);
    size_t at = 0, count = 0;
    if (b.count < a.count)
        return (struct idset){ids, subtract_few (ids, a, b)};
    for (size_t i = 0; i < a.count; i++) {
        at = seek (b, at, a.ids[i]);
        if (at == b.count || b.ids[at] != a.ids[i])
            ids[count++] = a.ids[i];
    }
    return (struct idset){ids, count};
}

bool
idset_contains (struct idset set, uint32_t id)
{
    size_t at = seek (set, 0, id);
    return at < set.count && set.ids[at] == id;
}

static int
compare_ids (const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *) a, right = *(const uint32_t *) b;
    return left < right ? -1 : left > right;
}

/* Through a bit for each id up to most: the work is in most. */
static size_t
sort_dense (uint32_t *ids, size_t count, uint32_t most)
{
    size_t words = most / 64 + 1, kept = 0;
    uint64_t *bits = talloc_zero_array (NULL, uint64_t, words);
    for (size_t i = 0; i < count; i++)
        bits[ids[i] / 64] |= UINT64_C (1) << ids[i] % 64;
    for (size_t i = 0; i < words; i++) {
        for (uint64_t left = bits[i]; left != 0; left &= left - 1)
            ids[kept++] = (uint32_t) (i * 64) + (uint32_t) __builtin_ctzll (left);
    }
    talloc_free (bits);
    return kept;
}

size_t
idset_normalise (uint32_t *ids, size_t count)
{
    bool sorted = true;
    uint32_t most = count > 0 ? ids[0] : 0;
    for (size_t i = 1; i < count; i++) {
        sorted = sorted && ids[i - 1] < ids[i];
        most = ids[i] > most ? ids[i] : most;
    }
    if (sorted)
        return count;
    if (most / DENSE <= count)
        return sort_dense (ids, count, most);
    qsort (ids, count, sizeof *ids, compare_ids);
    size_t kept = 1;
    for (size_t i = 1; i < count; i++) {
        if (ids[i] != ids[kept - 1])
            ids[kept++] = ids[i];
    }
    return kept;
}
