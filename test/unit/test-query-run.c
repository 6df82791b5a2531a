/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-query-run.c - queries over an index of invented mail, whose answers follow from how it was
 * invented: leaves one by one, then random trees of them against plain algebra on bit fields.
 *
 * 400 messages are enough for every way of evaluating: ids passed into a search of text, single
 * values of a column, ids looked up one by one. Every tenth has a second file with further words,
 * so that its text is known under an alias.
 */
#include "index-private.h"
#include "query/query-private.h"
#include "query/sort.h"

#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { MAILS = 400, WORDS = 6, DAY = 86400, START = 946684800 /* 2000-01-01 */ };
enum { NUMBERS = 2000 }; /* no document has a higher id */

/* Word k is in the body of every (k + 2)th message, in this order; "river" is also a tag. */
static const char *const words[WORDS] = {"mountain", "river",  "meadow",
                                         "forest",   "island", "harbour"};

struct fixture {
    void *ctx;
    char *root;
    struct mail_index *index;
    struct mail_changes *changes;
    int *numbers; /* of messages, by document; MAILS for other documents */
};

typedef bool (*member_fn) (int i);

/* ---- what the mail is ---------------------------------------------------------------------- */

static bool
has_word (int i, int k)
{
    return i % (k + 2) == 0;
}

static bool
has_copy (int i)
{
    return i % 10 == 3;
}

static int
thread_of (int i)
{
    return i / 7;
}

/* Two of three folders, one of them a maildir inside the other. */
static const char *
folder_of (int i)
{
    static const char *const folders[] = {"work/cur", "work/deep/cur", "Home"};
    return folders[i % 3];
}

static void
write_mail (struct fixture *f, int i, const char *name, const char *more)
{
    char *path = talloc_asprintf (f->ctx, "%s/%s/%s", f->root, folder_of (i), name);
    FILE *file = fopen (path, "w");
    time_t date = START + (time_t) i * DAY;
    char text[64];

    assert_non_null (file);
    strftime (text, sizeof text, "%a, %d %b %Y %H:%M:%S +0000", gmtime (&date));
    fprintf (file, "From: %s <%s@example.org>\nTo: crew@example.net\n", i % 2 ? "Odette" : "Evan",
             i % 2 ? "odette" : "evan");
    if (i % 4 == 0)
        fprintf (file, "Cc: \"Fourth Watch\" <watch@example.net>\n");
    fprintf (file, "Subject: sailing remainder%d\nMessage-ID: <m%d@example.org>\n", i % 5, i);
    if (i % 50 != 0)
        fprintf (file, "Date: %s\n", text);
    if (i % 7 != 0)
        fprintf (file, "References: <m%d@example.org>\n", i - 1);
    else if (i == 7)
        fprintf (file, "References: <ghost@example.org>\n");
    fprintf (file, "\n");
    for (int k = 0; k < WORDS; k++)
        if (has_word (i, k))
            fprintf (file, "%s ", words[k]);
    fprintf (file, "\n%s\n", more);
    assert_int_equal (fclose (file), 0);
}

static struct mail_stat
read_stat (struct fixture *f, const char *path)
{
    struct stat st;

    assert_int_equal (lstat (talloc_asprintf (f->ctx, "%s/%s", f->root, path), &st), 0);
    return (struct mail_stat){.device = st.st_dev,
                              .inode = st.st_ino,
                              .size = (uint64_t) st.st_size,
                              .mtime = st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec,
                              .ctime = st.st_ctim.tv_sec * 1000000000LL + st.st_ctim.tv_nsec};
}

static void
add (struct fixture *f, int i, const char *name, const char *more)
{
    struct mail_stat stat;

    write_mail (f, i, name, more);
    stat = read_stat (f, talloc_asprintf (f->ctx, "%s/%s", folder_of (i), name));
    mail_changes_add (f->changes, folder_of (i), name, &stat);
}

static void
apply (struct fixture *f)
{
    static const char *const tags[] = {"inbox", NULL};
    struct mail_apply_options options = {.new_tags = tags, .new_tags_count = 1};
    struct mail_apply_counts counts;

    assert_int_equal (mail_changes_apply (f->changes, &options, &counts), MAIL_OK);
    assert_int_equal (counts.failed + counts.not_mail, 0);
    talloc_free (f->changes);
    f->changes = mail_changes_create (f->ctx, f->index);
}

static struct mail_query *
make_query (struct fixture *f, const char *text)
{
    struct mail_query *query = NULL;
    struct mail_query_error error = {0};

    if (mail_query_parse (f->ctx, f->index, text, &query, &error) != MAIL_OK)
        fail_msg ("%s: %s", text, error.message);
    return query;
}

static void
tag (struct fixture *f, const char *text, const char *name)
{
    struct mail_tag_change change = {.tag = name, .add = true};

    assert_int_equal (mail_query_tag (make_query (f, text), &change, 1, NULL), MAIL_OK);
}

/* Notes the number of the message of each document. */
static void
read_numbers (struct fixture *f)
{
    f->numbers = talloc_array (f, int, NUMBERS);
    for (int docid = 0; docid < NUMBERS; docid++)
        f->numbers[docid] = MAILS;
    for (int i = 0; i < MAILS; i++) {
        struct mail_message *message = NULL;
        char *id = talloc_asprintf (f->ctx, "m%d@example.org", i);
        assert_int_equal (mail_message_find (f->ctx, f->index, id, &message), MAIL_OK);
        assert_true (mail_message_docid (message) < NUMBERS);
        f->numbers[mail_message_docid (message)] = i;
        talloc_free (message);
    }
}

static int
set_up (void **state)
{
    struct fixture *f = talloc_zero (NULL, struct fixture);
    const char *place = getenv ("TMPDIR");
    struct mail_open_options options = {.flags = MAIL_OPEN_CREATE, .command = "test"};
    char *error = NULL;

    setenv ("TZ", "UTC0", 1);
    tzset ();
    f->ctx = talloc_new (f);
    f->root = talloc_asprintf (f, "%s/query.XXXXXX", place != NULL ? place : "/tmp");
    assert_non_null (mkdtemp (f->root));
    options.path = f->root;
    if (mail_index_open (f, &options, &f->index, &error) != MAIL_OK)
        fail_msg ("%s", error);
    f->changes = mail_changes_create (f->ctx, f->index);
    mkdir (talloc_asprintf (f->ctx, "%s/work", f->root), 0700);
    mkdir (talloc_asprintf (f->ctx, "%s/work/deep", f->root), 0700);
    for (int i = 0; i < 3; i++)
        mkdir (talloc_asprintf (f->ctx, "%s/%s", f->root, folder_of (i)), 0700);
    for (int i = 0; i < MAILS; i++)
        add (f, i, talloc_asprintf (f->ctx, "mail%d", i), "");
    apply (f);
    for (int i = 0; i < MAILS; i++)
        if (has_copy (i))
            add (f, i, talloc_asprintf (f->ctx, "mail%d-copy", i), "duplicate lantern");
    apply (f);
    assert_int_equal (mail_index_refresh (f->index), MAIL_OK);
    tag (f, "subject:remainder0", "river");
    tag (f, "subject:remainder1", "odd tag");
    assert_int_equal (mail_index_refresh (f->index), MAIL_OK);
    read_numbers (f);
    *state = f;
    return 0;
}

static int
tear_down (void **state)
{
    struct fixture *f = *state;
    char *command = talloc_asprintf (f, "rm -rf '%s'", f->root);
    int status = system (command);

    talloc_free (f);
    return status;
}

/* ---- leaves -------------------------------------------------------------------------------- */

static bool
is_mountain (int i)
{
    return has_word (i, 0);
}
static bool
is_river_word (int i)
{
    return has_word (i, 1);
}
/* the word, or the tag */
static bool
is_river (int i)
{
    return has_word (i, 1) || i % 5 == 0;
}
static bool
is_river_tag (int i)
{
    return i % 5 == 0;
}
static bool
is_phrase (int i)
{
    return has_word (i, 0) && has_word (i, 1);
}
/* the words that begin with "mea" or "mo" */
static bool
is_start_m (int i)
{
    return has_word (i, 0) || has_word (i, 2);
}
static bool
is_copy (int i)
{
    return has_copy (i);
}
static bool
is_copy_phrase (int i)
{
    return has_copy (i) && has_word (i, 1);
}
/* in whose body there is a word */
static bool
is_written (int i)
{
    for (int k = 0; k < WORDS; k++)
        if (has_word (i, k))
            return true;
    return has_copy (i);
}
static bool
is_even (int i)
{
    return i % 2 == 0;
}
static bool
is_odd (int i)
{
    return i % 2 == 1;
}
static bool
is_fourth (int i)
{
    return i % 4 == 0;
}
static bool
is_remainder_2 (int i)
{
    return i % 5 == 2;
}
static bool
is_remainder_1_2 (int i)
{
    return i % 5 == 1 || i % 5 == 2;
}
static bool
is_remainder_1 (int i)
{
    return i % 5 == 1;
}
static bool
is_all (int i)
{
    return i >= 0;
}
static bool
is_none (int i)
{
    return i < 0;
}
static bool
is_number_9 (int i)
{
    return i == 9;
}
static bool
is_number_13 (int i)
{
    return i == 13;
}
static bool
is_ids (int i)
{
    return i >= 20 && i < 60;
}
static bool
is_thread_9 (int i)
{
    return thread_of (i) == thread_of (9);
}
static bool
is_thread_copy (int i)
{
    for (int k = 0; k < MAILS; k++)
        if (thread_of (k) == thread_of (i) && has_copy (k))
            return true;
    return false;
}
static bool
is_work (int i)
{
    return i % 3 == 0;
}
static bool
is_deep (int i)
{
    return i % 3 == 1;
}
static bool
is_below_work (int i)
{
    return i % 3 != 2;
}
static bool
is_home (int i)
{
    return i % 3 == 2;
}
static bool
is_january (int i)
{
    return i % 50 != 0 && i < 31;
}
static bool
is_dated_till_2000 (int i)
{
    return i % 50 != 0 && i < 366;
}
static bool
is_since_2001 (int i)
{
    return i % 50 != 0 && i >= 366;
}
static bool
is_undated (int i)
{
    return i % 50 == 0;
}
static bool
is_dated (int i)
{
    return i % 50 != 0;
}

static const struct leaf {
    const char *text;
    member_fn member;
} leaves[] = {
    {"*", is_all},
    {"nowhere", is_none},
    {"sailing", is_all}, /* a word of every document */
    {"subject:sailing", is_all},
    {"mountain", is_mountain},
    {"mountains", is_mountain}, /* the same stem */
    {"Mountains", is_none},
    {"river", is_river_word}, /* stemmed: text only */
    {"River", is_river},      /* not stemmed: the tag too */
    {"\"river\"", is_river},
    {"body:River", is_river_word},
    {"rive*", is_river},
    {"body:rive*", is_river_word},
    {"*iver", is_river_word},
    {"*ntai*", is_mountain},
    {"body:*antern", is_copy},
    {"subject:*inder2", is_remainder_2},
    {"from:*inder2", is_none},
    {"\"mountain river\"", is_phrase},
    {"mountain-river", is_phrase},
    {"mountain adj/1 river", is_phrase},
    {"river near/2 mountain", is_phrase},
    {"\"river mountain\"", is_none},
    {"body:m*", is_start_m},
    /* without the signs where no word has them */
    {"mountain+", is_mountain},
    {"mountains#", is_mountain},
    {"Mountains#", is_none},
    {"mountains+ adj/1 river", is_none},
    {"mountain+ adj/1 river", is_phrase},
    {"river++", is_river_word},
    {"body:\"mountain+ river##\"", is_phrase},
    {"subject:Remainder2+", is_remainder_2},
    {"lantern", is_copy},
    {"\"duplicate lantern\"", is_copy},
    {"dupl*", is_copy},
    {"(lantern river)", is_copy_phrase}, /* words of two files */
    {"from:evan", is_even},
    {"from:EVAN@EXAMPLE.ORG", is_even},
    {"from:evans", is_none},
    {"from:/^Odette/", is_odd},
    {"from:/evan@/", is_even},
    {"to:watch", is_fourth},
    {"cc:watch", is_fourth},
    {"cc:crew", is_none},
    {"\"fourth watch\"", is_fourth},
    {"bcc:*", is_none},
    {"cc:*", is_fourth},
    {"not cc:\"\"", is_fourth},
    {"body:*", is_written},
    {"sails remainder2", is_remainder_2},
    {"subject:remainder2", is_remainder_2},
    {"subject:sail", is_none},
    {"subject:remainder2 subject:remainder1", is_remainder_1_2},
    {"subject:\"sailing remainder2\"", is_remainder_2},
    {"subject:/remainder[12]/", is_remainder_1_2},
    {"subject:/remainder1/ subject:/remainder2/", is_remainder_1_2},
    {"subject:/nowhere/ or from:/^Odette/", is_odd},
    {"tag:river", is_river_tag},
    {"is:river", is_river_tag},
    {"tag:River", is_none},
    {"tag:\"odd tag\"", is_remainder_1},
    {"tag:/^odd/", is_remainder_1},
    {"tag:inbox", is_all},
    {"tag:*", is_all},
    {"tag:\"\"", is_none},
    {"property:*", is_none},
    {"id:m9@example.org", is_number_9},
    {"mid:m9@example.org", is_number_9},
    {"id:<m9@example.org>", is_number_9},
    {"id:M9@example.org", is_none},
    {"mid:/^m9@/", is_number_9},
    /* one with two files goes into a search of text under its alias */
    {"id:m13@example.org", is_number_13},
    {"id:m13@example.org and \"duplicate lantern\"", is_number_13},
    {"id:m13@example.org and sailing", is_number_13},
    {"id:m13@example.org not \"duplicate lantern\"", is_none},
    {"id:m9@example.org and \"duplicate lantern\"", is_none},
    /* known from references only */
    {"id:ghost@example.org", is_none},
    {"mid:/ghost/", is_none},
    {"ghost*", is_none},
    {"\"ghost\"", is_none},
    {"thread:{id:m9@example.org}", is_thread_9},
    {"thread:{lantern}", is_thread_copy},
    {"folder:work", is_work},
    {"folder:work/cur", is_none},
    {"folder:work/deep", is_deep},
    {"folder:Home", is_home},
    {"folder:home", is_none},
    {"folder:/^work/", is_below_work},
    {"path:work/cur", is_work},
    {"path:work", is_none},
    {"path:work/**", is_below_work},
    {"path:work/deep/**", is_deep},
    {"path:nowhere/**", is_none},
    {"path:**", is_all},
    {"path:\"\"", is_none},
    {"path:/deep/", is_deep},
    {"mimetype:text/plain", is_all},
    {"mimetype:html", is_none},
    {"date:2000-01", is_january},
    {"date:..2000", is_dated_till_2000},
    {"date:2001..", is_since_2001},
    {"date:1970", is_undated},
    {"date:@0..2000", NULL},
    {"date:..", is_dated},
    {"..978307199", NULL},
    {"lastmod:1..", is_all},
    {"lastmod:..0", is_none},
    {"size:1..", is_all},
    {"size:1M..", is_none},
};

enum { LEAVES = sizeof leaves / sizeof *leaves };

/* Runs the query and compares the set of messages. */
static void
check_set (struct fixture *f, const char *text, const bool *wanted)
{
    struct mail_query *query = make_query (f, text);
    struct mail_results *results = NULL;
    struct mail_count count;
    bool found[MAILS + 1] = {false};
    uint32_t before = 0;

    if (mail_query_run (f->ctx, query, MAIL_SORT_UNSORTED, &results) != MAIL_OK)
        fail_msg ("%s: %s", text, mail_index_error (f->index));
    for (size_t i = 0; i < mail_results_count (results); i++) {
        uint32_t docid = mail_results_docids (results)[i];
        assert_true (docid > before);
        before = docid;
        found[docid < NUMBERS ? f->numbers[docid] : MAILS] = true;
    }
    assert_false (found[MAILS]);
    for (int i = 0; i < MAILS; i++)
        if (found[i] != wanted[i])
            fail_msg ("%s: message %d is %s\n%s", text, i, found[i] ? "found" : "missing",
                      mail_query_explain (f->ctx, query));
    assert_int_equal (mail_query_count (query, false, false, &count), MAIL_OK);
    assert_int_equal (count.messages, mail_results_count (results));
    talloc_free (results);
    talloc_free (query);
}

static void
fill (bool *set, member_fn member)
{
    for (int i = 0; i < MAILS; i++)
        set[i] = member (i);
}

static bool
is_till_2000 (int i)
{
    return i % 50 == 0 || i < 366;
}

static member_fn
member_of (const struct leaf *leaf)
{
    return leaf->member != NULL ? leaf->member : is_till_2000;
}

static void
test_leaves (void **state)
{
    bool wanted[MAILS];

    for (size_t i = 0; i < LEAVES; i++) {
        fill (wanted, member_of (&leaves[i]));
        check_set (*state, leaves[i].text, wanted);
    }
}

static void
test_many_ids (void **state)
{
    struct fixture *f = *state;
    char *text = talloc_strdup (f->ctx, "id:nobody@example.org");
    bool wanted[MAILS];

    for (int i = 20; i < 60; i++)
        text = talloc_asprintf_append (text, " or id:m%d@example.org", i);
    fill (wanted, is_ids);
    check_set (f, text, wanted);
}

static void
test_thread_number (void **state)
{
    struct fixture *f = *state;
    struct mail_message *message;
    bool wanted[MAILS];

    assert_int_equal (mail_message_find (f->ctx, f->index, "m9@example.org", &message), MAIL_OK);
    fill (wanted, is_thread_9);
    check_set (f,
               talloc_asprintf (f->ctx, "thread:%016llx",
                                (unsigned long long) mail_message_thread (message)),
               wanted);
}

/* ---- trees --------------------------------------------------------------------------------- */

/* Writes a random query and works out its answer. */
static char *
random_tree (void *ctx, unsigned *seed, int depth, bool *set)
{
    const struct leaf *leaf = &leaves[rand_r (seed) % LEAVES];
    static const char *const operators[] = {"and", "or", "xor", "and not", "", "not"};
    int choice = rand_r (seed) % 8;
    char *left, *right;
    bool other[MAILS];

    if (depth == 0 || choice > 6) {
        fill (set, member_of (leaf));
        return talloc_strdup (ctx, leaf->text);
    }
    left = random_tree (ctx, seed, depth - 1, set);
    if (choice == 6) {
        for (int i = 0; i < MAILS; i++)
            set[i] = !set[i];
        return talloc_asprintf (ctx, "(not (%s))", left);
    }
    right = random_tree (ctx, seed, depth - 1, other);
    for (int i = 0; i < MAILS; i++)
        set[i] = choice == 1                  ? set[i] || other[i]
                 : choice == 2                ? set[i] != other[i]
                 : choice == 3 || choice == 5 ? set[i] && !other[i]
                                              : set[i] && other[i];
    return talloc_asprintf (ctx, "((%s) %s (%s))", left, operators[choice], right);
}

static void
test_random_trees (void **state)
{
    struct fixture *f = *state;
    unsigned seed = 20;

    for (int round = 0; round < 600; round++) {
        void *ctx = talloc_new (NULL);
        bool wanted[MAILS];
        char *text = random_tree (ctx, &seed, 1 + round % 4, wanted);
        check_set (f, text, wanted);
        talloc_free (ctx);
    }
}

/* Ten thousand words, and a tree as deep as they may be. */
static void
test_big_queries (void **state)
{
    struct fixture *f = *state;
    char *text = talloc_strdup (f->ctx, "mountain");
    bool wanted[MAILS];

    for (int i = 0; i < 2000; i++)
        text = talloc_asprintf_append (text, " or nowhere%d", i);
    fill (wanted, is_mountain);
    check_set (f, text, wanted);
    text = talloc_strdup (f->ctx, "mountain");
    for (int i = 0; i < 120; i++)
        text = talloc_asprintf (f->ctx, "(tag:inbox and (nowhere or %s))", text);
    check_set (f, text, wanted);
    text = talloc_strdup (f->ctx, "mountain");
    for (int i = 0; i < 200; i++)
        text = talloc_asprintf (f->ctx, "(%s xor %s)", text, i % 2 ? "lantern" : "tag:river");
    fill (wanted, is_mountain);
    check_set (f, text, wanted);
}

/* ---- order and numbers --------------------------------------------------------------------- */

static void
check_order (struct fixture *f, enum mail_sort sort)
{
    struct mail_results *results = NULL;
    struct mail_message *message;
    struct mail_messages *messages;
    int64_t before = 0;
    uint32_t before_id = 0;

    assert_int_equal (mail_query_run (f->ctx, make_query (f, "*"), sort, &results), MAIL_OK);
    assert_int_equal (mail_results_count (results), MAILS);
    assert_int_equal (mail_messages_open (f->ctx, results, 0, MAILS, &messages), MAIL_OK);
    for (int i = 0; i < MAILS; i++) {
        assert_int_equal (mail_messages_next (messages, &message), MAIL_OK);
        int64_t date = mail_message_date (message);
        uint32_t id = mail_message_docid (message);
        if (i > 0 && date == before)
            assert_true (id > before_id);
        else if (i > 0)
            assert_true (sort == MAIL_SORT_NEWEST_FIRST ? date < before : date > before);
        before = date;
        before_id = id;
    }
}

static void
test_order (void **state)
{
    check_order (*state, MAIL_SORT_NEWEST_FIRST);
    check_order (*state, MAIL_SORT_OLDEST_FIRST);
}

static void
test_counts (void **state)
{
    static const struct {
        const char *text;
        uint64_t messages, threads, files;
    } rows[] = {
        {"*", MAILS, MAILS / 7 + 1, MAILS + MAILS / 10},
        {"lantern", MAILS / 10, MAILS / 10, 2 * (MAILS / 10)},
        {"id:m9@example.org", 1, 1, 1},
        {"nowhere", 0, 0, 0},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mail_count count;
        struct mail_query *query = make_query (f, rows[i].text);
        assert_int_equal (mail_query_count (query, true, true, &count), MAIL_OK);
        assert_int_equal (count.messages, rows[i].messages);
        assert_int_equal (count.threads, rows[i].threads);
        assert_int_equal (count.files, rows[i].files);
    }
}

static void
test_explain (void **state)
{
    struct fixture *f = *state;
    struct mail_query *query = make_query (f, "tag:river and \"mountain river\" and date:2000");
    struct idset set;
    char *text = mail_query_explain (f->ctx, query);

    assert_non_null (strstr (text, "not evaluated"));
    assert_int_equal (query_evaluate (f->ctx, query, &set), MAIL_OK);
    text = mail_query_explain (f->ctx, query);
    assert_non_null (strstr (text, "query: tag:river and"));
    assert_non_null (strstr (text, "\n(and\n"));
    assert_non_null (strstr (text, "state term 80→80"));
    assert_non_null (strstr (text, "column range"));
    assert_non_null (strstr (text, "text or"));
    assert_non_null (strstr (text, "\ntotal: "));
}

/* The first query of a handle: aliases have not been read yet. */
static void
test_first_query (void **state)
{
    struct fixture *f = *state;
    struct mail_open_options options = {.path = f->root, .command = "test"};
    struct mail_query *query = NULL;
    struct mail_index *other;
    struct mail_count count;

    assert_int_equal (mail_index_open (f->ctx, &options, &other, NULL), MAIL_OK);
    assert_int_equal (mail_query_parse (f->ctx, other,
                                        "id:m13@example.org and \"duplicate lantern\"", &query,
                                        NULL),
                      MAIL_OK);
    assert_int_equal (mail_query_count (query, false, false, &count), MAIL_OK);
    assert_int_equal (count.messages, 1);
    talloc_free (query);
    mail_index_close (other);
}

/* A query goes on working while somebody else changes the index. */
static void
test_overtaken (void **state)
{
    struct fixture *f = *state;
    struct mail_open_options options = {.path = f->root, .command = "test"};
    struct mail_index *other;
    struct mail_query *query = make_query (f, "tag:inbox and mountain and not tag:busy");
    struct mail_tag_change add_tag = {.tag = "busy", .add = true};
    struct mail_tag_change drop_tag = {.tag = "busy", .add = false};

    assert_int_equal (mail_index_open (f->ctx, &options, &other, NULL), MAIL_OK);
    for (int round = 0; round < 10; round++) {
        struct mail_query *writer = NULL;
        struct mail_results *results = NULL;
        assert_int_equal (mail_query_parse (f->ctx, other, "river", &writer, NULL), MAIL_OK);
        assert_int_equal (mail_query_tag (writer, &add_tag, 1, NULL), MAIL_OK);
        assert_int_equal (mail_query_tag (writer, &drop_tag, 1, NULL), MAIL_OK);
        assert_int_equal (mail_query_run (f->ctx, query, MAIL_SORT_NEWEST_FIRST, &results),
                          MAIL_OK);
        assert_int_equal (mail_results_count (results), MAILS / 2);
    }
    mail_index_close (other);
}

/* ---- sorting ------------------------------------------------------------------------------- */

static void
test_sort (void **state)
{
    static const uint64_t masks[] = {UINT64_MAX, 0xff, 0xff0000, 0xf0f0f0f0f0f0f0f0, 0};
    unsigned seed = 3;

    (void) state;
    for (size_t mask = 0; mask < sizeof masks / sizeof *masks; mask++) {
        for (uint32_t count = 0; count < 700; count += 99) {
            struct keyed *items = calloc (count + 1, sizeof *items);
            for (uint32_t i = 0; i < count; i++)
                items[i] = (struct keyed){
                    .key =
                        ((uint64_t) rand_r (&seed) << 33 ^ (uint64_t) rand_r (&seed)) & masks[mask],
                    .id = i};
            sort_keyed (items, count);
            for (uint32_t i = 1; i < count; i++)
                assert_true (items[i - 1].key < items[i].key ||
                             (items[i - 1].key == items[i].key && items[i - 1].id < items[i].id));
            free (items);
        }
    }
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_leaves),        cmocka_unit_test (test_many_ids),
        cmocka_unit_test (test_thread_number), cmocka_unit_test (test_random_trees),
        cmocka_unit_test (test_big_queries),   cmocka_unit_test (test_order),
        cmocka_unit_test (test_counts),        cmocka_unit_test (test_explain),
        cmocka_unit_test (test_first_query),   cmocka_unit_test (test_overtaken),
        cmocka_unit_test (test_sort),
    };
    return cmocka_run_group_tests (tests, set_up, tear_down);
}
