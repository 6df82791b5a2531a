/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-term.c - terms of state: what is too long is hashed, numbers keep their order. */
#include "term.h"
#include "schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

#include <cmocka.h>

static size_t
key_length (struct store_term term)
{
    size_t length = term.length;
    for (size_t i = 0; i < term.length; i++)
        length += term.text[i] == '\0';
    return length;
}

static void
test_length (void **state)
{
    char *value = talloc_zero_size (NULL, 2000);
    (void) state;
    memset (value, 'x', 2000);
    for (size_t length = 0; length < 2000; length += 13) {
        struct store_term term = term_make (value, "K", value, length);
        bool fits = length + 1 <= TERM_MAX;
        assert_int_equal (term.length, fits ? length + 1 : 241);
        assert_int_equal (term.text[0], 'K');
        assert_int_equal (term.text[term.length], '\0');
    }
    talloc_free (value);
}

/* A NUL byte takes two of a key. */
static void
test_nul (void **state)
{
    char *value = talloc_zero_size (NULL, 300);
    (void) state;
    for (size_t length = 100; length < 300; length++) {
        struct store_term term = term_make (value, "K", value, length);
        assert_true (key_length (term) <= 245);
        if (1 + 2 * length <= TERM_MAX)
            assert_int_equal (term.length, 1 + length);
        else
            assert_int_equal (term.text[term.length - 41], '#');
    }
    talloc_free (value);
}

static void
test_twins (void **state)
{
    char a[301], b[301];
    void *ctx = talloc_new (NULL);
    (void) state;
    memset (a, 'y', 300);
    a[300] = '\0';
    memcpy (b, a, sizeof b);
    b[299] = 'z';
    struct store_term x = term_make_string (ctx, "N", a), y = term_make_string (ctx, "N", b);
    assert_int_equal (x.length, y.length);
    assert_memory_not_equal (x.text, y.text, x.length);
    talloc_free (ctx);
}

static void
test_message_id (void **state)
{
    char id[301];
    void *ctx = talloc_new (NULL);
    (void) state;
    memset (id, 'a', 300);
    id[189] = '\0';
    assert_string_equal (term_message_id (ctx, id), id);
    id[189] = 'a';
    id[190] = '\0';
    /* printf '%s\0' aaa...(190) | sha1sum */
    assert_string_equal (term_message_id (ctx, id),
                         "notmuch-sha1-c47e94201ccc4e71189c092c1a3a6ca8fb433015");
    talloc_free (ctx);
}

static void
test_numbers (void **state)
{
    static const int64_t dates[] = {INT64_MIN, -86400, -1, 0, 1, 1700000000, INT64_MAX};
    char last[8], bytes[8];
    (void) state;
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        value_encode (date_to_value (dates[i]), bytes);
        assert_true (value_to_date (value_decode (bytes, 8)) == dates[i]);
        if (i > 0)
            assert_true (memcmp (last, bytes, 8) < 0);
        memcpy (last, bytes, 8);
    }
    assert_int_equal (value_decode ("\1\0", 2), 256);
}

static void
test_names (void **state)
{
    void *ctx = talloc_new (NULL);
    (void) state;
    assert_string_equal (term_thread (ctx, 42).text, "G000000000000002a");
    assert_string_equal (term_folder (ctx, 17).text, "F17");
    assert_string_equal (term_file (ctx, 17, "a:2,S").text, "N17:a:2,S");
    talloc_free (ctx);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_length),  cmocka_unit_test (test_nul),
        cmocka_unit_test (test_twins),   cmocka_unit_test (test_message_id),
        cmocka_unit_test (test_numbers), cmocka_unit_test (test_names),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
