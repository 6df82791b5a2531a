/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the scan that know nothing of the index: new.ignore, times, the set of folders met,
 * listings. */
#include "scan-script.h"

/* ---- new.ignore ---------------------------------------------------------------------------- */

static const struct {
    const char *entry, *folder, *name;
    bool match;
} matches[] = {
    {"x", "", "x", true},
    {"x", "a/b", "x", true},
    {"x", "x", "y", false},
    {"x", "", "xx", false},
    {"x", "", "X", false},
    {"", "", "", false},
    {"foo/", "", "foo", false},
    {".mbsyncstate", "a", ".mbsyncstate", true},
    {"*.lock", "", "a.lock", false}, /* a word, not a pattern */
    {"/x/", "", "x", true},
    {"/x/", "a", "yxz", true},
    {"/x/", "x", "y", true}, /* the path */
    {"/^x$/", "", "x", true},
    {"/^x$/", "a", "x", false},
    {"/^a\\/x$/", "a", "x", true},
    {"/^a/x$/", "a", "x", true}, /* only the first and last slash are marks */
    {"/(^|/)[0-9]+$/", "a/b", "17", true},
    {"/(^|/)[0-9]+$/", "a/b", "17x", false},
    {"/\\.lock$/", "a", "x.lock", true},
    {"/a|b/", "", "cb", true}, /* extended */
    {"/^$/", "", "x", false},
    {"///", "a", "x", true}, /* a slash */
    {"///", "", "x", false},
};

static const struct {
    const char *entry, *error;
} malformed[] = {
    {"/foo", "Malformed pattern '/foo' in new.ignore"},
    {"/", "Malformed pattern '/' in new.ignore"},
    {"//", "Malformed pattern '//' in new.ignore"},
    {"/[/", "Invalid regex '[' in new.ignore: "},
    {"/a(/", "Invalid regex 'a(' in new.ignore: Unmatched ( or \\("},
    {"/*a{2,1}/", "Invalid regex '*a{2,1}' in new.ignore: "},
};

static void
test_ignore (void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof matches / sizeof *matches; i++) {
        /* An entry counts wherever it stands among others. */
        const char *entries[] = {"other", matches[i].entry, "/^other$/"};
        struct ignore *ignore;

        assert_int_equal (ignore_create (NULL, entries, 3, &ignore, NULL), MAIL_OK);
        if (ignore_match (ignore, matches[i].folder, matches[i].name) != matches[i].match)
            fail_msg ("%s with %s/%s", matches[i].entry, matches[i].folder, matches[i].name);
        talloc_free (ignore);
    }
}

static void
test_ignore_malformed (void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        void *ctx = talloc_new (NULL);
        const char *entries[] = {"/good/", malformed[i].entry};
        struct ignore *ignore = NULL;
        char *error;

        assert_int_equal (ignore_create (ctx, entries, 2, &ignore, &error), MAIL_ERROR_ARGUMENT);
        assert_int_equal (ignore_create (ctx, entries, 2, &ignore, NULL), MAIL_ERROR_ARGUMENT);
        assert_null (ignore);
        if (!g_str_has_prefix (error, malformed[i].error))
            fail_msg ("%s: %s", malformed[i].entry, error);
        talloc_free (ctx);
    }
}

/* ---- times --------------------------------------------------------------------------------- */

#define MS INT64_C (1000000)
#define NOW (INT64_C (1700000000) * 1000 * MS + 500 * MS)

static const struct {
    int64_t time;
    bool settled;
} settled[] = {
    {NOW - 21 * MS, true},
    {NOW - 19 * MS, false},
    {NOW, false},
    {NOW + 1, false},
    {NOW + 1000000 * MS, false},
    {NOW - 500 * MS - 1, true}, /* not a whole second */
    {NOW - 500 * MS, false},    /* a whole second */
    {NOW - 1500 * MS, false},   /* a whole second, 1.5 s ago */
    {NOW - 2500 * MS, true},    /* 2.5 s ago */
    {NOW - 1499 * MS, true},
    {1, true},
    {-1, true},
    {INT64_MIN, true},
    {INT64_MAX, false},
};

static void
test_settled (void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof settled / sizeof *settled; i++) {
        struct mail_stat stat = {1, 2, 3, settled[i].time, NOW - 100 * MS}, got;

        if (times_settled (settled[i].time, NOW) != settled[i].settled)
            fail_msg ("%jd", (intmax_t) settled[i].time);
        got = times_trusted (&stat, NOW);
        assert_int_equal (got.mtime, settled[i].settled ? stat.mtime : 0);
        assert_int_equal (got.ctime, settled[i].settled ? stat.ctime : 0);
        stat.ctime = settled[i].time;
        stat.mtime = NOW - 100 * MS;
        got = times_trusted (&stat, NOW);
        assert_int_equal (got.mtime, settled[i].settled ? stat.mtime : 0);
        assert_true (got.device == 1 && got.inode == 2 && got.size == 3);
    }
}

static void
test_from_stat (void **state)
{
    static const struct {
        struct timespec time;
        int64_t ns;
    } times[] = {
        {{0, 0}, 0},
        {{1700000000, 123456789}, INT64_C (1700000000123456789)},
        {{-1, 999999999}, -1},
        {{INT64_C (9223372036), 854775807}, INT64_MAX},
        {{INT64_C (9223372036), 854775808}, INT64_MAX},
        {{INT64_MAX, 0}, INT64_MAX},
        {{INT64_MIN, 5}, INT64_MIN},
    };
    int64_t before;

    (void) state;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct stat st = {.st_ino = 7, .st_dev = 8, .st_size = 9};
        struct mail_stat got;

        st.st_mtim = st.st_ctim = times[i].time;
        got = times_from_stat (&st);
        assert_true (got.mtime == times[i].ns && got.ctime == times[i].ns);
        assert_true (got.inode == 7 && got.device == 8 && got.size == 9);
    }
    before = times_now ();
    script_age ();
    assert_true (times_now () > before && times_now () < before + 60000 * MS);
}

/* ---- the set of folders met ---------------------------------------------------------------- */

static void
test_visited (void **state)
{
    struct visited *visited = visited_create (NULL, 3);

    (void) state;
    assert_false (visited_has (visited, 0, 1));
    for (uint64_t i = 1; i <= 5000; i++)
        for (uint64_t device = 0; device < 3; device++) {
            assert_true (visited_add (visited, device, i << (device * 20)));
            assert_false (visited_add (visited, device, i << (device * 20)));
        }
    for (uint64_t i = 1; i <= 5000; i++)
        assert_true (visited_has (visited, 2, i << 40));
    assert_false (visited_has (visited, 3, 1));
    assert_false (visited_has (visited, 0, 5001));
    talloc_free (visited);
}

/* ---- listings ------------------------------------------------------------------------------ */

static void
test_listing (void **state)
{
    struct script *script = script_create ();
    struct listing *listing;
    int fd = open (script->root, O_RDONLY | O_DIRECTORY);

    (void) state;
    assert_int_equal (listing_read (script, fd, &listing), 0);
    assert_int_equal (listing->count, 0);
    assert_null (listing_find (listing, "a"));
    talloc_free (listing);

    /* More than fit into the first block, names of all lengths. */
    for (unsigned i = 0; i < 2000; i++) {
        char name[256];

        snprintf (name, sizeof name, "%04u%0*u", i * 7 % 2000, (int) (i % 250) + 1, 0);
        close (openat (fd, name, O_WRONLY | O_CREAT, 0600));
    }
    mkdirat (fd, "0000", 0700);
    lseek (fd, 0, SEEK_SET);
    assert_int_equal (listing_read (script, fd, &listing), 0);
    assert_int_equal (listing->count, 2001);
    for (size_t i = 1; i < listing->count; i++) {
        struct stat st;

        assert_true (strcmp (listing->entries[i - 1].name, listing->entries[i].name) < 0);
        assert_int_equal (fstatat (fd, listing->entries[i].name, &st, 0), 0);
        assert_int_equal (st.st_ino, listing->entries[i].inode);
        assert_int_equal (listing->entries[i].type, DT_REG);
    }
    assert_ptr_equal (listing_find (listing, "0000"), listing->entries);
    assert_int_equal (listing->entries->type, DT_DIR);
    close (fd);
    assert_int_equal (listing_read (script, fd, &listing), EBADF);
    script_destroy (script);
}

/* Names that begin alike, and where they end or go on with any byte. */
static void
test_listing_order (void **state)
{
    static const char *const names[] = {"ab",         "abc",         "ab\x01",         "ab\xff",
                                        "abcdefghij", "abcdefghi",   "abcdefghij\x7f", "abcdefghik",
                                        "abcdefghi!", "abcdefgh\x80"};
    struct script *script = script_create ();
    size_t count = sizeof names / sizeof *names;
    int fd = open (script->root, O_RDONLY | O_DIRECTORY);
    struct listing *listing;

    (void) state;
    for (size_t round = 0; round < 2; round++) { /* the second with a name that shares nothing */
        for (size_t i = 0; i < count && !round; i++)
            close (openat (fd, names[i], O_WRONLY | O_CREAT, 0600));
        if (round)
            mkdirat (fd, "x", 0700);
        lseek (fd, 0, SEEK_SET);
        assert_int_equal (listing_read (script, fd, &listing), 0);
        assert_int_equal (listing->count, count + round);
        for (size_t i = 1; i < listing->count; i++)
            assert_true (strcmp (listing->entries[i - 1].name, listing->entries[i].name) < 0);
        for (size_t i = 0; i < count; i++)
            assert_string_equal (listing_find (listing, names[i])->name, names[i]);
        assert_null (listing_find (listing, "abcd"));
    }
    close (fd);
    script_destroy (script);
}

int
main (void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test (test_ignore),        cmocka_unit_test (test_ignore_malformed),
        cmocka_unit_test (test_settled),       cmocka_unit_test (test_from_stat),
        cmocka_unit_test (test_visited),       cmocka_unit_test (test_listing),
        cmocka_unit_test (test_listing_order),
    };

    return cmocka_run_group_tests (list, NULL, NULL);
}
