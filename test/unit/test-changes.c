/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-changes.c - a list of changes keeps what it is told, in order. */
#include "changes.h"
#include "helper-index.h"

#include <stdio.h>

static void
test_empty (void **state)
{
    struct fixture *f = *state;
    struct mail_stat stat = {.mtime = 1};
    static const char *const kinds[] = {"folder", "move folder", "drop folder", "add",
                                        "move",   "drop",        "problem"};
    assert_true (mail_changes_empty (mail_changes_create (f->ctx, f->index)));
    for (size_t i = 0; i < G_N_ELEMENTS (kinds); i++) {
        struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
        if (i == 0)
            mail_changes_folder (changes, "a", &stat);
        else if (i == 1)
            mail_changes_move_folder (changes, 1, "a");
        else if (i == 2)
            mail_changes_drop_folder (changes, 1);
        else if (i == 3)
            mail_changes_add (changes, "a", "1", &stat);
        else if (i == 4)
            mail_changes_move (changes, 1, "1", "a", "2", &stat);
        else if (i == 5)
            mail_changes_drop (changes, 1, "1");
        else
            mail_changes_problem (changes, "a", "1", MAIL_REASON_EMPTY, &stat);
        if (mail_changes_empty (changes))
            fail_msg ("a list with a %s is not empty", kinds[i]);
        assert_int_equal (mail_changes_count_added (changes), i == 3);
    }
}

/* Folders are one each, whoever names them; strings are copied. */
static void
test_folders (void **state)
{
    struct fixture *f = *state;
    struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
    struct mail_stat stat = {.inode = 1, .mtime = 2}, file = {.inode = 3};
    char path[] = "in/cur", name[] = "one";
    mail_changes_add (changes, path, name, &file);
    mail_changes_folder (changes, path, &stat);
    stat.mtime = 4;
    mail_changes_folder (changes, path, &stat); /* the last word counts */
    mail_changes_add (changes, "in/cur", "two", &file);
    mail_changes_move (changes, 9, "old", "in/new", "three", &file);
    memset (path, 'x', sizeof path - 1);
    memset (name, 'x', sizeof name - 1);
    assert_int_equal (changes->folders->len, 2);
    struct change_folder *cur = changes_folder (changes, "in/cur");
    assert_ptr_equal (cur, changes_folder_at (changes, 0));
    assert_string_equal (cur->path, "in/cur");
    assert_true (cur->listed && cur->stat.mtime == 4 && cur->adds_left == 2);
    assert_false (changes_folder (changes, "in/new")->listed);
    assert_null (changes_folder (changes, "in"));
    struct change_add *add = &g_array_index (changes->adds, struct change_add, 0);
    assert_string_equal (add->name, "one");
    assert_int_equal (add->folder, 0);
    assert_true (add->stat.inode == 3);
    struct change_move *move = &g_array_index (changes->moves, struct change_move, 0);
    assert_string_equal (move->from_name, "old");
    assert_string_equal (move->name, "three");
    assert_int_equal (move->folder, 1);
    assert_int_equal (move->from_folder, 9);
}

static void
test_many (void **state)
{
    struct fixture *f = *state;
    enum { COUNT = 100000 };
    struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
    struct mail_stat stat = {0};
    char folder[32], name[32];
    for (unsigned i = 0; i < COUNT; i++) {
        snprintf (folder, sizeof folder, "folder%u", i % 1000);
        snprintf (name, sizeof name, "name%u", i);
        mail_changes_add (changes, folder, name, &stat);
    }
    assert_int_equal (mail_changes_count_added (changes), COUNT);
    assert_int_equal (changes->folders->len, 1000);
    for (unsigned i = 0; i < COUNT; i += 777) {
        struct change_add *add = &g_array_index (changes->adds, struct change_add, i);
        snprintf (name, sizeof name, "name%u", i);
        assert_string_equal (add->name, name);
        assert_int_equal (add->folder, i % 1000);
    }
    talloc_free (changes);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown (name, fixture_setup, fixture_teardown)
        T (test_empty),
        T (test_folders),
        T (test_many),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
