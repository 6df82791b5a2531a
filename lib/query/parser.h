/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parser.h - the text of a query → its tree. The language is described in mail-search-terms(7). */
#ifndef PARSER_H
#define PARSER_H

#include "mailindex.h"
#include "query/tree.h"

/* Limits; beyond them a query is an error. */
#define QUERY_DEPTH_MAX 256    /* parentheses in one another */
#define QUERY_TERMS_MAX 250000 /* exact values and ranges: a script's list of ids */
#define QUERY_WORDS_MAX 10000  /* words of text */
#define QUERY_SCANS_MAX 100    /* "*word": each looks through all words of the index */
#define QUERY_PHRASE_MAX 1000  /* words of one phrase */
#define QUERY_NEAR_MAX 100     /* words of one chain of near or adj */
#define QUERY_SAVED_MAX 1000   /* saved queries used, each as often as it is */

struct query_source {
    enum mail_query_syntax syntax;
    const char *text;
    size_t length;
    int64_t now;                          /* what dates are relative to, in seconds */
    const struct mail_query_names *names; /* saved queries, and how strict to be; may be NULL */
    const struct user_prefixes *users;    /* must live as long as the tree; may be NULL */
    struct mail_query_error *warning;     /* filled in, on the ctx of the tree; may be NULL */
};

/* *tree_out is talloc'd on ctx. False fills *error, with message and hint talloc'd on ctx. */
bool query_parse (void *ctx, const struct query_source *source, struct node **tree_out,
                  struct mail_query_error *error);

/* The same of infix without saved queries. now: what dates are relative to, in seconds. *tree_out
 * is talloc'd on ctx. False fills *error, with message and hint talloc'd on ctx. */
bool query_parse_text (void *ctx, const char *text, size_t length, int64_t now,
                       struct node **tree_out, struct mail_query_error *error);

/* ---- between the parsers of the two languages ---- */

/* One query, with all that is written inside it in either language: what is counted is counted
 * over all of it. */
struct parsing {
    void *ctx; /* of the tree and the error */
    struct tokenizer *tokenizer;
    int64_t now;
    const struct mail_query_names *names;
    const struct user_prefixes *users;
    bool lenient; /* of names */
    unsigned depth;
    size_t terms, words, scans, saved, steps;
    struct mail_query_error *error;
};

/* Parse a text as a query by itself; NULL fills the error, with its place in this text. */
struct node *parse_infix_text (struct parsing *all, const char *text, size_t length);
struct node *parse_sexp_text (struct parsing *all, const char *text, size_t length);
/* The saved query of this name; offset and length are where its name stands. */
struct node *parse_saved (struct parsing *all, const char *name, size_t name_length, size_t offset,
                          size_t length);
/* The text behind a name; NULL for none. */
const char *parsing_find (struct parsing *all, enum mail_query_syntax syntax, const char *name);
/* An error inside a saved query is shown where its name stands. kind: "query" or "squery". */
void parsing_blame (struct parsing *all, const char *kind, const char *name, size_t offset,
                    size_t length);

#endif
