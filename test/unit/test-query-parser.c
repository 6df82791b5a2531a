/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-query-parser.c - queries and their trees, errors and where they point, limits. */
#include "query/parser.h"
#include "query/prefix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>
#include <time.h>

#include <cmocka.h>

#define NOW 1796059730

/* Parses an exactly sized copy, which is gone when the tree is looked at. */
static bool
parse (void *ctx, const char *text, size_t length, struct node **tree,
       struct mail_query_error *error)
{
    char *copy = malloc (length > 0 ? length : 1);
    bool good;

    memcpy (copy, text, length);
    good = query_parse_text (ctx, copy, length, NOW, tree, error);
    free (copy);
    return good;
}

static void
check_trees (const char *const (*rows)[2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *ctx = talloc_new (NULL);
        struct mail_query_error error = {0};
        struct node *tree;
        char *line;
        if (!parse (ctx, rows[i][0], strlen (rows[i][0]), &tree, &error))
            fail_msg ("%s: %s", rows[i][0], error.message);
        line = tree_print_line (ctx, tree);
        if (strcmp (line, rows[i][1]) != 0)
            fail_msg ("%s: %s instead of %s", rows[i][0], line, rows[i][1]);
        talloc_free (ctx);
    }
}

#define CHECK_TREES(rows) check_trees (rows, sizeof rows / sizeof *rows)

static void
test_words (void **state)
{
    static const char *const rows[][2] = {
        {"", "()"},
        {" \t\n", "()"},
        {"*", "()"},
        {" * ", "()"},
        {"(*)", "()"},
        {"running", "running"},
        {"Inbox", "(exact inbox)"},
        {"\"single\"", "(exact single)"},
        {"foo2", "foo2"},
        {"2foo", "(exact 2foo)"},
        {"_x", "(exact _x)"},
        {"\"foo bar\"", "(phrase foo bar)"},
        {"\"foo, bar\"", "(phrase foo bar)"},
        {"\"foo bar", "(phrase foo bar)"},
        {"foo bar", "(and foo bar)"},
        {"a-b", "(phrase a b)"},
        {"a--b", "(phrase a b)"},
        {"a.b/c:d\\e@f", "(phrase a b c d e f)"},
        {"a,b", "(and a b)"},
        {"a-b,c", "(and (phrase a b) c)"},
        {"foo/ bar", "(and (exact foo) bar)"},
        {"foo.", "foo"},
        {"foo\"bar\"", "(and (exact foo) (exact bar))"},
        {"foo(bar)", "(and (exact foo) bar)"},
        {"main()", "(exact main)"},
        {"AT&T", "(exact at&t)"},
        {"it's", "it's"},
        {"I.B.M.", "(exact ibm)"},
        {"C++", "(exact c++)"},
        {"1.2.3", "(exact 1.2.3)"},
        {"std::string", "(phrase std string)"},
        {"12:30", "(phrase 12 30)"},
        {"http://example.org/x?y=z", "(and (phrase http example org x) (exact y) z)"},
        {"unknown:foo", "(phrase unknown foo)"},
        {"state:foo", "(phrase state foo)"},
        {"Note: this", "(and (exact note) this)"},
        {"wor*", "(starts-with wor)"},
        {"Wor*", "(starts-with wor)"},
        {"wor*ld", "(and (exact wor) ld)"},
        {"*ord", "(ends-with ord)"},
        {"*ord*", "(contains ord)"},
        {"subject:*ord", "(subject (ends-with ord))"},
        {"a,*ord b*", "(and a (ends-with ord) (starts-with b))"},
        {"\"wor*\"", "(exact wor)"},
        {"a-wor*", "(phrase a wor)"},
        /* of a run of characters every pair; one alone begins pairs */
        {"日本語", "(phrase 日本 本語)"},
        {"日本", "(exact 日本)"},
        {"日", "(starts-with 日)"},
        {"\"日本語 foo\"", "(phrase 日本 本語 語 foo)"},
        {"café", "café"},
        {"CAFÉ", "(exact café)"},
        /* blanks of other scripts */
        {"foo\xc2\xa0"
         "and\xe3\x80\x80"
         "bar",
         "(and foo bar)"},
        /* what has no letter vanishes */
        {"foo & bar", "(and foo bar)"},
        {"\"\" foo", "foo"},
        {"foo - bar", "(and foo bar)"},
        {"--foo", "foo"},
        /* invalid bytes separate words */
        {"0123456789012345678901234567890123456789012345678901234567890123456789", "(or)"},
    };

    (void) state;
    CHECK_TREES (rows);
}

static void
test_prefixes (void **state)
{
    static const char *const rows[][2] = {
        {"to:running", "(to running)"},
        {"to:Running", "(to (exact running))"},
        {"from:running", "(from (exact running))"},
        {"subject:a,b", "(subject (phrase a b))"},
        {"(subject:foo(bar))", "(subject (phrase foo bar))"},
        {"to:a,b", "(and (to a) (to b))"},
        {"to:a@b.c", "(to (phrase a b c))"},
        {"to:\"a b\"", "(to (phrase a b))"},
        {"to:\"a \"\"b\"\"\"", "(to (phrase a b))"},
        {"mimetype:application/pdf", "(mimetype (phrase application pdf))"},
        {"attachment:foo*", "(attachment (starts-with foo))"},
        {"from:foo*", "(from (starts-with foo))"},
        {"list:x bcc:y replyto:z", "(and (list x) (bcc y) (replyto z))"},
        {"to:(a or b* tag:x)", "(or (to a) (and (to (starts-with b)) (tag \"x\")))"},
        {"from:(a b)", "(and (from (exact a)) (from (exact b)))"},
        {"to:(cc:x y)", "(and (cc x) (to y))"},
        {"subject:\"(a or b)\"", "(or (subject a) (subject b))"},
        {"subject:\"(a (\"\"b\"\" from:c) d)\"",
         "(and (subject a) (subject (exact b)) (from (exact c))"
         " (subject d))"},
        {"subject:\"(a)\" subject:(b)", "(or (subject a) (subject (exact b)))"},
        {"subject:\"(a) b\"", "(subject (phrase a b))"},
        {"from:\"\"", "(not (from *))"},
        {"from:*", "(from *)"},
        {"tag:*", "(tag *)"},
        {"tag:\"*\"", "(tag \"*\")"},
        {"tag:\"\"", "(tag \"\")"},
        {"tag:a,b", "(tag \"a,b\")"},
        {"tag:-a", "(tag \"-a\")"},
        {"tag:a\"b\"", "(tag \"a\\\"b\\\"\")"},
        {"tag:\"a\"b", "(and b (tag \"a\"))"},
        {"tag:\"a b", "(tag \"a b\")"},
        {"tag:a/", "(tag \"a\")"},
        {"tag:a//", "(tag \"a/\")"},
        {"tag:a*", "(tag \"a*\")"},
        {"thread:a/", "(thread \"a/\")"},
        {"tag:\xff", "(tag \"\xff\")"},
        {"(tag:a)", "(tag \"a\")"},
        {"id:star*back\\slash%41@x", "(id \"star*back\\\\slash%41@x\")"},
        {"id:\"a)(\"\"b\"\"\"", "(id \"a)(\\\"b\\\"\")"},
        {"id:<a@b>", "(or (id \"<a@b>\") (id \"a@b\"))"},
        {"property:a=b", "(property \"a=b\")"},
        {"path:**", "()"},
        {"path:a/**", "(path \"a/**\")"},
        {"path:\"\"", "(path \"\")"},
        {"folder:a/", "(folder \"a\")"},
        {"date:2009", "(date 2009-01-01T00:00:00 2009-12-31T23:59:59)"},
        {"date:..2009", "(date * 2009-12-31T23:59:59)"},
        {"date:2009..", "(date 2009-01-01T00:00:00 *)"},
        {"date:\"2 days ago\"", "(date 2026-11-28T00:00:00 2026-11-28T23:59:59)"},
        {"lastmod:10..5", "(or)"},
        {"folder:* and path:*", "()"},
        {"id:* or foo", "()"},
        {"-thread:*", "(or)"},
        {"file:*", "()"},
        {"folder:\"*\"", "(folder \"*\")"},
        {"tag:* property:*", "(and (tag *) (property *))"},
        {"size:1k..1k", "(size 1024 2047)"},
        {"1000000000..1100000000", "(date 2001-09-09T01:46:40 2004-11-09T11:33:20)"},
        {"..5", "(date * 1970-01-01T00:00:05)"},
        {"1..2 date:2009..2010", "(and (date 2009-01-01T00:00:00 2010-12-31T23:59:59)"
                                 " (date 1970-01-01T00:00:01 1970-01-01T00:00:02))"},
        {"1..2 3..4", "(or (date 1970-01-01T00:00:01 1970-01-01T00:00:02)"
                      " (date 1970-01-01T00:00:03 1970-01-01T00:00:04))"},
        {"1.5..3.25", "(date 1970-01-01T00:00:02 1970-01-01T00:00:03)"},
        {"1.0..2.", "(date 1970-01-01T00:00:01 1970-01-01T00:00:02)"},
        {".5..", "(date 1970-01-01T00:00:01 *)"},
        {"1.x..2", "(phrase 1 x 2)"},
        {"a..b", "(phrase a b)"},
        {"c++* c+*", "(and (exact c++) (exact c+))"},
        {"lastmod:1..5", "(lastmod 1 5)"},
        {"lastmod:-5..", "(lastmod -5 *)"},
        {"size:10k..2M", "(size 10240 3145727)"},
        {"size:..1GiB", "(size * 2147483647)"},
        {"subject:\"/(a|b) c/\"", "(subject (regex \"(a|b) c\"))"},
        {"(tag:/(a|b)/)", "(tag (regex \"(a|b)\"))"},
        {"id:/x/", "(id \"/x/\")"},
        {"to:/x/", "(to (exact x))"},
        {"thread:{tag:x and foo}", "(thread (and (tag \"x\") foo))"},
        {"thread:\"{a \"\"b c\"\"}\"", "(thread (and a (phrase b c)))"},
        {"thread:{thread:{a} \"}\" b}", "(thread (and b (thread a)))"},
    };

    (void) state;
    CHECK_TREES (rows);
}

static void
test_operators (void **state)
{
    static const char *const rows[][2] = {
        {"a and b not c", "(and a b (not c))"},
        {"foo and bar baz", "(and foo bar baz)"},
        {"a or b xor c and d", "(or a (xor b (and c d)))"},
        {"tag:a tag:b or tag:c", "(or (tag \"a\") (tag \"b\") (tag \"c\"))"},
        {"not tag:a tag:b", "(not (or (tag \"a\") (tag \"b\")))"},
        {"not a and b", "(and (not a) b)"},
        {"a NOT b AND NOT c", "(and a (not b) (not c))"},
        {"not not a", "a"},
        {"not not not a", "(not a)"},
        {"a and not not b", "(and a b)"},
        {"tag:a foo or bar", "(or (and foo (tag \"a\")) bar)"},
        {"tag:a tag:b", "(or (tag \"a\") (tag \"b\"))"},
        {"tag:a foo tag:b", "(and foo (or (tag \"a\") (tag \"b\")))"},
        {"tag:a is:b", "(and (tag \"a\") (is \"b\"))"},
        {"from:a from:b", "(or (from (exact a)) (from (exact b)))"},
        {"to:a to:b", "(and (to a) (to b))"},
        {"(tag:a) (tag:b)", "(and (tag \"a\") (tag \"b\"))"},
        {"tag:b (tag:a)", "(and (tag \"a\") (tag \"b\"))"},
        {"+tag:a tag:b", "(or (tag \"a\") (tag \"b\"))"},
        {"-tag:a tag:b", "(and (not (tag \"a\")) (tag \"b\"))"},
        {"-tag:a -tag:b", "(and (not (tag \"a\")) (not (tag \"b\")))"},
        {"-foo", "(not foo)"},
        {"-foo or bar", "(or (not foo) bar)"},
        {"foo (-bar)", "(and foo (not bar))"},
        {"foo and -bar", "(and foo (not bar))"},
        {"foo -(a or b)", "(and foo (not (or a b)))"},
        {"+foo -\"bar\"", "(and foo (not (exact bar)))"},
        {"not -foo", "foo"},
        {"-*", "(or)"},
        {"* and tag:a", "(tag \"a\")"},
        {"* or tag:a", "()"},
        {"not *", "(or)"},
        {"a xor *", "(xor a ())"},
        {"a-b-c", "(phrase a b c)"},
        {"((a))", "a"},
        {"(a b) (c d)", "(and a b c d)"},
        {"not(a)", "(not a)"},
        {"\"and\" \"or\"", "(and (exact and) (exact or))"},
        {"rock-and-roll", "(phrase rock and roll)"},
        {"a near b", "(near 10 a b)"},
        {"a NEAR/3 b near/3 c", "(near 3 a b c)"},
        {"a ADJ b", "(adj 10 a b)"},
        {"a near b adj c", "(and (near 10 a b) adj c)"},
        {"to:a near to:b", "(to (near 10 a b))"},
        {"to:a near b", "(and (to a) near b)"},
        {"near b", "(and near b)"},
        {"a near", "(and a near)"},
        {"a near tag:x", "(and a near (tag \"x\"))"},
        {"a near (b)", "(and a near b)"},
        {"a near/0 b", "(and a (phrase near 0) b)"},
        {"a near/12345 b", "(near 12345 a b)"},
        {"a adj/99999999999999999999 b", "(adj 1000000 a b)"},
    };

    (void) state;
    CHECK_TREES (rows);
}

static void
test_errors (void **state)
{
    static const struct {
        const char *text;
        size_t offset, length;
        const char *message; /* part of it */
    } rows[] = {
        {"a and", 2, 3, "operator"},
        {"and a", 0, 3, "operator"},
        {"a or or b", 2, 2, "operator"},
        {"not", 0, 3, "operator"},
        {"a and not", 6, 3, "operator"},
        {"(a and) b", 3, 3, "operator"},
        {"()", 0, 1, "nothing between"},
        {"a ( )", 2, 1, "nothing between"},
        {"to:()", 0, 4, "nothing between"},
        {"(a", 0, 1, "never closed"},
        {"b ((a)", 2, 1, "never closed"},
        {"to:(a", 0, 4, "never closed"},
        {"a)", 1, 1, "closes nothing"},
        {")", 0, 1, "closes nothing"},
        {"-(", 1, 1, "never closed"},
        {"\"", 0, 1, "no word"},
        {"\"\"", 0, 2, "no word"},
        {"???", 0, 3, "no word"},
        {"foo and &", 8, 1, "no word"},
        {"foo or \"...\"", 7, 5, "no word"},
        {"tag:", 0, 4, "nothing stands behind"},
        {"foo tag: bar", 4, 4, "nothing stands behind"},
        {"(from:)", 1, 5, "nothing stands behind"},
        {"date:", 0, 5, "nothing stands behind"},
        {"form:ann", 0, 5, "did you mean \"from:\""},
        {"x Subject:y", 2, 8, "did you mean \"subject:\""},
        {"subjct:y", 0, 7, "did you mean \"subject:\""},
        {"tga:y", 0, 4, "did you mean \"tag:\""},
        {"date:foo", 5, 3, "no date"},
        {"date:2009..foo", 11, 3, "no date"},
        {"date:\"foo bar\"", 6, 7, "no date"},
        {"x date:2009..2010x", 13, 5, "no date"},
        {"x date:2010..2009", 2, 15, "ends before"},
        {"date:today..yesterday", 0, 21, "ends before"},
        {"size:2k..1k", 0, 11, "ends before"},
        {"x (20..10)", 3, 6, "ends before"},
        {"date:\"2009\"..2010", 11, 2, "behind quotes"},
        {"x property:a", 2, 10, "a name, \"=\""},
        {"file:a/b", 0, 8, "no slash"},
        {"size:x", 0, 6, "no number"},
        {"lastmod:1..x", 0, 12, "no number"},
        {"lastmod:99999999999999999999", 0, 28, "no number"},
        {"tag:(a b)", 0, 5, "parenthesis"},
        {"subject:/a", 0, 10, "no end"},
        {"path:/", 0, 6, "no end"},
        {"subject:/[/", 8, 3, "wrong"},
        {"from:\"/(/\"", 6, 3, "wrong"},
        {"thread:{a", 0, 9, "never closed"},
        {"thread:{a and}", 10, 3, "operator"},
        {"x thread:{date:foo}", 15, 3, "no date"},
        {"subject:\"(a or )\"", 12, 2, "operator"},
        {"foo\xff"
         "bar",
         3, 1, "not UTF-8"},
        {"x to:\"\xe9\"", 6, 1, "not UTF-8"},
        {"subject:Gr\xfc\xdf", 10, 1, "not UTF-8"},
        {"\"a \xc3\"", 3, 1, "not UTF-8"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *ctx = talloc_new (NULL);
        struct mail_query_error error = {0};
        struct node *tree;
        if (parse (ctx, rows[i].text, strlen (rows[i].text), &tree, &error))
            fail_msg ("%s: no error", rows[i].text);
        if (error.offset != rows[i].offset || error.length != rows[i].length ||
            strstr (error.message, rows[i].message) == NULL)
            fail_msg ("%s: %d+%d %s", rows[i].text, (int) error.offset, (int) error.length,
                      error.message);
        assert_true (talloc_parent (error.message) == ctx);
        talloc_free (ctx);
    }
}

static void
test_guesses (void **state)
{
    static const char *const rows[][2] = {
        {"form", "from"},
        {"fom", "from"},
        {"FROM", "from"},
        {"tags", "tag"},
        {"ids", "id"},
        {"folders", "folder"},
        {"atachmnt", "attachment"},
        {"mimtype", "mimetype"},
        {"threads", "thread"},
        {"std", NULL},
        {"http", NULL},
        {"https", NULL},
        {"re", NULL},
        {"fw", NULL},
        {"c", NULL},
        {"mailto", NULL},
        {"state", NULL},
        {"error", NULL},
        {"note", NULL},
        {"ftp", NULL},
        {"abcdefghijklmnopqrstuvwxyz", NULL},
    };

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct prefix *guess = prefix_guess (rows[i][0], strlen (rows[i][0]));
        const char *name = guess != NULL ? guess->name : "none";
        const char *wanted = rows[i][1] != NULL ? rows[i][1] : "none";
        if (strcmp (name, wanted) != 0)
            fail_msg ("%s: %s", rows[i][0], name);
    }
    for (size_t i = 0; i < PREFIX_COUNT; i++)
        assert_ptr_equal (prefix_find (prefix_table[i].name, strlen (prefix_table[i].name)),
                          &prefix_table[i]);
}

/* A length is a length: zero bytes are blanks, and part of a quoted value. */
static void
test_zero_bytes (void **state)
{
    static const char text[] = "a\0b tag:\"c\0d\" \0", words[] = "tag:x \"c\0d\"";
    void *ctx = talloc_new (NULL);
    struct mail_query_error error = {0};
    struct node *tree;

    (void) state;
    assert_true (parse (ctx, text, sizeof text - 1, &tree, &error));
    assert_string_equal (tree_print_line (ctx, tree), "(and a b (tag \"c\\x00d\"))");
    assert_false (parse (ctx, words, sizeof words - 1, &tree, &error));
    assert_int_equal (error.offset, 8);
    talloc_free (ctx);
}

/* ---- limits -------------------------------------------------------------------------------- */

static char *
repeat (void *ctx, const char *piece, size_t times)
{
    size_t length = strlen (piece);
    char *text = talloc_array (ctx, char, length *times + 1);

    for (size_t i = 0; i < times; i++)
        memcpy (text + i * length, piece, length);
    text[length * times] = '\0';
    return text;
}

/* Parses and gives the message, or "" where there is no error. Fails where it takes long. */
static const char *
parse_big (void *ctx, const char *text)
{
    struct mail_query_error error = {0};
    struct node *tree;
    clock_t start = clock ();
    bool good = parse (ctx, text, strlen (text), &tree, &error);

    assert_true (clock () - start < 20 * CLOCKS_PER_SEC);
    return good ? "" : error.message;
}

static void
test_depth (void **state)
{
    void *ctx = talloc_new (NULL);
    char *open = repeat (ctx, "(", 200), *close = repeat (ctx, ")", 200);

    (void) state;
    assert_string_equal (parse_big (ctx, talloc_asprintf (ctx, "%sa%s", open, close)), "");
    assert_string_equal (parse_big (ctx, repeat (ctx, "(", 20000)),
                         "too many parentheses in one another");
    assert_string_equal (parse_big (ctx, repeat (ctx, "-(", 20000)),
                         "too many parentheses in one another");
    assert_non_null (strstr (parse_big (ctx, repeat (ctx, ")", 20000)), "closes nothing"));
    assert_non_null (strstr (parse_big (ctx, repeat (ctx, "thread:{", 20000)), "never closed"));
    open = repeat (ctx, "thread:{", 20000);
    assert_non_null (
        strstr (parse_big (ctx, talloc_asprintf (ctx, "%sa%s", open, repeat (ctx, "}", 20000))),
                "in one another"));
    assert_non_null (strstr (parse_big (ctx, repeat (ctx, "not ", 1000000)), "operator"));
    assert_string_equal (
        parse_big (ctx, talloc_asprintf (ctx, "%sa", repeat (ctx, "not ", 1000000))), "");
    talloc_free (ctx);
}

static void
test_width (void **state)
{
    void *ctx = talloc_new (NULL);

    (void) state;
    assert_string_equal (parse_big (ctx, repeat (ctx, "id:k@example.org ", 200000)), "");
    assert_non_null (strstr (parse_big (ctx, repeat (ctx, "id:k ", 2000000)), "more than"));
    assert_string_equal (parse_big (ctx, repeat (ctx, "a ", 10000)), "");
    assert_string_equal (parse_big (ctx, repeat (ctx, "a-", 1000)), "");
    assert_string_equal (parse_big (ctx, repeat (ctx, "*a *b* ", 50)), "");
    assert_non_null (strstr (parse_big (ctx, repeat (ctx, "*a ", 101)), "more than 100 words"));
    assert_non_null (strstr (parse_big (ctx, repeat (ctx, "a-", 1001)), "too long"));
    assert_string_equal (parse_big (ctx, talloc_asprintf (ctx, "%sa", repeat (ctx, "a near ", 99))),
                         "");
    assert_non_null (strstr (
        parse_big (ctx, talloc_asprintf (ctx, "%sa", repeat (ctx, "a near ", 100))), "more than"));
    assert_non_null (strstr (parse_big (ctx, repeat (ctx, "a ", 5000000)), "more than"));
    assert_non_null (strstr (parse_big (ctx, repeat (ctx, "a-", 5000000)), "more than"));
    assert_non_null (strstr (parse_big (ctx, repeat (ctx, "a or ", 2000000)), "more than"));
    talloc_free (ctx);
}

/* Words said again and again are one. */
static void
test_repeats (void **state)
{
    void *ctx = talloc_new (NULL);
    struct mail_query_error error = {0};
    struct node *tree;
    char *text = repeat (ctx, "a to:b \"c d\" ", 100);

    (void) state;
    assert_true (parse (ctx, text, strlen (text), &tree, &error));
    assert_string_equal (tree_print_line (ctx, tree), "(and a (to b) (phrase c d))");
    text = talloc_asprintf (ctx, "%s a", repeat (ctx, "a xor ", 99));
    assert_true (parse (ctx, text, strlen (text), &tree, &error));
    assert_int_equal (tree->child_count, 100);
    talloc_free (ctx);
}

static void
test_ten_megabytes (void **state)
{
    static const char *const pieces[] = {
        "a", "\"", "é", "\xff", "(a", "tag:", ":",   "-",         "+ ",
        "*", "\\", "/", "..",   "日", "to:/", "a\"", "thread:\"{"};
    void *ctx = talloc_new (NULL);

    (void) state;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        void *local = talloc_new (ctx);
        parse_big (local, repeat (local, pieces[i], 10000000 / strlen (pieces[i])));
        talloc_free (local);
    }
    talloc_free (ctx);
}

/* Random rows of pieces: an error lies within the text, a tree can be printed. */
static void
test_any_text (void **state)
{
    static const char *const pieces[] = {
        "(",      ")",     "\"",       "and ",     " or", "not ",  "xor",  " ",
        "tag:",   "from:", "date:",    "2009",     "..",  "*",     "-",    "+",
        "foo",    "Bar",   "/",        "thread:{", "}",   "near/", "\xc3", "日",
        "id:<a>", "size:", "lastmod:", "[",        "\\",  "form:", "to:(", ",",
        "é",      "\x01",  "\n",       "!",        "@5",  "path:", "**",   "subject:\"("};
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
        if (parse (ctx, text, strlen (text), &tree, &error))
            assert_true (strlen (tree_print (ctx, tree)) > 0);
        else if (error.offset >= strlen (text) || error.length == 0 ||
                 error.offset + error.length > strlen (text))
            fail_msg ("'%s': error at %d+%d: %s", text, (int) error.offset, (int) error.length,
                      error.message);
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
        cmocka_unit_test (test_words),     cmocka_unit_test (test_prefixes),
        cmocka_unit_test (test_operators), cmocka_unit_test (test_errors),
        cmocka_unit_test (test_guesses),   cmocka_unit_test (test_zero_bytes),
        cmocka_unit_test (test_depth),     cmocka_unit_test (test_width),
        cmocka_unit_test (test_repeats),   cmocka_unit_test (test_ten_megabytes),
        cmocka_unit_test (test_any_text),
    };
    return cmocka_run_group_tests (tests, set_zone, NULL);
}
