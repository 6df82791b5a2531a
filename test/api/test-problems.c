/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-problems.c - what cannot be indexed is remembered; workers; messages that go and come back.
 */
#include "helper.h"

#include <unistd.h>

static struct mail_problem *
load_problems (struct fixture *f, size_t *count)
{
    struct mail_problem *problems = NULL;
    assert_int_equal (mail_problems_load (f->ctx, f->index, &problems, count), MAIL_OK);
    return problems;
}

static struct mail_apply_counts
apply (struct mail_changes *changes, struct mail_apply_options options)
{
    struct mail_apply_counts counts = {0};
    assert_int_equal (mail_changes_apply (changes, &options, &counts), MAIL_OK);
    talloc_free (changes);
    return counts;
}

static struct mail_apply_counts
add (struct fixture *f, const char *name, struct mail_apply_options options)
{
    struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
    char *path = talloc_asprintf (f->ctx, "in/cur/%s", name);
    struct mail_stat folder = helper_stat (f, "in/cur"), file = helper_stat (f, path);
    mail_changes_folder (changes, "in/cur", &folder);
    mail_changes_add (changes, "in/cur", name, &file);
    return apply (changes, options);
}

static uint32_t
folder_id (struct fixture *f)
{
    struct mail_folders *folders;
    assert_int_equal (mail_folders_load (f->ctx, f->index, &folders), MAIL_OK);
    uint32_t root = mail_folders_child (folders, 0, "")->id;
    return mail_folders_child (folders, mail_folders_child (folders, root, "in")->id, "cur")->id;
}

static struct mail_apply_counts
drop (struct fixture *f, const char *name, struct mail_apply_options options)
{
    struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
    mail_changes_drop (changes, folder_id (f), name);
    return apply (changes, options);
}

static void
test_words (void **state)
{
    (void) state;
    assert_string_equal (mail_reason_word (MAIL_REASON_NOT_MAIL), "not-mail");
    assert_string_equal (mail_reason_word (MAIL_REASON_SPECIAL_FILE), "special-file");
    assert_string_equal (mail_reason_word ((enum mail_reason) 999), "unknown");
}

static void
test_remembered (void **state)
{
    struct fixture *f = *state;
    size_t count;
    helper_write (f, "in/cur/junk", "no mail at all\n");
    helper_write (f, "in/cur/empty", "");
    assert_int_equal (add (f, "junk", helper_options ()).not_mail, 1);
    assert_int_equal (add (f, "empty", helper_options ()).not_mail, 1);
    struct mail_problem *problems = load_problems (f, &count);
    assert_int_equal (count, 2);
    assert_string_equal (problems[0].name, "empty");
    assert_int_equal (problems[0].reason, MAIL_REASON_EMPTY);
    assert_string_equal (problems[1].name, "junk");
    assert_int_equal (problems[1].reason, MAIL_REASON_NOT_MAIL);
    assert_int_equal (problems[1].folder, folder_id (f));
    assert_true (problems[1].stat.inode == helper_stat (f, "in/cur/junk").inode);
    assert_true (problems[1].since > 0);

    /* the name is among those of the folder, with its stat, and no message */
    char **names;
    size_t names_count, listed = 0;
    struct mail_stat stat;
    bool found;
    assert_int_equal (mail_folder_files (f->ctx, f->index, folder_id (f), &names, &names_count),
                      MAIL_OK);
    for (size_t i = 0; i < names_count; i++)
        listed += strcmp (names[i], "junk") == 0;
    assert_int_equal (listed, 1);
    assert_int_equal (mail_folder_file_stat (f->index, folder_id (f), "junk", &stat, &found),
                      MAIL_OK);
    assert_true (found && stat.size == 15);
    assert_int_equal (helper_count (f, "*"), 5);
    assert_int_equal (helper_count (f, "folder:in"), 5);

    /* mended, and gone */
    helper_mail (f, "junk", "junk@example.org", "Mended", 9, NULL, "mended");
    assert_int_equal (add (f, "junk", helper_options ()).added, 1);
    drop (f, "empty", helper_options ());
    load_problems (f, &count);
    assert_int_equal (count, 0);
    assert_int_equal (helper_count (f, "mended"), 1);
}

static void
note_told (void *closure, const char *path, enum mail_status status, const char *text)
{
    char **told = closure;
    *told = talloc_asprintf (NULL, "%s %d %s", path, status, text);
}

/* A field's value over its limit: the message is there, and what it lacks is told and listed. */
static void
test_in_part (void **state)
{
    struct fixture *f = *state;
    size_t count;
    struct mail_problem *problems;
    char *told = NULL, *value = talloc_size (f->ctx, (1 << 20) + 10);
    memset (value, 'x', (1 << 20) + 9);
    value[(1 << 20) + 9] = '\0';
    helper_mail (f, "long", "long@example.org", value, 9, NULL, "the body of it");
    struct mail_apply_options options = helper_options ();
    options.problem = note_told;
    options.closure = &told;
    struct mail_apply_counts counts = add (f, "long", options);
    assert_int_equal (counts.added, 1);
    assert_int_equal (counts.in_part, 1);
    assert_int_equal (counts.failed, 0);
    assert_non_null (told);
    assert_non_null (strstr (told, "in/cur/long 0 truncated"));
    talloc_free (told);
    load_problems (f, &count);
    assert_int_equal (count, 0);
    assert_int_equal (mail_problems_in_part (f->ctx, f->index, &problems, &count), MAIL_OK);
    assert_int_equal (count, 1);
    assert_string_equal (problems[0].name, "long");
    assert_int_equal (problems[0].reason, MAIL_REASON_TRUNCATED);
    assert_int_equal (problems[0].folder, folder_id (f));
    assert_int_equal (problems[0].since, helper_stat (f, "in/cur/long").mtime / 1000000000);
    assert_int_equal (helper_count (f, "\"body of it\" and property:index.limit=truncated"), 1);
    drop (f, "long", helper_options ());
    assert_int_equal (mail_problems_in_part (f->ctx, f->index, &problems, &count), MAIL_OK);
    assert_int_equal (count, 0);
}

static void
test_told (void **state)
{
    struct fixture *f = *state;
    size_t count;
    struct mail_stat stat = {.inode = 5, .size = 6, .mtime = 7, .ctime = 8};
    struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
    mail_changes_problem (changes, "in/cur", "link", MAIL_REASON_DANGLING_LINK, &stat);
    assert_false (mail_changes_empty (changes));
    apply (changes, helper_options ());
    struct mail_problem *problems = load_problems (f, &count);
    assert_int_equal (count, 1);
    assert_int_equal (problems[0].reason, MAIL_REASON_DANGLING_LINK);
    assert_true (problems[0].stat.ctime == 8);
    int64_t since = problems[0].since;
    changes = mail_changes_create (f->ctx, f->index);
    mail_changes_problem (changes, "in/cur", "link", MAIL_REASON_DANGLING_LINK, &stat);
    apply (changes, helper_options ());
    problems = load_problems (f, &count);
    assert_int_equal (count, 1);
    assert_true (problems[0].since == since);
}

static bool
stop (void *closure, const char *path, uint64_t done, uint64_t total)
{
    (void) closure;
    (void) path;
    (void) done;
    (void) total;
    return false;
}

/* A run that is stopped once its mail is in has to meet the folder's problems again. */
static void
test_stopped (void **state)
{
    struct fixture *f = *state;
    struct mail_apply_options options = helper_options ();
    struct mail_apply_counts counts;
    struct mail_folders *folders;
    struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
    struct mail_stat stat = helper_stat (f, "in/cur"), file;
    size_t count;
    helper_mail (f, "s1", "s1@example.org", "Stopped", 9, NULL, "first");
    file = helper_stat (f, "in/cur/s1");
    stat.mtime = stat.ctime = 12345;
    mail_changes_folder (changes, "in/cur", &stat);
    mail_changes_add (changes, "in/cur", "s1", &file);
    mail_changes_problem (changes, "in/cur", "link", MAIL_REASON_DANGLING_LINK,
                          &(struct mail_stat){0});
    mail_changes_drop (changes, folder_id (f), "no-such-file"); /* after the mail */
    options.progress = stop;
    assert_int_equal (mail_changes_apply (changes, &options, &counts), MAIL_ERROR_INTERRUPTED);
    assert_int_equal (counts.added, 1);
    load_problems (f, &count);
    assert_int_equal (count, 0);
    assert_int_equal (mail_folders_load (f->ctx, f->index, &folders), MAIL_OK);
    assert_int_not_equal (mail_folders_by_id (folders, folder_id (f))->stat.mtime, 12345);

    talloc_free (changes);
    changes = mail_changes_create (f->ctx, f->index);
    mail_changes_folder (changes, "in/cur", &stat);
    mail_changes_problem (changes, "in/cur", "link", MAIL_REASON_DANGLING_LINK,
                          &(struct mail_stat){0});
    options.progress = NULL;
    apply (changes, options);
    load_problems (f, &count);
    assert_int_equal (count, 1);
    assert_int_equal (mail_folders_load (f->ctx, f->index, &folders), MAIL_OK);
    assert_int_equal (mail_folders_by_id (folders, folder_id (f))->stat.mtime, 12345);
}

/* A file that cannot be read any more is a problem, and what it was when it was read stays. */
static void
test_unreadable (void **state)
{
    struct fixture *f = *state;
    size_t count;
    char *path = talloc_asprintf (f->ctx, "%s/in/cur/d:2,FS", f->root);
    struct mail_stat folder = helper_stat (f, "in/cur"), file = helper_stat (f, "in/cur/d:2,FS");
    struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
    assert_int_equal (unlink (path), 0);
    assert_int_equal (symlink (path, path), 0); /* ELOOP, for root as well */
    mail_changes_folder (changes, "in/cur", &folder);
    mail_changes_add (changes, "in/cur", "d:2,FS", &file);
    assert_int_equal (apply (changes, helper_options ()).failed, 1);
    struct mail_problem *problems = load_problems (f, &count);
    assert_int_equal (count, 1);
    assert_int_equal (problems[0].reason, MAIL_REASON_UNREADABLE);
    assert_string_equal (problems[0].name, "d:2,FS");
    assert_non_null (helper_find (f, "d@example.org"));
    drop (f, "d:2,FS", helper_options ());
    load_problems (f, &count);
    assert_int_equal (count, 0);
    assert_null (helper_find (f, "d@example.org"));
}

static void
test_tombstone (void **state)
{
    struct fixture *f = *state;
    struct mail_apply_options options = helper_options ();
    options.tombstone_days = 30;
    uint64_t thread = mail_message_thread (helper_find (f, "d@example.org"));
    struct mail_query *query = NULL;
    struct mail_tag_change change = {"kept", true};
    assert_int_equal (mail_query_parse (f->ctx, f->index, "id:d@example.org", &query, NULL),
                      MAIL_OK);
    assert_int_equal (mail_query_tag (query, &change, 1, NULL), MAIL_OK);

    assert_int_equal (drop (f, "d:2,FS", options).removed, 1);
    assert_null (helper_find (f, "d@example.org"));
    assert_int_equal (helper_count (f, "tag:kept"), 0);
    assert_int_equal (helper_count (f, "rotten"), 0);
    struct mail_apply_counts counts = add (f, "d:2,FS", options);
    assert_int_equal (counts.added, 0);
    assert_int_equal (counts.renamed, 1);
    assert_int_equal (helper_count (f, "tag:kept and rotten"), 1);
    assert_true (mail_message_thread (helper_find (f, "d@example.org")) == thread);

    options.tombstone_days = 0;
    drop (f, "d:2,FS", options);
    counts = add (f, "d:2,FS", options);
    assert_int_equal (counts.added, 1);
    assert_int_equal (helper_count (f, "tag:kept"), 0);
}

static void
test_workers (void **state)
{
    struct fixture *f = *state;
    struct mail_apply_options options = helper_options ();
    assert_int_equal (mail_workers_start (f->ctx, 2, 0, &options.workers), MAIL_OK);
    helper_mail (f, "w1", "w1@example.org", "Worked", 9, NULL, "by another process");
    helper_write (f, "in/cur/w2", "");
    assert_int_equal (add (f, "w1", options).added, 1);
    assert_int_equal (add (f, "w2", options).not_mail, 1);
    assert_int_equal (helper_count (f, "\"another process\""), 1);
    talloc_free (options.workers);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_words),
        cmocka_unit_test_setup_teardown (test_remembered, helper_setup, helper_teardown),
        cmocka_unit_test_setup_teardown (test_in_part, helper_setup, helper_teardown),
        cmocka_unit_test_setup_teardown (test_told, helper_setup, helper_teardown),
        cmocka_unit_test_setup_teardown (test_stopped, helper_setup, helper_teardown),
        cmocka_unit_test_setup_teardown (test_unreadable, helper_setup, helper_teardown),
        cmocka_unit_test_setup_teardown (test_tombstone, helper_setup, helper_teardown),
        cmocka_unit_test_setup_teardown (test_workers, helper_setup, helper_teardown),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
