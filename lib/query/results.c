/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * results.c - what is asked of the matches: their order, and how many there are.
 *
 * All of it is read under the revision of the evaluation, from columns, and started anew when a
 * writer overtakes it. Only counting files has to read records.
 */
#include "query/evaluate.h"
#include "query/query-private.h"
#include "query/sort.h"
#include "record.h"
#include <glib.h>
#include <string.h>
#include <talloc.h>

/* Fills in keyed with a column's codes, and the ids. */
static enum mail_status
read_column (struct mail_index *index, unsigned slot, struct idset set, struct keyed **keyed_out)
{
    struct keyed *keyed = talloc_array (set.ids, struct keyed, set.count);
    uint64_t *values = talloc_array (keyed, uint64_t, set.count);
    enum mail_status status = MAIL_OK;

    if (set.count > 0)
        status = store_values (index->state, slot, set.ids, set.count, values);
    if (status != MAIL_OK) {
        talloc_free (keyed);
        return index_fail_store (index, index->state, status);
    }
    for (size_t i = 0; i < set.count; i++)
        keyed[i] = (struct keyed){.key = values[i], .id = set.ids[i]};
    talloc_free (values);
    *keyed_out = keyed;
    return MAIL_OK;
}

/* ---- order --------------------------------------------------------------------------------- */

static enum mail_status
sort_by_date (struct mail_index *index, enum mail_sort sort, struct idset set)
{
    struct keyed *keyed;
    enum mail_status status;

    if (sort == MAIL_SORT_UNSORTED || set.count == 0)
        return MAIL_OK;
    status = read_column (index, SLOT_DATE, set, &keyed);
    if (status != MAIL_OK)
        return status;
    for (size_t i = 0; sort == MAIL_SORT_NEWEST_FIRST && i < set.count; i++)
        keyed[i].key = ~keyed[i].key;
    sort_keyed (keyed, set.count);
    for (size_t i = 0; i < set.count; i++)
        set.ids[i] = keyed[i].id;
    talloc_free (keyed);
    return MAIL_OK;
}

enum mail_status
mail_query_run (void *ctx, struct mail_query *query, enum mail_sort sort,
                struct mail_results **results_out)
{
    struct mail_results *results = talloc_zero (ctx, struct mail_results);
    struct idset set = {0};
    unsigned attempt = 0;
    enum mail_status status;

    do {
        TALLOC_FREE (set.ids);
        status = query_evaluate_once (results, query, &set);
        if (status == MAIL_OK)
            status = sort_by_date (query->index, sort, set);
    } while (index_retry (query->index, &status, &attempt));
    if (status != MAIL_OK) {
        talloc_free (results);
        return status;
    }
    results->index = query->index;
    results->sort = sort;
    results->docids = set.ids;
    results->count = set.count;
    *results_out = results;
    return MAIL_OK;
}

size_t
mail_results_count (const struct mail_results *results)
{
    return results->count;
}

const uint32_t *
mail_results_docids (const struct mail_results *results)
{
    return results->docids;
}

/* ---- numbers ------------------------------------------------------------------------------- */

static enum mail_status
count_threads (struct mail_index *index, struct idset set, uint64_t *count_out)
{
    struct keyed *keyed;
    enum mail_status status;

    *count_out = 0;
    if (set.count == 0)
        return MAIL_OK;
    status = read_column (index, SLOT_THREAD, set, &keyed);
    if (status != MAIL_OK)
        return status;
    sort_keyed (keyed, set.count);
    for (size_t i = 0; i < set.count; i++)
        *count_out += i == 0 || keyed[i].key != keyed[i - 1].key;
    talloc_free (keyed);
    return MAIL_OK;
}

static enum mail_status
count_files_of (struct mail_index *index, uint32_t id, uint64_t *count)
{
    void *local = talloc_new (NULL);
    struct store_document document;
    struct record record;
    bool found;
    enum mail_status status = store_read (local, index->state, id, STORE_DATA, &document, &found);

    if (status == MAIL_OK && found &&
        record_decode (local, document.data, document.data_length, &record))
        *count += record.file_count;
    talloc_free (local);
    return status;
}

static enum mail_status
count_files (struct mail_index *index, struct idset set, uint64_t *count_out)
{
    enum mail_status status = MAIL_OK;

    *count_out = 0;
    for (size_t i = 0; i < set.count && status == MAIL_OK; i++)
        status = count_files_of (index, set.ids[i], count_out);
    return status == MAIL_OK ? status : index_fail_store (index, index->state, status);
}

static enum mail_status
count_set (struct mail_query *query, bool threads, bool files, struct mail_count *count)
{
    struct idset set = {0};
    enum mail_status status = query_evaluate_once (NULL, query, &set);

    if (status == MAIL_OK && threads)
        status = count_threads (query->index, set, &count->threads);
    if (status == MAIL_OK && files)
        status = count_files (query->index, set, &count->files);
    count->messages = set.count;
    talloc_free (set.ids);
    return status;
}

/* A count of messages that a posting list's length answers; *known_out says whether. */
static enum mail_status
count_at_once (struct mail_query *query, struct mail_count *count, bool *known_out)
{
    gint64 start = g_get_monotonic_time ();
    enum mail_status status = query_plan (query);

    if (status == MAIL_OK)
        status = plan_count (query->index, query->plan, known_out, &count->messages);
    query->counted = status == MAIL_OK && *known_out;
    query->matches = (size_t) count->messages;
    query->milliseconds = (double) (g_get_monotonic_time () - start) / 1000;
    return status;
}

enum mail_status
mail_query_count (struct mail_query *query, bool threads, bool files, struct mail_count *count_out)
{
    struct mail_count count = {0};
    bool known = false;
    unsigned attempt = 0;
    enum mail_status status;

    do {
        status = threads || files ? MAIL_OK : count_at_once (query, &count, &known);
        if (status == MAIL_OK && !known)
            status = count_set (query, threads, files, &count);
    } while (index_retry (query->index, &status, &attempt));
    if (status == MAIL_OK)
        *count_out = count;
    return status;
}
