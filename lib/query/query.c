/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * query.c - queries as objects: parsed once, evaluated as often as asked.
 *
 * The tree belongs to the query; a plan belongs to one revision, and a new one is made for every
 * evaluation. A reader overtaken by a writer starts its evaluation anew.
 */
#include "query/query-private.h"
#include "query/evaluate.h"
#include "query/leaf.h"
#include "query/parser.h"
#include <glib.h>
#include <regex.h>
#include <string.h>
#include <talloc.h>
#include <time.h>

enum mail_status
mail_query_parse (void *ctx, struct mail_index *index, const char *text,
                  struct mail_query **query_out, struct mail_query_error *error_out)
{
    return mail_query_parse_as (ctx, index, MAIL_SYNTAX_INFIX, NULL, text, query_out, error_out);
}

enum mail_status
mail_query_parse_as (void *ctx, struct mail_index *index, enum mail_query_syntax syntax,
                     const struct mail_query_names *names, const char *text,
                     struct mail_query **query_out, struct mail_query_error *error_out)
{
    struct query_source source = {.syntax = syntax,
                                  .text = text,
                                  .length = strlen (text),
                                  .now = time (NULL),
                                  .names = names};
    struct mail_query *query = talloc_zero (ctx, struct mail_query);
    struct mail_query_error error = {0};
    char *stemmer_error = NULL;
    enum mail_status status;

    query->index = index;
    source.warning = &query->warning;
    source.users = prefix_users (query, index->fields);
    query->text = talloc_strdup (query, text);
    if (!query_parse (query, &source, &query->tree, &error)) {
        status = index_fail (index, MAIL_ERROR_QUERY, "%s", error.message);
        if (error_out != NULL) {
            *error_out = error;
            talloc_steal (ctx, error.message);
            talloc_steal (ctx, error.hint);
        }
        goto done;
    }
    status = store_stemmer_create (query, index->fields->stemmer, &query->stemmer, &stemmer_error);
    if (status != MAIL_OK) {
        index_fail (index, status, "%s", stemmer_error);
        goto done;
    }
    *query_out = talloc_steal (ctx, query);
    query = NULL;

done:
    talloc_free (query);
    return status;
}

const struct mail_query_error *
mail_query_warning (const struct mail_query *query)
{
    return query->warning.message != NULL ? &query->warning : NULL;
}

/* ---- excluded tags ------------------------------------------------------------------------- */

static bool
is_tag (const struct prefix *prefix)
{
    return prefix != NULL && prefix->kind == KIND_TERM && strcmp (prefix->term, PREFIX_TAG) == 0;
}

static bool
regex_matches (const char *pattern, const char *tag)
{
    regex_t regex;
    bool found;

    if (regcomp (&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    found = regexec (&regex, tag, 0, NULL, 0) == 0;
    regfree (&regex);
    return found;
}

/* A word that is also looked for among the tags: "Spam". */
static bool
word_names_tag (const struct node *node, const char *tag)
{
    return node->kind == NODE_WORDS && node->op == WORDS_EXACT && node->prefix == NULL &&
           !node->words[0].cjk && strcmp (node->words[0].text, tag) == 0;
}

static bool
tree_names_tag (const struct node *node, const char *tag)
{
    if (word_names_tag (node, tag))
        return true;
    if (node->kind == NODE_TERM && is_tag (node->prefix))
        return strcmp (node->value, tag) == 0;
    if (node->kind == NODE_REGEX && is_tag (node->prefix))
        return regex_matches (node->value, tag);
    if (node->kind == NODE_THREADS || node->kind == NODE_MATCHING)
        return false;
    for (size_t i = 0; i < node->child_count; i++)
        if (tree_names_tag (node->children[i], tag))
            return true;
    return false;
}

bool
mail_query_names_tag (const struct mail_query *query, const char *tag)
{
    return tree_names_tag (query->tree, tag);
}

void
mail_query_exclude (struct mail_query *query, const char *const *tags)
{
    const struct prefix *prefix = prefix_find ("tag", strlen ("tag"));
    struct node *parts[2];

    for (; *tags != NULL; tags++) {
        parts[0] = query->tree;
        parts[1] = node_not (query, leaf_create_value (query, prefix, *tags, strlen (*tags)));
        query->tree = node_join (query, NODE_AND, parts, 2);
    }
}

struct mail_index *
query_index (const struct mail_query *query)
{
    return query->index;
}

enum mail_status
query_plan (struct mail_query *query)
{
    struct planner planner = {
        .ctx = talloc_new (query), .index = query->index, .stemmer = query->stemmer};
    struct plan *plan;
    enum mail_status status = plan_create (&planner, query->tree, &plan);

    if (query->plan != NULL)
        talloc_free (talloc_parent (query->plan));
    query->plan = NULL;
    if (status == MAIL_OK)
        query->plan = talloc_steal (planner.ctx, plan);
    else
        talloc_free (planner.ctx);
    return status;
}

enum mail_status
query_evaluate_once (void *ctx, struct mail_query *query, struct idset *set_out)
{
    gint64 start = g_get_monotonic_time ();
    enum mail_status status = query_plan (query);

    if (status == MAIL_OK)
        status = plan_evaluate (ctx, query->index, query->plan, set_out);
    if (status == MAIL_OK)
        query->matches = set_out->count;
    query->counted = false;
    query->milliseconds = (double) (g_get_monotonic_time () - start) / 1000;
    return status;
}

enum mail_status
query_evaluate (void *ctx, struct mail_query *query, struct idset *set_out)
{
    unsigned attempt = 0;
    enum mail_status status;

    do
        status = query_evaluate_once (ctx, query, set_out);
    while (index_retry (query->index, &status, &attempt));
    return status;
}
