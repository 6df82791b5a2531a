/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-cli-progress.c - how long things took, in words; offsets and limits. */
#include "cli/progress.h"
#include "cli/paging.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

#include <cmocka.h>

static void
test_duration (void **state)
{
    static const struct {
        double seconds;
        const char *right;
    } cases[] = {
        {-1, "almost no time"},
        {0, "almost no time"},
        {0.99, "almost no time"},
        {1, "1s"},
        {59.9, "59s"},
        {60, "1m 0s"},
        {3599, "59m 59s"},
        {3600, "1h 0m 0s"},
        {3661, "1h 1m 1s"},
        {360000, "100h 0m 0s"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[DURATION_SIZE];

        assert_string_equal (progress_duration (cases[i].seconds, text), cases[i].right);
    }
}

/* What is not wanted never reaches a terminal. */
static void
test_unwanted (void **state)
{
    struct progress *progress = progress_begin (NULL, "files", false);

    (void) state;
    progress_update (progress, 1, 2);
    progress_clear (progress);
    assert_true (progress_seconds (progress) >= 0);
    talloc_free (progress);
}

static void
test_paging (void **state)
{
    static const struct {
        int64_t offset;
        size_t count, first;
    } cases[] = {
        {0, 5, 0},  {2, 5, 2},  {5, 5, 5},  {6, 5, 5},         {INT64_MAX, 5, 5},
        {-1, 5, 4}, {-5, 5, 0}, {-6, 5, 0}, {INT64_MIN, 5, 0}, {-1, 0, 0},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal (paging_first (cases[i].offset, cases[i].count), cases[i].first);
    assert_int_equal (paging_limit (-1), SIZE_MAX);
    assert_int_equal (paging_limit (INT64_MIN), SIZE_MAX);
    assert_int_equal (paging_limit (0), 0);
    assert_int_equal (paging_limit (7), 7);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_duration),
        cmocka_unit_test (test_unwanted),
        cmocka_unit_test (test_paging),
    };

    return cmocka_run_group_tests (tests, NULL, NULL);
}
