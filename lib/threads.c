/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * threads.c - the threads of a list of results, in order of their first match.
 *
 * The thread column gives the ids and the order; the messages of a window of threads are then read
 * together in order of their document ids. Windows begin small, so that the first thread can be
 * shown at once.
 */
#include "thread.h"
#include "messages.h"
#include "query/query.h"
#include "schema.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

#define WINDOW_MIN 32
#define WINDOW_MAX 1024

struct mail_threads {
    struct mail_results *results;
    struct idset matches;
    uint64_t *ids;    /* of the threads, in order */
    uint32_t *firsts; /* the first match of each */
    GHashTable *seen; /* the ids */
    size_t count;
    size_t next, end; /* the next one to give out; where to stop */
    size_t window;
    void *window_ctx;
    struct mail_thread **read;
    size_t window_first, window_count;
};

static enum mail_status
read_thread_column (void *ctx, struct mail_index *index, struct idset matches, uint64_t **out)
{
    unsigned attempt = 0;
    enum mail_status status;
    *out = talloc_array (ctx, uint64_t, matches.count + 1);
    do {
        status = store_values (index->state, SLOT_THREAD, matches.ids, matches.count, *out);
        if (status != MAIL_OK)
            index_fail_store (index, index->state, status);
    } while (index_retry (index, &status, &attempt));
    return status;
}

static size_t
place_of (struct idset set, uint32_t id)
{
    size_t low = 0, high = set.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set.ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int
threads_destroy (struct mail_threads *threads)
{
    g_hash_table_destroy (threads->seen);
    return 0;
}

/* Each thread once, in order of first match. */
static void
order_threads (struct mail_threads *threads, const uint64_t *column)
{
    struct mail_results *results = threads->results;
    threads->ids = talloc_array (threads, uint64_t, results->count + 1);
    threads->firsts = talloc_array (threads, uint32_t, results->count + 1);
    for (size_t i = 0; i < results->count; i++) {
        uint64_t id = column[place_of (threads->matches, results->docids[i])];
        if (id == 0 || g_hash_table_contains (threads->seen, &id))
            continue;
        threads->firsts[threads->count] = results->docids[i];
        threads->ids[threads->count] = id;
        g_hash_table_add (threads->seen, &threads->ids[threads->count++]);
    }
}

enum mail_status
mail_threads_open (void *ctx, struct mail_results *results, size_t first, size_t limit,
                   struct mail_threads **threads_out)
{
    struct mail_threads *threads = talloc_zero (ctx, struct mail_threads);
    uint64_t *column;
    uint32_t *ids = talloc_array (threads, uint32_t, results->count + 1);
    if (results->count > 0)
        memcpy (ids, results->docids, results->count * sizeof *ids);
    threads->results = results;
    threads->seen = g_hash_table_new (g_int64_hash, g_int64_equal);
    talloc_set_destructor (threads, threads_destroy);
    threads->matches = (struct idset){ids, idset_normalise (ids, results->count)};
    enum mail_status status =
        read_thread_column (threads, results->index, threads->matches, &column);
    if (status != MAIL_OK) {
        talloc_free (threads);
        return status;
    }
    order_threads (threads, column);
    talloc_free (column);
    threads->next = first < threads->count ? first : threads->count;
    threads->end = threads->count - threads->next > limit ? threads->next + limit : threads->count;
    threads->window = WINDOW_MIN;
    *threads_out = threads;
    return MAIL_OK;
}

size_t
mail_threads_count (const struct mail_threads *threads)
{
    return threads->count;
}

bool
mail_threads_next_id (struct mail_threads *threads, uint64_t *thread_out)
{
    if (threads->next >= threads->end)
        return false;
    *thread_out = threads->ids[threads->next++];
    return true;
}

/* ---- reading a window ---- */

static enum mail_status
append_members (void *ctx, struct mail_index *index, uint64_t thread, GArray *docids)
{
    struct idset ids;
    struct store_term term = term_thread (ctx, thread);
    enum mail_status status = store_postings (ctx, index->state, term, &ids);
    if (status != MAIL_OK)
        return index_fail_store (index, index->state, status);
    g_array_append_vals (docids, ids.ids, ids.count);
    talloc_free (ids.ids);
    talloc_free ((char *) term.text);
    return MAIL_OK;
}

/* A thread that is in no document has become part of another since the matches were found: that one
 * takes its place, unless it has a place of its own. */
static enum mail_status
follow_merge (struct mail_threads *threads, size_t at)
{
    struct mail_index *index = threads->results->index;
    uint64_t now = 0;
    enum mail_status status =
        store_values (index->state, SLOT_THREAD, &threads->firsts[at], 1, &now);
    if (status != MAIL_OK)
        return index_fail_store (index, index->state, status);
    if (now && !g_hash_table_contains (threads->seen, &now)) {
        g_hash_table_remove (threads->seen, &threads->ids[at]);
        threads->ids[at] = now;
        g_hash_table_add (threads->seen, &threads->ids[at]);
    }
    return MAIL_OK;
}

static enum mail_status
members_once (void *ctx, struct mail_threads *threads, size_t count, GArray *docids, size_t *ends)
{
    struct mail_index *index = threads->results->index;
    enum mail_status status = MAIL_OK;
    for (size_t i = 0; status == MAIL_OK && i < count; i++) {
        size_t at = threads->next + i, before = docids->len;
        uint64_t id = threads->ids[at];
        status = append_members (ctx, index, id, docids);
        if (status == MAIL_OK && docids->len == before)
            status = follow_merge (threads, at);
        if (status == MAIL_OK && threads->ids[at] != id)
            status = append_members (ctx, index, threads->ids[at], docids);
        ends[i] = docids->len;
    }
    return status;
}

/* The documents of the next threads, one after the other; ends[i] is where thread i ends. */
static enum mail_status
members (void *ctx, struct mail_threads *threads, size_t count, GArray *docids, size_t *ends)
{
    struct mail_index *index = threads->results->index;
    unsigned attempt = 0;
    enum mail_status status;
    do {
        g_array_set_size (docids, 0);
        status = members_once (ctx, threads, count, docids, ends);
    } while (index_retry (index, &status, &attempt));
    return status;
}

static enum mail_status
fill_window (struct mail_threads *threads)
{
    struct mail_index *index = threads->results->index;
    size_t count = MIN (threads->window, threads->end - threads->next);
    TALLOC_FREE (threads->window_ctx);
    void *ctx = threads->window_ctx = talloc_new (threads);
    GArray *docids = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    size_t *ends = talloc_array (ctx, size_t, count + 1);
    const uint64_t *ids = &threads->ids[threads->next];
    enum mail_status status = members (ctx, threads, count, docids, ends);
    struct mail_message **messages =
        talloc_zero_array (ctx, struct mail_message *, docids->len + 1);
    if (status == MAIL_OK)
        status = messages_read (ctx, index, (uint32_t *) docids->data, docids->len,
                                STORE_DATA | STORE_TERMS, messages);
    threads->read = talloc_zero_array (ctx, struct mail_thread *, count + 1);
    for (size_t i = 0; status == MAIL_OK && i < count; i++) {
        size_t start = i ? ends[i - 1] : 0;
        threads->read[i] = thread_create (ctx, ids[i], messages + start, ends[i] - start,
                                          threads->matches, threads->results->sort);
    }
    threads->window_first = threads->next;
    threads->window_count = status == MAIL_OK ? count : 0;
    if (threads->window < WINDOW_MAX)
        threads->window *= 2;
    g_array_unref (docids);
    return status;
}

enum mail_status
mail_threads_next (struct mail_threads *threads, struct mail_thread **thread_out)
{
    *thread_out = NULL;
    while (threads->next < threads->end) {
        if (threads->next >= threads->window_first + threads->window_count) {
            enum mail_status status = fill_window (threads);
            if (status != MAIL_OK)
                return status;
        }
        *thread_out = threads->read[threads->next++ - threads->window_first];
        if (*thread_out)
            return MAIL_OK;
    }
    return MAIL_OK;
}
