/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-edit.c - documents under change: what is written is the difference. */
#include "edit.h"
#include "helper-index.h"
#include "schema.h"
#include "term.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- what is written ---- */

static char *added, *dropped; /* terms of the last change, with blanks between */
static bool data_written;
static unsigned changes;

static char *
list (const struct store_term *terms, size_t count)
{
    char *text = talloc_strdup (NULL, "");
    for (size_t i = 0; i < count; i++)
        text = talloc_asprintf_append (text, "%s%.*s", i ? " " : "", (int) terms[i].length,
                                       terms[i].text);
    return text;
}

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
    changes++;
    talloc_free (added);
    talloc_free (dropped);
    added = list (add, add_count);
    dropped = list (drop, drop_count);
    data_written = data != NULL;
    assert_int_equal (value_count, 4); /* all of a message's, always */
    return __real_store_change (store, id, add, add_count, drop, drop_count, values, value_count,
                                data, length);
}

static int
teardown (void **state)
{
    TALLOC_FREE (added);
    TALLOC_FREE (dropped);
    return fixture_teardown (state);
}

static struct writer *
begin (struct fixture *f)
{
    struct writer *writer;
    assert_int_equal (writer_begin (f->ctx, f->index, &writer), MAIL_OK);
    return writer;
}

static struct edit *
open_edit (struct fixture *f, struct writer *writer, const char *id)
{
    struct edit *edit;
    uint32_t docid = mail_message_docid (fixture_message (f, id));
    assert_int_equal (edit_open (writer, writer, docid, &edit), MAIL_OK);
    assert_non_null (edit);
    return edit;
}

/* ---- opening ---- */

static void
test_open (void **state)
{
    struct fixture *f = *state;
    struct edit *edit;
    fixture_add (f, "a", "ghost");
    struct writer *writer = begin (f);
    uint32_t docid = mail_message_docid (fixture_message (f, "a")), mails = 0;
    for (uint32_t id = 0; id <= store_last_docid (writer->state) + 1; id++) {
        assert_int_equal (edit_open (writer, writer, id, &edit), MAIL_OK);
        assert_int_equal (edit != NULL, id == docid); /* ghosts and folders are none */
        mails += edit != NULL;
    }
    assert_int_equal (mails, 1);
    talloc_free (writer);
}

/* ---- tags ---- */

/* Random tags against a plain table. */
static void
test_tags (void **state)
{
    struct fixture *f = *state;
    enum { KINDS = 26 };
    bool set[KINDS] = {false};
    fixture_add (f, "a", "");
    struct writer *writer = begin (f);
    struct edit *edit = open_edit (f, writer, "a");
    edit_remove_tag (edit, "inbox");
    edit_remove_tag (edit, "unread");
    srand (1);
    for (unsigned step = 0; step < 3000; step++) {
        unsigned kind = (unsigned) rand () % KINDS;
        char tag[] = {(char) ('a' + kind), (char) ('z' - kind), '\0'};
        bool add = rand () % 2;
        assert_int_equal (add ? edit_add_tag (edit, tag) : edit_remove_tag (edit, tag),
                          set[kind] != add);
        set[kind] = add;
        size_t count = 0;
        for (unsigned i = 0; i < KINDS; i++) {
            char wanted[] = {(char) ('a' + i), (char) ('z' - i), '\0'};
            if (set[i])
                assert_string_equal (edit->message->tags[count++], wanted);
        }
        assert_int_equal (edit->message->tag_count, count);
        assert_null (edit->message->tags[count]);
    }
    talloc_free (writer);
}

/* ---- saving ---- */

static void
test_difference (void **state)
{
    struct fixture *f = *state;
    bool written;
    fixture_add (f, "a", "");
    struct writer *writer = begin (f);
    struct edit *edit = open_edit (f, writer, "a");
    changes = 0;
    assert_int_equal (edit_save (writer, edit, &written), MAIL_OK);
    assert_false (written);
    assert_false (writer->changed);
    edit_add_tag (edit, "x");
    edit_remove_tag (edit, "x");
    assert_int_equal (edit_save (writer, edit, &written), MAIL_OK);
    assert_false (written);
    assert_int_equal (changes, 0);

    edit = open_edit (f, writer, "a");
    edit_add_tag (edit, "x");
    edit_remove_tag (edit, "inbox");
    assert_int_equal (edit_save (writer, edit, &written), MAIL_OK);
    assert_true (written && writer->changed);
    assert_string_equal (added, "Kx");
    assert_string_equal (dropped, "Kinbox");
    assert_false (data_written); /* a tag does not touch the record */
    assert_int_equal (writer_commit (writer), MAIL_OK);
    assert_string_equal (fixture_tags (f, "a"), "unread x");
}

/* The terms of a file follow from the record; a folder's term stays while another file is there. */
static void
test_files (void **state)
{
    struct fixture *f = *state;
    fixture_add (f, "a", "");
    uint32_t folder = fixture_folder (f, "in/cur");
    struct writer *writer = begin (f);
    struct edit *edit = open_edit (f, writer, "a");
    struct record_file file = edit->message->record.files[0];
    file.name = "second";
    edit_add_file (edit, &file);
    assert_int_equal (edit_save (writer, edit, NULL), MAIL_OK);
    assert_string_equal (added, talloc_asprintf (f->ctx, "N%u:second", folder));
    assert_string_equal (dropped, "");
    assert_true (data_written);
    edit = open_edit (f, writer, "a");
    edit_drop_file (edit, 0);
    assert_int_equal (edit->dropped_count, 1);
    assert_memory_equal (edit->dropped[0], file.digest, DIGEST_SIZE);
    assert_int_equal (edit_save (writer, edit, NULL), MAIL_OK);
    assert_string_equal (added, "");
    assert_string_equal (dropped, talloc_asprintf (f->ctx, "N%u:a", folder));
    assert_int_equal (writer_commit (writer), MAIL_OK);
    assert_string_equal (fixture_files (f, "a"), "in/cur/second");
}

/* Terms that say nothing of tags and files stay as they are. */
static void
test_other_terms (void **state)
{
    struct fixture *f = *state;
    fixture_add (f, "a", "");
    struct writer *writer = begin (f);
    struct edit *edit = open_edit (f, writer, "a");
    struct store_term property = term_make_string (edit, PREFIX_PROPERTY, "key=value");
    edit->message->others = &property;
    edit->message->other_count = 1;
    assert_int_equal (edit_save (writer, edit, NULL), MAIL_OK);
    assert_string_equal (added, "Bkey=value");
    edit = open_edit (f, writer, "a");
    edit_add_tag (edit, "x");
    assert_int_equal (edit_save (writer, edit, NULL), MAIL_OK);
    assert_string_equal (added, "Kx");
    assert_string_equal (dropped, "");
    assert_int_equal (writer_commit (writer), MAIL_OK);
    assert_int_equal (fixture_freq (f, "Bkey=value"), 1);
}

/* ---- maildir flags ---- */

static const struct {
    const char *files, *before, *after; /* files: "folder/name" with blanks between */
} flags[] = {
    {"cur/a:2,", "", "unread"},
    {"cur/a:2,S", "unread", ""},
    {"cur/a:2,DFPRS", "unread", "draft flagged passed replied"},
    {"cur/a:2,", "draft flagged passed replied", "unread"},
    {"cur/a:2,F", "mine replied", "flagged mine unread"},
    {"cur/a:2,TZ", "inbox", "inbox unread"}, /* other letters say nothing */
    {"cur/a", "mine", "mine"},               /* no info: nothing is known */
    {"cur/a:1,S", "mine", "mine"},
    {"new/a", "flagged", "unread"}, /* in new without an info: no flags */
    {"new/a:2,S", "unread", ""},
    {"other/a:2,S", "unread", "unread"},  /* not in a maildir */
    {"cur/a:2,S cur/b:2,", "unread", ""}, /* any file counts */
    {"cur/a:2,F cur/b:2,R", "", "flagged replied unread"},
    {"other/a:2,S cur/b:2,", "", "unread"},
    {"cur/a new/b", "flagged", "unread"},
    {"cur/a:2,S:2,F", "", "flagged"}, /* what stands behind the first one is all of it */
};

static void
test_flags (void **state)
{
    struct fixture *f = *state;
    struct mail_folders *folders;
    static const char *const names[] = {"cur", "new", "other"};
    assert_int_equal (folders_read (f->ctx, f->index->state, &folders), MAIL_OK);
    for (uint32_t i = 0; i < 3; i++)
        folders_set (folders, &(struct mail_folder){.id = i + 1, .parent = 9, .name = names[i]});
    struct writer *writer = begin (f);
    for (size_t i = 0; i < G_N_ELEMENTS (flags); i++) {
        struct edit *edit = edit_create (writer, writer, 1, "a");
        gchar **paths = g_strsplit (flags[i].files, " ", -1);
        gchar **tags = g_strsplit (flags[i].before, " ", -1);
        for (size_t k = 0; paths[k]; k++) {
            char *slash = strchr (paths[k], '/');
            const struct mail_folder *folder = mail_folders_child (
                folders, 9, talloc_strndup (f->ctx, paths[k], slash - paths[k]));
            struct record_file file = {.folder = folder->id, .name = slash + 1};
            edit_add_file (edit, &file);
        }
        for (size_t k = 0; tags[k]; k++) {
            if (*tags[k])
                edit_add_tag (edit, tags[k]);
        }
        edit_tags_from_flags (edit, folders);
        GPtrArray *after = g_ptr_array_new ();
        for (size_t k = 0; k < edit->message->tag_count; k++)
            g_ptr_array_add (after, (char *) edit->message->tags[k]);
        char *text = fixture_join (f->ctx, after, " ");
        if (strcmp (text, flags[i].after) != 0)
            fail_msg ("%s, '%s': '%s'", flags[i].files, flags[i].before, text);
        g_strfreev (paths);
        g_strfreev (tags);
    }
    talloc_free (writer);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown (name, fixture_setup, teardown)
        T (test_open),  T (test_tags),        T (test_difference),
        T (test_files), T (test_other_terms), T (test_flags),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
