/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Remembered problems: told once, looked at in every run, and gone when they are mended.
 *
 * To the index of these tests a file is no mail if its name ends in ".bad" and it is small.
 */
#include "scan-script.h"

struct test {
    const char *name;
    const char *script;
    const char *told; /* by the last scan */
    const char *left; /* remembered afterwards: paths with their reasons */
};

#define LONG_TEXT \
    "01234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901" \
    "23" \
    "4567890123456789"

static const struct test tests[] = {
    /* ---- told once */
    {"each kind", "dir a; link x a/1; fifo a/2; link /dev/null a/3; put a/4.bad x; age; scan",
     "add a/4.bad; dangling-link a/1; folder ; folder a; special-file a/2; special-file a/3",
     "dangling-link a/1; not-mail a/4.bad; special-file a/2; special-file a/3"},
    {"a second run says nothing",
     "dir a; link x a/1; fifo a/2; link /dev/null a/3; put a/4.bad x; age; scan; age; scan", "",
     "dangling-link a/1; not-mail a/4.bad; special-file a/2; special-file a/3"},
    {"nor one that lists the folder",
     "dir a; link x a/1; fifo a/2; link /dev/null a/3; put a/4.bad x; age; scan; file a/5; age; "
     "scan",
     "add a/5; folder a",
     "dangling-link a/1; not-mail a/4.bad; special-file a/2; special-file a/3"},
    {"nor one that looks at everything",
     "dir a; link x a/1; fifo a/2; link /dev/null a/3; put a/4.bad x; age; scan; age; full", "",
     "dangling-link a/1; not-mail a/4.bad; special-file a/2; special-file a/3"},
    {"nor while times do not settle", "link x 1; scan; scan", "", "dangling-link 1"},
    {"a folder that is nowhere, and the next",
     "link ../x l; out x; put ../x/1 t; age; scan; age; "
     "mv ../x ../y; scan; age; scan",
     "", "dangling-link l"},
    {"another reason is told", "link x 1; age; scan; rm 1; fifo 1; age; scan",
     "folder ; special-file 1", "special-file 1"},
    {"another reason, in a folder that is as it was",
     "out x; put ../x/1 t; dir a; link ../../x/0 a/l; age; scan; age; fifo ../x/0; scan",
     "special-file a/l", "special-file a/l"},

    /* ---- gone */
    {"all removed",
     "dir a; link x a/1; fifo a/2; put a/4.bad x; age; scan; rm a/1; rm a/2; rm a/4.bad; age; scan",
     "drop a/1; drop a/2; drop a/4.bad; folder a", ""},
    {"removed with their folder", "dir a; link x a/1; put a/4.bad x; age; scan; rm a; age; scan",
     "drop-folder a; folder ", ""},
    {"their folder renamed", "dir a; link x a/1; put a/4.bad x; age; scan; mv a b; age; scan",
     "folder ; folder b; move-folder a -> b", "dangling-link b/1; not-mail b/4.bad"},
    {"mended by renaming the folder",
     "dir a/c; dir d; link ../../x a/c/1; age; scan; mv a d/b; file d/x; age; scan",
     "add d/b/c/1; add d/x; folder ; folder d; folder d/b; move-folder a -> d/b", ""},
    {"the target comes when their folder has been renamed",
     "dir a/c; link ../../x a/c/1; age; scan; mv a b; file x; age; scan",
     "add b/c/1; add x; folder ; folder b; move-folder a -> b", ""},
    {"their folder renamed, another like it in its place",
     "dir a; link x a/1; age; scan; mv a b; dir a; link x a/1; age; scan",
     "dangling-link b/1; folder ; folder a; folder b", "dangling-link a/1; dangling-link b/1"},
    {"hidden", "link x 1; put 2.bad x; age; scan; ignore 1; ignore 2.bad; scan",
     "drop 1; drop 2.bad", ""},
    {"in a folder that is hidden: left",
     "dir a/b; link x a/b/1; age; scan; ignore a; rm a/b/1; age; "
     "scan",
     "", "dangling-link a/b/1"},
    {"in a folder that is away: left",
     "out x; link nothing ../x/1; link ../x l; age; scan; mv ../x ../y; age; scan",
     "dangling-link l", "dangling-link l; dangling-link l/1"},

    /* ---- mended */
    {"the target appears elsewhere",
     "out x; dir a; link ../../x/1 a/l; age; scan; age; put ../x/1 t; scan", "add a/l", ""},
    {"the target is a folder", "dir a; link ../../x a/l; age; scan; age; out x; put ../x/1 t; scan",
     "add a/l/1; drop a/l; untrusted a/l", ""},
    {"the target is a folder with folders",
     "dir a; link ../../x a/l; age; scan; age; out x; dir ../x/y; put ../x/y/1 t; age; scan",
     "add a/l/y/1; drop a/l; folder a/l; folder a/l/y", ""},
    {"the target is a folder of the mail root",
     "dir a; link ../b a/l; age; scan; dir b; file b/1; "
     "age; scan",
     "add b/1; drop a/l; folder ; folder b", ""},
    {"the target is what holds the mail root",
     "dir a; out x; link ../../x/up a/l; age; scan; age; link ../Mail ../x/up; scan", "drop a/l",
     ""},
    {"the tmp of a maildir",
     "dir a/cur; dir a/new; link ../../x a/tmp; age; scan; age; out x; "
     "put ../x/1 t; scan",
     "drop a/tmp", ""},
    {"the folder comes back",
     "out x; put ../x/1 t; link ../x l; age; scan; mv ../x ../y; age; scan; "
     "mv ../y ../x; age; scan",
     "drop l; folder l", ""},
    {"the file comes back, and its name was kept",
     "out x; put ../x/f t; link ../x/f 1; age; scan; mv ../x/f ../x/g; file 2; age; scan; "
     "mv ../x/g ../x/f; age; scan",
     "add 1", ""},
    {"a fifo becomes a file", "fifo p; age; scan; rm p; file p; age; scan", "add p; folder ", ""},
    {"a fifo becomes a folder", "fifo p; age; scan; rm p; dir p; file p/1; age; scan",
     "add p/1; drop p; folder ; folder p", ""},
    {"no mail, changed in place", "put 1.bad x; age; scan; age; put 1.bad " LONG_TEXT "; scan",
     "add 1.bad", ""},
    {"no mail, changed in place, and still none", "put 1.bad x; age; scan; age; put 1.bad y; scan",
     "add 1.bad", "not-mail 1.bad"},
    {"... then as before", "put 1.bad x; age; scan; age; put 1.bad y; scan; age; scan", "",
     "not-mail 1.bad"},
    {"no mail, replaced by renaming",
     "put 1.bad x; age; scan; put t " LONG_TEXT "; mv t 1.bad; age; scan", "add 1.bad; folder ",
     ""},
    {"no mail, under another name: it has to be read",
     "put 1.bad x; age; scan; mv 1.bad 2.bad; age; scan", "add 2.bad; drop 1.bad; folder ",
     "not-mail 2.bad"},
    {"no mail, in a folder that is gone, found elsewhere",
     "dir a; put a/1.bad x; file a/2; age; scan; mv a/1.bad b.bad; mv a/2 c; rm a; age; scan",
     "add b.bad; drop-folder a; folder ; move a/2 -> c", "not-mail b.bad"},
    {"a mail takes the name", "put 1.bad x; file 2; age; scan; mv 2 1.bad; age; scan",
     "add 1.bad; drop 2; folder ", "not-mail 1.bad"},
};

/* Files may not be read, but by root. */
static const struct test rights[] = {
    {"a folder: in each run", "dir a; file a/1; mode 0 a; age; scan; age; scan", "",
     "unreadable a"},
    {"a folder below", "dir a/b; file a/b/1; age; scan; mode 0 a/b; scan; age; scan", "",
     "unreadable a/b"},
    {"mended", "dir a; file a/1; mode 0 a; age; scan; mode 700 a; age; scan",
     "add a/1; drop a; folder a", ""},
    {"the mail root, though nothing is above it to remember it in",
     "file 1; age; scan; mode 0 .; age; scan; age; scan", "unreadable ", ""},
    {"behind a link", "out x; put ../x/1 t; link ../x l; mode 0 ../x; age; scan; age; scan", "",
     "unreadable l"},
    {"behind a link, in a folder that is listed",
     "out x; put ../x/1 t; link ../x l; mode 0 ../x; age; scan; file 2; age; scan",
     "add 2; folder ", "unreadable l"},
    {"behind a link, mended",
     "out x; put ../x/1 t; link ../x l; mode 0 ../x; age; scan; mode 700 ../x; age; scan",
     "add l/1; drop l; folder l", ""},
    {"behind a link, and renamed, and mended",
     "out x; put ../x/1 t; link ../x l; mode 0 ../x; age; scan; mv l m; age; scan; mode 700 ../x; "
     "age; scan",
     "add m/1; drop m; folder m", ""},
    {"a file behind a link",
     "out x; put ../x/1 t; link ../x/1 l; mode 0 ../x; age; scan; age; scan", "", "unreadable l"},
    {"a file behind a link, mended",
     "out x; put ../x/1 t; link ../x/1 l; mode 0 ../x; age; scan; "
     "mode 700 ../x; age; scan",
     "add l", ""},
    {"renamed", "dir a; file a/1; mode 0 a; age; scan; age; mv a b; age; scan",
     "drop a; drop-folder a; folder ; unreadable b; untrusted b", "unreadable b"},
    {"known, then unreadable, then renamed: its contents stay",
     "dir a; file a/1; age; scan; mode 0 a; age; scan; mv a b; age; scan",
     "drop a; folder ; move-folder a -> b; unreadable b", "unreadable b"},
};

static char *
left (struct script *script)
{
    struct mail_index *index = script->index;
    char *text = talloc_strdup (script, ""), **lines = talloc_array (script, char *, 100);
    size_t count = 0;

    for (size_t i = 0; i < index->problem_count; i++) {
        const struct mail_problem *problem = &index->problems[i].problem;
        char *folder;

        if (index->problems[i].gone)
            continue;
        folder = fake_path (script, index, problem->folder);
        lines[count++] = talloc_asprintf (script, "%s %s%s%s", mail_reason_word (problem->reason),
                                          folder, *folder ? "/" : "", problem->name);
    }
    if (count)
        qsort (lines, count, sizeof *lines, fake_by_name);
    for (size_t i = 0; i < count; i++)
        text = talloc_asprintf_append (text, "%s%s", i ? "; " : "", lines[i]);
    return text;
}

static size_t
check_case (const struct test *test)
{
    struct script *script = script_create ();
    bool wrong;

    script_run (script, test->script);
    wrong =
        strcmp (script_told (script), test->told) != 0 || strcmp (left (script), test->left) != 0;
    if (wrong)
        print_error ("%s:\n told   %s\n wanted %s\n left   %s\n wanted %s\n", test->name,
                     script_told (script), test->told, left (script), test->left);
    chmod (script->root, 0700);
    chmod (script_path (script, "a"), 0700);
    chmod (script_path (script, "b"), 0700);
    chmod (script_path (script, "a/b"), 0700);
    chmod (script_path (script, "../x"), 0700);
    script_destroy (script);
    return wrong;
}

static void
test_table (void **state)
{
    size_t wrong = 0;

    (void) state;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        wrong += check_case (&tests[i]);
    assert_int_equal (wrong, 0);
}

static void
test_rights (void **state)
{
    size_t wrong = 0;

    (void) state;
    if (geteuid () == 0 && !script_give_up_override ())
        skip ();
    for (size_t i = 0; i < sizeof rights / sizeof *rights; i++)
        wrong += check_case (&rights[i]);
    assert_int_equal (wrong, 0);
}

/* What the caller of the scan gets to see: problems met, told, and worth another run. */
static void
check_counts (struct script *script, const char *text, unsigned met, unsigned told, unsigned again)
{
    script_run (script, text);
    assert_int_equal (script->counts.problems, met);
    assert_int_equal (script->counts.told, told);
    assert_int_equal (script->counts.again, again);
}

static void
test_counts (void **state)
{
    struct script *script = script_create ();

    (void) state;
    check_counts (script, "link x 1; fifo 2; put 3.bad x; age; scan", 2, 2, 0);
    check_counts (script, "file 4; age; scan", 2, 0, 0);
    assert_int_equal (script->counts.folders_listed, 1);
    check_counts (script, "age; scan", 2, 0, 0);
    assert_int_equal (script->counts.folders_listed, 0);
    if (geteuid () == 0 && !script_give_up_override ())
        goto done;
    check_counts (script, "dir a; mode 0 a; age; scan", 3, 1, 1);
    check_counts (script, "age; scan", 3, 0, 1);
    check_counts (script, "mode 700 a; age; scan", 2, 0, 0);
done:
    script_destroy (script);
}

/* Files that cannot be read, which the library finds out. */
static void
test_unreadable_file (void **state)
{
    struct script *script = script_create ();
    struct fake_op problem = {
        .folder = (char *) "a", .name = (char *) "1", .reason = MAIL_REASON_UNREADABLE};

    (void) state;
    if (geteuid () == 0 && !script_give_up_override ())
        skip ();
    script_run (script, "dir a; file a/1; age; scan; mode 0 a/1");
    fake_put_problem (script->index, &problem);
    script_run (script, "scan");
    assert_string_equal (script_told (script), "");
    script_run (script, "mode 600 a/1; scan");
    assert_string_equal (script_told (script), "add a/1");
    assert_string_equal (left (script), "");
    script_destroy (script);
}

/* A folder with as many as may be. */
static void
test_many (void **state)
{
    struct script *script = script_create ();

    (void) state;
    script_dir (script, "a");
    for (unsigned i = 0; i < 300; i++)
        script_run (script, talloc_asprintf (script, "put a/%u.bad x; file a/%u", i, i));
    script_run (script, "age; scan; age; scan");
    assert_string_equal (script_told (script), "");
    script_run (script, "put a/7.bad " LONG_TEXT "; rm a/77.bad; rm a/78; age; scan");
    assert_string_equal (script_told (script), "add a/7.bad; drop a/77.bad; drop a/78; folder a");
    script_destroy (script);
}

int
main (void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test (test_table),  cmocka_unit_test (test_many),
        cmocka_unit_test (test_rights), cmocka_unit_test (test_unreadable_file),
        cmocka_unit_test (test_counts),
    };

    return cmocka_run_group_tests (list, NULL, NULL);
}
