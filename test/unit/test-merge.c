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

static const struct {
    const char *name;
    uint64_t limit;
    uint64_t bytes[20]; /* of the segments; 0 ends */
    size_t first, count;
} choices[] = {
    {"none", LIMIT, {0}, 0, 0},
    {"one", LIMIT, {KB}, 0, 0},
    {"four small ones", LIMIT, {KB, KB, KB, KB}, 0, 0},
    {"five small ones", LIMIT, {KB, KB, KB, KB, KB}, 0, 5},
    {"behind a large one", LIMIT, {100 * MB, KB, KB, KB, KB, KB}, 1, 5},
    {"before a large one", LIMIT, {KB, KB, KB, KB, KB, 100 * MB}, 0, 5},
    {"a large one between", LIMIT, {KB, KB, KB, 100 * MB, KB, KB}, 0, 0},
    {"five of a size with small ones between", LIMIT, {MB, KB, MB, KB, MB, MB, KB, MB}, 0, 8},
    {"five of each of two sizes: the small ones first",
     LIMIT,
     {MB, MB, MB, MB, KB, KB, KB, KB, KB, MB},
     4,
     5},
    {"the limit", 5 * MB - 1, {MB, MB, MB, MB, MB}, 0, 0},
    {"just within the limit", 5 * MB, {MB, MB, MB, MB, MB}, 0, 5},
    {"of six the five that are within the limit", 5 * MB, {MB, MB, MB, MB, MB, MB}, 0, 5},
    {"twelve of unlike sizes",
     LIMIT,
     {400 * MB, 80 * MB, 16 * MB, 3 * MB, 600 * KB, 120 * KB, 20 * KB, 120 * KB, 600 * KB, 3 * MB,
      16 * MB, 80 * MB},
     0,
     0},
    {"thirteen: the two cheapest neighbours",
     LIMIT,
     {400 * MB, 80 * MB, 16 * MB, 3 * MB, 600 * KB, 120 * KB, 20 * KB, 110 * KB, 600 * KB, 3 * MB,
      16 * MB, 80 * MB, 400 * MB},
     6,
     2},
};

static void
choose (const uint64_t *bytes, uint64_t limit, enum merge_at at, size_t *first, size_t *count)
{
    struct manifest *manifest = manifest_create (NULL);
    *count = 99;
    for (uint32_t k = 0; bytes[k]; k++) {
        struct segment segment = {
            .name = "x", .first = 1 + k * 10, .last = 10 + k * 10, .bytes = bytes[k]};
        assert_true (manifest_insert (manifest, &segment));
    }
    merge_choose (manifest, limit, at, first, count);
    talloc_free (manifest);
}

static void
test_choice (void **state)
{
    static const uint64_t three[] = {KB, KB, KB, 0}, two[] = {KB, KB, 0};
    size_t first = 0, count;
    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (choices); i++) {
        choose (choices[i].bytes, choices[i].limit, MERGE_AT, &first, &count);
        if (count != choices[i].count || (count && first != choices[i].first))
            fail_msg ("%s: %zu from %zu", choices[i].name, count, first);
    }
    choose (three, LIMIT, MERGE_AT_ONCE, &first, &count);
    assert_int_equal (count, 3);
    choose (two, LIMIT, MERGE_AT_ONCE, &first, &count);
    assert_int_equal (count, 0);
}

/* A run of small blocks: few segments at any time, and each byte written a few times only. */
static void
test_work_is_bounded (void **state)
{
    enum { BLOCKS = 3000 };
    struct manifest *manifest = manifest_create (NULL);
    uint64_t written = 0, all = 0;
    size_t most = 0;
    (void) state;
    for (uint32_t k = 0; k < BLOCKS; k++) {
        size_t first, count;
        struct segment segment = {
            .name = "x", .first = 1 + k * 10, .last = 10 + k * 10, .bytes = 40 * KB};
        manifest_insert (manifest, &segment);
        all += segment.bytes;
        for (;;) {
            merge_choose (manifest, LIMIT, MERGE_AT, &first, &count);
            if (count == 0)
                break;
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
        most = manifest->count > most ? manifest->count : most;
    }
    print_message ("# %.1f times written, at most %zu segments\n", (double) written / all, most);
    assert_in_range (most, 5, 12);
    assert_true (written < 6 * all); /* a class holds five times the one before: log5 (3000) */
    talloc_free (manifest);
}

/* ---- merging ---- */

/* One merge in this process; false where there is nothing to merge. */
static bool
merge (struct fixture *f, struct mail_index *index)
{
    struct scratch *scratch = fixture_scratch (f);
    struct crew *crew;
    struct crew_event event;
    char *error = NULL, *text = talloc_asprintf (f->ctx, "%s/text", index->folder);
    struct merge *under_way = merge_begin (f->ctx, index, scratch, LIMIT, MERGE_AT);
    if (under_way) {
        assert_int_equal (crew_create (f->ctx, NULL, scratch->path, text, index->fields,
                                       (struct decrypt_policy){0}, &crew, &error),
                          MAIL_OK);
        merge_send (under_way, crew, 0);
        crew_wait (f->ctx, crew, -1, &event);
        assert_int_equal (event.kind, CREW_SEGMENT);
        assert_int_equal (merge_end (under_way, &event.segment), MAIL_OK);
        talloc_free (under_way);
        talloc_free (crew);
    }
    talloc_free (scratch);
    return under_way != NULL;
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
    for (uint32_t i = 0; i < 4; i++)
        add_segment (f, scratch, 100 * i + 1, 100 * i + 50, 1 + i, i % 2 ? "odd" : "even");
    assert_false (merge (f, f->index));
    add_segment (f, scratch, 1000, 1000, 1, "last");
    struct mail_index *reader = fixture_open (f);
    struct idset even = search (f, reader, "even"), odd = search (f, reader, "odd");
    uint32_t documents = 0;
    for (size_t i = 0; i < 5; i++)
        documents += f->index->manifest->segments[i].documents;
    struct writer *writer;
    assert_int_equal (writer_begin (f->ctx, f->index, &writer), MAIL_OK);
    writer_count_stale (writer, 1);
    writer_count_stale (writer, 101);
    assert_int_equal (writer_commit (writer), MAIL_OK);
    uint64_t revision = mail_index_revision (f->index);

    assert_true (merge (f, f->index));
    assert_false (merge (f, f->index));
    const struct manifest *manifest = f->index->manifest;
    assert_int_equal (manifest->count, 1);
    assert_int_equal (manifest->segments[0].first, 1);
    assert_int_equal (manifest->segments[0].last, 1000);
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
        assert_int_equal (search (f, index, "1000").ids[0], 1000);
    }
}

/* Not while somebody else does, not on a full disk, not across ids for which a living run builds.
 */
static void
test_merge_not_begun (void **state)
{
    struct fixture *f = *state;
    struct scratch *scratch = fixture_scratch (f), *run = fixture_scratch (f);
    struct writer *writer;
    uint32_t first;
    int lock;
    f->damaged = true;
    assert_int_equal (writer_begin (f->ctx, f->index, &writer), MAIL_OK);
    writer->next_docid = 25;
    assert_int_equal (writer_reserve (writer, run, 3, &first), MAIL_OK);
    assert_int_equal (writer_commit (writer), MAIL_OK);
    for (uint32_t i = 0; i < 6; i++)
        add_segment (f, scratch, 10 * i + (i > 2 ? 8 : 1), 10 * i + (i > 2 ? 10 : 3), 1, "w");
    assert_false (merge (f, f->index));
    talloc_free (run); /* it has died */
    full = true;
    assert_false (merge (f, f->index));
    full = false;
    assert_int_equal (lock_file_try (fixture_path (f, ".mailindex/merge"), &lock), MAIL_OK);
    assert_false (merge (f, f->index));
    close (lock);
    assert_int_equal (f->index->manifest->count, 6);
    assert_true (merge (f, f->index));
    assert_int_equal (f->index->manifest->count, 1);
}

/* One of the sources has gone meanwhile: the result is thrown away. */
static void
test_source_gone (void **state)
{
    struct fixture *f = *state;
    struct scratch *scratch = fixture_scratch (f);
    struct mail_index *other = fixture_open (f);
    struct crew *crew;
    struct crew_event event;
    struct writer *writer;
    uint32_t stale;
    char *error = NULL;
    f->damaged = true;
    for (uint32_t i = 0; i < 5; i++)
        add_segment (f, scratch, 10 * i + 1, 10 * i + 5, 1, "w");
    struct merge *under_way = merge_begin (f->ctx, f->index, scratch, LIMIT, MERGE_AT);
    assert_non_null (under_way);
    assert_null (merge_begin (f->ctx, f->index, scratch, LIMIT, MERGE_AT)); /* one at a time */
    assert_int_equal (crew_create (f->ctx, NULL, scratch->path,
                                   talloc_asprintf (f->ctx, "%s/text", f->index->folder),
                                   f->index->fields, (struct decrypt_policy){0}, &crew, &error),
                      MAIL_OK);
    merge_send (under_way, crew, 0);
    crew_wait (f->ctx, crew, -1, &event);
    assert_int_equal (event.kind, CREW_SEGMENT);
    assert_int_equal (writer_begin (f->ctx, other, &writer), MAIL_OK);
    const char *name = f->index->manifest->segments[2].name;
    assert_true (writer_take_segments (writer, &name, 1, &stale));
    assert_int_equal (writer_commit (writer), MAIL_OK);
    assert_int_equal (merge_end (under_way, &event.segment), MAIL_OK);
    talloc_free (under_way);
    assert_int_equal (mail_index_refresh (f->index), MAIL_OK);
    assert_int_equal (f->index->manifest->count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal (access (talloc_asprintf (f->ctx, "%s/text/%s", f->index->folder,
                                                   f->index->manifest->segments[i].name),
                                  F_OK),
                          0);
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
    while (merge (f, f->index))
        ;
    uint32_t stale = 0;
    for (size_t i = 0; i < f->index->manifest->count; i++)
        stale += f->index->manifest->segments[i].stale;
    assert_in_range (f->index->manifest->count, 1, 2);
    assert_int_equal (stale, 3); /* m8's two, and m24 */
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
        cmocka_unit_test (test_work_is_bounded),
        T (test_merge),
        T (test_merge_not_begun),
        T (test_source_gone),
        T (test_of_mail),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
