/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walk and the diff: real folders in a scratch folder, an index in memory. */
#include "scan-script.h"

struct test {
    const char *name;
    const char *script;
    const char *told; /* by the last scan */
};

#define MAILDIR "dir a/cur; dir a/new; dir a/tmp; "

static const struct test tests[] = {
    /* ---- additions and removals */
    {"an empty mail root", "age; scan", "folder "},
    {"nothing new", MAILDIR "file a/cur/1; age; scan; age; scan", ""},
    {"the first run", MAILDIR "file a/cur/2; file a/cur/1; file a/new/3; file top; age; scan",
     "add a/cur/1; add a/cur/2; add a/new/3; add top; folder ; folder a; folder a/cur; "
     "folder a/new"},
    {"a new file", MAILDIR "file a/cur/2; age; scan; file a/cur/1; file a/cur/3; age; scan",
     "add a/cur/1; add a/cur/3; folder a/cur"},
    {"a file gone",
     MAILDIR "file a/cur/1; file a/cur/2; file a/cur/3; age; scan; rm a/cur/2; "
             "age; scan",
     "drop a/cur/2; folder a/cur"},
    {"all files gone", "dir m; file m/1; file m/2; age; scan; rm m/1; rm m/2; age; scan",
     "drop m/1; drop m/2; folder m"},
    {"a new folder in a known one", "dir a; age; scan; dir a/b; file a/b/1; age; scan",
     "add a/b/1; folder a; folder a/b"},
    {"a deep new tree", "age; scan; dir a/b/c/d/e/f/g; file a/b/c/d/e/f/g/1; age; scan",
     "add a/b/c/d/e/f/g/1; folder ; folder a; folder a/b; folder a/b/c; folder a/b/c/d; "
     "folder a/b/c/d/e; folder a/b/c/d/e/f; folder a/b/c/d/e/f/g"},
    {"a change deep down", "dir a/b/c/d/e/f/g; age; scan; file a/b/c/d/e/f/g/1; age; scan",
     "add a/b/c/d/e/f/g/1; folder a/b/c/d/e/f/g"},
    {"a new empty folder, filled later",
     "dir a; age; scan; dir a/b; age; scan; file a/b/1; age; "
     "scan",
     "add a/b/1; folder a/b"},
    {"a folder gone", "dir a/b; file a/b/1; file a/2; file 3; age; scan; rm a; age; scan",
     "drop-folder a; folder "},
    {"a file becomes a folder", "file a; age; scan; rm a; dir a; file a/1; age; scan",
     "add a/1; drop a; folder ; folder a"},
    {"a folder becomes a file", "dir a; file a/1; age; scan; rm a; file a; age; scan",
     "add a; drop-folder a; folder "},
    {"names with odd bytes", "dir \xff; file \xff/\xfe\x01; age; scan",
     "add \xff/\xfe\x01; folder ; folder \xff"},

    /* ---- times */
    {"it is listed again, and trusted", "file 1; scan; age; scan", "folder "},
    {"a delivery with the folder's time put back",
     "dir a; file a/1; age; scan; age; keep a; file a/2; give a; age; scan", "add a/2; folder a"},
    {"an older time than before", "dir a; age; scan; file a/1; stamp a 978307200 5; age; scan",
     "add a/1; folder a"},
    {"whole seconds, long ago", "dir a; file a/1; stamp a 978307200 0; age; scan",
     "add a/1; folder ; folder a"},
    {"a folder made anew with its old time",
     "dir x/cur; file x/cur/1; age; scan; keep x/cur; rm x; age; scan; dir x/cur; file x/cur/2; "
     "give x/cur; age; scan",
     "add x/cur/2; folder ; folder x; folder x/cur"},
    {"a folder made anew with its old time, between two runs",
     "dir x/cur; file x/cur/1; age; scan; keep x/cur; rm x; dir x/cur; file x/cur/2; "
     "give x/cur; age; scan",
     "add x/cur/2; drop x/cur/1; folder ; folder x; folder x/cur"},

    /* ---- moves of files */
    {"a flag set", MAILDIR "file a/new/1; age; scan; mv a/new/1 a/cur/1:2,S; age; scan",
     "folder a/cur; folder a/new; move a/new/1 -> a/cur/1:2,S"},
    {"a flag set, within a folder",
     "dir c; file c/1; file c/2; age; scan; mv c/1 c/1:2,S; age; "
     "scan",
     "folder c; move c/1 -> c/1:2,S"},
    {"to another folder", "dir a; dir b; file b/1; age; scan; mv b/1 a/1; age; scan",
     "folder a; folder b; move b/1 -> a/1"},
    {"to a new folder", "dir b; file b/1; age; scan; dir a/deep; mv b/1 a/deep/1; age; scan",
     "folder ; folder a; folder a/deep; folder b; move b/1 -> a/deep/1"},
    {"out of a folder that is gone",
     "dir a; dir b/c; file b/c/1; file b/c/2; age; scan; "
     "mv b/c/1 a/1; rm b; age; scan",
     "drop-folder b; folder ; folder a; move b/c/1 -> a/1"},
    {"to the name of another that is gone too",
     "dir m; file m/1; file m/2; age; scan; rm m/1; mv m/2 m/1; age; scan",
     "drop m/1/; folder m; move m/1 -> m/1/; move m/2 -> m/1"},
    {"whole seconds are no proof",
     "dir c; file c/1; stamp c/1 978307200 0; age; scan; mv c/1 c/2; age; scan",
     "add c/2; drop c/1; folder c"},
    {"a file written to is another",
     "dir c; put c/1 ab; age; scan; mv c/1 c/2; age; put c/2 cd; "
     "age; scan",
     "add c/2; drop c/1; folder c"},
    {"another size",
     "dir c; put c/1 ab; keep c/1; age; scan; mv c/1 c/2; put c/2 abc; "
     "give c/2; age; scan",
     "add c/2; drop c/1; folder c"},
    {"a copy of it", "dir c; dir d; file c/1; age; scan; copy c/1 d/1; rm c/1; age; scan",
     "add d/1; drop c/1; folder c; folder d"},
    {"a hard link more", "dir c; file c/1; age; scan; hard c/1 c/2; age; scan",
     "add c/2; folder c"},
    {"one of two hard links renamed, the other gone",
     "dir c; file c/1; hard c/1 c/2; age; scan; mv c/1 c/3; rm c/2; age; scan",
     "drop c/1; folder c; move c/2 -> c/3"},
    {"both of two hard links renamed",
     "dir c; file c/1; hard c/1 c/2; age; scan; mv c/1 c/3; mv c/2 c/4; age; scan",
     "folder c; move c/1 -> c/4; move c/2 -> c/3"},

    /* ---- moves of folders */
    {"a folder renamed",
     "dir old/cur; dir old/new; file old/cur/1; age; scan; mv old new-name; "
     "age; scan",
     "folder ; folder new-name; move-folder old -> new-name"},
    {"nothing new after a reboot", "dir a; file a/1; age; scan; boot; scan", ""},
    {"a folder renamed over a reboot", "dir a; file a/1; age; scan; mv a b; boot; age; scan",
     "folder ; folder b; move-folder a -> b"},
    {"files and folders moved out of one that is gone, over a reboot",
     "dir a/b/c; file a/b/c/1; file a/b/2; age; scan; mv a/b/c c; mv a/b/2 2; rm a; boot; age; "
     "scan",
     "drop-folder a; folder ; folder c; move a/b/2 -> 2; move-folder a/b/c -> c"},
    {"a flag set over a reboot", "dir a; file a/1; age; scan; mv a/1 a/2; boot; age; scan",
     "folder a; move a/1 -> a/2"},
    {"a folder renamed, and a delivery",
     "dir old/cur; dir old/new; file old/cur/1; age; scan; "
     "mv old x; file x/new/2; age; scan",
     "add x/new/2; folder ; folder x; folder x/new; move-folder old -> x"},
    {"a folder renamed, and a flag set in it",
     "dir old/cur; dir old/new; file old/new/1; age; scan; mv old x; mv x/new/1 x/cur/1; age; scan",
     "folder ; folder x; folder x/cur; folder x/new; move old/new/1 -> x/cur/1; "
     "move-folder old -> x"},
    {"a folder moved into another", "dir a; dir b/c; file b/c/1; age; scan; mv b a/b; age; scan",
     "folder ; folder a; folder a/b; move-folder b -> a/b"},
    {"a folder moved into a new one",
     "dir b/c; file b/c/1; age; scan; dir a/z; mv b a/z/b; age; scan",
     "folder ; folder a; folder a/z; folder a/z/b; move-folder b -> a/z/b"},
    {"a folder moved out of one that is gone",
     "dir a/b/c; file a/b/c/1; file a/2; age; scan; mv a/b/c c; rm a; age; scan",
     "drop-folder a; folder ; folder c; move-folder a/b/c -> c"},
    {"a folder and the one in it change places",
     "dir a/b; file a/1; file a/b/2; age; scan; mv a/b b; mv a b/a; age; scan",
     "drop-folder a; folder ; folder b; folder b/a; move a/1 -> b/a/1; move a/b/2 -> b/2"},
    {"two folders change names",
     "dir a; dir b; file a/1; file b/2; age; scan; mv a t; mv b a; mv t b; age; scan",
     "folder ; folder a; folder b; move a/1 -> b/1; move b/2 -> a/2"},
    {"a folder renamed and made anew",
     "dir a; file a/1; age; scan; mv a b; dir a; file a/2; age; "
     "scan",
     "add a/2; folder ; folder a; folder b; move a/1 -> b/1"},
    {"a folder renamed whose time has whole seconds",
     "dir a; file a/1; stamp a 978307200 0; age; scan; mv a b; age; scan",
     "drop-folder a; folder ; folder b; move a/1 -> b/1"},
    {"a folder renamed that had changed", "dir a; file a/1; age; scan; file a/2; mv a b; age; scan",
     "add b/2; drop-folder a; folder ; folder b; move a/1 -> b/1"},

    /* ---- known names */
    {"a file replaced by renaming",
     "dir a; file a/1; age; scan; file a/tmp; mv a/tmp a/1; age; "
     "scan",
     "add a/1; folder a"},
    {"two files change names",
     "dir m; file m/1; file m/2; age; scan; mv m/1 t; mv m/2 m/1; "
     "mv t m/2; age; scan",
     "folder ; folder m; move m/1 -> m/2; move m/2 -> m/1"},
    {"a folder sorted",
     "dir m; file m/1; file m/2; file m/3; age; scan; mv m/1 m/t; mv m/3 m/1; mv m/2 m/3; "
     "mv m/t m/2; age; scan",
     "folder m; move m/1 -> m/2; move m/2 -> m/3; move m/3 -> m/1"},
    {"a folder packed",
     "dir m; file m/1; file m/3; file m/4; age; scan; mv m/3 m/2; mv m/4 m/3; age; scan",
     "folder m; move m/3 -> m/2; move m/4 -> m/3"},
    {"a message removed and the folder packed",
     "dir m; file m/1; file m/2; file m/3; file m/4; age; scan; mv m/3 m/2; mv m/4 m/3; age; scan",
     "drop m/2/; folder m; move m/2 -> m/2/; move m/3 -> m/2; move m/4 -> m/3"},
    {"moved over the file of another folder",
     "dir a; dir b; file a/1; file b/1; file b/2; age; scan; mv b/1 a/1; mv b/2 b/1; age; scan",
     "drop a/1/; folder a; folder b; move a/1 -> a/1/; move b/1 -> a/1; move b/2 -> b/1"},
    {"renamed, and another delivered under the name",
     "dir m; file m/1; age; scan; mv m/1 m/2; file m/1; age; scan",
     "add m/1; folder m; move m/1 -> m/2"},
    {"a copy under the same name",
     "dir a; file a/1; age; scan; copy a/1 a/t; mv a/t a/1; age; scan", "add a/1; folder a"},
    {"a folder replaced by a copy of it",
     "dir a; file a/1; age; scan; dir b; copy a/1 b/1; mv a ../a; mv b a; age; scan",
     "folder ; folder a"},
    {"a file changed in place is not seen", "dir a; file a/1; age; scan; age; put a/1 x; scan", ""},
    {"but in a full scan", "dir a; file a/1; age; scan; age; put a/1 x; age; full", "add a/1"},
    {"a full scan with nothing new", "dir a; file a/1; age; scan; age; full", ""},
    {"a full scan sees a time put back",
     "dir a; put a/1 ab; keep a/1; age; scan; put a/1 abc; "
     "give a/1; age; full",
     "add a/1"},
    {"a full scan sees another inode",
     "dir a; file a/1; age; scan; copy a/1 a/t; mv a/t a/1; age; "
     "full",
     "add a/1; folder a"},

    /* ---- links */
    {"a link to a file", "out x; dir a; link ../../x/f a/1; put ../x/f text; age; scan",
     "add a/1; folder ; folder a"},
    {"a link to nothing finds its file", "dir a; link ../b a/0; age; scan; file b; age; scan",
     "add a/0; add b; folder "},
    {"a link to the folder above", "dir a; file a/1; link .. a/loop; age; scan",
     "add a/1; folder ; folder a"},
    {"a link beside", "dir a; file a/1; link a b; age; scan", "add a/1; folder ; folder a"},
    {"two links up and down", "dir a/b; file a/b/1; link ../.. a/b/x; link .. a/y; age; scan",
     "add a/b/1; folder ; folder a; folder a/b"},
    {"a link to a folder outside", "out x; dir ../x/c; put ../x/c/1 text; link ../x b; age; scan",
     "add b/c/1; folder ; folder b; folder b/c"},
    {"a link to what holds the mail root", "link .. up; link / all; file 1; age; scan",
     "add 1; folder "},
    {"two links to one folder", "out x; put ../x/1 text; link ../x b; link ../x a; age; scan",
     "add a/1; folder ; folder a"},
    {"a link to a folder that a link holds",
     "out x; dir ../x/c; put ../x/c/1 text; link ../x/c a; link ../x b; age; scan",
     "add a/1; folder ; folder a; folder b"},
    {"links that lead back, outside",
     "out x; put ../x/1 text; link . ../x/me; link ../Mail ../x/root; link ../x b; age; scan",
     "add b/1; folder ; folder b"},
    {"a delivery behind a known link",
     "out x; put ../x/1 text; link ../x b; age; scan; put ../x/2 two; age; scan",
     "add b/2; folder b"},
    {"a known link in a folder that has changed",
     "out x; put ../x/1 text; link ../x b; age; scan; file 2; put ../x/3 two; age; scan",
     "add 2; add b/3; folder ; folder b"},
    {"a known link renamed", "out x; put ../x/1 text; link ../x b; age; scan; mv b c; age; scan",
     "folder ; move-folder b -> c"},
    {"a known link taken away", "out x; put ../x/1 text; link ../x b; age; scan; rm b; age; scan",
     "drop-folder b; folder "},
    {"a folder renamed, a link in its place",
     "dir a; file a/1; age; scan; mv a b; link b a; age; scan",
     "folder ; folder b; move-folder a -> b"},
    {"a known link that leads into the mail root now",
     "out x; put ../x/1 text; link ../x b; dir a; file a/2; age; scan; rm b; link a b; rm a/2; "
     "age; scan",
     "drop a/2; drop-folder b; folder ; folder a"},
    {"a known link that leads out of it too far now",
     "out x; put ../x/1 text; link ../x b; file 2; age; scan; rm b; link .. b; rm 2; age; scan",
     "drop 2; drop-folder b; folder "},
    {"a folder moved out, a link in its place",
     "out x; dir a/b; file a/b/1; age; scan; mv a ../x/a; link ../x/a a; age; scan",
     "folder ; folder a"},

    {"a link to nothing", "dir a; dir z; link nothing a/0; file a/1; file z/2; age; scan",
     "add a/1; add z/2; dangling-link a/0; folder ; folder a; folder z"},
    {"a link to itself", "link a a; age; scan", "dangling-link a; folder "},
    {"a file behind a link goes away: kept",
     "out x; put ../x/f text; link ../x/f 1; age; scan; rm ../x/f; file 2; age; scan",
     "add 2; dangling-link 1; folder "},
    {"the folder behind a known link is away",
     "out x; put ../x/1 text; link ../x b; age; scan; mv ../x ../y; age; scan", "dangling-link b"},
    {"the folder behind a known link is away, the folder with the link has changed",
     "out x; put ../x/1 text; link ../x b; age; scan; mv ../x ../y; file 1; age; scan",
     "add 1; dangling-link b; folder "},

    /* ---- what is no mail */
    {"a fifo", "fifo p; file 1; age; scan", "add 1; folder ; special-file p"},
    {"a file becomes a fifo", "file p; age; scan; rm p; fifo p; age; scan",
     "drop p; folder ; special-file p"},
    {"a link to a device", "link /dev/null n; age; scan", "folder ; special-file n"},
    {"index folders",
     "dir .mailindex/state; file .mailindex/1; dir .notmuch; file .notmuch/1; "
     "dir a/.notmuch; file a/.notmuch/1; age; scan",
     "folder ; folder a"},
    {"files of these names", "file .mailindex; file .notmuch; age; scan",
     "add .mailindex; add .notmuch; folder "},
    {"the tmp of a maildir", MAILDIR "file a/tmp/1; dir a/tmp/x; age; scan",
     "folder ; folder a; folder a/cur; folder a/new"},
    {"the tmp of the mail root", "dir cur; dir new; dir tmp; file tmp/1; file new/2; age; scan",
     "add new/2; folder ; folder cur; folder new"},
    {"the tmp of no maildir", "dir a/cur; dir a/tmp; file a/new; file a/tmp/1; age; scan",
     "add a/new; add a/tmp/1; folder ; folder a; folder a/cur; folder a/tmp"},
    {"a maildir of links",
     "out x; dir ../x/d; dir a/tmp; file a/tmp/1; link ../../x a/cur; "
     "link ../../x/d a/new; age; scan",
     "folder ; folder a; folder a/cur; folder a/cur/d"},
    {"tmp becomes that of a maildir",
     "dir a/cur; dir a/tmp; file a/tmp/1; age; scan; dir a/new; age; scan",
     "drop-folder a/tmp; folder a; folder a/new"},

    /* ---- new.ignore */
    {"a dangling link ignored", "ignore l; link nothing l; age; scan", "folder "},
    {"an ignored file goes when its folder is listed",
     "dir a; file a/x; age; scan; ignore x; age; scan; file a/2; age; scan",
     "add a/2; drop a/x; folder a"},

};

/* Something in these is looked at again in every run. */
static const struct test restless_tests[] = {
    {"an ignored folder in a known one is not looked into",
     "dir a/x; file a/x/1; age; scan; ignore x; file a/x/2; age; scan", ""},
    {"a folder that has just changed", "file 1; scan", "add 1; untrusted "},
    {"a second delivery in the same tick", "file 1; scan; file 2; scan", "add 2"},
    {"a time in the future", "dir a; age; scan; file a/1; stamp a 4102444800 5; age; scan",
     "add a/1; untrusted a"},
    {"a time in the future, a second delivery",
     "dir a; file a/1; stamp a 4102444800 5; age; scan; file a/2; stamp a 4102444800 5; age; scan",
     "add a/2"},
    {"no time at all", "dir a; file a/1; stamp a 0 0; age; scan", "add a/1; folder ; untrusted a"},
    {"ignored words", "ignore x; dir a/x; file a/x/1; file x; file a/xx; age; scan",
     "add a/xx; folder ; untrusted a"},
    {"ignored patterns",
     "ignore /^a\\/b/; ignore /[0-9]$/; dir a/b; file a/b/x; file a/c; "
     "file a/7; dir b; file b/x; age; scan",
     "add a/c; add b/x; folder ; folder b; untrusted a"},
    {"it goes when the folder above is listed",
     "dir a/x; file a/x/1; age; scan; ignore x; file a/2; age; scan",
     "add a/2; drop-folder a/x; untrusted a"},
};

/* Once times have settled, nothing more is found, and nothing is listed. */
static bool
check_rest (struct script *script, const char *name, bool restless)
{
    script_run (script, "age; scan; age; scan");
    if (!restless && (script->line_count || script->counts.folders_listed ||
                      script->counts.folders_stated != script->counts.folders_known)) {
        print_error ("%s: not at rest: %s\n", name, script_told (script));
        return false;
    }
    for (size_t i = 0; i < script->line_count; i++)
        if (strncmp (script->lines[i], "add ", 4) == 0) {
            print_error ("%s: found late: %s\n", name, script_told (script));
            return false;
        }
    return true;
}

static size_t
check_case (const struct test *test, bool restless)
{
    struct script *script = script_create ();
    bool right;
    char *told;

    script_run (script, test->script);
    told = script_told (script);
    right = strcmp (told, test->told) == 0;
    if (!right)
        print_error ("%s:\n told   %s\n wanted %s\n", test->name, told, test->told);
    if (!check_rest (script, test->name, restless))
        right = false;
    script_destroy (script);
    return !right;
}

static void
check_cases (void)
{
    size_t wrong = 0;

    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        wrong += check_case (&tests[i], false);
    for (size_t i = 0; i < sizeof restless_tests / sizeof *restless_tests; i++)
        wrong += check_case (&restless_tests[i], true);
    assert_int_equal (wrong, 0);
}

static void
test_table (void **state)
{
    (void) state;
    check_cases ();
}

static int
typed_again (void **state)
{
    (void) state;
    fake_untyped = false;
    return 0;
}

/* The same on a file system that does not tell what a name is. */
static void
test_table_untyped (void **state)
{
    (void) state;
    fake_untyped = true;
    check_cases ();
}

int
main (void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test (test_table),
        cmocka_unit_test_teardown (test_table_untyped, typed_again),
    };

    return cmocka_run_group_tests (list, NULL, NULL);
}
