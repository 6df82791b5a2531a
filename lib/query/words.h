/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words.h - the words of a piece of a query, by the tokenizer that also cut the mail. */
#ifndef QUERY_WORDS_H
#define QUERY_WORDS_H

#include "index/tokenize.h"
#include "query/lexer.h"
#include "query/tree.h"

/* Cuts a piece into leaves: "a-b,c" is a phrase and a word. prefix: that of the piece, or of the
 * group it stands in; NULL for none. *nodes_out is a talloc'd array on ctx of *count_out nodes.
 * There are none where the piece has no letter and no digit. Letters that make no word (too long,
 * rubbish) are one NODE_NOTHING. Stops after limit words, *count_out being at most limit;
 * *words_out says how many words there were (limit + 1: too many). */
void words_cut (void *ctx, struct tokenizer *tokenizer, const struct lexeme *lexeme,
                const struct prefix *prefix, size_t limit, struct node ***nodes_out,
                size_t *count_out, size_t *words_out);

#endif
