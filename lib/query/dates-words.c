/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dates-words.c - the words of dates: months, weekdays, units, zones and the like.
 *
 * One table; a word uses the number that was read before it.
 */
#include "query/dates-private.h"
#include <glib.h>
#include <string.h>

enum keyword_kind {
    KEYWORD_MONTH,
    KEYWORD_WEEKDAY,
    KEYWORD_HALF, /* value: hours to add */
    KEYWORD_UNIT,
    KEYWORD_NUMBER,
    KEYWORD_LAST,  /* the number 1, or the weekday that follows */
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
    {"last", 0, KEYWORD_LAST, 1},
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
    return date_step_back (date, unit, count);
}

/* "5pm" or the pm of "5:30pm". */
static bool
apply_half (struct date *date, int add)
{
    if (date->number != UNSET) {
        if (date->number_digits < 1 || date->number_digits > 2 ||
            !date_set_time (date, date->number, 0, 0))
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
        if (date->number_digits < 1 || date->number_digits > 2 ||
            !date_set_day (date, date->number))
            return false;
        date->number = UNSET;
    }
    return date_set_month (date, month);
}

bool
date_apply_zone (struct date *date, int minutes)
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
    if (date->number != UNSET && date->last)
        date->number = UNSET;
    date->weekday = weekday;
    date->mentioned |= 1u << DAY;
    return true;
}

bool
date_apply_number (struct date *date, long number, size_t digits)
{
    if (date->number != UNSET)
        return false;
    date->number = number;
    date->number_digits = digits;
    date->last = false;
    return true;
}

static bool
apply_last (struct date *date)
{
    date->last = date_apply_number (date, 1, 0);
    return date->last;
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
        return date_apply_number (date, keyword->value, 0);
    case KEYWORD_LAST:
        return apply_last (date);
    case KEYWORD_CLOCK:
        return date_set_time (date, keyword->value, 0, 0);
    case KEYWORD_NOW:
        return date_set_time (date, date->now.tm_hour, date->now.tm_min,
                              MIN (date->now.tm_sec, 59));
    case KEYWORD_DAYS_AGO:
        return date_step_back (date, DAY, keyword->value);
    case KEYWORD_NOTHING:
        return true;
    case KEYWORD_ZONE:
        return date_apply_zone (date, keyword->value);
    }
    return false;
}

bool
date_read_word (struct date *date)
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

bool
date_word_uses_number (const struct date *date)
{
    const char *at = date->at, *word;
    const struct keyword *keyword;

    while (at < date->end && strchr (" _-,.", *at) != NULL)
        at++;
    word = at;
    while (at < date->end && g_ascii_isalpha (*at))
        at++;
    if (at - word == 1 && (*word == 'm' || *word == 'M'))
        return true;
    keyword = keyword_find (word, (size_t) (at - word));
    return keyword != NULL && (keyword->kind == KEYWORD_UNIT || keyword->kind == KEYWORD_HALF);
}
