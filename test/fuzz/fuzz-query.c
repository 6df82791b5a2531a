/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz-query.c - any bytes as a query of both languages, and as a date range.
 */
#include "fuzz.h"
#include "query/dates.h"
#include "query/parser.h"

#include <talloc.h>

#define NOW 1796059730

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
        fuzz_run (text, length);
    }
}

int
main (int argc, char **argv)
{
    return fuzz_main (argc, argv, run_random);
}

#endif
