/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rights, depths, lengths, numbers, errors: what a scan does at the edges. */
#include "scan-script.h"

#include <sys/resource.h>

/* ---- a disk that is waited for ---- */

/* So many folders below a known root, in which one file is new at the end. Threads must not change
 * what comes of it. */
static unsigned
scan_cold (unsigned count, long blocks)
{
    struct script *script = script_create ();
    char *told;
    unsigned threads;

    for (unsigned i = 0; i < count; i++) {
        char line[64];
        snprintf (line, sizeof line, "dir %u/%u", i % 50, i);
        script_run (script, line);
    }
    script_run (script, "age; scan; file 7/57/1; age");
    fake_blocks = blocks;
    script_run (script, "scan");
    fake_blocks = 0;
    told = script_told (script);
    threads = script->counts.threads;
    assert_string_equal (told, "add 7/57/1; folder 7/57");
    assert_int_equal (script->counts.folders_stated, script->counts.folders_known);
    script_destroy (script);
    return threads;
}

static void
test_cold (void **state)
{
    (void) state;
    assert_int_equal (scan_cold (1500, 1000), 8);
    assert_int_equal (scan_cold (1500, 0), 0);   /* all in the cache */
    assert_int_equal (scan_cold (800, 1000), 0); /* too few to be worth it */
}

/* ---- rights -------------------------------------------------------------------------------- */

static const struct {
    const char *name, *script, *told;
    unsigned again;
} rights[] = {
    {"a new folder that may not be read", "dir a; file a/1; file 2; mode 0 a; age; scan",
     "add 2; folder ; unreadable a; untrusted a", 1},
    {"until it may be", "dir a; file a/1; file 2; mode 0 a; age; scan; mode 700 a; age; scan",
     "add a/1; drop a; folder a", 0},
    {"a known folder that may not be read any more: kept",
     "dir a; file a/1; age; scan; mode 0 a; file 2; age; scan", "add 2; folder ; unreadable a", 1},
    {"until it may be, with nothing lost",
     "dir a/b; file a/1; file a/b/3; age; scan; mode 0 a; age; scan; mode 700 a; age; scan",
     "drop a; folder a", 0},
    {"another drops all the same", "dir a; file a/1; file 2; age; scan; mode 0 a; rm 2; age; scan",
     "drop 2; folder ; unreadable a", 1},
    {"names, but no way to them", "dir a; file a/1; age; scan; mode 600 a; age; scan",
     "unreadable a", 1},
    {"a way, but no names", "dir a/b; file a/b/1; age; scan; mode 300 a; file a/b/2; age; scan",
     "unreadable a", 1},
    {"a file that may not be read is for the library to find out", "file 1; mode 0 1; age; scan",
     "add 1; folder ", 0},
    {"a link through a folder that may not be entered",
     "out x; put ../x/1 text; link ../x/1 l; file 2; age; scan; mode 0 ../x; file 3; age; scan",
     "add 3; folder ; unreadable l", 1},
};

static void
test_rights (void **state)
{
    size_t wrong = 0;

    (void) state;
    if (geteuid () == 0 && !script_give_up_override ())
        skip ();
    for (size_t i = 0; i < sizeof rights / sizeof *rights; i++) {
        struct script *script = script_create ();
        char *told;

        script_run (script, rights[i].script);
        told = script_told (script);
        if (strcmp (told, rights[i].told) != 0 || script->counts.again != rights[i].again) {
            print_error ("%s:\n told   %s (%ju)\n wanted %s\n", rights[i].name, told,
                         (uintmax_t) script->counts.again, rights[i].told);
            wrong++;
        }
        chmod (script_path (script, "a"), 0700);
        chmod (script_path (script, "../x"), 0700);
        script_destroy (script);
    }
    assert_int_equal (wrong, 0);
}

/* ---- depth and length ---------------------------------------------------------------------- */

/* Makes folders of this name, each in the last, and a file in the last of all that can have one
 * under a path the kernel takes. Returns how many could be scanned. */
static void
make_deep (struct script *script, const char *name, unsigned levels)
{
    int fd = open (script->root, O_RDONLY | O_DIRECTORY);

    for (unsigned i = 0; i < levels; i++) {
        int next;

        assert_int_equal (mkdirat (fd, name, 0700), 0);
        next = openat (fd, name, O_RDONLY | O_DIRECTORY);
        assert_true (next >= 0);
        close (fd);
        fd = next;
        close (openat (fd, "f", O_WRONLY | O_CREAT, 0600));
    }
    close (fd);
}

/* Without paths, as these are too long for nftw. */
static void
remove_deep (const char *top, const char *name)
{
    int fd = open (top, O_RDONLY | O_DIRECTORY);
    unsigned levels = 0;

    for (int next; (next = openat (fd, name, O_RDONLY | O_DIRECTORY)) >= 0; levels++) {
        close (fd);
        fd = next;
    }
    for (; levels > 0; levels--) {
        int above = openat (fd, "..", O_RDONLY | O_DIRECTORY);

        unlinkat (fd, "f", 0);
        assert_int_equal (unlinkat (above, name, AT_REMOVEDIR), 0);
        close (fd);
        fd = above;
    }
    close (fd);
}

static size_t
count_lines (struct script *script, const char *start)
{
    size_t count = 0;

    for (size_t i = 0; i < script->line_count; i++)
        count += strncmp (script->lines[i], start, strlen (start)) == 0;
    return count;
}

static size_t
open_descriptors (void)
{
    size_t count = 0;
    DIR *dir = opendir ("/proc/self/fd");

    while (dir && readdir (dir))
        count++;
    if (dir)
        closedir (dir);
    return count;
}

static void
check_deep (const char *name, unsigned levels)
{
    struct script *script = script_create ();
    size_t room = PATH_MAX - strlen (script->root) - 2; /* for "a/b/.../f" */
    size_t files = (room - 1) / (strlen (name) + 1), before = open_descriptors ();

    if (files > levels)
        files = levels;
    make_deep (script, name, levels);
    script_run (script, "age; scan");
    assert_int_equal (count_lines (script, "add "), files);
    assert_true (files == levels || script->counts.problems > 0);
    assert_int_equal (count_lines (script, "name-too-long "), script->counts.problems);

    /* Known, and unchanged. */
    script_run (script, "age; scan");
    assert_int_equal (script->line_count, 0);
    assert_int_equal (script->counts.folders_listed, 0);
    assert_int_equal (script->counts.folders_stated, script->counts.folders_known);
    /* Known, and all listed; then all gone. */
    script_run (script, "full");
    assert_int_equal (count_lines (script, "add "), 0);
    remove_deep (script->root, name);
    script_run (script, "age; scan");
    assert_int_equal (count_lines (script, "drop-folder "), 1);

    assert_int_equal (open_descriptors (), before);
    script_destroy (script);
}

static void
test_deep (void **state)
{
    struct rlimit limit, few = {100, 100};

    (void) state;
    /* So few descriptors that one a level would not do. */
    getrlimit (RLIMIT_NOFILE, &limit);
    few.rlim_max = limit.rlim_max;
    setrlimit (RLIMIT_NOFILE, &few);
    check_deep ("d", 300);
    check_deep ("d", 2100);
    check_deep ("a-name-of-some-length-as-they-are", 150);
    setrlimit (RLIMIT_NOFILE, &limit);
}

static void
test_long_names (void **state)
{
    struct script *script = script_create ();
    char name[256] = "";

    (void) state;
    memset (name, 'n', 255);
    script_run (script, talloc_asprintf (script, "file %s; dir d/%s; file d/%s/%s; age; scan", name,
                                         name, name, name));
    assert_int_equal (count_lines (script, "add "), 2);
    assert_int_equal (script->counts.problems, 0);
    script_run (script, "age; scan");
    assert_int_equal (script->line_count, 0);
    script_destroy (script);
}

/* ---- numbers ------------------------------------------------------------------------------- */

static void
make_files (struct script *script, const char *folder, unsigned count)
{
    script_dir (script, folder);
    for (unsigned i = 0; i < count; i++) {
        char *path = talloc_asprintf (script, "%s/%u", folder, i);

        script_put (script, path, path);
        talloc_free (path);
    }
}

static uint64_t
stats_read (struct script *script, const char *text)
{
    script->index->stats_read = 0;
    script_run (script, text);
    return script->index->stats_read;
}

/* Records of known files are read where that is cheap, or where it would explain the change. */
static void
test_checks (void **state)
{
    struct script *script = script_create ();

    (void) state;
    make_files (script, "mh", 50);
    make_files (script, "md/cur", 50);
    script_run (script, "age; scan");
    assert_int_equal (count_lines (script, "add "), 100);

    assert_int_equal (stats_read (script, "file mh/x; age; scan"), 50);
    assert_int_equal (stats_read (script, "file md/cur/x; age; scan"), 0);
    assert_int_equal (stats_read (script, "rm md/cur/x; age; scan"), 0);
    assert_int_equal (stats_read (script, "file md/cur/x; rm md/cur/x; age; scan"), 50);
    assert_int_equal (stats_read (script, "file md/cur/x; scan; age; scan"), 0);
    assert_int_equal (stats_read (script, "age; full"), 51 + 51);
    script_destroy (script);
}

static void
test_checks_large (void **state)
{
    struct script *script = script_create ();

    (void) state;
    make_files (script, "mh", CHECK_MAX + 9);
    script_run (script, "age; scan");
    assert_int_equal (count_lines (script, "add "), CHECK_MAX + 9);
    assert_int_equal (stats_read (script, "mv mh/3 mh/4; age; scan"), 0);
    assert_string_equal (script_told (script), "drop mh/3; folder mh");
    assert_int_equal (stats_read (script, "mv mh/5 mh/6; file mh/x; rm mh/x; age; scan"), 0);
    script_run (script, "file mh/5; age; scan");
    assert_string_equal (script_told (script), "add mh/5; folder mh");
    script_run (script, "full");
    assert_string_equal (script_told (script), "add mh/4; add mh/6");
    script_destroy (script);
}

/* ---- errors -------------------------------------------------------------------------------- */

static void
test_errors (void **state)
{
    struct script *script = script_create ();
    const char *bad = "/[/";
    struct scan_options options = {.ignore = &bad, .ignore_count = 1};
    struct mail_changes *changes = NULL;
    size_t before = open_descriptors ();
    char *error;

    (void) state;
    assert_int_equal (
        scan_mail_root (script, script->index, &options, &changes, &script->counts, &error),
        MAIL_ERROR_ARGUMENT);
    assert_ptr_equal (talloc_parent (error), script);
    assert_true (g_str_has_prefix (error, "Invalid regex '[' in new.ignore: "));

    options.ignore_count = 0; /* and nobody to tell of problems */
    script_run (script, "file 1; fifo 2; age; scan");
    script->index->fail_files = MAIL_ERROR_CORRUPT;
    script_run (script, "file 2b");
    assert_int_equal (
        scan_mail_root (script, script->index, &options, &changes, &script->counts, &error),
        MAIL_ERROR_CORRUPT);
    assert_string_equal (error, "the fake index fails");
    script->index->fail_files = MAIL_OK;
    assert_int_equal (
        scan_mail_root (script, script->index, &options, &changes, &script->counts, NULL), MAIL_OK);
    assert_ptr_equal (talloc_parent (changes), script);
    assert_int_equal (script->counts.problems, 1);
    assert_null (changes->index->hook);

    script->index->root = talloc_asprintf (script, "%s/nowhere", script->root);
    assert_int_equal (
        scan_mail_root (script, script->index, &options, &changes, &script->counts, &error),
        MAIL_ERROR_NO_MAIL_ROOT);
    script->index->root = talloc_asprintf (script, "%s/1", script->root);
    assert_int_equal (
        scan_mail_root (script, script->index, &options, &changes, &script->counts, &error),
        MAIL_ERROR_NO_MAIL_ROOT);
    assert_int_equal (open_descriptors (), before);
    script_destroy (script);
}

/* A mail root with a slash behind it, and the index folder with a name and place of its own. */
static void
test_places (void **state)
{
    struct script *script = script_create ();

    (void) state;
    script_run (script, "dir a/store; file a/store/1; file a/2; link /nothing a/l");
    script->index->index_folder = talloc_asprintf (script, "%s/a/store", script->root);
    script->index->root = talloc_asprintf (script, "%s/", script->root);
    script_run (script, "age; scan");
    assert_string_equal (script_told (script), "add a/2; dangling-link a/l; folder ; folder a");
    script_destroy (script);
}

int
main (void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test (test_rights), cmocka_unit_test (test_cold),
        cmocka_unit_test (test_deep),   cmocka_unit_test (test_long_names),
        cmocka_unit_test (test_checks), cmocka_unit_test (test_checks_large),
        cmocka_unit_test (test_errors), cmocka_unit_test (test_places),
    };

    return cmocka_run_group_tests (list, NULL, NULL);
}
