/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-changes.c - folders as the index knows them, and lists of changes. */
#include "helper.h"

#include <stdio.h>
#include <unistd.h>

static const struct mail_folder *
folder_at (struct mail_folders *folders, const char *first, const char *second)
{
    size_t count = 0;
    const struct mail_folder *const *roots = mail_folders_children (folders, 0, &count);
    assert_int_equal (count, 1); /* the mail root itself */
    const struct mail_folder *folder = mail_folders_child (folders, roots[0]->id, first);
    return folder && second ? mail_folders_child (folders, folder->id, second) : folder;
}

static struct mail_folders *
load (struct fixture *f)
{
    struct mail_folders *folders = NULL;
    assert_int_equal (mail_folders_load (f->ctx, f->index, &folders), MAIL_OK);
    return folders;
}

static void
test_folders (void **state)
{
    struct fixture *f = *state;
    size_t count = 0;
    struct mail_folders *folders = load (f);
    const struct mail_folders *begun_with;
    struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
    assert_int_equal (mail_changes_folders (changes, &begun_with), MAIL_OK);
    mail_folders_list (begun_with, &count);
    assert_int_equal (count, 3);
    mail_folders_list (folders, &count);
    assert_int_equal (count, 3);
    const struct mail_folder *cur = folder_at (folders, "in", "cur");
    assert_non_null (cur);
    assert_ptr_equal (mail_folders_by_id (folders, cur->id), cur);
    assert_null (mail_folders_by_id (folders, 123456));
    assert_null (mail_folders_child (folders, cur->id, "absent"));
    assert_string_equal (cur->name, "cur");
    assert_string_equal (mail_folders_path (f->ctx, folders, cur->id), "in/cur");
    struct mail_stat st = helper_stat (f, "in/cur");
    assert_true (cur->stat.inode == st.inode);
    const struct mail_folder *const *children =
        mail_folders_children (folders, cur->parent, &count);
    assert_int_equal (count, 1);
    assert_ptr_equal (children[0], cur);
}

static void
test_files (void **state)
{
    struct fixture *f = *state;
    char **names = NULL;
    size_t count = 0;
    bool found = false;
    uint32_t cur = folder_at (load (f), "in", "cur")->id;
    assert_int_equal (mail_folder_files (f->ctx, f->index, cur, &names, &count), MAIL_OK);
    assert_int_equal (count, 6);
    static const char *const right[] = {"a:2,S", "b:2,S", "c2:2,S", "c:2,S", "d:2,FS", "e:2,S"};
    for (size_t i = 0; i < 6; i++)
        assert_string_equal (names[i], right[i]);
    struct mail_stat have = {0}, want = helper_stat (f, "in/cur/b:2,S");
    assert_int_equal (mail_folder_file_stat (f->index, cur, "b:2,S", &have, &found), MAIL_OK);
    assert_true (found);
    assert_true (have.inode == want.inode && have.size == want.size && have.mtime == want.mtime);
    assert_int_equal (mail_folder_file_stat (f->index, cur, "absent", &have, &found), MAIL_OK);
    assert_false (found);
}

static struct mail_apply_counts
apply (struct fixture *f, struct mail_changes *changes)
{
    struct mail_apply_options options = helper_options ();
    struct mail_apply_counts counts = {0};
    enum mail_status status = mail_changes_apply (changes, &options, &counts);
    if (status != MAIL_OK)
        fail_msg ("%s", mail_index_error (f->index));
    return counts;
}

static void
test_counts (void **state)
{
    struct fixture *f = *state;
    helper_standard_mail (f);
    struct mail_apply_counts counts = helper_index (f, helper_standard_files);
    assert_int_equal (counts.processed, 6);
    assert_int_equal (counts.added, 5);
    assert_int_equal (counts.renamed + counts.removed + counts.not_mail + counts.failed, 0);
    struct mail_changes *none = mail_changes_create (f->ctx, f->index);
    assert_true (mail_changes_empty (none));
    assert_int_equal (mail_changes_count_added (none), 0);
    counts = apply (f, none);
    assert_int_equal (counts.processed, 0);
}

/* A move keeps tags, id and thread; the file is not read, so it need not even be there. */
static void
test_move (void **state)
{
    struct fixture *f = *state;
    uint32_t docid = mail_message_docid (helper_find (f, "d@example.org"));
    uint32_t cur = folder_at (load (f), "in", "cur")->id;
    struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
    struct mail_stat st = helper_stat (f, "in/cur/d:2,FS"), folder = helper_stat (f, "in/cur");
    mail_changes_folder (changes, "other/cur", &folder);
    mail_changes_move (changes, cur, "d:2,FS", "other/cur", "renamed:2,S", &st);
    assert_false (mail_changes_empty (changes));
    assert_int_equal (mail_changes_count_added (changes), 0);
    struct mail_apply_counts counts = apply (f, changes);
    assert_int_equal (counts.renamed, 1);
    assert_int_equal (counts.removed, 0);
    struct mail_message *message = helper_find (f, "d@example.org");
    assert_int_equal (mail_message_docid (message), docid);
    size_t count = 0;
    const struct mail_file *files = mail_message_files (message, &count);
    assert_int_equal (count, 1);
    assert_string_equal (files[0].folder, "other/cur");
    assert_string_equal (files[0].name, "renamed:2,S");
    assert_int_equal (helper_count (f, "tag:flagged"), 0);
    assert_int_equal (helper_count (f, "folder:other and rotten"), 1);
}

static void
test_drop (void **state)
{
    struct fixture *f = *state;
    uint32_t cur = folder_at (load (f), "in", "cur")->id;
    struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
    mail_changes_drop (changes, cur, "c:2,S");
    mail_changes_drop (changes, cur, "a:2,S");
    struct mail_apply_counts counts = apply (f, changes);
    assert_int_equal (counts.renamed, 1);
    assert_int_equal (counts.removed, 1);
    assert_null (helper_find (f, "a@example.org"));
    assert_non_null (helper_find (f, "c@example.org"));
    assert_int_equal (helper_count (f, "*"), 4);
    assert_int_equal (helper_count (f, "green"), 0);
    assert_int_equal (mail_index_count (f->index), 4);
}

/* A file that was away, and is back when its turn comes, stays. */
static void
test_drop_missing (void **state)
{
    struct fixture *f = *state;
    uint32_t cur = folder_at (load (f), "in", "cur")->id;
    struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
    assert_int_equal (unlink (talloc_asprintf (f->ctx, "%s/in/cur/b:2,S", f->root)), 0);
    mail_changes_drop_missing (changes, cur, "a:2,S");
    mail_changes_drop_missing (changes, cur, "b:2,S");
    struct mail_apply_counts counts = apply (f, changes);
    assert_int_equal (counts.removed, 1);
    assert_non_null (helper_find (f, "a@example.org"));
    assert_null (helper_find (f, "b@example.org"));
}

static void
test_move_folder (void **state)
{
    struct fixture *f = *state;
    uint32_t in = folder_at (load (f), "in", NULL)->id;
    struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
    mail_changes_move_folder (changes, in, "archive/old");
    apply (f, changes);
    assert_int_equal (helper_count (f, "folder:in"), 0);
    assert_int_equal (helper_count (f, "folder:archive/old"), 5);
    assert_int_equal (helper_count (f, "path:archive/**"), 5);
    size_t count = 0;
    const struct mail_file *files = mail_message_files (helper_find (f, "a@example.org"), &count);
    assert_string_equal (files[0].folder, "archive/old/cur");
}

static void
test_drop_folder (void **state)
{
    struct fixture *f = *state;
    size_t count = 0;
    uint32_t in = folder_at (load (f), "in", NULL)->id;
    struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
    mail_changes_drop_folder (changes, in);
    struct mail_apply_counts counts = apply (f, changes);
    assert_int_equal (counts.removed, 5);
    assert_int_equal (helper_count (f, "*"), 0);
    mail_folders_list (load (f), &count);
    assert_int_equal (count, 1);
}

struct problems {
    unsigned not_mail, vanished, others;
};

static void
note_problem (void *closure, const char *path, enum mail_status status, const char *text)
{
    struct problems *problems = closure;
    assert_non_null (text);
    if (strstr (path, "in/cur/note") && status == MAIL_ERROR_NOT_MAIL)
        problems->not_mail++;
    else if (strstr (path, "in/cur/vanished") && status == MAIL_ERROR_IO)
        problems->vanished++;
    else
        problems->others++;
}

static void
test_problems (void **state)
{
    struct fixture *f = *state;
    helper_standard_mail (f);
    helper_write (f, "in/cur/note", "no mail\n");
    struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
    struct mail_stat folder = helper_stat (f, "in/cur"), st = helper_stat (f, "in/cur/note");
    mail_changes_folder (changes, "in/cur", &folder);
    mail_changes_add (changes, "in/cur", "note", &st);
    mail_changes_add (changes, "in/cur", "vanished", &st);
    st = helper_stat (f, "in/cur/a:2,S");
    mail_changes_add (changes, "in/cur", "a:2,S", &st);
    assert_int_equal (mail_changes_count_added (changes), 3);
    struct problems seen = {0};
    struct mail_apply_options options = helper_options ();
    options.problem = note_problem;
    options.closure = &seen;
    struct mail_apply_counts counts = {0};
    assert_int_equal (mail_changes_apply (changes, &options, &counts), MAIL_OK);
    assert_int_equal (seen.not_mail, 1);
    assert_int_equal (seen.vanished, 1);
    assert_int_equal (seen.others, 0);
    assert_int_equal (counts.added, 1);
    assert_int_equal (counts.not_mail, 1);
    assert_int_equal (counts.vanished, 1);
    assert_int_equal (counts.processed, 3);
    assert_int_equal (helper_count (f, "*"), 1);
}

struct stop {
    unsigned calls, published;
};

static bool
stop_after_two (void *closure, const char *path, uint64_t done, uint64_t total)
{
    struct stop *stop = closure;
    assert_true (done <= total);
    if (!path)
        stop->published++;
    return ++stop->calls < 2;
}

/* What was done before the stop is published, and counted. */
static void
test_interrupt (void **state)
{
    struct fixture *f = *state;
    helper_standard_mail (f);
    struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
    for (size_t i = 0; helper_standard_files[i][0]; i++) {
        const char *name = helper_standard_files[i][1];
        struct mail_stat st = helper_stat (f, talloc_asprintf (f->ctx, "in/cur/%s", name));
        mail_changes_add (changes, "in/cur", name, &st);
    }
    struct stop stop = {0};
    struct mail_apply_options options = helper_options ();
    options.progress = stop_after_two;
    options.closure = &stop;
    struct mail_apply_counts counts = {0};
    assert_int_equal (mail_changes_apply (changes, &options, &counts), MAIL_ERROR_INTERRUPTED);
    assert_true (stop.calls >= 2);
    assert_int_equal (helper_count (f, "*"), counts.added);
    struct mail_apply_counts rest = helper_index (f, helper_standard_files);
    assert_int_equal (counts.added + rest.added, 5);
    assert_int_equal (helper_count (f, "*"), 5);
}

/* ---- callbacks ---- */

struct caller {
    struct mail_index *other; /* waits for no lock */
    unsigned progress, problems, locked;
};

static void
change_something (struct caller *caller, bool odd)
{
    const struct mail_setting setting = {"query.some", odd ? "tag:a" : "tag:b"};
    enum mail_status status = mail_index_set_settings (caller->other, &setting, 1);
    caller->locked += status == MAIL_ERROR_LOCKED;
    assert_true (status == MAIL_OK || status == MAIL_ERROR_LOCKED);
}

static bool
change_on_progress (void *closure, const char *path, uint64_t done, uint64_t total)
{
    struct caller *caller = closure;
    (void) path;
    assert_true (done <= total);
    if (++caller->progress % 10 == 0)
        change_something (caller, caller->progress % 20);
    return true;
}

static void
change_on_problem (void *closure, const char *path, enum mail_status status, const char *text)
{
    struct caller *caller = closure;
    (void) path;
    (void) status;
    (void) text;
    change_something (caller, ++caller->problems % 2);
}

/* Who is told of something may take his time: the lock is free. Afterwards the list is empty. */
static void
test_callbacks_without_lock (void **state)
{
    enum { COUNT = 1200 };
    struct fixture *f = *state;
    struct mail_open_options open = {.path = f->root, .flags = MAIL_OPEN_CREATE};
    struct caller caller = {0};
    struct mail_apply_options options = helper_options ();
    struct mail_apply_counts counts;
    assert_int_equal (mail_workers_start (f->ctx, 2, 0, &options.workers), MAIL_OK);
    open.lock_timeout = 0;
    assert_int_equal (mail_index_open (f->ctx, &open, &caller.other, NULL), MAIL_OK);
    struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
    for (unsigned i = 0; i < COUNT; i++) {
        char *name = talloc_asprintf (f->ctx, "n%u", i);
        if (i % 30)
            helper_mail (f, name, name, "Some", 1, NULL, "words");
        else
            helper_write (f, talloc_asprintf (f->ctx, "in/cur/%s", name), "no mail\n");
        struct mail_stat st = helper_stat (f, talloc_asprintf (f->ctx, "in/cur/%s", name));
        mail_changes_add (changes, "in/cur", name, &st);
    }
    options.progress = change_on_progress;
    options.problem = change_on_problem;
    options.closure = &caller;
    assert_int_equal (mail_changes_apply (changes, &options, &counts), MAIL_OK);
    assert_int_equal (counts.added, COUNT - COUNT / 30);
    assert_true (caller.progress >= COUNT);
    assert_int_equal (caller.problems, COUNT / 30);
    assert_int_equal (caller.locked, 0);
    assert_true (mail_changes_empty (changes));
    assert_int_equal (mail_changes_apply (changes, &options, &counts), MAIL_OK);
    assert_int_equal (counts.processed, 0);
    mail_index_close (caller.other);
}

/* A stored name that is added again is read again. */
static void
test_read_again (void **state)
{
    struct fixture *f = *state;
    helper_mail (f, "a:2,S", "a", "Apricots", 1, NULL, "yellow apricots");
    helper_index (f, helper_standard_files);
    assert_int_equal (helper_count (f, "*"), 5);
    assert_int_equal (helper_count (f, "yellow"), 1);
    assert_int_equal (helper_count (f, "green"), 0);
    struct mail_message *message = helper_find (f, "a@example.org");
    assert_string_equal (mail_message_field (message, MAIL_SUBJECT), "Apricots");
}

static bool
has_tag (struct fixture *f, const char *id, const char *tag)
{
    const char *const *tags = mail_message_tags (helper_find (f, id), NULL);
    for (; *tags; tags++)
        if (strcmp (*tags, tag) == 0)
            return true;
    return false;
}

/* quiet_before is a moment: what is older, or seen, has neither tag; other tags stay. */
static void
test_quiet_before (void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {"old:2,", "now:2,", "seen:2,FS"};
    helper_mail (f, names[0], "old", "Old", 9, NULL, "x");
    helper_mail (f, names[1], "now", "Now", 10, NULL, "x");
    helper_mail (f, names[2], "seen", "Seen", 11, NULL, "x");
    struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
    for (size_t i = 0; i < 3; i++) {
        struct mail_stat st = helper_stat (f, talloc_asprintf (f->ctx, "in/cur/%s", names[i]));
        mail_changes_add (changes, "in/cur", names[i], &st);
    }
    struct mail_apply_options options = helper_options ();
    options.quiet_before = 1709632810; /* the date of "now" */
    struct mail_apply_counts counts = {0};
    assert_int_equal (mail_changes_apply (changes, &options, &counts), MAIL_OK);
    assert_int_equal (counts.added, 3);
    assert_int_equal (counts.quiet, 2);
    assert_true (has_tag (f, "now@example.org", "inbox"));
    assert_true (has_tag (f, "now@example.org", "unread"));
    assert_int_equal (helper_count (f, "tag:inbox or tag:unread"), 1);
    assert_true (has_tag (f, "seen@example.org", "flagged"));
}

/* What another index had holds, over names of files, content and new.tags; all files of a message,
 * and all lines about it, count. The list is as it was. */
static void
test_known (void **state)
{
    struct fixture *f = *state;
    const struct mail_tag_change kept[] = {{"kept", true}};
    const struct mail_property property = {"key", "value"};
    const struct mail_edit tags = {.remove_tags = true, .tags = kept, .tag_count = 1};
    const struct mail_edit properties = {.properties = &property, .property_count = 1};
    struct mail_edits *known = mail_edits_create (f->ctx, f->index);
    helper_standard_mail (f);
    for (const char *const *id = (const char *const[]){"c", "d", "e", "none", NULL}; *id; id++) {
        char *full = talloc_asprintf (f->ctx, "%s@example.org", *id);
        assert_int_equal (mail_edits_add (known, full, &tags), MAIL_OK);
        assert_int_equal (mail_edits_add (known, full, &properties), MAIL_OK);
    }
    struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
    for (size_t i = 0; helper_standard_files[i][0]; i++) {
        const char *name = helper_standard_files[i][1];
        struct mail_stat st = helper_stat (f, talloc_asprintf (f->ctx, "in/cur/%s", name));
        mail_changes_add (changes, "in/cur", name, &st);
    }
    struct mail_apply_options options = helper_options ();
    options.known = known;
    struct mail_apply_counts counts = {0};
    assert_int_equal (mail_changes_apply (changes, &options, &counts), MAIL_OK);
    assert_int_equal (counts.added, 5);
    assert_int_equal (counts.known, 3);
    assert_int_equal (mail_edits_count (known), 8);
    for (const char *const *id = (const char *const[]){"c", "d", "e", NULL}; *id; id++) {
        size_t count;
        struct mail_message *message =
            helper_find (f, talloc_asprintf (f->ctx, "%s@example.org", *id));
        assert_string_equal (mail_message_tags (message, &count)[0], "kept");
        assert_int_equal (count, 1);
        assert_string_equal (mail_message_properties (message, &count)[0].value, "value");
    }
    assert_true (has_tag (f, "a@example.org", "inbox"));
    assert_false (has_tag (f, "a@example.org", "kept"));
}

/* The mark is there until somebody takes it away, over whatever is done and in new handles too. */
static void
test_first_import (void **state)
{
    struct fixture *f = *state;
    assert_true (mail_index_first_import (f->index));
    helper_standard_mail (f);
    helper_index (f, helper_standard_files);
    assert_true (mail_index_first_import (f->index));
    assert_int_equal (mail_index_end_first_import (f->index), MAIL_OK);
    assert_false (mail_index_first_import (f->index));
    struct mail_open_options options = {.path = f->root, .flags = MAIL_OPEN_CREATE};
    struct mail_index *other = NULL;
    assert_int_equal (mail_index_open (f->ctx, &options, &other, NULL), MAIL_OK);
    assert_false (mail_index_first_import (other));
    mail_index_close (other);
}

int
main (void)
{
#define WITH_MAIL(test) cmocka_unit_test_setup_teardown (test, helper_setup, helper_teardown)
#define EMPTY(test) cmocka_unit_test_setup_teardown (test, helper_setup_empty, helper_teardown)
    const struct CMUnitTest tests[] = {
        WITH_MAIL (test_folders),
        WITH_MAIL (test_files),
        EMPTY (test_counts),
        WITH_MAIL (test_move),
        WITH_MAIL (test_drop),
        WITH_MAIL (test_drop_missing),
        WITH_MAIL (test_move_folder),
        EMPTY (test_problems),
        WITH_MAIL (test_drop_folder),
        EMPTY (test_interrupt),
        WITH_MAIL (test_read_again),
        EMPTY (test_quiet_before),
        EMPTY (test_first_import),
        EMPTY (test_known),
        EMPTY (test_callbacks_without_lock),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
