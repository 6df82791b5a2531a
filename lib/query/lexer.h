/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lexer.h - the pieces of a query's text.
 *
 * A piece keeps its place in the text, so that errors can point at it. Values are pointers into the
 * text, except quoted ones that had a doubled quote or were encoded (id:%"..."), which are talloc'd
 * on the lexer's context.
 */
#ifndef LEXER_H
#define LEXER_H

#include "mailindex.h"
#include "query/prefix.h"

enum lexeme_kind {
    LEX_END,
    LEX_OPEN,  /* ( */
    LEX_CLOSE, /* ) */
    LEX_AND,
    LEX_OR,
    LEX_XOR,
    LEX_NOT,
    LEX_NEAR, /* near, near/N: also a word where it stands between no two words */
    LEX_ADJ,
    LEX_LOVE,  /* + before something */
    LEX_HATE,  /* - before something */
    LEX_ALL,   /* * by itself */
    LEX_PIECE, /* words or a value, with or without a prefix */
    LEX_GROUP  /* prefix:( */
};

struct lexeme {
    enum lexeme_kind kind;
    size_t offset, length; /* in the text, the prefix included */
    const struct prefix *prefix;
    const char *value; /* bytes; PIECE, and for NEAR and ADJ the operator itself */
    size_t value_length;
    size_t value_offset; /* in the text */
    char after;          /* the byte that follows value in the text; 0 at the end */
    bool quoted;
    bool unclosed;   /* and has no closing quote */
    bool stems;      /* set by the parser: words may be stemmed even where their prefix has none */
    unsigned window; /* NEAR, ADJ: words apart; 10 where not given */
};

struct lexer {
    void *ctx;
    const struct user_prefixes *users; /* may be NULL */
    bool lenient; /* what is nearly a prefix, or has nothing behind it, is words */
    const char *text;
    size_t length;
    size_t position;
};

/* Fills in the error of a query: message and hint are talloc'd on ctx. Always returns false. hint
 * may be NULL. */
bool query_error_set (void *ctx, struct mail_query_error *error, size_t offset, size_t length,
                      const char *hint, const char *format, ...)
    __attribute__ ((format (printf, 6, 7)));

/* Takes the next piece. Errors: a prefix with nothing behind it, a misspelt prefix, a
 * "%" that encodes nothing. */
bool lexer_next (struct lexer *lexer, struct lexeme *lexeme_out, struct mail_query_error *error);

#endif
