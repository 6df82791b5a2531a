/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-apply-random.c - files come, go, are saved again, exchange names and move with their
 * folders, at random; after each round the index knows what lies on the disk, and holds against the
 * rules.
 */
#include "cli/scan/scan.h"
#include "folders.h"
#include "helper-index.h"
#include "schema.h"

#include <stdio.h>
#include <stdlib.h>

enum { FOLDERS = 3, NAMES = 6, IDS = 7, WORDS = 4, ROUNDS = 60 };

static uint64_t scanned; /* files that were found under another name */

/* What lies on the disk: 0 is nothing, else the Message-ID and word of a file. */
struct disk {
    struct {
        unsigned id, word; /* both from 1 */
    } files[FOLDERS][NAMES];
    char folders[FOLDERS][16]; /* paths */
    unsigned renames;
};

static char *
path_of (struct fixture *f, struct disk *disk, unsigned folder, unsigned name)
{
    return talloc_asprintf (f->ctx, "%s/%u", disk->folders[folder], name);
}

static void
write_one (struct fixture *f, struct disk *disk, unsigned folder, unsigned name)
{
    unsigned id = 1 + (unsigned) rand () % IDS, word = 1 + (unsigned) rand () % WORDS;
    unsigned other = 1 + (unsigned) rand () % IDS;
    fixture_mail (f, path_of (f, disk, folder, name), talloc_asprintf (f->ctx, "m%u@x", id),
                  rand () % 3 ? NULL : talloc_asprintf (f->ctx, "In-Reply-To: <m%u@x>\n", other),
                  talloc_asprintf (f->ctx, "word%u", word));
    disk->files[folder][name].id = id;
    disk->files[folder][name].word = word;
}

/* A file to a name that is free or another's. */
static void
rename_one (struct fixture *f, struct disk *disk, unsigned folder, unsigned name)
{
    unsigned to = (unsigned) rand () % FOLDERS, as = (unsigned) rand () % NAMES;
    if (!disk->files[folder][name].id || (to == folder && as == name))
        return;
    if (!disk->files[to][as].id) /* so that the folder is there */
        fixture_write (f, path_of (f, disk, to, as), "");
    fixture_rename (f, path_of (f, disk, folder, name), path_of (f, disk, to, as));
    disk->files[to][as] = disk->files[folder][name];
    disk->files[folder][name].id = 0;
}

static void
rename_folder (struct fixture *f, struct disk *disk, unsigned folder)
{
    char *to = talloc_asprintf (f->ctx, "%s%u", rand () % 2 ? "deep/" : "f", disk->renames++);
    fixture_write (f, talloc_asprintf (f->ctx, "%s/x", disk->folders[folder]), "");
    fixture_remove (f, talloc_asprintf (f->ctx, "%s/x", disk->folders[folder]));
    fixture_write (f, talloc_asprintf (f->ctx, "%s/x", to), "");
    fixture_remove (f, to);
    fixture_rename (f, disk->folders[folder], to);
    snprintf (disk->folders[folder], sizeof disk->folders[folder], "%s", to);
}

static void
change_one (struct fixture *f, struct disk *disk)
{
    unsigned folder = (unsigned) rand () % FOLDERS, name = (unsigned) rand () % NAMES;
    switch (rand () % 8) {
    case 0:
    case 1:
    case 2:
        write_one (f, disk, folder, name);
        break;
    case 3:
    case 4:
        fixture_remove (f, path_of (f, disk, folder, name));
        disk->files[folder][name].id = 0;
        break;
    case 5:
    case 6:
        rename_one (f, disk, folder, name);
        break;
    default:
        rename_folder (f, disk, folder);
    }
}

/* ---- what the index has to know ---- */

static void
compare_message (struct fixture *f, struct disk *disk, unsigned id)
{
    GPtrArray *paths = g_ptr_array_new ();
    bool words[WORDS + 1] = {false};
    char *name = talloc_asprintf (f->ctx, "m%u@x", id);
    for (unsigned i = 0; i < FOLDERS * NAMES; i++) {
        unsigned folder = i / NAMES, k = i % NAMES;
        if (disk->files[folder][k].id != id)
            continue;
        g_ptr_array_add (paths, path_of (f, disk, folder, k));
        words[disk->files[folder][k].word] = true;
    }
    guint count = paths->len;
    char *wanted = fixture_join (f->ctx, paths, " ");
    assert_int_equal (fixture_message (f, name) != NULL, count > 0);
    if (count > 0)
        assert_string_equal (fixture_files (f, name), wanted);
    for (unsigned word = 1; word <= WORDS; word++) {
        char *query = talloc_asprintf (f->ctx, "id:%s and word%u", name, word);
        uint64_t found = fixture_count (f, query);
        /* the words of a file stay until the message is indexed anew or has gone */
        if (found != words[word] && (words[word] || count == 0))
            fail_msg ("%s: %u, and there are %u files", query, (unsigned) found, count);
    }
}

/* As the program does it: files and folders that moved are told by their inodes. */
static void
sync_with_scan (struct fixture *f)
{
    struct scan_options options = {.full = true};
    struct scan_counts counts;
    struct mail_changes *changes;
    char *error = NULL;
    if (scan_mail_root (f->ctx, f->index, &options, &changes, &counts, &error) != MAIL_OK)
        fail_msg ("%s", error);
    assert_int_equal (counts.problems, 0);
    if (fixture_apply (f, changes) != MAIL_OK)
        fail_msg ("%s", mail_index_error (f->index));
    scanned += f->counts.renamed;
}

static void
test_random (void **state)
{
    struct fixture *f = *state;
    struct disk disk = {.folders = {"a", "b", "deep/c"}};
    unsigned seed = 1;
    const char *wanted = getenv ("MAIL_TEST_SEED");
    if (wanted)
        seed = (unsigned) strtoul (wanted, NULL, 10);
    print_message ("# seed %u\n", seed);
    srand (seed);
    fixture_write (f, "deep/keep/x", "");
    for (unsigned round = 0; round < ROUNDS; round++) {
        void *ctx = f->ctx;
        f->ctx = talloc_new (ctx);
        for (int i = rand () % 8; i >= 0; i--)
            change_one (f, &disk);
        if (rand () % 2)
            sync_with_scan (f);
        else
            fixture_sync (f);
        for (unsigned id = 1; id <= IDS; id++)
            compare_message (f, &disk, id);
        fixture_check (f);
        fixture_sync (f);
        if (f->counts.processed + f->counts.renamed + f->counts.removed > 0)
            fail_msg ("round %u: not all was done at once", round);
        talloc_free (f->ctx);
        f->ctx = ctx;
    }
    print_message ("# %u renamed\n", (unsigned) scanned);
    assert_true (scanned > 0);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown (test_random, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
