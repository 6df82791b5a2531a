/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What others do to the mail root while it is scanned: nothing that was not lost may be dropped. */
#include "scan-script.h"

struct test {
    const char *name;
    const char *before;
    const char *folder; /* the race comes when this one has been listed; NULL: at the end of the
                           first listing of all */
    const char *race;
    const char *told; /* by this scan */
    const char *then; /* by the next, after a while */
};

static const struct test tests[] = {
    {"a file moved to a folder that has been looked at, from one that was listed with it",
     "dir a; dir b; file b/1; file b/2; age; scan; rm b/2; age", "b", "mv b/1 a/1",
     "drop b/2; folder b; vanished b/1", "folder a; folder b; move b/1 -> a/1"},
    {"a file moved to a folder that has been listed",
     "dir a; dir b; file a/1; file b/2; age; scan; rm a/1; file b/3; age", "a", "mv b/2 a/2",
     "add b/3; drop a/1; folder a; untrusted b", "folder a; folder b; move b/2 -> a/2"},
    {"a file moved to a folder that was unchanged",
     "dir a; dir b; dir c; file b/1; file c/2; age; scan; rm b/1; file c/3; age", "b", "mv c/2 a/2",
     "add c/3; drop b/1; folder b; untrusted c", "folder a; folder c; move c/2 -> a/2"},
    {"a file moved to the mail root", "dir a; dir b; file a/1; file b/2; age; scan; rm a/1; age",
     "a", "mv b/2 2",
     /* b is listed after the move */
     "drop a/1; folder a; untrusted b", "folder ; folder b; move b/2 -> 2"},
    {"a file moved to a folder that is renamed, and looked at later",
     "dir a/x; dir b; dir c; file b/1; file c/2; age; scan; mv a d; file c/3; age", "c",
     "mv c/2 d/x/2; rm b/1",
     "add c/3; add d/x/2; folder ; folder c; folder d; move-folder a -> d; untrusted d/x; "
     "vanished c/2",
     "drop b/1; drop c/2; folder b; folder c; folder d/x"},
    {"a file moved into a folder that is made meanwhile",
     "dir a; dir b; file a/1; file b/2; age; scan; rm a/1; file b/3; age", "a",
     "dir a/new; mv b/2 a/new/2", "add b/3; untrusted a; untrusted b",
     "drop a/1; folder a; folder a/new; folder b; move b/2 -> a/new/2"},
    {"a folder moved to where it has been looked for",
     "dir a; dir b/c; file b/c/1; file a/1; age; scan; rm a/1; file b/2; age", "a", "mv b/c a/c",
     "add b/2; untrusted a; untrusted b",
     "drop a/1; folder a; folder a/c; folder b; move-folder b/c -> a/c"},
    {"a folder renamed where it has been looked for",
     "dir a; dir b/c; file b/c/1; file b/2; age; scan; rm b/2; age", "b", "mv b/c b/d",
     "untrusted b; vanished b/c", "drop b/2; folder b; folder b/d; move-folder b/c -> b/d"},
    {"a name renamed while its folder is listed", "dir a; file a/1; age; scan; file a/2; age", NULL,
     "mv a/1 a/1:2,S", "add a/2; move a/1 -> a/1:2,S; untrusted a", "folder a"},
    {"a file removed while its folder is listed",
     "dir a; file a/1; file a/3; age; scan; file a/2; age", NULL, "rm a/1",
     "add a/2; drop a/1; untrusted a", "folder a"},
    {"a known folder removed", "dir a; dir b; file b/1; age; scan; file a/1; age", "a", "rm b",
     "add a/1; folder a; vanished b", "drop-folder b; folder "},
    {"a known folder becomes a file", "dir a; dir b; file b/1; age; scan; file a/1; age", "a",
     "rm b; file b", "add a/1; folder a; vanished b", "add b; drop-folder b; folder "},
    {"a known folder becomes a link to nothing", "dir a; dir b; file b/1; age; scan; file a/1; age",
     "a", "rm b; link x b", "add a/1; dangling-link b; folder a", "folder "},
    {"a new file that goes at once", "dir a; age; scan; file a/1; file a/2; age", "a", "rm a/1",
     "add a/2; folder a; vanished a/1", "folder a"},
    {"a new file that becomes a folder", "dir a; age; scan; file a/1; file a/2; age", "a",
     "rm a/1; dir a/1", "add a/2; folder a", "folder a; folder a/1"},
    {"a new folder that goes at once", "dir a; age; scan; dir a/b; file a/2; age", "a", "rm a/b",
     "add a/2; folder a; vanished a/b", "folder a"},
    {"a delivery while the folder is listed", "dir a; file a/1; age; scan; file a/2; age", NULL,
     "file a/3", "add a/2; add a/3; untrusted a", "folder a"},
    {"a delivery after the listing", "dir a; file a/1; age; scan; file a/2; age", "a", "file a/3",
     "add a/2; folder a", "add a/3; folder a"},
};

static struct script *racing;
static const char *race;

static void
run_race (struct mail_index *index)
{
    (void) index;
    script_run (racing, race);
}

static void
run_race_while_listing (void)
{
    script_run (racing, race);
}

static bool
check_told (const struct test *test, const char *when, const char *wanted)
{
    char *told = script_told (racing);

    if (strcmp (told, wanted) == 0)
        return true;
    print_error ("%s, %s:\n told   %s\n wanted %s\n", test->name, when, told, wanted);
    return false;
}

static bool
check_race (const struct test *test)
{
    bool right;

    racing = script_create ();
    race = test->race;
    script_run (racing, test->before);
    racing->index->hook_folder = test->folder;
    racing->index->hook = test->folder ? run_race : NULL;
    fake_while_listing = test->folder ? NULL : run_race_while_listing;
    script_run (racing, "scan");
    assert_null (racing->index->hook);
    assert_null (fake_while_listing);
    right = check_told (test, "in the race", test->told);
    script_run (racing, "age; scan");
    right = check_told (test, "afterwards", test->then) && right;
    script_destroy (racing);
    return right;
}

static void
test_races (void **state)
{
    size_t wrong = 0;

    (void) state;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        wrong += !check_race (&tests[i]);
    assert_int_equal (wrong, 0);
}

/* A folder that never stands still: what is new is found, what is missing is not believed. */
static void
never_still (void)
{
    script_run (racing, "rm a/x; file a/x");
    fake_while_listing = never_still;
}

static void
test_never_still (void **state)
{
    (void) state;
    racing = script_create ();
    script_run (racing, "dir a; file a/x; file a/1; age; scan; rm a/1; file a/2; age");
    fake_while_listing = never_still;
    script_run (racing, "scan");
    fake_while_listing = NULL;
    assert_string_equal (script_told (racing), "add a/2; add a/x; untrusted a");
    script_run (racing, "age; scan");
    assert_string_equal (script_told (racing), "drop a/1; folder a");
    script_destroy (racing);
}

int
main (void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test (test_races),
        cmocka_unit_test (test_never_still),
    };

    return cmocka_run_group_tests (list, NULL, NULL);
}
