/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-senders.c - whom messages are from, out of columns and records.
 *
 * That both say the same is a rule of fixture_check, which ends every test.
 */
#include "senders.h"
#include "helper-index.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- helpers ---- */

/* second: of the date. */
static void
mail_at (struct fixture *f, unsigned second, const char *id, const char *from, const char *body)
{
    fixture_write (
        f, talloc_asprintf (f->ctx, "in/cur/%u", second),
        talloc_asprintf (f->ctx,
                         "Message-ID: <%s>\nSubject: s\n%s%s%sDate: Tue, 05 Mar 2024 10:%02u:%02u "
                         "+0000\n\n%s\n",
                         id, from ? "From: " : "", from ? from : "", from ? "\n" : "", second / 60,
                         second % 60, body));
}

static struct mail_results *
run (struct fixture *f, const char *text)
{
    struct mail_query *query;
    struct mail_results *results;
    assert_int_equal (mail_query_parse (f->ctx, f->index, text, &query, NULL), MAIL_OK);
    assert_int_equal (mail_query_run (f->ctx, query, MAIL_SORT_OLDEST_FIRST, &results), MAIL_OK);
    return results;
}

/* "Name|address" of all senders, with blanks between; the records that were read for it. */
static char *
senders_of (struct fixture *f, const char *query, size_t *records_out)
{
    const struct mail_sender *sender;
    char *text = talloc_strdup (f->ctx, "");
    struct mail_senders *senders = senders_open (f->ctx, run (f, query), 0);
    for (;;) {
        assert_int_equal (mail_senders_next (senders, &sender), MAIL_OK);
        if (!sender)
            break;
        for (size_t i = 0; i < sender->count; i++)
            text = talloc_asprintf_append (text, "%s%s|%s", *text ? " " : "",
                                           sender->addresses[i].name, sender->addresses[i].address);
    }
    *records_out = senders_records (senders);
    talloc_free (senders);
    return text;
}

/* ---- tests ---- */

static void
test_forms (void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *from, *people;
        size_t records;
    } rows[] = {
        {"ann@example.org", "|ann@example.org", 0},
        {"Ann <ann@example.org>", "Ann|ann@example.org", 0},
        {"=?utf-8?q?Ann=2C_=3Cx=40y=3E?= <ann@example.org>", "Ann, <x@y>|ann@example.org", 0},
        {"J\xf6rg <joerg@example.org>", "J\xc3\xb6rg|joerg@example.org", 0},
        {"J\xc3\xb6rg <joerg@example.org>", "J\xc3\xb6rg|joerg@example.org", 0},
        {"a@x, b@x", "|a@x |b@x", 0},
        {"All: a@x, b@x;", "|a@x |b@x", 0},
        {"nobody", "|nobody", 0},
        {"", "", 0},
        {NULL, "", 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        size_t records;
        char *id = talloc_asprintf (f->ctx, "m%zu", i), *people;
        mail_at (f, 1, id, rows[i].from, "x");
        fixture_sync (f);
        assert_string_equal (fixture_find (f, "*"), id);
        people = senders_of (f, talloc_asprintf (f->ctx, "id:%s", id), &records);
        assert_string_equal (people, rows[i].people);
        assert_int_equal (records, rows[i].records);
        fixture_check (f);
    }
}

/* Not in the column. */
static void
test_long (void **state)
{
    struct fixture *f = *state;
    size_t records;
    char *name = talloc_array (f->ctx, char, 1101);
    memset (name, 'a', 1100);
    name[1100] = '\0';
    mail_at (f, 1, "a@x", talloc_asprintf (f->ctx, "%s <a@x>", name), "x");
    fixture_sync (f);
    assert_string_equal (senders_of (f, "*", &records), talloc_asprintf (f->ctx, "%s|a@x", name));
    assert_int_equal (records, 1);
}

/* Files with other words, by the same or by another sender; the first indexed counts. */
static void
test_several_files (void **state)
{
    struct fixture *f = *state;
    size_t records;
    for (unsigned i = 10; i < 30; i++) /* or the segment is made anew as soon as one is stale */
        mail_at (f, i, talloc_asprintf (f->ctx, "%u@x", i), NULL, "words");
    mail_at (f, 1, "a@x", "Ann <ann@x>", "apples");
    fixture_sync (f);
    mail_at (f, 2, "a@x", "Ann <ann@x>", "pears");
    fixture_sync (f);
    assert_string_equal (senders_of (f, "id:a@x", &records), "Ann|ann@x");
    assert_int_equal (records, 0);
    mail_at (f, 3, "a@x", "Bob <bob@x>", "plums");
    fixture_sync (f);
    assert_string_equal (senders_of (f, "id:a@x", &records), "Ann|ann@x");
    assert_int_equal (records, 1);
    fixture_check (f);
    fixture_remove (f, "in/cur/1");
    fixture_remove (f, "in/cur/2");
    fixture_sync (f);
    assert_string_equal (senders_of (f, "id:a@x", &records), "Bob|bob@x");
}

/* The words were made anew when the first file could not be read: what it said is in the record
 * only, for people and for regular expressions. */
static void
test_unreadable (void **state)
{
    struct fixture *f = *state;
    size_t records;
    mail_at (f, 1, "a@x", "Ann <ann@x>", "apples");
    fixture_sync (f);
    mail_at (f, 2, "a@x", "Bob <bob@x>", "pears");
    fixture_remove (f, "in/cur/1");
    assert_int_equal (mkfifo (fixture_path (f, "in/cur/1"), 0600), 0);
    struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
    struct mail_stat stat = fixture_stat (f, "in/cur/2");
    mail_changes_add (changes, "in/cur", "2", &stat);
    assert_int_equal (fixture_apply (f, changes), MAIL_OK);
    assert_string_equal (fixture_files (f, "a@x"), "in/cur/1 in/cur/2");
    assert_string_equal (fixture_find (f, "pears"), "a@x");
    assert_string_equal (senders_of (f, "*", &records), "Ann|ann@x");
    assert_int_equal (records, 1);
    assert_string_equal (fixture_find (f, "from:/Ann/"), "a@x");
    assert_string_equal (fixture_find (f, "from:/Bob/"), "a@x");
}

static void
change_twice (struct fixture *f)
{
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned k = i; k < 100; k += 4)
            fixture_remove (f, talloc_asprintf (f->ctx, "in/cur/%u", k));
        for (unsigned k = 2 + i; k < 100; k += 4)
            mail_at (f, k, talloc_asprintf (f->ctx, "%u@x", k), "Other <other@x>", "other words");
        fixture_sync (f);
    }
}

/* Between the messages that are read by themselves and the column, half of the messages go and the
 * words of the other half are made anew. */
static void
test_overtaken (void **state)
{
    struct fixture *f = *state;
    const struct mail_sender *sender;
    size_t count = 0;
    for (unsigned i = 0; i < 100; i++)
        mail_at (f, i, talloc_asprintf (f->ctx, "%u@x", i), "Ann <ann@x>", "words");
    fixture_sync (f);
    struct mail_senders *senders = senders_open (f->ctx, run (f, "*"), 20);
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal (mail_senders_next (senders, &sender), MAIL_OK);
        assert_string_equal (sender->addresses[0].address, "ann@x");
    }
    fixture_in_child (f, change_twice);
    for (;;) {
        assert_int_equal (mail_senders_next (senders, &sender), MAIL_OK);
        if (!sender)
            break;
        assert_string_equal (sender->addresses[0].address, "other@x");
        count++;
    }
    assert_int_equal (count, 40);
    assert_int_equal (mail_senders_next (senders, &sender), MAIL_OK);
    assert_null (sender);
    talloc_free (senders);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown (test_forms, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown (test_long, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown (test_several_files, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown (test_unreadable, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown (test_overtaken, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
