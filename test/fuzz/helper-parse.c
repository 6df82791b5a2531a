/* SPDX-License-Identifier: GPL-3.0-or-later */
/* helper-parse.c - what holds for every text of a query. */
#include "test/fuzz/helper.h"
#include "query/parser.h"

#include <stdlib.h>
#include <string.h>
#include <talloc.h>

/* Macros and saved queries that use each other and themselves. */
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

/* The tree in one line; NULL for an error, which must be within the text. */
static char *
parse (void *ctx, struct query_source *source)
{
    struct mail_query_error error = {0}, warning = {0};
    struct node *tree;

    source->warning = &warning;
    if (query_parse (ctx, source, &tree, &error)) {
        if (strlen (tree_print (ctx, tree)) == 0)
            abort ();
        if (warning.message != NULL && warning.offset >= source->length)
            abort ();
        return tree_print_line (ctx, tree);
    }
    if (error.message == NULL || error.length == 0 ||
        (source->length > 0 && error.offset + error.length > source->length))
        abort ();
    return NULL;
}

/* What is good is the same where it is read leniently. */
void
fuzz_parse (enum mail_query_syntax syntax, const char *text, size_t size)
{
    static const struct mail_query_names names[] = {{.find = find_saved},
                                                    {.find = find_saved, .lenient = true}};
    static const struct mail_header_prefix headers[] = {{"Label", "X-Label"}, {"_9", "X"}, {0}};
    void *ctx = talloc_new (NULL);
    struct fields *fields = NULL;
    char *reason, *line[2];

    if (fields_create (ctx, "none", headers, &fields, &reason) != MAIL_OK)
        abort ();
    for (size_t i = 0; i < 2; i++) {
        struct query_source source = {.syntax = syntax,
                                      .text = text,
                                      .length = size,
                                      .now = FUZZ_NOW,
                                      .names = &names[i],
                                      .users = prefix_users (ctx, fields)};
        line[i] = parse (ctx, &source);
    }
    if (line[0] != NULL && (*line[0] == '\0' || line[1] == NULL || strcmp (line[0], line[1]) != 0))
        abort ();
    talloc_free (ctx);
}
