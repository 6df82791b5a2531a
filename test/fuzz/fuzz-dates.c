/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz-dates.c - any bytes as a date, and as a range of dates. */
#include "query/dates.h"
#include "test/fuzz/helper.h"

#include <stdlib.h>

const char *const fuzz_pieces[] = {
    "2009",  "-05",  "-06",   "20030506", "6/5/",    "6.5.",       "_",     "may",     "march_",
    "5th",   "1st",  "..",    "!",        "@",       "1052200000", "10:30", ":15",     "5pm",
    "12am",  "noon", "now",   "midnight", "today",   "yesterday",  "mon",   "tuesday", "last_",
    "this_", "week", "2w",    "3M",       "5y",      "10d",        "h",     "m",       "s",
    "ago",   "ten_", "dozen", "hundred",  "+01:00",  "-0530",      "pst",   "utc",     ",",
    ".",     "-",    "+",     "99999999", "31_feb_", "\xc3",       "",      " ",       NULL};

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    const char *text = (const char *) data;
    struct date_range range;
    size_t offset, length;
    int64_t low, high;

    if (!date_range_parse (text, size, FUZZ_NOW, &range, &offset, &length) &&
        offset + length > size)
        abort ();
    if (date_parse (text, size, FUZZ_NOW, &low, &high) && low > high)
        abort ();
    return 0;
}
