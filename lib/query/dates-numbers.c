/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dates-numbers.c - the numbers of dates: 2009-05-07, 5/7/2009, 7.5., 20090507, 10:30, 13th,
 * +01:00.
 *
 * The sign between them and the count of digits say what they are.
 */
#include "query/dates-private.h"
#include <glib.h>
#include <string.h>

enum { ZONE_LIMIT = 14 * 60 }; /* minutes; no clock is further from Greenwich's */

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
    return date_set_time (date, numbers->value[0], numbers->value[1],
                          numbers->count == 3 ? numbers->value[2] : UNSET);
}

/* YYYY-MM, YYYY-MM-DD, DD-MM, DD-MM-YYYY, DD-MM-YY, MM-YYYY */
static bool
apply_dashes (struct date *date, const struct numbers *numbers)
{
    const long *value = numbers->value;
    const size_t *digits = numbers->digits;

    if (digits[0] == 4)
        return digits[1] == 2 && date_set_year (date, value[0], 4) &&
               date_set_month (date, value[1]) &&
               (numbers->count == 2 || (digits[2] == 2 && date_set_day (date, value[2])));
    if (digits[0] != 2)
        return false;
    if (digits[1] == 4)
        return numbers->count == 2 && date_set_year (date, value[1], 4) &&
               date_set_month (date, value[0]);
    return digits[1] == 2 && date_set_day (date, value[0]) && date_set_month (date, value[1]) &&
           (numbers->count == 2 || date_set_year (date, value[2], digits[2]));
}

/* M/D, M/D/YYYY, M/D/YY, M/YYYY */
static bool
apply_slashes (struct date *date, const struct numbers *numbers)
{
    if (numbers->digits[0] > 2)
        return false;
    if (numbers->count == 2 && numbers->digits[1] == 4)
        return date_set_year (date, numbers->value[1], 4) &&
               date_set_month (date, numbers->value[0]);
    if (!date_set_month (date, numbers->value[0]))
        return false;
    return numbers->digits[1] <= 2 && date_set_day (date, numbers->value[1]) &&
           (numbers->count == 2 || date_set_year (date, numbers->value[2], numbers->digits[2]));
}

/* D.M, D.M.YYYY, D.M.YY */
static bool
apply_dots (struct date *date, const struct numbers *numbers)
{
    return numbers->digits[0] <= 2 && numbers->digits[1] <= 2 &&
           date_set_day (date, numbers->value[0]) && date_set_month (date, numbers->value[1]) &&
           (numbers->count == 2 || date_set_year (date, numbers->value[2], numbers->digits[2]));
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

    if (date_word_uses_number (date))
        return date_apply_number (date, value, digits);
    if (digits == 8)
        return date_set_year (date, value / 10000, 4) && date_set_month (date, value / 100 % 100) &&
               date_set_day (date, value % 100);
    if (digits == 6)
        return date_set_time (date, value / 10000, value / 100 % 100, value % 100);
    if (digits == 4)
        return date_set_year (date, value, 4);
    if (digits > 2)
        return false;
    if (take_ordinal (date, value))
        return date_set_day (date, value);
    if (date->field[MONTH] != UNSET && date->field[DAY] == UNSET &&
        (date->field[YEAR] == UNSET || date->newest == MONTH))
        return date_set_day (date, value);
    return date_apply_number (date, value, digits);
}

bool
date_read_number (struct date *date)
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

/* HH, HHMM or HH:MM behind a sign: minutes, and how many digits there were first. */
static bool
read_offset (struct date *date, int *offset_out, size_t *digits_out)
{
    long hours, minutes = 0;
    size_t digits;

    if (!read_digits (date, &hours, digits_out) || (*digits_out != 2 && *digits_out != 4))
        return false;
    if (*digits_out == 4) {
        minutes = hours % 100;
        hours /= 100;
    } else if (date->at < date->end && *date->at == ':') {
        if (date->field[HOUR] == UNSET)
            return false; /* "may_1st+10:30" */
        date->at++;
        if (!read_digits (date, &minutes, &digits) || digits != 2)
            return false;
    }
    *offset_out = (int) (hours * 60 + minutes);
    return minutes <= 59 && *offset_out <= ZONE_LIMIT;
}

/* What looked like a zone is part of something longer: "10:30-18-12-2014", "10:30-2_days". */
static bool
goes_on (const struct date *date)
{
    return date_word_uses_number (date) ||
           (date->at < date->end &&
            (g_ascii_isalpha (*date->at) ||
             (strchr ("-/.", *date->at) != NULL && is_digit_at (date, date->at + 1))));
}

bool
date_read_zone (struct date *date)
{
    const char *start = date->at++;
    bool west = *start == '-';
    size_t digits;
    int offset;

    /* No year is "-0530", and "may-12", "may+12" are days. */
    if (!date->zoned && read_offset (date, &offset, &digits) && !goes_on (date) &&
        (date->field[HOUR] != UNSET || digits == 4 ||
         (!west && (date->field[MONTH] == UNSET || date->field[DAY] != UNSET))))
        return date_apply_zone (date, west ? -offset : offset);
    date->at = start;
    return false;
}
