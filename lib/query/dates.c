/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dates.c - reads a date as a row of numbers and keywords, from the left, each taken greedily.
 *
 * Three things are collected: fields (a year, a day, ...), each at most once; how far to go back,
 * in seven units that add up; a weekday. The finest unit mentioned is how long the span is. Then
 * one struct tm is made of fields, now and steps back, and mktime() sorts out months of 31 days.
 */
#include "query/dates.h"
#include <glib.h>
#include <limits.h>
#include <string.h>
#include <time.h>

/* Finest first. */
enum unit { SECOND, MINUTE, HOUR, DAY, WEEK, MONTH, YEAR, UNIT_COUNT };

enum { UNSET = -1, STEP_LIMIT = 1000000000 };

struct date {
    const char *at, *end;
    struct tm now;
    int field[UNIT_COUNT]; /* UNSET, or the value; the month from 0; WEEK is not used */
    int weekday;           /* UNSET, or from 0 = Sunday */
    long back[UNIT_COUNT];
    unsigned mentioned;   /* 1 << enum unit */
    long number;          /* read, and not used yet; UNSET */
    size_t number_digits; /* of it; 0 where it was a word */
    bool half;            /* am or pm was said */
    bool zoned;
    int zone; /* seconds east of Greenwich */
};

static bool
set (struct date *date, enum unit unit, long value, long least, long most)
{
    if (date->field[unit] != UNSET || value < least || value > most)
        return false;
    date->field[unit] = (int) value;
    date->mentioned |= 1u << unit;
    return true;
}

/* Two digits are of this century up to 69. */
static bool
set_year (struct date *date, long year, size_t digits)
{
    if (digits == 2)
        year += year < 70 ? 2000 : 1900;
    else if (digits != 4)
        return false;
    return set (date, YEAR, year, 1900, 9999);
}

static bool
set_month (struct date *date, long month)
{
    return set (date, MONTH, month - 1, 0, 11);
}

static bool
set_day (struct date *date, long day)
{
    return set (date, DAY, day, 1, 31);
}

static bool
set_time (struct date *date, long hour, long minute, long second)
{
    return set (date, HOUR, hour, 0, 24) && set (date, MINUTE, minute, 0, 59) &&
           (second == UNSET || set (date, SECOND, second, 0, 59));
}

static bool
step_back (struct date *date, enum unit unit, long count)
{
    if (date->back[unit] + count > (unit == WEEK ? STEP_LIMIT / 7 : STEP_LIMIT))
        return false;
    date->back[unit] += count;
    date->mentioned |= 1u << unit;
    return true;
}

/* ---- keywords ------------------------------------------------------------------------------ */

enum keyword_kind {
    KEYWORD_MONTH,
    KEYWORD_WEEKDAY,
    KEYWORD_HALF, /* value: hours to add */
    KEYWORD_UNIT,
    KEYWORD_NUMBER,
    KEYWORD_CLOCK, /* value: hour */
    KEYWORD_NOW,
    KEYWORD_DAYS_AGO, /* value: days */
    KEYWORD_NOTHING,
    KEYWORD_ZONE /* value: minutes east */
};

struct keyword {
    const char *word;
    size_t least; /* letters that suffice; 0: all of them */
    enum keyword_kind kind;
    int value;
};

/* The first that fits is taken: "mon" is a weekday, "mont" is months. */
static const struct keyword keywords[] = {
    {"january", 3, KEYWORD_MONTH, 1},
    {"february", 3, KEYWORD_MONTH, 2},
    {"march", 3, KEYWORD_MONTH, 3},
    {"april", 3, KEYWORD_MONTH, 4},
    {"may", 3, KEYWORD_MONTH, 5},
    {"june", 3, KEYWORD_MONTH, 6},
    {"july", 3, KEYWORD_MONTH, 7},
    {"august", 3, KEYWORD_MONTH, 8},
    {"september", 3, KEYWORD_MONTH, 9},
    {"october", 3, KEYWORD_MONTH, 10},
    {"november", 3, KEYWORD_MONTH, 11},
    {"december", 3, KEYWORD_MONTH, 12},
    {"sunday", 3, KEYWORD_WEEKDAY, 0},
    {"monday", 3, KEYWORD_WEEKDAY, 1},
    {"tuesday", 3, KEYWORD_WEEKDAY, 2},
    {"wednesday", 3, KEYWORD_WEEKDAY, 3},
    {"thursday", 3, KEYWORD_WEEKDAY, 4},
    {"friday", 3, KEYWORD_WEEKDAY, 5},
    {"saturday", 3, KEYWORD_WEEKDAY, 6},
    {"am", 0, KEYWORD_HALF, 0},
    {"pm", 0, KEYWORD_HALF, 12},
    {"years", 1, KEYWORD_UNIT, YEAR},
    {"months", 2, KEYWORD_UNIT, MONTH},
    {"weeks", 1, KEYWORD_UNIT, WEEK},
    {"days", 1, KEYWORD_UNIT, DAY},
    {"hours", 1, KEYWORD_UNIT, HOUR},
    {"hrs", 2, KEYWORD_UNIT, HOUR},
    {"minutes", 2, KEYWORD_UNIT, MINUTE},
    {"mins", 4, KEYWORD_UNIT, MINUTE},
    {"seconds", 1, KEYWORD_UNIT, SECOND},
    {"secs", 4, KEYWORD_UNIT, SECOND},
    {"this", 0, KEYWORD_NUMBER, 0},
    {"last", 0, KEYWORD_NUMBER, 1},
    {"one", 0, KEYWORD_NUMBER, 1},
    {"two", 0, KEYWORD_NUMBER, 2},
    {"three", 0, KEYWORD_NUMBER, 3},
    {"four", 0, KEYWORD_NUMBER, 4},
    {"five", 0, KEYWORD_NUMBER, 5},
    {"six", 0, KEYWORD_NUMBER, 6},
    {"seven", 0, KEYWORD_NUMBER, 7},
    {"eight", 0, KEYWORD_NUMBER, 8},
    {"nine", 0, KEYWORD_NUMBER, 9},
    {"ten", 0, KEYWORD_NUMBER, 10},
    {"dozen", 0, KEYWORD_NUMBER, 12},
    {"hundred", 0, KEYWORD_NUMBER, 100},
    {"noon", 0, KEYWORD_CLOCK, 12},
    {"midnight", 0, KEYWORD_CLOCK, 0},
    {"now", 0, KEYWORD_NOW, 0},
    {"today", 0, KEYWORD_DAYS_AGO, 0},
    {"yesterday", 0, KEYWORD_DAYS_AGO, 1},
    {"ago", 0, KEYWORD_NOTHING, 0},
    {"pst", 0, KEYWORD_ZONE, -8 * 60},
    {"mst", 0, KEYWORD_ZONE, -7 * 60},
    {"cst", 0, KEYWORD_ZONE, -6 * 60},
    {"est", 0, KEYWORD_ZONE, -5 * 60},
    {"ast", 0, KEYWORD_ZONE, -4 * 60},
    {"nst", 0, KEYWORD_ZONE, -(3 * 60 + 30)},
    {"gmt", 0, KEYWORD_ZONE, 0},
    {"utc", 0, KEYWORD_ZONE, 0},
    {"wet", 0, KEYWORD_ZONE, 0},
    {"cet", 0, KEYWORD_ZONE, 60},
    {"wat", 0, KEYWORD_ZONE, 60},
    {"eet", 0, KEYWORD_ZONE, 2 * 60},
    {"cat", 0, KEYWORD_ZONE, 2 * 60},
    {"fet", 0, KEYWORD_ZONE, 3 * 60},
    {"eat", 0, KEYWORD_ZONE, 3 * 60},
};

static const struct keyword *
keyword_find (const char *word, size_t length)
{
    for (size_t i = 0; i < G_N_ELEMENTS (keywords); i++) {
        size_t full = strlen (keywords[i].word);
        size_t least = keywords[i].least > 0 ? keywords[i].least : full;
        if (length >= least && length <= full &&
            g_ascii_strncasecmp (word, keywords[i].word, length) == 0)
            return &keywords[i];
    }
    return NULL;
}

/* A number read before is this unit's; without one it is 1. */
static bool
apply_unit (struct date *date, enum unit unit)
{
    long count = date->number == UNSET ? 1 : date->number;

    date->number = UNSET;
    return step_back (date, unit, count);
}

/* "5pm" or the pm of "5:30pm". */
static bool
apply_half (struct date *date, int add)
{
    if (date->number != UNSET) {
        if (date->number_digits < 1 || date->number_digits > 2 ||
            !set_time (date, date->number, 0, 0))
            return false;
        date->number = UNSET;
    }
    if (date->half || date->field[HOUR] < 1 || date->field[HOUR] > 12)
        return false;
    date->half = true;
    date->field[HOUR] = date->field[HOUR] % 12 + add;
    return true;
}

static bool
apply_month (struct date *date, int month)
{
    if (date->number != UNSET) {
        if (date->number_digits < 1 || date->number_digits > 2 || !set_day (date, date->number))
            return false;
        date->number = UNSET;
    }
    return set_month (date, month);
}

static bool
apply_zone (struct date *date, int minutes)
{
    if (date->zoned)
        return false;
    date->zoned = true;
    date->zone = minutes * 60;
    return true;
}

static bool
apply_weekday (struct date *date, int weekday)
{
    if (date->weekday != UNSET)
        return false;
    date->weekday = weekday;
    date->mentioned |= 1u << DAY;
    return true;
}

static bool
apply_number (struct date *date, long number, size_t digits)
{
    if (date->number != UNSET)
        return false;
    date->number = number;
    date->number_digits = digits;
    return true;
}

static bool
apply_keyword (struct date *date, const struct keyword *keyword)
{
    switch (keyword->kind) {
    case KEYWORD_MONTH:
        return apply_month (date, keyword->value);
    case KEYWORD_WEEKDAY:
        return apply_weekday (date, keyword->value);
    case KEYWORD_HALF:
        return apply_half (date, keyword->value);
    case KEYWORD_UNIT:
        return apply_unit (date, (enum unit) keyword->value);
    case KEYWORD_NUMBER:
        return apply_number (date, keyword->value, 0);
    case KEYWORD_CLOCK:
        return set_time (date, keyword->value, 0, 0);
    case KEYWORD_NOW:
        return set_time (date, date->now.tm_hour, date->now.tm_min, MIN (date->now.tm_sec, 59));
    case KEYWORD_DAYS_AGO:
        return step_back (date, DAY, keyword->value);
    case KEYWORD_NOTHING:
        return true;
    case KEYWORD_ZONE:
        return apply_zone (date, keyword->value);
    }
    return false;
}

static bool
read_word (struct date *date)
{
    const char *word = date->at;
    const struct keyword *keyword;
    size_t length;

    while (date->at < date->end && g_ascii_isalpha (*date->at))
        date->at++;
    length = (size_t) (date->at - word);
    if (length == 1 && *word == 'm')
        return apply_unit (date, MINUTE);
    if (length == 1 && *word == 'M')
        return apply_unit (date, MONTH);
    keyword = keyword_find (word, length);
    return keyword != NULL && apply_keyword (date, keyword);
}

/* ---- numbers ------------------------------------------------------------------------------- */

/* Up to three numbers with the same sign between them. */
struct numbers {
    long value[3];
    size_t digits[3];
    size_t count;
    char sign; /* 0 where there is one number */
};

static bool
is_digit_at (const struct date *date, const char *at)
{
    return at < date->end && g_ascii_isdigit (*at);
}

static bool
read_digits (struct date *date, long *value_out, size_t *digits_out)
{
    const char *start = date->at;
    long value = 0;

    while (is_digit_at (date, date->at) && date->at - start <= 9)
        value = value * 10 + (*date->at++ - '0');
    *value_out = value;
    *digits_out = (size_t) (date->at - start);
    return *digits_out > 0 && *digits_out <= 9;
}

static bool
read_numbers (struct date *date, struct numbers *numbers)
{
    memset (numbers, 0, sizeof *numbers);
    for (;;) {
        char sign = '\0';
        if (!read_digits (date, &numbers->value[numbers->count], &numbers->digits[numbers->count]))
            return false;
        numbers->count++;
        if (numbers->count == 3 || date->at == date->end || !is_digit_at (date, date->at + 1))
            return true;
        sign = *date->at;
        if (strchr (":-/.", sign) == NULL || (numbers->sign != '\0' && sign != numbers->sign))
            return true;
        /* "10:30-0530": the second number is a zone's. */
        if (numbers->count == 2 && sign != numbers->sign)
            return true;
        numbers->sign = sign;
        date->at++;
    }
}

/* H:MM, H:MM:SS */
static bool
apply_clock (struct date *date, const struct numbers *numbers)
{
    if (numbers->digits[0] > 2 || numbers->digits[1] != 2)
        return false;
    if (numbers->count == 3 && numbers->digits[2] != 2)
        return false;
    return set_time (date, numbers->value[0], numbers->value[1],
                     numbers->count == 3 ? numbers->value[2] : UNSET);
}

/* YYYY-MM, YYYY-MM-DD, DD-MM, DD-MM-YYYY, DD-MM-YY, MM-YYYY */
static bool
apply_dashes (struct date *date, const struct numbers *numbers)
{
    const long *value = numbers->value;
    const size_t *digits = numbers->digits;

    if (digits[0] == 4)
        return digits[1] == 2 && set_year (date, value[0], 4) && set_month (date, value[1]) &&
               (numbers->count == 2 || (digits[2] == 2 && set_day (date, value[2])));
    if (digits[0] != 2)
        return false;
    if (digits[1] == 4)
        return numbers->count == 2 && set_month (date, value[0]) && set_year (date, value[1], 4);
    return digits[1] == 2 && set_day (date, value[0]) && set_month (date, value[1]) &&
           (numbers->count == 2 || set_year (date, value[2], digits[2]));
}

/* M/D, M/D/YYYY, M/D/YY, M/YYYY */
static bool
apply_slashes (struct date *date, const struct numbers *numbers)
{
    if (numbers->digits[0] > 2 || !set_month (date, numbers->value[0]))
        return false;
    if (numbers->count == 2 && numbers->digits[1] == 4)
        return set_year (date, numbers->value[1], 4);
    return numbers->digits[1] <= 2 && set_day (date, numbers->value[1]) &&
           (numbers->count == 2 || set_year (date, numbers->value[2], numbers->digits[2]));
}

/* D.M, D.M.YYYY, D.M.YY */
static bool
apply_dots (struct date *date, const struct numbers *numbers)
{
    return numbers->digits[0] <= 2 && numbers->digits[1] <= 2 &&
           set_day (date, numbers->value[0]) && set_month (date, numbers->value[1]) &&
           (numbers->count == 2 || set_year (date, numbers->value[2], numbers->digits[2]));
}

/* The word that follows, after signs that separate, is a unit: the number is no year. */
static bool
unit_follows (const struct date *date)
{
    const char *at = date->at, *word;
    const struct keyword *keyword;

    while (at < date->end && strchr (" _-", *at) != NULL)
        at++;
    word = at;
    while (at < date->end && g_ascii_isalpha (*at))
        at++;
    if (at - word == 1 && (*word == 'm' || *word == 'M'))
        return true;
    keyword = keyword_find (word, (size_t) (at - word));
    return keyword != NULL && keyword->kind == KEYWORD_UNIT;
}

/* "13th": takes the two letters where they are the right ones. */
static bool
take_ordinal (struct date *date, long number)
{
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    long last = number / 10 == 1 || number % 10 > 3 ? 0 : number % 10;

    if (date->end - date->at < 2 || (date->end - date->at > 2 && g_ascii_isalpha (date->at[2])))
        return false;
    if (g_ascii_strncasecmp (date->at, "th", 2) != 0 &&
        g_ascii_strncasecmp (date->at, endings[last], 2) != 0)
        return false;
    date->at += 2;
    return true;
}

/* A number by itself. */
static bool
apply_plain (struct date *date, const struct numbers *numbers)
{
    long value = numbers->value[0];
    size_t digits = numbers->digits[0];

    if (unit_follows (date))
        return apply_number (date, value, digits);
    if (digits == 8)
        return set_year (date, value / 10000, 4) && set_month (date, value / 100 % 100) &&
               set_day (date, value % 100);
    if (digits == 6)
        return set_time (date, value / 10000, value / 100 % 100, value % 100);
    if (digits == 4)
        return set_year (date, value, 4);
    if (digits > 2)
        return false;
    if (take_ordinal (date, value))
        return set_day (date, value);
    if (date->field[MONTH] != UNSET && date->field[DAY] == UNSET && date->field[YEAR] == UNSET)
        return set_day (date, value);
    return apply_number (date, value, digits);
}

static bool
read_number (struct date *date)
{
    struct numbers numbers;

    if (!read_numbers (date, &numbers))
        return false;
    switch (numbers.sign) {
    case ':':
        return apply_clock (date, &numbers);
    case '-':
        return apply_dashes (date, &numbers);
    case '/':
        return apply_slashes (date, &numbers);
    case '.':
        return apply_dots (date, &numbers);
    default:
        return apply_plain (date, &numbers);
    }
}

/* +HH:MM, -HHMM, +HH behind a time; leaves date->at where it is if this is none. */
static bool
read_zone (struct date *date)
{
    const char *start = date->at;
    int sign = *start == '-' ? -1 : 1;
    long hours, minutes = 0;
    size_t digits;

    date->at++;
    if (date->zoned || date->field[HOUR] == UNSET || !read_digits (date, &hours, &digits))
        goto none;
    if (digits == 4) {
        minutes = hours % 100;
        hours /= 100;
    } else if (digits != 2)
        goto none;
    else if (date->at < date->end && *date->at == ':') {
        date->at++;
        if (!read_digits (date, &minutes, &digits) || digits != 2)
            goto none;
    }
    if (hours > 23 || minutes > 59 || (date->at < date->end && g_ascii_isalpha (*date->at)))
        goto none;
    return apply_zone (date, sign * (int) (hours * 60 + minutes));

none:
    date->at = start;
    return false;
}

/* ---- the span ------------------------------------------------------------------------------ */

static bool
read_all (struct date *date)
{
    while (date->at < date->end) {
        char byte = *date->at;
        if (g_ascii_isdigit (byte)) {
            if (!read_number (date))
                return false;
        } else if (g_ascii_isalpha (byte)) {
            if (!read_word (date))
                return false;
        } else if (byte == '\0' || strchr (" \t\n_-+,.", byte) == NULL) {
            return false;
        } else if (strchr ("+-", byte) == NULL || !read_zone (date)) {
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

/* "@" and seconds since the epoch. */
static bool
parse_epoch (const char *text, size_t length, int64_t *first_out, int64_t *last_out)
{
    int64_t seconds = 0;

    if (length < 2 || length > 18)
        return false;
    for (size_t i = 1; i < length; i++) {
        if (!g_ascii_isdigit (text[i]))
            return false;
        seconds = seconds * 10 + (text[i] - '0');
    }
    *first_out = *last_out = seconds;
    return true;
}

bool
date_parse (const char *text, size_t length, int64_t now, int64_t *first_out, int64_t *last_out)
{
    struct date date = {.at = text,
                        .end = text + length,
                        .field = {UNSET, UNSET, UNSET, UNSET, UNSET, UNSET, UNSET},
                        .weekday = UNSET,
                        .number = UNSET};
    time_t moment = (time_t) now;

    if (length > 0 && text[0] == '@')
        return parse_epoch (text, length, first_out, last_out);
    if (localtime_r (&moment, &date.now) == NULL || !read_all (&date))
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
