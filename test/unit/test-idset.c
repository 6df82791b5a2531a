/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-idset.c - algebra of id sets, against a plain evaluation. */
#include "idset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

#include <cmocka.h>

#define SPACE 200 /* ids are below this */

/* A set of about density percent of all ids. */
static struct idset
random_set (void *ctx, unsigned density, bool *member)
{
    struct idset set = {talloc_array (ctx, uint32_t, SPACE), 0};
    for (uint32_t id = 1; id < SPACE; id++) {
        member[id] = (unsigned) (rand () % 100) < density;
        if (member[id])
            set.ids[set.count++] = id;
    }
    return set;
}

static void
check (struct idset set, const bool *wanted)
{
    size_t count = 0;
    for (uint32_t id = 1; id < SPACE; id++) {
        assert_int_equal (idset_contains (set, id), wanted[id]);
        if (wanted[id])
            assert_int_equal (set.ids[count++], id);
    }
    assert_int_equal (set.count, count);
}

static void
test_algebra (void **state)
{
    static const unsigned densities[] = {0, 2, 50, 98, 100};
    (void) state;
    srand (1);
    for (unsigned round = 0; round < 25 * 20; round++) {
        void *ctx = talloc_new (NULL);
        bool a[SPACE], b[SPACE], both[SPACE], either[SPACE], only[SPACE];
        struct idset x = random_set (ctx, densities[round % 5], a);
        struct idset y = random_set (ctx, densities[round / 5 % 5], b);
        for (uint32_t id = 1; id < SPACE; id++) {
            both[id] = a[id] && b[id];
            either[id] = a[id] || b[id];
            only[id] = a[id] && !b[id];
        }
        check (idset_intersect (ctx, x, y), both);
        check (idset_union (ctx, x, y), either);
        check (idset_subtract (ctx, x, y), only);
        talloc_free (ctx);
    }
}

static void
test_normalise (void **state)
{
    uint32_t ids[] = {5, 3, 5, 1, 3, 4294967295u, 1};
    static const uint32_t wanted[] = {1, 3, 5, 4294967295u};
    (void) state;
    assert_int_equal (idset_normalise (ids, 7), 4);
    assert_memory_equal (ids, wanted, sizeof wanted);
    assert_int_equal (idset_normalise (ids, 0), 0);
    assert_int_equal (idset_normalise (ids, 1), 1);
}

/* Few and many of all ids, in any order. */
static void
test_normalise_many (void **state)
{
    (void) state;
    srand (2);
    for (unsigned round = 0; round < 400; round++) {
        uint32_t ids[SPACE], range = round % 2 ? 300 : 300000;
        size_t count = 2 + (size_t) rand () % (SPACE - 2), kept;
        bool *member = calloc (range, sizeof *member);
        for (size_t i = 0; i < count; i++) {
            ids[i] = (uint32_t) rand () % range;
            member[ids[i]] = true;
        }
        kept = idset_normalise (ids, count);
        for (uint32_t id = 0, at = 0; id < range; id++)
            if (member[id])
                assert_int_equal (ids[at++], id);
        for (size_t i = 1; i < kept; i++)
            assert_true (ids[i - 1] < ids[i]);
        free (member);
    }
}

static void
test_empty (void **state)
{
    struct idset none = {NULL, 0};
    void *ctx = talloc_new (NULL);
    (void) state;
    assert_int_equal (idset_union (ctx, none, none).count, 0);
    assert_int_equal (idset_intersect (ctx, none, none).count, 0);
    assert_int_equal (idset_subtract (ctx, none, none).count, 0);
    assert_false (idset_contains (none, 1));
    talloc_free (ctx);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_algebra),
        cmocka_unit_test (test_normalise),
        cmocka_unit_test (test_normalise_many),
        cmocka_unit_test (test_empty),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
