/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mail-date.c - reads a Date header field token by token.
 *
 * Tokens are known by their looks and not by their place (a month is three letters of a list, a
 * time has a colon, ...), because "Mar 7 10:20:30 2024" is about as common as what the RFC wants.
 */
#include "mail-date.h"

#include <ctype.h>
#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>
#include <time.h>

struct date {
    int day, month, year; /* month from 1; -1: not seen */
    int hour, minute, second;
    int zone; /* minutes east */
};

static const char months[] = "janfebmaraprmayjunjulaugsepoctnovdec";
static const char *const month_names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
static const char *const day_names[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

static const struct {
    const char *name;
    int hours;
} zones[] = {
    {"UT", 0},   {"UTC", 0},  {"GMT", 0},  {"Z", 0},    {"EST", -5}, {"EDT", -4},
    {"CST", -6}, {"CDT", -5}, {"MST", -7}, {"MDT", -6}, {"PST", -8}, {"PDT", -7},
};

static void
read_time (const char *token, struct date *date)
{
    int hour, minute, second = 0;
    char rest;
    int got = sscanf (token, "%2d:%2d:%2d%c", &hour, &minute, &second, &rest);

    if (got < 2 || got > 3)
        return;
    date->hour = hour;
    date->minute = minute;
    date->second = second;
}

static void
read_offset (const char *token, struct date *date)
{
    int digits = 0;

    while (isdigit ((unsigned char) token[1 + digits]))
        digits++;
    if (digits != 4 || token[5] != '\0')
        return;
    digits = atoi (token + 1);
    if (digits % 100 < 60 && digits < 2400)
        date->zone = (digits / 100 * 60 + digits % 100) * (*token == '-' ? -1 : 1);
}

/* A month by its name; 0 for what is none. */
static int
month_number (const char *token)
{
    for (int m = 0; m < 12 && strlen (token) >= 3; m++)
        if (g_ascii_strncasecmp (token, months + m * 3, 3) == 0)
            return m + 1;
    return 0;
}

/* "2024-01-31", "2024/01/31", "31-Jan-2024". */
static bool
read_whole_date (const char *token, struct date *date)
{
    int year, month, day;
    char name[4], rest;

    if (sscanf (token, "%4d%*[-/]%2d%*[-/]%2d%c", &year, &month, &day, &rest) == 3) {
        date->month = month;
    } else if (sscanf (token, "%2d-%3[A-Za-z]-%4d%c", &day, name, &year, &rest) == 3) {
        date->month = month_number (name);
        year += year < 70 ? 2000 : year < 100 ? 1900 : 0;
    } else {
        return false;
    }
    date->year = year;
    date->day = day;
    return true;
}

/* A day of the month, or a year. */
static void
read_number (const char *token, struct date *date)
{
    int value = atoi (token);

    if (date->day < 0 && strlen (token) <= 2)
        date->day = value;
    else if (date->year < 0)
        date->year = value + (value < 70 ? 2000 : value < 100 ? 1900 : 0);
}

static void
read_word (const char *token, struct date *date)
{
    int month = month_number (token);

    if (month > 0)
        date->month = month;
    for (size_t i = 0; i < G_N_ELEMENTS (zones); i++)
        if (g_ascii_strcasecmp (token, zones[i].name) == 0)
            date->zone = zones[i].hours * 60;
}

static void
read_token (const char *token, struct date *date)
{
    if (isalpha ((unsigned char) *token))
        read_word (token, date);
    else if (*token == '+' || *token == '-')
        read_offset (token, date);
    else if (strchr (token, ':'))
        read_time (token, date);
    else if (isdigit ((unsigned char) *token) && !read_whole_date (token, date) &&
             token[strspn (token, "0123456789")] == '\0' && strlen (token) <= 4)
        read_number (token, date);
}

/* Blanks in place of comments, which nest. */
static void
blank_comments (char *text)
{
    int depth = 0;

    for (; *text; text++) {
        char c = *text;

        depth += c == '(';
        if (depth > 0)
            *text = ' ';
        depth -= depth > 0 && c == ')';
    }
}

static bool
is_valid (const struct date *date)
{
    return date->day > 0 && date->month > 0 && date->year >= 1969 && date->year <= 9999 &&
           date->hour < 24 && date->minute < 60 && date->second <= 60 && date->hour >= 0 &&
           date->minute >= 0 && date->second >= 0 &&
           g_date_valid_dmy ((GDateDay) date->day, (GDateMonth) date->month,
                             (GDateYear) date->year);
}

static bool
parse (void *ctx, const char *header, struct date *date)
{
    char *text = talloc_strdup (ctx, header ? header : ""), *rest = text, *token;

    *date = (struct date){.day = -1, .month = -1, .year = -1};
    blank_comments (text);
    while ((token = strtok_r (rest, " \t\r\n,", &rest)))
        read_token (token, date);
    talloc_free (text);
    return is_valid (date);
}

static struct date
in_utc (int64_t seconds)
{
    time_t t = (time_t) seconds;
    struct tm tm;

    if (!gmtime_r (&t, &tm) || tm.tm_year + 1900 < 1 || tm.tm_year + 1900 > 9999)
        return in_utc (0);
    return (struct date){
        .day = tm.tm_mday,
        .month = tm.tm_mon + 1,
        .year = tm.tm_year + 1900,
        .hour = tm.tm_hour,
        .minute = tm.tm_min,
        .second = tm.tm_sec,
    };
}

char *
mail_date_text (void *ctx, const char *header, int64_t otherwise)
{
    struct date date;
    GDate day;
    int zone;

    if (!parse (ctx, header, &date))
        date = in_utc (otherwise);
    zone = abs (date.zone);
    g_date_clear (&day, 1);
    g_date_set_dmy (&day, (GDateDay) date.day, (GDateMonth) date.month, (GDateYear) date.year);
    return talloc_asprintf (ctx, "%s, %02d %s %04d %02d:%02d:%02d %c%02d%02d",
                            day_names[g_date_get_weekday (&day) - 1], date.day,
                            month_names[date.month - 1], date.year, date.hour, date.minute,
                            date.second, date.zone < 0 ? '-' : '+', zone / 60, zone % 60);
}
