/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-manifest.c - the list of segments as text. */
#include "manifest.h"

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

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_order),
        cmocka_unit_test (test_text),
        cmocka_unit_test (test_bad_text),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
