/* SPDX-License-Identifier: GPL-3.0-or-later */
/* leaf.h - exact values and ranges: what stands behind the prefixes that are no words. */
#ifndef LEAF_H
#define LEAF_H

#include "query/lexer.h"
#include "query/tree.h"

/* The leaf of a piece whose prefix is not of KIND_WORDS: a TERM, a RANGE, or what folds to ALL or
 * NOTHING. NULL fills *error (on ctx). Values are copied. A range of dates or sizes that ends
 * before it begins is an error, or NOTHING where lenient. */
struct node *leaf_create (void *ctx, const struct lexeme *piece, int64_t now, bool lenient,
                          struct mail_query_error *error);
/* The same of a value that is taken as it is, whatever is in it; of TERM, FOLDER, PATH, FILE. A
 * slash at the end of a folder is dropped. */
struct node *leaf_create_value (void *ctx, const struct prefix *prefix, const char *value,
                                size_t length);
/* A value between slashes, behind a prefix that allows it; leaf_create() does this for all but
 * KIND_WORDS. */
bool leaf_is_regex (const struct lexeme *piece, const struct prefix *prefix);
struct node *leaf_create_regex (void *ctx, const struct lexeme *piece,
                                struct mail_query_error *error);
/* "A..B" without a prefix, in seconds since the epoch, either of them missing; NULL for what is no
 * such thing. NOTHING where B is before A. */
struct node *leaf_create_seconds (void *ctx, const struct lexeme *piece);
/* The error of a range that ends before it begins; returns NULL. */
struct node *leaf_fail_backwards (void *ctx, const struct lexeme *piece,
                                  struct mail_query_error *error);
/* "prefix:*", all messages that have something there: ALL where each has. */
struct node *leaf_create_any (void *ctx, const struct prefix *prefix);

#endif
