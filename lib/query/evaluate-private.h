/* SPDX-License-Identifier: GPL-3.0-or-later */
/* evaluate-private.h - between the algebra of an evaluation and its leaves. */
#ifndef EVALUATE_PRIVATE_H
#define EVALUATE_PRIVATE_H

#include "query/evaluate.h"
#include <talloc.h>

struct evaluation {
    struct mail_index *index;
    struct idset all; /* every message; read on first use */
    bool all_read;
    void *ctx;
};

/* within: NULL, or messages outside of which nothing is asked for. The set may have others all the
 * same, and is the caller's: talloc'd on evaluation->ctx. */
typedef enum mail_status evaluate_fn (struct evaluation *evaluation, struct plan *plan,
                                      const struct idset *within, struct idset *set_out);

/* Any part of a plan. */
evaluate_fn evaluate;

/* By kind, for evaluate() only. */
evaluate_fn evaluate_state, evaluate_text, evaluate_starts, evaluate_column, evaluate_scan,
    evaluate_threads, evaluate_matching;

/* Ids of messages with those of the text documents that stand for them. */
enum mail_status evaluate_with_aliases (struct evaluation *evaluation, struct idset messages,
                                        struct idset *set_out);

/* Every message; the set belongs to evaluation. */
enum mail_status evaluate_every (struct evaluation *evaluation, const struct idset **all_out);

static inline void
idset_drop (struct idset *set)
{
    TALLOC_FREE (set->ids);
    set->count = 0;
}

static inline struct idset
idset_copy (void *ctx, struct idset set)
{
    struct idset result = {.count = set.count};

    if (set.count > 0)
        result.ids = talloc_memdup (ctx, set.ids, set.count * sizeof *set.ids);
    return result;
}

/* Replaces *set by a result made from it. */
static inline void
idset_replace (struct idset *set, struct idset result)
{
    talloc_free (set->ids);
    *set = result;
}

#endif
