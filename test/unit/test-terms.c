/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-terms.c - the terms of a document with their positions, compared with tables and with a
 * plain model; digests; and segments made of them, asked for phrases and stems.
 */
#include "index/stems.h"
#include "index/terms-private.h"
#include "index/tokenize.h"

#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

#include <cmocka.h>

static void
add (struct terms *terms, enum text_field field, const char *text)
{
    size_t length = strlen (text);
    char *copy = malloc (length);
    memcpy (copy, text, length);
    terms_add_text (terms, field, copy, length);
    free (copy);
}

/* "term:1,2 other" for every posting, in their order. */
static GString *
print_postings (struct terms *terms)
{
    GString *line = g_string_new (NULL);
    size_t count;
    const struct store_posting *postings = terms_postings (terms, &count);

    for (size_t i = 0; i < count; i++) {
        g_string_append_printf (line, "%s%.*s", i ? " " : "", (int) postings[i].length,
                                postings[i].term);
        for (uint32_t j = 0; j < postings[i].position_count; j++)
            g_string_append_printf (line, "%c%u", j ? ',' : ':', postings[i].positions[j]);
    }
    return line;
}

static void
check_postings (struct terms *terms, const char *wanted)
{
    GString *line = print_postings (terms);
    assert_string_equal (line->str, wanted);
    g_string_free (line, TRUE);
}

/* ---- tables -------------------------------------------------------------------------------- */

static const struct {
    struct {
        enum text_field field;
        const char *text;
    } texts[4];
    const char *postings;
} rows[] = {
    {{{FIELD_BODY, NULL}}, ""},
    {{{FIELD_BODY, " - "}}, ""},
    {{{FIELD_BODY, "b a B"}}, "a:2 b:1,3"},
    {{{FIELD_BODY, "a b"}, {FIELD_BODY, "a"}}, "a:1,102 b:2"},
    {{{FIELD_BODY, "a"}, {FIELD_BODY, "..."}, {FIELD_BODY, "a"}}, "a:1,101"},
    {{{FIELD_SUBJECT, "a b"}, {FIELD_BODY, "b"}, {FIELD_SUBJECT, "b"}}, "Sa:1 Sb:2,102 b:1"},
    {{{FIELD_FROM, "x"}, {FIELD_TO, "x"}, {FIELD_CC, "x"}, {FIELD_BODY, "x"}},
     "Cx:1 Fx:1 Tx:1 x:1"},
    {{{FIELD_BCC, "x"}, {FIELD_REPLY_TO, "x"}, {FIELD_LIST_ID, "x"}, {FIELD_BODY, "9"}},
     "9:1 Bx:1 Lx:1 Rx:1"},
    {{{FIELD_ATTACHMENT, "my_file.pdf"}, {FIELD_MIME_TYPE, "text/plain"}},
     "Afile Amy Amy_file:1 Apdf:2 Mplain:2 Mtext:1"},
    {{{FIELD_BODY, "don't don"}}, "don:2 don't:1"},
    {{{FIELD_BODY, "don don't"}}, "don:1 don't:2"},
    {{{FIELD_BODY, "caf\u00e9 cafe"}}, "cafe:1,2 caf\u00e9:1"},
    {{{FIELD_BODY, "x caf\u00e9 y"}}, "cafe:2 caf\u00e9:2 x:1 y:3"},
    {{{FIELD_BODY, "x \u65e5\u672c y"}}, "x:1 y:4 \u65e5\u672c:2 \u672c:3"},
    {{{FIELD_SUBJECT, "abcdefgh abcdefghi abcdefg abcdefghz abcdefgha"}},
     "Sabcdefg:3 Sabcdefgh:1 Sabcdefgha:5 Sabcdefghi:2 Sabcdefghz:4"},
};

static void
test_postings (void **state)
{
    struct terms *terms = terms_create (NULL, NULL);

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        terms_clear (terms);
        for (size_t j = 0; j < 4 && rows[i].texts[j].text; j++)
            add (terms, rows[i].texts[j].field, rows[i].texts[j].text);
        check_postings (terms, rows[i].postings);
        check_postings (terms, rows[i].postings);
    }
    talloc_free (terms);
}

static void
test_text_after_postings (void **state)
{
    struct terms *terms = terms_create (NULL, NULL);

    (void) state;
    add (terms, FIELD_BODY, "one two");
    check_postings (terms, "one:1 two:2");
    add (terms, FIELD_BODY, "two one");
    check_postings (terms, "one:1,103 two:2,102");
    talloc_free (terms);
}

/* ---- a model ------------------------------------------------------------------------------- */

/* Term to "1,2": what terms.c has to arrive at, in the plainest way. */
struct model {
    GHashTable *terms;
    const char *prefix;
};

static void
free_string (gpointer string)
{
    g_string_free (string, TRUE);
}

static void
model_token (void *closure, const struct token *token)
{
    struct model *model = closure;
    char *term = g_strconcat (model->prefix, token->word, NULL);
    GString *positions = g_hash_table_lookup (model->terms, term);

    if (!positions) {
        positions = g_string_new (NULL);
        g_hash_table_insert (model->terms, g_strdup (term), positions);
    }
    if (token->kind != TOKEN_PART)
        g_string_append_printf (positions, "%c%u", positions->len ? ',' : ':', token->position);
    g_free (term);
}

static int
compare_strings (const void *a, const void *b)
{
    return strcmp (*(char *const *) a, *(char *const *) b);
}

static GString *
print_model (const struct model *model)
{
    guint count;
    char **terms = (char **) g_hash_table_get_keys_as_array (model->terms, &count);
    GString *line = g_string_new (NULL);

    qsort (terms, count, sizeof *terms, compare_strings);
    for (guint i = 0; i < count; i++)
        g_string_append_printf (line, "%s%s%s", i ? " " : "", terms[i],
                                ((GString *) g_hash_table_lookup (model->terms, terms[i]))->str);
    g_free (terms);
    return line;
}

static char *
random_text (GRand *random, int words, int different)
{
    static const char *const forms[] = {"w%d",       "w%d_x%d",        "\u00e9%d",   "%d.%d",
                                        "it%d's %d", "\u65e5\u672c%d", "long-word%d"};
    GString *text = g_string_new (NULL);

    while (words-- > 0) {
        int n = g_rand_int_range (random, 0, different);
        g_string_append_printf (text, forms[n % (int) G_N_ELEMENTS (forms)], n, n / 7);
        g_string_append_c (text, ' ');
    }
    return g_string_free (text, FALSE);
}

static void
compare_with_model (struct terms *terms, GRand *random, int words)
{
    static const char *const field_prefixes[] = {"", "F", "T"};
    uint32_t next[3] = {1, 1, 1};
    struct tokenizer *tokenizer = tokenizer_create (NULL);
    struct model model = {g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_string), ""};

    terms_clear (terms);
    for (int texts = g_rand_int_range (random, 1, 6); texts > 0; texts--) {
        int field = g_rand_int_range (random, 0, 3);
        char *text = random_text (random, words, words);
        model.prefix = field_prefixes[field];
        next[field] = tokenize (tokenizer, text, strlen (text), next[field], model_token, &model);
        next[field] += 99;
        add (terms, (enum text_field) field, text);
        g_free (text);
    }
    GString *wanted = print_model (&model);
    check_postings (terms, wanted->str);
    g_string_free (wanted, TRUE);
    g_hash_table_unref (model.terms);
    talloc_free (tokenizer);
}

/* Small and large documents by turns in one struct, so that leftovers of one would show. */
static void
test_model (void **state)
{
    struct terms *terms = terms_create (NULL, NULL);
    GRand *random = g_rand_new_with_seed (7);

    (void) state;
    for (int i = 0; i < 40; i++)
        compare_with_model (terms, random, i % 10 == 9 ? 20000 : 1 + i * 5);
    g_rand_free (random);
    talloc_free (terms);
}

/* ---- limits and digests -------------------------------------------------------------------- */

static void
test_text_limit (void **state)
{
    struct terms *terms = terms_create (NULL, NULL);
    GString *text = g_string_sized_new (TEXT_MAX);
    char word[64];

    (void) state;
    memset (word, 'x', sizeof word);
    word[63] = ' ';
    while (text->len < TEXT_MAX - 64)
        g_string_append_len (text, word, sizeof word);
    terms_add_text (terms, FIELD_BODY, text->str, text->len);
    add (terms, FIELD_SUBJECT, "within"); /* 6 of the last 64 bytes */
    g_string_assign (text, "");
    while (text->len < 56)
        g_string_append_c (text, ' ');
    g_string_append (text, "yes no");
    terms_add_text (terms, FIELD_BODY, text->str, text->len);
    add (terms, FIELD_SUBJECT, "never");

    size_t count;
    const struct store_posting *postings = terms_postings (terms, &count);
    assert_int_equal (count, 3);
    assert_memory_equal (postings[0].term, "Swithin", 7);
    assert_int_equal (postings[1].length, 63);
    assert_int_equal (postings[1].position_count, TEXT_MAX / 64 - 1);
    assert_int_equal (postings[2].length, 2);
    assert_memory_equal (postings[2].term, "ye", 2);
    terms_clear (terms);
    add (terms, FIELD_BODY, "again");
    check_postings (terms, "again:1");
    g_string_free (text, TRUE);
    talloc_free (terms);
}

static void
digest_of (struct terms *terms, unsigned char digest[16], enum text_field one, const char *first,
           enum text_field two, const char *second)
{
    terms_clear (terms);
    add (terms, one, first);
    if (second)
        add (terms, two, second);
    terms_digest (terms, digest);
}

static void
test_digest (void **state)
{
    static const struct {
        enum text_field one;
        const char *first;
        enum text_field two;
        const char *second;
    } others[] = {
        {FIELD_BODY, "ab", FIELD_BODY, "d"},    {FIELD_BODY, "abc", FIELD_BODY, NULL},
        {FIELD_BODY, "a", FIELD_BODY, "bc"},    {FIELD_SUBJECT, "ab", FIELD_BODY, "c"},
        {FIELD_BODY, "ab", FIELD_SUBJECT, "c"}, {FIELD_BODY, "c", FIELD_BODY, "ab"},
        {FIELD_BODY, "", FIELD_BODY, "abc"},    {FIELD_BODY, "abc", FIELD_BODY, ""},
    };
    struct terms *terms = terms_create (NULL, NULL);
    unsigned char same[16], again[16], other[16];

    (void) state;
    digest_of (terms, same, FIELD_BODY, "ab", FIELD_BODY, "c");
    terms_digest (terms, again);
    assert_memory_equal (same, again, 16);
    digest_of (terms, again, FIELD_BODY, "ab", FIELD_BODY, "c");
    assert_memory_equal (same, again, 16);
    for (size_t i = 0; i < G_N_ELEMENTS (others); i++) {
        digest_of (terms, other, others[i].one, others[i].first, others[i].two, others[i].second);
        assert_memory_not_equal (same, other, 16);
    }
    digest_of (terms, other, FIELD_BODY, "ab", FIELD_BODY, NULL);
    add (terms, FIELD_BODY, "c");
    terms_digest (terms, other);
    assert_memory_equal (same, other, 16);
    talloc_free (terms);
}

/* ---- stems --------------------------------------------------------------------------------- */

static bool
claim (struct stems *stems, enum text_field field, const char *word, const char *wanted)
{
    struct store_term stem;

    if (!stems_claim (stems, field, word, strlen (word), &stem))
        return false;
    assert_int_equal (stem.length, strlen (wanted));
    assert_memory_equal (stem.text, wanted, stem.length);
    return true;
}

static void
test_stems (void **state)
{
    struct stems *stems = stems_create (NULL, "english");

    (void) state;
    assert_true (claim (stems, FIELD_BODY, "running", "run"));
    assert_false (claim (stems, FIELD_BODY, "running", "run"));
    assert_true (claim (stems, FIELD_SUBJECT, "running", "run"));
    assert_false (claim (stems, FIELD_SUBJECT, "running", "run"));
    assert_false (claim (stems, FIELD_BODY, "run", ""));
    assert_true (claim (stems, FIELD_BODY, "accidental", "accident"));
    assert_true (claim (stems, FIELD_BODY, "accident", "accid"));
    stems_new_segment (stems);
    assert_false (claim (stems, FIELD_BODY, "run", ""));
    assert_true (claim (stems, FIELD_BODY, "running", "run"));
    assert_false (claim (stems, FIELD_BODY, "running", "run"));
    assert_true (claim (stems, FIELD_SUBJECT, "running", "run"));
    talloc_free (stems);
}

static void
test_no_stems (void **state)
{
    static const char *const languages[] = {"none", "klingon", NULL};

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (languages); i++) {
        struct stems *stems = stems_create (NULL, languages[i]);
        assert_false (claim (stems, FIELD_BODY, "running", ""));
        talloc_free (stems);
    }
}

/* Far more words than the table keeps. */
static void
test_many_stems (void **state)
{
    struct stems *stems = stems_create (NULL, "english");
    char word[32], stem[32];

    (void) state;
    for (unsigned i = 0; i < 600000; i++) {
        g_snprintf (word, sizeof word, "qa%ub%cs", i / 20, 'a' + i % 20);
        g_snprintf (stem, sizeof stem, "qa%ub%c", i / 20, 'a' + i % 20);
        bool vowel = strchr ("aeio", stem[strlen (stem) - 1]) != NULL;
        if (!vowel && stem[strlen (stem) - 1] != 's')
            assert_true (claim (stems, FIELD_BODY, word, stem));
    }
    assert_false (claim (stems, FIELD_BODY, word, stem));
    assert_true (claim (stems, FIELD_BODY, "qa0bbs", "qa0bb")); /* forgotten meanwhile */
    talloc_free (stems);
}

/* ---- segments ------------------------------------------------------------------------------ */

struct fixture {
    void *ctx;
    char folder[64];
    struct terms *terms;
};

static int
setup (void **state)
{
    struct fixture *f = calloc (1, sizeof *f);
    strcpy (f->folder, "/tmp/test-terms.XXXXXX");
    f->ctx = talloc_new (NULL);
    f->terms = terms_create (f->ctx, NULL);
    *state = f;
    return mkdtemp (f->folder) ? 0 : -1;
}

static int
teardown (void **state)
{
    struct fixture *f = *state;
    char *command = talloc_asprintf (f->ctx, "rm -rf '%s'", f->folder);
    int result = system (command);
    talloc_free (f->ctx);
    free (f);
    return result;
}

/* A segment whose nth document (from 1) has texts[n - 1] as body and subject. */
static struct store *
make_segment (struct fixture *f, const char *name, const char *const *texts, size_t count)
{
    struct store_builder *builder;
    struct store *store;
    char *scratch = talloc_asprintf (f->ctx, "%s/%s.scratch", f->folder, name);
    char *path = talloc_asprintf (f->ctx, "%s/%s", f->folder, name);

    g_assert_cmpint (g_mkdir_with_parents (scratch, 0700), ==, 0);
    assert_int_equal (store_builder_create (f->ctx, scratch, &builder, NULL), MAIL_OK);
    terms_new_segment (f->terms);
    for (uint32_t i = 0; i < count; i++) {
        terms_clear (f->terms);
        add (f->terms, FIELD_BODY, texts[i]);
        add (f->terms, FIELD_SUBJECT, texts[i]);
        assert_int_equal (terms_store (f->terms, builder, i + 1), MAIL_OK);
    }
    assert_int_equal (store_builder_finish (builder, path), MAIL_OK);
    talloc_free (builder);
    assert_int_equal (store_open (f->ctx, path, STORE_READ, &store, NULL), MAIL_OK);
    return store;
}

/* One word is a stem ("=run": the word of that stem as well), several are a phrase. */
static void
check_search (struct fixture *f, struct store *store, const char *prefix, const char *words,
              const char *wanted)
{
    char **parts = g_strsplit (words + (*words == '='), " ", -1);
    struct store_query leaves[8] = {0}, *children[8];
    struct store_query phrase = {.op = STORE_OP_PHRASE, .children = children};
    struct idset set;
    GString *got = g_string_new (NULL);

    for (size_t i = 0; parts[i]; i++) {
        char *term = talloc_asprintf (f->ctx, "%s%s", prefix, parts[i]);
        leaves[i].op = parts[1] ? STORE_OP_TERM : STORE_OP_STEM;
        leaves[i].term = (struct store_term){term, strlen (term)};
        leaves[i].self = *words == '=';
        children[phrase.child_count++] = &leaves[i];
    }
    assert_int_equal (store_search (f->ctx, store, parts[1] ? &phrase : &leaves[0], &set), MAIL_OK);
    for (size_t i = 0; i < set.count; i++)
        g_string_append_printf (got, "%s%u", i ? " " : "", set.ids[i]);
    if (strcmp (got->str, wanted) != 0)
        fail_msg ("%s%s: wanted %s, got %s", prefix, words, wanted, got->str);
    g_string_free (got, TRUE);
    g_strfreev (parts);
}

static void
test_segments (void **state)
{
    static const char *const texts[] = {
        "an accident while running",     "purely accidental",    "they run and run",
        "Runs_fast like the caf\u00e9s", "user@sub.example.org",
    };
    static const struct {
        const char *words, *wanted;
    } searches[] = {
        {"run", "1 4"},       {"=run", "1 3 4"},       {"accid", "1"},
        {"accident", "2"},    {"=accident", "1 2"},    {"cafe", "4"},
        {"caf\u00e9", "4"},   {"an accident", "1"},    {"accident an", ""},
        {"run and run", "3"}, {"like the cafes", "4"}, {"sub example org", "5"},
        {"user example", ""}, {"runs_fast like", "4"}, {"runs like", ""},
    };
    struct fixture *f = *state;

    for (unsigned round = 0; round < 2; round++) {
        struct store *store =
            make_segment (f, round ? "second" : "first", texts, G_N_ELEMENTS (texts));
        for (size_t i = 0; i < G_N_ELEMENTS (searches); i++) {
            check_search (f, store, "", searches[i].words, searches[i].wanted);
            check_search (f, store, "S", searches[i].words, searches[i].wanted);
            check_search (f, store, "F", searches[i].words, "");
        }
        talloc_free (store);
    }
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_postings),
        cmocka_unit_test (test_text_after_postings),
        cmocka_unit_test (test_model),
        cmocka_unit_test (test_text_limit),
        cmocka_unit_test (test_digest),
        cmocka_unit_test (test_stems),
        cmocka_unit_test (test_no_stems),
        cmocka_unit_test (test_many_stems),
        cmocka_unit_test_setup_teardown (test_segments, setup, teardown),
    };

    return cmocka_run_group_tests (tests, NULL, NULL);
}
