/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-scratch.c - folders that belong to a living run, and those that belong to nobody. */
#include "helper-index.h"
#include "files.h"
#include "lock.h"
#include "scratch.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct scratch *
make (struct fixture *f)
{
    struct scratch *scratch = NULL;
    char *error = NULL;
    if (scratch_create (f->ctx, f->index->folder, &scratch, &error) != MAIL_OK)
        fail_msg ("%s", error);
    return scratch;
}

/* Sets the folder's time back by so many seconds. */
static void
age (const char *path, int seconds)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time (NULL) - seconds}};
    assert_int_equal (utimensat (AT_FDCWD, path, times, 0), 0);
}

static void
test_create (void **state)
{
    struct fixture *f = *state;
    struct stat st;
    char *sub, *again;
    struct scratch *scratch = make (f), *other = make (f);
    assert_string_not_equal (scratch->name, other->name);
    assert_true (g_str_has_prefix (scratch->name, talloc_asprintf (f->ctx, "%d-", getpid ())));
    assert_int_equal (stat (scratch->path, &st), 0);
    assert_int_equal (st.st_mode & 0777, 0700);
    assert_string_equal (
        scratch->path, talloc_asprintf (f->ctx, "%s/text/tmp/%s", f->index->folder, scratch->name));
    assert_int_equal (scratch_subfolder (f->ctx, scratch, "0", &sub), MAIL_OK);
    assert_int_equal (scratch_subfolder (f->ctx, scratch, "0", &again), MAIL_OK);
    assert_string_equal (sub, again);
    assert_int_equal (stat (sub, &st), 0);
    assert_true (S_ISDIR (st.st_mode));
    assert_int_equal (scratch_subfolder (f->ctx, scratch, "absent/0", &sub), MAIL_ERROR_IO);
    talloc_free (scratch);
    assert_string_equal (fixture_list (f, ".mailindex/text/tmp"), other->name);
    talloc_free (other);
    assert_string_equal (fixture_list (f, ".mailindex/text/tmp"), "");
}

static void
test_cannot_create (void **state)
{
    struct fixture *f = *state;
    struct scratch *scratch = NULL;
    char *error = NULL;
    fixture_write (f, "file", "");
    assert_int_equal (scratch_create (f->ctx, fixture_path (f, "file"), &scratch, &error),
                      MAIL_ERROR_IO);
    assert_non_null (strstr (error, "cannot make '"));
    assert_null (scratch);
}

/* Whose it is: this process's, another's, nobody's; asking does not take the lock away from one who
 * is about to take it. */
static void
test_owner (void **state)
{
    struct fixture *f = *state;
    struct scratch *scratch = make (f);
    const char *index = f->index->folder;
    assert_true (scratch_is_owned (index, scratch->name));
    assert_false (scratch_is_owned (index, "absent"));
    fixture_write (f, ".mailindex/text/tmp/dead/lock", "");
    assert_false (scratch_is_owned (index, "dead"));
    assert_int_equal (mkdir (fixture_path (f, ".mailindex/text/tmp/none"), 0700), 0);
    assert_false (scratch_is_owned (index, "none"));
    pid_t child = fork ();
    assert_true (child >= 0);
    if (child == 0) /* seen from another process */
        _exit (scratch_is_owned (index, scratch->name) ? 7 : 1);
    int code;
    waitpid (child, &code, 0);
    assert_int_equal (WEXITSTATUS (code), 7);
    files_remove_tree (fixture_path (f, ".mailindex/text/tmp/dead"));
    files_remove_tree (fixture_path (f, ".mailindex/text/tmp/none"));
}

/* Asking does not take the lock away from one who is about to take it. */
static void
test_asking_disturbs_nobody (void **state)
{
    struct fixture *f = *state;
    char *path = fixture_path (f, ".mailindex/text/tmp/s/lock");
    int fd, refused = 0;
    fixture_write (f, ".mailindex/text/tmp/s/lock", "");
    pid_t child = fork ();
    assert_true (child >= 0);
    while (child == 0)
        scratch_is_owned (f->index->folder, "s");
    for (unsigned i = 0; i < 20000; i++) {
        if (lock_file_try (path, &fd) == MAIL_OK)
            close (fd);
        else
            refused++;
    }
    kill (child, SIGKILL);
    waitpid (child, NULL, 0);
    assert_int_equal (refused, 0);
    files_remove_tree (fixture_path (f, ".mailindex/text/tmp/s"));
}

/* Where one cannot look, there may be an owner. */
static void
test_owner_unknown (void **state)
{
    struct fixture *f = *state;
    struct rlimit old, none;
    struct scratch *scratch = make (f);
    fixture_write (f, ".mailindex/text/tmp/dead/lock", "");
    assert_int_equal (getrlimit (RLIMIT_NOFILE, &old), 0);
    none = old;
    none.rlim_cur = 0;
    assert_int_equal (setrlimit (RLIMIT_NOFILE, &none), 0);
    bool owned = scratch_is_owned (f->index->folder, scratch->name);
    bool dead = scratch_is_owned (f->index->folder, "dead");
    assert_int_equal (setrlimit (RLIMIT_NOFILE, &old), 0);
    assert_true (owned);
    assert_true (dead);
    files_remove_tree (fixture_path (f, ".mailindex/text/tmp/dead"));
}

static void
make_and_die (struct fixture *f)
{
    struct scratch *scratch = make (f);
    char *path = talloc_asprintf (f->ctx, "%s/part", scratch->path);
    assert_int_equal (close (creat (path, 0600)), 0);
    age (scratch->path, 3600);
    talloc_steal (NULL, scratch); /* as if killed: nothing is cleaned up */
}

static void
test_left_over (void **state)
{
    struct fixture *f = *state;
    struct scratch *mine = make (f);
    age (mine->path, 3600);
    fixture_in_child (f, make_and_die);
    fixture_write (f, ".mailindex/text/tmp/young/part", "");
    fixture_write (f, ".mailindex/text/tmp/old/part", "");
    age (fixture_path (f, ".mailindex/text/tmp/old"), 3600);
    scratch_remove_left_over (f->index->folder);
    char *left = talloc_asprintf (f->ctx, "%s young", mine->name);
    assert_string_equal (fixture_list (f, ".mailindex/text/tmp"), left);
    files_remove_tree (fixture_path (f, ".mailindex/text/tmp/young"));
    scratch_remove_left_over (fixture_path (f, "absent"));
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown (name, fixture_setup, fixture_teardown)
        T (test_create),        T (test_cannot_create),
        T (test_owner),         T (test_asking_disturbs_nobody),
        T (test_owner_unknown), T (test_left_over),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
