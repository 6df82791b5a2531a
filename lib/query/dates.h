/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dates.h - what people write for a moment: "2024-03", "13 Mar 2024 10:00 +0100", "2 weeks ago". */
#ifndef DATES_H
#define DATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct date_range {
    int64_t low, high; /* seconds, both included; low > high: nothing */
    bool open_low, open_high;
};

/* The span of time that a specification names, from its first to its last second: "2024" is a year,
 * "10:30" a minute. Local time where it names no zone; what is coarser than what it says is taken
 * from now. The forms are listed in mail-search-terms(7). False for anything else. */
bool date_parse (const char *text, size_t length, int64_t now, int64_t *first_out,
                 int64_t *last_out);

/* "A..B", "A..", "..B", "A..!" (A to its own end), "A". On failure *offset_out and *length_out are
 * the end that cannot be read, within text. */
bool date_range_parse (const char *text, size_t length, int64_t now, struct date_range *range_out,
                       size_t *offset_out, size_t *length_out);

#endif
