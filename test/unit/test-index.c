/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-index.c - handles: opening, and readers whom writers overtake by many commits. */
#include "helper-index.h"
#include "edit.h"
#include "folders.h"
#include "merge.h"
#include "messages.h"
#include "query/query.h"
#include "schema.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what others do meanwhile ---- */

enum { MANY = 600 };

static char *
number_id (struct fixture *f, unsigned i)
{
    return talloc_asprintf (f->ctx, "m%u", i);
}

/* Many messages in one commit, each in a thread with the ten around it. */
static void
add_many (struct fixture *f)
{
    struct publish *publish = fixture_begin (f);
    for (unsigned i = 0; i < MANY; i++) {
        struct parsed_file file = fixture_parsed (f->ctx, number_id (f, i),
                                                  talloc_asprintf (f->ctx, "root%u", i / 10), "w");
        file.record.date += i;
        fixture_publish (f, publish, number_id (f, i), &file);
    }
    fixture_commit (f, publish);
}

/* Every message changes in every commit, so that no block stays as it was. */
static void
retag (struct fixture *f, unsigned commits)
{
    char tag[64];
    for (unsigned i = 0; i < commits; i++) {
        struct idset all;
        struct writer *writer;
        snprintf (tag, sizeof tag, "round-%u-long-enough-to-need-room",
                  (unsigned) mail_index_revision (f->index));
        assert_int_equal (index_all_mail (f->ctx, f->index, &all), MAIL_OK);
        assert_int_equal (writer_begin (f->ctx, f->index, &writer), MAIL_OK);
        for (size_t k = 0; k < all.count; k++) {
            struct edit *edit;
            assert_int_equal (edit_open (writer, writer, all.ids[k], &edit), MAIL_OK);
            edit_add_tag (edit, tag);
            assert_int_equal (edit_save (writer, edit, NULL), MAIL_OK);
            talloc_free (edit);
        }
        assert_int_equal (writer_commit (writer), MAIL_OK);
        talloc_free (all.ids);
    }
}

static void
ten_commits (struct fixture *f)
{
    retag (f, 10);
}

static void
three_commits (struct fixture *f)
{
    retag (f, 3);
}

/* ---- opening ---- */

static enum mail_status
open_at (struct fixture *f, const char *path, const char *root, unsigned flags, char **error_out)
{
    struct mail_index *index = NULL;
    struct mail_open_options options = {
        .path = fixture_path (f, path), .mail_root = root, .flags = flags};
    *error_out = NULL;
    enum mail_status status = mail_index_open (f->ctx, &options, &index, error_out);
    assert_int_equal (status == MAIL_OK, index != NULL);
    assert_int_equal (status == MAIL_OK, *error_out == NULL);
    mail_index_close (index);
    return status;
}

static void
set_metadata (struct fixture *f, const char *key, const char *value)
{
    struct writer *writer;
    assert_int_equal (writer_begin (f->ctx, f->index, &writer), MAIL_OK);
    assert_int_equal (store_set_metadata (writer->state, key, value, strlen (value)), MAIL_OK);
    assert_int_equal (store_commit (writer->state), MAIL_OK);
    talloc_free (writer);
}

static void
test_open (void **state)
{
    struct fixture *f = *state;
    char *error;
    assert_int_equal (open_at (f, "", NULL, 0, &error), MAIL_OK);
    assert_int_equal (open_at (f, "//", NULL, 0, &error), MAIL_OK);
    assert_int_equal (open_at (f, "other", f->root, 0, &error), MAIL_ERROR_NO_INDEX);
    assert_non_null (strstr (error, "there is no index in"));
    assert_int_equal (open_at (f, "other", NULL, MAIL_OPEN_CREATE, &error),
                      MAIL_ERROR_NO_MAIL_ROOT);
    assert_int_equal (open_at (f, "deep/er", f->root, MAIL_OPEN_CREATE, &error), MAIL_OK);
    assert_int_equal (open_at (f, "deep/er", f->root, 0, &error), MAIL_OK);
    fixture_write (f, "file", "");
    assert_int_equal (open_at (f, "file/x", f->root, MAIL_OPEN_CREATE, &error), MAIL_ERROR_IO);
    assert_non_null (strstr (error, "Not a directory"));
}

static void
test_not_ours (void **state)
{
    struct fixture *f = *state;
    char *error;
    f->damaged = true;
    fixture_add (f, "a", "");
    set_metadata (f, META_SCHEMA, "4");
    assert_int_equal (open_at (f, "", NULL, MAIL_OPEN_CREATE, &error), MAIL_ERROR_VERSION);
    assert_string_equal (error, "the index has schema 4, this program knows up to 3");
    /* a handle that is open is told too, and comes round when it is mended */
    assert_int_equal (mail_index_refresh (f->index), MAIL_ERROR_VERSION);
    assert_int_equal (mail_index_refresh (f->index), MAIL_ERROR_VERSION);
    set_metadata (f, META_SCHEMA, "2");
    assert_int_equal (open_at (f, "", NULL, MAIL_OPEN_CREATE, &error), MAIL_ERROR_CORRUPT);
    assert_non_null (strstr (error, "'check --repair' makes it anew"));
    set_metadata (f, META_SCHEMA, "3");
    assert_int_equal (mail_index_refresh (f->index), MAIL_OK);
    set_metadata (f, META_SCHEMA, "");
    /* it has documents: it is not for us to begin anew */
    assert_int_equal (open_at (f, "", NULL, MAIL_OPEN_CREATE, &error), MAIL_ERROR_CORRUPT);
    set_metadata (f, META_SCHEMA, "3");
    assert_int_equal (mail_index_refresh (f->index), MAIL_OK);
    assert_string_equal (fixture_find (f, "*"), "a");
    set_metadata (f, META_MANIFEST, "mail-manifest 1\nnonsense\n");
    assert_int_equal (open_at (f, "", NULL, MAIL_OPEN_CREATE, &error), MAIL_ERROR_CORRUPT);
    assert_non_null (strstr (error, "nonsense"));
}

/* An index that is gone from under a handle. */
static void
test_gone (void **state)
{
    struct fixture *f = *state;
    char *error;
    f->damaged = true;
    fixture_rename (f, ".mailindex/state/iamglass", ".mailindex/state/away");
    assert_int_equal (open_at (f, "", NULL, MAIL_OPEN_CREATE, &error), MAIL_ERROR_CORRUPT);
    fixture_rename (f, ".mailindex/state/away", ".mailindex/state/iamglass");
    assert_int_equal (open_at (f, "", NULL, 0, &error), MAIL_OK);
}

/* ---- readers are overtaken ---- */

static size_t
list_all (struct fixture *f, struct mail_messages *messages, GHashTable *seen)
{
    size_t count = 0;
    for (;;) {
        struct mail_message *message;
        if (mail_messages_next (messages, &message) != MAIL_OK)
            fail_msg ("%s", mail_index_error (f->index));
        if (!message)
            return count;
        count++;
        if (!g_hash_table_add (seen, talloc_strdup (f->ctx, mail_message_id (message))))
            fail_msg ("%s was listed twice", mail_message_id (message));
    }
}

static struct mail_results *
run (struct fixture *f, const char *text)
{
    struct mail_query *query;
    struct mail_results *results;
    assert_int_equal (mail_query_parse (f->ctx, f->index, text, &query, NULL), MAIL_OK);
    assert_int_equal (mail_query_run (f->ctx, query, MAIL_SORT_NEWEST_FIRST, &results), MAIL_OK);
    return results;
}

/* In the middle of a listing, by another process. */
static void
test_messages_overtaken (void **state)
{
    struct fixture *f = *state;
    struct mail_messages *messages;
    struct mail_message *message;
    GHashTable *seen = g_hash_table_new (g_str_hash, g_str_equal);
    add_many (f);
    struct mail_results *results = run (f, "*");
    assert_int_equal (mail_results_count (results), MANY);
    assert_int_equal (mail_messages_open (f->ctx, results, 0, SIZE_MAX, &messages), MAIL_OK);
    assert_int_equal (mail_messages_next (messages, &message), MAIL_OK);
    assert_string_equal (mail_message_id (message), number_id (f, MANY - 1));
    uint64_t generation = f->index->generation;
    fixture_in_child (f, ten_commits);
    assert_int_equal (list_all (f, messages, seen), MANY - 1);
    assert_true (f->index->generation > generation); /* it has really been overtaken */
    g_hash_table_destroy (seen);
}

static void
test_threads_overtaken (void **state)
{
    struct fixture *f = *state;
    struct mail_threads *threads;
    struct mail_thread *thread;
    GHashTable *seen = g_hash_table_new (g_int64_hash, g_int64_equal);
    size_t count = 0, messages = 0;
    add_many (f);
    struct mail_results *results = run (f, "*");
    assert_int_equal (mail_threads_open (f->ctx, results, 0, SIZE_MAX, &threads), MAIL_OK);
    assert_int_equal (mail_threads_count (threads), MANY / 10);
    for (;; count++) {
        size_t in_thread;
        if (count == 1 || count == 40)
            fixture_in_child (f, three_commits);
        assert_int_equal (mail_threads_next (threads, &thread), MAIL_OK);
        if (!thread)
            break;
        uint64_t id = mail_thread_id (thread);
        assert_true (g_hash_table_add (seen, talloc_memdup (f->ctx, &id, sizeof id)));
        mail_thread_messages (thread, &in_thread);
        messages += in_thread;
        assert_int_equal (mail_thread_matched (thread), in_thread);
    }
    assert_int_equal (count, MANY / 10);
    assert_int_equal (messages, MANY);
    g_hash_table_destroy (seen);
}

/* Each of the other questions, asked by a handle that ten commits have passed. */
static void
test_questions_overtaken (void **state)
{
    struct fixture *f = *state;
    char **tags, **names;
    size_t count;
    struct mail_stat stat;
    bool found;
    add_many (f);
    struct mail_index *fresh = f->index;
    unsigned overtaken = 0;
    uint32_t folder = fixture_folder (f, "in/cur");
    for (unsigned question = 0; question < 9; question++) {
        f->index = fixture_open (f);
        uint64_t generation = f->index->generation;
        struct mail_message *message = fixture_message (f, "m7");
        struct mail_results *results = run (f, "tag:inbox");
        fixture_in_child (f, ten_commits);
        switch (question) {
        case 0:
            assert_int_equal (mail_index_count (f->index), MANY);
            assert_int_equal (fixture_count (f, "*"), MANY);
            assert_int_equal (fixture_count (f, "not tag:absent"), MANY);
            break;
        case 1:
            assert_int_equal (fixture_count (f, "tag:inbox and date:2024"), MANY);
            break;
        case 2:
            assert_int_equal (mail_index_tags (f->ctx, f->index, &tags), MAIL_OK);
            assert_string_equal (tags[0], "inbox");
            break;
        case 3:
            assert_int_equal (mail_results_tags (f->ctx, results, &tags), MAIL_OK);
            assert_string_equal (tags[0], "inbox");
            break;
        case 4:
            assert_non_null (fixture_message (f, "m599"));
            assert_null (fixture_message (f, "absent"));
            break;
        case 5:
            assert_true (mail_message_revision (message) > 1);
            break;
        case 6:
            assert_int_equal (mail_folder_files (f->ctx, f->index, folder, &names, &count),
                              MAIL_OK);
            assert_int_equal (count, MANY);
            break;
        case 7:
            assert_int_equal (mail_folder_file_stat (f->index, folder, "m300", &stat, &found),
                              MAIL_OK);
            assert_true (found);
            break;
        default:
            assert_string_equal (fixture_files (f, "m1"), "in/cur/m1");
            assert_int_equal (mail_results_count (run (f, "thread:{id:m1}")), 10);
        }
        print_message ("# q%u %d\n", question, f->index->generation > generation);
        overtaken += f->index->generation > generation;
        mail_index_close (f->index);
    }
    f->index = fresh;
    print_message ("# overtaken at %u of 9 questions\n", overtaken);
    assert_true (overtaken >= 4); /* the others had in memory what they needed */
}

/* ---- segments go away under a reader ---- */

/* A word each, in a segment each. */
static void
add_segments (struct fixture *f, unsigned count)
{
    static unsigned number;
    for (unsigned i = 0; i < count; i++, number++) {
        char *id = talloc_asprintf (f->ctx, "s%u", number);
        fixture_mail (f, talloc_asprintf (f->ctx, "in/cur/%s", id), id, NULL,
                      talloc_asprintf (f->ctx, "common word%u", number));
        fixture_sync (f);
    }
}

static void
nine_more (struct fixture *f)
{
    add_segments (f, 9); /* with the four there are too many */
}

static void
test_segments_merged_away (void **state)
{
    struct fixture *f = *state;
    add_segments (f, 4);
    assert_int_equal (f->index->manifest->count, 4);
    /* opened before and not yet; words and phrases; several together */
    struct mail_index *unopened = fixture_open (f);
    assert_int_equal (fixture_count (f, "common"), 4);
    struct store **segments = f->index->segments;
    assert_non_null (segments);
    fixture_in_child (f, nine_more);
    assert_ptr_equal (f->index->segments, segments);
    assert_int_equal (fixture_count (f, "common"), 4); /* the moment that this handle sees */
    assert_int_equal (fixture_count (f, "\"common word1\" or word3"), 2);
    struct mail_index *old = f->index;
    f->index = unopened;
    assert_int_equal (unopened->manifest->count, 4);
    assert_null (unopened->segments);
    assert_int_equal (fixture_count (f, "common"), 13); /* they are gone: what is there now */
    assert_in_range (unopened->manifest->count, 1, 8);
    f->index = old;
    assert_int_equal (mail_index_refresh (f->index), MAIL_OK);
    assert_int_equal (fixture_count (f, "common"), 13);
}

/* A segment may hold documents outside of its range: ids that were given back when it was
 * published, and are others' by now. */
static void
test_segment_range (void **state)
{
    struct fixture *f = *state;
    struct idset set;
    uint32_t ids[] = {101, 102, 103, 104, 105, 106};
    struct segment segments[2];
    struct scratch *scratch = fixture_scratch (f);
    static const char word[] = "range";
    struct store_query query = {.op = STORE_OP_TERM, .term = {.text = word, .length = 5}};
    char *error = NULL, *path;

    add_segments (f, 2);
    assert_int_equal (fixture_count (f, "common"), 2); /* opened, aliases read */
    for (unsigned i = 0; i < 2; i++) {
        path = fixture_segment (f, scratch, ids[2 * i], ids[2 * i + 3], 1, word, &segments[i]);
        f->index->manifest->segments[i].first = ids[3 * i];
        f->index->manifest->segments[i].last = ids[3 * i + 2];
        assert_int_equal (store_open (f->index, path, STORE_READ, &f->index->segments[i], &error),
                          MAIL_OK);
    }
    /* 101 to 104 and 103 to 106 are in them, 101 to 103 and 104 to 106 are theirs */
    assert_int_equal (index_search_text (f->ctx, f->index, &query, &set), MAIL_OK);
    assert_int_equal (set.count, 6);
    assert_memory_equal (set.ids, ids, sizeof ids);
    f->index->manifest->segments[1].last = 105;
    assert_int_equal (index_search_text (f->ctx, f->index, &query, &set), MAIL_OK);
    assert_int_equal (set.count, 5);
    assert_memory_equal (set.ids, ids, 5 * sizeof *ids);
    talloc_free (scratch);
    assert_int_equal (mail_index_refresh (f->index), MAIL_OK);
    f->index = fixture_open (f);
}

/* A segment that is missing without a newer revision is damage, and is told. */
static void
test_segment_missing (void **state)
{
    struct fixture *f = *state;
    struct mail_query *query;
    struct mail_results *results;
    add_segments (f, 1);
    char *path = talloc_asprintf (f->ctx, "%s/text/%s", f->index->folder,
                                  f->index->manifest->segments[0].name);
    f->damaged = true;
    unlink (path);
    struct mail_index *index = fixture_open (f);
    assert_int_equal (mail_query_parse (f->ctx, index, "common", &query, NULL), MAIL_OK);
    assert_int_equal (mail_query_run (f->ctx, query, MAIL_SORT_UNSORTED, &results),
                      MAIL_ERROR_CORRUPT);
    assert_non_null (strstr (mail_index_error (index), path));
    assert_int_equal (mail_query_parse (f->ctx, index, "tag:inbox", &query, NULL), MAIL_OK);
    assert_int_equal (mail_query_run (f->ctx, query, MAIL_SORT_UNSORTED, &results), MAIL_OK);
}

/* ---- starting again ---- */

static void
test_overtaken (void **state)
{
    struct fixture *f = *state;
    static const enum mail_status others[] = {MAIL_ERROR_IO, MAIL_ERROR_STORE, MAIL_ERROR_QUERY,
                                              MAIL_ERROR_NO_SPACE};
    unsigned attempt = 0;
    enum mail_status status = MAIL_OK;
    assert_false (index_retry (f->index, &status, &attempt));
    assert_int_equal (status, MAIL_OK);
    for (size_t i = 0; i < G_N_ELEMENTS (others); i++) {
        status = others[i];
        assert_false (index_retry (f->index, &status, &attempt));
        assert_int_equal (status, others[i]);
    }
    /* damage is damage, unless there is something newer */
    status = MAIL_ERROR_CORRUPT;
    assert_false (index_retry (f->index, &status, &attempt));
    assert_int_equal (status, MAIL_ERROR_CORRUPT);
    struct mail_index *other = fixture_open (f);
    fixture_add (f, "a", "");
    assert_true (index_retry (other, &status, &attempt));
    status = MAIL_ERROR_CORRUPT;
    assert_false (index_retry (other, &status, &attempt));
    /* not for ever */
    attempt = 0;
    status = MAIL_ERROR_OVERTAKEN;
    while (index_retry (other, &status, &attempt))
        status = MAIL_ERROR_OVERTAKEN;
    assert_int_equal (status, MAIL_ERROR_OVERTAKEN);
    assert_int_equal (attempt, 50);
}

/* Who is overtaken again and again gets the lock, until the read is done. */
static void
test_overtaken_often (void **state)
{
    struct fixture *f = *state;
    struct mail_index *other = fixture_open (f);
    unsigned attempt = 0;
    struct writer *writer;
    enum mail_status status = MAIL_ERROR_OVERTAKEN;
    f->index->lock_timeout = 0;
    for (unsigned i = 0; i < 4; i++) {
        fixture_add (f, talloc_asprintf (f->ctx, "m%u", i), "");
        assert_true (index_retry (other, &status, &attempt));
        status = MAIL_ERROR_OVERTAKEN;
    }
    assert_true (index_retry (other, &status, &attempt));
    assert_int_equal (writer_begin (f->ctx, f->index, &writer), MAIL_ERROR_LOCKED);
    assert_int_equal (mail_index_refresh (other), MAIL_OK);
    assert_int_equal (writer_begin (f->ctx, f->index, &writer), MAIL_ERROR_LOCKED);
    assert_false (index_retry (other, &status, &attempt));
    assert_int_equal (status, MAIL_OK);
    assert_int_equal (writer_begin (f->ctx, f->index, &writer), MAIL_OK);
    talloc_free (writer);
}

static void
test_folders_are_kept (void **state)
{
    struct fixture *f = *state;
    fixture_add (f, "a", "");
    const struct mail_folders *folders = index_folders (f->index);
    assert_ptr_equal (index_folders (f->index), folders);
    fixture_add (f, "b", "");
    assert_non_null (folders_find (index_folders (f->index), "in/cur"));
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown (name, fixture_setup, fixture_teardown)
        T (test_open),
        T (test_not_ours),
        T (test_gone),
        T (test_messages_overtaken),
        T (test_threads_overtaken),
        T (test_questions_overtaken),
        T (test_segments_merged_away),
        T (test_segment_range),
        T (test_segment_missing),
        T (test_overtaken),
        T (test_overtaken_often),
        T (test_folders_are_kept),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
