/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-thread.c - authors, subject, dates and tags of a thread. */
#include "thread.h"
#include "helper-index.h"
#include "mime/mime.h"

#include <stdio.h>

struct row {
    int64_t date;
    const char *from, *subject, *tags; /* tags: with blanks between */
    bool matches;
};

static struct mail_message *
make_message (void *ctx, const struct row *row, uint32_t docid)
{
    struct mail_message *message = talloc_zero (ctx, struct mail_message);
    gchar **tags = g_strsplit (row->tags ? row->tags : "", " ", -1);
    message->docid = docid;
    message->id = talloc_asprintf (message, "m%u", docid);
    message->record.date = row->date;
    message->record.file_count = docid; /* 1, 2, 3 ... */
    for (unsigned i = 0; i < MAIL_FIELD_COUNT; i++)
        message->record.fields[i] = "";
    message->record.fields[MAIL_FROM] = row->from ? row->from : "";
    message->record.fields[MAIL_SUBJECT] = row->subject ? row->subject : "";
    message->tags = talloc_zero_array (message, const char *, g_strv_length (tags) + 1);
    for (size_t i = 0; tags[i]; i++) {
        if (*tags[i])
            message->tags[message->tag_count++] = talloc_strdup (message, tags[i]);
    }
    g_strfreev (tags);
    return message;
}

enum { ROWS = 6 };

/* Rows to the first without a date; document ids 1, 2, ... */
static struct mail_thread *
make_thread (void *ctx, const struct row *rows, enum mail_sort sort)
{
    struct mail_message **messages = talloc_zero_array (ctx, struct mail_message *, ROWS);
    struct idset matches = {talloc_array (ctx, uint32_t, ROWS), 0};
    size_t count = 0;
    for (; count < ROWS && rows[count].date; count++) {
        messages[count] = make_message (ctx, &rows[count], (uint32_t) count + 1);
        if (rows[count].matches)
            matches.ids[matches.count++] = (uint32_t) count + 1;
    }
    return thread_create (ctx, 42, messages, count, matches, sort);
}

/* ---- authors and subjects ---- */

static const struct {
    const char *name;
    struct row rows[ROWS];
    const char *authors, *newest, *oldest; /* the subject in either order */
} threads[] = {
    {"one", {{1, "Ann <a@x>", "Hello", NULL, true}}, "Ann", "Hello", "Hello"},
    {"an address without a name", {{1, "a@x", "Hello", NULL, true}}, "a@x", "Hello", "Hello"},
    {"nobody", {{1, "", "Hello", NULL, true}}, "", "Hello", "Hello"},
    {"in order of dates, each once",
     {{3, "Cy <c@x>", "Re: s", NULL, true},
      {1, "Ann <a@x>", "s", NULL, true},
      {2, "Bob <b@x>", "Re: s", NULL, true},
      {4, "Ann <other@x>", "Re: s", NULL, true}},
     "Ann, Bob, Cy",
     "s",
     "s"},
    {"who does not match comes last",
     {{1, "Ann <a@x>", "one", NULL, false},
      {2, "Bob <b@x>", "two", NULL, true},
      {3, "Cy <c@x>", "three", NULL, false},
      {4, "Dan <d@x>", "four", NULL, true}},
     "Bob, Dan| Ann, Cy",
     "four",
     "two"},
    {"who matches elsewhere is not named again",
     {{1, "Ann <a@x>", "one", NULL, false}, {2, "Ann <a@x>", "two", NULL, true}},
     "Ann",
     "two",
     "two"},
    {"the last name first, and the address says so",
     {{1, "\"Doe, Jane\" <jane.doe@x>", "s", NULL, true}},
     "Jane Doe",
     "s",
     "s"},
    {"the last name first, and the address does not say so",
     {{1, "\"Doe, Jane\" <other@x>", "s", NULL, true}},
     "Doe, Jane",
     "s",
     "s"},
    {"an encoded name",
     {{1, "=?utf-8?q?J=C3=BCrgen?= <j@x>", "=?utf-8?q?gr=C3=BCn?=", NULL, true}},
     "J\xc3\xbcrgen",
     "gr\xc3\xbcn",
     "gr\xc3\xbcn"},
    {"several in one header", {{1, "Ann <a@x>, Bob <b@x>", "s", NULL, true}}, "Ann", "s", "s"},
    {"one prefix of a reply goes",
     {{1, "a@x", "RE: Re: hello", NULL, true}, {2, "a@x", "aw: hello", NULL, true}},
     "a@x",
     "hello",
     "Re: hello"},
    {"other prefixes stay",
     {{1, "a@x", "Fwd: hello", NULL, true}, {2, "a@x", "Re:hello", NULL, true}},
     "a@x",
     "Re:hello",
     "Fwd: hello"},
    {"an empty subject is passed over where there is another",
     {{1, "a@x", "", NULL, true}, {2, "a@x", "two", NULL, true}, {3, "a@x", "", NULL, true}},
     "a@x",
     "two",
     "two"},
    {"but not for one that does not match",
     {{1, "a@x", "one", NULL, false}, {2, "a@x", "", NULL, true}},
     "a@x",
     "",
     ""},
    {"equal dates: by document id",
     {{1, "Ann <a@x>", "one", NULL, true}, {1, "Bob <b@x>", "two", NULL, true}},
     "Ann, Bob",
     "two",
     "one"},
};

static void
test_summaries (void **state)
{
    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (threads); i++) {
        for (unsigned oldest = 0; oldest < 2; oldest++) {
            void *ctx = talloc_new (NULL);
            struct mail_thread *thread = make_thread (
                ctx, threads[i].rows, oldest ? MAIL_SORT_OLDEST_FIRST : MAIL_SORT_NEWEST_FIRST);
            const char *subject = oldest ? threads[i].oldest : threads[i].newest;
            assert_non_null (thread);
            if (strcmp (mail_thread_authors (thread), threads[i].authors) != 0)
                fail_msg ("%s: authors '%s'", threads[i].name, mail_thread_authors (thread));
            if (strcmp (mail_thread_subject (thread), subject) != 0)
                fail_msg ("%s: subject '%s'", threads[i].name, mail_thread_subject (thread));
            assert_ptr_equal (mail_thread_authors (thread), mail_thread_authors (thread));
            talloc_free (ctx);
        }
    }
}

/* ---- numbers ---- */

static void
test_numbers (void **state)
{
    static const struct row rows[ROWS] = {{30, "a", "s", "z a", true},
                                          {10, "a", "s", "b", false},
                                          {20, "a", "s", "a", true},
                                          {40, "a", "s", "", false}};
    void *ctx = talloc_new (NULL);
    size_t count;
    (void) state;
    struct mail_thread *thread = make_thread (ctx, rows, MAIL_SORT_NEWEST_FIRST);
    assert_true (mail_thread_id (thread) == 42);
    assert_int_equal (mail_thread_matched (thread), 2);
    assert_int_equal (mail_thread_files (thread), 1 + 2 + 3 + 4);
    assert_true (mail_thread_oldest (thread) == 20);
    assert_true (mail_thread_newest (thread) == 30);
    struct mail_message *const *messages = mail_thread_messages (thread, &count);
    assert_int_equal (count, 4);
    static const uint32_t order[] = {2, 3, 1, 4};
    static const bool matched[] = {false, true, true, false};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal (messages[i]->docid, order[i]);
        assert_int_equal (mail_thread_message_matched (thread, i), matched[i]);
    }
    assert_false (mail_thread_message_matched (thread, 4));
    const char *const *tags = mail_thread_tags (thread, &count);
    assert_int_equal (count, 3);
    assert_string_equal (tags[0], "a");
    assert_string_equal (tags[1], "b");
    assert_string_equal (tags[2], "z");
    assert_null (tags[3]);
    assert_ptr_equal (mail_thread_tags (thread, NULL), tags);
    talloc_free (ctx);
}

/* Places of messages that have gone, and a thread of which nothing matches any more. */
static void
test_gone (void **state)
{
    static const struct row row = {1, "Ann <a@x>", "s", NULL, true};
    void *ctx = talloc_new (NULL);
    uint32_t id = 2;
    size_t count;
    (void) state;
    struct mail_message *messages[] = {NULL, make_message (ctx, &row, 2), NULL};
    struct idset matches = {&id, 1}, none = {NULL, 0};
    struct mail_thread *thread =
        thread_create (ctx, 1, messages, 3, matches, MAIL_SORT_NEWEST_FIRST);
    mail_thread_messages (thread, &count);
    assert_int_equal (count, 1);
    assert_string_equal (mail_thread_authors (thread), "Ann");
    assert_null (thread_create (ctx, 1, messages, 3, none, MAIL_SORT_NEWEST_FIRST));
    assert_null (thread_create (ctx, 1, messages, 1, matches, MAIL_SORT_NEWEST_FIRST));
    assert_null (thread_create (ctx, 1, NULL, 0, matches, MAIL_SORT_NEWEST_FIRST));
    talloc_free (ctx);
}

/* ---- of results ---- */

/* In order of the first match, with all their messages. */
static void
test_of_results (void **state)
{
    struct fixture *f = *state;
    struct mail_query *query;
    struct mail_results *results;
    struct mail_threads *list;
    struct mail_thread *thread;
    uint64_t id;
    size_t count;
    fixture_add (f, "a", "");
    fixture_add (f, "b", "");
    fixture_add (f, "a2", "a");
    fixture_add (f, "b2", "b");
    assert_int_equal (mail_query_parse (f->ctx, f->index, "id:b or id:a2 or id:b2", &query, NULL),
                      MAIL_OK);
    assert_int_equal (mail_query_run (f->ctx, query, MAIL_SORT_OLDEST_FIRST, &results), MAIL_OK);
    assert_int_equal (mail_threads_open (f->ctx, results, 0, SIZE_MAX, &list), MAIL_OK);
    assert_int_equal (mail_threads_count (list), 2);
    static const size_t matched[] = {2, 1};
    static const char *const first[] = {"b", "a"};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal (mail_threads_next (list, &thread), MAIL_OK);
        assert_int_equal (mail_thread_matched (thread), matched[i]);
        assert_string_equal (mail_message_id (mail_thread_messages (thread, &count)[0]), first[i]);
        assert_int_equal (count, 2);
    }
    assert_int_equal (mail_threads_next (list, &thread), MAIL_OK);
    assert_null (thread);
    /* the ids alone, and then one with all of it */
    assert_int_equal (mail_threads_open (f->ctx, results, 0, 2, &list), MAIL_OK);
    assert_true (mail_threads_next_id (list, &id));
    assert_true (id == mail_message_thread (fixture_message (f, "b")));
    assert_int_equal (mail_threads_next (list, &thread), MAIL_OK);
    assert_true (mail_thread_id (thread) == mail_message_thread (fixture_message (f, "a")));
    assert_false (mail_threads_next_id (list, &id));
}

/* Threads become one between the query and the listing: nothing that matches is left out, and
 * nothing comes twice. */
static void
test_merged_meanwhile (void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *query;
        size_t threads, matched;
    } rows[] = {{"id:x", 1, 1}, {"id:x or id:y", 1, 2}, {"id:x or id:big", 1, 2}};
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        struct mail_query *query;
        struct mail_results *results;
        struct mail_threads *list;
        struct mail_thread *thread;
        size_t count = 0, matched = 0;
        f->options.tombstone_days = 0;
        fixture_add (f, "big", "");
        fixture_add (f, "big2", "big");
        fixture_add (f, "big3", "big");
        fixture_add (f, "x", "");
        fixture_add (f, "y", "");
        assert_int_equal (mail_query_parse (f->ctx, f->index, rows[i].query, &query, NULL),
                          MAIL_OK);
        assert_int_equal (mail_query_run (f->ctx, query, MAIL_SORT_OLDEST_FIRST, &results),
                          MAIL_OK);
        assert_int_equal (mail_threads_open (f->ctx, results, 0, SIZE_MAX, &list), MAIL_OK);
        fixture_add (f, "join", "big x y");
        for (;; count++) {
            assert_int_equal (mail_threads_next (list, &thread), MAIL_OK);
            if (!thread)
                break;
            matched += mail_thread_matched (thread);
            assert_true (mail_thread_id (thread) ==
                         mail_message_thread (fixture_message (f, "big")));
        }
        assert_int_equal (count, rows[i].threads);
        assert_int_equal (matched, rows[i].matched);
        static const char *const ids[] = {"join", "big", "big2", "big3", "x", "y"};
        for (size_t k = 0; k < G_N_ELEMENTS (ids); k++)
            fixture_drop (f, ids[k]);
    }
}

int
main (void)
{
    mime_init ();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_summaries),
        cmocka_unit_test (test_numbers),
        cmocka_unit_test (test_gone),
        cmocka_unit_test_setup_teardown (test_of_results, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown (test_merged_meanwhile, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
