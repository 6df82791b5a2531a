/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-tags.c - tagging in slices, with others at work between them and with failures in the
 * middle.
 */
#include "clock.h"
#include "helper-index.h"
#include "writer.h"

#include <stdio.h>

enum { COUNT = 700 }; /* slices of 200, 400 and 100 */

/* ---- hooks ---- */

static struct fixture *fixture;
static unsigned begins, commits;     /* so far */
static unsigned at_begin, at_commit; /* at which of them something happens; 0: never */
static void (*meanwhile) (struct fixture *f);
static bool commit_fails, inside;
static uint64_t fake_ms, wait_ms; /* passed by waiting for each lock */

static void
happen (unsigned now, unsigned at)
{
    if (now != at || !meanwhile || inside)
        return;
    inside = true;
    meanwhile (fixture);
    inside = false;
}

enum mail_status __real_writer_begin (void *ctx, struct mail_index *index, struct writer **out);
enum mail_status __wrap_writer_begin (void *ctx, struct mail_index *index, struct writer **out);
enum mail_status
__wrap_writer_begin (void *ctx, struct mail_index *index, struct writer **out)
{
    if (!inside) {
        fake_ms += wait_ms;
        happen (++begins, at_begin);
    }
    return __real_writer_begin (ctx, index, out);
}

/* The change is done and the lock let go of, but the handle has not been moved on yet: this is
 * called at the end of writer_commit, and under the lock before a slice. */
enum mail_status __real_mail_index_refresh (struct mail_index *index);
enum mail_status __wrap_mail_index_refresh (struct mail_index *index);
enum mail_status
__wrap_mail_index_refresh (struct mail_index *index)
{
    if (!inside && at_commit && commits == at_commit) {
        happen (commits, at_commit);
        at_commit = 0;
    }
    return __real_mail_index_refresh (index);
}

enum mail_status __real_store_commit (struct store *store);
enum mail_status __wrap_store_commit (struct store *store);
enum mail_status
__wrap_store_commit (struct store *store)
{
    if (!inside)
        commits++;
    if (commit_fails && !inside && commits == 2) {
        store_cancel (store);
        return MAIL_ERROR_NO_SPACE;
    }
    return __real_store_commit (store);
}

uint64_t __wrap_clock_ms (void);
uint64_t
__wrap_clock_ms (void)
{
    return fake_ms;
}

static int
setup (void **state)
{
    if (fixture_setup (state) != 0)
        return -1;
    fixture = *state;
    struct publish *publish = fixture_begin (fixture);
    for (unsigned i = 0; i < COUNT; i++) {
        char id[16];
        snprintf (id, sizeof id, "m%03u", i);
        struct parsed_file file = fixture_parsed (fixture->ctx, id, i % 2 ? "odd" : "even", id);
        fixture_publish (fixture, publish, id, &file);
    }
    fixture_commit (fixture, publish);
    begins = commits = at_begin = at_commit = 0;
    meanwhile = NULL;
    commit_fails = inside = false;
    wait_ms = 0;
    return 0;
}

/* ---- helpers ---- */

static enum mail_status
tag (struct mail_index *index, const char *text, const struct mail_tag_change *changes,
     size_t count, uint64_t *changed)
{
    struct mail_query *query;
    assert_int_equal (mail_query_parse (fixture->ctx, index, text, &query, NULL), MAIL_OK);
    enum mail_status status = mail_query_tag (query, changes, count, changed);
    talloc_free (query);
    return status;
}

static uint64_t
tag_ok (struct fixture *f, const char *text, const char *name, bool add)
{
    uint64_t changed = 4711;
    struct mail_tag_change change = {name, add};
    if (tag (f->index, text, &change, 1, &changed) != MAIL_OK)
        fail_msg ("%s", mail_index_error (f->index));
    return changed;
}

/* ---- slices and numbers ---- */

static void
test_slices (void **state)
{
    struct fixture *f = *state;
    uint64_t before = mail_index_revision (f->index);
    assert_int_equal (tag_ok (f, "*", "x", true), COUNT);
    assert_int_equal (commits, 3);
    assert_true (mail_index_revision (f->index) == before + 3);
    assert_int_equal (fixture_count (f, "tag:x"), COUNT);
    commits = begins = 0;
    assert_int_equal (tag_ok (f, "*", "x", true), 0);
    assert_int_equal (begins, 0); /* nothing to do: no lock, no commit, no revision */
    assert_true (mail_index_revision (f->index) == before + 3);
}

/* Only what changes is written. */
static void
test_only_what_changes (void **state)
{
    struct fixture *f = *state;
    uint64_t first = mail_index_revision (f->index);
    assert_int_equal (tag_ok (f, "id:m001 or id:m002", "x", true), 2);
    assert_int_equal (tag_ok (f, "id:m002 or id:m003", "x", true), 1);
    assert_true (mail_message_revision (fixture_message (f, "m001")) == first + 1);
    assert_true (mail_message_revision (fixture_message (f, "m002")) == first + 1);
    assert_true (mail_message_revision (fixture_message (f, "m003")) == first + 2);
    assert_true (mail_message_revision (fixture_message (f, "m004")) == first);
    /* a change that takes itself back changes nothing, though it looks as if it might */
    static const struct mail_tag_change there_and_back[] = {{"y", true}, {"y", false}};
    uint64_t changed;
    assert_int_equal (tag (f->index, "*", there_and_back, 2, &changed), MAIL_OK);
    assert_int_equal (changed, 0);
    assert_true (mail_index_revision (f->index) == first + 2);
    /* several at once, in order */
    static const struct mail_tag_change several[] = {
        {"inbox", false}, {"z", true}, {"unread", false}, {"z", true}, {"absent", false}};
    assert_int_equal (tag (f->index, "id:m005", several, 5, &changed), MAIL_OK);
    assert_int_equal (changed, 1);
    assert_string_equal (fixture_tags (f, "m005"), "z");
    assert_int_equal (tag (f->index, "*", NULL, 0, &changed), MAIL_OK);
    assert_int_equal (changed, 0);
}

/* The longer others hold the lock, the more should be done once it is ours. */
static void
test_waiting (void **state)
{
    struct fixture *f = *state;
    wait_ms = 3000;
    assert_int_equal (tag_ok (f, "*", "x", true), COUNT);
    assert_int_equal (commits, 3);
}

/* ---- tags of all kinds ---- */

static void
test_odd_tags (void **state)
{
    struct fixture *f = *state;
    static char longest[MAIL_TAG_MAX + 1], longer[MAIL_TAG_MAX + 2];
    memset (longest, 't', MAIL_TAG_MAX);
    memset (longer, 't', MAIL_TAG_MAX + 1);
    const char *const good[] = {longest, " ", "a b", "\xff", "\n", "\"", "tag:x", "\xc3\xa4", "K"};
    const char *const bad[] = {"", "-x", longer};
    for (size_t i = 0; i < G_N_ELEMENTS (good); i++) {
        char **tags;
        assert_int_equal (tag_ok (f, "id:m007", good[i], true), 1);
        assert_int_equal (mail_index_tags (f->ctx, f->index, &tags), MAIL_OK);
        bool found = false;
        for (size_t k = 0; tags[k]; k++)
            found |= strcmp (tags[k], good[i]) == 0;
        assert_true (found);
        assert_int_equal (fixture_message (f, "m007")->tag_count, 3);
        assert_int_equal (tag_ok (f, "*", good[i], false), 1);
        assert_string_equal (fixture_tags (f, "m007"), "inbox unread");
    }
    uint64_t changed = 1, before = mail_index_revision (f->index);
    for (size_t i = 0; i < G_N_ELEMENTS (bad); i++) {
        struct mail_tag_change changes[] = {{"fine", true}, {bad[i], true}};
        assert_int_equal (tag (f->index, "*", changes, 2, &changed), MAIL_ERROR_ARGUMENT);
        assert_int_equal (changed, 0);
        changes[1].add = false; /* what should not be there can be taken away */
        assert_int_equal (tag (f->index, "id:none", changes, 2, &changed), MAIL_OK);
    }
    assert_true (mail_index_revision (f->index) == before);
}

/* ---- others at work ---- */

static void
other_takes_inbox (struct fixture *f)
{
    struct mail_index *other = fixture_open (f);
    const struct mail_tag_change away = {"inbox", false};
    assert_int_equal (tag (other, "id:m300 or id:m650", &away, 1, NULL), MAIL_OK);
    mail_index_close (other);
}

static void
assert_left_alone (struct fixture *f)
{
    assert_int_equal (fixture_count (f, "tag:x"), COUNT - 2);
    assert_string_equal (fixture_tags (f, "m300"), "unread");
    assert_string_equal (fixture_tags (f, "m650"), "unread");
}

/* What no longer matches is not changed: whether the other one was quicker than the first slice,
 * came between two, or came right behind a commit, before the handle looked again. */
static void
test_no_match_any_more (void **state)
{
    struct fixture *f = *state;
    meanwhile = other_takes_inbox;
    at_begin = 1;
    assert_int_equal (tag_ok (f, "tag:inbox", "x", true), COUNT - 2);
    assert_left_alone (f);
}

static void
test_no_match_between_slices (void **state)
{
    struct fixture *f = *state;
    meanwhile = other_takes_inbox;
    at_begin = 2;
    assert_int_equal (tag_ok (f, "tag:inbox", "x", true), COUNT - 2);
    assert_left_alone (f);
}

static void
test_no_match_behind_a_commit (void **state)
{
    struct fixture *f = *state;
    meanwhile = other_takes_inbox;
    at_commit = 1;
    assert_int_equal (tag_ok (f, "tag:inbox", "x", true), COUNT - 2);
    assert_int_equal (at_commit, 0); /* it has happened */
    assert_left_alone (f);
}

static void
other_tags (struct fixture *f)
{
    struct mail_index *other = fixture_open (f);
    const struct mail_tag_change changes[] = {{"other", true}};
    assert_int_equal (tag (other, "*", changes, 1, NULL), MAIL_OK);
    mail_index_close (other);
}

/* Both changes are kept; and a message that still matches is still changed. */
static void
test_both_are_kept (void **state)
{
    struct fixture *f = *state;
    meanwhile = other_tags;
    at_begin = 2;
    assert_int_equal (tag_ok (f, "tag:inbox", "x", true), COUNT);
    assert_int_equal (fixture_count (f, "tag:x and tag:other"), COUNT);
}

static void
other_tags_one (struct fixture *f)
{
    struct mail_index *other = fixture_open (f);
    const struct mail_tag_change changes[] = {{"other", true}};
    assert_int_equal (tag (other, "id:m001", changes, 1, NULL), MAIL_OK);
    mail_index_close (other);
}

/* Whole threads, found by the tag that is taken away: after the first slice the query would not
 * find them again. */
static void
test_own_changes_do_not_count (void **state)
{
    struct fixture *f = *state;
    static const struct mail_tag_change changes[] = {{"done", true}, {"inbox", false}};
    uint64_t changed;
    assert_int_equal (tag_ok (f, "not (id:m000 or id:m001)", "inbox", false), COUNT - 2);
    meanwhile = other_tags_one;
    begins = 0;
    at_begin = 2;
    assert_int_equal (tag (f->index, "thread:{tag:inbox}", changes, 2, &changed), MAIL_OK);
    assert_int_equal (changed, COUNT);
    assert_int_equal (fixture_count (f, "tag:done"), COUNT);
}

static void
other_drops (struct fixture *f)
{
    struct mail_index *index = f->index;
    f->index = fixture_open (f);
    fixture_drop (f, "m600");
    fixture_drop (f, "m601");
    f->index = index;
}

static void
test_gone_meanwhile (void **state)
{
    struct fixture *f = *state;
    meanwhile = other_drops;
    at_begin = 3;
    assert_int_equal (tag_ok (f, "*", "x", true), COUNT - 2);
    assert_int_equal (mail_index_refresh (f->index), MAIL_OK);
    assert_int_equal (fixture_count (f, "tag:x"), COUNT - 2);
    assert_int_equal (fixture_count (f, "*"), COUNT - 2);
}

/* ---- failures ---- */

static void
test_failing_commit (void **state)
{
    struct fixture *f = *state;
    const struct mail_tag_change change = {"x", true};
    uint64_t changed = 4711, before = mail_index_revision (f->index);
    commit_fails = true;
    assert_int_equal (tag (f->index, "*", &change, 1, &changed), MAIL_ERROR_NO_SPACE);
    commit_fails = false;
    assert_int_equal (changed, 200); /* what is counted is committed, and nothing else is */
    assert_int_equal (mail_index_refresh (f->index), MAIL_OK);
    assert_int_equal (fixture_count (f, "tag:x"), 200);
    assert_true (mail_index_revision (f->index) == before + 1);
    commits = 10;
    assert_int_equal (tag_ok (f, "*", "x", true), COUNT - 200);
}

static struct writer *held;

static void
other_holds (struct fixture *f)
{
    assert_int_equal (writer_begin (f->ctx, fixture_open (f), &held), MAIL_OK);
}

static void
test_locked_out (void **state)
{
    struct fixture *f = *state;
    const struct mail_tag_change change = {"x", true};
    uint64_t changed = 4711;
    f->index->lock_timeout = 0;
    meanwhile = other_holds;
    at_begin = 2;
    assert_int_equal (tag (f->index, "*", &change, 1, &changed), MAIL_ERROR_LOCKED);
    assert_int_equal (changed, 200);
    talloc_free (held);
    assert_int_equal (tag_ok (f, "*", "x", true), COUNT - 200);
}

/* ---- taking back ---- */

/* A command is what one handle does. */
static void
command (struct fixture *f, const char *text, const char *name, bool add)
{
    struct mail_index *own = fixture_open (f);
    const struct mail_tag_change change = {name, add};
    own->command = talloc_strdup (own, "command");
    assert_int_equal (tag (own, text, &change, 1, NULL), MAIL_OK);
    mail_index_close (own);
}

/* False where there is nothing to take back. */
static bool
undo (struct fixture *f, enum mail_status wanted, uint64_t *changed)
{
    struct mail_index *own = fixture_open (f);
    struct mail_edits *edits = mail_edits_create (f->ctx, own);
    int64_t when = 0;
    assert_int_equal (mail_undo_find (edits, own, "command", &when), MAIL_OK);
    if (when)
        assert_int_equal (mail_edits_apply (edits, NULL, NULL, changed), wanted);
    talloc_free (edits);
    mail_index_close (own);
    assert_int_equal (mail_index_refresh (f->index), MAIL_OK);
    return when != 0;
}

static void
other_command (struct fixture *f)
{
    command (f, "*", "other", true);
}

/* Two commands whose slices lie mixed in the journal. */
static void
test_undo_of_mixed (void **state)
{
    struct fixture *f = *state;
    uint64_t changed = 0;
    meanwhile = other_command;
    at_begin = 2;
    command (f, "*", "x", true);
    assert_int_equal (fixture_count (f, "tag:x and tag:other"), COUNT);
    meanwhile = NULL;
    assert_true (undo (f, MAIL_OK, &changed)); /* the one that came to its end last */
    assert_int_equal (changed, COUNT);
    assert_int_equal (fixture_count (f, "tag:x"), 0);
    assert_int_equal (fixture_count (f, "tag:other"), COUNT);
    assert_true (undo (f, MAIL_OK, &changed));
    assert_int_equal (changed, COUNT);
    assert_int_equal (fixture_count (f, "tag:other"), 0);
}

/* Stopped after its first slice: the next one goes on, and leaves alone what has been done. */
static void
test_undo_stopped (void **state)
{
    struct fixture *f = *state;
    uint64_t changed = 0;
    command (f, "*", "before", true);
    command (f, "*", "x", true);
    commits = 0;
    commit_fails = true;
    assert_true (undo (f, MAIL_ERROR_NO_SPACE, &changed));
    commit_fails = false;
    assert_int_equal (changed, 200);
    assert_int_equal (fixture_count (f, "tag:x"), COUNT - 200);
    assert_int_equal (tag_ok (f, "id:m001", "x", true), 1);
    assert_true (undo (f, MAIL_OK, &changed));
    assert_int_equal (changed, COUNT - 200);
    assert_int_equal (fixture_count (f, "tag:x"), 1);
    assert_int_equal (fixture_count (f, "tag:before"), COUNT);
    assert_true (undo (f, MAIL_OK, &changed));
    assert_int_equal (fixture_count (f, "tag:before"), 0);
    command (f, "id:m001", "before", true);
    assert_true (undo (f, MAIL_OK, &changed));
    assert_int_equal (changed, 1);
}

/* Two at once: the second does not choose before the first is done. */
static void
test_undo_twice_at_once (void **state)
{
    struct fixture *f = *state;
    uint64_t changed = 0;
    int64_t when = 0;
    command (f, "id:m001", "before", true);
    command (f, "id:m002 or id:m003", "x", true);
    struct mail_index *own = fixture_open (f), *other = fixture_open (f);
    struct mail_edits *edits = mail_edits_create (f->ctx, own);
    struct mail_edits *late = mail_edits_create (f->ctx, other);
    other->lock_timeout = 0;
    assert_int_equal (mail_undo_find (edits, own, "command", &when), MAIL_OK);
    assert_int_equal (mail_undo_find (late, other, "command", &when), MAIL_ERROR_LOCKED);
    assert_string_equal (mail_index_error (other), "another program is taking a command back");
    assert_int_equal (mail_edits_count (late), 0);
    assert_int_equal (mail_edits_apply (edits, NULL, NULL, &changed), MAIL_OK);
    assert_int_equal (changed, 2);
    talloc_free (edits);
    assert_int_equal (mail_undo_find (late, other, "command", &when), MAIL_OK);
    assert_int_equal (mail_edits_apply (late, NULL, NULL, &changed), MAIL_OK);
    assert_int_equal (changed, 1);
    talloc_free (late);
    mail_index_close (own);
    mail_index_close (other);
    assert_int_equal (mail_index_refresh (f->index), MAIL_OK);
    assert_int_equal (fixture_count (f, "tag:before or tag:x"), 0);
}

/* What is so already changes nothing, and is done with all the same. */
static void
test_undo_of_nothing_left (void **state)
{
    struct fixture *f = *state;
    uint64_t changed = 1;
    command (f, "id:m001", "before", true);
    command (f, "id:m002", "x", true);
    assert_int_equal (mail_index_refresh (f->index), MAIL_OK);
    assert_int_equal (tag_ok (f, "*", "x", false), 1);
    assert_true (undo (f, MAIL_OK, &changed));
    assert_int_equal (changed, 0);
    assert_true (undo (f, MAIL_OK, &changed));
    assert_int_equal (changed, 1);
    assert_int_equal (fixture_count (f, "tag:before"), 0);
    assert_false (undo (f, MAIL_OK, &changed));
}

static void
other_takes_snapshot (struct fixture *f)
{
    assert_int_equal (mail_snapshot_take (fixture_open (f), 2), MAIL_OK);
}

/* Half of it went with the old journal: all of it or nothing. */
static void
test_undo_across_a_snapshot (void **state)
{
    struct fixture *f = *state;
    uint64_t changed;
    meanwhile = other_takes_snapshot;
    at_begin = 3;
    command (f, "*", "x", true);
    meanwhile = NULL;
    assert_false (undo (f, MAIL_OK, &changed));
    assert_int_equal (fixture_count (f, "tag:x"), COUNT);
    command (f, "*", "y", true);
    assert_true (undo (f, MAIL_OK, &changed));
    assert_int_equal (changed, COUNT);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown (name, setup, fixture_teardown)
        T (test_slices),
        T (test_only_what_changes),
        T (test_waiting),
        T (test_odd_tags),
        T (test_no_match_any_more),
        T (test_no_match_between_slices),
        T (test_no_match_behind_a_commit),
        T (test_both_are_kept),
        T (test_own_changes_do_not_count),
        T (test_gone_meanwhile),
        T (test_failing_commit),
        T (test_locked_out),
        T (test_undo_of_mixed),
        T (test_undo_stopped),
        T (test_undo_twice_at_once),
        T (test_undo_of_nothing_left),
        T (test_undo_across_a_snapshot),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
