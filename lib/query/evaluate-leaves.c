/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * evaluate-leaves.c - the parts of a plan that read a store.
 *
 * Where little is left of the parts before, it goes into a search of text as a list of ids, and of
 * a column only these values are read. The limits were chosen by measuring: a phrase costs some
 * microseconds a message, a list of postings 20 ns, a value of a column 25 ns in passing and some
 * hundred by itself.
 */
#include "query/evaluate-private.h"
#include "query/scan-columns.h"
#include "query/sort.h"
#include "term.h"
#include <stdlib.h>
#include <string.h>

/* How many times fewer ids must be left than a search would find, so that they go into it. */
#define WITHIN_PHRASE 4 /* each match of a phrase costs 1.5 µs and more */
#define WITHIN_WORDS 32
/* From so many on, ids are looked up one by one. */
#define MANY_IDS 16
/* The lists of so many threads are read, beyond that the column of all. */
#define FEW_THREADS 64
/* The columns of all headers cost as much as the records of one in so many messages. */
#define RECORD_COST 400

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
            idset_replace (set_out, idset_subtract (evaluation->ctx, *set_out, missing));
            idset_drop (&missing);
        }
    }
    return status == MAIL_OK ? status : index_fail_store (evaluation->index, state, status);
}

enum mail_status
evaluate_column (struct evaluation *evaluation, struct plan *plan, const struct idset *within,
                 struct idset *set_out)
{
    enum mail_status status;

    if (within != NULL) { /* values in between are passed over, which is cheaper than to look */
        *set_out = idset_copy (evaluation->ctx, *within);
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

enum mail_status
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
    idset_drop (&aliases);
    return both;
}

enum mail_status
evaluate_with_aliases (struct evaluation *evaluation, struct idset messages, struct idset *set_out)
{
    enum mail_status status = index_load_aliases (evaluation->index);

    if (status == MAIL_OK)
        *set_out = with_aliases (evaluation, messages);
    return status;
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
    enum mail_status status = evaluate_with_aliases (evaluation, *within, &ids.ids);

    if (status != MAIL_OK)
        return status;
    status = index_search_text (evaluation->ctx, evaluation->index, &both, set_out);
    idset_drop (&ids.ids);
    return status;
}

enum mail_status
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
enum mail_status
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
        idset_replace (set_out, idset_union (evaluation->ctx, *set_out, part));
        idset_drop (&part);
    }
    if (status == MAIL_OK && plan->others)
        status = only_mail (evaluation, set_out);
    return status;
}

/* ---- headers and threads ------------------------------------------------------------------- */

/* The columns, and the records of which they do not tell. */
static enum mail_status
scan_all (struct evaluation *evaluation, const struct plan *plan, struct idset messages,
          struct idset *set_out)
{
    struct idset texts, found, unknown, more;
    enum mail_status status = evaluate_with_aliases (evaluation, messages, &texts);

    if (status != MAIL_OK)
        return status;
    status = scan_columns (evaluation->ctx, evaluation->index, texts, plan->patterns,
                           plan->pattern_count, &found, &unknown);
    idset_drop (&texts);
    if (status != MAIL_OK)
        return status;
    status = scan_headers (evaluation->ctx, evaluation->index, unknown, plan->patterns,
                           plan->pattern_count, &more);
    if (status == MAIL_OK) {
        *set_out = idset_union (evaluation->ctx, found, more);
        idset_drop (&more);
    }
    idset_drop (&found);
    idset_drop (&unknown);
    return status;
}

enum mail_status
evaluate_scan (struct evaluation *evaluation, struct plan *plan, const struct idset *within,
               struct idset *set_out)
{
    const struct idset *all = within;
    enum mail_status status = MAIL_OK;

    if (all == NULL)
        status = evaluate_every (evaluation, &all);
    if (status != MAIL_OK)
        return status;
    if (all->count < mail_index_count (evaluation->index) / RECORD_COST)
        return scan_headers (evaluation->ctx, evaluation->index, *all, plan->patterns,
                             plan->pattern_count, set_out);
    return scan_all (evaluation, plan, *all, set_out);
}

struct threads {
    uint64_t *numbers; /* ascending, each once */
    size_t count;
    struct idset set; /* of documents in one of them */
    void *ctx;
};

static enum mail_status
read_threads (struct evaluation *evaluation, struct idset set, struct threads *threads)
{
    struct mail_index *index = evaluation->index;
    struct keyed *keyed = talloc_array (evaluation->ctx, struct keyed, set.count + 1);
    uint64_t *numbers = talloc_array (evaluation->ctx, uint64_t, set.count + 1);
    enum mail_status status = store_values (index->state, SLOT_THREAD, set.ids, set.count, numbers);

    threads->ctx = evaluation->ctx;
    threads->numbers = numbers;
    if (status != MAIL_OK) {
        index_fail_store (index, index->state, status);
        goto done;
    }
    for (size_t i = 0; i < set.count; i++)
        keyed[i] = (struct keyed){.key = numbers[i]};
    sort_keyed (keyed, set.count);
    for (size_t i = 0; i < set.count; i++)
        if (i == 0 || keyed[i].key != keyed[i - 1].key)
            numbers[threads->count++] = keyed[i].key;

done:
    talloc_free (keyed);
    return status;
}

static int
compare_numbers (const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *) a, right = *(const uint64_t *) b;

    return (left > right) - (left < right);
}

static bool
has_thread (const struct threads *threads, uint64_t number)
{
    return bsearch (&number, threads->numbers, threads->count, sizeof number, compare_numbers) !=
           NULL;
}

static bool
note_in_threads (void *closure, uint32_t id, const char *value, size_t length)
{
    struct threads *threads = closure;
    size_t room = threads->set.ids != NULL ? talloc_array_length (threads->set.ids) : 0;

    if (!has_thread (threads, value_decode (value, length)))
        return true;
    if (threads->set.count == room)
        threads->set.ids = talloc_realloc (threads->ctx, threads->set.ids, uint32_t, room * 2 + 64);
    threads->set.ids[threads->set.count++] = id;
    return true;
}

/* One list of documents a thread. */
static enum mail_status
search_threads (struct evaluation *evaluation, struct threads *threads)
{
    void *local = talloc_new (evaluation->ctx);
    struct store_query query = {.op = STORE_OP_OR, .child_count = threads->count};
    struct store_query *children = talloc_zero_array (local, struct store_query, threads->count);
    enum mail_status status;

    query.children = talloc_array (local, struct store_query *, threads->count);
    for (size_t i = 0; i < threads->count; i++) {
        children[i].op = STORE_OP_TERM;
        children[i].term = term_thread (local, threads->numbers[i]);
        query.children[i] = &children[i];
    }
    status = index_search_state (evaluation->ctx, evaluation->index, &query, &threads->set);
    talloc_free (local);
    return status;
}

static enum mail_status
find_in_threads (struct evaluation *evaluation, struct threads *threads)
{
    struct mail_index *index = evaluation->index;
    enum mail_status status;

    if (threads->count == 0)
        return MAIL_OK;
    if (threads->count <= FEW_THREADS)
        return search_threads (evaluation, threads);
    status = store_each_value (index->state, SLOT_THREAD, note_in_threads, threads);
    return status == MAIL_OK ? status : index_fail_store (index, index->state, status);
}

enum mail_status
evaluate_threads (struct evaluation *evaluation, struct plan *plan, const struct idset *within,
                  struct idset *set_out)
{
    struct threads threads = {0};
    struct idset matches;
    enum mail_status status = evaluate (evaluation, plan->children[0], NULL, &matches);

    (void) within;
    if (status != MAIL_OK)
        return status;
    status = read_threads (evaluation, matches, &threads);
    idset_drop (&matches);
    if (status == MAIL_OK)
        status = find_in_threads (evaluation, &threads);
    talloc_free (threads.numbers);
    *set_out = threads.set;
    return status == MAIL_OK ? only_mail (evaluation, set_out) : status;
}
