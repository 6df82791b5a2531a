/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-cli-printers.c - the layout of the formats; text that is valid whatever the bytes. */
#include "cli/printer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

#include <cmocka.h>

struct sink {
    struct printer *printer;
    FILE *file;
    char *text;
    size_t size;
};

static void
begin (struct sink *sink, enum printer_format format)
{
    sink->file = open_memstream (&sink->text, &sink->size);
    sink->printer = printer_create (NULL, format, sink->file);
}

static void
check (struct sink *sink, const char *right, size_t size)
{
    fclose (sink->file);
    assert_int_equal (sink->size, size);
    assert_memory_equal (sink->text, right, size);
    talloc_free (sink->printer);
    free (sink->text);
}

/* Two results, as search prints them. */
static void
print_results (struct printer *printer)
{
    printer_begin_list (printer);
    printer_string (printer, "one");
    printer_separator (printer);
    printer_string (printer, "t\two");
    printer_separator (printer);
    printer_end (printer);
}

static void
test_results (void **state)
{
    static const struct {
        enum printer_format format;
        const char *right;
        size_t size;
    } cases[] = {
        {PRINTER_TEXT, "one\nt\two\n", 9},
        {PRINTER_TEXT0, "one\0t\two\0", 9},
        {PRINTER_JSON, "[\"one\",\n\"t\\two\"]\n", 17},
        {PRINTER_SEXP, "(\"one\"\n\"t\\011wo\")\n", 18},
    };
    struct sink sink;

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin (&sink, cases[i].format);
        print_results (sink.printer);
        check (&sink, cases[i].right, cases[i].size);
    }
}

#define CHECK(sink, right) check (sink, right, strlen (right))

static void
print_nested (struct printer *printer)
{
    printer_begin_list (printer);
    for (int i = 0; i < 2; i++) {
        printer_begin_map (printer);
        printer_key_integer (printer, "n", i - 1);
        printer_key (printer, "l");
        printer_begin_list (printer);
        printer_null (printer);
        printer_boolean (printer, true);
        printer_boolean (printer, false);
        printer_begin_list (printer);
        printer_end (printer);
        printer_end (printer);
        printer_key_string (printer, "s", "x");
        printer_end (printer);
        printer_separator (printer);
    }
    printer_end (printer);
}

static void
test_nesting (void **state)
{
    struct sink sink;

    (void) state;
    begin (&sink, PRINTER_JSON);
    print_nested (sink.printer);
    CHECK (&sink, "[{\"n\": -1, \"l\": [null, true, false, []], \"s\": \"x\"},\n"
                  "{\"n\": 0, \"l\": [null, true, false, []], \"s\": \"x\"}]\n");
    begin (&sink, PRINTER_SEXP);
    print_nested (sink.printer);
    CHECK (&sink, "((:n -1 :l (nil t nil ()) :s \"x\")\n"
                  "(:n 0 :l (nil t nil ()) :s \"x\"))\n");
}

static void
test_empty (void **state)
{
    struct sink sink;

    (void) state;
    begin (&sink, PRINTER_JSON);
    printer_begin_list (sink.printer);
    printer_end (sink.printer);
    CHECK (&sink, "[]\n");
    begin (&sink, PRINTER_SEXP);
    printer_begin_list (sink.printer);
    printer_end (sink.printer);
    CHECK (&sink, "()\n");
    begin (&sink, PRINTER_TEXT);
    printer_begin_list (sink.printer);
    printer_end (sink.printer);
    CHECK (&sink, "");
}

static void
test_strings (void **state)
{
    /* text, as JSON, as an S-expression */
    static const char *const triples[][3] = {
        {"", "\"\"\n", "\"\"\n"},
        {"\"\\/", "\"\\\"\\\\/\"\n", "\"\\\"\\\\/\"\n"},
        {"\b\f\n\r\t\033\001\177", "\"\\b\\f\\n\\u000d\\t\\u001b\\u0001\177\"\n",
         "\"\\010\\014\\n\\015\\011\\033\\001\177\"\n"},
        {"D\xC3\xB6 \xF0\x9F\x98\x80", "\"D\xC3\xB6 \xF0\x9F\x98\x80\"\n",
         "\"D\xC3\xB6 \xF0\x9F\x98\x80\"\n"},
        {"\xFF\"\xC3", "\"\xEF\xBF\xBD\\\"\xEF\xBF\xBD\"\n", "\"\xEF\xBF\xBD\\\"\xEF\xBF\xBD\"\n"},
        {"a\xE2\x82", "\"a\xEF\xBF\xBD\xEF\xBF\xBD\"\n", "\"a\xEF\xBF\xBD\xEF\xBF\xBD\"\n"},
        {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"\n",
         "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"\n"},
    };
    static const enum printer_format formats[] = {PRINTER_JSON, PRINTER_SEXP};
    struct sink sink;

    (void) state;
    for (size_t i = 0; i < 2 * sizeof triples / sizeof *triples; i++) {
        char *source = strdup (triples[i / 2][0]);
        const char *right = triples[i / 2][1 + i % 2];

        begin (&sink, formats[i % 2]);
        printer_string (sink.printer, source);
        CHECK (&sink, right);
        begin (&sink, formats[i % 2]);
        printer_path (sink.printer, source);
        CHECK (&sink, right);
        free (source);
    }
}

/* Names of files reach other programs as they are; text from mail does not reach a terminal so. */
static void
test_text_strings (void **state)
{
    struct sink sink;

    (void) state;
    begin (&sink, PRINTER_TEXT);
    printer_path (sink.printer, "/a\033\xFF");
    printer_separator (sink.printer);
    printer_string (sink.printer, "/a\033\xFF");
    printer_separator (sink.printer);
    printer_integer (sink.printer, INT64_MIN);
    CHECK (&sink, "/a\033\xFF\n/a?\xEF\xBF\xBD\n-9223372036854775808");
    begin (&sink, PRINTER_TEXT0);
    printer_string (sink.printer, "/a\033\xFF");
    CHECK (&sink, "/a\033\xFF");
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_results),      cmocka_unit_test (test_nesting),
        cmocka_unit_test (test_empty),        cmocka_unit_test (test_strings),
        cmocka_unit_test (test_text_strings),
    };

    return cmocka_run_group_tests (tests, NULL, NULL);
}
