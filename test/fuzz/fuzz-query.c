/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz-query.c - any bytes as a query of both languages, and as a date range.
 *
 * With libFuzzer: clang -fsanitize=fuzzer,address,undefined -DFUZZ_WITHOUT_MAIN. Without, it runs
 * over the files it is given, each one input; and with a number alone, over so many inputs made of
 * pieces of the language, so that it is of use where there is no clang.
 */
#include "query/dates.h"
#include "query/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

#define NOW 1796059730

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void
fuzz_date (const char *text, size_t length)
{
    struct date_range range;
    size_t offset, fault_length;

    if (!date_range_parse (text, length, NOW, &range, &offset, &fault_length) &&
        offset + fault_length > length)
        abort ();
}

/* Macros for what is made of pieces. */
static const char *
find_saved (void *closure, enum mail_query_syntax syntax, const char *name)
{
    (void) closure;
    if (syntax == MAIL_SYNTAX_INFIX)
        return strcmp (name, "foo") == 0 ? "query:foo sexp:\"(foo a)\"" : NULL;
    if (strcmp (name, "foo") == 0)
        return "(macro (x) (or ,x (subject ,x) (bar ,x b)))";
    return strcmp (name, "bar") == 0 ? "(macro (x y) (foo (and ,x ,y ,x)))" : NULL;
}

static void
fuzz_query (enum mail_query_syntax syntax, const char *text, size_t size)
{
    static const struct mail_query_names names = {.find = find_saved};
    struct query_source source = {
        .syntax = syntax, .text = text, .length = size, .now = NOW, .names = &names};
    void *ctx = talloc_new (NULL);
    struct mail_query_error error = {0};
    struct node *tree;

    if (query_parse (ctx, &source, &tree, &error)) {
        if (strlen (tree_print (ctx, tree)) == 0 || strlen (tree_print_line (ctx, tree)) == 0)
            abort ();
    } else if (error.message == NULL || error.length == 0 ||
               (size > 0 && error.offset + error.length > size)) {
        abort ();
    }
    talloc_free (ctx);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    const char *text = (const char *) data;

    fuzz_query (MAIL_SYNTAX_INFIX, text, size);
    fuzz_query (MAIL_SYNTAX_SEXP, text, size);
    fuzz_date (text, size);
    return 0;
}

#ifndef FUZZ_WITHOUT_MAIN

/* An exactly sized copy, so that a sanitizer sees every byte too many. */
static void
run (const char *text, size_t length)
{
    uint8_t *copy = malloc (length > 0 ? length : 1);

    memcpy (copy, text, length);
    LLVMFuzzerTestOneInput (copy, length);
    free (copy);
}

static int
run_file (const char *path)
{
    FILE *file = fopen (path, "rb");
    char *text = NULL;
    size_t length = 0, got;
    char buffer[65536];

    if (file == NULL) {
        perror (path);
        return 1;
    }
    while ((got = fread (buffer, 1, sizeof buffer, file)) > 0) {
        text = realloc (text, length + got);
        memcpy (text + length, buffer, got);
        length += got;
    }
    fclose (file);
    run (text != NULL ? text : "", length);
    free (text);
    return 0;
}

static void
run_random (unsigned long rounds)
{
    static const char *const pieces[] = {
        "(",           ")",       "\"",    "\"\"",     " and ",    " or ", "not ",     " xor ",
        " ",           "tag:",    "from:", "date:",    "2009",     "..",   "*",        "-",
        "+",           "foo",     "Bar",   "/",        "thread:{", "}",    " near/3 ", "\xc3",
        "日本",        "id:<a>",  "size:", "lastmod:", "[",        "\\",   "form:",    "to:(",
        ",",           "é",       "\x01",  "\n",       "!",        "@5",   "path:",    "**",
        "subject:\"(", "folder:", "5pm",   "_ago",     "last_",    "mon",  "+01:00",   "12",
        ":",           ".",       "\xff",  "1k",       "",         "a_b",  "(or ",     "(tag ",
        "(foo ",       "(from ",  "(of ",  "(date ",   ";",        "'",    ",x",       "query:foo",
        "sexp:\"",     "(not ",   "(rx "};
    char text[512];
    unsigned seed = 1;

    for (unsigned long round = 0; round < rounds; round++) {
        size_t length = 0;
        for (int i = rand_r (&seed) % 24; i > 0; i--) {
            const char *piece = pieces[(size_t) rand_r (&seed) % (sizeof pieces / sizeof *pieces)];
            memcpy (text + length, piece, strlen (piece));
            length += strlen (piece);
        }
        if (length > 0 && length < sizeof text - 8 && rand_r (&seed) % 3 == 0) {
            memmove (text + 4, text, length);
            memcpy (text, "(or ", 4);
            length += 4;
            text[length++] = ')';
        }
        if (length > 0 && rand_r (&seed) % 4 == 0)
            text[(size_t) rand_r (&seed) % length] = (char) rand_r (&seed);
        run (text, length);
    }
}

int
main (int argc, char **argv)
{
    int failures = 0;

    if (argc == 2 && strspn (argv[1], "0123456789") == strlen (argv[1])) {
        run_random (strtoul (argv[1], NULL, 10));
        return 0;
    }
    for (int i = 1; i < argc; i++)
        failures += run_file (argv[i]);
    return failures > 0;
}

#endif
