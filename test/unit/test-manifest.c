/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-manifest.c - the list of segments as text. */
#include "manifest.h"
#include "merge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

#include <cmocka.h>

static struct segment
segment (const char *name, uint32_t first, uint32_t last, uint64_t bytes)
{
    struct segment made = {.name = (char *) name,
                           .first = first,
                           .last = last,
                           .documents = 7,
                           .stale = 1,
                           .bytes = bytes};
    memset (made.sha256, 'a', 64);
    return made;
}

static void
insert (struct manifest *manifest, const char *name, uint32_t first, uint32_t last, uint64_t bytes,
        bool wanted)
{
    struct segment made = segment (name, first, last, bytes);
    assert_int_equal (manifest_insert (manifest, &made), wanted);
}

static void
test_order (void **state)
{
    struct manifest *manifest = manifest_create (NULL);
    (void) state;
    insert (manifest, "b", 101, 200, 10, true);
    insert (manifest, "a", 1, 100, 10, true);
    insert (manifest, "c", 300, 400, 10, true);
    insert (manifest, "x", 100, 100, 10, false);
    insert (manifest, "x", 150, 350, 10, false);
    insert (manifest, "x", 1, 1000, 10, false);
    insert (manifest, "d", 201, 299, 10, true);
    assert_int_equal (manifest->count, 4);
    assert_string_equal (manifest->segments[2].name, "d");
    assert_string_equal (manifest_find (manifest, 250)->name, "d");
    assert_null (manifest_find (manifest, 401));
    manifest_remove (manifest, 2);
    assert_null (manifest_find (manifest, 250));
    talloc_free (manifest);
}

static void
test_text (void **state)
{
    char *error = NULL;
    struct manifest *manifest = manifest_create (NULL);
    (void) state;
    insert (manifest, "a", 1, 100, 12345678901234ull, true);
    insert (manifest, "b", 101, 4294967295u, 10, true);
    char *text = manifest_encode (manifest, manifest);
    struct manifest *read = manifest_decode (manifest, text, &error);
    assert_non_null (read);
    assert_string_equal (manifest_encode (manifest, read), text);
    assert_int_equal (manifest_decode (manifest, "", &error)->count, 0);
    talloc_free (manifest);
}

static void
test_bad_text (void **state)
{
#define SHA "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    static const char *const bad[] = {
        "mail-manifest 2\n",
        "mail-manifest 1\na 1 2 3\n",
        "mail-manifest 1\na 2 1 3 4 5 " SHA "\n",
        "mail-manifest 1\n../a 1 2 3 4 5 " SHA "\n",
        "mail-manifest 1\na 1 2 3 4 5 " SHA " more\n",
        "mail-manifest 1\na 1 9 3 4 5 " SHA "\nb 9 12 3 4 5 " SHA "\n",
    };
    (void) state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *error = NULL;
        assert_null (manifest_decode (NULL, bad[i], &error));
        assert_non_null (error);
        talloc_free (error);
    }
}

static void
choose (const uint64_t *bytes, size_t count, size_t wanted_first, size_t wanted_count)
{
    struct manifest *manifest = manifest_create (NULL);
    size_t first = 0, chosen;
    for (size_t i = 0; i < count; i++)
        insert (manifest, "s", 10 * i + 1, 10 * i + 10, bytes[i], true);
    merge_choose (manifest, MERGE_AUTOMATIC_LIMIT, MERGE_AT, &first, &chosen);
    assert_int_equal (chosen, wanted_count);
    if (chosen)
        assert_int_equal (first, wanted_first);
    talloc_free (manifest);
}

static void
test_choose (void **state)
{
    static const uint64_t small[] = {9, 9, 9, 9, 9, 9}, few[] = {9, 9, 9, 9, 9};
    static const uint64_t mixed[] = {1 << 30, 9, 9, 9, 9, 9, 9};
    static const uint64_t apart[] = {9, 9, 9, 1 << 30, 9, 9, 9};
    static const uint64_t huge[] = {1 << 30, 1 << 30, 1 << 30, 1 << 30, 1 << 30, 1 << 30};
    (void) state;
    choose (small, 6, 0, 6);
    choose (few, 4, 0, 0);
    choose (mixed, 7, 1, 6);
    choose (apart, 7, 0, 0);
    choose (huge, 6, 0, 0);
}

/* However segments come, there are never more than twelve after merging, and a byte is written a
 * few times only. */
static void
test_growth (void **state)
{
    uint64_t written = 0, total = 0;
    struct manifest *manifest = manifest_create (NULL);
    (void) state;
    for (uint32_t i = 0; i < 1000; i++) {
        size_t first = 0, count;
        insert (manifest, "s", i + 1, i + 1, 70000, true);
        total += 70000;
        written += 70000;
        for (merge_choose (manifest, MERGE_AUTOMATIC_LIMIT, MERGE_AT, &first, &count); count > 0;
             merge_choose (manifest, MERGE_AUTOMATIC_LIMIT, MERGE_AT, &first, &count)) {
            struct segment sum = segment ("m", manifest->segments[first].first,
                                          manifest->segments[first + count - 1].last, 0);
            for (size_t k = 0; k < count; k++) {
                sum.bytes += manifest->segments[first].bytes;
                manifest_remove (manifest, first);
            }
            written += sum.bytes;
            assert_true (manifest_insert (manifest, &sum));
        }
        assert_true (manifest->count <= 12);
        if (i == 119)
            assert_true (written <= 4 * total);
    }
    assert_true (written < 6 * total);
    talloc_free (manifest);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_order),    cmocka_unit_test (test_text),
        cmocka_unit_test (test_bad_text), cmocka_unit_test (test_choose),
        cmocka_unit_test (test_growth),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
