/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tokenize.h - text to words: one code for mail and for queries.
 *
 * The rules are those of Xapian's TermGenerator, so that phrases match where notmuch's do, plus
 * NFKC and case folding, spellings without accents, CJK bigrams, and the parts of words like a_b.
 * doc/design/tokenizer.md has them with a table of inputs and words, which is the test.
 */
#ifndef TOKENIZE_H
#define TOKENIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tokenizer; /* buffers and caches; one a thread */

struct tokenizer *tokenizer_create (void *ctx);

enum token_kind {
    TOKEN_WORD,    /* the word itself */
    TOKEN_VARIANT, /* a further spelling of the word before it, at the same position (no accents) */
    TOKEN_PART,    /* a part of the word before it (a of a_b); has no position: no phrase uses it */
    TOKEN_CJK      /* two characters of a run of them, or its last one by itself */
};

struct token {
    enum token_kind kind;
    const char
        *word; /* folded UTF-8, at most WORD_MAX bytes, NUL-terminated; until the call ends */
    size_t length;
    uint32_t position; /* from the caller's start on, one more a word */
    size_t offset;     /* of the source text, in bytes; of the whole word or run for all kinds */
    size_t source_length;
    bool stem;    /* begins with a letter: has a stem (texts) */
    bool capital; /* the source began with a capital or title-case letter (queries) */
};

typedef void (*token_fn) (void *closure, const struct token *token);

/* Calls each for every token; returns the position after the last word (= position where there is
 * none). Invalid UTF-8 separates words. position is that of the first word. */
uint32_t tokenize (struct tokenizer *tokenizer, const char *text, size_t length, uint32_t position,
                   token_fn each, void *closure);

#endif
