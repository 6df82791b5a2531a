/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-relative-date.c - dates of listings at the borders of their steps; Date fields. */
#include "cli/mail-date.h"
#include "cli/relative-date.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>
#include <time.h>

#include <cmocka.h>

#define NOW 1710340200 /* Wed, 13 Mar 2024 14:30:00 UTC */
#define DAY 86400

static void
test_relative (void **state)
{
    static const struct {
        int64_t then;
        const char *right;
    } cases[] = {
        {NOW + 1, "the future"},
        {INT64_MAX, "the future"},
        {NOW, "0 mins. ago"},
        {NOW - 59, "0 mins. ago"},
        {NOW - 60, "1 mins. ago"},
        {NOW - 3599, "59 mins. ago"},
        {NOW - 3600, "Today 13:30"},
        {NOW - 14 * 3600 - 1800, "Today 00:00"},
        {NOW - 14 * 3600 - 1801, "Yest. 23:59"},
        {NOW - 38 * 3600 - 1800, "Yest. 00:00"},
        {NOW - 38 * 3600 - 1801, "Mon. 23:59"},
        {NOW - 6 * DAY, "Thu. 14:30"},
        {NOW - 6 * DAY - 14 * 3600, "Thu. 00:30"},
        {NOW - 6 * DAY - 23 * 3600, "March 06"},
        {NOW - 7 * DAY, "March 06"},
        {NOW - 8 * DAY, "March 05"},
        {NOW - 180 * DAY, "September 15"},
        {NOW - 180 * DAY - 1, "2023-09-15"},
        {0, "1970-01-01"},
        {-1, "1969-12-31"},
        {-14831769600, "1500-01-01"},
        {INT64_MIN, "-9223372036854775808"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[RELATIVE_DATE_SIZE];

        assert_string_equal (relative_date (cases[i].then, NOW, text), cases[i].right);
    }
}

/* Days are those of the local time. */
static void
test_local_time (void **state)
{
    char text[RELATIVE_DATE_SIZE];

    (void) state;
    setenv ("TZ", "XXX-10", 1); /* ten hours east: it is Thursday, 00:30 */
    tzset ();
    assert_string_equal (relative_date (NOW - 3600, NOW, text), "Yest. 23:30");
    assert_string_equal (relative_date (NOW - DAY, NOW, text), "Yest. 00:30");
    setenv ("TZ", "UTC", 1);
    tzset ();
}

static void
test_mail_date (void **state)
{
    static const char epoch[] = "Thu, 01 Jan 1970 00:00:00 +0000";
    static const char *const pairs[][2] = {
        {"Mon, 1 Jan 2024 12:00:00 +0200", "Mon, 01 Jan 2024 12:00:00 +0200"},
        {"1 Jan 2024 12:00 -0530", "Mon, 01 Jan 2024 12:00:00 -0530"},
        {"Thu, 7 Mar 2024 10:20 EST", "Thu, 07 Mar 2024 10:20:00 -0500"},
        {"7 Mar 2024 10:20:30 GMT", "Thu, 07 Mar 2024 10:20:30 +0000"},
        {"Fri, 7 Mar 2024 10:20:30 +0000", "Thu, 07 Mar 2024 10:20:30 +0000"},
        {"Mon,  1 Jan  2024 12:00:00 +0100 (CET (or so))", "Mon, 01 Jan 2024 12:00:00 +0100"},
        {"Mon, 01 Jan 99 12:00:00 +0000", "Fri, 01 Jan 1999 12:00:00 +0000"},
        {"1 Jan 24 12:00:00 Z", "Mon, 01 Jan 2024 12:00:00 +0000"},
        {"1 Jan 102 12:00:00 Z", epoch},
        {"Wed, 03 Dec 0102 17:08:50 +1100", epoch},
        {"2002/09/14 Sat 13:06:03 CDT", "Sat, 14 Sep 2002 13:06:03 -0500"},
        {"Mon, 01-Jan-24 12:00:00 GMT", "Mon, 01 Jan 2024 12:00:00 +0000"},
        {"Fri, 02 Aug 2002 23:37:59 0530", "Fri, 02 Aug 2002 23:37:59 +0000"},
        {"1 Jan 2024 12:00:00 +9999", "Mon, 01 Jan 2024 12:00:00 +0000"},
        {"1 Jan 2024 12:00:00 +1260", "Mon, 01 Jan 2024 12:00:00 +0000"},
        {"1 Jan 2024 25:00:00 +0000", epoch},
        {"1 Jan 2024 1:-2 +0000", epoch},
        {"Mar 7 10:20:30 2024", "Thu, 07 Mar 2024 10:20:30 +0000"},
        {"2024-01-01", "Mon, 01 Jan 2024 00:00:00 +0000"},
        {"29 Feb 2024 00:00:60 +0000", "Thu, 29 Feb 2024 00:00:60 +0000"},
        {"29 Feb 2023 00:00:00 +0000", epoch},
        {"32 Jan 2024 00:00:00 +0000", epoch},
        {"garbage", epoch},
        {"", epoch},
        {NULL, epoch},
        {"((((", epoch},
        {"1 Jan 99999999999 12:00", epoch},
        {"99999999999999999999 Jan 2024", epoch},
    };

    (void) state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *header = pairs[i][0] ? strdup (pairs[i][0]) : NULL;
        char *text = mail_date_text (NULL, header, 0);

        assert_string_equal (text, pairs[i][1]);
        talloc_free (text);
        free (header);
    }
}

/* What the index knows stands in for a date that cannot be read. */
static void
test_otherwise (void **state)
{
    static const struct {
        int64_t seconds;
        const char *right;
    } cases[] = {
        {NOW, "Wed, 13 Mar 2024 14:30:00 +0000"},
        {-1, "Wed, 31 Dec 1969 23:59:59 +0000"},
        {INT64_MAX, "Thu, 01 Jan 1970 00:00:00 +0000"},
        {INT64_MIN, "Thu, 01 Jan 1970 00:00:00 +0000"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = mail_date_text (NULL, "garbage", cases[i].seconds);

        assert_string_equal (text, cases[i].right);
        talloc_free (text);
    }
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_relative),
        cmocka_unit_test (test_local_time),
        cmocka_unit_test (test_mail_date),
        cmocka_unit_test (test_otherwise),
    };

    setenv ("TZ", "UTC", 1);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
