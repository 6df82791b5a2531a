/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain.c - the query, its tree, and what its evaluation did, for people.
 *
 * A line a part of the plan: STORE OP ESTIMATE→REAL TIME. Parts that were never reached, as nothing
 * was left before them, have no numbers behind the arrow.
 */
#include "query/query-private.h"
#include <glib.h>
#include <string.h>
#include <talloc.h>

enum { DETAIL_LIMIT = 100 }; /* bytes of a query that are shown in a line */

static const char *
store_name (const struct plan *plan)
{
    switch (plan->kind) {
    case PLAN_STATE:
        return "state";
    case PLAN_TEXT:
        return "text";
    case PLAN_STARTS:
        return plan->in_text ? "text" : "state";
    case PLAN_COLUMN:
        return "column";
    case PLAN_SCAN:
        return "records";
    default:
        return "sets";
    }
}

static const char *
op_name (const struct plan *plan)
{
    static const char *const plans[] = {
        [PLAN_NOTHING] = "nothing", [PLAN_ALL] = "all",           [PLAN_STARTS] = "starts-with",
        [PLAN_COLUMN] = "range",    [PLAN_AND] = "and",           [PLAN_OR] = "or",
        [PLAN_XOR] = "xor",         [PLAN_NOT] = "without",       [PLAN_SCAN] = "regex",
        [PLAN_THREADS] = "threads", [PLAN_MATCHING] = "matching",
    };
    static const char *const queries[] = {
        [STORE_OP_TERM] = "term",       [STORE_OP_STEM] = "stem",
        [STORE_OP_PREFIX] = "prefix",   [STORE_OP_PHRASE] = "phrase",
        [STORE_OP_NEAR] = "near",       [STORE_OP_ADJ] = "adj",
        [STORE_OP_AND] = "and",         [STORE_OP_OR] = "or",
        [STORE_OP_AND_NOT] = "and-not", [STORE_OP_IDS] = "ids",
        [STORE_OP_NOTHING] = "nothing", [STORE_OP_ALL] = "all",
    };

    return plan->query != NULL ? queries[plan->query->op] : plans[plan->kind];
}

static void
add_term (GString *text, struct store_term term)
{
    g_string_append_c (text, ' ');
    for (size_t i = 0; i < term.length; i++)
        g_string_append_c (text, (unsigned char) term.text[i] < ' ' ? '?' : term.text[i]);
}

static void
add_query (GString *text, const struct store_query *query, size_t limit)
{
    if (text->len > limit)
        return;
    if (query->term.text != NULL)
        add_term (text, query->term);
    for (size_t i = 0; i < query->child_count && text->len <= limit; i++)
        add_query (text, query->children[i], limit);
}

/* The first terms of a part. */
static char *
detail (const struct plan *plan)
{
    GString *text = g_string_new (NULL);
    const char *end;

    if (plan->query != NULL)
        add_query (text, plan->query, DETAIL_LIMIT);
    for (size_t i = 0; i < plan->start_count && text->len <= DETAIL_LIMIT; i++)
        add_term (text, plan->starts[i]);
    if (text->len > DETAIL_LIMIT) {
        g_utf8_validate (text->str, DETAIL_LIMIT, &end);
        g_string_truncate (text, (gsize) (end - text->str));
        g_string_append (text, "...");
    }
    return g_string_free (text, FALSE);
}

static void
add_plan (GString *text, const struct plan *plan, int depth)
{
    char *terms = detail (plan);

    g_string_append_printf (text, "\n%*s%s %s", 2 * (depth + 1), "", store_name (plan),
                            op_name (plan));
    if (plan->estimated)
        g_string_append_printf (text, " %u→", plan->estimate);
    else
        g_string_append (text, " ?→");
    if (plan->done)
        g_string_append_printf (text, "%zu %.3f ms", plan->real, plan->milliseconds);
    else
        g_string_append_c (text, '-');
    if (*terms != '\0')
        g_string_append_printf (text, " :%s", terms);
    g_free (terms);
    for (size_t i = 0; i < plan->child_count; i++)
        add_plan (text, plan->children[i], depth + 1);
}

char *
mail_query_explain (void *ctx, struct mail_query *query)
{
    GString *text = g_string_new ("query: ");
    char *tree = tree_print (NULL, query->tree), *result;

    g_string_append (text, query->text);
    g_string_append_printf (text, "\ntree:\n%s\nplan:", tree);
    if (query->plan == NULL)
        g_string_append (text, "\n  not evaluated");
    else
        add_plan (text, query->plan, 0);
    if (query->plan != NULL)
        g_string_append_printf (text, "\ntotal: %zu messages, %.3f ms%s", query->matches,
                                query->milliseconds,
                                query->counted ? " (lengths of posting lists)" : "");
    g_string_append_c (text, '\n');
    result = talloc_strdup (ctx, text->str);
    g_string_free (text, TRUE);
    talloc_free (tree);
    return result;
}
