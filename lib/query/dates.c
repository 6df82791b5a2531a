/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dates.c - reads a date as a row of numbers and keywords, from the left, each taken greedily.
 *
 * Three things are collected: fields (a year, a day, ...), each at most once; how far to go back,
 * in seven units that add up; a weekday. The finest unit mentioned is how long the span is. Then
 * one struct tm is made of fields, now and steps back, and mktime() sorts out months of 31 days.
 */
#include "query/dates-private.h"
#include <glib.h>
#include <string.h>

static bool
set_field (struct date *date, enum unit unit, long value, long least, long most)
{
    if (date->field[unit] != UNSET || value < least || value > most)
        return false;
    date->field[unit] = (int) value;
    date->newest = (int) unit;
    date->mentioned |= 1u << unit;
    return true;
}

bool
date_set_year (struct date *date, long year, size_t digits)
{
    if (digits == 2)
        year += year < 70 ? 2000 : 1900;
    else if (digits != 4)
        return false;
    return set_field (date, YEAR, year, 1900, 9999);
}

bool
date_set_month (struct date *date, long month)
{
    return set_field (date, MONTH, month - 1, 0, 11);
}

bool
date_set_day (struct date *date, long day)
{
    return set_field (date, DAY, day, 1, 31);
}

bool
date_set_time (struct date *date, long hour, long minute, long second)
{
    long most = hour == 24 ? 0 : 59;

    return set_field (date, HOUR, hour, 0, 24) && set_field (date, MINUTE, minute, 0, most) &&
           (second == UNSET || set_field (date, SECOND, second, 0, most));
}

bool
date_step_back (struct date *date, enum unit unit, long count)
{
    if (date->back[unit] + count > (unit == WEEK ? STEP_LIMIT / 7 : STEP_LIMIT))
        return false;
    date->back[unit] += count;
    date->mentioned |= 1u << unit;
    return true;
}

/* ---- the span ------------------------------------------------------------------------------ */

static bool
read_all (struct date *date)
{
    while (date->at < date->end) {
        char byte = *date->at;
        if (g_ascii_isdigit (byte)) {
            if (!date_read_number (date))
                return false;
        } else if (g_ascii_isalpha (byte)) {
            if (!date_read_word (date))
                return false;
        } else if (byte == '\0' || strchr (" \t\n_-+,.", byte) == NULL) {
            return false;
        } else if (strchr ("+-", byte) == NULL || !date_read_zone (date)) {
            date->at++;
        }
    }
    return date->number == UNSET && date->mentioned != 0;
}

/* Steps back lead anywhere; what the system cannot count is long ago. */
static int64_t
to_seconds (const struct date *date, struct tm tm)
{
    int64_t seconds;

    tm.tm_isdst = -1;
    tm.tm_wday = -1; /* stays so where it fails */
    seconds = date->zoned ? (int64_t) timegm (&tm) - date->zone : (int64_t) mktime (&tm);
    return tm.tm_wday == -1 ? INT64_MIN / 2 : seconds;
}

static void
normalise (const struct date *date, struct tm *tm)
{
    tm->tm_isdst = -1;
    if (date->zoned)
        timegm (tm);
    else
        mktime (tm);
}

/* The fields that are coarser than finest come from now, the finer ones are the least. */
static void
fill_fields (const struct date *date, unsigned finest, struct tm *tm)
{
    const int *field = date->field;

    tm->tm_year = field[YEAR] != UNSET ? field[YEAR] - 1900 : tm->tm_year;
    tm->tm_mon = field[MONTH] != UNSET ? field[MONTH] : finest > MONTH ? 0 : tm->tm_mon;
    tm->tm_mday = field[DAY] != UNSET ? field[DAY] : finest > WEEK ? 1 : tm->tm_mday;
    tm->tm_hour = field[HOUR] != UNSET ? field[HOUR] : finest > HOUR ? 0 : tm->tm_hour;
    tm->tm_min = field[MINUTE] != UNSET ? field[MINUTE] : finest > MINUTE ? 0 : tm->tm_min;
    tm->tm_sec = field[SECOND] != UNSET ? field[SECOND] : finest > SECOND ? 0 : tm->tm_sec;
}

static void
step (struct tm *tm, enum unit unit, int count)
{
    int *const fields[] = {&tm->tm_sec,  &tm->tm_min, &tm->tm_hour, &tm->tm_mday,
                           &tm->tm_mday, &tm->tm_mon, &tm->tm_year};

    *fields[unit] += unit == WEEK ? 7 * count : count;
}

static void
span (const struct date *date, int64_t *first_out, int64_t *last_out)
{
    enum unit finest = SECOND;
    struct tm tm = date->now;

    while (!(date->mentioned & 1u << finest))
        finest++;
    fill_fields (date, finest, &tm);
    if (date->weekday != UNSET && date->field[DAY] == UNSET)
        tm.tm_mday -= (date->now.tm_wday - date->weekday + 6) % 7 + 1;
    for (int unit = SECOND; unit < UNIT_COUNT; unit++)
        step (&tm, (enum unit) unit, (int) -date->back[unit]);
    if (finest == WEEK) {
        normalise (date, &tm);
        tm.tm_mday -= tm.tm_wday;
    }
    *first_out = to_seconds (date, tm);
    step (&tm, finest, 1);
    *last_out = to_seconds (date, tm) - 1;
}

/* "@" and seconds since the epoch, or with a minus before it. */
static bool
parse_epoch (const char *text, size_t length, int64_t *first_out, int64_t *last_out)
{
    bool before = length > 1 && text[1] == '-';
    int64_t seconds = 0;

    if (length < 2u + before || length > 18)
        return false;
    for (size_t i = 1u + before; i < length; i++) {
        if (!g_ascii_isdigit (text[i]))
            return false;
        seconds = seconds * 10 + (text[i] - '0');
    }
    *first_out = *last_out = before ? -seconds : seconds;
    return true;
}

/* Reads all of it at this moment, which is given as the clock and calendar of some zone. */
static bool
read_at (struct date *date, const char *text, size_t length, struct tm now)
{
    *date = (struct date){.at = text,
                          .end = text + length,
                          .now = now,
                          .field = {UNSET, UNSET, UNSET, UNSET, UNSET, UNSET, UNSET},
                          .weekday = UNSET,
                          .newest = UNSET,
                          .number = UNSET};
    return read_all (date);
}

bool
date_parse (const char *text, size_t length, int64_t now, int64_t *first_out, int64_t *last_out)
{
    time_t moment = (time_t) now;
    struct date date;
    struct tm tm;

    if (length > 0 && text[0] == '@')
        return parse_epoch (text, length, first_out, last_out);
    if (localtime_r (&moment, &tm) == NULL || !read_at (&date, text, length, tm))
        return false;
    /* What is taken from now is taken from the clock of the zone that was named. */
    moment += date.zone;
    if (date.zoned && (gmtime_r (&moment, &tm) == NULL || !read_at (&date, text, length, tm)))
        return false;
    span (&date, first_out, last_out);
    return true;
}

/* ---- ranges -------------------------------------------------------------------------------- */

static size_t
find_dots (const char *text, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++)
        if (text[i] == '.' && text[i + 1] == '.')
            return i;
    return length;
}

static bool
is_bang (const char *text, size_t length)
{
    return length == 1 && text[0] == '!';
}

bool
date_range_parse (const char *text, size_t length, int64_t now, struct date_range *range_out,
                  size_t *offset_out, size_t *length_out)
{
    struct date_range range = {.low = INT64_MIN, .high = INT64_MAX};
    size_t left = find_dots (text, length);
    size_t right = left < length ? left + 2 : 0;
    int64_t unused;

    *offset_out = 0;
    *length_out = left;
    range.open_low = left < length && (left == 0 || is_bang (text, left));
    if (!range.open_low && !date_parse (text, left, now, &range.low, &unused))
        return false;
    if (left < length && !range.open_low && is_bang (text + right, length - right))
        right = 0; /* to the end of A itself */
    else
        left = length;
    *offset_out = right;
    *length_out = left - right;
    range.open_high = right == length && length > 0;
    if (!range.open_high && !date_parse (text + right, left - right, now, &unused, &range.high))
        return false;
    *range_out = range;
    return true;
}
