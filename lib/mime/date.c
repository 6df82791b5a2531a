/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * date.c - when a message was sent (RFC 5322 3.3, and what there is instead).
 *
 * GMime reads the many forms that dates have, but no year before 1969, and takes those of two
 * digits up to 68 for years to come, where RFC 5322 4.3 has 50 to 99 for the last century. The
 * calendar repeats itself after 400 years, so such a date is read as that of 400 years later.
 */
#include "mime/mime-private.h"

#include <stdlib.h>
#include <string.h>
#include <talloc.h>

enum { CYCLE_YEARS = 400 };
#define CYCLE_SECONDS (INT64_C (146097) * 24 * 60 * 60)

/* The first number from *at on that may be a year that GMime does not read: not one of a time or a
 * zone, and of two digits only behind the name of a month. *at moves to it. */
static long
find_old_year (const char *start, const char **at, size_t *digits_out)
{
    for (const char *p = *at; *p != '\0'; p += MAX (*digits_out, 1)) {
        size_t n = *digits_out = strspn (p, "0123456789");
        char before = p > start ? p[-1] : ' ', two_before = p > start + 1 ? p[-2] : ' ';
        bool behind_name = g_ascii_isalpha (before) || g_ascii_isalpha (two_before);
        long year = strtol (p, NULL, 10);

        *at = p;
        if (n == 0 || strchr (":+", before) != NULL || (before == '-' && !behind_name))
            continue;
        if (n == 4 && year >= 1970) /* then "1645" is a time */
            return 0;
        if (n == 4 && year >= 1600)
            return year;
        if (n == 2 && year >= 50 && year < 70 && behind_name)
            return 1900 + year;
    }
    return 0;
}

/* The same date 400 years later; NULL where no such year is in it. */
static char *
next_cycle (void *ctx, const char *raw)
{
    const char *at = raw;
    size_t digits = 0;
    long year = find_old_year (raw, &at, &digits);

    if (year == 0)
        return NULL;
    return talloc_asprintf (ctx, "%.*s%ld%s", (int) (at - raw), raw, year + CYCLE_YEARS,
                            at + digits);
}

static bool
read_date (const char *raw, int64_t *seconds_out)
{
    void *temporary = talloc_new (NULL);
    const char *text = strstr (raw, "=?") != NULL ? mime_decode_text (temporary, raw) : raw;
    const char *later = next_cycle (temporary, text);
    GDateTime *date = g_mime_utils_header_decode_date (later != NULL ? later : text);

    if (date != NULL) {
        *seconds_out = g_date_time_to_unix (date) - (later != NULL ? CYCLE_SECONDS : 0);
        g_date_time_unref (date);
    }
    talloc_free (temporary);
    return date != NULL;
}

int64_t
mime_headers_date (const struct mime_headers *headers)
{
    const char *raw = mime_headers_get (headers, "date", 0);
    int64_t seconds = 0;

    if (raw != NULL && read_date (raw, &seconds))
        return seconds;
    for (unsigned i = 0; (raw = mime_headers_get (headers, "received", i)) != NULL; i++) {
        raw = strrchr (raw, ';');
        if (raw != NULL && read_date (raw + 1, &seconds))
            return seconds;
    }
    return 0;
}
