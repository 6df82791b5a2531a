/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-query-dates.c - what dates mean at one moment: Monday 30 November 2026, 18:28:50, in a zone
 * with summer time (written out, so that no table of zones is needed).
 */
#include "query/dates.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define NOW 1796059730

static char *
format_time (char *buffer, size_t size, int64_t seconds)
{
    time_t moment = (time_t) seconds;
    struct tm tm;

    localtime_r (&moment, &tm);
    strftime (buffer, size, "%Y-%m-%d %H:%M:%S", &tm);
    return buffer;
}

/* Parses an exactly sized copy. */
static bool
parse (const char *text, int64_t now, struct date_range *range, size_t *offset, size_t *length)
{
    size_t size = strlen (text);
    char *copy = malloc (size > 0 ? size : 1);
    bool good;

    memcpy (copy, text, size);
    good = date_range_parse (copy, size, now, range, offset, length);
    free (copy);
    return good;
}

static void
test_spans (void **state)
{
    static const struct {
        const char *text, *low, *high;
    } rows[] = {
        {"2009", "2009-01-01 00:00:00", "2009-12-31 23:59:59"},
        {"2009-05", "2009-05-01 00:00:00", "2009-05-31 23:59:59"},
        {"2009-05-07", "2009-05-07 00:00:00", "2009-05-07 23:59:59"},
        {"2009..2010", "2009-01-01 00:00:00", "2010-12-31 23:59:59"},
        {"2010..!", "2010-01-01 00:00:00", "2010-12-31 23:59:59"},
        {"yesterday..!", "2026-11-29 00:00:00", "2026-11-29 23:59:59"},
        {"@5", "1970-01-01 01:00:05", "1970-01-01 01:00:05"},
        {"@100..@200", "1970-01-01 01:01:40", "1970-01-01 01:03:20"},
        {"@-86400..@-1", "1969-12-31 01:00:00", "1970-01-01 00:59:59"},
        {"1965", "1965-01-01 00:00:00", "1965-12-31 23:59:59"},
        {"1969-12-31", "1969-12-31 00:00:00", "1969-12-31 23:59:59"},
        /* other orders */
        {"07-05-2009", "2009-05-07 00:00:00", "2009-05-07 23:59:59"},
        {"07-05-09", "2009-05-07 00:00:00", "2009-05-07 23:59:59"},
        {"07-05", "2026-05-07 00:00:00", "2026-05-07 23:59:59"},
        {"05-2009", "2009-05-01 00:00:00", "2009-05-31 23:59:59"},
        {"5/7/2009", "2009-05-07 00:00:00", "2009-05-07 23:59:59"},
        {"5/2009", "2009-05-01 00:00:00", "2009-05-31 23:59:59"},
        {"5/7", "2026-05-07 00:00:00", "2026-05-07 23:59:59"},
        {"7.5.2009", "2009-05-07 00:00:00", "2009-05-07 23:59:59"},
        {"7.5.69", "2069-05-07 00:00:00", "2069-05-07 23:59:59"},
        {"7.5.70", "1970-05-07 00:00:00", "1970-05-07 23:59:59"},
        {"7.5.", "2026-05-07 00:00:00", "2026-05-07 23:59:59"},
        {"20090507", "2009-05-07 00:00:00", "2009-05-07 23:59:59"},
        /* months by name */
        {"may", "2026-05-01 00:00:00", "2026-05-31 23:59:59"},
        {"may2009", "2009-05-01 00:00:00", "2009-05-31 23:59:59"},
        {"7may2009", "2009-05-07 00:00:00", "2009-05-07 23:59:59"},
        {"7_May", "2026-05-07 00:00:00", "2026-05-07 23:59:59"},
        {"May 7th 2009", "2009-05-07 00:00:00", "2009-05-07 23:59:59"},
        {"sept", "2026-09-01 00:00:00", "2026-09-30 23:59:59"},
        {"13th", "2026-11-13 00:00:00", "2026-11-13 23:59:59"},
        {"31_feb_2024", "2024-03-02 00:00:00", "2024-03-02 23:59:59"},
        {"wed,_13_mar_2024_10:00:00_+0100", "2024-03-13 10:00:00", "2024-03-13 10:00:00"},
        {"2009_may_7", "2009-05-07 00:00:00", "2009-05-07 23:59:59"},
        {"2009-may-07", "2009-05-07 00:00:00", "2009-05-07 23:59:59"},
        {"2009may07", "2009-05-07 00:00:00", "2009-05-07 23:59:59"},
        {"2009-05_7", "2009-05-07 00:00:00", "2009-05-07 23:59:59"},
        {"05-2009_7", "2009-05-07 00:00:00", "2009-05-07 23:59:59"},
        {"5/2009_7", "2009-05-07 00:00:00", "2009-05-07 23:59:59"},
        {"may+07", "2026-05-07 00:00:00", "2026-05-07 23:59:59"},
        {"may_5pm", "2026-05-30 17:00:00", "2026-05-30 17:00:00"},
        {"2009-05-07_5_pm", "2009-05-07 17:00:00", "2009-05-07 17:00:00"},
        /* weekdays: before today */
        {"mon", "2026-11-23 00:00:00", "2026-11-23 23:59:59"},
        {"sunday", "2026-11-29 00:00:00", "2026-11-29 23:59:59"},
        {"wed_noon", "2026-11-25 12:00:00", "2026-11-25 12:00:00"},
        {"last friday", "2026-11-27 00:00:00", "2026-11-27 23:59:59"},
        {"last-mon_10:00", "2026-11-23 10:00:00", "2026-11-23 10:00:59"},
        /* times */
        {"now", "2026-11-30 18:28:50", "2026-11-30 18:28:50"},
        {"noon", "2026-11-30 12:00:00", "2026-11-30 12:00:00"},
        {"midnight", "2026-11-30 00:00:00", "2026-11-30 00:00:00"},
        {"5pm", "2026-11-30 17:00:00", "2026-11-30 17:00:00"},
        {"12am", "2026-11-30 00:00:00", "2026-11-30 00:00:00"},
        {"5:30pm", "2026-11-30 17:30:00", "2026-11-30 17:30:59"},
        {"10:00", "2026-11-30 10:00:00", "2026-11-30 10:00:59"},
        {"24:00", "2026-12-01 00:00:00", "2026-12-01 00:00:59"},
        {"123456", "2026-11-30 12:34:56", "2026-11-30 12:34:56"},
        {"yesterday_10:00", "2026-11-29 10:00:00", "2026-11-29 10:00:59"},
        {"10:00+02:00", "2026-11-30 09:00:00", "2026-11-30 09:00:59"},
        {"10:00:00-0530", "2026-11-30 16:30:00", "2026-11-30 16:30:00"},
        {"10:00_utc", "2026-11-30 11:00:00", "2026-11-30 11:00:59"},
        {"6 may 2011 est", "2011-05-06 07:00:00", "2011-05-07 06:59:59"},
        {"6 may 2011 15:00 +07", "2011-05-06 10:00:00", "2011-05-06 10:00:59"},
        {"2011-05-06_+0700", "2011-05-05 19:00:00", "2011-05-06 18:59:59"},
        {"2011-05-06-0530", "2011-05-06 07:30:00", "2011-05-07 07:29:59"},
        {"+07_2011-05-06", "2011-05-05 19:00:00", "2011-05-06 18:59:59"},
        {"10:00-18-12-2010", "2010-12-18 10:00:00", "2010-12-18 10:00:59"},
        {"10:00-14_days", "2026-11-16 10:00:00", "2026-11-16 10:00:59"},
        {"10:00-1400", "2026-12-01 01:00:00", "2026-12-01 01:00:59"},
        /* what is taken from now is taken from the clock there: now it is 3:28 on 1 December */
        {"10:00+1000", "2026-12-01 01:00:00", "2026-12-01 01:00:59"},
        {"now_+10", "2026-11-30 18:28:50", "2026-11-30 18:28:50"},
        {"today_+10", "2026-11-30 15:00:00", "2026-12-01 14:59:59"},
        {"tue_+10", "2026-11-23 15:00:00", "2026-11-24 14:59:59"},
        /* steps back */
        {"today", "2026-11-30 00:00:00", "2026-11-30 23:59:59"},
        {"yesterday", "2026-11-29 00:00:00", "2026-11-29 23:59:59"},
        {"2d", "2026-11-28 00:00:00", "2026-11-28 23:59:59"},
        {"2_days_ago", "2026-11-28 00:00:00", "2026-11-28 23:59:59"},
        {"2d2d", "2026-11-26 00:00:00", "2026-11-26 23:59:59"},
        {"dozen_days", "2026-11-18 00:00:00", "2026-11-18 23:59:59"},
        {"2w", "2026-11-15 00:00:00", "2026-11-21 23:59:59"},
        {"week", "2026-11-22 00:00:00", "2026-11-28 23:59:59"},
        {"this_week", "2026-11-29 00:00:00", "2026-12-05 23:59:59"},
        {"last_month", "2026-10-01 00:00:00", "2026-10-31 23:59:59"},
        {"mo", "2026-10-01 00:00:00", "2026-10-31 23:59:59"},
        {"1M", "2026-10-01 00:00:00", "2026-10-31 23:59:59"},
        {"1m", "2026-11-30 18:27:00", "2026-11-30 18:27:59"},
        {"3h", "2026-11-30 15:00:00", "2026-11-30 15:59:59"},
        {"1y2M3d", "2025-09-27 00:00:00", "2025-09-27 23:59:59"},
        {"2000d", "2021-06-09 00:00:00", "2021-06-09 23:59:59"},
        {"1h30m", "2026-11-30 16:58:00", "2026-11-30 16:58:59"},
        {"last_year", "2025-01-01 00:00:00", "2025-12-31 23:59:59"},
        /* a summer time's last day has 25 hours */
        {"2026-10-25", "2026-10-25 00:00:00", "2026-10-25 23:59:59"},
    };
    char low[64], high[64];
    struct date_range range;
    size_t offset, length;

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!parse (rows[i].text, NOW, &range, &offset, &length))
            fail_msg ("%s: not read", rows[i].text);
        format_time (low, sizeof low, range.low);
        format_time (high, sizeof high, range.high);
        if (strcmp (low, rows[i].low) != 0 || strcmp (high, rows[i].high) != 0)
            fail_msg ("%s: %s to %s", rows[i].text, low, high);
        assert_false (range.open_low || range.open_high);
    }
}

static void
test_open_ends (void **state)
{
    static const struct {
        const char *text;
        bool low, high;
    } rows[] = {
        {"..", true, true},       {"2009..", false, true},      {"..2009", true, false},
        {"!..2009", true, false}, {"2009..2008", false, false},
    };
    struct date_range range;
    size_t offset, length;

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true (parse (rows[i].text, NOW, &range, &offset, &length));
        assert_int_equal (range.open_low, rows[i].low);
        assert_int_equal (range.open_high, rows[i].high);
    }
}

static void
test_errors (void **state)
{
    static const struct {
        const char *text;
        size_t offset, length;
    } rows[] = {
        {"", 0, 0},
        {"tomorrow", 0, 8},
        {"2010-1-1", 0, 8},
        {"2010/05/06", 0, 10},
        {"2010-05-06T15:00", 0, 16},
        {"next_friday", 0, 11},
        {"this_friday", 0, 11},
        {"last_last_friday", 0, 16},
        {"last_may", 0, 8},
        {"eleven days", 0, 11},
        {"lastmonth", 0, 9},
        {"5", 0, 1},
        {"99", 0, 2},
        {"0001", 0, 4},
        {"1_2010", 0, 6},
        {"25:00", 0, 5},
        {"15:60", 0, 5},
        {"00:00:60", 0, 8},
        {"13pm", 0, 4},
        {"0am", 0, 3},
        {"20:30pm", 0, 7},
        {"5p.m.", 0, 5},
        {"2st", 0, 3},
        {"11st", 0, 4},
        {"32_may", 0, 6},
        {"2010-13", 0, 7},
        {"10:00 11:00", 0, 11},
        {"2010 2011", 0, 9},
        {"wed thu", 0, 7},
        {"3_wednesday", 0, 11},
        {"this", 0, 4},
        {"ago", 0, 3},
        {"@", 0, 1},
        {"@-", 0, 2},
        {"@--5", 0, 4},
        {"24:17", 0, 5},
        {"24:00:01", 0, 8},
        {"10:00-15", 0, 8},
        {"10:00+1430", 0, 10},
        {"may_2010_5", 0, 10},
        {"+0100", 0, 5},
        {"@99999999999999999999", 0, 21},
        {"99999999999999999999d", 0, 21},
        {"142857143w", 0, 10}, /* more days than an int has */
        {"1234567890", 0, 10},
        {"foo..2009", 0, 3},
        {"2009..foo", 6, 3},
        {"..foo", 2, 3},
        {"!", 0, 1},
        {"..!", 2, 1},
        {"\xff\xfe", 0, 2},
    };
    struct date_range range;
    size_t offset, length;

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (parse (rows[i].text, NOW, &range, &offset, &length))
            fail_msg ("'%s' was read", rows[i].text);
        if (offset != rows[i].offset || length != rows[i].length)
            fail_msg ("'%s': fault at %d, length %d", rows[i].text, (int) offset, (int) length);
    }
}

/* Whatever the bytes, an answer; and at once. */
static void
test_any_bytes (void **state)
{
    char text[24];
    struct date_range range;
    size_t offset, length;
    unsigned seed = 1;

    (void) state;
    for (int round = 0; round < 100000; round++) {
        static const char letters[] = "0123456789.:-/@!+_ dmywhst,aMprngo\xc3\0";
        size_t size = (size_t) (rand_r (&seed) % 23);
        for (size_t i = 0; i < size; i++)
            text[i] = letters[rand_r (&seed) % (sizeof letters - 1)];
        text[size] = '\0';
        if (!parse (text, NOW, &range, &offset, &length))
            assert_true (offset + length <= strlen (text));
    }
}

static int
set_zone (void **state)
{
    (void) state;
    setenv ("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset ();
    return 0;
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_spans),
        cmocka_unit_test (test_open_ends),
        cmocka_unit_test (test_errors),
        cmocka_unit_test (test_any_bytes),
    };
    return cmocka_run_group_tests (tests, set_zone, NULL);
}
