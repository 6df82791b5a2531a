/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-reservations.c - ids set aside: files, whose owners live, and what is in between. */
#include "helper-index.h"
#include "reservations.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static struct reservation *
reserve (struct fixture *f, const struct scratch *owner, uint32_t first, uint32_t last)
{
    struct reservation *made = NULL;
    assert_int_equal (reservation_make (f->ctx, owner, first, last, &made), MAIL_OK);
    return made;
}

static struct reservations *
read_all (struct fixture *f)
{
    struct reservations *all = NULL;
    assert_int_equal (reservations_read (f->ctx, f->index->folder, &all), MAIL_OK);
    return all;
}

static int
compare (const void *a, const void *b)
{
    const struct reservation *left = a, *right = b;
    return left->first < right->first ? -1 : left->first > right->first;
}

/* "FIRST-LAST ..." in order of ids */
static const char *
list (struct fixture *f)
{
    struct reservations *all = read_all (f);
    char *text = talloc_strdup (f->ctx, "");
    if (all->count)
        qsort (all->list, all->count, sizeof *all->list, compare);
    for (size_t i = 0; i < all->count; i++)
        text = talloc_asprintf_append (text, "%s%u-%u", i ? " " : "", (unsigned) all->list[i].first,
                                       (unsigned) all->list[i].last);
    return text;
}

static void
put_file (struct fixture *f, const char *name)
{
    FILE *file =
        fopen (fixture_path (f, talloc_asprintf (f->ctx, ".mailindex/text/tmp/%s", name)), "w");
    assert_non_null (file);
    fclose (file);
}

static void
test_living_and_dead (void **state)
{
    struct fixture *f = *state;
    struct scratch *one = fixture_scratch (f), *other = fixture_scratch (f);
    assert_string_equal (list (f), "");
    struct reservation *low = reserve (f, one, 1, 10);
    reserve (f, other, 21, 4294967295u);
    reserve (f, one, 11, 11);
    put_file (f, "1-gone.30-40");
    put_file (f, talloc_asprintf (f->ctx, "%s.50-", one->name));
    put_file (f, talloc_asprintf (f->ctx, "%s.50-60x", one->name));
    put_file (f, talloc_asprintf (f->ctx, "%s.", one->name));
    put_file (f, talloc_asprintf (f->ctx, "%s-70-80", one->name));
    put_file (f, ".90-99");
    assert_string_equal (list (f), "1-10 11-11 21-4294967295");
    assert_true (reservations_end (read_all (f)) == UINT64_C (4294967296));
    talloc_free (low);
    assert_string_equal (list (f), "11-11 21-4294967295");
    talloc_free (other);
    assert_string_equal (list (f), "11-11");
    assert_true (reservations_end (read_all (f)) == 12);
    struct reservation *again = NULL;
    assert_int_equal (reservation_make (f->ctx, one, 11, 11, &again), MAIL_ERROR_IO);
    assert_null (again);
    assert_string_equal (list (f), "11-11"); /* of the first */
    talloc_free (one);
    assert_string_equal (list (f), "");
    assert_true (reservations_end (read_all (f)) == 0);
}

/* Files of the dead go, once they are old enough, and nobody else's. */
static void
test_left_over (void **state)
{
    struct fixture *f = *state;
    struct scratch *one = fixture_scratch (f);
    struct timespec times[2] = {{1, 0}, {1, 0}};
    const struct reservation *living = reserve (f, one, 1, 10);
    put_file (f, "0-old.30-40");
    assert_int_equal (utimensat (AT_FDCWD, living->path, times, 0), 0);
    put_file (f, "0-young.41-50");
    assert_int_equal (
        utimensat (AT_FDCWD, fixture_path (f, ".mailindex/text/tmp/0-old.30-40"), times, 0), 0);
    scratch_remove_left_over (f->index->folder);
    assert_string_equal (
        fixture_list (f, ".mailindex/text/tmp"),
        talloc_asprintf (f->ctx, "0-young.41-50 %s %s.1-10", one->name, one->name));
    assert_int_equal (unlink (fixture_path (f, ".mailindex/text/tmp/0-young.41-50")), 0);
}

static void
test_in_between (void **state)
{
    struct fixture *f = *state;
    struct scratch *one = fixture_scratch (f);
    reserve (f, one, 10, 19);
    reserve (f, one, 30, 30);
    struct reservations *all = read_all (f);
    assert_false (reservations_meet (all, 1, 9));
    assert_true (reservations_meet (all, 1, 10));
    assert_true (reservations_meet (all, 12, 13));
    assert_true (reservations_meet (all, 19, 40));
    assert_true (reservations_meet (all, 1, 4294967295u));
    assert_false (reservations_meet (all, 20, 29));
    assert_false (reservations_meet (all, 31, 4294967295u));
    reservations_leave_out (all, 30);
    assert_false (reservations_meet (all, 20, 4294967295u));
    reservations_leave_out (all, 11); /* none begins there */
    assert_int_equal (all->count, 1);
    reservations_leave_out (all, 10);
    assert_false (reservations_meet (all, 1, 4294967295u));
}

/* What is not there holds nothing; what cannot be read is no "nothing". */
static void
test_no_folder (void **state)
{
    struct fixture *f = *state;
    struct reservations *all;
    const char *text = fixture_path (f, ".mailindex/text"), *folder = f->index->folder;
    const char *tmp = fixture_path (f, ".mailindex/text/tmp");
    rmdir (tmp);
    assert_string_equal (list (f), "");
    rmdir (text);
    assert_string_equal (list (f), "");
    assert_int_equal (mkdir (text, 0700), 0);
    assert_int_equal (symlink ("tmp", tmp), 0); /* a loop */
    assert_int_equal (reservations_read (f->ctx, folder, &all), MAIL_ERROR_IO);
    assert_int_equal (errno, ELOOP);
    assert_int_equal (unlink (tmp), 0);
    assert_int_equal (mkdir (tmp, 0700), 0);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown (name, fixture_setup, fixture_teardown)
        T (test_living_and_dead),
        T (test_left_over),
        T (test_in_between),
        T (test_no_folder),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
