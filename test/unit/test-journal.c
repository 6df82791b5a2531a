/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-journal.c - lines about messages, and blocks of them: whole, torn, of commits that failed.
 */
#include "batch.h"
#include "helper-index.h"
#include "journal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <unistd.h>
#include <zlib.h>

/* ---- lines ---- */

static void
test_lines (void **state)
{
    (void) state;
    static const char *const ids[] = {"a@b",   "a b@c",      "q\"uo\"te@x",
                                      "(p)@x", "\xc3\xa9@x", "%41@x"};
    static const char *const tags[] = {"inbox", "two words", "100%", "-", "\xc3\xa9", "a\nb"};
    for (size_t i = 0; i < G_N_ELEMENTS (ids); i++) {
        void *ctx = talloc_new (NULL);
        GString *out = g_string_new ("+");
        struct batch_line line;
        batch_append_hex (out, tags[i]);
        batch_append_id (out, ids[i]);
        assert_true (g_str_has_suffix (out->str, "\n"));
        assert_null (memchr (out->str, '\n', out->len - 1));
        g_string_truncate (out, out->len - 1);
        assert_true (batch_parse (ctx, out->str, &line));
        assert_string_equal (line.id, ids[i]);
        assert_int_equal (line.tag_count, 1);
        assert_string_equal (line.tags[0].tag, tags[i]);
        assert_true (line.tags[0].add);

        struct mail_property properties[] = {{"key", tags[i]}, {"other key", "a=b"}};
        g_string_truncate (out, 0);
        batch_append_properties (out, ids[i], properties, 2);
        g_string_truncate (out, out->len - 1);
        assert_true (batch_parse (ctx, out->str, &line));
        assert_true (line.is_properties);
        assert_string_equal (line.id, ids[i]);
        assert_int_equal (line.property_count, 2);
        assert_string_equal (line.properties[0].value, tags[i]);
        assert_string_equal (line.properties[1].key, "other key");
        assert_string_equal (line.properties[1].value, "a=b");
        g_string_free (out, TRUE);
        talloc_free (ctx);
    }
}

static void
test_bad_lines (void **state)
{
    (void) state;
    static const char *const bad[] = {
        "",           "+a",           "+a --",           "+a -- ",       "+a -- x@y", "a -- id:x",
        "+a -- id:",  "+%zz -- id:x", "+%4 -- id:x",     "+%00 -- id:x", "#= ",       "#= x a",
        "#= %zz a=b", "+a -- id:\"x", "+a -- id:\"x\"y", "#c 1 2 3 x"};
    void *ctx = talloc_new (NULL);
    for (size_t i = 0; i < G_N_ELEMENTS (bad); i++) {
        struct batch_line line;
        if (batch_parse (ctx, bad[i], &line))
            fail_msg ("'%s' is taken for a line about '%s'", bad[i], line.id);
    }
    talloc_free (ctx);
}

/* ---- blocks ---- */

static bool
append_block (void *closure, const struct journal_block *block)
{
    GString *seen = closure;
    g_string_append_printf (seen, "[%lu", (unsigned long) block->revision);
    for (size_t i = 0; i < block->line_count; i++)
        g_string_append_printf (seen, " %s", block->lines[i]);
    g_string_append (seen, "]");
    return true;
}

static char *
journal_of (struct fixture *f)
{
    return talloc_asprintf (f->ctx, "%s/journal", f->index->folder);
}

/* What the journal says, up to a length. */
static char *
blocks (struct fixture *f, uint64_t length, bool *bad)
{
    GString *seen = g_string_new ("");
    assert_int_equal (journal_read (journal_of (f), length, append_block, seen, bad), MAIL_OK);
    char *copy = talloc_strdup (f->ctx, seen->str);
    g_string_free (seen, TRUE);
    return copy;
}

static void
tag_all (struct fixture *f, const char *tag, bool add)
{
    struct mail_query *query;
    struct mail_query_error error;
    struct mail_tag_change change = {tag, add};
    assert_int_equal (mail_query_parse (f->ctx, f->index, "*", &query, &error), MAIL_OK);
    assert_int_equal (mail_query_tag (query, &change, 1, NULL), MAIL_OK);
    talloc_free (query);
}

static long
size_of (struct fixture *f)
{
    struct stat st;
    assert_int_equal (stat (journal_of (f), &st), 0);
    return (long) st.st_size;
}

static void
append (struct fixture *f, const char *text)
{
    FILE *file = fopen (journal_of (f), "a");
    assert_non_null (file);
    fputs (text, file);
    assert_int_equal (fclose (file), 0);
}

static void
test_blocks (void **state)
{
    struct fixture *f = *state;
    bool bad;
    fixture_mail (f, "in/cur/a:2,S", "a@x", NULL, "hello");
    fixture_sync (f);
    assert_string_equal (blocks (f, UINT64_MAX, &bad), "[1 +inbox -- id:a@x]");
    tag_all (f, "t", true);
    tag_all (f, "t", true); /* changes nothing */
    tag_all (f, "t", false);
    assert_string_equal (blocks (f, UINT64_MAX, &bad),
                         "[1 +inbox -- id:a@x][2 +t -- id:a@x][3 -t -- id:a@x]");
    assert_false (bad);
    /* a message that goes and comes back has the tags it had */
    tag_all (f, "u", true);
    fixture_remove (f, "in/cur/a:2,S");
    fixture_sync (f);
    assert_true (g_str_has_suffix (blocks (f, UINT64_MAX, &bad), "[4 +u -- id:a@x]"));
}

/* What stands behind the length that state knows: torn, or whole and of a commit that failed. */
static void
test_tail (void **state)
{
    struct fixture *f = *state;
    static const char *const tails[] = {"#c 9 1 1.a.1 x\n+lost -- id:a@x\n",
                                        "#c 9 1 1.a.1 x\n+lost -- id:a@x\n#e 9 0\n", "\n",
                                        "garbage"};
    bool bad;
    fixture_mail (f, "in/cur/a:2,S", "a@x", NULL, "hello");
    fixture_sync (f);
    for (size_t i = 0; i < G_N_ELEMENTS (tails); i++) {
        long before = size_of (f);
        append (f, tails[i]);
        blocks (f, UINT64_MAX, &bad);
        assert_true (bad);
        assert_null (strstr (blocks (f, UINT64_MAX, &bad), "lost"));
        blocks (f, (uint64_t) before, &bad);
        assert_false (bad);
        tag_all (f, "t", i % 2 == 0);
        char *all = blocks (f, UINT64_MAX, &bad);
        assert_false (bad);
        assert_true (g_str_has_suffix (all, i % 2 == 0 ? "+t -- id:a@x]" : "-t -- id:a@x]"));
    }
    /* a whole block of a commit that state knows nothing of */
    char *copy = talloc_asprintf (f->ctx, "cp '%s' '%s.copy'", journal_of (f), journal_of (f));
    assert_int_equal (system (copy), 0);
    struct writer *writer;
    struct edit *edit;
    struct mail_message *message;
    assert_int_equal (mail_message_find (f->ctx, f->index, "a@x", &message), MAIL_OK);
    assert_int_equal (writer_begin (f->ctx, f->index, &writer), MAIL_OK);
    assert_int_equal (edit_open (writer, writer, message->docid, &edit), MAIL_OK);
    edit_add_tag (edit, "lost");
    assert_int_equal (edit_save (writer, edit, NULL), MAIL_OK);
    assert_int_equal (journal_write (writer), MAIL_OK);
    talloc_free (writer); /* as a crash right here */
    assert_non_null (strstr (blocks (f, UINT64_MAX, &bad), "lost"));
    tag_all (f, "kept", true);
    assert_null (strstr (blocks (f, UINT64_MAX, &bad), "lost"));
    assert_true (g_str_has_suffix (blocks (f, UINT64_MAX, &bad), "+kept -- id:a@x]"));
    assert_false (bad);
}

static bool
note_heads (void *closure, const struct journal_block *block)
{
    g_string_append_printf (closure, "[%s %u '%s']", block->who, block->number, block->command);
    return true;
}

/* Heads of all kinds, and sums that are right. */
static void
test_heads (void **state)
{
    struct fixture *f = *state;
    static const char *const heads[] = {"#c 1 2 30.a.7 mail tag\n", "#c 2 2 31 mail tag\n",
                                        "#c 3 2 32.b.1 \n", "#c 4 2 33.b mail tag\n",
                                        "#c 5 2 mail\n"};
    char *path = talloc_asprintf (f->ctx, "%s/heads", f->root);
    FILE *file = fopen (path, "w");
    assert_non_null (file);
    for (size_t i = 0; i < G_N_ELEMENTS (heads); i++) {
        uLong sum = crc32_z (0, (const Bytef *) heads[i], strlen (heads[i]));
        fprintf (file, "%s#e %zu %08lx\n", heads[i], i + 1, sum);
    }
    assert_int_equal (fclose (file), 0);
    GString *seen = g_string_new ("");
    bool bad = false;
    assert_int_equal (journal_read (path, UINT64_MAX, note_heads, seen, &bad), MAIL_OK);
    assert_true (bad);
    assert_string_equal (seen->str, "[30.a 7 'mail tag'][31.0 1 'mail tag'][32.b 1 '']");
    g_string_free (seen, TRUE);
}

/* A journal that somebody has shortened, damaged in its middle, or taken away. */
static void
test_damage (void **state)
{
    struct fixture *f = *state;
    bool bad;
    fixture_mail (f, "in/cur/a:2,S", "a@x", NULL, "hello");
    fixture_sync (f);
    for (int i = 0; i < 4; i++)
        tag_all (f, "t", i % 2 == 0);
    assert_int_equal (truncate (journal_of (f), size_of (f) - 5), 0);
    tag_all (f, "t", true);
    char *all = blocks (f, UINT64_MAX, &bad);
    assert_false (bad);
    assert_non_null (strstr (all, "[4 +t -- id:a@x][6 +t"));

    int fd = open (journal_of (f), O_RDWR);
    char *text = strstr (all, "[2"); /* the second block: one byte of it */
    assert_non_null (text);
    char buffer[4096];
    ssize_t got = pread (fd, buffer, sizeof buffer - 1, 0);
    buffer[got] = '\0';
    assert_int_equal (pwrite (fd, "X", 1, strstr (buffer, "#c 2 ") + 20 - buffer), 1);
    close (fd);
    all = blocks (f, UINT64_MAX, &bad);
    assert_true (bad);
    assert_null (strstr (all, "[2 "));
    assert_non_null (strstr (all, "[3 "));

    assert_int_equal (remove (journal_of (f)), 0);
    tag_all (f, "t", false);
    assert_string_equal (blocks (f, UINT64_MAX, &bad), "[7 -t -- id:a@x]");
    assert_false (bad);
}

static void
test_rotation (void **state)
{
    struct fixture *f = *state;
    fixture_mail (f, "in/cur/a:2,S", "a@x", NULL, "hello");
    fixture_sync (f);
    for (int i = 0; i < 11; i++) {
        struct writer *writer;
        bool rotated;
        tag_all (f, "t", i % 2 == 0);
        assert_int_equal (writer_begin (f->ctx, f->index, &writer), MAIL_OK);
        assert_int_equal (journal_rotate (writer, &rotated), MAIL_OK);
        assert_true (rotated);
        assert_int_equal (writer_commit (writer), MAIL_OK);
    }
    char **files = journal_files (f->ctx, f->index->folder);
    for (int i = 0; i < 11; i++)
        assert_string_equal (strrchr (files[i], '/'),
                             talloc_asprintf (f->ctx, "/journal.%d", i + 1));
    assert_string_equal (strrchr (files[11], '/'), "/journal");
    assert_null (files[12]);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_lines),
        cmocka_unit_test (test_bad_lines),
        cmocka_unit_test_setup_teardown (test_blocks, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown (test_tail, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown (test_heads, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown (test_damage, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown (test_rotation, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
