/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slice.c - sizes of slices. A commit stays under 10,000 documents, so that Xapian writes nothing
 * before it is told to. */
#include "slice.h"
#include "clock.h"

#define SLICE_MS 250
#define SLICE_MAX 8000

size_t
slice_next (size_t size, uint64_t start)
{
    if (clock_ms () - start > SLICE_MS)
        return size / 2 + 1;
    return size < SLICE_MAX / 2 ? 2 * size : SLICE_MAX;
}
