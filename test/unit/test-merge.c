/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-merge.c - which segments become one, and that nothing gets lost by it. */
#include "helper-index.h"
#include "lock.h"
#include "merge.h"
#include "schema.h"
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* ---- a disk that is full ---- */

static bool full;

int __real_statvfs (const char *path, struct statvfs *fs);
int __wrap_statvfs (const char *path, struct statvfs *fs);
int
__wrap_statvfs (const char *path, struct statvfs *fs)
{
    int result = __real_statvfs (path, fs);
    if (full)
        fs->f_bavail = 0;
    return result;
}

/* The 64-bit names, where the headers give them. */
int __real_statvfs64 (const char *path, struct statvfs *fs);
int __wrap_statvfs64 (const char *path, struct statvfs *fs);
int
__wrap_statvfs64 (const char *path, struct statvfs *fs)
{
    int result = __real_statvfs64 (path, fs);
    if (full)
        fs->f_bavail = 0;
    return result;
}

/* ---- the choice ---- */

#define KB 1024
#define MB (1024 * 1024)
#define LIMIT (512ull * MB)

#define ALLOWED 12 /* segments */
#define IMPORTED 8 /* at the end of an import */

static const struct {
    const char *name;
    enum merge_goal goal;
    uint64_t limit;
    uint64_t bytes[20]; /* of the segments; 0 ends */
    size_t first, count;
} choices[] = {
    {"none", MERGE_RULE, LIMIT, {0}, 0, 0},
    {"twelve", MERGE_RULE, LIMIT, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 0, 0},
    {"thirteen of a size", MERGE_RULE, LIMIT, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 0, 13},
    {"small ones behind large ones",
     MERGE_RULE,
     LIMIT,
     {90 * MB, 80 * MB, 90 * MB, 70 * MB, KB, KB, KB, KB, KB, KB, KB, KB, KB},
     4,
     9},
    {"small ones before large ones",
     MERGE_RULE,
     LIMIT,
     {KB, KB, KB, KB, KB, KB, KB, KB, 2 * KB, MB, MB, MB, MB},
     0,
     9},
    {"the larger of two groups that a large one parts",
     MERGE_RULE,
     LIMIT,
     {KB, KB, KB, KB, KB, 400 * MB, KB, KB, KB, KB, KB, KB, KB},
     6,
     7},
    {"each five times the next: the cheapest pair, and what it takes to make it worth while",
     MERGE_RULE,
     LIMIT,
     {244140625, 48828125, 9765625, 1953125, 390625, 78125, 15625, 3125, 625, 125, 25, 5, 1},
     10,
     3},
    {"no more than the limit", MERGE_RULE, 5, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 0, 5},
    {"the limit is too low", MERGE_RULE, 1, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 0, 0},
    {"eight of an import", MERGE_IMPORTED, LIMIT, {1, 1, 1, 1, 1, 1, 1, 1}, 0, 0},
    {"ten of an import: two fewer, the cheapest",
     MERGE_IMPORTED,
     LIMIT,
     {1, 4, 30, 30, 30, 20, 20, 9, 4, 4},
     7,
     3},
    {"nine of an import: one fewer", MERGE_IMPORTED, LIMIT, {1, 4, 30, 30, 30, 20, 20, 9, 4}, 0, 2},
};

static const struct reservations nothing_reserved = {NULL, 0};

static struct manifest *
manifest_of (const uint64_t *bytes)
{
    struct manifest *manifest = manifest_create (NULL);
    for (uint32_t k = 0; bytes[k]; k++) {
        struct segment segment = {
            .name = "x", .first = 1 + k * 10, .last = 10 + k * 10, .bytes = bytes[k]};
        assert_true (manifest_insert (manifest, &segment));
    }
    return manifest;
}

static void
test_choice (void **state)
{
    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (choices); i++) {
        struct manifest *manifest = manifest_of (choices[i].bytes);
        size_t first = 99, count = 99;
        merge_choose (manifest, &nothing_reserved, choices[i].limit, choices[i].goal, &first,
                      &count);
        if (count != choices[i].count || (count && first != choices[i].first))
            fail_msg ("%s: %zu from %zu", choices[i].name, count, first);
        talloc_free (manifest);
    }
}

/* Neighbours are chosen on one side of what is reserved, also where that side is dearer. */
static void
test_choice_beside_reservation (void **state)
{
    static const uint64_t bytes[] = {1, 1, 1, 1, 1, 1, 1, 1, 9, 9, 9, 9, 9, 9, 0};
    static const struct {
        uint32_t first, last; /* reserved; segment k has 10 k + 1 to 10 k + 10 */
        size_t chosen, count;
    } rows[] = {{81, 81, 0, 8},   {55, 55, 0, 5},     {11, 20, 2, 12},
                {131, 140, 0, 8}, {1000, 1001, 0, 8}, {1, 140, 0, 0}};
    struct manifest *manifest = manifest_of (bytes);
    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        struct reservation one = {rows[i].first, rows[i].last, NULL};
        struct reservations reserved = {&one, 1};
        size_t first = 99, count = 99;
        merge_choose (manifest, &reserved, LIMIT, MERGE_RULE, &first, &count);
        if (count != rows[i].count || (count && first != rows[i].chosen))
            fail_msg ("row %zu: %zu from %zu", i, count, first);
    }
    talloc_free (manifest);
}

/* Merges as long as there is something to merge; returns the bytes that this writes. */
static uint64_t
merge_all_chosen (struct manifest *manifest, enum merge_goal goal)
{
    uint64_t written = 0;
    for (;;) {
        size_t first, count;
        merge_choose (manifest, &nothing_reserved, LIMIT, goal, &first, &count);
        if (count == 0)
            return written;
        assert_in_range (count, 2, manifest->count);
        struct segment sum = {.name = "x",
                              .first = manifest->segments[first].first,
                              .last = manifest->segments[first + count - 1].last};
        for (size_t i = 0; i < count; i++) {
            sum.bytes += manifest->segments[first].bytes;
            manifest_remove (manifest, first);
        }
        written += sum.bytes;
        assert_true (manifest_insert (manifest, &sum));
    }
}

/* Runs of new with little mail each, on an index that has these segments: there are never too many,
 * and what came is written so many times by merges at most. */
static void
assert_work (const uint64_t *bytes, uint32_t runs, double times)
{
    struct manifest *manifest = manifest_of (bytes);
    uint64_t written = 0, all = 0;
    uint32_t next = 1000;
    for (uint32_t k = 0; k < runs; k++) {
        struct segment segment = {
            .name = "x", .first = next, .last = next + 9, .bytes = (40 + 80 * (k % 3)) * KB};
        next += 10;
        assert_true (manifest_insert (manifest, &segment));
        all += segment.bytes;
        written += merge_all_chosen (manifest, MERGE_RULE);
        assert_in_range (manifest->count, 1, ALLOWED);
    }
    print_message ("# %u runs: %.2f times\n", (unsigned) runs, (double) written / (double) all);
    assert_true ((double) written < times * (double) all);
    talloc_free (manifest);
}

static void
test_work_is_bounded (void **state)
{
    static const uint64_t nothing[] = {0},
                          imported[] = {40 * MB, 40 * MB, 40 * MB, 30 * MB, 20 * MB,
                                        18 * MB, 15 * MB, 2 * MB,  0};
    (void) state;
    assert_work (nothing, 120, 1.8);
    assert_work (nothing, 1000, 3.5);
    assert_work (nothing, 5000, 5);
    assert_work (imported, 120, 4);
    assert_work (imported, 1000, 5);
    assert_work (imported, 5000, 5.5);
}

/* What an import leaves is brought down to a few for less than is written in it. */
static void
test_import_is_cheap (void **state)
{
    static const uint64_t blocks[] = {1 * MB,  6 * MB,  30 * MB, 30 * MB, 40 * MB, 30 * MB,
                                      25 * MB, 20 * MB, 10 * MB, 5 * MB,  5 * MB,  0};
    struct manifest *manifest = manifest_of (blocks);
    (void) state;
    uint64_t written = merge_all_chosen (manifest, MERGE_IMPORTED);
    assert_int_equal (manifest->count, IMPORTED);
    assert_in_range (written, 1, 50 * MB);
    talloc_free (manifest);
}

/* ---- merging ---- */

/* What the merge makes, built in this process. */
static struct segment
build (struct fixture *f, struct scratch *scratch, struct merge *under_way)
{
    struct crew *crew;
    struct crew_event event;
    char *error = NULL, *text = fixture_path (f, ".mailindex/text");
    assert_int_equal (crew_create (f->ctx, NULL, scratch->path, text, f->index->fields,
                                   (struct decrypt_policy){0}, &crew, &error),
                      MAIL_OK);
    merge_send (under_way, crew, 0);
    crew_wait (f->ctx, crew, -1, &event);
    assert_int_equal (event.kind, CREW_SEGMENT);
    talloc_free (crew);
    return event.segment;
}

/* False where none was begun. */
static bool
merge_now (struct fixture *f, struct scratch *scratch, struct merge *under_way)
{
    if (!under_way)
        return false;
    struct segment result = build (f, scratch, under_way);
    assert_int_equal (merge_end (under_way, &result), MAIL_OK);
    talloc_free (under_way);
    return true;
}

/* One merge, if there are too many segments. */
static bool
merge (struct fixture *f)
{
    struct scratch *scratch = fixture_scratch (f);
    bool done = merge_now (f, scratch, merge_begin (f->ctx, f->index, scratch, LIMIT, MERGE_RULE));
    talloc_free (scratch);
    return done;
}

static void
add_segment (struct fixture *f, struct scratch *scratch, uint32_t first, uint32_t last,
             uint32_t step, const char *word)
{
    struct segment segment;
    struct writer *writer;
    char *path = fixture_segment (f, scratch, first, last, step, word, &segment);
    assert_int_equal (writer_begin (f->ctx, f->index, &writer), MAIL_OK);
    assert_int_equal (writer_add_segment (writer, path, &segment), MAIL_OK);
    assert_int_equal (writer_commit (writer), MAIL_OK);
}

static struct idset
search (struct fixture *f, struct mail_index *index, const char *word)
{
    struct idset found;
    struct store_query query = {.op = STORE_OP_TERM, .term = {word, strlen (word)}};
    assert_int_equal (index_search_text (f->ctx, index, &query, &found), MAIL_OK);
    return found;
}

/* Of ids with gaps, in segments whose ranges have gaps: all are found, under the ids they had. */
static void
test_merge (void **state)
{
    struct fixture *f = *state;
    struct scratch *scratch = fixture_scratch (f);
    f->damaged = true; /* no messages have these words */
    for (uint32_t i = 0; i < ALLOWED; i++)
        add_segment (f, scratch, 100 * i + 1, 100 * i + 50, 1 + i, i % 2 ? "odd" : "even");
    assert_false (merge (f));
    add_segment (f, scratch, 2000, 2000, 1, "last");
    struct mail_index *reader = fixture_open (f);
    struct idset even = search (f, reader, "even"), odd = search (f, reader, "odd");
    uint32_t documents = 0;
    for (size_t i = 0; i <= ALLOWED; i++)
        documents += f->index->manifest->segments[i].documents;
    struct writer *writer;
    assert_int_equal (writer_begin (f->ctx, f->index, &writer), MAIL_OK);
    writer_count_stale (writer, 1);
    writer_count_stale (writer, 101);
    assert_int_equal (writer_commit (writer), MAIL_OK);
    uint64_t revision = mail_index_revision (f->index);

    assert_true (merge (f));
    assert_false (merge (f));
    const struct manifest *manifest = f->index->manifest;
    assert_int_equal (manifest->count, 1);
    assert_int_equal (manifest->segments[0].first, 1);
    assert_int_equal (manifest->segments[0].last, 2000);
    assert_int_equal (manifest->segments[0].documents, documents);
    assert_int_equal (manifest->segments[0].stale, 2);
    assert_true (mail_index_revision (f->index) == revision); /* no message has changed */
    assert_string_equal (fixture_list (f, ".mailindex/text"),
                         talloc_asprintf (f->ctx, "%s tmp", manifest->segments[0].name));
    /* the same is found by who had the old ones open, and by who opens the new one */
    for (unsigned i = 0; i < 2; i++) {
        struct mail_index *index = i ? f->index : reader;
        struct idset now = search (f, index, "even");
        assert_int_equal (now.count, even.count);
        assert_memory_equal (now.ids, even.ids, even.count * sizeof *even.ids);
        now = search (f, index, "odd");
        assert_int_equal (now.count, odd.count);
        assert_memory_equal (now.ids, odd.ids, odd.count * sizeof *odd.ids);
        assert_int_equal (search (f, index, "2000").ids[0], 2000);
    }
}

/* Not while somebody else does, not on a full disk. */
static void
test_merge_not_begun (void **state)
{
    struct fixture *f = *state;
    struct scratch *scratch = fixture_scratch (f);
    int lock;
    f->damaged = true;
    for (uint32_t i = 0; i <= ALLOWED; i++)
        add_segment (f, scratch, 10 * i + 1, 10 * i + 3, 1, "w");
    full = true;
    assert_false (merge (f));
    full = false;
    assert_int_equal (lock_file_try (fixture_path (f, ".mailindex/merge"), &lock), MAIL_OK);
    assert_false (merge (f));
    close (lock);
    assert_int_equal (f->index->manifest->count, ALLOWED + 1);
    assert_true (merge (f));
    assert_int_equal (f->index->manifest->count, 1);
}

/* Not across ids for which a living run builds, but beside them. */
static void
test_merge_beside_reservation (void **state)
{
    struct fixture *f = *state;
    struct scratch *scratch = fixture_scratch (f), *run = fixture_scratch (f);
    struct reservation *ids;
    f->damaged = true;
    for (uint32_t i = 0; i <= ALLOWED; i++)
        add_segment (f, scratch, 10 * i + 1, 10 * i + 3, 1, "w");
    assert_int_equal (reservation_make (f->ctx, run, 35, 37, &ids), MAIL_OK);
    assert_true (merge (f));
    assert_int_equal (f->index->manifest->count, 5); /* four before, one behind */
    struct merge *all = merge_begin_all (f->ctx, f->index, scratch);
    assert_true (merge_now (f, scratch, all));
    assert_int_equal (f->index->manifest->count, 2);
    assert_null (merge_begin_all (f->ctx, f->index, scratch));
    talloc_free (run); /* it has died */
    assert_true (merge_now (f, scratch, merge_begin_all (f->ctx, f->index, scratch)));
    assert_int_equal (f->index->manifest->count, 1);
    assert_int_equal (search (f, f->index, "w").count, 3 * (ALLOWED + 1));
}

/* A merge of thirteen segments with ids from 1 on, begun. */
static struct merge *
begun (struct fixture *f, struct scratch *scratch)
{
    f->damaged = true;
    for (uint32_t i = 0; i <= ALLOWED; i++)
        add_segment (f, scratch, 10 * i + 1, 10 * i + 5, 1, "w");
    struct merge *under_way = merge_begin (f->ctx, f->index, scratch, LIMIT, MERGE_RULE);
    assert_non_null (under_way);
    assert_null (merge_begin (f->ctx, f->index, scratch, LIMIT, MERGE_RULE)); /* one at a time */
    return under_way;
}

/* So many segments are there, and their files. */
static void
assert_segments (struct fixture *f, size_t count)
{
    const struct manifest *manifest = f->index->manifest;
    assert_int_equal (mail_index_refresh (f->index), MAIL_OK);
    assert_int_equal (manifest->count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal (access (fixture_path (f, talloc_asprintf (f->ctx, ".mailindex/text/%s",
                                                                    manifest->segments[i].name)),
                                  F_OK),
                          0);
}

/* One of the sources has gone meanwhile: the result is thrown away. */
static void
test_source_gone (void **state)
{
    struct fixture *f = *state;
    struct scratch *scratch = fixture_scratch (f);
    struct mail_index *other = fixture_open (f);
    struct writer *writer;
    uint32_t stale;
    struct merge *under_way = begun (f, scratch);
    struct segment result = build (f, scratch, under_way);
    assert_int_equal (writer_begin (f->ctx, other, &writer), MAIL_OK);
    const char *name = f->index->manifest->segments[2].name;
    assert_true (writer_take_segments (writer, &name, 1, &stale));
    assert_int_equal (writer_commit (writer), MAIL_OK);
    assert_int_equal (merge_end (under_way, &result), MAIL_OK);
    talloc_free (under_way);
    assert_segments (f, ALLOWED);
}

/* A run that had ids between those of the sources has published them, or has them still. */
static void
test_ids_in_between (void **state)
{
    struct fixture *f = *state;
    struct scratch *scratch = fixture_scratch (f);
    struct merge *under_way = begun (f, scratch);
    struct segment result = build (f, scratch, under_way);
    struct reservation *ids;
    assert_int_equal (reservation_make (f->ctx, scratch, 37, 39, &ids), MAIL_OK);
    assert_int_equal (merge_end (under_way, &result), MAIL_OK);
    assert_segments (f, ALLOWED + 1);
    talloc_free (ids);
    add_segment (f, scratch, 37, 38, 1, "w");
    assert_int_equal (merge_end (under_way, &result), MAIL_OK);
    talloc_free (under_way);
    assert_segments (f, ALLOWED + 2);
    assert_int_equal (search (f, f->index, "w").count, 5 * (ALLOWED + 1) + 2);
}

/* With real messages, some of them stale, renamed, rebuilt; the rules are checked at the end. */
static void
test_of_mail (void **state)
{
    struct fixture *f = *state;
    for (unsigned i = 0; i < 32; i++) {
        char *id = talloc_asprintf (f->ctx, "m%u", i);
        fixture_mail (f, talloc_asprintf (f->ctx, "in/cur/%s", id), id, NULL,
                      talloc_asprintf (f->ctx, "%s word%u", i % 8 ? "rare" : "common", i));
        if (i % 8 == 7)
            fixture_sync (f); /* so little of each segment gets stale that it is not made anew */
    }
    fixture_mail (f, "in/cur/copy", "m8", NULL, "common additional");
    fixture_remove (f, "in/cur/m24");
    fixture_sync (f); /* a segment for the copy, and one for all words of m8 */
    struct scratch *scratch = fixture_scratch (f);
    assert_true (merge_now (f, scratch, merge_begin_all (f->ctx, f->index, scratch)));
    uint32_t stale = 0;
    for (size_t i = 0; i < f->index->manifest->count; i++)
        stale += f->index->manifest->segments[i].stale;
    assert_int_equal (f->index->manifest->count, 1);
    assert_int_equal (stale, 2); /* m8 and m24; the copy's segment had nothing else and is gone */
    assert_string_equal (fixture_find (f, "common"), "m0 m16 m8");
    assert_string_equal (fixture_find (f, "additional"), "m8");
    assert_string_equal (fixture_find (f, "word8"), "m8");
    assert_string_equal (fixture_find (f, "word24"), "");
    assert_int_equal (fixture_count (f, "rare"), 28);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown (name, fixture_setup, fixture_teardown)
        cmocka_unit_test (test_choice),
        cmocka_unit_test (test_choice_beside_reservation),
        cmocka_unit_test (test_work_is_bounded),
        cmocka_unit_test (test_import_is_cheap),
        T (test_merge),
        T (test_merge_not_begun),
        T (test_merge_beside_reservation),
        T (test_source_gone),
        T (test_ids_in_between),
        T (test_of_mail),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
