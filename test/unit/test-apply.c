/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-apply.c - lists of changes carried out: mail files in, and nothing lost on the way.
 *
 * After each test the index is held against doc/schema.md (helper-check.c): every message has its
 * words, every text belongs to a message or is known to be stale, no segment lies about.
 */
#include "clock.h"
#include "edit.h"
#include "folders.h"
#include "helper-index.h"
#include "schema.h"
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a store that refuses, commits that fail, others at work ---- */

static const char *refused; /* a Message-ID: its document is not taken */
static unsigned begins, commits;
static unsigned failing_commit;
static unsigned at_begin;
static void (*meanwhile) (struct fixture *f);
static struct fixture *fixture;
static bool inside;
static uint64_t wait_ms, waited_ms; /* passed by waiting for each lock */

static bool
is_refused (const struct store_term *terms, size_t count)
{
    bool mail = false, wanted = false;
    for (size_t i = 0; refused && i < count; i++) {
        mail |= strcmp (terms[i].text, TERM_TYPE_MAIL) == 0;
        wanted |= terms[i].text[0] == 'Q' && strcmp (terms[i].text + 1, refused) == 0;
    }
    return mail && wanted;
}

enum mail_status __real_store_put (struct store *, uint32_t, const struct store_term *, size_t,
                                   const struct store_value *, size_t, const char *, size_t);
enum mail_status __wrap_store_put (struct store *, uint32_t, const struct store_term *, size_t,
                                   const struct store_value *, size_t, const char *, size_t);
enum mail_status
__wrap_store_put (struct store *store, uint32_t id, const struct store_term *terms,
                  size_t term_count, const struct store_value *values, size_t value_count,
                  const char *data, size_t length)
{
    if (is_refused (terms, term_count)) {
        /* a term that is too long: as Xapian does, which then forgets all that is pending */
        static char text[300];
        memset (text, 'x', sizeof text);
        struct store_term longest = {text, sizeof text};
        return __real_store_put (store, id, &longest, 1, NULL, 0, NULL, 0);
    }
    return __real_store_put (store, id, terms, term_count, values, value_count, data, length);
}

static uint32_t refused_change; /* a document that cannot be changed */

enum mail_status __real_store_change (struct store *, uint32_t, const struct store_term *, size_t,
                                      const struct store_term *, size_t, const struct store_value *,
                                      size_t, const char *, size_t);
enum mail_status __wrap_store_change (struct store *, uint32_t, const struct store_term *, size_t,
                                      const struct store_term *, size_t, const struct store_value *,
                                      size_t, const char *, size_t);
enum mail_status
__wrap_store_change (struct store *store, uint32_t id, const struct store_term *add,
                     size_t add_count, const struct store_term *drop, size_t drop_count,
                     const struct store_value *values, size_t value_count, const char *data,
                     size_t length)
{
    if (refused_change && id == refused_change)
        return MAIL_ERROR_STORE;
    return __real_store_change (store, id, add, add_count, drop, drop_count, values, value_count,
                                data, length);
}

enum mail_status __real_store_commit (struct store *store);
enum mail_status __wrap_store_commit (struct store *store);
enum mail_status
__wrap_store_commit (struct store *store)
{
    if (!inside && ++commits == failing_commit) {
        store_cancel (store);
        return MAIL_ERROR_NO_SPACE;
    }
    return __real_store_commit (store);
}

/* Whoever wants the lock waits, and something else may happen before. */
static void
before_lock (void)
{
    if (!inside && ++begins == at_begin && meanwhile) {
        inside = true;
        meanwhile (fixture);
        inside = false;
    }
    waited_ms += wait_ms;
}

enum mail_status __real_writer_begin (void *ctx, struct mail_index *index, struct writer **out);
enum mail_status __wrap_writer_begin (void *ctx, struct mail_index *index, struct writer **out);
enum mail_status
__wrap_writer_begin (void *ctx, struct mail_index *index, struct writer **out)
{
    before_lock ();
    return __real_writer_begin (ctx, index, out);
}

enum mail_status __real_writer_reserve (struct mail_index *index, void *ctx,
                                        const struct scratch *scratch, uint32_t count,
                                        struct reservation **out);
enum mail_status __wrap_writer_reserve (struct mail_index *index, void *ctx,
                                        const struct scratch *scratch, uint32_t count,
                                        struct reservation **out);
enum mail_status
__wrap_writer_reserve (struct mail_index *index, void *ctx, const struct scratch *scratch,
                       uint32_t count, struct reservation **out)
{
    before_lock ();
    return __real_writer_reserve (index, ctx, scratch, count, out);
}

uint64_t __real_clock_ms (void);
uint64_t __wrap_clock_ms (void);
uint64_t
__wrap_clock_ms (void)
{
    return __real_clock_ms () + waited_ms;
}

/* ---- what is told ---- */

static char *problems; /* "name status" with commas between */

static void
note_problem (void *closure, const char *path, enum mail_status status, const char *text)
{
    (void) closure;
    assert_non_null (text);
    problems = talloc_asprintf_append (problems, "%s%s %d", *problems ? "," : "",
                                       strrchr (path, '/') + 1, status);
}

/* In byte order: files of a folder are read in no certain one. */
static const char *
told (void)
{
    gchar **list = g_strsplit (problems, ",", -1);
    GPtrArray *strings = g_ptr_array_new ();
    for (size_t i = 0; list[i]; i++)
        g_ptr_array_add (strings, list[i]);
    char *text = fixture_join (problems, strings, ",");
    g_strfreev (list);
    return text;
}

static int
setup (void **state)
{
    if (fixture_setup (state) != 0)
        return -1;
    fixture = *state;
    fixture->options.problem = note_problem;
    problems = talloc_strdup (fixture, "");
    refused = NULL;
    refused_change = 0;
    begins = commits = failing_commit = at_begin = 0;
    meanwhile = NULL;
    wait_ms = 0;
    return 0;
}

static int
teardown (void **state)
{
    struct fixture *f = *state;
    refused = NULL;
    failing_commit = 0;
    if (!f->damaged) { /* no run is left over */
        assert_string_equal (fixture_list (f, ".mailindex/text/tmp"), "");
    }
    return fixture_teardown (state);
}

static void
set_tag (struct fixture *f, const char *query, const char *tag)
{
    struct mail_query *parsed;
    struct mail_tag_change change = {tag, true};
    assert_int_equal (mail_query_parse (f->ctx, f->index, query, &parsed, NULL), MAIL_OK);
    assert_int_equal (mail_query_tag (parsed, &change, 1, NULL), MAIL_OK);
}

/* Whether the next run would list the folder: its times are not relied upon. */
static bool
is_listed_again (struct fixture *f, const char *path)
{
    struct mail_folders *folders;
    assert_int_equal (mail_folders_load (f->ctx, f->index, &folders), MAIL_OK);
    const struct mail_folder *folder = folders_find (folders, path);
    assert_non_null (folder);
    return folder->stat.mtime == 0;
}

/* ---- files come ---- */

static void
test_add (void **state)
{
    struct fixture *f = *state;
    fixture_mail (f, "in/cur/1", "a@x", NULL, "apples");
    fixture_mail (f, "in/cur/2", "b@x", "In-Reply-To: <a@x>\n", "pears");
    fixture_mail (f, "in/new/3", "a@x", NULL, "apples");
    fixture_write (f, "in/cur/junk", "no mail at all\n");
    fixture_write (f, "in/cur/empty", "");
    fixture_sync (f);
    assert_int_equal (f->counts.processed, 5);
    assert_int_equal (f->counts.added, 2);
    assert_int_equal (f->counts.not_mail, 2);
    assert_int_equal (f->counts.renamed + f->counts.removed + f->counts.failed, 0);
    assert_non_null (strstr (problems, talloc_asprintf (f->ctx, "empty %d", MAIL_ERROR_NOT_MAIL)));
    assert_non_null (strstr (problems, talloc_asprintf (f->ctx, "junk %d", MAIL_ERROR_NOT_MAIL)));
    assert_string_equal (fixture_find (f, "apples"), "a@x");
    assert_string_equal (fixture_files (f, "a@x"), "in/cur/1 in/new/3");
    assert_string_equal (fixture_threads (f), "a@x b@x");
    assert_false (is_listed_again (f, "in/cur"));
    /* again: nothing is new, and what is no mail is remembered */
    fixture_sync (f);
    assert_int_equal (f->counts.processed, 0);
    assert_int_equal (f->index->manifest->count, 1);
}

/* ---- other words under the same Message-ID ---- */

static void
test_other_words (void **state)
{
    struct fixture *f = *state;
    fixture_mail (f, "in/cur/1", "a@x", NULL, "apples");
    fixture_sync (f);
    set_tag (f, "*", "mine");
    uint32_t docid = mail_message_docid (fixture_message (f, "a@x"));
    fixture_mail (f, "in/cur/2", "a@x", NULL, "pears");
    fixture_sync (f);
    assert_int_equal (f->counts.processed, 1);
    assert_int_equal (f->counts.added, 0);
    assert_string_equal (fixture_find (f, "apples and pears"), "a@x");
    assert_int_equal (fixture_count (f, "apples"), 1);
    assert_int_equal (mail_message_docid (fixture_message (f, "a@x")), docid);
    assert_string_equal (fixture_tags (f, "a@x"), "inbox mine unread");
    fixture_check (f);
    fixture_mail (f, "in/cur/3", "a@x", NULL, "plums");
    fixture_mail (f, "in/cur/4", "a@x", NULL, "pears");
    fixture_sync (f);
    assert_string_equal (fixture_find (f, "apples pears plums"), "a@x");
    assert_string_equal (fixture_files (f, "a@x"), "in/cur/1 in/cur/2 in/cur/3 in/cur/4");
    /* one goes, all go */
    fixture_remove (f, "in/cur/1");
    fixture_sync (f);
    assert_int_equal (f->counts.renamed, 1);
    assert_string_equal (fixture_find (f, "plums"), "a@x");
    fixture_remove (f, "in/cur/2");
    fixture_remove (f, "in/cur/3");
    fixture_remove (f, "in/cur/4");
    fixture_sync (f);
    assert_int_equal (f->counts.removed, 1);
    assert_string_equal (fixture_find (f, "apples or pears or plums or mine"), "");
}

/* All new at once, and several messages of that kind. */
static void
test_other_words_at_once (void **state)
{
    struct fixture *f = *state;
    for (unsigned i = 0; i < 12; i++)
        fixture_mail (f, talloc_asprintf (f->ctx, "in/cur/%u", i), i % 3 ? "a@x" : "b@x", NULL,
                      talloc_asprintf (f->ctx, "word%u same", i));
    fixture_sync (f);
    assert_int_equal (f->counts.added, 2);
    assert_int_equal (f->counts.processed, 12);
    for (unsigned i = 0; i < 12; i++)
        assert_string_equal (fixture_find (f, talloc_asprintf (f->ctx, "word%u", i)),
                             i % 3 ? "a@x" : "b@x");
    assert_int_equal (fixture_message (f, "a@x")->record.file_count, 8);
    assert_false (is_listed_again (f, "in/cur"));
}

/* A file is saved again under its name: new words are found, old ones are not; tags stay. */
static void
test_saved_again (void **state)
{
    struct fixture *f = *state;
    fixture_mail (f, "in/cur/1", "a@x", NULL, "apples");
    fixture_mail (f, "in/cur/2", "b@x", NULL, "other");
    fixture_sync (f);
    set_tag (f, "id:a@x", "mine");
    fixture_mail (f, "in/cur/1", "a@x", "In-Reply-To: <b@x>\n", "pears");
    fixture_sync (f);
    assert_string_equal (fixture_find (f, "apples"), "");
    assert_string_equal (fixture_find (f, "pears"), "a@x");
    assert_string_equal (fixture_tags (f, "a@x"), "inbox mine unread");
    assert_string_equal (fixture_threads (f), "a@x b@x");
    /* and now it is another message */
    fixture_mail (f, "in/cur/1", "c@x", NULL, "plums");
    fixture_sync (f);
    assert_string_equal (fixture_find (f, "*"), "b@x c@x");
    assert_string_equal (fixture_find (f, "pears"), "");
    assert_string_equal (fixture_find (f, "plums"), "c@x");
    assert_int_equal (f->counts.added, 1);
    assert_int_equal (f->counts.removed, 1);
}

/* One of two copies is saved again, so that both have other words than before. */
static void
test_copy_saved_again (void **state)
{
    struct fixture *f = *state;
    fixture_mail (f, "in/cur/1", "a@x", NULL, "apples");
    fixture_mail (f, "in/cur/2", "a@x", NULL, "apples");
    fixture_sync (f);
    fixture_mail (f, "in/cur/1", "a@x", NULL, "pears");
    fixture_sync (f);
    assert_string_equal (fixture_find (f, "apples"), "a@x"); /* the other one still has it */
    assert_string_equal (fixture_find (f, "pears"), "a@x");
    assert_string_equal (fixture_files (f, "a@x"), "in/cur/1 in/cur/2");
}

/* One copy goes and another comes in the same run, each with words of its own; by itself, and with
 * its folder. */
static void
test_copy_replaced (void **state)
{
    struct fixture *f = *state;
    for (unsigned with_folder = 0; with_folder < 2; with_folder++) {
        fixture_mail (f, "in/old/cur/1", "a@x", NULL, "apples");
        fixture_mail (f, "in/cur/2", "a@x", NULL, "pears");
        fixture_sync (f);
        fixture_remove (f, with_folder ? "in/old" : "in/old/cur/1");
        fixture_mail (f, "in/cur/3", "a@x", NULL, "plums");
        fixture_sync (f);
        assert_string_equal (problems, "");
        assert_string_equal (fixture_find (f, "pears and plums"), "a@x");
        assert_string_equal (fixture_find (f, "apples"), "");
        assert_string_equal (fixture_files (f, "a@x"), "in/cur/2 in/cur/3");
        assert_false (is_listed_again (f, "in/cur"));
        fixture_remove (f, "in");
        fixture_sync (f);
    }
}

/* Two messages exchange their names by being written anew. */
static void
test_names_exchanged (void **state)
{
    struct fixture *f = *state;
    fixture_mail (f, "in/cur/1", "a@x", NULL, "apples");
    fixture_mail (f, "in/cur/2", "b@x", NULL, "pears");
    fixture_sync (f);
    set_tag (f, "id:a@x", "of-a");
    set_tag (f, "id:b@x", "of-b");
    fixture_mail (f, "in/cur/1", "b@x", NULL, "pears");
    fixture_mail (f, "in/cur/2", "a@x", NULL, "apples");
    fixture_sync (f);
    assert_int_equal (f->counts.added + f->counts.removed, 0);
    assert_string_equal (fixture_files (f, "a@x"), "in/cur/2");
    assert_string_equal (fixture_tags (f, "a@x"), "inbox of-a unread");
    assert_string_equal (fixture_tags (f, "b@x"), "inbox of-b unread");
    assert_string_equal (fixture_find (f, "apples"), "a@x");
    assert_string_equal (fixture_find (f, "pears"), "b@x");
    assert_int_equal (fixture_freq (f, TERM_TYPE_ALIAS), 0); /* nothing had to be indexed again */
}

/* ---- files change their names while their words are made anew ---- */

static void
rename_first (struct fixture *f)
{
    fixture_rename (f, "in/cur/1", "in/cur/1:2,S");
}

/* The file is known under a name that it no longer has: its words must not get lost. The run leaves
 * the message to the next one, and tells. */
static void
test_renamed_while_rebuilt (void **state)
{
    struct fixture *f = *state;
    fixture_mail (f, "in/cur/1", "a@x", NULL, "apples");
    fixture_sync (f);
    fixture_mail (f, "in/cur/2", "a@x", NULL, "pears");
    fixture_mail (f, "in/cur/3", "b@x", NULL, "plums");
    struct mail_changes *list = fixture_changes (f);
    begins = 0;
    at_begin = 3; /* a block is reserved and published; then comes the rebuild */
    meanwhile = rename_first;
    assert_int_equal (fixture_apply (f, list), MAIL_OK);
    meanwhile = NULL;
    assert_string_equal (told (), talloc_asprintf (f->ctx, "2 %d", MAIL_ERROR_IO));
    assert_int_equal (f->counts.vanished, 1);
    assert_string_equal (fixture_find (f, "apples"), "a@x");
    assert_string_equal (fixture_find (f, "plums"), "b@x");
    assert_true (is_listed_again (f, "in/cur"));
    fixture_check (f);
    fixture_sync (f);
    assert_string_equal (fixture_find (f, "apples and pears"), "a@x");
    assert_string_equal (fixture_files (f, "a@x"), "in/cur/1:2,S in/cur/2");
    assert_false (is_listed_again (f, "in/cur"));
}

/* A file that is renamed twice, the second time after the scan: its message has to stay until the
 * next run finds the file, and its tags, also where no tombstone would keep them. */
static void
test_renamed_again (void **state)
{
    struct fixture *f = *state;
    f->options.tombstone_days = 0;
    fixture_mail (f, "in/cur/1", "a@x", NULL, "apples");
    fixture_mail (f, "in/cur/2", "b@x", NULL, "pears");
    fixture_sync (f);
    set_tag (f, "id:a@x", "precious");
    fixture_rename (f, "in/cur/1", "in/cur/1:2,S");
    fixture_remove (f, "in/cur/2");
    struct mail_changes *list = fixture_changes (f);
    fixture_rename (f, "in/cur/1:2,S", "in/cur/1:2,RS");
    assert_int_equal (fixture_apply (f, list), MAIL_OK);
    assert_int_equal (f->counts.vanished, 1);
    assert_int_equal (f->counts.removed, 0);
    assert_true (is_listed_again (f, "in/cur"));
    fixture_sync (f);
    assert_string_equal (fixture_find (f, "*"), "a@x");
    assert_string_equal (fixture_files (f, "a@x"), "in/cur/1:2,RS");
    assert_string_equal (fixture_find (f, "tag:precious"), "a@x");
}

static void
remove_second (struct fixture *f)
{
    fixture_remove (f, "in/cur/2");
}

static void
test_gone_while_rebuilt (void **state)
{
    struct fixture *f = *state;
    fixture_mail (f, "in/cur/1", "a@x", NULL, "apples");
    fixture_sync (f);
    fixture_mail (f, "in/cur/2", "a@x", NULL, "pears");
    struct mail_changes *list = fixture_changes (f);
    begins = 0;
    at_begin = 3;
    meanwhile = remove_second;
    assert_int_equal (fixture_apply (f, list), MAIL_OK);
    assert_string_equal (fixture_find (f, "apples"), "a@x");
    assert_string_equal (fixture_find (f, "pears"), "");
    assert_string_equal (fixture_files (f, "a@x"), "in/cur/1");
}

static void
third_by_another (struct fixture *f)
{
    struct fixture other = *f; /* with counts of its own */
    other.index = fixture_open (f);
    fixture_mail (f, "in/cur/3", "a@x", NULL, "plums");
    fixture_sync (&other);
    mail_index_close (other.index);
}

/* Another program makes the same words anew at the same time: none of the three gets lost. */
static void
test_rebuilt_by_two (void **state)
{
    struct fixture *f = *state;
    for (unsigned when = 3; when <= 4; when++) {
        char *id = talloc_asprintf (f->ctx, "a@x");
        fixture_mail (f, "in/cur/1", id, NULL, "apples");
        fixture_sync (f);
        fixture_mail (f, "in/cur/2", id, NULL, "pears");
        struct mail_changes *list = fixture_changes (f);
        begins = 0;
        at_begin = when; /* before the ids are reserved; before it is published */
        meanwhile = third_by_another;
        assert_int_equal (fixture_apply (f, list), MAIL_OK);
        meanwhile = NULL;
        assert_int_equal (mail_index_refresh (f->index), MAIL_OK);
        fixture_check (f);
        fixture_sync (f);
        assert_string_equal (fixture_find (f, "apples pears plums"), id);
        assert_string_equal (fixture_files (f, id), "in/cur/1 in/cur/2 in/cur/3");
        fixture_remove (f, "in");
        fixture_sync (f);
        assert_int_equal (fixture_count (f, "*"), 0);
    }
}

static void
same_by_another (struct fixture *f)
{
    struct fixture other = *f;
    other.index = fixture_open (f);
    fixture_sync (&other);
    mail_index_close (other.index);
}

/* Two programs find the same new mail: it is indexed once, whoever is first. */
static void
test_added_by_two (void **state)
{
    struct fixture *f = *state;
    fixture_mail (f, "in/cur/1", "a@x", NULL, "apples");
    fixture_mail (f, "in/cur/2", "b@x", NULL, "pears");
    struct mail_changes *list = fixture_changes (f);
    begins = 0;
    at_begin = 2; /* read, and not yet published */
    meanwhile = same_by_another;
    assert_int_equal (fixture_apply (f, list), MAIL_OK);
    assert_int_equal (f->counts.added, 0);
    assert_string_equal (fixture_find (f, "*"), "a@x b@x");
    assert_string_equal (fixture_files (f, "a@x"), "in/cur/1");
    assert_string_equal (fixture_find (f, "apples or pears"), "a@x b@x");
}

static void
gone_by_another (struct fixture *f)
{
    fixture_remove (f, "in/cur/3");
    same_by_another (f);
}

static void
back_by_another (struct fixture *f)
{
    fixture_mail (f, "in/cur/1", "a@x", NULL, "apples");
    same_by_another (f);
}

/* What a run has seen is older than what another one has recorded meanwhile: the folder's times
 * must not keep the next run from looking there. Both runs were stopped before their end. */
static void
test_older_than_recorded (void **state)
{
    struct fixture *f = *state;
    fixture_mail (f, "in/cur/1", "a@x", NULL, "apples");
    fixture_mail (f, "in/cur/2", "b@x", NULL, "pears");
    fixture_sync (f);
    set_tag (f, "id:a@x", "precious");
    fixture_mail (f, "in/cur/3", "c@x", NULL, "plums");
    struct mail_changes *list = fixture_changes (f);
    begins = 0;
    at_begin = 2; /* read, and not yet published */
    meanwhile = gone_by_another;
    assert_int_equal (fixture_apply (f, list), MAIL_OK);
    meanwhile = NULL;
    assert_string_equal (fixture_find (f, "*"), "a@x b@x c@x");
    assert_true (is_listed_again (f, "in/cur"));
    fixture_sync (f);
    assert_string_equal (fixture_find (f, "*"), "a@x b@x");
    assert_false (is_listed_again (f, "in/cur"));

    fixture_remove (f, "in/cur/1");
    list = fixture_changes (f);
    begins = 0;
    at_begin = 1;
    meanwhile = back_by_another;
    assert_int_equal (fixture_apply (f, list), MAIL_OK);
    meanwhile = NULL;
    assert_string_equal (fixture_find (f, "*"), "b@x");
    assert_true (is_listed_again (f, "in/cur"));
    fixture_sync (f);
    assert_string_equal (fixture_find (f, "tag:precious"), "a@x");
    assert_false (is_listed_again (f, "in/cur"));
}

/* ---- moves ---- */

static void
test_moves (void **state)
{
    struct fixture *f = *state;
    fixture_mail (f, "in/cur/1", "a@x", NULL, "apples");
    fixture_mail (f, "in/cur/2", "b@x", NULL, "pears");
    fixture_sync (f);
    struct mail_stat one = fixture_stat (f, "in/cur/1"), two = fixture_stat (f, "in/cur/2");
    uint32_t cur = fixture_folder (f, "in/cur");
    fixture_rename (f, "in/cur/1", "in/cur/x");
    fixture_rename (f, "in/cur/2", "in/cur/1");
    fixture_rename (f, "in/cur/x", "in/cur/2");
    struct mail_changes *list = mail_changes_create (f->ctx, f->index);
    mail_changes_move (list, cur, "1", "in/cur", "2", &one);
    mail_changes_move (list, cur, "2", "in/cur", "1", &two);
    assert_int_equal (fixture_apply (f, list), MAIL_OK);
    assert_int_equal (f->counts.renamed, 2);
    assert_string_equal (fixture_files (f, "a@x"), "in/cur/2");
    assert_string_equal (fixture_files (f, "b@x"), "in/cur/1");
    fixture_sync (f);
    assert_int_equal (f->counts.processed + f->counts.renamed, 0); /* so it was right */
}

/* Another run took the file for gone before it was found under its new name. The list says that it
 * has moved, so nobody would look for it again. */
static void
test_move_of_what_has_gone (void **state)
{
    struct fixture *f = *state;
    fixture_mail (f, "in/cur/1", "a@x", NULL, "apples");
    fixture_sync (f);
    set_tag (f, "*", "mine");
    struct mail_stat stat = fixture_stat (f, "in/cur/1");
    uint32_t cur = fixture_folder (f, "in/cur");
    fixture_remove (f, "in/cur/1");
    fixture_sync (f);
    assert_int_equal (f->counts.removed, 1);
    fixture_mail (f, "out/cur/1", "a@x", NULL, "apples");
    struct mail_stat folder = fixture_stat (f, "out/cur");
    struct mail_changes *list = mail_changes_create (f->ctx, f->index);
    mail_changes_folder (list, "out/cur", &folder);
    mail_changes_move (list, cur, "1", "out/cur", "1", &stat);
    assert_int_equal (fixture_apply (f, list), MAIL_OK);
    assert_true (is_listed_again (f, "out/cur"));
    fixture_sync (f);
    assert_string_equal (fixture_find (f, "apples"), "a@x");
    assert_string_equal (fixture_tags (f, "a@x"), "inbox mine unread");
}

/* However long the lock is waited for, a slice does something. */
static void
test_slices_after_waiting (void **state)
{
    struct fixture *f = *state;
    enum { COUNT = 30 };
    for (unsigned i = 0; i < COUNT; i++)
        fixture_mail (f, talloc_asprintf (f->ctx, "in/cur/%u", i),
                      talloc_asprintf (f->ctx, "m%u@x", i), NULL, "w");
    fixture_sync (f);
    uint32_t cur = fixture_folder (f, "in/cur");
    struct mail_changes *list = mail_changes_create (f->ctx, f->index);
    for (unsigned i = 0; i < COUNT; i++) {
        char *name = talloc_asprintf (f->ctx, "%u", i);
        struct mail_stat stat = fixture_stat (f, talloc_asprintf (f->ctx, "in/cur/%s", name));
        mail_changes_move (list, cur, name, "out/cur", name, &stat);
    }
    begins = 0;
    wait_ms = 1000;
    assert_int_equal (fixture_apply (f, list), MAIL_OK);
    assert_int_equal (f->counts.renamed, COUNT);
    assert_in_range (begins, 1, 3);
    uint32_t out = fixture_folder (f, "out/cur");
    list = mail_changes_create (f->ctx, f->index);
    for (unsigned i = 0; i < COUNT; i++)
        mail_changes_drop (list, out, talloc_asprintf (f->ctx, "%u", i));
    begins = 0;
    assert_int_equal (fixture_apply (f, list), MAIL_OK);
    assert_int_equal (f->counts.removed, COUNT);
    assert_in_range (begins, 1, 4);
}

/* ---- few commits ---- */

static unsigned
commits_of_sync (struct fixture *f)
{
    commits = 0;
    fixture_sync (f);
    return commits;
}

/* A commit costs several syncs: what can be in one is. */
static void
test_one_commit (void **state)
{
    struct fixture *f = *state;
    fixture_mail (f, "in/cur/1", "a@x", NULL, "apples");
    fixture_mail (f, "in/cur/2", "b@x", "a@x", "pears");
    fixture_mail (f, "out/cur/3", "c@x", NULL, "plums");
    fixture_write (f, "out/cur/no-mail", "nothing");
    assert_int_equal (commits_of_sync (f), 1);
    fixture_mail (f, "in/cur/4", "d@x", NULL, "cherries");
    assert_int_equal (commits_of_sync (f), 1);
    struct mail_changes *list = mail_changes_create (f->ctx, f->index);
    struct mail_stat stat = fixture_stat (f, "in/cur/1");
    fixture_rename (f, "in/cur/1", "in/cur/1:2,S");
    mail_changes_move (list, fixture_folder (f, "in/cur"), "1", "in/cur", "1:2,S", &stat);
    commits = 0;
    assert_int_equal (fixture_apply (f, list), MAIL_OK);
    assert_int_equal (commits, 1);
    /* a second one where the rest of a segment is made anew */
    fixture_remove (f, "in/cur/4");
    assert_in_range (commits_of_sync (f), 1, 2);
    fixture_remove (f, "out");
    assert_in_range (commits_of_sync (f), 1, 2);
    assert_string_equal (fixture_files (f, "a@x"), "in/cur/1:2,S");
    assert_string_equal (fixture_find (f, "*"), "a@x b@x");
}

/* ---- folders ---- */

static void
test_folder_moves_and_goes (void **state)
{
    struct fixture *f = *state;
    fixture_mail (f, "a/b/cur/1", "1@x", NULL, "apples");
    fixture_mail (f, "a/cur/2", "2@x", NULL, "pears");
    fixture_mail (f, "c/cur/3", "3@x", NULL, "plums");
    fixture_mail (f, "c/cur/1", "1@x", NULL, "apples");
    fixture_sync (f);
    struct mail_changes *list = mail_changes_create (f->ctx, f->index);
    struct mail_stat stat = fixture_stat (f, "c/cur/3");
    mail_changes_move_folder (list, fixture_folder (f, "a"), "d/e");
    mail_changes_move (list, fixture_folder (f, "c/cur"), "3", "d/e/cur", "3", &stat);
    mail_changes_drop_folder (list, fixture_folder (f, "c"));
    assert_int_equal (fixture_apply (f, list), MAIL_OK);
    assert_int_equal (f->counts.removed, 0);
    assert_string_equal (fixture_files (f, "1@x"), "d/e/b/cur/1");
    assert_string_equal (fixture_files (f, "2@x"), "d/e/cur/2");
    assert_string_equal (fixture_files (f, "3@x"), "d/e/cur/3");
    assert_int_equal (fixture_folder (f, "c"), 0);
    list = mail_changes_create (f->ctx, f->index);
    mail_changes_drop_folder (list, fixture_folder (f, "d"));
    assert_int_equal (fixture_apply (f, list), MAIL_OK);
    assert_int_equal (f->counts.removed, 3);
    assert_string_equal (fixture_find (f, "apples or pears or plums"), "");
    assert_int_equal (fixture_folder (f, "d/e/b/cur"), 0);
}

/* Where a record has the place by now, the one that moved is looked at again. */
static void
test_folder_cannot_move (void **state)
{
    struct fixture *f = *state;
    fixture_mail (f, "a/cur/1", "1@x", NULL, "apples");
    fixture_mail (f, "b/cur/2", "2@x", NULL, "pears");
    fixture_sync (f);
    struct mail_stat stat = fixture_stat (f, "b");
    struct mail_changes *list = mail_changes_create (f->ctx, f->index);
    mail_changes_folder (list, "b", &stat);
    mail_changes_move_folder (list, fixture_folder (f, "a"), "b");
    assert_int_equal (fixture_apply (f, list), MAIL_OK);
    assert_true (is_listed_again (f, "b"));
    assert_string_equal (fixture_files (f, "1@x"), "a/cur/1");
    assert_string_equal (fixture_files (f, "2@x"), "b/cur/2");
}

/* ---- refusals and failures ---- */

/* One message of a block is refused: it is told of, and all the others are there. */
static void
test_refused (void **state)
{
    struct fixture *f = *state;
    for (unsigned i = 0; i < 20; i++)
        fixture_mail (
            f, talloc_asprintf (f->ctx, "in/cur/%02u", i), talloc_asprintf (f->ctx, "m%02u@x", i),
            i ? talloc_asprintf (f->ctx, "In-Reply-To: <m%02u@x>\n", i - 1) : NULL, "apples");
    fixture_mail (f, "in/cur/copy", "m07@x", NULL, "apples");
    refused = "m07@x";
    fixture_sync (f);
    assert_string_equal (
        told (), talloc_asprintf (f->ctx, "07 %d,copy %d", MAIL_ERROR_STORE, MAIL_ERROR_STORE));
    assert_int_equal (f->counts.added, 19);
    assert_int_equal (f->counts.failed, 2);
    assert_int_equal (f->counts.processed, 21);
    assert_int_equal (fixture_count (f, "*"), 19);
    assert_string_equal (fixture_find (f, "apples and id:m07@x"), "");
    assert_int_equal (fixture_count (f, "apples"), 19); /* its words are of nothing */
    struct mail_problem *remembered;
    size_t count;
    assert_int_equal (mail_problems_load (f->ctx, f->index, &remembered, &count), MAIL_OK);
    assert_int_equal (count, 2);
    assert_int_equal (remembered[0].reason, MAIL_REASON_REFUSED);
    assert_false (is_listed_again (f, "in/cur"));
    fixture_check (f);
    /* once the store takes it, it comes in */
    refused = NULL;
    fixture_mail (f, "in/cur/07", "m07@x", NULL, "apples");
    fixture_sync (f);
    assert_int_equal (fixture_count (f, "apples"), 20);
}

/* What goes with the last transaction is not lost with the one that was refused. */
static void
test_refused_in_the_last (void **state)
{
    struct fixture *f = *state;
    struct mail_problem *remembered;
    size_t count;
    fixture_mail (f, "in/cur/1", "a@x", NULL, "apples");
    fixture_mail (f, "in/cur/2", "b@x", NULL, "pears");
    struct mail_changes *list = fixture_changes (f);
    mail_changes_problem (list, "in/cur", "link", MAIL_REASON_DANGLING_LINK,
                          &(struct mail_stat){0});
    refused = "a@x";
    assert_int_equal (fixture_apply (f, list), MAIL_OK);
    assert_int_equal (f->counts.added, 1);
    assert_int_equal (mail_problems_load (f->ctx, f->index, &remembered, &count), MAIL_OK);
    assert_int_equal (count, 2);
    assert_false (is_listed_again (f, "in/cur"));
}

/* Tombstones that are too old go when there is new mail, too. */
static void
test_tombstones_go (void **state)
{
    struct fixture *f = *state;
    fixture_mail (f, "in/cur/1", "a@x", NULL, "apples");
    fixture_mail (f, "in/cur/2", "b@x", NULL, "pears");
    fixture_sync (f);
    fixture_remove (f, "in/cur/1");
    fixture_sync (f);
    assert_int_equal (fixture_freq (f, TERM_TYPE_TOMBSTONE), 1);
    f->options.tombstone_days = 0;
    fixture_mail (f, "in/cur/3", "c@x", NULL, "plums");
    fixture_sync (f);
    assert_int_equal (fixture_freq (f, TERM_TYPE_TOMBSTONE), 0);
}

/* Two of them; and all of a block. */
static void
test_refused_alone (void **state)
{
    struct fixture *f = *state;
    fixture_mail (f, "in/cur/1", "a@x", NULL, "apples");
    refused = "a@x";
    fixture_sync (f);
    assert_int_equal (f->counts.added, 0);
    assert_int_equal (f->counts.failed, 1);
    assert_string_equal (fixture_find (f, "apples"), "");
    assert_string_equal (fixture_find (f, "*"), "");
}

/* A message that is there cannot take a further file in; so with its words made anew. */
static void
test_refused_change (void **state)
{
    struct fixture *f = *state;
    f->options.tombstone_days = 0;
    for (unsigned other = 0; other < 2; other++) {
        fixture_mail (f, "in/cur/1", "a@x", NULL, "apples");
        fixture_sync (f);
        fixture_mail (f, "in/cur/2", "a@x", NULL, other ? "pears" : "apples");
        fixture_mail (f, "in/cur/3", "b@x", NULL, "plums");
        refused_change = mail_message_docid (fixture_message (f, "a@x"));
        fixture_sync (f);
        refused_change = 0;
        assert_int_equal (f->counts.added, 1);
        assert_int_equal (f->counts.failed, 1);
        assert_string_equal (fixture_files (f, "a@x"), "in/cur/1");
        assert_string_equal (fixture_find (f, "apples"), "a@x");
        assert_string_equal (fixture_find (f, "pears"), "");
        assert_string_equal (fixture_find (f, "plums"), "b@x");
        fixture_check (f);
        assert_int_equal (fixture_freq (f, TERM_TYPE_BAD), 1);
        assert_false (is_listed_again (f, "in/cur")); /* it is remembered */
        fixture_sync (f);
        assert_int_equal (f->counts.processed, 0);
        fixture_remove (f, "in");
        fixture_sync (f);
    }
    assert_string_equal (told (),
                         talloc_asprintf (f->ctx, "2 %d,2 %d", MAIL_ERROR_STORE, MAIL_ERROR_STORE));
}

/* A file that is saved again under its name, and the store does not take the change: the message
 * stays as it was. */
static void
test_refused_again (void **state)
{
    struct fixture *f = *state;
    fixture_mail (f, "in/cur/1", "a@x", NULL, "apples");
    fixture_sync (f);
    fixture_mail (f, "in/cur/1", "a@x", NULL, "pears");
    fixture_mail (f, "in/cur/2", "b@x", NULL, "plums");
    refused_change = mail_message_docid (fixture_message (f, "a@x"));
    fixture_sync (f);
    refused_change = 0;
    assert_string_equal (told (), talloc_asprintf (f->ctx, "1 %d", MAIL_ERROR_STORE));
    assert_string_equal (fixture_find (f, "plums"), "b@x");
    assert_string_equal (fixture_files (f, "a@x"), "in/cur/1");
    assert_string_equal (fixture_find (f, "apples"), "a@x");
    assert_string_equal (fixture_find (f, "pears"), "");
}

/* Whichever commit of a run fails: the index is as the commit before left it, and the next run does
 * the rest. */
static void
test_failing_commits (void **state)
{
    struct fixture *f = *state;
    unsigned failures = 0;
    for (unsigned which = 1;; which++) {
        fixture_mail (f, "in/cur/1", "a@x", NULL, "apples");
        fixture_mail (f, "in/cur/gone", "gone@x", NULL, "melons");
        fixture_sync (f);
        fixture_mail (f, "in/cur/2", "a@x", NULL, "pears");
        fixture_mail (f, "in/cur/3", "b@x", NULL, "plums");
        fixture_remove (f, "in/cur/gone");
        commits = 0;
        failing_commit = which;
        enum mail_status status = fixture_apply (f, fixture_changes (f));
        failing_commit = 0;
        assert_int_equal (mail_index_refresh (f->index), MAIL_OK);
        fixture_check (f);
        bool failed = commits >= which;
        assert_int_equal (status, failed ? MAIL_ERROR_NO_SPACE : MAIL_OK);
        failures += failed;
        fixture_sync (f);
        assert_string_equal (fixture_find (f, "*"), "a@x b@x");
        assert_string_equal (fixture_find (f, "apples and pears"), "a@x");
        assert_string_equal (fixture_find (f, "plums"), "b@x");
        assert_string_equal (fixture_find (f, "melons"), "");
        fixture_remove (f, "in");
        fixture_sync (f);
        if (!failed)
            break;
    }
    print_message ("# %u commits that failed\n", failures);
    assert_in_range (failures, 4, 20);
}

/* ---- a message in very many files ---- */

/* More files than a worker is given at once: those with the same words are one, and all words are
 * found. */
static void
test_many_files (void **state)
{
    struct fixture *f = *state;
    enum { COPIES = 150, EACH = 8 };
    for (unsigned i = 0; i < COPIES; i++)
        fixture_mail (f, talloc_asprintf (f->ctx, "in/cur/%03u", i), "a@x", NULL,
                      talloc_asprintf (f->ctx, "word%u", i / EACH));
    fixture_sync (f);
    fixture_mail (f, "in/cur/last", "a@x", NULL, "last");
    fixture_sync (f);
    assert_int_equal (fixture_message (f, "a@x")->record.file_count, COPIES + 1);
    for (unsigned i = 0; i <= (COPIES - 1) / EACH; i++)
        assert_int_equal (fixture_count (f, talloc_asprintf (f->ctx, "word%u", i)), 1);
    assert_int_equal (fixture_count (f, "last"), 1);
}

/* ---- limits ---- */

/* Names of which the term is a hash: they come, are known, are saved again, go. */
static void
test_longest_names (void **state)
{
    struct fixture *f = *state;
    char path[2][7 + 256];
    for (unsigned i = 0; i < 2; i++) {
        strcpy (path[i], "in/cur/");
        memset (path[i] + 7, 'n', 255);
        path[i][7 + 254] = (char) ('a' + i);
        path[i][7 + 255] = '\0';
        fixture_mail (f, path[i], i ? "b@x" : "a@x", NULL, "apples");
    }
    fixture_sync (f);
    assert_int_equal (f->counts.added, 2);
    fixture_sync (f);
    assert_int_equal (f->counts.processed, 0);
    fixture_mail (f, path[0], "a@x", NULL, "pears");
    fixture_sync (f);
    assert_int_equal (f->counts.processed, 1);
    assert_string_equal (fixture_find (f, "pears"), "a@x");
    fixture_remove (f, path[0]);
    fixture_sync (f);
    assert_string_equal (fixture_find (f, "*"), "b@x");
    assert_string_equal (fixture_files (f, "b@x"), path[1]);
}

/* The first and the last 999 are kept; the others make no ghosts. */
static void
test_very_many_references (void **state)
{
    struct fixture *f = *state;
    char *header = talloc_strdup (f->ctx, "References:");
    size_t count;
    for (unsigned i = 0; i < 1500; i++)
        header = talloc_asprintf_append (header, "\n <r%u@x>", i);
    fixture_mail (f, "in/cur/1", "a@x", talloc_asprintf (f->ctx, "%s\n", header), "apples");
    fixture_sync (f);
    const char *const *references = mail_message_references (fixture_message (f, "a@x"), &count);
    assert_int_equal (count, REFERENCES_MAX);
    assert_string_equal (references[0], "r0@x");
    assert_string_equal (references[1], "r501@x");
    assert_string_equal (references[999], "r1499@x");
    assert_int_equal (fixture_freq (f, TERM_TYPE_GHOST), REFERENCES_MAX);
    fixture_mail (f, "in/cur/2", "r700@x", NULL, "pears");
    fixture_sync (f);
    assert_int_equal (fixture_freq (f, TERM_TYPE_GHOST), REFERENCES_MAX - 1);
    assert_null (strchr (fixture_threads (f), '|'));
    fixture_remove (f, "in");
    fixture_sync (f);
    assert_int_equal (fixture_freq (f, TERM_TYPE_GHOST), 0);
}

/* ---- segments that are stale in large part ---- */

static void
add_segment (struct fixture *f, const char *folder, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fixture_mail (f, talloc_asprintf (f->ctx, "%s/cur/%u", folder, i),
                      talloc_asprintf (f->ctx, "%s%u@x", folder, i), NULL,
                      talloc_asprintf (f->ctx, "common %s%u", folder, i));
    fixture_sync (f);
}

static void
remove_some (struct fixture *f, const char *folder, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        fixture_remove (f, talloc_asprintf (f->ctx, "%s/cur/%u", folder, i));
}

static void
test_made_anew (void **state)
{
    struct fixture *f = *state;
    add_segment (f, "a", 8);
    fixture_mail (f, "a/cur/copy", "a7@x", NULL,
                  "common further"); /* an alias: a segment of its own */
    fixture_sync (f);
    remove_some (f, "a", 0, 1);
    fixture_sync (f);
    assert_int_equal (f->index->manifest->segments[0].stale, 2); /* a quarter is not enough */
    remove_some (f, "a", 1, 3);
    fixture_sync (f);
    struct segment *segment = &f->index->manifest->segments[0];
    assert_int_equal (segment->stale, 0);
    assert_int_equal (segment->documents, 4); /* 3 to 6 */
    assert_int_equal (fixture_count (f, "common"), 5);
    assert_string_equal (fixture_find (f, "a4"), "a4@x");
    assert_string_equal (fixture_find (f, "further"), "a7@x");
    assert_string_equal (fixture_find (f, "a1"), "");
    remove_some (f, "a", 3, 8);
    fixture_remove (f, "a/cur/copy");
    fixture_sync (f);
    assert_int_equal (f->index->manifest->count, 0);
}

/* A message whose file cannot be found keeps the words it has, and its segment; other segments are
 * made anew all the same. Another file with the same words will do. */
static void
test_not_made_anew (void **state)
{
    struct fixture *f = *state;
    add_segment (f, "a", 8);
    add_segment (f, "b", 8);
    fixture_mail (f, "c/cur/7", "b7@x", NULL, "common b7");
    fixture_sync (f);
    remove_some (f, "a", 0, 4);
    remove_some (f, "b", 0, 4);
    struct mail_changes *list = fixture_changes (f);
    fixture_rename (f, "a/cur/5", "a/cur/elsewhere");
    fixture_rename (f, "b/cur/7", "b/cur/elsewhere");
    assert_int_equal (fixture_apply (f, list), MAIL_OK);
    assert_int_equal (f->index->manifest->segments[0].stale, 4);
    assert_int_equal (f->index->manifest->segments[1].stale, 0);
    assert_int_equal (fixture_count (f, "common"), 8);
    assert_string_equal (fixture_find (f, "a5"), "a5@x");
    assert_string_equal (fixture_find (f, "b7"), "b7@x");
    fixture_check (f);
    fixture_sync (f);
    assert_int_equal (f->index->manifest->segments[0].stale, 0);
    assert_int_equal (fixture_count (f, "common"), 8);
}

/* ---- stopping ---- */

static unsigned stop_after;

static bool
progress (void *closure, const char *path, uint64_t done, uint64_t total)
{
    (void) closure;
    (void) path;
    assert_true (done <= total);
    return done < stop_after;
}

/* What has been read is kept, and what has not is found by the next run. */
static void
test_stopped (void **state)
{
    struct fixture *f = *state;
    for (unsigned i = 0; i < 40; i++)
        fixture_mail (f, talloc_asprintf (f->ctx, "%c/cur/%02u", i < 20 ? 'a' : 'b', i),
                      talloc_asprintf (f->ctx, "m%02u@x", i), NULL, "w");
    stop_after = 7;
    f->options.progress = progress;
    assert_int_equal (fixture_apply (f, fixture_changes (f)), MAIL_ERROR_INTERRUPTED);
    assert_true (f->counts.added >= 7);
    assert_int_equal (fixture_count (f, "*"), f->counts.added);
    fixture_check (f);
    f->options.progress = NULL;
    fixture_sync (f);
    assert_int_equal (fixture_count (f, "*"), 40);
    assert_int_equal (fixture_count (f, "w"), 40);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown (name, setup, teardown)
        T (test_add),
        T (test_other_words),
        T (test_other_words_at_once),
        T (test_saved_again),
        T (test_copy_saved_again),
        T (test_copy_replaced),
        T (test_names_exchanged),
        T (test_renamed_while_rebuilt),
        T (test_renamed_again),
        T (test_gone_while_rebuilt),
        T (test_rebuilt_by_two),
        T (test_added_by_two),
        T (test_older_than_recorded),
        T (test_moves),
        T (test_move_of_what_has_gone),
        T (test_slices_after_waiting),
        T (test_one_commit),
        T (test_folder_moves_and_goes),
        T (test_folder_cannot_move),
        T (test_refused),
        T (test_refused_in_the_last),
        T (test_tombstones_go),
        T (test_refused_alone),
        T (test_refused_change),
        T (test_refused_again),
        T (test_failing_commits),
        T (test_many_files),
        T (test_longest_names),
        T (test_very_many_references),
        T (test_made_anew),
        T (test_not_made_anew),
        T (test_stopped),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
