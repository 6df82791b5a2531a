/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan.c - tree → plan: bottom up, folding what is nothing or everything, and putting together what
 * one store answers.
 *
 * Xapian is good at walking many posting lists at once, so everything that can go into one query
 * does. Wildcards stay apart: a union of all their lists in a bitmap is cheaper than an OR of a
 * hundred thousand terms. What remains between the stores is left to evaluate.c.
 */
#include "query/plan-leaves.h"
#include <string.h>
#include <talloc.h>

struct plan *
plan_node (void *ctx, enum plan_kind kind)
{
    struct plan *plan = talloc_zero (ctx, struct plan);

    plan->kind = kind;
    return plan;
}

struct plan *
plan_state_term (void *ctx, struct store_term term)
{
    struct plan *plan = plan_node (ctx, PLAN_STATE);

    plan->query = talloc_zero (plan, struct store_query);
    plan->query->op = STORE_OP_TERM;
    plan->query->term = term;
    return plan;
}

/* ---- putting together ---------------------------------------------------------------------- */

/* The children of one kind among those of a join. */
struct gathered {
    struct plan **plans;
    size_t count;
};

/* What is true of the parts, of the whole: it looks at positions where any does; an AND finds other
 * documents only where all do. */
static void
gather_flags (struct plan *whole, enum plan_kind join, const struct gathered *gathered)
{
    whole->others = join == PLAN_AND;
    whole->ids = join == PLAN_OR;
    for (size_t i = 0; i < gathered->count; i++) {
        const struct plan *part = gathered->plans[i];
        whole->phrases = whole->phrases || part->phrases;
        whole->others =
            join == PLAN_AND ? whole->others && part->others : whole->others || part->others;
        whole->ids = whole->ids && part->ids;
    }
}

/* One query of several. */
static struct store_query *
query_join (void *ctx, enum store_op op, const struct gathered *gathered)
{
    struct store_query *query;

    if (gathered->count == 1)
        return gathered->plans[0]->query;
    query = talloc_zero (ctx, struct store_query);
    query->op = op;
    query->children = talloc_array (query, struct store_query *, gathered->count);
    query->child_count = gathered->count;
    for (size_t i = 0; i < gathered->count; i++)
        query->children[i] = gathered->plans[i]->query;
    return query;
}

/* STATE or TEXT plans of an AND or OR as one. */
static struct plan *
gather_queries (void *ctx, enum plan_kind join, const struct gathered *gathered)
{
    struct plan *plan;

    if (gathered->count == 1)
        return gathered->plans[0];
    plan = plan_node (ctx, gathered->plans[0]->kind);
    plan->query = query_join (plan, join == PLAN_AND ? STORE_OP_AND : STORE_OP_OR, gathered);
    gather_flags (plan, join, gathered);
    return plan;
}

/* STARTS plans of an OR, all of one store, as one. */
static struct plan *
gather_starts (void *ctx, const struct gathered *gathered)
{
    struct plan *plan;
    size_t total = 0;

    if (gathered->count == 1)
        return gathered->plans[0];
    for (size_t i = 0; i < gathered->count; i++)
        total += gathered->plans[i]->start_count;
    plan = plan_node (ctx, PLAN_STARTS);
    plan->in_text = gathered->plans[0]->in_text;
    gather_flags (plan, PLAN_OR, gathered);
    plan->starts = talloc_array (plan, struct store_term, total);
    for (size_t i = 0; i < gathered->count; i++) {
        const struct plan *from = gathered->plans[i];
        memcpy (plan->starts + plan->start_count, from->starts,
                from->start_count * sizeof *from->starts);
        plan->start_count += from->start_count;
    }
    return plan;
}

/* SCAN plans of an OR as one, so that each record is read once. */
static struct plan *
gather_scans (void *ctx, const struct gathered *gathered)
{
    struct plan *plan;

    if (gathered->count == 1)
        return gathered->plans[0];
    plan = plan_node (ctx, PLAN_SCAN);
    for (size_t i = 0; i < gathered->count; i++)
        plan->pattern_count += gathered->plans[i]->pattern_count;
    plan->patterns = talloc_array (plan, struct header_pattern, plan->pattern_count);
    plan->pattern_count = 0;
    for (size_t i = 0; i < gathered->count; i++) {
        const struct plan *from = gathered->plans[i];
        memcpy (plan->patterns + plan->pattern_count, from->patterns,
                from->pattern_count * sizeof *from->patterns);
        plan->pattern_count += from->pattern_count;
    }
    return plan;
}

/* Takes away from a STATE or TEXT plan what the others find. */
static struct plan *
gather_without (void *ctx, struct plan *base, const struct gathered *without)
{
    struct plan *plan;

    if (without->count == 0)
        return base;
    plan = plan_node (ctx, base->kind);
    gather_flags (plan, PLAN_OR, without);
    plan->phrases = plan->phrases || base->phrases;
    plan->others = base->others;
    plan->ids = false;
    plan->query = talloc_zero (plan, struct store_query);
    plan->query->op = STORE_OP_AND_NOT;
    plan->query->children = talloc_array (plan->query, struct store_query *, without->count + 1);
    plan->query->child_count = without->count + 1;
    plan->query->children[0] = base->query;
    for (size_t i = 0; i < without->count; i++)
        plan->query->children[i + 1] = without->plans[i]->query;
    return plan;
}

/* ---- AND and OR ---------------------------------------------------------------------------- */

/* A list that has room for all children of a join. */
struct parts {
    void *ctx;
    struct plan **children;
    size_t count;
};

static struct gathered
parts_take (void *ctx, struct parts *parts, bool (*wanted) (const struct plan *))
{
    struct gathered gathered = {.plans = talloc_array (ctx, struct plan *, parts->count + 1)};
    size_t left = 0;

    for (size_t i = 0; i < parts->count; i++) {
        struct plan *child = parts->children[i];
        if (wanted (child))
            gathered.plans[gathered.count++] = child;
        else
            parts->children[left++] = child;
    }
    parts->count = left;
    return gathered;
}

static bool
is_state (const struct plan *plan)
{
    return plan->kind == PLAN_STATE;
}

static bool
is_text (const struct plan *plan)
{
    return plan->kind == PLAN_TEXT;
}

static bool
is_not_state (const struct plan *plan)
{
    return plan->kind == PLAN_NOT && is_state (plan->children[0]);
}

static bool
is_not_text (const struct plan *plan)
{
    return plan->kind == PLAN_NOT && is_text (plan->children[0]);
}

static bool
is_state_starts (const struct plan *plan)
{
    return plan->kind == PLAN_STARTS && !plan->in_text;
}

static bool
is_text_starts (const struct plan *plan)
{
    return plan->kind == PLAN_STARTS && plan->in_text;
}

static bool
is_scan (const struct plan *plan)
{
    return plan->kind == PLAN_SCAN;
}

static void
parts_add (struct parts *parts, struct plan *plan)
{
    parts->children[parts->count++] = plan;
}

/* One query for those of a store that must match, with those that must not taken away inside. */
static void
join_and_store (struct parts *parts, void *local, bool (*wanted) (const struct plan *),
                bool (*unwanted) (const struct plan *))
{
    struct gathered with = parts_take (local, parts, wanted), without;

    if (with.count == 0)
        return;
    without = parts_take (local, parts, unwanted);
    for (size_t i = 0; i < without.count; i++)
        without.plans[i] = without.plans[i]->children[0];
    parts_add (parts,
               gather_without (parts->ctx, gather_queries (parts->ctx, PLAN_AND, &with), &without));
}

static void
join_or_store (struct parts *parts, void *local, bool (*wanted) (const struct plan *))
{
    struct gathered gathered = parts_take (local, parts, wanted);

    if (gathered.count == 0)
        return;
    if (gathered.plans[0]->kind == PLAN_STARTS)
        parts_add (parts, gather_starts (parts->ctx, &gathered));
    else if (gathered.plans[0]->kind == PLAN_SCAN)
        parts_add (parts, gather_scans (parts->ctx, &gathered));
    else
        parts_add (parts, gather_queries (parts->ctx, PLAN_OR, &gathered));
}

/* Copies the children, those of a child of the same kind in its place, without what changes
 * nothing. False where one child decides. */
static bool
parts_fill (struct parts *parts, enum plan_kind kind, struct plan **children, size_t count)
{
    enum plan_kind neutral = kind == PLAN_AND ? PLAN_ALL : PLAN_NOTHING;
    enum plan_kind deciding = kind == PLAN_AND ? PLAN_NOTHING : PLAN_ALL;
    size_t total = 0;

    for (size_t i = 0; i < count; i++) {
        if (children[i]->kind == deciding && kind != PLAN_XOR)
            return false;
        total += children[i]->kind == kind ? children[i]->child_count : 1;
    }
    parts->children = talloc_array (parts->ctx, struct plan *, total + 1);
    for (size_t i = 0; i < count; i++) {
        struct plan *child = children[i];
        for (size_t k = 0; child->kind == kind && k < child->child_count; k++)
            parts_add (parts, child->children[k]);
        if (child->kind != kind && child->kind != neutral)
            parts_add (parts, child);
    }
    return true;
}

struct plan *
plan_join (void *ctx, enum plan_kind kind, struct plan **children, size_t count)
{
    void *local = talloc_new (NULL);
    struct parts parts = {.ctx = ctx};
    struct plan *plan;

    if (!parts_fill (&parts, kind, children, count)) {
        plan = plan_node (ctx, kind == PLAN_AND ? PLAN_NOTHING : PLAN_ALL);
        goto done;
    }
    if (kind == PLAN_AND) {
        join_and_store (&parts, local, is_state, is_not_state);
        join_and_store (&parts, local, is_text, is_not_text);
    } else if (kind == PLAN_OR) {
        join_or_store (&parts, local, is_state);
        join_or_store (&parts, local, is_text);
        join_or_store (&parts, local, is_state_starts);
        join_or_store (&parts, local, is_text_starts);
        join_or_store (&parts, local, is_scan);
    }
    if (parts.count == 0) {
        plan = plan_node (ctx, kind == PLAN_AND ? PLAN_ALL : PLAN_NOTHING);
    } else if (parts.count == 1) {
        plan = parts.children[0];
    } else {
        plan = plan_node (ctx, kind);
        plan->children = parts.children;
        plan->child_count = parts.count;
    }

done:
    talloc_free (local);
    return plan;
}

struct plan *
plan_not (void *ctx, struct plan *child)
{
    struct plan *plan;

    if (child->kind == PLAN_NOT)
        return child->children[0];
    if (child->kind == PLAN_ALL || child->kind == PLAN_NOTHING)
        return plan_node (ctx, child->kind == PLAN_ALL ? PLAN_NOTHING : PLAN_ALL);
    plan = plan_node (ctx, PLAN_NOT);
    plan->children = talloc_array (plan, struct plan *, 1);
    plan->children[plan->child_count++] = child;
    return plan;
}

static struct plan *
plan_threads (void *ctx, struct plan *child)
{
    struct plan *plan;

    if (child->kind == PLAN_ALL || child->kind == PLAN_NOTHING)
        return child;
    plan = plan_node (ctx, PLAN_THREADS);
    plan->children = talloc_array (plan, struct plan *, 1);
    plan->children[plan->child_count++] = child;
    return plan;
}

/* Those that share a term of the field with what child finds. */
static struct plan *
plan_matching (struct planner *planner, const struct prefix *prefix, struct plan *child)
{
    const struct fields *all = planner->index->fields;
    struct plan *plan;

    if (child->kind == PLAN_NOTHING)
        return child;
    plan = plan_node (planner->ctx, PLAN_MATCHING);
    plan->folders = prefix->kind == KIND_FOLDER;
    plan->in_text = prefix->kind == KIND_WORDS;
    plan->starts = talloc_array (plan, struct store_term, all->count);
    for (unsigned field = 0; plan->in_text && field < all->count; field++)
        if (prefix->fields & FIELD_BIT (field))
            plan->starts[plan->start_count++] = (struct store_term){
                .text = all->prefixes[field], .length = strlen (all->prefixes[field])};
    if (prefix->kind == KIND_TERM)
        plan->starts[plan->start_count++] =
            (struct store_term){.text = prefix->term, .length = strlen (prefix->term)};
    plan->children = talloc_array (plan, struct plan *, 1);
    plan->children[plan->child_count++] = child;
    return plan;
}

/* ---- the walk ------------------------------------------------------------------------------ */

static enum plan_kind
join_kind (enum node_kind kind)
{
    return kind == NODE_AND ? PLAN_AND : kind == NODE_OR ? PLAN_OR : PLAN_XOR;
}

static enum mail_status
plan_children (struct planner *planner, const struct node *tree, struct plan **plan_out)
{
    struct plan **children = talloc_array (planner->ctx, struct plan *, tree->child_count);
    enum mail_status status;

    for (size_t i = 0; i < tree->child_count; i++) {
        status = plan_create (planner, tree->children[i], &children[i]);
        if (status != MAIL_OK)
            return status;
    }
    if (tree->kind == NODE_NOT)
        *plan_out = plan_not (planner->ctx, children[0]);
    else if (tree->kind == NODE_THREADS)
        *plan_out = plan_threads (planner->ctx, children[0]);
    else if (tree->kind == NODE_MATCHING)
        *plan_out = plan_matching (planner, tree->prefix, children[0]);
    else
        *plan_out = plan_join (planner->ctx, join_kind (tree->kind), children, tree->child_count);
    talloc_free (children);
    return MAIL_OK;
}

enum mail_status
plan_create (struct planner *planner, const struct node *tree, struct plan **plan_out)
{
    switch (tree->kind) {
    case NODE_AND:
    case NODE_OR:
    case NODE_XOR:
    case NODE_NOT:
    case NODE_THREADS:
    case NODE_MATCHING:
        return plan_children (planner, tree, plan_out);
    default:
        return plan_leaf (planner, tree, plan_out);
    }
}

enum mail_status
plan_estimate (struct mail_index *index, struct plan *plan)
{
    enum mail_status status = MAIL_OK;

    if (plan->estimated)
        return MAIL_OK;
    if (plan->kind == PLAN_TEXT)
        status = index_estimate_text (index, plan->query, &plan->estimate);
    else if (plan->kind == PLAN_STATE) {
        status = store_estimate (index->state, plan->query, &plan->estimate);
        if (status != MAIL_OK)
            index_fail_store (index, index->state, status);
    } else if (plan->kind != PLAN_NOTHING)
        plan->estimate = mail_index_count (index);
    plan->estimated = status == MAIL_OK;
    return status;
}
