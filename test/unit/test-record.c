/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-record.c - records of messages and folders, there and back, and cut anywhere. */
#include "record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

#include <cmocka.h>

static struct record
sample (void *ctx)
{
    static const char *references[] = {"a@x", "b@x", NULL};
    struct record record = {.text = 9,
                            .date = -5,
                            .size = 1ull << 40,
                            .parent = "b@x",
                            .references = references,
                            .reference_count = 2};
    for (unsigned i = 0; i < MAIL_FIELD_COUNT; i++)
        record.fields[i] = i == MAIL_FROM ? "\xff\xfe <a@b>" : "";
    for (uint32_t i = 0; i < 3; i++) {
        struct record_file file = {
            .folder = i + 1, .name = "1:2,S", .stat = {.inode = 77 + i, .size = 5, .mtime = -1}};
        memset (file.digest, (int) i, DIGEST_SIZE);
        if (i == 1)
            file.differs[MAIL_SUBJECT] = "other";
        record_add_file (ctx, &record, &file);
    }
    return record;
}

static void
test_round_trip (void **state)
{
    void *ctx = talloc_new (NULL);
    size_t length;
    struct record before = sample (ctx), after;
    (void) state;
    char *bytes = record_encode (ctx, &before, &length);
    assert_true (record_decode (ctx, bytes, length, &after));
    assert_int_equal (after.text, 9);
    assert_true (after.date == -5);
    assert_true (after.size == 1ull << 40);
    assert_string_equal (after.fields[MAIL_FROM], "\xff\xfe <a@b>");
    assert_string_equal (after.parent, "b@x");
    assert_int_equal (after.reference_count, 2);
    assert_string_equal (after.references[1], "b@x");
    assert_null (after.references[2]);
    assert_int_equal (after.file_count, 3);
    assert_int_equal (after.files[2].stat.inode, 79);
    assert_true (after.files[2].stat.mtime == -1);
    assert_int_equal (after.files[2].digest[15], 2);
    assert_null (after.files[0].differs[MAIL_SUBJECT]);
    assert_string_equal (after.files[1].differs[MAIL_SUBJECT], "other");
    assert_int_equal (record_find_file (&after, 2, "1:2,S"), 1);
    assert_int_equal (record_find_file (&after, 2, "1:2,"), -1);
    record_drop_file (&after, 1);
    assert_int_equal (record_find_file (&after, 2, "1:2,S"), -1);
    assert_int_equal (record_find_file (&after, 3, "1:2,S"), 1);
    talloc_free (ctx);
}

/* Records whose offsets take one, two and four bytes. */
static void
test_sizes (void **state)
{
    static const size_t sizes[] = {0, 1, 50, 200, 255, 256, 300, 65000, 65535, 65536, 100000};
    (void) state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        void *ctx = talloc_new (NULL);
        size_t length;
        struct record before = sample (ctx), after;
        char *subject = talloc_zero_size (ctx, sizes[i] + 1);
        memset (subject, 's', sizes[i]);
        before.fields[MAIL_SUBJECT] = before.files[2].name = before.files[1].differs[MAIL_CC] =
            subject;
        char *bytes = record_encode (ctx, &before, &length);
        assert_true (record_decode (ctx, bytes, length, &after));
        memset (bytes, 0, length); /* the record does not need them */
        assert_string_equal (after.fields[MAIL_SUBJECT], subject);
        assert_string_equal (after.fields[MAIL_LIST_ID], "");
        assert_string_equal (after.references[0], "a@x");
        assert_int_equal (after.file_count, 3);
        assert_string_equal (after.files[0].name, "1:2,S");
        assert_string_equal (after.files[2].name, subject);
        assert_string_equal (after.files[1].differs[MAIL_CC], subject);
        assert_string_equal (after.files[1].differs[MAIL_SUBJECT], "other");
        assert_int_equal (after.files[2].stat.inode, 79);
        assert_int_equal (after.files[2].digest[15], 2);
        talloc_free (ctx);
    }
}

/* The file whose headers the record has goes, or is another now. */
static void
test_settle (void **state)
{
    void *ctx = talloc_new (NULL);
    struct record record = sample (ctx);
    const char *from = record.fields[MAIL_FROM], *subject = record.fields[MAIL_SUBJECT];
    (void) state;
    record.files[2].differs[MAIL_SUBJECT] = "other";
    record.files[2].differs[MAIL_CC] = "c@x";
    record_settle (&record);
    assert_ptr_equal (record.fields[MAIL_SUBJECT], subject); /* the first file is there */
    record.files[0].differs[MAIL_TO] = "to@x";
    record_settle (&record); /* the first file is another, and its other fields are those */
    assert_string_equal (record.fields[MAIL_TO], "to@x");
    assert_ptr_equal (record.fields[MAIL_SUBJECT], subject);
    assert_null (record.files[0].differs[MAIL_TO]);
    assert_string_equal (record.files[1].differs[MAIL_TO], "");
    record_drop_file (&record, 0);
    record_settle (&record);
    assert_string_equal (record.fields[MAIL_SUBJECT], "other");
    assert_ptr_equal (record.fields[MAIL_FROM], from);
    assert_string_equal (record.fields[MAIL_TO], "");
    assert_null (record.files[0].differs[MAIL_SUBJECT]);
    assert_null (record.files[0].differs[MAIL_TO]);
    assert_null (record.files[1].differs[MAIL_SUBJECT]);
    assert_string_equal (record.files[1].differs[MAIL_CC], "c@x");
    record.file_count = 0;
    record_settle (&record);
    talloc_free (ctx);
}

/* Damaged bytes give some record or none, never a crash. */
static void
test_damage (void **state)
{
    void *ctx = talloc_new (NULL);
    size_t length;
    struct record before = sample (ctx), after;
    (void) state;
    char *bytes = record_encode (ctx, &before, &length);
    for (size_t cut = 0; cut < length; cut++) {
        char *copy = talloc_memdup (ctx, bytes, cut + !cut);
        record_decode (copy, copy, cut, &after);
        talloc_free (copy);
    }
    srand (2);
    for (int round = 0; round < 2000; round++) {
        char *copy = talloc_memdup (ctx, bytes, length);
        for (int k = 0; k < 4; k++)
            copy[1 + rand () % (int) (length - 1)] = (char) rand ();
        record_decode (copy, copy, length, &after);
        talloc_free (copy);
    }
    bytes[0] = 99;
    assert_false (record_decode (ctx, bytes, length, &after));
    talloc_free (ctx);
}

static void
test_folder (void **state)
{
    void *ctx = talloc_new (NULL);
    size_t length;
    struct mail_folder after,
        before = {.parent = 4294967295u, .name = "\xe4 b", .stat = {1, ~0ull, 0, -3, 1ll << 60}};
    (void) state;
    char *bytes = folder_record_encode (ctx, &before, &length);
    assert_true (folder_record_decode (ctx, bytes, length, &after));
    assert_int_equal (after.parent, 4294967295u);
    assert_string_equal (after.name, "\xe4 b");
    assert_true (after.stat.inode == ~0ull && after.stat.device == 1);
    assert_true (after.stat.mtime == -3 && after.stat.ctime == 1ll << 60);
    assert_false (folder_record_decode (ctx, bytes, 35, &after));
    talloc_free (ctx);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_round_trip), cmocka_unit_test (test_sizes),
        cmocka_unit_test (test_settle),     cmocka_unit_test (test_damage),
        cmocka_unit_test (test_folder),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
