/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random changes to a mail root, scanned now and then without waiting for any time to settle: after
 * each scan the index has to be what lies there. The seeds are fixed; MAIL_TEST_SEED
 * names another.
 */
#include "scan-script.h"

#define ROUNDS 60
#define NAMES 4

static uint64_t seed;

static unsigned
draw (unsigned below)
{
    seed = seed * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
    return (unsigned) (seed >> 33) % below;
}

/* ---- changes ------------------------------------------------------------------------------- */

/* A path of one to three names; folders are called d0..., files f0... and links l0... */
static char *
draw_path (struct script *script, char kind)
{
    char *path = talloc_strdup (script, script->root);

    for (unsigned depth = draw (3); depth > 0; depth--)
        path = talloc_asprintf_append (path, "/d%u", draw (NAMES));
    return talloc_asprintf_append (path, "/%c%u", kind, draw (NAMES));
}

static void
make_file (struct script *script)
{
    char *path = draw_path (script, 'f');
    FILE *file;

    if (draw (2))
        unlink (path); /* not written in place: no folder's time tells of that */
    file = fopen (path, "wx");
    if (!file)
        return;
    fprintf (file, "%*u", 1 + draw (3), draw (10)); /* sizes agree often */
    fclose (file);
}

static void
make_link (struct script *script)
{
    static const char *const targets[] = {"..",    ".",       "d1",        "../d2", "f1",
                                          "../f2", "nothing", "../../out", "../out"};

    if (symlink (targets[draw (sizeof targets / sizeof *targets)], draw_path (script, 'l')) < 0)
        return;
}

static void
remove_tree (const char *path)
{
    struct stat st;

    if (lstat (path, &st) == 0)
        script_remove (path);
}

static void
change (struct script *script)
{
    switch (draw (10)) {
    case 0:
    case 1:
    case 2:
        make_file (script);
        break;
    case 3:
    case 4:
        mkdir (draw_path (script, 'd'), 0700);
        break;
    case 5:
        unlink (draw_path (script, 'f'));
        break;
    case 6:
        rename (draw_path (script, 'f'), draw_path (script, 'f'));
        break;
    case 7:
        rename (draw_path (script, 'd'), draw_path (script, 'd'));
        break;
    case 8:
        if (draw (3) == 0)
            remove_tree (draw_path (script, 'd'));
        else if (link (draw_path (script, 'f'), draw_path (script, 'f')) < 0)
            unlink (draw_path (script, 'l'));
        break;
    default:
        make_link (script);
    }
}

/* ---- what lies there ----------------------------------------------------------------------- */

static struct script *walked;
static GHashTable *there; /* path → struct stat */

static int
note_file (const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    struct stat target;
    struct stat *copy;

    (void) ftw;
    if (type == FTW_SL)
        if (stat (path, &target) < 0)
            return 0;
    if (type == FTW_SL)
        st = &target;
    if (!S_ISREG (st->st_mode))
        return 0;
    copy = talloc (walked, struct stat);
    *copy = *st;
    g_hash_table_insert (there, talloc_strdup (walked, path + strlen (walked->root) + 1), copy);
    return 0;
}

/* Every file below the mail root is in the index as it is, and nothing else is, but what lies
 * behind a link that leads out (below "out"). */
static const char *
compare (struct script *script)
{
    const char *wrong = NULL;
    size_t found = 0;

    walked = script;
    there = g_hash_table_new (g_str_hash, g_str_equal);
    assert_int_equal (nftw (script->root, note_file, 16, FTW_PHYS), 0);
    for (size_t i = 0; i < script->index->file_count && !wrong; i++) {
        struct fake_file *file = &script->index->files[i];
        char *folder, *path;
        struct stat *st;
        struct mail_stat stat;

        if (file->gone)
            continue;
        folder = fake_path (script, script->index, file->folder);
        path = talloc_asprintf (script, "%s%s%s", folder, *folder ? "/" : "", file->name);
        st = g_hash_table_lookup (there, path);
        if (!st && strcmp (file->name, "outside") == 0)
            continue;
        if (!st) {
            if (file->name[0] != 'l') /* what a dangling link led to is kept */
                wrong = talloc_asprintf (script, "%s is not there", path);
            continue;
        }
        found++;
        stat = times_from_stat (st);
        if (stat.inode != file->stat.inode || stat.size != file->stat.size ||
            stat.mtime != file->stat.mtime)
            if (file->name[0] != 'l')
                wrong = talloc_asprintf (script, "%s is another file", path);
    }
    if (!wrong && found != g_hash_table_size (there))
        wrong = talloc_asprintf (script, "%u files are there, %zu of them found",
                                 g_hash_table_size (there), found);
    g_hash_table_destroy (there);
    return wrong;
}

static void
run_seed (uint64_t start)
{
    struct script *script = script_create ();

    seed = start;
    script_run (script, "out out; put ../out/outside text");
    for (unsigned round = 0; round < ROUNDS; round++) {
        const char *wrong;

        for (unsigned i = 1 + draw (8); i > 0; i--)
            change (script);
        if (draw (8) == 0)
            script_age ();
        script_scan (script, draw (10) == 0);
        wrong = compare (script);
        if (wrong)
            fail_msg ("seed %ju, round %u: %s; told: %s", (uintmax_t) start, round, wrong,
                      script_told (script));
    }
    script_destroy (script);
}

static void
test_random (void **state)
{
    const char *only = getenv ("MAIL_TEST_SEED");

    (void) state;
    if (only) {
        run_seed (strtoull (only, NULL, 10));
        return;
    }
    for (uint64_t start = 1; start <= 20; start++)
        run_seed (start);
}

int
main (void)
{
    const struct CMUnitTest list[] = {cmocka_unit_test (test_random)};

    return cmocka_run_group_tests (list, NULL, NULL);
}
