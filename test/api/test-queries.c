/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-queries.c - queries, their results, messages and threads of them. */
#include "helper.h"

static void
test_count (void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *query;
        uint64_t messages, threads, files;
    } rows[] = {
        {"*", 5, 3, 6},
        {"", 5, 3, 6},
        {"apples", 3, 1, 3},
        {"red", 2, 2, 3},
        {"subject:cherries", 1, 1, 2},
        {"id:c@example.org", 1, 1, 2},
        {"from:dan", 1, 1, 1},
        {"to:cy", 1, 1, 2},
        {"tag:flagged", 1, 1, 1},
        {"not tag:flagged", 4, 3, 5},
        {"attachment:list", 1, 1, 1},
        {"café", 1, 1, 1},
        {"folder:in", 5, 3, 6},
        {"path:in/cur and red", 2, 2, 3},
        {"nowhere", 0, 0, 0},
        {"date:2024-03-05..2024-03-05", 5, 3, 6},
        {"apples and not red or rotten", 2, 1, 2},
        {"\"red cherries\"", 1, 1, 2},
        {"thread:{rotten}", 3, 1, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mail_query *query = NULL;
        struct mail_query_error error = {0};
        struct mail_count count = {0};
        assert_int_equal (mail_query_parse (f->ctx, f->index, rows[i].query, &query, &error),
                          MAIL_OK);
        assert_int_equal (mail_query_count (query, true, true, &count), MAIL_OK);
        if (count.messages != rows[i].messages || count.threads != rows[i].threads ||
            count.files != rows[i].files)
            fail_msg ("%s: %d messages, %d threads, %d files", rows[i].query, (int) count.messages,
                      (int) count.threads, (int) count.files);
    }
}

/* A word that stands in a message as a part of another only is of no phrase, wherever the rest of
 * the phrase stands. */
static void
test_phrases_of_parts (void **state)
{
    struct fixture *f = *state;
    const char *const files[][2] = {{"in/cur", "p0"}, {"in/cur", "p1"}, {"in/cur", "p2"}, {NULL}};
    helper_mail (f, "p0", "p0", "x", 10, NULL, "the container_of kernel_of");
    helper_mail (f, "p1", "p1", "x", 11, NULL, "see the container_of");
    helper_mail (f, "p2", "p2", "x", 12, NULL, "look at the container_of");
    helper_index (f, files);
    assert_int_equal (helper_count (f, "of and id:p0@example.org"), 1);
    static const char *const none[] = {"\"of the\"",          "\"the of\"",  "\"container of\"",
                                       "of ADJ the",          "the NEAR of", "container NEAR/9 of",
                                       "\"container kernel\""};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (helper_count (f, none[i]) != 0)
            fail_msg ("%s is found", none[i]);
}

static void
test_faulty_queries (void **state)
{
    struct fixture *f = *state;
    static const char *const queries[] = {"red and", "date:nonsense", "subject:/[/"};
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        struct mail_query *query = NULL;
        struct mail_query_error error = {0};
        assert_int_equal (mail_query_parse (f->ctx, f->index, queries[i], &query, &error),
                          MAIL_ERROR_QUERY);
        assert_null (query);
        assert_non_null (error.message);
        assert_true (error.length >= 1);
        assert_true (error.offset <= strlen (queries[i]));
    }
}

static void
test_explain (void **state)
{
    struct fixture *f = *state;
    struct mail_query *query = NULL;
    struct mail_query_error error = {0};
    struct mail_count count;
    assert_int_equal (mail_query_parse (f->ctx, f->index, "red and tag:flagged", &query, &error),
                      MAIL_OK);
    assert_int_equal (mail_query_count (query, false, false, &count), MAIL_OK);
    char *text = mail_query_explain (f->ctx, query);
    assert_non_null (strstr (text, "query:"));
    assert_non_null (strstr (text, "tree:"));
    assert_non_null (strstr (text, "plan:"));
    assert_non_null (strstr (text, "flagged"));
}

/* Ids of the messages that the iterator gives, first letters only. */
static char *
letters (struct fixture *f, const char *text, enum mail_sort sort, size_t first, size_t limit)
{
    struct mail_messages *messages = NULL;
    struct mail_message *message = NULL;
    char *out = talloc_strdup (f->ctx, "");
    struct mail_results *results = helper_run (f, text, sort);
    assert_int_equal (mail_messages_open (f->ctx, results, first, limit, &messages), MAIL_OK);
    for (;;) {
        assert_int_equal (mail_messages_next (messages, &message), MAIL_OK);
        if (!message)
            return out;
        out = talloc_asprintf_append (out, "%c", *mail_message_id (message));
    }
}

static void
test_messages (void **state)
{
    struct fixture *f = *state;
    assert_string_equal (letters (f, "*", MAIL_SORT_OLDEST_FIRST, 0, SIZE_MAX), "abcde");
    assert_string_equal (letters (f, "*", MAIL_SORT_NEWEST_FIRST, 0, SIZE_MAX), "edcba");
    assert_string_equal (letters (f, "*", MAIL_SORT_NEWEST_FIRST, 1, 2), "dc");
    assert_string_equal (letters (f, "*", MAIL_SORT_NEWEST_FIRST, 9, 2), "");
    assert_string_equal (letters (f, "red", MAIL_SORT_OLDEST_FIRST, 0, 9), "bc");
    assert_int_equal (strlen (letters (f, "*", MAIL_SORT_UNSORTED, 0, 9)), 5);
}

static void
test_results (void **state)
{
    struct fixture *f = *state;
    struct mail_results *results = helper_run (f, "apples", MAIL_SORT_NEWEST_FIRST);
    assert_int_equal (mail_results_count (results), 3);
    const uint32_t *ids = mail_results_docids (results);
    assert_int_equal (ids[0], mail_message_docid (helper_find (f, "d@example.org")));
    assert_int_equal (ids[2], mail_message_docid (helper_find (f, "a@example.org")));
    char **tags = NULL;
    assert_int_equal (mail_results_tags (f->ctx, results, &tags), MAIL_OK);
    assert_string_equal (tags[0], "flagged");
    assert_string_equal (tags[1], "inbox");
    assert_null (tags[2]);
    assert_int_equal (mail_index_tags (f->ctx, f->index, &tags), MAIL_OK);
    assert_string_equal (tags[0], "attachment");
    assert_string_equal (tags[1], "flagged");
    assert_string_equal (tags[2], "inbox");
    assert_null (tags[3]);
}

static void
test_thread (void **state)
{
    struct fixture *f = *state;
    struct mail_threads *threads = NULL;
    struct mail_thread *thread = NULL;
    size_t count = 0;
    struct mail_results *results = helper_run (f, "red or from:dan", MAIL_SORT_NEWEST_FIRST);
    assert_int_equal (mail_threads_open (f->ctx, results, 0, SIZE_MAX, &threads), MAIL_OK);
    assert_int_equal (mail_threads_count (threads), 2);
    assert_int_equal (mail_threads_next (threads, &thread), MAIL_OK);
    assert_non_null (thread);
    assert_true (mail_thread_id (thread) == mail_message_thread (helper_find (f, "a@example.org")));
    struct mail_message *const *messages = mail_thread_messages (thread, &count);
    assert_int_equal (count, 3);
    assert_string_equal (mail_message_id (messages[0]), "a@example.org");
    assert_string_equal (mail_message_id (messages[2]), "d@example.org");
    assert_false (mail_thread_message_matched (thread, 0));
    assert_true (mail_thread_message_matched (thread, 1));
    assert_true (mail_thread_message_matched (thread, 2));
    assert_int_equal (mail_thread_matched (thread), 2);
    assert_int_equal (mail_thread_files (thread), 3);
    assert_int_equal (mail_thread_newest (thread) - mail_thread_oldest (thread), 2);
    assert_string_equal (mail_thread_authors (thread), "Ann, Dan");
    assert_string_equal (mail_thread_subject (thread), "Apples");
    const char *const *tags = mail_thread_tags (thread, &count);
    assert_int_equal (count, 2);
    assert_string_equal (tags[0], "flagged");
    assert_int_equal (mail_threads_next (threads, &thread), MAIL_OK);
    assert_string_equal (mail_thread_subject (thread), "Cherries");
    assert_int_equal (mail_thread_files (thread), 2);
    assert_int_equal (mail_threads_next (threads, &thread), MAIL_OK);
    assert_null (thread);
}

static void
test_thread_authors (void **state)
{
    struct fixture *f = *state;
    struct mail_threads *threads = NULL;
    struct mail_thread *thread = NULL;
    struct mail_results *results = helper_run (f, "rotten", MAIL_SORT_OLDEST_FIRST);
    assert_int_equal (mail_threads_open (f->ctx, results, 0, 1, &threads), MAIL_OK);
    assert_int_equal (mail_threads_next (threads, &thread), MAIL_OK);
    assert_string_equal (mail_thread_authors (thread), "Dan| Ann");
    assert_string_equal (mail_thread_authors_with (f->ctx, thread, " & ", " / "), "Dan / Ann");
}

static void
test_thread_ids (void **state)
{
    struct fixture *f = *state;
    struct mail_threads *threads = NULL;
    uint64_t id = 0;
    struct mail_results *results = helper_run (f, "*", MAIL_SORT_OLDEST_FIRST);
    assert_int_equal (mail_threads_open (f->ctx, results, 1, 1, &threads), MAIL_OK);
    assert_int_equal (mail_threads_count (threads), 3);
    assert_true (mail_threads_next_id (threads, &id));
    assert_true (id == mail_message_thread (helper_find (f, "c@example.org")));
    assert_false (mail_threads_next_id (threads, &id));
}

static const char *
find_saved (void *closure, enum mail_query_syntax syntax, const char *name)
{
    (void) closure;
    if (syntax == MAIL_SYNTAX_INFIX && strcmp (name, "fruit") == 0)
        return "apples or cherries";
    if (syntax == MAIL_SYNTAX_INFIX && strcmp (name, "junk") == 0)
        return "tag:spam";
    if (syntax == MAIL_SYNTAX_SEXP && strcmp (name, "about") == 0)
        return "(macro (x) (subject ,x))";
    return NULL;
}

static uint64_t
count_as (struct fixture *f, enum mail_query_syntax syntax, const char *text)
{
    static const struct mail_query_names names = {.find = find_saved};
    struct mail_query *query = NULL;
    struct mail_query_error error = {0};
    struct mail_count count = {0};
    if (mail_query_parse_as (f->ctx, f->index, syntax, &names, text, &query, &error) != MAIL_OK)
        fail_msg ("%s: %s", text, error.message);
    assert_int_equal (mail_query_count (query, false, false, &count), MAIL_OK);
    return count.messages;
}

static void
test_languages (void **state)
{
    struct fixture *f = *state;
    assert_int_equal (count_as (f, MAIL_SYNTAX_INFIX, "query:fruit"), 4);
    assert_int_equal (count_as (f, MAIL_SYNTAX_SEXP, "(or (subject cherries) (tag flagged))"), 2);
    assert_int_equal (count_as (f, MAIL_SYNTAX_SEXP, "(about apples)"), 3);
    struct mail_query *query = NULL;
    struct mail_query_error error = {0};
    assert_int_equal (mail_query_parse_as (f->ctx, f->index, MAIL_SYNTAX_SEXP, NULL, "(nosuch x)",
                                           &query, &error),
                      MAIL_ERROR_QUERY);
    assert_non_null (error.message);
}

/* A word that one message has in To and another in Cc is shared in to. */
static void
test_shared_fields (void **state)
{
    struct fixture *f = *state;
    static const char *const files[][2] = {
        {"Fields", "1"}, {"Fields", "2"}, {"Fields", "3"}, {NULL}};

    helper_write (f, "Fields/1", "From: a@x\nTo: common@one.example\nMessage-ID: <to@x>\n\nx\n");
    helper_write (f, "Fields/2", "From: a@y\nCc: common@two.test\nMessage-ID: <cc@x>\n\nx\n");
    helper_write (f, "Fields/3", "From: a@z\nTo: other@six.test\nMessage-ID: <none@x>\n\nx\n");
    helper_index (f, files);
    assert_int_equal (count_as (f, MAIL_SYNTAX_SEXP, "(and (to (of (id \"to@x\"))) (id \"cc@x\"))"),
                      1);
    assert_int_equal (
        count_as (f, MAIL_SYNTAX_SEXP, "(and (to (of (id \"to@x\"))) (id \"none@x\"))"), 0);
    assert_int_equal (count_as (f, MAIL_SYNTAX_SEXP, "(and (cc (of (id \"to@x\"))) (id \"cc@x\"))"),
                      0);
}

/* What counts is what the query asks for, wherever it is written. */
static void
test_names_tag (void **state)
{
    static const struct {
        const char *query;
        bool named;
    } cases[] = {
        {"tag:spam", true},
        {"is:spam", true},
        {"not tag:spam", true},
        {"-tag:spam", true},
        {"(a or (tag:spam))", true},
        {"tag:\"spam\"", true},
        {"tag:/^sp/", true},
        {"tag:/x/ tag:/am$/", true},
        {"query:junk", true},
        {"sexp:\"(tag spam)\"", true},
        {"tag:/x/", false},
        {"tag:spammer", false},
        {"tag:sp*", false},
        {"spam", false},
        {"Spam", true},
        {"a or \"spam\"", true},
        {"-Spam", true},
        {"Spam*", false},
        {"body:Spam", false},
        {"\"spam filter\"", false},
        {"sexp:\"(or a \"\"spam\"\")\"", true},
        {"\"tag:spam\"", false},
        {"subject:\"tag:spam\"", false},
        {"subject:tag:spam", false},
        {"sexp:\"(tag (starts-with spam))\"", false},
        {"thread:{tag:spam}", false},
        {"thread:\"{tag:spam}\"", false},
        {"thread:{x} tag:spam", true},
        {"tag:\"open", false},
        {"", false},
    };
    struct mail_query_names names = {.find = find_saved};
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mail_query *query = NULL;
        assert_int_equal (mail_query_parse_as (f->ctx, f->index, MAIL_SYNTAX_INFIX, &names,
                                               cases[i].query, &query, NULL),
                          MAIL_OK);
        if (mail_query_names_tag (query, "spam") != cases[i].named)
            fail_msg ("%s", cases[i].query);
        talloc_free (query);
    }
}

/* A quote that is never closed, and a near that joins no words, are no errors, but said. */
static void
test_warning (void **state)
{
    static const struct {
        const char *query;
        int offset; /* of the quote or operator; -1: no warning */
    } cases[] = {
        {"one \"two three", 4},
        {"\"one\" tag:\"a b", 10},
        {"\"one\"", -1},
        {"thread:\"{a \"\"b}\"", 11},
        {"from:a\"b", -1},
        {"\"one\" two \"", 10},
        {"sexp:\"(and \"\"a\"\" b)\"", -1},
        {"tag:a\"b", -1},
        {"one near two", -1},
        {"near two", -1},
        {"one near", -1},
        {"(one near) two", -1},
        {"\"one two\" near three", 10},
        {"one near \"two three\"", 4},
        {"one near two adj three", 13},
        {"(one near/3 (two))", 5},
        {"from:one near two", 9},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mail_query *query = NULL;
        const struct mail_query_error *warning;
        assert_int_equal (mail_query_parse (f->ctx, f->index, cases[i].query, &query, NULL),
                          MAIL_OK);
        warning = mail_query_warning (query);
        if ((warning ? (int) warning->offset : -1) != cases[i].offset)
            fail_msg ("%s: %d", cases[i].query, warning ? (int) warning->offset : -1);
        talloc_free (query);
    }
}

static void
test_exclude (void **state)
{
    struct fixture *f = *state;
    static const char *const tags[] = {"flagged", NULL};
    struct mail_query *query = NULL;
    struct mail_count count = {0};
    assert_int_equal (mail_query_parse (f->ctx, f->index, "apples", &query, NULL), MAIL_OK);
    assert_false (mail_query_names_tag (query, "flagged"));
    mail_query_exclude (query, tags);
    assert_int_equal (mail_query_count (query, false, false, &count), MAIL_OK);
    assert_int_equal (count.messages, 2);
    assert_int_equal (mail_query_parse (f->ctx, f->index, "not tag:flagged", &query, NULL),
                      MAIL_OK);
    assert_true (mail_query_names_tag (query, "flagged"));
    assert_false (mail_query_names_tag (query, "inbox"));
}

int
main (void)
{
#define WITH_MAIL(test) cmocka_unit_test_setup_teardown (test, helper_setup, helper_teardown)
    const struct CMUnitTest tests[] = {
        WITH_MAIL (test_count),          WITH_MAIL (test_names_tag),
        WITH_MAIL (test_shared_fields),  WITH_MAIL (test_warning),
        WITH_MAIL (test_faulty_queries), WITH_MAIL (test_phrases_of_parts),
        WITH_MAIL (test_explain),        WITH_MAIL (test_messages),
        WITH_MAIL (test_results),        WITH_MAIL (test_thread),
        WITH_MAIL (test_thread_authors), WITH_MAIL (test_thread_ids),
        WITH_MAIL (test_languages),      WITH_MAIL (test_exclude),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
