/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-lock.c - one writer at a time, a limit to waiting, the holder's name, and whose turn it is.
 */
#include "lock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

#include <cmocka.h>

#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[64];

static int
setup (void **state)
{
    (void) state;
    strcpy (folder, "/tmp/test-lock.XXXXXX");
    return mkdtemp (folder) ? 0 : -1;
}

static int
teardown (void **state)
{
    static const char *const names[] = {"lock", "turnstile", "lock.holder", "order", "other"};
    char path[128];
    (void) state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf (path, sizeof path, "%s/%s", folder, names[i]);
        unlink (path);
    }
    return rmdir (folder);
}

static enum mail_status
acquire (int timeout, struct lock **lock, char **error)
{
    uint64_t waited = 0;
    return lock_acquire (NULL, folder, timeout, "mail test", lock, &waited, error);
}

static void
test_holder (void **state)
{
    struct lock *first, *second;
    char *error = NULL;
    (void) state;
    assert_int_equal (acquire (0, &first, &error), MAIL_OK);
    lock_let_next_wait (first);
    assert_int_equal (acquire (0, &second, &error), MAIL_ERROR_LOCKED);
    assert_non_null (strstr (error, "'mail test'"));
    char *pid = talloc_asprintf (error, "(process %ld)", (long) getpid ());
    assert_non_null (strstr (error, pid));
    talloc_free (error);
    talloc_free (first);
    assert_int_equal (acquire (0, &second, &error), MAIL_OK);
    talloc_free (second);
}

static void
test_timeout (void **state)
{
    struct lock *first, *second;
    char *error = NULL;
    uint64_t waited = 0;
    (void) state;
    assert_int_equal (acquire (0, &first, &error), MAIL_OK);
    assert_int_equal (lock_acquire (NULL, folder, 1, "x", &second, &waited, &error),
                      MAIL_ERROR_LOCKED);
    assert_in_range (waited, 990, 5000);
    talloc_free (error);
    talloc_free (first);
}

/* A holder that comes back at once must not starve the one who waits. */
static void
test_turnstile (void **state)
{
    struct lock *lock;
    char *error = NULL;
    (void) state;
    assert_int_equal (acquire (0, &lock, &error), MAIL_OK);
    pid_t child = fork ();
    if (child == 0) {
        struct lock *own;
        /* closes the child's copies only: the lock stays with the parent */
        talloc_free (lock);
        _exit (acquire (10, &own, &error) == MAIL_OK ? 0 : 1);
    }
    lock_let_next_wait (lock);
    usleep (100000); /* the child waits by now */
    int rounds = 0, status;
    while (waitpid (child, &status, WNOHANG) == 0 && rounds < 200) {
        talloc_free (lock);
        assert_int_equal (acquire (10, &lock, &error), MAIL_OK);
        lock_let_next_wait (lock);
        usleep (20000);
        rounds++;
    }
    assert_in_range (rounds, 0, 20);
    assert_int_equal (WEXITSTATUS (status), 0);
    talloc_free (lock);
}

static void
test_file (void **state)
{
    int a, b;
    char path[128];
    (void) state;
    snprintf (path, sizeof path, "%s/other", folder);
    assert_int_equal (lock_file_try (path, &a), MAIL_OK);
    assert_int_equal (lock_file_try (path, &b), MAIL_ERROR_LOCKED);
    close (a);
    assert_int_equal (lock_file_try (path, &b), MAIL_OK);
    close (b);
    assert_int_equal (lock_file_try ("/nonexistent/lock", &a), MAIL_ERROR_IO);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown (test_holder, setup, teardown),
        cmocka_unit_test_setup_teardown (test_timeout, setup, teardown),
        cmocka_unit_test_setup_teardown (test_turnstile, setup, teardown),
        cmocka_unit_test_setup_teardown (test_file, setup, teardown),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
