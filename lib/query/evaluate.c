/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * evaluate.c - carries a plan out.
 *
 * Every part is evaluated within what is left by the parts before it. "Within" is a hint that may
 * save work: a part must give all its matches in it, and may give others too, which the caller
 * drops. Where little is left it goes into a search of text as a list of ids, and of a column only
 * these are read. Sets of ids are talloc'd arrays, freed as soon as they are used.
 */
#include "query/evaluate.h"
#include "term.h"
#include <glib.h>
#include <string.h>
#include <talloc.h>

/* How many times fewer ids must be left than a search would find, so that they go into it. */
#define WITHIN_PHRASE 4 /* each match of a phrase costs 1.5 µs and more */
#define WITHIN_WORDS 32
/* A value looked up by itself costs as much as so many that are passed over. */
#define VALUE_COST 8
/* A phrase is looked for in a date range, not before it, from this part of all messages on. */
#define PHRASE_LATE 64
/* From so many on, ids are looked up one by one. */
#define MANY_IDS 16

struct evaluation {
    struct mail_index *index;
    struct idset all; /* every message; read on first use */
    bool all_read;
    void *ctx;
};

typedef enum mail_status evaluate_fn (struct evaluation *evaluation, struct plan *plan,
                                      const struct idset *within, struct idset *set_out);

static evaluate_fn evaluate;

static void
drop (struct idset *set)
{
    TALLOC_FREE (set->ids);
    set->count = 0;
}

static struct idset
copy (void *ctx, struct idset set)
{
    struct idset result = {.count = set.count};

    if (set.count > 0)
        result.ids = talloc_memdup (ctx, set.ids, set.count * sizeof *set.ids);
    return result;
}

/* Replaces *set by a result made from it. */
static void
replace (struct idset *set, struct idset result)
{
    talloc_free (set->ids);
    *set = result;
}

static enum mail_status
every_message (struct evaluation *evaluation, const struct idset **all_out)
{
    enum mail_status status = MAIL_OK;

    if (!evaluation->all_read)
        status = index_all_mail (evaluation->ctx, evaluation->index, &evaluation->all);
    evaluation->all_read = status == MAIL_OK;
    *all_out = &evaluation->all;
    return status;
}

/* ---- columns ------------------------------------------------------------------------------- */

/* Keeps the ids whose value fits. Every message has a date, other documents have none. */
static enum mail_status
filter (struct evaluation *evaluation, unsigned slot, uint64_t low, uint64_t high, bool but_zero,
        struct idset *set)
{
    struct mail_index *index = evaluation->index;
    uint64_t *values = talloc_array (evaluation->ctx, uint64_t, set->count);
    uint64_t zero = date_to_value (0);
    size_t left = 0;
    enum mail_status status = store_values (index->state, slot, set->ids, set->count, values);

    if (status != MAIL_OK) {
        index_fail_store (index, index->state, status);
        goto done;
    }
    for (size_t i = 0; i < set->count; i++)
        if (values[i] >= low && values[i] <= high && !(but_zero && values[i] == zero))
            set->ids[left++] = set->ids[i];
    set->count = left;

done:
    talloc_free (values);
    return status;
}

/* Drops what is no message. */
static enum mail_status
only_mail (struct evaluation *evaluation, struct idset *set)
{
    if (set->count == 0)
        return MAIL_OK;
    return filter (evaluation, SLOT_DATE, 1, UINT64_MAX, false, set);
}

static enum mail_status
column_range (struct evaluation *evaluation, const struct plan *plan, struct idset *set_out)
{
    struct store *state = evaluation->index->state;
    uint64_t zero = date_to_value (0);
    struct idset missing;
    enum mail_status status =
        store_value_range (evaluation->ctx, state, plan->slot, plan->low, plan->high, set_out);

    if (status == MAIL_OK && plan->but_zero) {
        status = store_value_range (evaluation->ctx, state, plan->slot, zero, zero, &missing);
        if (status == MAIL_OK) {
            replace (set_out, idset_subtract (evaluation->ctx, *set_out, missing));
            drop (&missing);
        }
    }
    return status == MAIL_OK ? status : index_fail_store (evaluation->index, state, status);
}

static enum mail_status
evaluate_column (struct evaluation *evaluation, struct plan *plan, const struct idset *within,
                 struct idset *set_out)
{
    enum mail_status status;

    if (within != NULL && within->count < mail_index_count (evaluation->index) / VALUE_COST) {
        *set_out = copy (evaluation->ctx, *within);
        return filter (evaluation, plan->slot, plan->low, plan->high, plan->but_zero, set_out);
    }
    status = column_range (evaluation, plan, set_out);
    if (status == MAIL_OK && plan->others)
        status = only_mail (evaluation, set_out);
    return status;
}

/* ---- state --------------------------------------------------------------------------------- */

/* An OR of many ids: each is in one document. */
static enum mail_status
look_up_ids (struct evaluation *evaluation, const struct store_query *query, struct idset *set_out)
{
    struct store_term *terms =
        talloc_array (evaluation->ctx, struct store_term, query->child_count);
    struct idset set = {.ids = talloc_array (evaluation->ctx, uint32_t, query->child_count),
                        .count = query->child_count};
    struct mail_index *index = evaluation->index;
    enum mail_status status;

    for (size_t i = 0; i < set.count; i++)
        terms[i] = query->children[i]->term;
    status = store_lookup (index->state, terms, set.count, set.ids);
    talloc_free (terms);
    if (status != MAIL_OK)
        return index_fail_store (index, index->state, status);
    set.count = idset_normalise (set.ids, set.count);
    if (set.count > 0 && set.ids[0] == 0)
        memmove (set.ids, set.ids + 1, --set.count * sizeof *set.ids);
    *set_out = set;
    return MAIL_OK;
}

static bool
all_terms (const struct store_query *query)
{
    for (size_t i = 0; i < query->child_count; i++)
        if (query->children[i]->op != STORE_OP_TERM)
            return false;
    return query->op == STORE_OP_OR;
}

static enum mail_status
evaluate_state (struct evaluation *evaluation, struct plan *plan, const struct idset *within,
                struct idset *set_out)
{
    enum mail_status status;

    (void) within;
    if (plan->ids && plan->query->child_count >= MANY_IDS && all_terms (plan->query))
        status = look_up_ids (evaluation, plan->query, set_out);
    else
        status = index_search_state (evaluation->ctx, evaluation->index, plan->query, set_out);
    if (status == MAIL_OK && plan->others)
        status = only_mail (evaluation, set_out);
    return status;
}

/* ---- text ---------------------------------------------------------------------------------- */

/* Aliases are read by the first search; this makes it one for nothing. */
static enum mail_status
read_aliases (struct evaluation *evaluation)
{
    struct store_query nothing = {.op = STORE_OP_NOTHING};
    struct idset set = {0};
    enum mail_status status = MAIL_OK;

    if (!evaluation->index->aliases_loaded)
        status = index_search_text (evaluation->ctx, evaluation->index, &nothing, &set);
    drop (&set);
    return status;
}

/* Ids of messages and those of the text documents that stand for them. Text that is stale may be
 * among them; the search leaves it out. */
static struct idset
with_aliases (struct evaluation *evaluation, struct idset messages)
{
    struct mail_index *index = evaluation->index;
    struct idset aliases = {
        .ids = talloc_array (evaluation->ctx, uint32_t, index->alias_ids.count + 1)};
    struct idset both;

    for (size_t i = 0; i < index->alias_ids.count; i++)
        if (idset_contains (messages, index->alias_of[i]))
            aliases.ids[aliases.count++] = index->alias_ids.ids[i];
    both = idset_union (evaluation->ctx, messages, aliases);
    drop (&aliases);
    return both;
}

static bool
worth_passing_in (const struct plan *plan, const struct idset *within)
{
    size_t factor = plan->phrases ? WITHIN_PHRASE : WITHIN_WORDS;

    return within != NULL && within->count < plan->estimate / factor;
}

static enum mail_status
search_within (struct evaluation *evaluation, const struct store_query *query,
               const struct idset *within, struct idset *set_out)
{
    struct store_query ids = {.op = STORE_OP_IDS};
    struct store_query *children[] = {&ids, (struct store_query *) query};
    struct store_query both = {.op = STORE_OP_AND, .children = children, .child_count = 2};
    enum mail_status status = read_aliases (evaluation);

    if (status != MAIL_OK)
        return status;
    ids.ids = with_aliases (evaluation, *within);
    status = index_search_text (evaluation->ctx, evaluation->index, &both, set_out);
    drop (&ids.ids);
    return status;
}

static enum mail_status
evaluate_text (struct evaluation *evaluation, struct plan *plan, const struct idset *within,
               struct idset *set_out)
{
    enum mail_status status = MAIL_OK;

    if (within != NULL)
        status = plan_estimate (evaluation->index, plan);
    if (status != MAIL_OK)
        return status;
    if (worth_passing_in (plan, within))
        return search_within (evaluation, plan->query, within, set_out);
    return index_search_text (evaluation->ctx, evaluation->index, plan->query, set_out);
}

/* ---- wildcards ----------------------------------------------------------------------------- */

/* One search for each beginning: the store unites their lists in a bitmap. */
static enum mail_status
evaluate_starts (struct evaluation *evaluation, struct plan *plan, const struct idset *within,
                 struct idset *set_out)
{
    struct store_query query = {.op = STORE_OP_PREFIX};
    struct idset part;
    enum mail_status status = MAIL_OK;

    (void) within;
    *set_out = (struct idset){0};
    for (size_t i = 0; i < plan->start_count && status == MAIL_OK; i++) {
        query.term = plan->starts[i];
        if (plan->in_text)
            status = index_search_text (evaluation->ctx, evaluation->index, &query, &part);
        else
            status = index_search_state (evaluation->ctx, evaluation->index, &query, &part);
        if (status != MAIL_OK)
            break;
        replace (set_out, idset_union (evaluation->ctx, *set_out, part));
        drop (&part);
    }
    if (status == MAIL_OK && plan->others)
        status = only_mail (evaluation, set_out);
    return status;
}

/* ---- algebra ------------------------------------------------------------------------------- */

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
        return 7;
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
    replace (set, idset_subtract (evaluation->ctx, *set, part));
    drop (&part);
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
        status = every_message (evaluation, &all);
    if (status != MAIL_OK)
        return status;
    *set_out = copy (evaluation->ctx, *all);
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
        replace (&set, idset_intersect (evaluation->ctx, set, part));
        drop (&part);
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

    drop (&left);
    drop (&right);
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
        replace (&set, plan->kind == PLAN_OR ? idset_union (evaluation->ctx, set, part)
                                             : differ (evaluation->ctx, set, part));
        drop (&part);
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
        status = every_message (evaluation, &all);
    if (status == MAIL_OK)
        *set_out = copy (evaluation->ctx, *all);
    return status;
}

static enum mail_status
evaluate (struct evaluation *evaluation, struct plan *plan, const struct idset *within,
          struct idset *set_out)
{
    static evaluate_fn *const functions[] = {
        [PLAN_NOTHING] = evaluate_all,   [PLAN_ALL] = evaluate_all,
        [PLAN_STATE] = evaluate_state,   [PLAN_TEXT] = evaluate_text,
        [PLAN_STARTS] = evaluate_starts, [PLAN_COLUMN] = evaluate_column,
        [PLAN_AND] = evaluate_and,       [PLAN_OR] = evaluate_or,
        [PLAN_XOR] = evaluate_or,        [PLAN_NOT] = evaluate_not,
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
