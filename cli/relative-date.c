/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * relative-date.c - dates of listings.
 *
 * The steps are notmuch's, borders included. The names are English in every locale, so that the
 * output does not depend on it.
 */
#include "relative-date.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define MINUTE 60
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

static const char *const months[] = {"January",   "February", "March",    "April",
                                     "May",       "June",     "July",     "August",
                                     "September", "October",  "November", "December"};
static const char *const weekdays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

/* False for years that struct tm cannot hold. */
static int
local_time (int64_t seconds, struct tm *tm_out)
{
    time_t t = (time_t) seconds;

    return localtime_r (&t, tm_out) != NULL;
}

/* Up to a week ago; NULL where the weekday would be ambiguous. */
static const char *
day_name (const struct tm *then, const struct tm *now, int64_t age)
{
    if (then->tm_wday == now->tm_wday)
        return age < DAY ? "Today" : NULL;
    if ((then->tm_wday + 1) % 7 == now->tm_wday)
        return "Yest.";
    return weekdays[then->tm_wday];
}

const char *
relative_date (int64_t then, int64_t now, char *text)
{
    int64_t age = (int64_t) ((uint64_t) now - (uint64_t) then);
    struct tm then_tm, now_tm;
    const char *day = NULL;

    if (then > now)
        return strcpy (text, "the future");
    if (!local_time (then, &then_tm) || !local_time (now, &now_tm))
        snprintf (text, RELATIVE_DATE_SIZE, "%" PRId64, then);
    else if (age > 180 * DAY || age < 0)
        snprintf (text, RELATIVE_DATE_SIZE, "%04d-%02d-%02d", then_tm.tm_year + 1900,
                  then_tm.tm_mon + 1, then_tm.tm_mday);
    else if (age < HOUR)
        snprintf (text, RELATIVE_DATE_SIZE, "%d mins. ago", (int) (age / MINUTE));
    else if (age <= 7 * DAY && (day = day_name (&then_tm, &now_tm, age)))
        snprintf (text, RELATIVE_DATE_SIZE, "%s%s %02d:%02d", day,
                  day == weekdays[then_tm.tm_wday] ? "." : "", then_tm.tm_hour, then_tm.tm_min);
    else
        snprintf (text, RELATIVE_DATE_SIZE, "%s %02d", months[then_tm.tm_mon], then_tm.tm_mday);
    return text;
}
