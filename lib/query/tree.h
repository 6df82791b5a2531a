/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree.h - what a query means, before anybody knows which store answers it.
 *
 * Every parser of a language makes this tree, and the plan is made from it. AND and OR are flat:
 * no child of an AND is an AND. A NOT has one child, which is no NOT. So trees are at most as deep
 * as the parentheses that were written, and walking them may recurse.
 */
#ifndef TREE_H
#define TREE_H

#include "query/prefix.h"
#include <stdint.h>

enum node_kind {
    NODE_ALL,
    NODE_NOTHING,
    NODE_AND,
    NODE_OR,
    NODE_XOR,
    NODE_NOT,
    NODE_THREADS,  /* all messages of the threads of one child's matches */
    NODE_MATCHING, /* messages that have something in a field in common with one child's matches */
    NODE_WORDS,    /* words of text; without a prefix and not stemmed also terms of state */
    NODE_ANY,      /* messages in which the prefix has anything at all: a word, or a term */
    NODE_TERM,     /* KIND_TERM, KIND_FOLDER, KIND_PATH: an exact value */
    NODE_STARTS,   /* a term or folder that begins with the value */
    NODE_REGEX, /* a term, a folder or a header in which an extended regular expression matches */
    NODE_RANGE  /* KIND_DATE, KIND_REVISION, KIND_SIZE */
};

enum words_op {
    WORDS_STEM,   /* one word, and all with the same stem */
    WORDS_EXACT,  /* one word */
    WORDS_START,  /* every word that begins with this */
    WORDS_END,    /* every word that ends with this */
    WORDS_MIDDLE, /* every word that has this in it */
    WORDS_PHRASE, /* words one after the other */
    WORDS_NEAR,   /* at most window words apart */
    WORDS_ADJ     /* the same, in this order */
};

struct word {
    const char *text; /* folded, NUL-terminated */
    size_t length;
    bool cjk; /* made of characters of a run: never names a tag or the like */
};

struct node {
    enum node_kind kind;
    const struct prefix *prefix; /* of a leaf or MATCHING; NULL: without one */
    struct node **children;
    size_t child_count;

    enum words_op op; /* WORDS */
    struct word *words;
    size_t word_count;
    unsigned window;

    const char *value; /* TERM, STARTS, REGEX; bytes with a NUL behind them */
    size_t value_length;

    uint64_t low, high;       /* RANGE: codes of the column, low <= code <= high */
    bool low_back, high_back; /* RANGE: so many before the revision of the moment */
    bool but_zero;            /* RANGE: not the code of the number 0 (a date that is missing) */
};

struct node *node_create (void *ctx, enum node_kind kind);
/* An AND, OR or XOR of children, which are stolen; flattened, and simplified where one or none is
 * left, or where ALL or NOTHING decides. AND of none is ALL, OR and XOR of none NOTHING. */
struct node *node_join (void *ctx, enum node_kind kind, struct node **children, size_t count);
struct node *node_not (void *ctx, struct node *child);
struct node *node_threads (void *ctx, struct node *child);
struct node *node_matching (void *ctx, const struct prefix *prefix, struct node *child);

/* The tree as an indented S-expression, without a final newline; talloc'd on ctx. */
char *tree_print (void *ctx, const struct node *node);
/* The same in one line. */
char *tree_print_line (void *ctx, const struct node *node);

#endif
