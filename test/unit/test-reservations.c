/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-reservations.c - which ids are being built under: text, list, and whose owners live. */
#include "helper-index.h"
#include "reservations.h"
#include "scratch.h"

static struct scratch *
make (struct fixture *f)
{
    char *error = NULL;
    struct scratch *scratch = NULL;
    assert_int_equal (scratch_create (f->ctx, f->index->folder, &scratch, &error), MAIL_OK);
    return scratch;
}

static void
test_living_and_dead (void **state)
{
    struct fixture *f = *state;
    struct scratch *one = make (f), *other = make (f);
    char *text = talloc_asprintf (f->ctx, "1 10 %s\n11 20 1-gone\n21 21 %s\nnonsense\n30 x %s\n",
                                  one->name, other->name, one->name);
    struct reservations *living = reservations_decode (f->ctx, f->index->folder, text);
    assert_string_equal (reservations_encode (f->ctx, living),
                         talloc_asprintf (f->ctx, "1 10 %s\n21 21 %s\n", one->name, other->name));
    talloc_free (one);
    living = reservations_decode (f->ctx, f->index->folder, text);
    assert_int_equal (living->count, 1);
    assert_int_equal (living->list[0].first, 21);
    assert_string_equal (living->list[0].owner, other->name);
    assert_int_equal (reservations_decode (f->ctx, f->index->folder, "")->count, 0);
}

static void
test_change (void **state)
{
    struct fixture *f = *state;
    struct reservations *list = reservations_decode (f->ctx, f->index->folder, "");
    reservations_add (list, &(struct reservation){1, 4, "a"});
    reservations_add (list, &(struct reservation){5, 5, "b"});
    reservations_add (list, &(struct reservation){6, 4294967295u, "a"});
    reservations_remove (list, 5);
    reservations_remove (list, 2);
    assert_string_equal (reservations_encode (f->ctx, list), "1 4 a\n6 4294967295 a\n");
    reservations_remove (list, 1);
    reservations_remove (list, 6);
    assert_string_equal (reservations_encode (f->ctx, list), "");
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown (name, fixture_setup, fixture_teardown)
        T (test_living_and_dead),
        T (test_change),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
