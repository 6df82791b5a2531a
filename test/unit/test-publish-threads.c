/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-publish-threads.c - which thread a message comes into, in whatever order mail arrives. */
#include "helper-index.h"
#include "schema.h"

#include <stdio.h>

/* ---- documents written ---- */

static unsigned written;

enum mail_status __real_store_put (struct store *, uint32_t, const struct store_term *, size_t,
                                   const struct store_value *, size_t, const char *, size_t);
enum mail_status __wrap_store_put (struct store *, uint32_t, const struct store_term *, size_t,
                                   const struct store_value *, size_t, const char *, size_t);
enum mail_status __real_store_change (struct store *, uint32_t, const struct store_term *, size_t,
                                      const struct store_term *, size_t, const struct store_value *,
                                      size_t, const char *, size_t);
enum mail_status __wrap_store_change (struct store *, uint32_t, const struct store_term *, size_t,
                                      const struct store_term *, size_t, const struct store_value *,
                                      size_t, const char *, size_t);
enum mail_status __real_store_delete (struct store *, uint32_t);
enum mail_status __wrap_store_delete (struct store *, uint32_t);

enum mail_status
__wrap_store_put (struct store *store, uint32_t id, const struct store_term *terms,
                  size_t term_count, const struct store_value *values, size_t value_count,
                  const char *data, size_t length)
{
    written++;
    return __real_store_put (store, id, terms, term_count, values, value_count, data, length);
}

enum mail_status
__wrap_store_change (struct store *store, uint32_t id, const struct store_term *add,
                     size_t add_count, const struct store_term *drop, size_t drop_count,
                     const struct store_value *values, size_t value_count, const char *data,
                     size_t length)
{
    written++;
    return __real_store_change (store, id, add, add_count, drop, drop_count, values, value_count,
                                data, length);
}

enum mail_status
__wrap_store_delete (struct store *store, uint32_t id)
{
    written++;
    return __real_store_delete (store, id);
}

/* ---- a batch, or one commit a message ---- */

struct mail {
    const char *id, *references;
};

/* split: the place before which a new commit begins, for each bit that is set. */
static void
publish_in_order (struct fixture *f, const struct mail *mails, const unsigned *order, size_t count,
                  unsigned split)
{
    struct publish *publish = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct mail *mail = &mails[order[i]];
        struct parsed_file file = fixture_parsed (f->ctx, mail->id, mail->references, mail->id);
        if (publish && split & 1u << i) {
            fixture_commit (f, publish);
            publish = NULL;
        }
        if (!publish)
            publish = fixture_begin (f);
        fixture_publish (f, publish, mail->id, &file);
    }
    fixture_commit (f, publish);
}

static bool
next_permutation (unsigned *order, size_t count)
{
    size_t i = count - 1, j = count - 1;
    while (i > 0 && order[i - 1] > order[i])
        i--;
    if (i == 0)
        return false;
    while (order[j] < order[i - 1])
        j--;
    unsigned swap = order[i - 1];
    order[i - 1] = order[j];
    order[j] = swap;
    for (j = count - 1; i < j; i++, j--) {
        swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    return true;
}

static void
drop_all (struct fixture *f, const struct mail *mails, size_t count)
{
    struct publish *publish = fixture_begin (f);
    uint32_t folder;
    assert_int_equal (publish_folder (publish, "in/cur", &folder), MAIL_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal (publish_drop (publish, folder, mails[i].id), MAIL_OK);
    fixture_commit (f, publish);
}

static const struct {
    const char *name;
    struct mail mails[4];
    const char *threads;
} chains[] = {
    {"all references", {{"a", ""}, {"b", "a"}, {"c", "a b"}, {"d", "a b c"}}, "a b c d"},
    {"the message answered only", {{"a", ""}, {"b", "a"}, {"c", "b"}, {"d", "c"}}, "a b c d"},
    {"the first has not come", {{"b", "a"}, {"c", "b"}, {"d", "a"}, {"e", "c"}}, "(a) b c d e"},
    {"one in the middle has not",
     {{"a", ""}, {"c", "b"}, {"d", "b c"}, {"e", "a b"}},
     "(b) a c d e"},
    {"joined by the last only", {{"a", ""}, {"b", ""}, {"c", "a b"}, {"d", ""}}, "a b c | d"},
    {"two threads of ghosts",
     {{"a", "x"}, {"b", "x"}, {"c", "y"}, {"d", "y"}},
     "(x) a b | (y) c d"},
    {"round in a circle", {{"a", "d"}, {"b", "a"}, {"c", "b"}, {"d", "c"}}, "a b c d"},
    {"itself", {{"a", "a"}, {"b", "b b"}, {"c", "a c"}, {"d", "x x d"}}, "(x) d | a c | b"},
    {"nothing in common", {{"a", ""}, {"b", ""}, {"c", ""}, {"d", ""}}, "a | b | c | d"},
};

/* Every order, in one commit, in one each, and divided in all ways: the same threads. Then all of
 * it goes, and nothing is left that has a thread. */
static void
test_orders (void **state)
{
    struct fixture *f = *state;
    f->options.tombstone_days = 0; /* no round is to remember the one before */
    for (size_t i = 0; i < G_N_ELEMENTS (chains); i++) {
        unsigned order[] = {0, 1, 2, 3}, split = 0;
        do {
            /* all 24 orders, and each of the 8 ways to divide them three times */
            publish_in_order (f, chains[i].mails, order, 4, split << 1);
            if (strcmp (fixture_threads (f), chains[i].threads) != 0)
                fail_msg ("%s, order %u%u%u%u, split %u: %s", chains[i].name, order[0], order[1],
                          order[2], order[3], split, fixture_threads (f));
            assert_int_equal (f->index->manifest->count, 0);
            drop_all (f, chains[i].mails, 4);
            assert_string_equal (fixture_threads (f), "");
            split = (split + 1) % 8;
        } while (next_permutation (order, 4));
    }
    assert_int_equal (fixture_freq (f, TERM_TYPE_GHOST), 0);
    assert_int_equal (fixture_freq (f, TERM_TYPE_MAIL), 0);
}

/* ---- ghosts ---- */

static void
test_ghost_arrives (void **state)
{
    struct fixture *f = *state;
    fixture_add (f, "b", "a");
    uint64_t thread = mail_message_thread (fixture_message (f, "b"));
    uint64_t revision = mail_index_revision (f->index);
    assert_null (fixture_message (f, "a"));
    assert_int_equal (mail_index_count (f->index), 1);
    fixture_add (f, "a", "");
    assert_int_equal (mail_message_thread (fixture_message (f, "a")), thread);
    assert_string_equal (fixture_threads (f), "a b");
    assert_int_equal (fixture_freq (f, TERM_TYPE_GHOST), 0);
    /* b has not changed by it */
    assert_int_equal (mail_message_revision (fixture_message (f, "b")), revision);
    assert_int_equal (mail_message_revision (fixture_message (f, "a")), revision + 1);
}

/* A message in the middle goes: its place is kept, so that the rest stays together, and it can
 * come back to it. */
static void
test_removed_in_the_middle (void **state)
{
    struct fixture *f = *state;
    fixture_add (f, "a", "");
    fixture_add (f, "b", "a");
    fixture_add (f, "c", "b");
    uint64_t thread = mail_message_thread (fixture_message (f, "c"));
    fixture_drop (f, "b");
    assert_int_equal (f->counts.removed, 1);
    assert_string_equal (fixture_threads (f), "(b) a c");
    assert_null (fixture_message (f, "b"));
    fixture_check (f);
    fixture_add (f, "d", "b");
    assert_string_equal (fixture_threads (f), "(b) a c d");
    fixture_add (f, "b", "a");
    assert_string_equal (fixture_threads (f), "a b c d");
    assert_int_equal (mail_message_thread (fixture_message (f, "b")), thread);
}

/* The last message goes, and the ghosts of its thread with it; those of others stay. */
static void
test_last_one_removed (void **state)
{
    struct fixture *f = *state;
    fixture_add (f, "b", "a x y");
    fixture_add (f, "c", "z");
    fixture_add (f, "d", "b");
    fixture_drop (f, "b");
    assert_string_equal (fixture_threads (f), "(a) (b) (x) (y) d | (z) c");
    fixture_drop (f, "d");
    assert_string_equal (fixture_threads (f), "(z) c");
    fixture_drop (f, "c");
    assert_string_equal (fixture_threads (f), "");
}

static void
test_whole_thread_removed_at_once (void **state)
{
    struct fixture *f = *state;
    static const struct mail mails[] = {{"b", "a"}, {"c", "b"}, {"d", ""}, {"e", "d"}};
    static const unsigned order[] = {0, 1, 2, 3};
    publish_in_order (f, mails, order, 4, 0);
    drop_all (f, mails, 3); /* all of the first thread, one of the second */
    assert_int_equal (f->counts.removed, 3);
    assert_string_equal (fixture_threads (f), "(d) e");
}

/* ---- threads that meet ---- */

/* The largest keeps its number; only the documents of the others are written. */
static void
test_largest_wins (void **state)
{
    struct fixture *f = *state;
    fixture_add (f, "a", "");
    fixture_add (f, "b", "");
    fixture_add (f, "b2", "b");
    fixture_add (f, "b3", "b");
    fixture_add (f, "c", "x");
    uint64_t largest = mail_message_thread (fixture_message (f, "b"));
    uint64_t before = mail_index_revision (f->index);
    written = 0;
    fixture_add (f, "d", "a b c");
    assert_string_equal (fixture_threads (f), "(x) a b b2 b3 c d");
    assert_int_equal (mail_message_thread (fixture_message (f, "d")), largest);
    assert_int_equal (written, 4); /* a, c, x, d */
    assert_int_equal (mail_message_revision (fixture_message (f, "b2")), before - 2);
    assert_int_equal (mail_message_revision (fixture_message (f, "a")), before + 1);
    assert_string_equal (fixture_tags (f, "a"), "inbox unread");
}

/* Several pairs of threads meet in one batch, over messages new and known, while one of their
 * messages is under change for another reason. */
static void
test_merges_in_one_batch (void **state)
{
    struct fixture *f = *state;
    static const char *const ids[] = {"a", "b", "c", "d", "e", "g"};
    for (size_t i = 0; i < G_N_ELEMENTS (ids); i++)
        fixture_add (f, ids[i], "");
    struct publish *publish = fixture_begin (f);
    struct parsed_file again = fixture_parsed (f->ctx, "b", "", "b");
    struct parsed_file ab = fixture_parsed (f->ctx, "ab", "a b", "1");
    struct parsed_file cd = fixture_parsed (f->ctx, "cd", "d c", "2");
    struct parsed_file all = fixture_parsed (f->ctx, "all", "cd ab", "3");
    fixture_publish (f, publish, "copy", &again);
    fixture_publish (f, publish, "ab", &ab);
    fixture_publish (f, publish, "cd", &cd);
    fixture_publish (f, publish, "all", &all);
    fixture_commit (f, publish);
    assert_string_equal (fixture_threads (f), "a ab all b c cd d | e | g");
    assert_string_equal (fixture_files (f, "b"), "in/cur/b in/cur/copy");
    assert_int_equal (f->counts.added, 3);
}

/* One message of a thread goes in the transaction in which the thread is merged into another. */
static void
test_merge_with_removal (void **state)
{
    struct fixture *f = *state;
    uint32_t folder;
    fixture_add (f, "a", "");
    fixture_add (f, "a2", "a");
    fixture_add (f, "a3", "a");
    fixture_add (f, "b", "");
    fixture_add (f, "b2", "b");
    struct publish *publish = fixture_begin (f);
    struct parsed_file c = fixture_parsed (f->ctx, "c", "a b", "c");
    assert_int_equal (publish_folder (publish, "in/cur", &folder), MAIL_OK);
    assert_int_equal (publish_drop (publish, folder, "b"), MAIL_OK);
    fixture_publish (f, publish, "c", &c);
    fixture_commit (f, publish);
    assert_string_equal (fixture_threads (f), "(b) a a2 a3 b2 c");
}

/* A further copy of a known message may name others than the first did. */
static void
test_references_of_a_copy (void **state)
{
    struct fixture *f = *state;
    fixture_add (f, "a", "");
    fixture_add (f, "b", "");
    struct publish *publish = fixture_begin (f);
    struct parsed_file copy = fixture_parsed (f->ctx, "b", "a x", "b");
    fixture_publish (f, publish, "copy", &copy);
    fixture_commit (f, publish);
    assert_string_equal (fixture_threads (f), "(x) a b");
}

/* ---- work ---- */

/* A thread of many that arrive in a bad order, over several batches: what is written grows with the
 * messages, not with their square. */
static void
test_linear (void **state)
{
    struct fixture *f = *state;
    enum { COUNT = 600, BATCH = 100 };
    struct publish *publish = NULL;
    for (unsigned i = 0; i < COUNT; i++) {
        /* neighbours come far apart; each names the one before it */
        unsigned number = (i * 257) % COUNT;
        char *id = talloc_asprintf (f->ctx, "m%u", number);
        char *before = number ? talloc_asprintf (f->ctx, "m%u", number - 1) : "";
        struct parsed_file file = fixture_parsed (f->ctx, id, before, id);
        if (i % BATCH == 0)
            publish = fixture_begin (f);
        written = i == 0 ? 0 : written;
        fixture_publish (f, publish, id, &file);
        if (i % BATCH == BATCH - 1)
            fixture_commit (f, publish);
    }
    assert_int_equal (fixture_freq (f, TERM_TYPE_MAIL), COUNT);
    assert_null (strchr (fixture_threads (f), '|'));
    /* a message, its ghost made and removed, and log n changes of thread: not 600 * 600 */
    assert_in_range (written, COUNT, 6 * COUNT);
    print_message ("# %u documents written for %u messages\n", written, (unsigned) COUNT);
}

/* In one batch each document is written once, and no ghost is made in vain. */
static void
test_written_once (void **state)
{
    struct fixture *f = *state;
    enum { COUNT = 500 };
    struct publish *publish = fixture_begin (f);
    fixture_publish (f, publish, "first",
                     &(struct parsed_file[1]){fixture_parsed (f->ctx, "first", "", "")}[0]);
    written = 0;
    for (unsigned i = COUNT; i > 0; i--) {
        char *id = talloc_asprintf (f->ctx, "m%u", i);
        struct parsed_file file = fixture_parsed (
            f->ctx, id, i > 1 ? talloc_asprintf (f->ctx, "m%u", i - 1) : "first", id);
        fixture_publish (f, publish, id, &file);
    }
    fixture_commit (f, publish);
    assert_int_equal (written, COUNT + 1);
    assert_int_equal (fixture_freq (f, TERM_TYPE_GHOST), 0);
}

/* More references than may be kept would be cut by the parser; what comes is taken, each once. */
static void
test_many_references (void **state)
{
    struct fixture *f = *state;
    char *references = talloc_strdup (f->ctx, "");
    for (unsigned i = 0; i < 1500; i++)
        references = talloc_asprintf_append (references, "r%u ", i % 1200);
    fixture_add (f, "m", references);
    assert_int_equal (fixture_freq (f, TERM_TYPE_GHOST), 1200);
    size_t count;
    mail_message_references (fixture_message (f, "m"), &count);
    assert_int_equal (count, 1500);
    fixture_add (f, "n", "r7");
    assert_null (strchr (fixture_threads (f), '|'));
    fixture_drop (f, "n");
    fixture_drop (f, "m");
    assert_int_equal (fixture_freq (f, TERM_TYPE_GHOST), 0);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown (name, fixture_setup, fixture_teardown)
        T (test_orders),
        T (test_ghost_arrives),
        T (test_removed_in_the_middle),
        T (test_last_one_removed),
        T (test_whole_thread_removed_at_once),
        T (test_largest_wins),
        T (test_merges_in_one_batch),
        T (test_merge_with_removal),
        T (test_references_of_a_copy),
        T (test_linear),
        T (test_written_once),
        T (test_many_references),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
