/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-files.c - statuses of errors, trees removed, sums and copies of files. */
#include "files.h"
#include "helper-index.h"
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void
test_status (void **state)
{
    static const struct {
        int error;
        enum mail_status status;
    } rows[] = {
        {ENOSPC, MAIL_ERROR_NO_SPACE},  {EDQUOT, MAIL_ERROR_NO_SPACE},
        {EACCES, MAIL_ERROR_READ_ONLY}, {EPERM, MAIL_ERROR_READ_ONLY},
        {EROFS, MAIL_ERROR_READ_ONLY},  {EIO, MAIL_ERROR_IO},
        {ENOENT, MAIL_ERROR_IO},        {EMFILE, MAIL_ERROR_RESOURCES},
        {ENFILE, MAIL_ERROR_RESOURCES},
    };
    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++)
        assert_int_equal (files_status (rows[i].error), rows[i].status);
}

static void
test_sync_folder (void **state)
{
    struct fixture *f = *state;
    fixture_write (f, "file", "");
    assert_int_equal (files_sync_folder (f->root), 0);
    assert_int_equal (files_sync_folder (fixture_path (f, "absent")), ENOENT);
    assert_int_equal (files_sync_folder (fixture_path (f, "file")), ENOTDIR);
}

/* What links lead to stays; more levels than there are descriptors for. */
static void
test_remove_tree (void **state)
{
    struct fixture *f = *state;
    char *deep = talloc_strdup (f->ctx, "tree");
    for (unsigned i = 0; i < 40; i++)
        deep = talloc_asprintf_append (deep, "/%u", i);
    fixture_write (f, talloc_asprintf (f->ctx, "%s/file", deep), "x");
    fixture_write (f, "outside/kept", "x");
    assert_int_equal (symlink ("../outside", fixture_path (f, "tree/folder-link")), 0);
    assert_int_equal (symlink ("../outside/kept", fixture_path (f, "tree/file-link")), 0);
    assert_int_equal (mkfifo (fixture_path (f, "tree/fifo"), 0600), 0);
    assert_int_equal (symlink ("outside", fixture_path (f, "link")), 0);
    files_remove_tree (fixture_path (f, "tree"));
    files_remove_tree (fixture_path (f, "absent"));
    files_remove_tree (fixture_path (f, "link"));
    assert_string_equal (fixture_list (f, ""), "outside");
    assert_string_equal (fixture_list (f, "outside"), "kept");
}

static void
test_sha256 (void **state)
{
    struct fixture *f = *state;
    /* sums of sha256sum(1) */
    static const struct {
        size_t length;
        const char *sum;
    } rows[] = {
        {0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {3, "9834876dcfb05cb167a5c24953eba58c4ac89b1adf57f28f2f9d09af107ee8f0"},
        {65536, "bf718b6f653bebc184e1479f1935b8da974d701b893afcf49e701f3e2f9f9c5a"},
        {200001, "299c0ddb1d4e35143ab7ea9f57c435d09dc425da1ad5d941c7028a234f4af719"},
    };
    char hex[65];
    uint64_t bytes;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        char *text = talloc_zero_array (f->ctx, char, rows[i].length + 1);
        memset (text, 'a', rows[i].length);
        fixture_write (f, "file", text);
        assert_int_equal (files_sha256 (fixture_path (f, "file"), hex, &bytes), 0);
        assert_int_equal (bytes, rows[i].length);
        assert_string_equal (hex, rows[i].sum);
    }
    assert_int_equal (files_sha256 (fixture_path (f, "absent"), hex, &bytes), ENOENT);
    assert_int_equal (files_sha256 (f->root, hex, &bytes), EISDIR);
}

/* All of it, from the beginning, wherever the descriptor stands; or nothing. */
static void
test_copy_synced (void **state)
{
    enum { SIZE = 300001 };
    struct fixture *f = *state;
    char sum[65], copied[65], *text = talloc_zero_size (f->ctx, SIZE + 1);
    const char *path = fixture_path (f, "source"), *copy = fixture_path (f, "copy");
    uint64_t bytes;
    for (unsigned i = 0; i < SIZE; i++)
        text[i] = (char) ('a' + i * i % 23);
    fixture_write (f, "source", text);
    int from = open (path, O_RDONLY | O_CLOEXEC), blind = open (path, O_WRONLY | O_CLOEXEC);
    assert_int_equal (lseek (from, 1000, SEEK_SET), 1000);
    assert_int_not_equal (files_copy_synced (blind, copy), 0);
    assert_int_equal (access (copy, F_OK), -1);
    assert_int_equal (files_copy_synced (from, fixture_path (f, "no/copy")), ENOENT);
    assert_int_equal (files_copy_synced (from, copy), 0);
    assert_int_equal (files_copy_synced (from, copy), EEXIST);
    assert_int_equal (files_sha256 (path, sum, &bytes), 0);
    assert_int_equal (files_sha256 (copy, copied, &bytes), 0);
    assert_int_equal (bytes, SIZE);
    assert_string_equal (copied, sum);
    close (from);
    close (blind);
}

static void
test_clock (void **state)
{
    (void) state;
    uint64_t before = clock_ms ();
    usleep (20000);
    assert_in_range (clock_ms () - before, 15, 60000);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown (name, fixture_setup, fixture_teardown)
        cmocka_unit_test (test_status), T (test_sync_folder),
        T (test_remove_tree),           T (test_sha256),
        T (test_copy_synced),           cmocka_unit_test (test_clock),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
