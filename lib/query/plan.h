/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan.h - which store answers which part of a query.
 *
 * A plan is made for one revision: terms that state does not have are gone from it, and with them
 * all that they decide. The largest parts that one store can answer are one query of that store;
 * the rest is algebra on sets of ids.
 */
#ifndef PLAN_H
#define PLAN_H

#include "index-private.h"
#include "query/scan-headers.h"
#include "query/tree.h"

enum plan_kind {
    PLAN_NOTHING,
    PLAN_ALL,
    PLAN_STATE,    /* query, of state */
    PLAN_TEXT,     /* query, of the segments of text */
    PLAN_STARTS,   /* terms that begin with one of several things, in state or text */
    PLAN_COLUMN,   /* a range of a value slot */
    PLAN_SCAN,     /* regular expressions on headers of each record */
    PLAN_THREADS,  /* all of the threads of one child's matches */
    PLAN_MATCHING, /* those that share one of starts, or a folder, with one child's matches */
    PLAN_AND,      /* of children; those that are NOT are taken away */
    PLAN_OR,
    PLAN_XOR,
    PLAN_NOT /* one child */
};

struct plan {
    enum plan_kind kind;
    struct store_query *query; /* STATE, TEXT */
    bool phrases;              /* TEXT: looks at positions, so each match costs */
    bool others;               /* STATE, STARTS, COLUMN: may find documents that are no mail */
    bool ids;                  /* STATE: a message-id, or an OR of nothing else */
    bool in_text;              /* STARTS, MATCHING */
    bool folders;              /* MATCHING: has no starts */
    struct store_term *starts; /* STARTS, MATCHING */
    size_t start_count;
    unsigned slot; /* COLUMN: low <= code <= high, but not the code of 0 */
    uint64_t low, high;
    bool but_zero;
    struct header_pattern *patterns; /* SCAN: any of these */
    size_t pattern_count;
    struct plan **children;
    size_t child_count;

    bool estimated;
    uint32_t estimate; /* upper bound of the matches */
    bool done;         /* evaluated, with: */
    size_t real;
    double milliseconds; /* with its children */
};

struct planner {
    void *ctx; /* plans and their queries hang here */
    struct mail_index *index;
    struct store_stemmer *stemmer;
};

/* Plans hang on planner->ctx. MAIL_ERROR_OVERTAKEN and the like; the text is on the index. */
enum mail_status plan_create (struct planner *planner, const struct node *tree,
                              struct plan **plan_out);

/* ---- for the modules of plans ---- */

struct plan *plan_node (void *ctx, enum plan_kind kind);
struct plan *plan_state_term (void *ctx, struct store_term term);
/* AND, OR or XOR of children, with what one store can answer put together. */
struct plan *plan_join (void *ctx, enum plan_kind kind, struct plan **children, size_t count);
struct plan *plan_not (void *ctx, struct plan *child);
/* The plan of a node without children (plan-leaves.c). */
enum mail_status plan_leaf (struct planner *planner, const struct node *leaf,
                            struct plan **plan_out);
/* Fills in plan->estimate of STATE and TEXT; of others, the number of messages. */
enum mail_status plan_estimate (struct mail_index *index, struct plan *plan);

#endif
