/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-messages.c - messages and threads of results, a window at a time. */
#include "messages.h"
#include "edit.h"
#include "helper-index.h"
#include "query/query.h"
#include "schema.h"

#include <stdio.h>

/* ---- helpers ---- */

/* Messages "m0" to "m(count-1)" with ascending dates, ten a thread. */
static void
add (struct fixture *f, unsigned count)
{
    struct publish *publish = fixture_begin (f);
    for (unsigned i = 0; i < count; i++) {
        void *local = talloc_new (f->ctx);
        char *id = talloc_asprintf (local, "m%u", i);
        struct parsed_file file =
            fixture_parsed (local, id, talloc_asprintf (local, "root%u", i / 10), "w");
        file.record.date = i;
        fixture_publish (f, publish, id, &file);
        talloc_free (local);
    }
    fixture_commit (f, publish);
}

static struct mail_results *
run (struct fixture *f, const char *text, enum mail_sort sort)
{
    struct mail_query *query;
    struct mail_results *results;
    assert_int_equal (mail_query_parse (f->ctx, f->index, text, &query, NULL), MAIL_OK);
    assert_int_equal (mail_query_run (f->ctx, query, sort, &results), MAIL_OK);
    return results;
}

static const char *
next_id (struct mail_messages *messages)
{
    struct mail_message *message;
    assert_int_equal (mail_messages_next (messages, &message), MAIL_OK);
    return message ? mail_message_id (message) : NULL;
}

/* ---- messages ---- */

static void
test_order (void **state)
{
    struct fixture *f = *state;
    enum { COUNT = 300 };
    struct mail_messages *messages;
    char id[16];
    add (f, COUNT);
    static const enum mail_sort sorts[] = {MAIL_SORT_NEWEST_FIRST, MAIL_SORT_OLDEST_FIRST};
    for (size_t s = 0; s < 2; s++) {
        struct mail_results *results = run (f, "*", sorts[s]);
        assert_int_equal (mail_messages_open (f->ctx, results, 0, SIZE_MAX, &messages), MAIL_OK);
        for (unsigned i = 0; i < COUNT; i++) {
            snprintf (id, sizeof id, "m%u", s ? i : COUNT - 1 - i);
            assert_string_equal (next_id (messages), id);
        }
        assert_null (next_id (messages));
        assert_null (next_id (messages));
    }
}

static void
test_parts_of_results (void **state)
{
    struct fixture *f = *state;
    static const struct {
        size_t first, limit, count;
    } rows[] = {
        {0, 0, 0},       {0, 1, 1},  {0, 10, 10},      {5, 3, 3},        {8, 5, 2},
        {10, 5, 0},      {99, 5, 0}, {9, SIZE_MAX, 1}, {3, SIZE_MAX, 7}, {SIZE_MAX, SIZE_MAX, 0},
        {SIZE_MAX, 1, 0}};
    struct mail_messages *messages;
    struct mail_threads *threads;
    char id[16];
    add (f, 10);
    struct mail_results *results = run (f, "*", MAIL_SORT_OLDEST_FIRST);
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        assert_int_equal (
            mail_messages_open (f->ctx, results, rows[i].first, rows[i].limit, &messages), MAIL_OK);
        for (size_t k = 0; k < rows[i].count; k++) {
            snprintf (id, sizeof id, "m%zu", rows[i].first + k);
            assert_string_equal (next_id (messages), id);
        }
        assert_null (next_id (messages));
    }
    struct mail_thread *thread;
    assert_int_equal (mail_threads_open (f->ctx, results, 1, SIZE_MAX, &threads), MAIL_OK);
    assert_int_equal (mail_threads_count (threads), 1);
    assert_int_equal (mail_threads_next (threads, &thread), MAIL_OK);
    assert_null (thread);
}

static void
drop_some (struct fixture *f)
{
    for (unsigned i = 0; i < 200; i += 3)
        fixture_drop (f, talloc_asprintf (f->ctx, "m%u", i));
}

/* What has gone since is passed over, at the beginning, the end, and in between. */
static void
test_gone (void **state)
{
    struct fixture *f = *state;
    struct mail_messages *messages;
    struct mail_thread *thread;
    struct mail_threads *threads;
    char id[16];
    add (f, 199);
    struct mail_results *results = run (f, "*", MAIL_SORT_OLDEST_FIRST);
    fixture_in_child (f, drop_some);
    assert_int_equal (mail_index_refresh (f->index), MAIL_OK);
    assert_int_equal (mail_messages_open (f->ctx, results, 0, SIZE_MAX, &messages), MAIL_OK);
    for (unsigned i = 0; i < 199; i++) {
        snprintf (id, sizeof id, "m%u", i);
        if (i % 3)
            assert_string_equal (next_id (messages), id);
    }
    assert_null (next_id (messages));
    size_t all = 0, count;
    assert_int_equal (mail_threads_open (f->ctx, results, 0, SIZE_MAX, &threads), MAIL_OK);
    for (;;) {
        assert_int_equal (mail_threads_next (threads, &thread), MAIL_OK);
        if (!thread)
            break;
        mail_thread_messages (thread, &count);
        all += count;
    }
    assert_int_equal (all, 199 - 67);
}

/* Memory is that of a window, however many are read. */
static void
test_memory (void **state)
{
    struct fixture *f = *state;
    enum { COUNT = 9000, LARGEST = 4096 };
    struct mail_messages *messages;
    size_t peak = 0, one = 0, count = 0;
    add (f, COUNT);
    struct mail_results *results = run (f, "*", MAIL_SORT_NEWEST_FIRST);
    assert_int_equal (mail_messages_open (f->ctx, results, 0, SIZE_MAX, &messages), MAIL_OK);
    size_t others = talloc_total_size (f->ctx) - talloc_total_size (messages);
    for (; next_id (messages); count++) {
        if (count % 100 != 0)
            continue;
        size_t now = talloc_total_size (messages);
        if (count == 0)
            one = now / 64; /* the first window */
        peak = now > peak ? now : peak;
    }
    assert_int_equal (count, COUNT);
    print_message ("# %zu bytes a message, at most %zu of %u messages\n", one, peak / one, COUNT);
    assert_in_range (peak, one, one * LARGEST * 11 / 10);
    assert_in_range (talloc_total_size (f->ctx) - talloc_total_size (messages), others / 2,
                     others + 100000);
}

static void
test_threads_memory (void **state)
{
    struct fixture *f = *state;
    struct mail_threads *threads;
    struct mail_thread *thread;
    size_t peak = 0, count = 0;
    add (f, 6000);
    struct mail_results *results = run (f, "*", MAIL_SORT_NEWEST_FIRST);
    assert_int_equal (mail_threads_open (f->ctx, results, 0, SIZE_MAX, &threads), MAIL_OK);
    for (;; count++) {
        assert_int_equal (mail_threads_next (threads, &thread), MAIL_OK);
        if (!thread)
            break;
        size_t now = count % 16 == 0 ? talloc_total_size (threads) : 0;
        peak = now > peak ? now : peak;
        if (count == 31) /* the end of the first window: 32 threads of 10 */
            peak = 0;
    }
    assert_int_equal (count, 600);
    size_t last = talloc_total_size (threads);
    assert_true (last < peak); /* the window before has been freed */
}

/* ---- tags ---- */

static char *
join (struct fixture *f, char **tags)
{
    GPtrArray *list = g_ptr_array_new ();
    for (size_t i = 0; tags[i]; i++) {
        if (i > 0)
            assert_true (strcmp (tags[i - 1], tags[i]) < 0);
        g_ptr_array_add (list, tags[i]);
    }
    return fixture_join (f->ctx, list, " ");
}

static void
test_tags (void **state)
{
    struct fixture *f = *state;
    char **tags;
    add (f, 3);
    assert_int_equal (mail_index_tags (f->ctx, f->index, &tags), MAIL_OK);
    assert_string_equal (join (f, tags), "inbox unread");
    static const struct mail_tag_change changes[] = {
        {"\xff\xfe", true}, {"A", true}, {"\xc3\xa4", true}, {"inbox", false}};
    struct mail_query *query;
    assert_int_equal (mail_query_parse (f->ctx, f->index, "id:m1", &query, NULL), MAIL_OK);
    assert_int_equal (mail_query_tag (query, changes, 4, NULL), MAIL_OK);
    assert_int_equal (mail_index_tags (f->ctx, f->index, &tags), MAIL_OK);
    assert_string_equal (join (f, tags), "A inbox unread \xc3\xa4 \xff\xfe");
    assert_int_equal (
        mail_results_tags (f->ctx, run (f, "id:m1 or id:m1", MAIL_SORT_UNSORTED), &tags), MAIL_OK);
    assert_string_equal (join (f, tags), "A unread \xc3\xa4 \xff\xfe");
    assert_int_equal (mail_results_tags (f->ctx, run (f, "id:m2", MAIL_SORT_UNSORTED), &tags),
                      MAIL_OK);
    assert_string_equal (join (f, tags), "inbox unread");
    assert_int_equal (mail_results_tags (f->ctx, run (f, "id:none", MAIL_SORT_UNSORTED), &tags),
                      MAIL_OK);
    assert_null (tags[0]);
    /* a tag that no message has any more is none */
    static const struct mail_tag_change away[] = {{"A", false}};
    assert_int_equal (mail_query_parse (f->ctx, f->index, "*", &query, NULL), MAIL_OK);
    assert_int_equal (mail_query_tag (query, away, 1, NULL), MAIL_OK);
    assert_int_equal (mail_index_tags (f->ctx, f->index, &tags), MAIL_OK);
    assert_string_equal (join (f, tags), "inbox unread \xc3\xa4 \xff\xfe");
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown (name, fixture_setup, fixture_teardown)
        T (test_order),  T (test_parts_of_results), T (test_gone),
        T (test_memory), T (test_threads_memory),   T (test_tags),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
