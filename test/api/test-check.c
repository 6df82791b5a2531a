/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-check.c - damage of each store is told and mended; snapshots. */
#include "helper.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static struct mail_open_options
where (struct fixture *f)
{
    return (struct mail_open_options){.path = f->root, .lock_timeout = -1, .command = "test"};
}

static void
note (void *closure, const struct mail_damage *damage)
{
    unsigned *stores = closure;
    *stores |= 1u << damage->store;
    assert_true (*damage->path && *damage->text);
}

/* What is damaged, as a set of stores. */
static unsigned
check (struct fixture *f)
{
    struct mail_open_options options = where (f);
    unsigned stores = 0;
    size_t found;
    char *error = NULL;
    assert_int_equal (mail_index_check (f->ctx, &options, note, &stores, &found, &error), MAIL_OK);
    assert_null (error);
    assert_int_equal (found > 0, stores != 0);
    return stores;
}

static char *
inside (struct fixture *f, const char *path)
{
    return talloc_asprintf (f->ctx, "%s/.mailindex/%s", f->root, path);
}

/* The first file in a folder of the index. */
static char *
first_in (struct fixture *f, const char *folder)
{
    DIR *dir = opendir (inside (f, folder));
    char *found = NULL;
    assert_non_null (dir);
    for (struct dirent *entry; !found && (entry = readdir (dir)) != NULL;)
        if (entry->d_type == DT_REG)
            found = inside (f, talloc_asprintf (f->ctx, "%s/%s", folder, entry->d_name));
    closedir (dir);
    assert_non_null (found);
    return found;
}

static void
spoil (const char *path, long offset)
{
    FILE *file = fopen (path, "r+");
    assert_non_null (file);
    assert_int_equal (fseek (file, offset, SEEK_SET), 0);
    assert_int_equal (fwrite ("SPOILT", 1, 6, file), 6);
    assert_int_equal (fclose (file), 0);
}

static void
test_none (void **state)
{
    struct fixture *f = *state;
    char *error = NULL;
    size_t found;
    struct mail_open_options options = where (f);
    assert_int_equal (check (f), 0);
    options.path = talloc_asprintf (f->ctx, "%s/elsewhere", f->root);
    mkdir (options.path, 0700);
    assert_int_equal (mail_index_check (f->ctx, &options, note, NULL, &found, &error),
                      MAIL_ERROR_NO_INDEX);
    assert_non_null (error);
}

static void
test_text (void **state)
{
    struct fixture *f = *state;
    char *path = first_in (f, "text");
    const char *names[] = {strrchr (path, '/') + 1, NULL};
    struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
    struct mail_apply_options options = helper_options ();
    struct mail_apply_counts counts;
    spoil (path, 3000);
    assert_int_equal (check (f), 1u << MAIL_STORE_TEXT);
    options.rebuild = names;
    assert_int_equal (mail_changes_apply (changes, &options, &counts), MAIL_OK);
    talloc_free (changes);
    assert_int_equal (check (f), 0);
    assert_int_equal (helper_count (f, "red"), 2);
    assert_int_equal (helper_count (f, "\"green apples\""), 1);
}

static void
tag (struct fixture *f, const char *query, const char *name)
{
    struct mail_query *parsed;
    struct mail_query_error error;
    struct mail_tag_change change = {name, true};
    assert_int_equal (mail_query_parse (f->ctx, f->index, query, &parsed, &error), MAIL_OK);
    assert_int_equal (mail_query_tag (parsed, &change, 1, NULL), MAIL_OK);
    talloc_free (parsed);
}

static void
test_snapshots (void **state)
{
    struct fixture *f = *state;
    assert_true (mail_snapshot_is_due (f->index));
    assert_int_equal (mail_snapshot_take (f->index, 2), MAIL_OK);
    assert_false (mail_snapshot_is_due (f->index)); /* nothing has changed since */
    tag (f, "red", "after");
    assert_false (mail_snapshot_is_due (f->index)); /* it is too soon */
    spoil (first_in (f, "backups"), 60);
    assert_int_equal (check (f), 1u << MAIL_STORE_SNAPSHOT);
    assert_int_equal (mail_snapshot_take (f->index, 2), MAIL_OK);
    assert_int_equal (check (f), 0);
    tag (f, "green", "after");
    spoil (inside (f, "journal"), 60);
    assert_int_equal (check (f), 1u << MAIL_STORE_JOURNAL);
    assert_int_equal (mail_snapshot_take (f->index, 2), MAIL_OK);
    assert_int_equal (check (f), 0);
}

static void
test_undo (void **state)
{
    struct fixture *f = *state;
    int64_t when = 0;
    uint64_t changed;
    struct mail_edits *edits = mail_edits_create (f->ctx, f->index);
    assert_int_equal (mail_undo_find (edits, f->index, "another", &when), MAIL_OK);
    assert_int_equal (when, 0);
    assert_int_equal (mail_edits_count (edits), 0);
    tag (f, "red", "colour");
    assert_int_equal (helper_count (f, "tag:colour"), 2);
    assert_int_equal (mail_undo_find (edits, f->index, "test", &when), MAIL_OK);
    assert_true (when > 0);
    assert_true (mail_edits_count (edits) >= 2);
    assert_int_equal (mail_edits_apply (edits, NULL, NULL, &changed), MAIL_OK);
    assert_true (changed >= 2);
    assert_int_equal (helper_count (f, "tag:colour"), 0);
}

/* State is damaged; tags are of a snapshot, of the journal after it, and of none. */
static void
test_state (void **state)
{
    struct fixture *f = *state;
    struct mail_open_options options = where (f);
    char *aside, *error = NULL;
    tag (f, "green", "in-snapshot");
    assert_int_equal (mail_snapshot_take (f->index, 2), MAIL_OK);
    tag (f, "red", "in journal");
    for (long offset = 0; offset < 12000; offset += 512)
        spoil (inside (f, "state/postlist.glass"), offset);
    assert_true (check (f) & 1u << MAIL_STORE_STATE);
    assert_int_equal (mail_repair_begin (f->ctx, &options, &aside, &error), MAIL_OK);
    assert_int_equal (access (talloc_asprintf (f->ctx, "%s/state", aside), F_OK), 0);
    mail_index_close (f->index);
    assert_int_equal (mail_index_open (f->ctx, &options, &f->index, &error), MAIL_OK);
    assert_true (mail_repair_is_open (f->index));
    assert_int_equal (check (f), 1u << MAIL_STORE_REPAIR);
    assert_int_equal (mail_snapshot_take (f->index, 2), MAIL_ERROR_CORRUPT);
    struct mail_query *query;
    struct mail_query_error fault;
    struct mail_tag_change change = {"too-soon", true};
    helper_index (f, helper_standard_files);
    assert_int_equal (mail_query_parse (f->ctx, f->index, "*", &query, &fault), MAIL_OK);
    assert_int_equal (mail_query_tag (query, &change, 1, NULL), MAIL_ERROR_LOCKED);
    talloc_free (query);
    assert_int_equal (helper_count (f, "tag:in-snapshot"), 0);
    assert_int_equal (mail_repair_tags (f->index, true), MAIL_OK);
    assert_false (mail_repair_is_open (f->index));
    assert_int_equal (mail_index_refresh (f->index), MAIL_OK);
    assert_int_equal (helper_count (f, "tag:in-snapshot"), 1);
    assert_int_equal (helper_count (f, "tag:\"in journal\""), 2);
    assert_int_equal (helper_count (f, "tag:inbox"), 5);
    assert_int_equal (check (f), 0);
}

/* Nobody begins a new index over the tags of another. */
static void
test_missing (void **state)
{
    struct fixture *f = *state;
    struct mail_open_options options = where (f);
    struct mail_index *index = NULL;
    char *error = NULL;
    assert_int_equal (rename (inside (f, "state"), talloc_asprintf (f->ctx, "%s/away", f->root)),
                      0);
    assert_int_equal (check (f), 1u << MAIL_STORE_STATE);
    options.flags = MAIL_OPEN_CREATE;
    assert_int_equal (mail_index_open (f->ctx, &options, &index, &error), MAIL_ERROR_CORRUPT);
    assert_non_null (strstr (error, "is missing"));
    options.flags |= MAIL_OPEN_RESTORE;
    assert_int_equal (mail_index_open (f->ctx, &options, &index, &error), MAIL_OK);
    assert_true (mail_repair_is_open (index));
    mail_index_close (index);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown (test_none, helper_setup, helper_teardown),
        cmocka_unit_test_setup_teardown (test_text, helper_setup, helper_teardown),
        cmocka_unit_test_setup_teardown (test_snapshots, helper_setup, helper_teardown),
        cmocka_unit_test_setup_teardown (test_undo, helper_setup, helper_teardown),
        cmocka_unit_test_setup_teardown (test_state, helper_setup, helper_teardown),
        cmocka_unit_test_setup_teardown (test_missing, helper_setup, helper_teardown),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
