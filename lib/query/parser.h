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
#define QUERY_PHRASE_MAX 1000  /* words of one phrase */
#define QUERY_NEAR_MAX 100     /* words of one chain of near or adj */

/* now: what dates are relative to, in seconds. *tree_out is talloc'd on ctx. False fills *error,
 * with message and hint talloc'd on ctx. */
bool query_parse_text (void *ctx, const char *text, size_t length, int64_t now,
                       struct node **tree_out, struct mail_query_error *error);

#endif
