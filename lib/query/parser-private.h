/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parser-private.h - what the files of the infix parser share. */
#ifndef PARSER_PRIVATE_H
#define PARSER_PRIVATE_H

#include "query/lexer.h"
#include "query/parser.h"

struct parser {
    struct parsing *all;
    void *ctx;                      /* of all */
    struct mail_query_error *error; /* of all */
    struct lexer lexer;
    struct lexeme current;
    size_t base;                      /* of lexer.text in the query */
    struct mail_query_error *warning; /* NULL: not wanted */
    const struct prefix *group;       /* prefix of the parentheses we are in; NULL for none */
    bool group_stems;                 /* these are in quotes */
};

/* What an item of a row is. Nodes are NULL where it vanishes. */
struct item {
    struct node *node;
    const struct prefix *prefix; /* its own; NULL for words and groups */
    bool seconds;                /* "A..B" without a prefix; it has that of date: */
    struct lexeme at;
};

/* Takes the next lexeme. */
bool parser_advance (struct parser *parser);
/* Fills the error; returns NULL. */
struct node *parser_fail (struct parser *parser, const struct lexeme *at, const char *hint,
                          const char *message);
/* What stands in parentheses; a text by itself, to its end. NULL for an error. */
struct node *parser_or (struct parser *parser);
struct node *parser_whole (struct parser *parser);

/* parser-items.c: takes one item without its sign, with all that near and adj join to it, and moves
 * on. */
bool parser_take_item (struct parser *parser, struct item *item);

#endif
