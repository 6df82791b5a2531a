/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan-words.c - words, phrases and beginnings of words → queries of text.
 *
 * A word without a prefix looks at eight fields and those of the user, so its terms are made with
 * few allocations.
 */
#include "query/plan-leaves.h"
#include <glib.h>
#include <string.h>
#include <talloc.h>

static struct store_query *
query_create (void *ctx, enum store_op op, size_t children)
{
    struct store_query *query = talloc_zero (ctx, struct store_query);

    query->op = op;
    if (children > 0)
        query->children = talloc_array (query, struct store_query *, children);
    return query;
}

static struct store_query *
term_query (void *ctx, enum store_op op, const char *prefix, const char *text, size_t length)
{
    struct store_query *query = query_create (ctx, op, 0);
    size_t prefix_length = strlen (prefix);
    char *term = talloc_array (query, char, prefix_length + length + 1);

    memcpy (term, prefix, prefix_length);
    memcpy (term + prefix_length, text, length);
    term[prefix_length + length] = '\0';
    query->term.text = term;
    query->term.length = prefix_length + length;
    return query;
}

static struct store_query *
word_query (struct planner *planner, void *ctx, const char *prefix, const struct node *leaf)
{
    const struct word *word = &leaf->words[0];
    struct store_query *query;
    const char *stem, *again;
    size_t length, again_length;

    if (leaf->op == WORDS_EXACT)
        return term_query (ctx, STORE_OP_TERM, prefix, word->text, word->length);
    store_stem (planner->stemmer, word->text, word->length, &stem, &length);
    query = term_query (ctx, STORE_OP_STEM, prefix, stem, length);
    stem = query->term.text + strlen (prefix);
    store_stem (planner->stemmer, stem, length, &again, &again_length);
    query->self = again_length == length && memcmp (stem, again, length) == 0;
    return query;
}

static struct store_query *
words_query (struct planner *planner, void *ctx, const char *prefix, const struct node *leaf)
{
    struct store_query *query;

    if (leaf->word_count == 1)
        return word_query (planner, ctx, prefix, leaf);
    query = query_create (ctx,
                          leaf->op == WORDS_PHRASE ? STORE_OP_PHRASE
                          : leaf->op == WORDS_NEAR ? STORE_OP_NEAR
                                                   : STORE_OP_ADJ,
                          leaf->word_count);
    /* N apart are N + 1 positions for two words, and so on. */
    query->window = leaf->op == WORDS_PHRASE ? (unsigned) leaf->word_count
                                             : leaf->window + (unsigned) leaf->word_count - 1;
    for (size_t i = 0; i < leaf->word_count; i++)
        query->children[query->child_count++] =
            term_query (query, STORE_OP_TERM, prefix, leaf->words[i].text, leaf->words[i].length);
    return query;
}

field_set
plan_word_fields (const struct planner *planner, const struct node *leaf)
{
    return leaf->prefix != NULL ? leaf->prefix->fields
                                : prefix_bare_fields (planner->index->fields);
}

struct plan *
plan_text_words (struct planner *planner, const struct node *leaf)
{
    struct plan *plan = plan_node (planner->ctx, PLAN_TEXT);
    const struct fields *all = planner->index->fields;
    struct store_query *query = query_create (plan, STORE_OP_OR, all->count);
    field_set fields = plan_word_fields (planner, leaf);

    for (unsigned field = 0; field < all->count; field++)
        if (fields & FIELD_BIT (field))
            query->children[query->child_count++] =
                words_query (planner, query, all->prefixes[field], leaf);
    plan->query = query->child_count == 1 ? query->children[0] : query;
    plan->phrases = leaf->word_count > 1;
    return plan;
}

/* ---- beginnings of terms ------------------------------------------------------------------- */

void
plan_starts_add (struct plan *plan, const char *prefix, const char *text, size_t length)
{
    size_t room = plan->starts != NULL ? talloc_array_length (plan->starts) : 0;
    size_t prefix_length = strlen (prefix);
    char *term = talloc_array (plan, char, prefix_length + length + 1);

    memcpy (term, prefix, prefix_length);
    memcpy (term + prefix_length, text, length);
    term[prefix_length + length] = '\0';
    if (plan->start_count == room)
        plan->starts = talloc_realloc (plan, plan->starts, struct store_term, room * 2 + 8);
    plan->starts[plan->start_count].text = term;
    plan->starts[plan->start_count++].length = prefix_length + length;
}

struct plan *
plan_text_starts (struct planner *planner, field_set fields, const char *text, size_t length)
{
    const struct fields *all = planner->index->fields;
    struct plan *plan = plan_node (planner->ctx, PLAN_STARTS);

    plan->in_text = true;
    for (unsigned field = 0; field < all->count; field++)
        if (fields & FIELD_BIT (field))
            plan_starts_add (plan, all->prefixes[field], text, length);
    return plan;
}

/* Words of the body have no prefix; they begin with a digit, a letter that is no ASCII capital, or
 * "_". */
struct plan *
plan_text_any (struct planner *planner, field_set fields)
{
    struct plan *plan = plan_text_starts (planner, fields & ~FIELD_BIT (FIELD_BODY), "", 0);

    if (fields & FIELD_BIT (FIELD_BODY))
        for (unsigned byte = '0'; byte < 256; byte++) {
            char first = (char) byte;
            if (byte >= 0x80 || g_ascii_isdigit (first) || g_ascii_islower (first) || first == '_')
                plan_starts_add (plan, "", &first, 1);
        }
    return plan;
}

/* ---- c++ and c ----------------------------------------------------------------------------- */

static size_t
without_suffix (const struct word *word)
{
    size_t length = word->length;

    while (length > 1 && (word->text[length - 1] == '+' || word->text[length - 1] == '#'))
        length--;
    return length;
}

static enum mail_status
is_in_text (struct planner *planner, const struct node *leaf, const struct word *word,
            bool *found_out)
{
    struct mail_index *index = planner->index;
    field_set fields = plan_word_fields (planner, leaf);
    enum mail_status status = index_open_segments (index);

    *found_out = false;
    for (unsigned field = 0; status == MAIL_OK && field < index->fields->count; field++) {
        struct store_query *query;
        uint32_t freq = 0;
        if (!(fields & FIELD_BIT (field)))
            continue;
        query = term_query (planner->ctx, STORE_OP_TERM, index->fields->prefixes[field], word->text,
                            word->length);
        for (size_t i = 0; status == MAIL_OK && freq == 0 && i < index->manifest->count; i++) {
            status = store_term_freq (index->segments[i], query->term, &freq);
            if (status != MAIL_OK)
                index_fail_store (index, index->segments[i], status);
        }
        *found_out |= freq > 0;
        talloc_free (query);
    }
    return status;
}

enum mail_status
plan_drop_suffixes (struct planner *planner, const struct node **leaf)
{
    struct node *copy = NULL;
    enum mail_status status = MAIL_OK;

    for (size_t i = 0; i < (*leaf)->word_count && status == MAIL_OK; i++) {
        size_t length = without_suffix (&(*leaf)->words[i]);
        bool found;
        if (length == (*leaf)->words[i].length)
            continue;
        status = is_in_text (planner, *leaf, &(*leaf)->words[i], &found);
        if (status != MAIL_OK || found)
            continue;
        if (copy == NULL) {
            copy = talloc_memdup (planner->ctx, *leaf, sizeof **leaf);
            copy->words = talloc_memdup (copy, copy->words, copy->word_count * sizeof *copy->words);
            *leaf = copy;
        }
        copy->words[i].length = length;
    }
    return status;
}
