/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * evaluate.c - carries a plan out: the algebra between the parts that read a store.
 *
 * Every part is evaluated within what is left by the parts before it. "Within" is a hint that may
 * save work: a part must give all its matches in it, and may give others too, which the caller
 * drops. Sets of ids are talloc'd arrays, freed as soon as they are used.
 */
#include "query/evaluate-private.h"
#include <glib.h>
#include <stdlib.h>

/* A phrase is looked for in a date range, not before it, from this part of all messages on. */
#define PHRASE_LATE 64

enum mail_status
evaluate_every (struct evaluation *evaluation, const struct idset **all_out)
{
    enum mail_status status = MAIL_OK;

    if (!evaluation->all_read)
        status = index_all_mail (evaluation->ctx, evaluation->index, &evaluation->all);
    evaluation->all_read = status == MAIL_OK;
    *all_out = &evaluation->all;
    return status;
}

/* The order in which the parts of an AND are evaluated: state, columns, text, the rest, what is
 * taken away; but a column comes after words, as it then has few values to look at. */
static unsigned
rank (struct evaluation *evaluation, const struct plan *plan, bool state)
{
    bool late =
        plan->phrases && plan->estimate > mail_index_count (evaluation->index) / PHRASE_LATE;

    switch (plan->kind) {
    case PLAN_STATE:
        return 0;
    case PLAN_COLUMN:
        return state ? 1 : 3;
    case PLAN_TEXT:
        return state || late ? 4 : 2;
    case PLAN_STARTS:
        return 5;
    case PLAN_NOT:
        return plan->children[0]->kind == PLAN_SCAN ? 9 : 7;
    case PLAN_SCAN:
        return 8;
    default:
        return 6;
    }
}

struct ranked {
    struct plan *plan;
    unsigned rank;
};

static int
compare_ranked (const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;

    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    return (left->plan->estimate > right->plan->estimate) -
           (left->plan->estimate < right->plan->estimate);
}

/* The children in the order of their evaluation. */
static enum mail_status
sort_children (struct evaluation *evaluation, const struct plan *plan, struct ranked **ranked_out)
{
    struct ranked *ranked = talloc_array (evaluation->ctx, struct ranked, plan->child_count);
    enum mail_status status = MAIL_OK;
    bool state = false;

    for (size_t i = 0; i < plan->child_count && status == MAIL_OK; i++) {
        ranked[i].plan = plan->children[i];
        state = state || plan->children[i]->kind == PLAN_STATE;
        status = plan_estimate (evaluation->index, plan->children[i]);
    }
    if (status != MAIL_OK) {
        talloc_free (ranked);
        return status;
    }
    for (size_t i = 0; i < plan->child_count; i++)
        ranked[i].rank = rank (evaluation, ranked[i].plan, state);
    qsort (ranked, plan->child_count, sizeof *ranked, compare_ranked);
    *ranked_out = ranked;
    return MAIL_OK;
}

/* Takes the matches of a NOT's child away from *set. */
static enum mail_status
take_away (struct evaluation *evaluation, struct plan * not, struct idset *set)
{
    struct idset part;
    enum mail_status status = evaluate (evaluation, not ->children[0], set, &part);

    if (status != MAIL_OK)
        return status;
    idset_replace (set, idset_subtract (evaluation->ctx, *set, part));
    idset_drop (&part);
    not ->done = true;
    not ->real = set->count;
    return MAIL_OK;
}

/* Takes the first part of an AND where nothing is known yet. */
static enum mail_status
begin_and (struct evaluation *evaluation, struct plan *first, const struct idset *within,
           struct idset *set_out)
{
    const struct idset *all = within;
    enum mail_status status = MAIL_OK;

    if (first->kind != PLAN_NOT)
        return evaluate (evaluation, first, within, set_out);
    if (all == NULL)
        status = evaluate_every (evaluation, &all);
    if (status != MAIL_OK)
        return status;
    *set_out = idset_copy (evaluation->ctx, *all);
    return take_away (evaluation, first, set_out);
}

static enum mail_status
evaluate_and (struct evaluation *evaluation, struct plan *plan, const struct idset *within,
              struct idset *set_out)
{
    struct ranked *ranked;
    struct idset set = {0}, part;
    enum mail_status status = sort_children (evaluation, plan, &ranked);

    if (status != MAIL_OK)
        return status;
    status = begin_and (evaluation, ranked[0].plan, within, &set);
    for (size_t i = 1; i < plan->child_count && status == MAIL_OK && set.count > 0; i++) {
        if (ranked[i].plan->kind == PLAN_NOT) {
            status = take_away (evaluation, ranked[i].plan, &set);
            continue;
        }
        status = evaluate (evaluation, ranked[i].plan, &set, &part);
        if (status != MAIL_OK)
            break;
        idset_replace (&set, idset_intersect (evaluation->ctx, set, part));
        idset_drop (&part);
    }
    talloc_free (ranked);
    *set_out = set;
    return status;
}

static struct idset
differ (void *ctx, struct idset a, struct idset b)
{
    struct idset left = idset_subtract (ctx, a, b);
    struct idset right = idset_subtract (ctx, b, a);
    struct idset both = idset_union (ctx, left, right);

    idset_drop (&left);
    idset_drop (&right);
    return both;
}

static enum mail_status
evaluate_or (struct evaluation *evaluation, struct plan *plan, const struct idset *within,
             struct idset *set_out)
{
    struct idset set = {0}, part;
    enum mail_status status = MAIL_OK;

    for (size_t i = 0; i < plan->child_count && status == MAIL_OK; i++) {
        status = evaluate (evaluation, plan->children[i], within, &part);
        if (status != MAIL_OK)
            break;
        idset_replace (&set, plan->kind == PLAN_OR ? idset_union (evaluation->ctx, set, part)
                                                   : differ (evaluation->ctx, set, part));
        idset_drop (&part);
    }
    *set_out = set;
    return status;
}

static enum mail_status
evaluate_not (struct evaluation *evaluation, struct plan *plan, const struct idset *within,
              struct idset *set_out)
{
    return begin_and (evaluation, plan, within, set_out);
}

static enum mail_status
evaluate_all (struct evaluation *evaluation, struct plan *plan, const struct idset *within,
              struct idset *set_out)
{
    const struct idset *all = within;
    enum mail_status status = MAIL_OK;

    if (plan->kind == PLAN_NOTHING) {
        *set_out = (struct idset){0};
        return MAIL_OK;
    }
    if (all == NULL)
        status = evaluate_every (evaluation, &all);
    if (status == MAIL_OK)
        *set_out = idset_copy (evaluation->ctx, *all);
    return status;
}

enum mail_status
evaluate (struct evaluation *evaluation, struct plan *plan, const struct idset *within,
          struct idset *set_out)
{
    static evaluate_fn *const functions[] = {
        [PLAN_NOTHING] = evaluate_all,
        [PLAN_ALL] = evaluate_all,
        [PLAN_STATE] = evaluate_state,
        [PLAN_TEXT] = evaluate_text,
        [PLAN_STARTS] = evaluate_starts,
        [PLAN_COLUMN] = evaluate_column,
        [PLAN_AND] = evaluate_and,
        [PLAN_OR] = evaluate_or,
        [PLAN_XOR] = evaluate_or,
        [PLAN_NOT] = evaluate_not,
        [PLAN_SCAN] = evaluate_scan,
        [PLAN_THREADS] = evaluate_threads,
        [PLAN_MATCHING] = evaluate_matching,
    };
    gint64 start = g_get_monotonic_time ();
    enum mail_status status = functions[plan->kind](evaluation, plan, within, set_out);

    plan->milliseconds += (double) (g_get_monotonic_time () - start) / 1000;
    plan->done = status == MAIL_OK;
    plan->real = status == MAIL_OK ? set_out->count : 0;
    return status;
}

enum mail_status
plan_evaluate (void *ctx, struct mail_index *index, struct plan *plan, struct idset *set_out)
{
    struct evaluation evaluation = {.index = index, .ctx = talloc_new (ctx)};
    struct idset set = {0};
    enum mail_status status = evaluate (&evaluation, plan, NULL, &set);

    if (status == MAIL_OK) {
        *set_out = set;
        talloc_steal (ctx, set.ids);
    }
    talloc_free (evaluation.ctx);
    return status;
}

enum mail_status
plan_count (struct mail_index *index, const struct plan *plan, bool *known_out, uint64_t *count_out)
{
    uint32_t freq = 0;
    enum mail_status status = MAIL_OK;

    *known_out = true;
    if (plan->kind == PLAN_NOTHING) {
        *count_out = 0;
    } else if (plan->kind == PLAN_ALL) {
        *count_out = mail_index_count (index);
    } else if (plan->kind == PLAN_NOT) {
        status = plan_count (index, plan->children[0], known_out, count_out);
        *count_out = *known_out ? mail_index_count (index) - *count_out : 0;
    } else if (plan->kind == PLAN_STATE && plan->query->op == STORE_OP_TERM && !plan->others) {
        status = store_term_freq (index->state, plan->query->term, &freq);
        *count_out = freq;
    } else {
        *known_out = false;
    }
    return status == MAIL_OK ? status : index_fail_store (index, index->state, status);
}
