/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-message.c - a document of state as a message, and its accessors. */
#include "message.h"
#include "helper-index.h"
#include "schema.h"
#include "term.h"

#include <stdio.h>

static struct store_document
document (void *ctx, const char *const *terms, const struct record *record)
{
    struct store_document made = {.data = ""};
    for (; terms[made.term_count]; made.term_count++)
        ;
    made.terms = talloc_array (ctx, struct store_term, made.term_count + 1);
    for (size_t i = 0; i < made.term_count; i++)
        made.terms[i] = (struct store_term){terms[i], strlen (terms[i])};
    if (record)
        made.data = record_encode (ctx, record, &made.data_length);
    return made;
}

/* ---- from a document ---- */

static void
test_from_document (void **state)
{
    struct fixture *f = *state;
    struct mail_message *message = talloc_zero (f->ctx, struct mail_message);
    struct parsed_file file = fixture_parsed (f->ctx, "a", "x y", "w");
    file.record.files->name = "n";
    static const char *const terms[] = {
        "Bk=v", "Bk=w", "F1", "G00000000000000ff", "Ka", "Kb c", "N1:n", "Qa", "Tm", "Ts", NULL};
    struct store_document made = document (f->ctx, terms, &file.record);
    assert_true (message_from_document (message, &made));
    size_t count;
    assert_string_equal (mail_message_id (message), "a");
    assert_true (mail_message_thread (message) == 255);
    assert_string_equal (mail_message_tags (message, &count)[1], "b c");
    assert_int_equal (count, 2);
    assert_null (mail_message_tags (message, NULL)[2]);
    assert_string_equal (mail_message_references (message, &count)[1], "y");
    assert_int_equal (count, 2);
    assert_string_equal (mail_message_parent (message), "y");
    assert_int_equal (message->other_count, 3); /* two properties and the stale mark */
    assert_string_equal (message->others[2].text, TERM_TYPE_STALE);
    assert_string_equal (message_raw_field (message, MAIL_SUBJECT), "about a");
    assert_string_equal (mail_message_field (message, MAIL_FROM), "");
    assert_string_equal (mail_message_field (message, (enum mail_field) 99), "");
    assert_string_equal (message_raw_field (message, (enum mail_field) - 1), "");
}

/* A hundred tags, in the order of the document. */
static void
test_many_tags (void **state)
{
    struct fixture *f = *state;
    struct mail_message *message = talloc_zero (f->ctx, struct mail_message);
    struct parsed_file file = fixture_parsed (f->ctx, "a", "", "w");
    const char *terms[104];
    size_t count = 0;
    file.record.files->name = "n";
    for (unsigned i = 0; i < 100; i++)
        terms[count++] = talloc_asprintf (f->ctx, "Kt%02u", i);
    terms[count++] = "Qa";
    terms[count++] = "Tm";
    terms[count] = NULL;
    struct store_document made = document (f->ctx, terms, &file.record);
    assert_true (message_from_document (message, &made));
    const char *const *tags = mail_message_tags (message, &count);
    assert_int_equal (count, 100);
    for (unsigned i = 0; i < 100; i++)
        assert_string_equal (tags[i], terms[i] + 1);
    assert_null (tags[100]);
    assert_null (mail_message_parent (message));
}

static void
test_no_message (void **state)
{
    struct fixture *f = *state;
    struct parsed_file file = fixture_parsed (f->ctx, "a", "", "w");
    file.record.files->name = "n";
    static const struct {
        const char *name, *terms[4];
        bool record;
    } rows[] = {
        {"a ghost", {"Qa", "Tg", NULL}, false},
        {"a folder", {"Td", NULL}, false},
        {"no type", {"Qa", NULL}, true},
        {"no Message-ID", {"Tm", NULL}, true},
        {"no record", {"Qa", "Tm", NULL}, false},
        {"something like the type", {"Qa", "Tmx", NULL}, true},
    };
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        struct mail_message *message = talloc_zero (f->ctx, struct mail_message);
        struct store_document made =
            document (f->ctx, rows[i].terms, rows[i].record ? &file.record : NULL);
        if (message_from_document (message, &made))
            fail_msg ("%s", rows[i].name);
    }
}

/* ---- reading ---- */

static void
test_read (void **state)
{
    struct fixture *f = *state;
    struct mail_message *message;
    fixture_add (f, "a", "ghost");
    uint32_t docid = mail_message_docid (fixture_message (f, "a"));
    for (uint32_t id = 0; id < docid + 5; id++) {
        assert_int_equal (message_read (f->ctx, f->index, id, &message), MAIL_OK);
        assert_int_equal (message != NULL, id == docid);
    }
    assert_true (mail_message_revision (fixture_message (f, "a")) == 1);
    assert_null (fixture_message (f, "ghost"));
    assert_null (fixture_message (f, ""));
    assert_null (fixture_message (f, "A")); /* case is kept */
}

/* Message-ids of any length are found by what stands in the mail. */
static void
test_long_ids (void **state)
{
    struct fixture *f = *state;
    static const size_t lengths[] = {188, 189, 190, 240, 241, 900};
    for (size_t i = 0; i < G_N_ELEMENTS (lengths); i++) {
        char *id = talloc_array (f->ctx, char, lengths[i] + 1);
        memset (id, 'a' + (int) i, lengths[i]);
        id[lengths[i]] = '\0';
        memcpy (id + lengths[i] - 2, "@x", 2);
        fixture_mail (f, talloc_asprintf (f->ctx, "in/cur/%zu", i), id,
                      i ? "References: <other@x>\n" : NULL, "w");
    }
    fixture_sync (f);
    assert_int_equal (f->counts.added, G_N_ELEMENTS (lengths));
    for (size_t i = 0; i < G_N_ELEMENTS (lengths); i++) {
        char *id = talloc_array (f->ctx, char, lengths[i] + 1);
        memset (id, 'a' + (int) i, lengths[i]);
        id[lengths[i]] = '\0';
        memcpy (id + lengths[i] - 2, "@x", 2);
        struct mail_message *message = fixture_message (f, id);
        assert_non_null (message);
        assert_int_equal (strncmp (mail_message_id (message), "notmuch-sha1-", 13) == 0,
                          lengths[i] > MESSAGE_ID_MAX);
        assert_ptr_not_equal (fixture_message (f, mail_message_id (message)), NULL);
        assert_int_equal (fixture_count (f, talloc_asprintf (f->ctx, "id:%s", id)), 1);
    }
}

/* References to long ids are in the form that the messages are known by. */
static void
test_references_to_long_ids (void **state)
{
    struct fixture *f = *state;
    char id[400], more[500];
    memset (id, 'l', sizeof id - 1);
    id[sizeof id - 1] = '\0';
    memcpy (id + 300, "@x", 2);
    snprintf (more, sizeof more, "In-Reply-To: <%s>\n", id);
    fixture_mail (f, "in/cur/1", "answer@x", more, "w");
    fixture_sync (f);
    fixture_mail (f, "in/cur/2", id, NULL, "w");
    fixture_sync (f);
    const char *parent = mail_message_parent (fixture_message (f, "answer@x"));
    assert_string_equal (parent, mail_message_id (fixture_message (f, id)));
    assert_int_equal (mail_message_thread (fixture_message (f, id)),
                      mail_message_thread (fixture_message (f, "answer@x")));
}

/* ---- files ---- */

static void
test_files_in_order (void **state)
{
    struct fixture *f = *state;
    static const char *const paths[] = {"z/1", "a/2", "top", "a/1", "a b/1"};
    size_t count;
    for (size_t i = 0; i < G_N_ELEMENTS (paths); i++)
        fixture_mail (f, paths[i], "m@x", NULL, "w");
    fixture_sync (f);
    const struct mail_file *files = mail_message_files (fixture_message (f, "m@x"), &count);
    static const char *const sorted[] = {"top", "a/1", "a/2", "a b/1", "z/1"};
    assert_int_equal (count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal (mail_file_path (f->ctx, f->index, &files[i]),
                             fixture_path (f, sorted[i]));
    assert_string_equal (files[0].folder, "");
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown (name, fixture_setup, fixture_teardown)
        T (test_from_document),  T (test_many_tags), T (test_no_message),
        T (test_read),           T (test_long_ids),  T (test_references_to_long_ids),
        T (test_files_in_order),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
