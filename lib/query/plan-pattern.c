/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan-pattern.c - "*word" and "*word*": looks through all words of text while the plan is made.
 *
 * Terms are in order of their beginnings, so there is nothing to do but to read all of them: a
 * third of a second for a million. What fits becomes an OR of terms, and that is why their number
 * has a limit.
 */
#include "query/plan-pattern.h"
#include "query/plan-leaves.h"
#include <glib.h>
#include <string.h>
#include <talloc.h>

struct pattern {
    const struct word *word;
    bool at_end;
    const struct fields *all;
    field_set fields;  /* that are looked at */
    GHashTable *found; /* terms; those of several segments once */
    bool too_many;
};

/* Words have no capital, so what begins with one is not of the body. *skip_out: bytes of the
 * field's prefix. */
static bool
is_wanted (const struct pattern *pattern, const char *term, size_t length, size_t *skip_out)
{
    *skip_out = 0;
    if (length == 0 || !g_ascii_isupper (term[0]))
        return length > 0 && pattern->fields & FIELD_BIT (FIELD_BODY);
    for (unsigned field = 0; field < pattern->all->count; field++) {
        const char *prefix = pattern->all->prefixes[field];
        *skip_out = strlen (prefix);
        if (pattern->fields & FIELD_BIT (field) && *skip_out > 0 && *skip_out < length &&
            memcmp (term, prefix, *skip_out) == 0)
            return true;
    }
    return false;
}

static bool
fits (const struct pattern *pattern, const char *word, size_t length)
{
    const struct word *part = pattern->word;

    if (length < part->length)
        return false;
    if (pattern->at_end)
        return memcmp (word + length - part->length, part->text, part->length) == 0;
    return memmem (word, length, part->text, part->length) != NULL;
}

static bool
note_term (void *closure, const char *term, size_t length, uint32_t freq)
{
    struct pattern *pattern = closure;
    size_t skip;

    (void) freq;
    if (!is_wanted (pattern, term, length, &skip) || !fits (pattern, term + skip, length - skip))
        return true;
    g_hash_table_add (pattern->found, g_strndup (term, length));
    pattern->too_many = g_hash_table_size (pattern->found) > PATTERN_WORDS_MAX;
    return !pattern->too_many;
}

static enum mail_status
look_through (struct mail_index *index, struct pattern *pattern)
{
    struct store_term every = {.text = "", .length = 0};
    enum mail_status status = index_open_segments (index);

    for (size_t i = 0; status == MAIL_OK && !pattern->too_many && i < index->manifest->count; i++) {
        status = store_each_term (index->segments[i], every, note_term, pattern);
        if (status != MAIL_OK)
            index_fail_store (index, index->segments[i], status);
    }
    if (status == MAIL_OK && pattern->too_many)
        return index_fail (index, MAIL_ERROR_QUERY,
                           "more than %d words fit \"*%s%s\"; say more of the word",
                           PATTERN_WORDS_MAX, pattern->word->text, pattern->at_end ? "" : "*");
    return status;
}

/* An OR of all terms found. */
static struct plan *
found_plan (void *ctx, GHashTable *found)
{
    struct plan *plan = plan_node (ctx, PLAN_TEXT);
    unsigned count = g_hash_table_size (found);
    struct store_query *terms = talloc_zero_array (plan, struct store_query, count);
    GHashTableIter iter;
    gpointer term;

    plan->query = talloc_zero (plan, struct store_query);
    plan->query->op = STORE_OP_OR;
    plan->query->children = talloc_array (plan->query, struct store_query *, count);
    g_hash_table_iter_init (&iter, found);
    while (g_hash_table_iter_next (&iter, &term, NULL)) {
        struct store_query *query = &terms[plan->query->child_count];
        query->op = STORE_OP_TERM;
        query->term.text = talloc_strdup (plan->query, term);
        query->term.length = strlen (term);
        plan->query->children[plan->query->child_count++] = query;
    }
    return plan;
}

enum mail_status
plan_pattern (struct planner *planner, const struct node *leaf, field_set fields,
              struct plan **plan_out)
{
    struct pattern pattern = {.word = &leaf->words[0],
                              .at_end = leaf->op == WORDS_END,
                              .all = planner->index->fields,
                              .fields = fields};
    enum mail_status status;

    pattern.found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    status = look_through (planner->index, &pattern);
    if (status == MAIL_OK && g_hash_table_size (pattern.found) == 0)
        *plan_out = plan_node (planner->ctx, PLAN_NOTHING);
    else if (status == MAIL_OK)
        *plan_out = found_plan (planner->ctx, pattern.found);
    g_hash_table_destroy (pattern.found);
    return status;
}
