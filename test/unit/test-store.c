/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-store.c - the handles over Xapian: documents, searches, segments, transactions. */
#include "store/store.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <talloc.h>
#include <unistd.h>

#include <cmocka.h>

/* What Xapian's frames hold is leaked where a commit escapes from a destructor. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#define LEAKS_BEGIN() __lsan_disable ()
#define LEAKS_END() __lsan_enable ()
#else
#define LEAKS_BEGIN() ((void) 0)
#define LEAKS_END() ((void) 0)
#endif

struct fixture {
    char folder[64];
    void *ctx;
};

static int
setup (void **state)
{
    struct fixture *f = calloc (1, sizeof *f);
    strcpy (f->folder, "/tmp/test-store.XXXXXX");
    if (!mkdtemp (f->folder))
        return -1;
    f->ctx = talloc_new (NULL);
    *state = f;
    return 0;
}

static int
teardown (void **state)
{
    struct fixture *f = *state;
    talloc_free (f->ctx);
    char *command = talloc_asprintf (NULL, "rm -rf '%s'", f->folder);
    int result = system (command);
    talloc_free (command);
    free (f);
    return result;
}

static char *
below (struct fixture *f, const char *name)
{
    return talloc_asprintf (f->ctx, "%s/%s", f->folder, name);
}

static struct store_term
term (const char *text)
{
    return (struct store_term){text, strlen (text)};
}

static struct store *
open_store (struct fixture *f, const char *name, enum store_open_mode mode)
{
    struct store *store = NULL;
    char *error = NULL;
    assert_int_equal (store_open (f->ctx, below (f, name), mode, &store, &error), MAIL_OK);
    return store;
}

static void
check_ids (struct fixture *f, struct store *store, const struct store_query *query,
           const char *wanted)
{
    struct idset set;
    assert_int_equal (store_search (f->ctx, store, query, &set), MAIL_OK);
    char *got = talloc_strdup (f->ctx, "");
    for (size_t i = 0; i < set.count; i++)
        got = talloc_asprintf_append (got, "%s%u", i ? " " : "", set.ids[i]);
    assert_string_equal (got, wanted);
}

static void
put_words (struct store *store, uint32_t id, const char *a, const char *b)
{
    struct store_term terms[] = {term (a), term (b)};
    struct store_value value = {0, "\0\0\0\0\0\0\0\x07", 8};
    assert_int_equal (store_put (store, id, terms, 2, &value, 1, "data", 4), MAIL_OK);
}

static void
test_transaction (void **state)
{
    struct fixture *f = *state;
    struct store *writer = open_store (f, "db", STORE_CREATE);
    struct store *reader = open_store (f, "db", STORE_READ);
    assert_int_equal (store_begin (writer), MAIL_OK);
    put_words (writer, 3, "Ka", "Tm");
    put_words (writer, 9, "Kb", "Tm");
    assert_int_equal (store_set_metadata (writer, "key", "val\0ue", 6), MAIL_OK);
    assert_int_equal (store_commit (writer), MAIL_OK);
    assert_int_equal (store_doc_count (reader), 0);
    bool changed = false;
    assert_int_equal (store_reopen (reader, &changed), MAIL_OK);
    assert_true (changed);
    assert_int_equal (store_doc_count (reader), 2);
    assert_int_equal (store_last_docid (reader), 9);

    char *value;
    size_t length;
    assert_int_equal (store_metadata (f->ctx, reader, "key", &value, &length), MAIL_OK);
    assert_int_equal (length, 6);
    assert_memory_equal (value, "val\0ue", 6);

    /* what is cancelled leaves no trace */
    assert_int_equal (store_begin (writer), MAIL_OK);
    put_words (writer, 10, "Kc", "Tm");
    store_cancel (writer);
    assert_int_equal (store_begin (writer), MAIL_OK);
    assert_int_equal (store_commit (writer), MAIL_OK);
    assert_int_equal (store_reopen (reader, NULL), MAIL_OK);
    assert_int_equal (store_doc_count (reader), 2);
}

static void
test_change (void **state)
{
    struct fixture *f = *state;
    struct store *store = open_store (f, "db", STORE_CREATE);
    assert_int_equal (store_begin (store), MAIL_OK);
    put_words (store, 1, "Ka", "Tm");
    struct store_term add[] = {term ("Kz"), term ("Ka")}, drop[] = {term ("Ka"), term ("Kno")};
    struct store_value value = {2, "\0\0\0\0\0\0\1\0", 8};
    assert_int_equal (store_change (store, 1, add, 1, drop, 2, &value, 1, NULL, 0), MAIL_OK);
    assert_int_equal (store_commit (store), MAIL_OK);

    struct store_document document;
    bool found;
    assert_int_equal (store_read (f->ctx, store, 1, STORE_DATA | STORE_TERMS, &document, &found),
                      MAIL_OK);
    assert_true (found);
    assert_string_equal (document.data, "data");
    assert_int_equal (document.term_count, 2);
    assert_string_equal (document.terms[0].text, "Kz");
    assert_string_equal (document.terms[1].text, "Tm");
    uint32_t ids[] = {1, 2};
    uint64_t values[2];
    assert_int_equal (store_values (store, 2, ids, 2, values), MAIL_OK);
    assert_int_equal (values[0], 256);
    assert_int_equal (values[1], 0);
    assert_int_equal (store_values (store, 0, ids, 2, values), MAIL_OK);
    assert_int_equal (values[0], 0); /* values are replaced as a whole */
    assert_int_equal (store_read (f->ctx, store, 2, STORE_DATA, &document, &found), MAIL_OK);
    assert_false (found);
    assert_int_equal (store_delete (store, 77), MAIL_OK);
}

struct seen {
    uint32_t ids[100];
    size_t count, limit;
};

static bool
note_value (void *closure, uint32_t id, const char *value, size_t length)
{
    struct seen *seen = closure;
    assert_int_equal (length, 8);
    assert_int_equal ((unsigned char) value[7], id);
    seen->ids[seen->count++] = id;
    return seen->count < seen->limit;
}

/* Documents 3, 6, ... 99 have a value. */
static void
test_values_of (void **state)
{
    struct fixture *f = *state;
    struct store *store = open_store (f, "db", STORE_CREATE);
    assert_int_equal (store_begin (store), MAIL_OK);
    for (uint32_t id = 1; id < 100; id++) {
        const char bytes[8] = {0, 0, 0, 0, 0, 0, 0, (char) id};
        struct store_value value = {2, bytes, 8};
        put_words (store, id, "Ka", "Tm");
        if (id % 3 == 0)
            assert_int_equal (store_change (store, id, NULL, 0, NULL, 0, &value, 1, NULL, 0),
                              MAIL_OK);
    }
    assert_int_equal (store_commit (store), MAIL_OK);
    srand (1);
    for (unsigned round = 0; round < 200; round++) {
        uint32_t ids[200];
        struct idset set = {ids, 0};
        struct seen seen = {.limit = round % 4 ? 1000 : round / 4 + 1};
        size_t wanted = 0;
        for (uint32_t id = round % 7 + 1; id < 150; id += 1 + (uint32_t) rand () % (round % 40 + 1))
            ids[set.count++] = id;
        assert_int_equal (store_each_value_of (store, 2, set, note_value, &seen), MAIL_OK);
        for (size_t i = 0; i < set.count && wanted < seen.limit; i++)
            if (ids[i] < 100 && ids[i] % 3 == 0)
                assert_int_equal (seen.ids[wanted++], ids[i]);
        assert_int_equal (seen.count, wanted);
    }
}

static void
add_document (struct store_builder *builder, uint32_t id, const char *a, uint32_t pa, const char *b,
              uint32_t pb)
{
    struct store_posting postings[] = {{a, strlen (a), 1, &pa}, {b, strlen (b), 1, &pb}};
    assert_int_equal (store_builder_add (builder, id, postings, 2, NULL, 0), MAIL_OK);
}

/* Documents from first to last: "apple pear" in even ones, "pear" long after "apple" in odd. */
static char *
build_segment (struct fixture *f, uint32_t first, uint32_t last, const char *name)
{
    char *scratch = below (f, talloc_asprintf (f->ctx, "scratch-%s", name)), *error = NULL;
    assert_int_equal (system (talloc_asprintf (f->ctx, "mkdir '%s'", scratch)), 0);
    struct store_builder *builder;
    assert_int_equal (store_builder_create (f->ctx, scratch, &builder, &error), MAIL_OK);
    for (uint32_t id = first; id <= last; id++)
        add_document (builder, id, "apple", 1, "pears", id % 2 ? 50 : 2);
    assert_int_equal (store_builder_synonym (builder, term ("pear"), term ("pears")), MAIL_OK);
    char *path = below (f, name);
    assert_int_equal (store_builder_finish (builder, path), MAIL_OK);
    talloc_free (builder);
    return path;
}

static void
check_segment (struct fixture *f, struct store *store)
{
    struct store_query apple = {.op = STORE_OP_TERM, .term = term ("apple")};
    struct store_query pears = {.op = STORE_OP_TERM, .term = term ("pears")};
    struct store_query *both[] = {&apple, &pears};
    struct store_query phrase = {
        .op = STORE_OP_PHRASE, .window = 2, .children = both, .child_count = 2};
    struct idset set;
    assert_int_equal (store_search (f->ctx, store, &phrase, &set), MAIL_OK);
    assert_int_equal (set.count, 150);
    assert_int_equal (set.ids[0], 2);
    struct store_query stem = {.op = STORE_OP_STEM, .term = term ("pear")};
    assert_int_equal (store_search (f->ctx, store, &stem, &set), MAIL_OK);
    assert_int_equal (set.count, 300);
    struct store_query prefix = {.op = STORE_OP_PREFIX, .term = term ("pe")};
    assert_int_equal (store_search (f->ctx, store, &prefix, &set), MAIL_OK);
    assert_int_equal (set.count, 300);
    uint32_t some[] = {3, 4, 200, 299};
    struct store_query ids = {.op = STORE_OP_IDS, .ids = {some, 4}};
    struct store_query *parts[] = {&ids, &phrase};
    struct store_query and = {.op = STORE_OP_AND, .children = parts, .child_count = 2};
    check_ids (f, store, &and, "4 200");
    struct store_query and_not = {.op = STORE_OP_AND_NOT, .children = parts, .child_count = 2};
    check_ids (f, store, &and_not, "3 299");
}

static void
test_segment (void **state)
{
    struct fixture *f = *state;
    char *path = build_segment (f, 1, 300, "one");
    struct store *store = open_store (f, "one", STORE_READ);
    assert_int_equal (store_doc_count (store), 300);
    check_segment (f, store);
    assert_int_equal (access (path, R_OK), 0);
}

static void
test_merge (void **state)
{
    struct fixture *f = *state;
    const char *sources[] = {build_segment (f, 1, 120, "a"), build_segment (f, 121, 300, "b")};
    char *error = NULL;
    assert_int_equal (store_merge (f->ctx, sources, 2, below (f, "merged"), &error), MAIL_OK);
    check_segment (f, open_store (f, "merged", STORE_READ));
    const char *wrong[] = {sources[1], sources[0]};
    struct store *store;
    store_merge (f->ctx, wrong, 2, below (f, "wrong"), &error);
    assert_int_not_equal (store_open (f->ctx, below (f, "nothing"), STORE_READ, &store, &error),
                          MAIL_OK);
}

static void
test_open_errors (void **state)
{
    struct fixture *f = *state;
    struct store *store;
    char *error = NULL;
    assert_int_equal (store_open (f->ctx, below (f, "none"), STORE_READ, &store, &error),
                      MAIL_ERROR_NO_INDEX);
    assert_non_null (error);
    open_store (f, "db", STORE_CREATE);
    assert_int_equal (store_open (f->ctx, below (f, "db"), STORE_WRITE, &store, &error),
                      MAIL_ERROR_LOCKED);
}

static void
test_overtaken (void **state)
{
    struct fixture *f = *state;
    struct store *writer = open_store (f, "db", STORE_CREATE);
    struct store *reader = NULL;
    for (int round = 0; round < 4; round++) {
        assert_int_equal (store_begin (writer), MAIL_OK);
        for (uint32_t id = 1; id <= 2000; id++)
            put_words (writer, id, round % 2 ? "Ka" : "Kb", "Tm");
        assert_int_equal (store_commit (writer), MAIL_OK);
        if (!reader)
            reader = open_store (f, "db", STORE_READ);
    }
    struct idset set;
    enum mail_status status = store_postings (f->ctx, reader, term ("Kb"), &set);
    assert_int_equal (status, MAIL_ERROR_OVERTAKEN);
    assert_int_equal (store_reopen (reader, NULL), MAIL_OK);
    assert_int_equal (store_postings (f->ctx, reader, term ("Ka"), &set), MAIL_OK);
    assert_int_equal (set.count, 2000);
}

static void
put_values (struct store *store, const char *word, uint32_t count)
{
    assert_int_equal (store_begin (store), MAIL_OK);
    for (uint32_t id = 1; id <= count; id++) {
        struct store_term terms[] = {term (word)};
        struct store_value values[12];
        for (unsigned slot = 0; slot < 12; slot++)
            values[slot] = (struct store_value){slot, (const char *) &id, sizeof id};
        assert_int_equal (store_put (store, id, terms, 1, values, 12, "data", 4), MAIL_OK);
    }
}

/* Files that may not grow beyond a limit, wherever in a commit they meet it (among other places in
 * Xapian's destructors, once in twelve): an error, never the end of the process, and the handle
 * goes on from the last commit. */
static void
test_commit_fails (void **state)
{
    struct fixture *f = *state;
    const uint32_t count = 2000;
    struct rlimit before;
    struct idset set;
    assert_int_equal (getrlimit (RLIMIT_FSIZE, &before), 0);
    signal (SIGXFSZ, SIG_IGN);
    struct store *store = open_store (f, "db", STORE_CREATE);
    put_values (store, "Ka", count);
    assert_int_equal (store_commit (store), MAIL_OK);

    int failed = 0;
    for (rlim_t limit = 8192; limit < 400000; limit += 8192) {
        LEAKS_BEGIN ();
        put_values (store, "Kb", count);
        struct rlimit low = {limit, before.rlim_max};
        assert_int_equal (setrlimit (RLIMIT_FSIZE, &low), 0);
        enum mail_status status = store_commit (store);
        assert_int_equal (setrlimit (RLIMIT_FSIZE, &before), 0);
        LEAKS_END ();
        if (status == MAIL_OK)
            break;
        failed++;
        assert_true (strlen (store_error (store)) > 0);
        assert_int_equal (store_postings (f->ctx, store, term ("Ka"), &set), MAIL_OK);
        assert_int_equal (set.count, count);
        assert_int_equal (store_postings (f->ctx, store, term ("Kb"), &set), MAIL_OK);
        assert_int_equal (set.count, 0);
    }
    assert_true (failed > 5);
    put_values (store, "Kc", count);
    assert_int_equal (store_commit (store), MAIL_OK);
    talloc_free (store);
    store = open_store (f, "db", STORE_READ);
    assert_int_equal (store_postings (f->ctx, store, term ("Kc"), &set), MAIL_OK);
    assert_int_equal (set.count, count);
}

static void
test_stem (void **state)
{
    struct fixture *f = *state;
    static const char *const pairs[][2] = {
        {"running", "run"}, {"accidental", "accident"}, {"accident", "accid"}, {"run", "run"}};
    struct store_stemmer *stemmer;
    char *error = NULL;
    assert_int_equal (store_stemmer_create (f->ctx, "english", &stemmer, &error), MAIL_OK);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *stem;
        size_t length;
        store_stem (stemmer, pairs[i][0], strlen (pairs[i][0]), &stem, &length);
        assert_int_equal (length, strlen (pairs[i][1]));
        assert_memory_equal (stem, pairs[i][1], length);
    }
    assert_int_equal (store_stemmer_create (f->ctx, "klingon", &stemmer, &error),
                      MAIL_ERROR_ARGUMENT);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown (test_transaction, setup, teardown),
        cmocka_unit_test_setup_teardown (test_change, setup, teardown),
        cmocka_unit_test_setup_teardown (test_values_of, setup, teardown),
        cmocka_unit_test_setup_teardown (test_segment, setup, teardown),
        cmocka_unit_test_setup_teardown (test_merge, setup, teardown),
        cmocka_unit_test_setup_teardown (test_open_errors, setup, teardown),
        cmocka_unit_test_setup_teardown (test_overtaken, setup, teardown),
        cmocka_unit_test_setup_teardown (test_commit_fails, setup, teardown),
        cmocka_unit_test_setup_teardown (test_stem, setup, teardown),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
