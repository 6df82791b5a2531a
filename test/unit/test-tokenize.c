/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-tokenize.c - the tables of doc/design/tokenizer.md, row by row; and what a table cannot say:
 * offsets, positions, long inputs in linear time.
 */
#include "index/tokenize.h"
#include "schema.h"

#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>
#include <time.h>

#include <cmocka.h>

/* ---- reading the document ------------------------------------------------------------------ */

/* The top of the tree: $TOP, else two folders above this file. */
static char *
document_path (void)
{
    const char *top = getenv ("TOP");
    char *folder = g_path_get_dirname (__FILE__);
    char *path = top ? g_build_filename (top, "doc/design/tokenizer.md", NULL)
                     : g_build_filename (folder, "../../doc/design/tokenizer.md", NULL);
    g_free (folder);
    return path;
}

static void
append_code (GString *text, const char *digits, size_t count, bool byte)
{
    char *copy = g_strndup (digits, count);
    unsigned long code = strtoul (copy, NULL, 16);

    assert_int_equal (strspn (copy, "0123456789abcdefABCDEF"), count);
    if (byte || code == 0)
        g_string_append_c (text, (char) code);
    else
        g_string_append_unichar (text, (gunichar) code);
    g_free (copy);
}

/* Resolves the escape at p into text; returns what is behind it. */
static const char *
unescape_one (GString *text, const char *p)
{
    size_t digits = p[1] == 'x' ? 2 : p[1] == 'u' ? 4 : p[1] == 'U' ? 6 : 0;

    if (p[0] != '\\') {
        g_string_append_c (text, *p);
        return p + 1;
    }
    if (digits > 0) {
        append_code (text, p + 2, digits, digits == 2);
        return p + 2 + digits;
    }
    assert_true (p[1] == 'n' || p[1] == 'r' || p[1] == 't');
    g_string_append_c (text, p[1] == 'n' ? '\n' : p[1] == 'r' ? '\r' : '\t');
    return p + 2;
}

static GString *
unescape (const char *from, const char *end)
{
    GString *text = g_string_new (NULL);

    for (const char *p = from; p < end;) {
        const char *star = *p == '{' ? strchr (p, '*') : NULL;
        if (!star) {
            p = unescape_one (text, p);
            continue;
        }
        GString *once = unescape (p + 1, star);
        for (long n = strtol (star + 1, (char **) &p, 10); n > 0; n--)
            g_string_append_len (text, once->str, (gssize) once->len);
        assert_int_equal (*p, '}');
        p++;
        g_string_free (once, TRUE);
    }
    return text;
}

/* The text of a cell: what stands in `...`, or the bare words. */
static GString *
cell_text (const char *cell)
{
    char *copy = g_strstrip (g_strdup (cell));
    size_t length = strlen (copy);
    bool code = length >= 2 && copy[0] == '`' && copy[length - 1] == '`';
    GString *text = unescape (copy + code, copy + length - code);

    g_free (copy);
    return text;
}

/* ---- tokens as text ------------------------------------------------------------------------ */

static void
print_token (void *closure, const struct token *token)
{
    static const char *const open[] = {"", "~", "(", "["};
    static const char *const close[] = {"", "", ")", "]"};
    GString *line = closure;

    assert_int_equal (strlen (token->word), token->length);
    assert_true (token->length > 0 && token->length <= WORD_MAX);
    g_string_append_printf (line, "%s%s%s%s", line->len ? " " : "", open[token->kind], token->word,
                            close[token->kind]);
    if (token->kind != TOKEN_PART)
        g_string_append_printf (line, "@%u", token->position);
}

static struct tokenizer *shared;

/* Tokenizes a heap copy of exactly the text's size. */
static uint32_t
tokenize_copy (const GString *text, token_fn each, void *closure)
{
    char *copy = malloc (text->len);
    memcpy (copy, text->str, text->len);
    uint32_t next = tokenize (shared, copy, text->len, 1, each, closure);
    free (copy);
    return next;
}

static int
check_tokens (char **cells)
{
    GString *text = cell_text (cells[1]), *wanted = cell_text (cells[2]);
    GString *got = g_string_new (NULL);
    int failed;

    tokenize_copy (text, print_token, got);
    if (got->len == 0)
        g_string_assign (got, "nothing");
    failed = strcmp (got->str, wanted->str) != 0;
    if (failed)
        print_error ("%s: wanted %s, got %s\n", cells[1], wanted->str, got->str);
    g_string_free (text, TRUE);
    g_string_free (wanted, TRUE);
    g_string_free (got, TRUE);
    return failed;
}

struct first {
    bool found, stem, capital;
};

static void
keep_first (void *closure, const struct token *token)
{
    struct first *first = closure;

    if (!first->found)
        *first = (struct first){true, token->stem, token->capital};
}

static int
check_flags (char **cells)
{
    GString *text = cell_text (cells[1]);
    struct first first = {0};
    int failed;

    tokenize_copy (text, keep_first, &first);
    failed = !first.found || first.stem != (strstr (cells[2], "yes") != NULL) ||
             first.capital != (strstr (cells[3], "yes") != NULL);
    if (failed)
        print_error ("%s: stem %d, capital %d\n", cells[1], first.stem, first.capital);
    g_string_free (text, TRUE);
    return failed;
}

/* Checks the rows of the table with this header; at least so many. */
static void
check_table (const char *header, int (*check) (char **cells), unsigned at_least)
{
    char *path = document_path (), *text = NULL;
    unsigned rows = 0, failed = 0;

    assert_true (g_file_get_contents (path, &text, NULL, NULL));
    char *table = strstr (text, header);
    assert_non_null (table);
    char **lines = g_strsplit (table, "\n", -1);
    for (char **line = lines + 2; **line == '|'; line++, rows++) {
        char **cells = g_strsplit (*line, "|", -1);
        failed += (unsigned) check (cells);
        g_strfreev (cells);
    }
    g_strfreev (lines);
    g_free (text);
    g_free (path);
    assert_true (rows >= at_least);
    assert_int_equal (failed, 0);
}

static void
test_table_of_tokens (void **state)
{
    (void) state;
    check_table ("| Text | Tokens |\n", check_tokens, 100);
}

static void
test_table_of_flags (void **state)
{
    (void) state;
    check_table ("| Word | Stem | Capital |\n", check_flags, 12);
}

/* ---- what the table does not say ----------------------------------------------------------- */

static void
print_source (void *closure, const struct token *token)
{
    GString *line = closure;

    g_string_append_printf (line, "%s:%zu+%zu ", token->word, token->offset, token->source_length);
}

static void
test_offsets (void **state)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {" Foo, bar", "foo:1+3 bar:6+3 "},
        {"C++ x", "c++:0+3 x:4+1 "},
        {"P.T.O. x", "pto:0+6 x:7+1 "},
        {"it's", "it's:0+4 it:0+4 "},
        {"so\u00adft \u00e9t\u00e9 x", "soft:0+6 \u00e9t\u00e9:7+5 ete:7+5 x:13+1 "},
        {"a \u65e5\u672c b", "a:0+1 \u65e5\u672c:2+6 \u672c:2+6 b:9+1 "},
    };

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        GString *text = g_string_new (rows[i].text), *got = g_string_new (NULL);
        tokenize_copy (text, print_source, got);
        assert_string_equal (got->str, rows[i].wanted);
        g_string_free (text, TRUE);
        g_string_free (got, TRUE);
    }
}

static void
ignore_token (void *closure, const struct token *token)
{
    (void) token;
    ++*(size_t *) closure;
}

static void
test_next_position (void **state)
{
    struct tokenizer *tokenizer = tokenizer_create (NULL);
    size_t count = 0;

    (void) state;
    assert_int_equal (tokenize (tokenizer, "", 0, 7, ignore_token, &count), 7);
    assert_int_equal (tokenize (tokenizer, " - ", 3, 7, ignore_token, &count), 7);
    assert_int_equal (count, 0);
    assert_int_equal (tokenize (tokenizer, "a b_cd", 6, 7, ignore_token, &count), 9);
    assert_int_equal (count, 3);
    talloc_free (tokenizer);
}

/* The cache of folded words must give what folding gives: many words, each twice. */
static void
test_fold_cache (void **state)
{
    GString *got = g_string_new (NULL), *again = g_string_new (NULL), *text = g_string_new (NULL);
    struct tokenizer *tokenizer = tokenizer_create (NULL);

    (void) state;
    for (unsigned i = 0; i < 9000; i++)
        g_string_append_printf (text, "\u00c9%u\u00e8 ", i % 4500);
    tokenize (tokenizer, text->str, text->len, 1, print_token, got);
    for (unsigned i = 0; i < 9000; i++)
        g_string_append_printf (again, "%s\u00e9%u\u00e8@%u ~e%ue@%u", i ? " " : "", i % 4500,
                                i + 1, i % 4500, i + 1);
    assert_string_equal (got->str, again->str);
    g_string_free (text, TRUE);
    g_string_free (got, TRUE);
    g_string_free (again, TRUE);
    talloc_free (tokenizer);
}

struct words {
    unsigned count;
    struct {
        enum token_kind kind;
        char word[WORD_MAX + 1];
    } at[8];
};

static void
keep_word (void *closure, const struct token *token)
{
    struct words *words = closure;

    if (words->count < 8) {
        words->at[words->count].kind = token->kind;
        strcpy (words->at[words->count].word, token->word);
    }
    words->count++;
}

/* A token, taken for a text, is itself: else a query made of words of the index would miss them. */
static unsigned
check_fixed (struct tokenizer *tokenizer, const char *text)
{
    struct words words = {0};
    unsigned failed = 0;

    tokenize (tokenizer, text, strlen (text), 1, keep_word, &words);
    for (unsigned i = 0; i < MIN (words.count, 8); i++) {
        struct words again = {0};
        const char *word = words.at[i].word;
        tokenize (tokenizer, word, strlen (word), 1, keep_word, &again);
        if (again.count > 0 && strcmp (again.at[0].word, word) == 0)
            continue;
        print_error ("\"%s\" gives %s, and that %s\n", text, word, again.at[0].word);
        failed++;
    }
    return failed;
}

static void
test_fixed_points (void **state)
{
    static const char *const around[][2] = {{"", ""}, {"a", "b"}, {"1", "2"}, {"\u65e5", "\u8a9e"}};
    struct tokenizer *tokenizer = tokenizer_create (NULL);
    unsigned failed = 0;

    (void) state;
    for (gunichar c = 1; c < 0x20000; c++) {
        char character[8] = "", text[32];
        if (!g_unichar_validate (c))
            continue;
        g_unichar_to_utf8 (c, character);
        for (size_t i = 0; i < G_N_ELEMENTS (around); i++) {
            g_snprintf (text, sizeof text, "%s%s%s", around[i][0], character, around[i][1]);
            failed += check_fixed (tokenizer, text);
        }
    }
    talloc_free (tokenizer);
    assert_int_equal (failed, 0);
}

/* Decomposed or composed, a text has the same tokens. */
static void
test_normal_forms (void **state)
{
    static const char *const pieces[] = {
        "a",
        "E",
        "\u00e9",
        "e\u0301",
        "\u00df",
        "\uac01",
        "\uff76\uff9e",
        "\u30ab\u3099",
        "\u2019",
        "_",
        " ",
        "\u03c2",
        "\u0438\u0306",
        "\u0344",
        "\u0345",
        "\u0e33",
        "\u1e9b\u0323",
        "1",
        ".",
        "\u00ad",
    };
    GRand *random = g_rand_new_with_seed (1);

    (void) state;
    for (unsigned i = 0; i < 20000; i++) {
        GString *text = g_string_new (NULL), *of[2] = {g_string_new (NULL), g_string_new (NULL)};
        for (int n = g_rand_int_range (random, 1, 10); n > 0; n--)
            g_string_append (text,
                             pieces[g_rand_int_range (random, 0, (gint32) G_N_ELEMENTS (pieces))]);
        for (unsigned form = 0; form < 2; form++) {
            char *normal =
                g_utf8_normalize (text->str, -1, form ? G_NORMALIZE_NFD : G_NORMALIZE_NFC);
            GString *copy = g_string_new (normal);
            tokenize_copy (copy, print_token, of[form]);
            g_string_free (copy, TRUE);
            g_free (normal);
        }
        assert_string_equal (of[0]->str, of[1]->str);
        g_string_free (text, TRUE);
        g_string_free (of[0], TRUE);
        g_string_free (of[1], TRUE);
    }
    g_rand_free (random);
}

/* A megabyte of what might be looked at again and again takes no longer than other text. */
static void
test_linear (void **state)
{
    static const char *const pieces[] = {
        "A.",      "a+",           "+",       "=",
        "Ab1/",    "a'",           "1.",      "_",
        "x",       "a_",           "\u00e9",  "\u00e9\u2019",
        "\u65e5",  "\uff76",       "\u0301",  "\u200b",
        "a\u2019", "\xff",         "a+++",    "A.\u00e9",
        "a#+",     "\u65e5\u3099", "1\u2044", "Ab1/Cd2/Ab1/Cd2/Ab1/Cd2/\n",
        "\n> ",    "a\u00ad",      "/a=",     "A.A.b ",
    };

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (pieces); i++) {
        GString *text = g_string_new (NULL);
        size_t count = 0;
        while (text->len < 1 << 20)
            g_string_append (text, pieces[i]);
        clock_t start = clock ();
        tokenize_copy (text, ignore_token, &count);
        double seconds = (double) (clock () - start) / CLOCKS_PER_SEC;
        if (seconds > 5)
            fail_msg ("\"%s\" takes %.1f seconds", pieces[i], seconds);
        g_string_free (text, TRUE);
    }
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_table_of_tokens), cmocka_unit_test (test_table_of_flags),
        cmocka_unit_test (test_offsets),         cmocka_unit_test (test_next_position),
        cmocka_unit_test (test_fold_cache),      cmocka_unit_test (test_fixed_points),
        cmocka_unit_test (test_normal_forms),    cmocka_unit_test (test_linear),
    };

    shared = tokenizer_create (NULL);
    int failed = cmocka_run_group_tests (tests, NULL, NULL);
    talloc_free (shared);
    return failed;
}
