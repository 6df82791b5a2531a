/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-query-sexp.c - S-expressions and their trees, macros, errors and where they point, limits.
 */
#include "query/parser.h"
#include "query/sexp-read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>
#include <time.h>

#include <cmocka.h>

#define NOW 1796059730

static const char *
find (void *closure, enum mail_query_syntax syntax, const char *name)
{
    static const struct {
        enum mail_query_syntax syntax;
        const char *name, *text;
    } saved[] = {
        {MAIL_SYNTAX_INFIX, "plain", "tag:a or foo"},
        {MAIL_SYNTAX_INFIX, "nested", "query:plain and bar"},
        {MAIL_SYNTAX_INFIX, "mixed", "sexp:\"(both x y)\""},
        {MAIL_SYNTAX_INFIX, "self", "query:self query:self"},
        {MAIL_SYNTAX_INFIX, "bad", "foo and"},
        {MAIL_SYNTAX_SEXP, "simple", "(tag a)"},
        {MAIL_SYNTAX_SEXP, "both", "(macro (one two) (and ,one (subject ,two)))"},
        {MAIL_SYNTAX_SEXP, "swap", "(macro (one two) (both ,two ,one))"},
        {MAIL_SYNTAX_SEXP, "within", "(macro (x) (or ,x (starts-with ,x)))"},
        {MAIL_SYNTAX_SEXP, "nothing", "(macro () (tag b))"},
        {MAIL_SYNTAX_SEXP, "ignores", "(macro (x) (tag c))"},
        {MAIL_SYNTAX_SEXP, "span", "(macro (a b) (date ,a ,b))"},
        {MAIL_SYNTAX_SEXP, "free", "(macro (x) (simple-free))"},
        {MAIL_SYNTAX_SEXP, "simple-free", "(tag ,x)"},
        {MAIL_SYNTAX_SEXP, "loop", "(loop)"},
        {MAIL_SYNTAX_SEXP, "double", "(macro (x) (and ,x ,x))"},
        {MAIL_SYNTAX_SEXP, "shapeless", "(macro x)"},
        {MAIL_SYNTAX_SEXP, "stringy", "(macro (\"x\") foo)"},
        {MAIL_SYNTAX_SEXP, "broken", "(tag"},
    };

    (void) closure;
    for (size_t i = 0; i < sizeof saved / sizeof *saved; i++)
        if (saved[i].syntax == syntax && strcmp (saved[i].name, name) == 0)
            return saved[i].text;
    return NULL;
}

static const struct mail_query_names names = {.find = find};

/* Parses an exactly sized copy, which is gone when the tree is looked at. */
static bool
parse (void *ctx, enum mail_query_syntax syntax, const char *text, size_t length,
       struct node **tree, struct mail_query_error *error)
{
    char *copy = malloc (length > 0 ? length : 1);
    struct query_source source = {
        .syntax = syntax, .text = copy, .length = length, .now = NOW, .names = &names};
    bool good;

    memcpy (copy, text, length);
    good = query_parse (ctx, &source, tree, error);
    free (copy);
    return good;
}

static const char *
tree_of (void *ctx, enum mail_query_syntax syntax, const char *text)
{
    struct mail_query_error error = {0};
    struct node *tree;

    if (!parse (ctx, syntax, text, strlen (text), &tree, &error))
        fail_msg ("%s: %s", text, error.message);
    return tree_print_line (ctx, tree);
}

static void
check_trees (const char *const (*rows)[2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *ctx = talloc_new (NULL);
        const char *line = tree_of (ctx, MAIL_SYNTAX_SEXP, rows[i][0]);
        if (strcmp (line, rows[i][1]) != 0)
            fail_msg ("%s: %s instead of %s", rows[i][0], line, rows[i][1]);
        talloc_free (ctx);
    }
}

#define CHECK_TREES(rows) check_trees (rows, sizeof rows / sizeof *rows)

static void
test_reading (void **state)
{
    static const char *const rows[][2] = {
        {"()", "()"},
        {" ; first\n (tag a) ; last", "(tag \"a\")"},
        {"(tag ; inside\n a)", "(tag \"a\")"},
        {"'foo", "(exact foo)"},
        {"(subject [patch] patch;)", "(and (subject (exact patch)) (subject (exact patch)))"},
        {"(tag 'a)", "(tag \"a\")"},
        {"(tag \"a \\\"b\\\" \\\\c\")", "(tag \"a \\\"b\\\" \\\\c\")"},
        {"(tag a\"b\"c)", "(and (tag \"a\") (tag \"b\") (tag \"c\"))"},
        {"(tag\n\ta\r\n)", "(tag \"a\")"},
        {"(tag a\\)b)", "(tag \"a)b\")"},
        {"(tag a;b)", "(tag \"a;b\")"},
        {"(or(tag a)(tag b))", "(or (tag \"a\") (tag \"b\"))"},
        {"(tag #b#3#x)", "(tag \"#b#3#x\")"},
        {"(tag \xff)", "(tag \"\xff\")"},
    };

    (void) state;
    CHECK_TREES (rows);
}

static void
test_atoms (void **state)
{
    static const char *const rows[][2] = {
        {"*", "()"},
        {"\"*\"", "(or)"},
        {"\"\"", "(or)"},
        {"running", "running"},
        {"Running", "running"},
        {"\"running\"", "(exact running)"},
        {"2foo", "(exact 2foo)"},
        {"_x", "(exact _x)"},
        {"a-b", "(phrase a b)"},
        {"a,b", "(phrase a b)"},
        {"\"Two words\"", "(phrase two words)"},
        {"日本語", "(phrase 日本 本語)"},
        {"???", "(or)"},
        {"(subject running)", "(subject running)"},
        {"(subject \"running\")", "(subject (exact running))"},
        {"(subject \"\")", "(or)"},
        {"(subject *)", "(subject *)"},
        {"(body *)", "(body *)"},
        {"(tag *)", "(tag *)"},
        {"(property *)", "(property *)"},
        {"(id *)", "()"},
        {"(path *)", "()"},
        {"(tag \"*\")", "(tag \"*\")"},
        {"(tag \"\")", "(tag \"\")"},
        {"(tag Running)", "(tag \"Running\")"},
        {"(tag /a/)", "(tag \"/a/\")"},
        {"(tag a/)", "(tag \"a/\")"},
        {"(path a/)", "(path \"a\")"},
        {"(path a/**)", "(path \"a/**\")"},
        {"(folder a/)", "(folder \"a\")"},
        {"(has attachment)", "(attachment *)"},
        {"(has problem)", "(has \"problem\")"},
        {"(file \"1:2,S\")", "(file \"1:2,S\")"},
    };

    (void) state;
    CHECK_TREES (rows);
}

static void
test_forms (void **state)
{
    static const char *const rows[][2] = {
        {"(and)", "()"},
        {"(or)", "(or)"},
        {"(not)", "()"},
        {"(and foo)", "foo"},
        {"(and foo bar)", "(and foo bar)"},
        {"(or foo bar)", "(or foo bar)"},
        {"(not foo bar)", "(not (or foo bar))"},
        {"(subject)", "()"},
        {"(subject (and))", "()"},
        {"(subject (or))", "(or)"},
        {"(subject a (or b c) (not d))",
         "(and (subject a) (or (subject b) (subject c)) (not (subject d)))"},
        {"(id a b)", "(or (id \"a\") (id \"b\"))"},
        {"(path a b)", "(or (path \"a\") (path \"b\"))"},
        {"(folder a b)", "(or (folder \"a\") (folder \"b\"))"},
        {"(thread a b)", "(or (thread \"a\") (thread \"b\"))"},
        {"(tag a b)", "(and (tag \"a\") (tag \"b\"))"},
        {"(property a=b c=d)", "(and (property \"a=b\") (property \"c=d\"))"},
        {"(mimetype text plain)", "(and (mimetype text) (mimetype plain))"},
        {"(starts-with Wor)", "(starts-with wor)"},
        {"(subject (starts-with Wor))", "(subject (starts-with wor))"},
        {"(subject (starts-with \"\"))", "(subject *)"},
        {"(subject (starts-with a-b))", "(or)"},
        {"(tag (starts-with Wor))", "(tag (starts-with \"Wor\"))"},
        {"(path (starts-with a/b))", "(path (starts-with \"a/b\"))"},
        {"(tag (rx ^a))", "(tag (regex \"^a\"))"},
        {"(subject (regex \"a b\"))", "(subject (regex \"a b\"))"},
        {"(thread (rx 1$))", "(thread (regex \"1$\"))"},
        {"(from (matching (tag a) foo))", "(from (matching (and (tag \"a\") foo)))"},
        {"(subject (of (subject a)))", "(subject (matching (subject a)))"},
        {"(from (of))", "(from *)"},
        {"(from (of (or)))", "(or)"},
        {"(thread (of foo))", "(thread foo)"},
        {"(infix \"tag:a or b\")", "(or (tag \"a\") b)"},
        {"(date)", "()"},
        {"(date 2009)", "(date 2009-01-01T00:00:00 2009-12-31T23:59:59)"},
        {"(date 2009 2010)", "(date 2009-01-01T00:00:00 2010-12-31T23:59:59)"},
        {"(date * 2009)", "(date * 2009-12-31T23:59:59)"},
        {"(date 2009 \"\")", "(date 2009-01-01T00:00:00 *)"},
        {"(date *)", "(date * *)"},
        {"(date \"2 days ago\")", "(date 2026-11-28T00:00:00 2026-11-28T23:59:59)"},
        {"(lastmod 10 5)", "(or)"},
        {"(since 2009)", "(date 2009-01-01T00:00:00 *)"},
        {"(until 2009)", "(date * 2009-12-31T23:59:59)"},
        {"(lastmod 1 5)", "(lastmod 1 5)"},
        {"(lastmod 5)", "(lastmod 5 5)"},
        {"(lastmod -5 *)", "(lastmod -5 *)"},
        {"(size 10k 2M)", "(size 10240 3145727)"},
    };

    (void) state;
    CHECK_TREES (rows);
}

static void
test_saved (void **state)
{
    static const char *const rows[][2] = {
        {"(query plain)", "(or (tag \"a\") foo)"},
        {"(query nested)", "(and (or (tag \"a\") foo) bar)"},
        {"(query mixed)", "(and x (subject y))"},
        {"(simple)", "(tag \"a\")"},
        {"(nothing)", "(tag \"b\")"},
        {"(both x y)", "(and x (subject y))"},
        {"(both (tag x) (or y z))", "(and (tag \"x\") (or (subject y) (subject z)))"},
        {"(swap x y)", "(and y (subject x))"},
        {"(subject (within x))", "(or (subject x) (subject (starts-with x)))"},
        {"(ignores (no-such-thing))", "(tag \"c\")"},
        {"(span 2009 *)", "(date 2009-01-01T00:00:00 *)"},
        {"(infix \"query:plain\")", "(or (tag \"a\") foo)"},
    };
    void *ctx = talloc_new (NULL);

    (void) state;
    CHECK_TREES (rows);
    assert_string_equal (tree_of (ctx, MAIL_SYNTAX_INFIX, "query:plain baz"),
                         "(and baz (or (tag \"a\") foo))");
    assert_string_equal (tree_of (ctx, MAIL_SYNTAX_INFIX, "query:plain query:mixed"),
                         "(or (tag \"a\") foo (and x (subject y)))");
    assert_string_equal (tree_of (ctx, MAIL_SYNTAX_INFIX, "sexp:\"(tag \"\"a b\"\")\""),
                         "(tag \"a b\")");
    talloc_free (ctx);
}

static void
test_errors (void **state)
{
    static const struct {
        enum mail_query_syntax syntax;
        const char *text;
        size_t offset, length;
        const char *message; /* part of it */
    } rows[] = {
        {MAIL_SYNTAX_SEXP, "", 0, 1, "no query"},
        {MAIL_SYNTAX_SEXP, "(subject \"a\xff\")", 9, 4, "not UTF-8"},
        {MAIL_SYNTAX_SEXP, " ; x", 0, 1, "no query"},
        {MAIL_SYNTAX_SEXP, "(or (tag a)", 0, 1, "never closed"},
        {MAIL_SYNTAX_SEXP, "(or (tag a", 4, 1, "never closed"},
        {MAIL_SYNTAX_SEXP, "(tag \"a)", 5, 1, "quote"},
        {MAIL_SYNTAX_SEXP, "(tag a))", 7, 1, "closes nothing"},
        {MAIL_SYNTAX_SEXP, ")", 0, 1, "closes nothing"},
        {MAIL_SYNTAX_SEXP, "(tag a) (tag b)", 8, 7, "ended"},
        {MAIL_SYNTAX_SEXP, "(tag '(a))", 5, 1, "single quote"},
        {MAIL_SYNTAX_SEXP, "(AND a)", 1, 3, "no field"},
        {MAIL_SYNTAX_SEXP, "(and (foo a))", 6, 3, "no field"},
        {MAIL_SYNTAX_SEXP, "(tag a\x01b)", 6, 1, "control"},
        {MAIL_SYNTAX_SEXP, "((a))", 1, 3, "list"},
        {MAIL_SYNTAX_SEXP, "(tag (subject x))", 5, 11, "another"},
        {MAIL_SYNTAX_SEXP, "(rx a)", 0, 6, "outside"},
        {MAIL_SYNTAX_SEXP, "(of a)", 0, 6, "outside"},
        {MAIL_SYNTAX_SEXP, "(to (rx a))", 4, 6, "cannot stand"},
        {MAIL_SYNTAX_SEXP, "(id (of a))", 4, 6, "cannot stand"},
        {MAIL_SYNTAX_SEXP, "(body (of a))", 6, 6, "cannot stand"},
        {MAIL_SYNTAX_SEXP, "(file *)", 6, 1, "cannot stand"},
        {MAIL_SYNTAX_SEXP, "(subject (rx \"[\"))", 13, 3, "wrong"},
        {MAIL_SYNTAX_SEXP, "(subject (rx a b))", 9, 8, "takes one"},
        {MAIL_SYNTAX_SEXP, "(starts-with (a))", 13, 3, "no list"},
        {MAIL_SYNTAX_SEXP, "(tag (infix \"x\"))", 5, 11, "cannot stand"},
        {MAIL_SYNTAX_SEXP, "(tag (date 2009))", 5, 11, "cannot stand"},
        {MAIL_SYNTAX_SEXP, "(infix \"a and\")", 10, 3, "operator"},
        {MAIL_SYNTAX_SEXP, "(date a b c)", 0, 12, "two ends"},
        {MAIL_SYNTAX_SEXP, "(date foo)", 0, 10, "no date"},
        {MAIL_SYNTAX_SEXP, "(date (a))", 6, 3, "no list"},
        {MAIL_SYNTAX_SEXP, "(lastmod x)", 0, 11, "no number"},
        {MAIL_SYNTAX_SEXP, "(has wings)", 5, 5, "has:"},
        {MAIL_SYNTAX_SEXP, "(query none)", 7, 4, "no saved query"},
        {MAIL_SYNTAX_SEXP, "(query bad)", 7, 3, "in \"query.bad\": "},
        {MAIL_SYNTAX_SEXP, "(query self)", 7, 4, "too many saved"},
        {MAIL_SYNTAX_SEXP, "(or a (loop))", 6, 6, "deep"},
        {MAIL_SYNTAX_SEXP, "(tag ,x)", 5, 2, "no parameter"},
        {MAIL_SYNTAX_SEXP, "(macro (x) x)", 0, 13, "cannot be written here"},
        {MAIL_SYNTAX_SEXP, "(or (both x))", 4, 8, "takes 2 arguments, not 1"},
        {MAIL_SYNTAX_SEXP, "(both x y z)", 0, 12, "takes 2 arguments, not 3"},
        {MAIL_SYNTAX_SEXP, "(simple x)", 0, 10, "no macro"},
        {MAIL_SYNTAX_SEXP, "(free x)", 0, 8, "no parameter"},
        {MAIL_SYNTAX_SEXP, "(shapeless)", 0, 11, "form"},
        {MAIL_SYNTAX_SEXP, "(stringy x)", 0, 11, "without quotes"},
        {MAIL_SYNTAX_SEXP, "(broken)", 0, 8, "in \"squery.broken\": "},
        {MAIL_SYNTAX_INFIX, "a query:none", 2, 10, "no saved query"},
        {MAIL_SYNTAX_INFIX, "a query:bad", 2, 9, "in \"query.bad\": "},
        {MAIL_SYNTAX_INFIX, "a sexp:\"(foo x)\"", 9, 3, "no field"},
        {MAIL_SYNTAX_INFIX, "a query:self", 2, 10, "in \"query.self\": too many"},
        {MAIL_SYNTAX_SEXP, "(and (loop))", 5, 6, "in \"squery.loop\": the query"},
        {MAIL_SYNTAX_SEXP, "(and (date 2010 2009))", 5, 16, "ends before"},
        {MAIL_SYNTAX_INFIX, "since:foo", 0, 9, "no date"},
        {MAIL_SYNTAX_INFIX, "has:wings", 0, 9, "has:"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *ctx = talloc_new (NULL);
        struct mail_query_error error = {0};
        struct node *tree;
        if (parse (ctx, rows[i].syntax, rows[i].text, strlen (rows[i].text), &tree, &error))
            fail_msg ("%s: no error", rows[i].text);
        if (error.offset != rows[i].offset || error.length != rows[i].length ||
            strstr (error.message, rows[i].message) == NULL)
            fail_msg ("%s: %d+%d %s", rows[i].text, (int) error.offset, (int) error.length,
                      error.message);
        assert_true (talloc_parent (error.message) == ctx);
        talloc_free (ctx);
    }
}

/* Under the name notmuch: as notmuch takes it. */
static void
test_lenient (void **state)
{
    static const struct mail_query_names lenient = {.find = find, .lenient = true};
    static const char *const rows[][2] = {
        {"(foo", "foo"},
        {"foo and (bar or (baz", "(and foo (or bar baz))"},
        {"foo) bar", "(and foo bar)"},
        {"foo ) )", "foo"},
        {"subject:(foo or bar", "(or (subject (exact foo)) (subject (exact bar)))"},
        {"()", "(or)"},
        {"() foo", "foo"},
        {"foo or (", "foo"},
        {"???", "(or)"},
        {"foo or ???", "foo"},
        {"tag:", "tag"},
        {"foo date: bar", "(and foo date bar)"},
        {"form:ann", "(phrase form ann)"},
        {"TAG:x", "(phrase tag x)"},
        {"query:none", "(or)"},
        {"foo or query:none", "foo"},
        {"date:2010..2009", "(or)"},
        {"size:2k..1k", "(or)"},
        {"foo or 20..10", "foo"},
        {"thread:{(foo}", "(thread foo)"},
    };
    static const char *const errors[] = {"foo and", "or foo", "tag:/(/", "date:foo", "foo \xff"};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows + sizeof errors / sizeof *errors; i++) {
        const char *text =
            i < sizeof rows / sizeof *rows ? rows[i][0] : errors[i - sizeof rows / sizeof *rows];
        const char *wanted = i < sizeof rows / sizeof *rows ? rows[i][1] : NULL;
        void *ctx = talloc_new (NULL);
        struct mail_query_error error = {0};
        struct query_source source = {
            .text = text, .length = strlen (text), .now = NOW, .names = &lenient};
        struct node *tree;
        if (query_parse (ctx, &source, &tree, &error) != (wanted != NULL))
            fail_msg ("%s: %s", text, wanted != NULL ? error.message : "no error");
        if (wanted != NULL && strcmp (tree_print_line (ctx, tree), wanted) != 0)
            fail_msg ("%s: %s instead of %s", text, tree_print_line (ctx, tree), wanted);
        talloc_free (ctx);
    }
}

static char *
repeat (void *ctx, const char *text, size_t times)
{
    size_t length = strlen (text);
    char *all = talloc_array (ctx, char, length *times + 1);

    for (size_t i = 0; i < times; i++)
        memcpy (all + i * length, text, length);
    all[length * times] = '\0';
    return all;
}

static void
check_big (char *text, const char *message)
{
    void *ctx = talloc_new (NULL);
    struct mail_query_error error = {0};
    struct node *tree;
    bool good = parse (ctx, MAIL_SYNTAX_SEXP, text, strlen (text), &tree, &error);

    if (message == NULL && !good)
        fail_msg ("%.40s...: %s", text, error.message);
    if (message != NULL && (good || strstr (error.message, message) == NULL))
        fail_msg ("%.40s...: %s", text, good ? "no error" : error.message);
    talloc_free (ctx);
}

static void
test_limits (void **state)
{
    void *ctx = talloc_new (NULL);
    char *open = repeat (ctx, "(not ", 250), *close = repeat (ctx, ")", 250);

    (void) state;
    check_big (talloc_asprintf (ctx, "%sa%s", open, close), NULL);
    check_big (repeat (ctx, "(", 20000), "too many parentheses");
    check_big (
        talloc_asprintf (ctx, "%s%s", repeat (ctx, "(and ", 20000), repeat (ctx, ")", 20000)),
        "too many parentheses");
    check_big (talloc_asprintf (ctx, "(id%s)", repeat (ctx, " a@example.org", 200000)), NULL);
    check_big (talloc_asprintf (ctx, "(id%s)", repeat (ctx, " a", 300000)), "terms");
    check_big (talloc_asprintf (ctx, "(and%s)", repeat (ctx, " a", 10001)), "words");
    check_big (talloc_asprintf (ctx, "\"%s\"", repeat (ctx, "a ", 1001)), "too long");
    check_big (talloc_asprintf (ctx, "(or%s)", repeat (ctx, " ()", 1000001)), "elements");
    check_big (talloc_asprintf (ctx, "%s()%s", repeat (ctx, "(double ", 40), repeat (ctx, ")", 40)),
               "too ");
    check_big (repeat (ctx, "a", 5000000), NULL);
    talloc_free (ctx);
}

/* Random rows of pieces: an error lies within the text, a tree can be printed. */
static void
test_any_text (void **state)
{
    static const char *const pieces[] = {
        "(",      ")",      "(",     ")",        " ",     "\"",        "\\",       ";",
        "\n",     "'",      "and ",  "or ",      "(not ", "*",         "foo",      "(tag ",
        "(from ", "(date ", "2009 ", "\"a b\" ", ",x",    "(both ",    "(within ", "\xc3",
        "日",     "(of ",   "(rx ",  "#b#",      "\x01",  "(infix \"",
    };
    unsigned seed = 7;

    (void) state;
    for (int round = 0; round < 30000; round++) {
        void *ctx = talloc_new (NULL);
        struct mail_query_error error = {0};
        struct node *tree;
        char *text = talloc_strdup (ctx, "");
        for (int i = rand_r (&seed) % 14; i > 0; i--)
            text = talloc_strdup_append (
                text, pieces[(size_t) rand_r (&seed) % (sizeof pieces / sizeof *pieces)]);
        if (round % 2 == 0)
            text = talloc_asprintf (ctx, "(or %s)", text);
        if (parse (ctx, MAIL_SYNTAX_SEXP, text, strlen (text), &tree, &error))
            assert_true (strlen (tree_print (ctx, tree)) > 0);
        else if (error.length == 0 ||
                 (text[0] != '\0' && error.offset + error.length > strlen (text)))
            fail_msg ("'%s': error at %d+%d: %s", text, (int) error.offset, (int) error.length,
                      error.message);
        else if (strstr (error.message, "no S-expression") != NULL)
            fail_msg ("'%s': sfsexp read something else", text);
        talloc_free (ctx);
    }
}

static int
set_zone (void **state)
{
    (void) state;
    setenv ("TZ", "UTC0", 1);
    tzset ();
    return 0;
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_reading), cmocka_unit_test (test_atoms),
        cmocka_unit_test (test_forms),   cmocka_unit_test (test_saved),
        cmocka_unit_test (test_errors),  cmocka_unit_test (test_lenient),
        cmocka_unit_test (test_limits),  cmocka_unit_test (test_any_text),
    };
    return cmocka_run_group_tests (tests, set_zone, NULL);
}
