/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-html.c - HTML to words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mime/html.h"
#include <glib.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>
#include <time.h>

/* The text with its words separated by single blanks. */
static char *
words (void *ctx, const char *html, size_t length)
{
    char *exact = malloc (length), *text, *out = talloc_strdup (ctx, "");
    size_t n;
    gchar **pieces;

    memcpy (exact, html, length);
    text = html_to_text (ctx, exact, length, &n);
    free (exact);
    assert_int_equal (strlen (text), n);
    assert_true (g_utf8_validate (text, (gssize) n, NULL));
    pieces = g_strsplit_set (text, " \t\r\n", -1);
    for (gchar **p = pieces; *p != NULL; p++)
        if (**p != '\0')
            out = talloc_asprintf_append (out, "%s%s", *out != '\0' ? " " : "", *p);
    g_strfreev (pieces);
    return out;
}

static void
test_words (void **state)
{
    static const struct row {
        const char *html, *words;
    } rows[] = {
        {"", ""},
        {"plain", "plain"},
        {"<p>one</p><p>two</p>", "one two"},
        {"one<br>two<br/>three", "one two three"},
        {"<td>one</td><td>two</td>", "one two"},
        {"<table><tr><td>a<td>b<tr><td>c</table>d", "a b c d"},
        {"<ul><li>a<li>b</ul>", "a b"},
        {"<h1>a</h1>b<div>c</div>d<hr>e", "a b c d e"},
        {"<option>a<option>b", "a b"},
        /* inline elements do not separate, known or not */
        {"wo<b>rd</b>split", "wordsplit"},
        {"wo<span class=\"x y\">rd</span>", "word"},
        {"<a href=\"http://example.org/p\">li</a>nk", "link"},
        {"long<wbr>word", "longword"},
        {"<o:p>a</o:p>b", "ab"},
        {"<font>a</font> <i>b</i>", "a b"},
        /* entities */
        {"caf&eacute; na&#239;ve AT&amp;T &#x20AC;", "caf\xc3\xa9 na\xc3\xafve AT&T \xe2\x82\xac"},
        {"a&lt;b&gt;c", "a<b>c"},
        {"x&unknown;y", "x&unknown;y"},
        {"a&amp;", "a&"},
        {"R&D", "R&D"},
        {"&#0;&#xD800;a", "a"},
        {"&#99999999;a", "a"},
        /* what nobody sees */
        {"<style>css { x: y }</style>a", "a"},
        {"<script>var x = \"</b>\" > 2;</script>a", "a"},
        {"<STYLE>css</STYLE><SCRIPT>js</SCRIPT>a", "a"},
        {"<!-- comment > still comment -->a", "a"},
        {"<!-- a -- b -->c", "c"},
        {"<![if !mso]>a<![endif]>", "a"},
        {"<!--[if mso]>x<![endif]-->a<!--[if !mso]><!-->b<!--<![endif]-->", "ab"},
        {"<!DOCTYPE html><html><head><title>t</title></head><body>b</body></html>", "t b"},
        {"<?xml version=\"1.0\"?>a", "a"},
        {"<img src=\"data:image/png;base64,AAAA\" title=\"a > b\">c", "c"},
        {"<img alt=\"seen\" src=x>c", "seen c"},
        {"a<img alt=\"caf&eacute;\">b", "a caf\xc3\xa9 b"},
        {"<meta content=\"text/html; charset=iso-8859-1\">caf\xc3\xa9", "caf\xc3\xa9"},
        {"<html><head><meta charset=utf-16></head>caf\xc3\xa9", "caf\xc3\xa9"},
        /* characters that are not seen */
        {"soft&shy;hyphen zero&#8203;width a\xe2\x80\x8c"
         "b c\xe2\x80\x8d"
         "d e\xe2\x81\xa0"
         "f \xef\xbb\xbfg",
         "softhyphen zerowidth ab cd ef g"},
        {"a&nbsp;b", "a\xc2\xa0"
                     "b"},
        /* broken */
        {"<b>a<i>b</b>c</i>d", "abcd"},
        {"a < b and c > d", "a < b and c > d"},
        {"a<", "a<"},
        {"a<b", "a"},
        {"a</", "a"},
        {"a<!--", "a"},
        {"<b a=\"x", ""},
        {"a</nothing>b", "ab"},
        {"<p><p><p>a", "a"},
        {"\xff\xfe", "\xef\xbf\xbd\xef\xbf\xbd"},
    };
    void *ctx = talloc_new (NULL);

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        char *got = words (ctx, rows[i].html, strlen (rows[i].html));

        if (strcmp (got, rows[i].words) != 0)
            fail_msg ("'%s': '%s'", rows[i].html, got);
    }
    talloc_free (ctx);
}

/* Far more than any of these documents takes, far less than in quadratic time. */
#define SECONDS_MAX 15

static double
seconds_since (clock_t start)
{
    return (double) (clock () - start) / CLOCKS_PER_SEC;
}

/* Documents that took a parser quadratic time, or deep recursion; all words are still found. */
static void
test_hostile (void **state)
{
    static const struct row {
        const char *piece, *last;
        bool whole; /* the last word is found */
    } rows[] = {
        {"<div>", "last", true},
        {"<div>x ", "last", true},
        {"<b>", "last", true},
        {"<table><tr><td>", "last", true},
        {"<font><p>x</p>", "last", true},
        {"</foo>", "last", true},
        {"<a b=c ", ">last", true},
        {"<a b=\"", "\">last", true},
        {"<", "last", false},
        {"&", " last", true},
        {"&#", " last", true},
        {"<!--", "-->last", true},
        {"<script>", "</script>last", true},
        {"<body a=1>", "last", true},
        {"<html>", "last", true},
        {"<p", ">last", true},
        {"\xe2\x80\x8b", "last", true},
    };
    void *ctx = talloc_new (NULL);

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        GString *html = g_string_new (NULL);
        clock_t start = clock ();
        size_t length;
        char *text;

        while (html->len < 1000000)
            g_string_append (html, rows[i].piece);
        g_string_append (html, rows[i].last);
        text = html_to_text (ctx, html->str, html->len, &length);
        if (rows[i].whole && !g_str_has_suffix (g_strchomp (text), "last"))
            fail_msg ("'%s...%s': '%.40s'", rows[i].piece, rows[i].last, text);
        if (seconds_since (start) > SECONDS_MAX)
            fail_msg ("'%s' took too long", rows[i].piece);
        g_string_free (html, TRUE);
        talloc_free (text);
    }
    talloc_free (ctx);
}

/* Elements that stay open, and end tags that close none of them. */
static void
test_open_elements (void **state)
{
    void *ctx = talloc_new (NULL);
    GString *html = g_string_new (NULL);
    clock_t start = clock ();
    size_t length;
    char *text;

    (void) state;
    for (int i = 0; i < 300000; i++)
        g_string_append (html, "<div>");
    for (int i = 0; i < 300000; i++)
        g_string_append (html, "</ul>");
    g_string_append (html, "last");
    text = html_to_text (ctx, html->str, html->len, &length);
    assert_string_equal (g_strstrip (text), "last");
    assert_true (seconds_since (start) < SECONDS_MAX);
    g_string_free (html, TRUE);
    talloc_free (ctx);
}

/* A tag with too many attributes goes, what stands around it stays. */
static void
test_attributes (void **state)
{
    void *ctx = talloc_new (NULL);
    GString *html = g_string_new ("before <a");
    clock_t start = clock ();

    (void) state;
    for (int i = 0; i < 200000; i++)
        g_string_append_printf (html, " a%d=1", i);
    g_string_append (html, ">inside</a> after");
    assert_string_equal (words (ctx, html->str, html->len), "before inside after");
    assert_true (seconds_since (start) < SECONDS_MAX);
    g_string_free (html, TRUE);
    /* a long one with few is looked into */
    html = g_string_new ("<img src=\"data:image/png;base64,");
    for (int i = 0; i < 100000; i++)
        g_string_append (html, "QUJD");
    g_string_append (html, "\" alt=\"seen\">");
    assert_string_equal (words (ctx, html->str, html->len), "seen");
    g_string_free (html, TRUE);
    talloc_free (ctx);
}

/* However a document is cut, there is text and no crash. */
static void
test_cut (void **state)
{
    static const char html[] =
        "<!DOCTYPE html><html><head><title>t</title><style>s</style></head><body>"
        "<p class=\"a\">caf&eacute; <b>x</b> &#1234;<!-- c --><script>j</script>\xe2\x82\xac"
        "<table><tr><td>y</table></body></html>";
    void *ctx = talloc_new (NULL);

    (void) state;
    for (size_t length = 0; length <= strlen (html); length++)
        words (ctx, html, length);
    talloc_free (ctx);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_words),         cmocka_unit_test (test_hostile),
        cmocka_unit_test (test_open_elements), cmocka_unit_test (test_attributes),
        cmocka_unit_test (test_cut),
    };

    return cmocka_run_group_tests_name ("html", tests, NULL, NULL);
}
