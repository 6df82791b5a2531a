/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sort.c - radix sort, least byte first.
 *
 * Dates differ in four or five of their eight bytes only, and passes in which all bytes are equal
 * are left out: a million pairs take a few passes over 16 MB. It is stable, so ids that come in
 * ascending order stay so among equal dates.
 */
#include "query/sort.h"
#include <stdbool.h>
#include <string.h>
#include <talloc.h>

enum { BYTES = 8, VALUES = 256 };

static void
count_bytes (const struct keyed *items, size_t count, size_t counts[BYTES][VALUES])
{
    memset (counts, 0, BYTES * VALUES * sizeof counts[0][0]);
    for (size_t i = 0; i < count; i++)
        for (unsigned byte = 0; byte < BYTES; byte++)
            counts[byte][items[i].key >> 8 * byte & 0xff]++;
}

static void
pass (const struct keyed *from, struct keyed *to, size_t count, unsigned byte,
      const size_t counts[VALUES])
{
    size_t place[VALUES], next = 0;

    for (unsigned value = 0; value < VALUES; value++) {
        place[value] = next;
        next += counts[value];
    }
    for (size_t i = 0; i < count; i++)
        to[place[from[i].key >> 8 * byte & 0xff]++] = from[i];
}

void
sort_keyed (struct keyed *items, size_t count)
{
    size_t (*counts)[VALUES];
    struct keyed *spare, *from = items, *to;

    if (count < 2)
        return;
    spare = talloc_array (NULL, struct keyed, count);
    counts = (size_t (*)[VALUES]) talloc_array (spare, size_t, BYTES * VALUES);
    count_bytes (items, count, counts);
    for (unsigned byte = 0; byte < BYTES; byte++) {
        if (counts[byte][items[0].key >> 8 * byte & 0xff] == count)
            continue;
        to = from == items ? spare : items;
        pass (from, to, count, byte, counts[byte]);
        from = to;
    }
    if (from != items)
        memcpy (items, from, count * sizeof *items);
    talloc_free (spare);
}
