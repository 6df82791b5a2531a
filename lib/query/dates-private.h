/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dates-private.h - a date that is being read, for the files that read it. */
#ifndef DATES_PRIVATE_H
#define DATES_PRIVATE_H

#include "query/dates.h"
#include <time.h>

/* Finest first. */
enum unit { SECOND, MINUTE, HOUR, DAY, WEEK, MONTH, YEAR, UNIT_COUNT };

enum { UNSET = -1, STEP_LIMIT = 1000000000 };

/* What has been read so far, and where reading goes on. */
struct date {
    const char *at, *end;
    struct tm now;
    int field[UNIT_COUNT]; /* UNSET, or the value; the month from 0; WEEK is not used */
    int weekday;           /* UNSET, or from 0 = Sunday */
    long back[UNIT_COUNT];
    unsigned mentioned;   /* 1 << enum unit */
    int newest;           /* enum unit of the field that was set last; UNSET before any */
    long number;          /* read, and not used yet; UNSET */
    size_t number_digits; /* of it; 0 where it was a word */
    bool last;            /* that word was "last" */
    bool half;            /* am or pm was said */
    bool zoned;
    int zone; /* seconds east of Greenwich */
};

/* Set a field; false where it is set already, or the value is none. A year of two digits is of this
 * century up to 69. */
bool date_set_year (struct date *date, long year, size_t digits);
bool date_set_month (struct date *date, long month);
bool date_set_day (struct date *date, long day);
bool date_set_time (struct date *date, long hour, long minute, long second);
/* Goes back by so many units. */
bool date_step_back (struct date *date, enum unit unit, long count);

/* dates-words.c: takes the word at date->at; false where it is no keyword, or does not fit. */
bool date_read_word (struct date *date);
/* A number that the next word is to use. */
bool date_apply_number (struct date *date, long number, size_t digits);
bool date_apply_zone (struct date *date, int minutes);
/* The word that follows, after signs that separate, is a unit, or am or pm: the number is no year
 * and no day. */
bool date_word_uses_number (const struct date *date);

/* dates-numbers.c: takes the number, or the numbers with signs between them, at date->at. */
bool date_read_number (struct date *date);
/* +HH:MM, -HHMM, +HH behind a time, or +HHMM, -HHMM, +HH anywhere; leaves date->at where it is if
 * this is none. */
bool date_read_zone (struct date *date);

#endif
