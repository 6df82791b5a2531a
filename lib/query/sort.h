/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sort.h - a million numbers in order. */
#ifndef QUERY_SORT_H
#define QUERY_SORT_H

#include <stddef.h>
#include <stdint.h>

struct keyed {
    uint64_t key;
    uint32_t id;
};

/* Sorts by ascending key; equal keys stay in the order they are in. */
void sort_keyed (struct keyed *items, size_t count);

#endif
