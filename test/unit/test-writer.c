/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-writer.c - the commit protocol: everything or nothing, whatever fails, and the lock is free.
 */
#include "files.h"
#include "helper-index.h"
#include "lock.h"
#include "schema.h"
#include "term.h"
#include "writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a fuse: the call of that number fails ---- */

static unsigned fuse; /* 0: none */
static bool blown;
static const char *blown_at = "";

static bool
blow (const char *name)
{
    if (fuse == 0 || --fuse > 0)
        return false;
    blown = true;
    blown_at = name;
    return true;
}

int __real_files_sync_folder (const char *path);
int __wrap_files_sync_folder (const char *path);
int
__wrap_files_sync_folder (const char *path)
{
    return blow ("files_sync_folder") ? EIO : __real_files_sync_folder (path);
}

int __real_rename (const char *from, const char *to);
int __wrap_rename (const char *from, const char *to);
int
__wrap_rename (const char *from, const char *to)
{
    if (!blow ("rename"))
        return __real_rename (from, to);
    errno = ENOSPC;
    return -1;
}

enum mail_status __real_store_open (void *ctx, const char *path, enum store_open_mode mode,
                                    struct store **store_out, char **error_out);
enum mail_status __wrap_store_open (void *ctx, const char *path, enum store_open_mode mode,
                                    struct store **store_out, char **error_out);
enum mail_status
__wrap_store_open (void *ctx, const char *path, enum store_open_mode mode, struct store **store_out,
                   char **error_out)
{
    if (mode == STORE_READ || !blow ("store_open"))
        return __real_store_open (ctx, path, mode, store_out, error_out);
    if (error_out)
        *error_out = talloc_strdup (ctx, "fuse");
    return MAIL_ERROR_STORE;
}

enum mail_status __real_store_begin (struct store *store);
enum mail_status __wrap_store_begin (struct store *store);
enum mail_status
__wrap_store_begin (struct store *store)
{
    return blow ("store_begin") ? MAIL_ERROR_STORE : __real_store_begin (store);
}

enum mail_status __real_store_metadata (void *ctx, struct store *store, const char *key,
                                        char **value_out, size_t *length_out);
enum mail_status __wrap_store_metadata (void *ctx, struct store *store, const char *key,
                                        char **value_out, size_t *length_out);
enum mail_status
__wrap_store_metadata (void *ctx, struct store *store, const char *key, char **value_out,
                       size_t *length_out)
{
    return blow ("store_metadata") ? MAIL_ERROR_STORE
                                   : __real_store_metadata (ctx, store, key, value_out, length_out);
}

enum mail_status __real_store_set_metadata (struct store *store, const char *key, const char *value,
                                            size_t length);
enum mail_status __wrap_store_set_metadata (struct store *store, const char *key, const char *value,
                                            size_t length);
enum mail_status
__wrap_store_set_metadata (struct store *store, const char *key, const char *value, size_t length)
{
    return blow ("store_set_metadata") ? MAIL_ERROR_NO_SPACE
                                       : __real_store_set_metadata (store, key, value, length);
}

enum mail_status __real_store_commit (struct store *store);
enum mail_status __wrap_store_commit (struct store *store);
enum mail_status
__wrap_store_commit (struct store *store)
{
    if (!blow ("store_commit"))
        return __real_store_commit (store);
    store_cancel (store);
    return MAIL_ERROR_NO_SPACE;
}

/* ---- helpers ---- */

static struct writer *
begin (struct fixture *f)
{
    struct writer *writer;
    if (writer_begin (f->ctx, f->index, &writer) != MAIL_OK)
        fail_msg ("%s", mail_index_error (f->index));
    return writer;
}

static void
commit (struct fixture *f, struct writer *writer)
{
    if (writer_commit (writer) != MAIL_OK)
        fail_msg ("%s", mail_index_error (f->index));
}

static char *
metadata (struct fixture *f, const char *key)
{
    char *text;
    assert_int_equal (store_metadata (f->ctx, f->index->state, key, &text, NULL), MAIL_OK);
    return text;
}

/* Another handle can begin at once. */
static void
assert_lock_free (struct fixture *f)
{
    struct mail_index *other = fixture_open (f);
    struct writer *writer;
    other->lock_timeout = 0;
    if (writer_begin (f->ctx, other, &writer) != MAIL_OK)
        fail_msg ("after %s: %s", blown_at, mail_index_error (other));
    talloc_free (writer);
    mail_index_close (other);
}

/* ---- begin and commit ---- */

static void
test_begin_and_free (void **state)
{
    struct fixture *f = *state;
    struct mail_index *other = fixture_open (f);
    struct writer *writer = begin (f), *second;
    assert_int_equal (writer->revision, 1);
    assert_int_equal (writer->next_docid, 1);
    assert_int_equal (writer_new_docid (writer), 1);
    assert_int_equal (writer_new_docid (writer), 2);
    assert_true (writer_new_thread (writer) == 1);
    other->lock_timeout = 0;
    assert_int_equal (writer_begin (f->ctx, other, &second), MAIL_ERROR_LOCKED);
    assert_non_null (strstr (mail_index_error (other), "'test' (process "));
    talloc_free (writer);
    assert_lock_free (f);
    writer = begin (f);
    assert_int_equal (writer->next_docid, 1); /* nothing of it has been kept */
    talloc_free (writer);
}

static void
test_revision (void **state)
{
    struct fixture *f = *state;
    struct writer *writer = begin (f);
    writer_new_docid (writer);
    commit (f, writer);
    assert_true (mail_index_revision (f->index) == 0); /* no message has changed */
    writer = begin (f);
    assert_int_equal (writer->next_docid, 2);
    assert_true (writer->revision == 1);
    writer->changed = true;
    commit (f, writer);
    assert_true (mail_index_revision (f->index) == 1);
    assert_true (begin (f)->revision == 2);
}

/* The handle that committed reads the new revision; others do when they ask. */
static void
test_handles_after_commit (void **state)
{
    struct fixture *f = *state;
    struct mail_index *other = fixture_open (f);
    struct writer *writer = begin (f);
    writer->changed = true;
    commit (f, writer);
    assert_true (mail_index_revision (f->index) == 1);
    assert_true (mail_index_revision (other) == 0);
    assert_int_equal (mail_index_refresh (other), MAIL_OK);
    assert_true (mail_index_revision (other) == 1);
}

static void
test_values (void **state)
{
    struct fixture *f = *state;
    static const int64_t dates[] = {0, 1, -1, INT64_MAX, INT64_MIN + 1};
    struct writer *writer = begin (f);
    struct message_values values;
    for (size_t i = 0; i < G_N_ELEMENTS (dates); i++) {
        writer_values (writer, &dates[i], 7, 8, &values);
        assert_int_equal (values.count, 4);
        static const unsigned slots[] = {SLOT_DATE, SLOT_THREAD, SLOT_REVISION, SLOT_SIZE};
        const uint64_t numbers[] = {date_to_value (dates[i]), 7, 1, 8};
        for (size_t k = 0; k < 4; k++) {
            assert_int_equal (values.slots[k].slot, slots[k]);
            assert_int_equal (values.slots[k].length, 8);
            assert_true (value_decode (values.slots[k].bytes, 8) == numbers[k]);
        }
        assert_true (numbers[0] != 0); /* 0 is for what is no message */
    }
    writer_values (writer, NULL, 9, 0, &values);
    assert_int_equal (values.count, 2);
    assert_true (value_decode (values.slots[0].bytes, 8) == 9);
    assert_int_equal (values.slots[1].slot, SLOT_REVISION);
    talloc_free (writer);
}

/* ---- reservations ---- */

static struct reservation *
reserve (struct fixture *f, struct scratch *scratch, uint32_t count, uint32_t first)
{
    struct reservation *made;
    assert_int_equal (writer_reserve (f->index, f->ctx, scratch, count, &made), MAIL_OK);
    assert_int_equal (made->first, first);
    assert_int_equal (made->last, first + count - 1);
    return made;
}

/* Uses the ids up to used; the one after is then next. */
static void
use (struct fixture *f, struct reservation *reservation, uint32_t used, uint32_t next)
{
    struct writer *writer = begin (f);
    writer_use_reserved (writer, reservation, used);
    assert_int_equal (writer->next_docid, next);
    commit (f, writer);
    talloc_free (reservation);
    writer = begin (f);
    assert_int_equal (writer->next_docid, next);
    talloc_free (writer);
}

static void
test_reservations (void **state)
{
    struct fixture *f = *state;
    struct scratch *scratch = fixture_scratch (f);
    struct reservation *first = reserve (f, scratch, 100, 1);
    struct reservation *second = reserve (f, scratch, 50, 101);
    use (f, first, 60, 151); /* not the last one: what is unused stays unused */
    struct writer *writer = begin (f);
    assert_true (writer_range_is_free (writer, 1, 100));
    assert_false (writer_range_is_free (writer, 1, 101));
    assert_false (writer_range_is_free (writer, 150, 200));
    talloc_free (writer);
    second = (talloc_free (second), reserve (f, scratch, 50, 151)); /* 151 has been stored */
    use (f, second, 170, 171);
    struct reservation *third = reserve (f, scratch, 10, 171);
    writer = begin (f);
    assert_int_equal (writer_new_docid (writer), 181);
    commit (f, writer);
    use (f, third, 171, 182);                        /* an id has been handed out since */
    use (f, reserve (f, scratch, 1, 182), 182, 183); /* used to the last */
    talloc_free (reserve (f, scratch, 10, 183));     /* not used at all */
    reserve (f, scratch, 10, 183);
}

/* A change that fails has used nothing: the ids are still reserved. */
static void
test_reservation_of_failure (void **state)
{
    struct fixture *f = *state;
    struct reservation *made = reserve (f, fixture_scratch (f), 10, 1);
    struct writer *writer = begin (f);
    writer_use_reserved (writer, made, 4);
    assert_int_equal (writer_new_docid (writer), 5);
    talloc_free (writer);
    writer = begin (f);
    assert_int_equal (writer->next_docid, 11);
    talloc_free (writer);
    use (f, made, 4, 5);
}

static void
reserve_and_die (struct fixture *f)
{
    struct scratch *scratch = fixture_scratch (f);
    reserve (f, scratch, 10, 11);
    talloc_steal (NULL, scratch);
}

/* The ids of one who died are handed out again. */
static void
test_reservation_of_the_dead (void **state)
{
    struct fixture *f = *state;
    struct scratch *scratch = fixture_scratch (f);
    reserve (f, scratch, 10, 1);
    fixture_in_child (f, reserve_and_die);
    struct reservation *made = reserve (f, scratch, 5, 11);
    use (f, made, 15, 16);
    talloc_free (scratch);
    reserve (f, fixture_scratch (f), 1, 16);
}

static void
test_no_ids_left (void **state)
{
    struct fixture *f = *state;
    struct reservation *made;
    struct scratch *scratch = fixture_scratch (f);
    struct writer *writer = begin (f);
    writer->next_docid = UINT32_MAX - 10;
    commit (f, writer);
    assert_int_equal (writer_reserve (f->index, f->ctx, scratch, 11, &made), MAIL_ERROR_STORE);
    assert_string_equal (mail_index_error (f->index), "no document ids are left");
    assert_int_equal (writer_reserve (f->index, f->ctx, scratch, 10, &made), MAIL_OK);
}

/* ---- segments ---- */

static void
add_segment (struct fixture *f, struct scratch *scratch, uint32_t first, uint32_t last)
{
    struct segment segment;
    char *path = fixture_segment (f, scratch, first, last, 1, "word", &segment);
    struct writer *writer = begin (f);
    assert_int_equal (writer_add_segment (writer, path, &segment), MAIL_OK);
    commit (f, writer);
    assert_int_not_equal (access (path, F_OK), 0);
}

static void
test_segments (void **state)
{
    struct fixture *f = *state;
    struct scratch *scratch = fixture_scratch (f);
    struct segment segment;
    uint32_t stale;
    f->damaged = true; /* no message has these words */
    add_segment (f, scratch, 11, 20);
    add_segment (f, scratch, 1, 10);
    assert_int_equal (f->index->manifest->count, 2);
    const char *names[] = {f->index->manifest->segments[0].name,
                           f->index->manifest->segments[1].name, "absent"};
    assert_true (g_str_has_prefix (names[0], "1-10-"));
    assert_string_equal (fixture_list (f, ".mailindex/text"),
                         talloc_asprintf (f->ctx, "%s %s tmp", names[0], names[1]));
    /* one that overlaps another is refused, and lies where it lay */
    char *path = fixture_segment (f, scratch, 20, 21, 1, "word", &segment);
    struct writer *writer = begin (f);
    assert_int_equal (writer_add_segment (writer, path, &segment), MAIL_ERROR_CORRUPT);
    talloc_free (writer);
    assert_int_equal (access (path, F_OK), 0);
    /* taken are all of them or none */
    writer = begin (f);
    writer_count_stale (writer, 10);
    writer_count_stale (writer, 11);
    writer_count_stale (writer, 12);
    writer_count_stale (writer, 4711); /* in no segment */
    assert_false (writer_take_segments (writer, names, 3, &stale));
    assert_int_equal (writer->manifest->count, 2);
    assert_true (writer_take_segments (writer, names, 2, &stale));
    assert_int_equal (stale, 3);
    assert_int_equal (writer->manifest->count, 0);
    talloc_free (writer);
    assert_int_equal (f->index->manifest->count, 2);
}

/* What nobody names goes, what is named stays, and so do folders. */
static void
test_unnamed (void **state)
{
    struct fixture *f = *state;
    struct scratch *scratch = fixture_scratch (f);
    f->damaged = true;
    add_segment (f, scratch, 1, 10);
    fixture_write (f, ".mailindex/text/11-20-abcdefab", "left over");
    fixture_write (f, ".mailindex/text/folder/file", "");
    talloc_free (reserve (f, scratch, 1, 1));
    assert_string_equal (
        fixture_list (f, ".mailindex/text"),
        talloc_asprintf (f->ctx, "%s folder tmp", f->index->manifest->segments[0].name));
    assert_string_equal (fixture_list (f, ".mailindex/text/tmp"), scratch->name);
}

/* ---- whatever fails ---- */

/* A change with two segments; the status of whatever fails first. */
static enum mail_status
change (struct fixture *f, struct scratch *scratch, unsigned round)
{
    struct segment segments[2];
    struct writer *writer;
    char *paths[2];
    uint32_t base = round * 100;
    for (unsigned i = 0; i < 2; i++)
        paths[i] =
            fixture_segment (f, scratch, base + i * 10, base + i * 10 + 9, 1, "word", &segments[i]);
    enum mail_status status = writer_begin (f->ctx, f->index, &writer);
    if (status != MAIL_OK)
        return status;
    for (unsigned i = 0; i < 2 && status == MAIL_OK; i++)
        status = writer_add_segment (writer, paths[i], &segments[i]);
    writer->changed = true;
    if (status == MAIL_OK)
        return writer_commit (writer);
    talloc_free (writer);
    return status;
}

static void
test_failures (void **state)
{
    struct fixture *f = *state;
    struct scratch *scratch = fixture_scratch (f);
    unsigned round = 1, points = 0;
    f->damaged = true;
    for (;; round++) {
        char *names = fixture_list (f, ".mailindex/text");
        char *manifest = metadata (f, META_MANIFEST), *next = metadata (f, META_NEXT_DOCID);
        uint64_t revision = mail_index_revision (f->index);
        blown = false;
        fuse = round;
        enum mail_status status = change (f, scratch, round);
        fuse = 0;
        assert_int_equal (mail_index_refresh (f->index), MAIL_OK);
        assert_lock_free (f);
        if (!blown) {
            assert_int_equal (status, MAIL_OK);
            break;
        }
        points++;
        if (status == MAIL_OK)
            fail_msg ("%s failed unnoticed", blown_at);
        assert_non_null (f->index->error);
        if (mail_index_revision (f->index) == revision) {
            assert_string_equal (metadata (f, META_MANIFEST), manifest);
            assert_string_equal (metadata (f, META_NEXT_DOCID), next);
            if (strcmp (fixture_list (f, ".mailindex/text"), names) != 0)
                fail_msg ("after %s: %s", blown_at, fixture_list (f, ".mailindex/text"));
        } else { /* only what comes behind the commit may fail with the change done */
            assert_true (strcmp (blown_at, "files_sync_folder") == 0 ||
                         strcmp (blown_at, "store_metadata") == 0);
        }
    }
    print_message ("# %u points of failure\n", points);
    assert_in_range (points, 12, 100);
}

/* ---- making an index ---- */

static enum mail_status
open_new (struct fixture *f, const char *path, struct mail_index **index_out, char **error_out)
{
    struct mail_open_options options = {.path = fixture_path (f, path),
                                        .mail_root = f->root,
                                        .flags = MAIL_OPEN_CREATE,
                                        .lock_timeout = 10};
    return mail_index_open (f->ctx, &options, index_out, error_out);
}

/* Wherever making it stops, the next one makes it. */
static void
test_create_failures (void **state)
{
    struct fixture *f = *state;
    struct mail_index *index;
    unsigned points = 0;
    for (unsigned round = 1;; round++) {
        char *path = talloc_asprintf (f->ctx, "new/%u", round), *error = NULL;
        blown = false;
        fuse = round;
        enum mail_status status = open_new (f, path, &index, &error);
        fuse = 0;
        if (!blown) {
            assert_int_equal (status, MAIL_OK);
            mail_index_close (index);
            break;
        }
        points++;
        if (status == MAIL_OK)
            fail_msg ("%s failed unnoticed", blown_at);
        assert_non_null (error);
        if (open_new (f, path, &index, &error) != MAIL_OK)
            fail_msg ("after %s: %s", blown_at, error);
        assert_int_equal (strlen (mail_index_uuid (index)), 36);
        assert_string_equal (fixture_list (f, talloc_asprintf (f->ctx, "%s/.mailindex", path)),
                             "lock lock.holder state text turnstile");
        mail_index_close (index);
    }
    print_message ("# %u points of failure\n", points);
    assert_in_range (points, 8, 100);
}

static void
test_modes (void **state)
{
    struct fixture *f = *state;
    static const char *const folders[] = {"", "/state", "/text", "/text/tmp"};
    for (size_t i = 0; i < G_N_ELEMENTS (folders); i++) {
        struct stat st;
        assert_int_equal (
            stat (talloc_asprintf (f->ctx, "%s%s", f->index->folder, folders[i]), &st), 0);
        assert_int_equal (st.st_mode & 07777, 0700);
    }
}

static void
open_in_child (struct fixture *f)
{
    struct mail_index *index;
    char *error = NULL;
    if (open_new (f, "race", &index, &error) != MAIL_OK)
        fail_msg ("%s", error);
    mail_index_close (index);
}

/* Several make the same index at once: one of them does, the others find it. */
static void
test_create_at_once (void **state)
{
    struct fixture *f = *state;
    struct mail_index *index;
    for (unsigned round = 0; round < 10; round++) {
        pid_t children[4];
        char *error = NULL;
        for (unsigned i = 0; i < 4; i++) {
            children[i] = fork ();
            if (children[i] == 0) {
                open_in_child (f);
                _exit (7);
            }
        }
        for (unsigned i = 0; i < 4; i++) {
            int code;
            assert_int_equal (waitpid (children[i], &code, 0), children[i]);
            assert_int_equal (WEXITSTATUS (code), 7);
        }
        assert_int_equal (open_new (f, "race", &index, &error), MAIL_OK);
        mail_index_close (index);
        files_remove_tree (fixture_path (f, "race"));
    }
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown (name, fixture_setup, fixture_teardown)
        T (test_begin_and_free), T (test_revision),        T (test_handles_after_commit),
        T (test_values),         T (test_reservations),    T (test_reservation_of_failure),
        T (test_values),         T (test_reservations),    T (test_reservation_of_the_dead),
        T (test_no_ids_left),    T (test_segments),        T (test_unnamed),
        T (test_failures),       T (test_create_failures), T (test_modes),
        T (test_create_at_once),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
