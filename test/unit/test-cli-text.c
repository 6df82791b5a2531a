/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-cli-text.c - text from mail on its way out; terms and hex in text; excluded tags. */
#include "cli/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

#include <cmocka.h>

#define FFFD "\xEF\xBF\xBD"

static void
test_line (void **state)
{
    static const char *const pairs[][2] = {
        {"", ""},
        {"plain", "plain"},
        {"tab\there\nnext", "tab here next"},
        {"\033[31mred\007", "?[31mred?"},
        {"cr\rff\fdel\177", "cr?ff?del?"},
        {"D\xC3\xB6ra \xE2\x82\xAC \xF0\x9F\x98\x80", "D\xC3\xB6ra \xE2\x82\xAC \xF0\x9F\x98\x80"},
        {"c1 \xC2\x9B"
         "31m",
         "c1 ?31m"},
        {"nbsp\xC2\xA0.", "nbsp\xC2\xA0."},
        {"line\xE2\x80\xA8paragraph\xE2\x80\xA9.", "line paragraph ."},
        {"\xFF\xC3", FFFD FFFD},
        {"a\xE2\x82z", "a" FFFD FFFD "z"},
        {"\xED\xA0\x80", FFFD FFFD FFFD}, /* a surrogate */
        {"\xC0\x80", FFFD FFFD},          /* an overlong NUL */
        {"\x9B", FFFD},
    };

    (void) state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        /* Exactly sized, so that a read behind the end is noticed. */
        char *source = strdup (pairs[i][0]), *line = text_line (NULL, source);

        assert_string_equal (line, pairs[i][1]);
        talloc_free (line);
        free (source);
    }
}

static void
test_block (void **state)
{
    static const struct {
        const char *text;
        size_t length;
        const char *right;
    } cases[] = {
        {"a\tb\nc", 5, "a\tb\nc"}, {"a\fmessage}\r\n", 12, "a?message}?\n"}, {"nul\0x", 5, "nul?x"},
        {"\033c", 2, "?c"},        {"cut\xE2\x82", 5, "cut" FFFD FFFD},      {"", 0, ""},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *source = malloc (cases[i].length + !cases[i].length);
        char *text = NULL;
        size_t size;
        FILE *file = open_memstream (&text, &size);

        memcpy (source, cases[i].text, cases[i].length);
        text_write_block (file, source, cases[i].length);
        fclose (file);
        assert_string_equal (text, cases[i].right);
        free (source);
        free (text);
    }
}

static void
test_term (void **state)
{
    static const char *const pairs[][2] = {
        {"a@x", "id:a@x"},       {"", "id:\"\""},
        {"a b", "id:\"a b\""},   {"d\"q@x", "id:\"d\"\"q@x\""},
        {"a)(b", "id:\"a)(b\""}, {"\xC3\xB6", "id:\"\xC3\xB6\""},
        {"a%b*c", "id:a%b*c"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *term = text_term (NULL, "id", pairs[i][0]);

        assert_string_equal (term, pairs[i][1]);
        talloc_free (term);
    }
}

static void
test_columns (void **state)
{
    (void) state;
    assert_int_equal (text_columns ("abc", 3), 3);
    assert_int_equal (text_columns ("\xC3\xB6x", 3), 2);
    assert_int_equal (text_columns ("\xE6\xBC\xA2", 3), 2); /* wide */
    assert_int_equal (text_columns ("e\xCC\x81", 3), 1);    /* combining */
    assert_int_equal (text_columns ("\033\xFF", 2), 2);     /* as text_line() prints it */
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_line),
        cmocka_unit_test (test_block),
        cmocka_unit_test (test_term),
        cmocka_unit_test (test_columns),
    };

    return cmocka_run_group_tests (tests, NULL, NULL);
}
