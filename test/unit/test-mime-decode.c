/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-mime-decode.c - header values as text and as addresses. */
#include "mime-mail.h"

static void
test_text (void **state)
{
    static const struct row {
        const char *raw, *text;
    } rows[] = {
        {"", ""},
        {"plain ASCII  text", "plain ASCII  text"},
        {"2 = 2 ?= 3", "2 = 2 ?= 3"},
        {"=?utf-8?q?Gr=C3=BC=C3=9Fe?=", "Gr\xc3\xbc\xc3\x9f"
                                        "e"},
        {"=?UTF-8?B?R3LDvMOfZQ==?=", "Gr\xc3\xbc\xc3\x9f"
                                     "e"},
        {"=?UTF-8?B?R3LDvMOfZQ?=", "Gr\xc3\xbc\xc3\x9f"
                                   "e"}, /* no padding */
        {"a =?utf-8?q?b_c?= d", "a b c d"},
        {"=?utf-8?q?a?= =?utf-8?q?b?=", "ab"},
        {"=?utf-8?q?a?=\t =?iso-8859-1?q?=E9?=", "a\xc3\xa9"},
        {"=?utf-8?q?alpha beta?= =?utf-8?q?gamma?==?utf-8?q?delta?=", "alpha betagammadelta"},
        {"foo=?utf-8?q?bar?=baz", "foobarbaz"},
        {"=?utf-8*en?q?lang?=", "lang"},
        {"=?utf-8?q?what?\?=", "what?"},
        {"=?utf-8?q?=41?=", "A"},
        /* a character in two pieces */
        {"=?utf-8?B?4oI=?= =?utf-8?B?rA==?= x", "\xe2\x82\xac x"},
        {"=?UTF-8?Q?=E2=82?=\t=?utf-8?q?=AC?=", "\xe2\x82\xac"},
        /* no end, no encoding, no character set: as it is */
        {"=?windows-1257?Q?Jonas_Pavyzdys= <j@x>", "=?windows-1257?Q?Jonas_Pavyzdys= <j@x>"},
        {"=?utf-8?x?abc?=", "=?utf-8?x?abc?="},
        {"=??q?abc?=", "=??q?abc?="},
        {"=?utf-8?q?=?= x", "= x"},
        {"=?utf-8?q?a =?utf-8?q?b?=", "=?utf-8?q?a b"},
        {"=?", "=?"},
        {"=?utf-8?q?a=4?=", "a=4"},
        {"=?utf-8?b?!!!!?=", ""},
        /* character sets wrongly or not declared */
        {"=?ISO-8859-1?Q?We=92ve_moved_=96_=8Akoda?=",
         "We\xe2\x80\x99ve moved \xe2\x80\x93 \xc5\xa0koda"},
        {"=?x-unknown?Q?na=EFve?=", "na\xc3\xafve"},
        {"=?us-ascii?Q?caf=C3=A9?=", "caf\xc3\xa9"},
        {"=?utf-8?Q?caf=E9?=", "caf\xc3\xa9"},
        {"=?gb2312?B?xOO6ww==?=", "\xe4\xbd\xa0\xe5\xa5\xbd"},
        {"=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=", "\xe6\x97\xa5\xe6\x9c\xac"},
        {"=?koi8-r?Q?=F0=D2=C9?=", "\xd0\x9f\xd1\x80\xd0\xb8"},
        /* raw 8-bit */
        {"Gr\xc3\xbc\xc3\x9f"
         "e",
         "Gr\xc3\xbc\xc3\x9f"
         "e"},
        {"caf\xe9 \x93q\x94", "caf\xc3\xa9 \xe2\x80\x9cq\xe2\x80\x9d"},
        {"\xc3\xa9 =?iso-8859-1?q?=E9?= \xe9", "\xc3\xa9 \xc3\xa9 \xc3\xa9"},
        /* nothing that a header could be forged with */
        {"=?utf-8?q?a=0AFrom=3A_b?=", "a From: b"},
        {"=?utf-8?q?a=0D=0Ab?=", "a  b"},
        {"=?utf-8?q?a=00b?=", "a b"},
    };
    void *ctx = talloc_new (NULL);

    (void) state;
    mime_init ();
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        char *exact = strdup (rows[i].raw);
        char *text = mime_decode_text (ctx, exact);

        if (strcmp (text, rows[i].text) != 0)
            fail_msg ("'%s': '%s'", rows[i].raw, text);
        free (exact);
    }
    talloc_free (ctx);
}

/* All addresses as "[name|address]". */
static char *
addresses_of (void *ctx, const char *raw)
{
    size_t count;
    const struct mime_address *addresses = mime_decode_addresses (ctx, raw, &count);
    char *text = talloc_strdup (ctx, "");

    for (size_t i = 0; i < count; i++)
        text = talloc_asprintf_append (text, "[%s|%s]", addresses[i].name, addresses[i].address);
    return text;
}

static void
test_addresses (void **state)
{
    static const struct row {
        const char *raw, *addresses, *text;
    } rows[] = {
        {"", "", ""},
        {"  ", "", ""},
        {"a@b", "[|a@b]", "a@b"},
        {" a@b ", "[|a@b]", "a@b"},
        {"<a@b>", "[|a@b]", "a@b"},
        {"a@b, c@d", "[|a@b][|c@d]", "a@b, c@d"},
        {"a@b,\tc@d", "[|a@b][|c@d]", "a@b, c@d"},
        {"Ann Example <ann@example.org>", "[Ann Example|ann@example.org]",
         "Ann Example <ann@example.org>"},
        {"Ann<ann@x>", "[Ann|ann@x]", "Ann <ann@x>"},
        {"J. R. Doe <j@d>", "[J. R. Doe|j@d]", "\"J. R. Doe\" <j@d>"},
        {"O'Neil-Smith <a@b>", "[O'Neil-Smith|a@b]", "O'Neil-Smith <a@b>"},
        {"\"Doe, Jane\" <j@x>, a@b", "[Doe, Jane|j@x][|a@b]", "\"Doe, Jane\" <j@x>, a@b"},
        {"\"Plain\"<j@x>", "[Plain|j@x]", "Plain <j@x>"},
        {"\"a\\\"b\" <c@d>", "[a\"b|c@d]", "\"a\\\"b\" <c@d>"},
        {"John  Doe   <j@d>", "[John  Doe|j@d]", "John  Doe <j@d>"},
        {"a@b (Some Name)", "[Some Name|a@b]", "Some Name <a@b>"},
        {"x@[1.2.3.4]", "[|x@[1.2.3.4]]", "x@[1.2.3.4]"},
        {"bob", "[|bob]", "bob"},
        {"a@b,", "[|a@b]", "a@b"},
        {", a@b", "[|a@b]", "a@b"},
        /* groups */
        {"undisclosed-recipients:;", "[undisclosed-recipients|]", "undisclosed-recipients: ;"},
        {"Crew: \"Doe, Jane\" <jane@x>, joe@x;, solo@x",
         "[Crew|][Doe, Jane|jane@x][|joe@x][|solo@x]",
         "Crew: \"Doe, Jane\" <jane@x>, joe@x;, solo@x"},
        {"Foo: Bar <a@b>", "[Foo|][Bar|a@b]", "Foo: Bar <a@b>;"},
        /* encoded */
        {"=?utf-8?q?J=C3=BCrgen?= <j@x>", "[J\xc3\xbcrgen|j@x]", "J\xc3\xbcrgen <j@x>"},
        {"=?utf-8?q?J=C3=BCrgen?= =?utf-8?q?_K?= <j@x>", "[J\xc3\xbcrgen K|j@x]",
         "J\xc3\xbcrgen K <j@x>"},
        {"\"=?utf-8?q?x=20y?=\" <a@b>", "[x y|a@b]", "x y <a@b>"},
        {"a@b (=?utf-8?q?J=C3=BCrgen?=)", "[J\xc3\xbcrgen|a@b]", "J\xc3\xbcrgen <a@b>"},
        {"J\xc3\xbcrgen <j@x>", "[J\xc3\xbcrgen|j@x]", "J\xc3\xbcrgen <j@x>"},
        {"J\xfcrgen <j@x>", "[J\xc3\xbcrgen|j@x]", "J\xc3\xbcrgen <j@x>"},
        {"j\xc3\xbcrgen@ex\xc3\xa4mple.org", "[|j\xc3\xbcrgen@ex\xc3\xa4mple.org]",
         "j\xc3\xbcrgen@ex\xc3\xa4mple.org"},
        {"=?windows-1257?Q?Jonas= <jonas@x>", "[=?windows-1257?Q?Jonas=|jonas@x]",
         "=?windows-1257?Q?Jonas= <jonas@x>"},
        /* what is decoded is no syntax */
        {"=?utf-8?q?evil@example.com?= <real@x>", "[evil@example.com|real@x]",
         "\"evil@example.com\" <real@x>"},
        {"=?utf-8?q?Doe=2C_Jane_=3Cevil=40x=3E?= <real@x>", "[Doe, Jane <evil@x>|real@x]",
         "\"Doe, Jane <evil@x>\" <real@x>"},
        {"=?utf-8?q?=22e=40x=22_=3Ce=40x=3E=2C?= <real@x>", "[\"e@x\" <e@x>,|real@x]",
         "\"\\\"e@x\\\" <e@x>,\" <real@x>"},
        {"\"e\\\"@x>, <\" <real@x>", "[e\"@x>, <|real@x]", "\"e\\\"@x>, <\" <real@x>"},
        {"=?utf-8?q?=22?= <real@x>", "[\"|real@x]", "\"\\\"\" <real@x>"},
        {"\"a\\\\\" <real@x>", "[a\\|real@x]", "\"a\\\\\" <real@x>"},
        {"\"Jane \\\"Jay\\\" Doe\" <j@x>", "[Jane \"Jay\" Doe|j@x]", "Jane \"Jay\" Doe <j@x>"},
        {"=?utf-8?q?a=40b=2Ec?=", "[a@b.c|]", "\"a@b.c\""},
        {"=?utf-8?q?a?=@b", "[|=?utf-8?q?a?=@b]", "=?utf-8?q?a?=@b"},
        {"\xef\x97\xa2"
         "7\xef\x97\xa3 <a@b>",
         "[\xef\x97\xa2"
         "7\xef\x97\xa3|a@b]",
         "\xef\x97\xa2"
         "7\xef\x97\xa3 <a@b>"},
        {"=?utf-8?q?x=0AFrom=3A?= <a@b>", "[x From:|a@b]", "\"x From:\" <a@b>"},
        /* no list of addresses */
        {"just text", "[just text|]", "just text"},
        {"just, <odd> text =?utf-8?q?=C3=BC?=", "[|just][|odd]", "just, odd"},
        {"a@b, Foo [x] <c@d>, e@f", "[|a@b][Foo [x]|c@d][|e@f]", "a@b, \"Foo [x]\" <c@d>, e@f"},
        {"a@b, Name <>, e@f", "[|a@b][Name <>|][|e@f]", "a@b, Name <>, e@f"},
        {"a@b; =?utf-8?q?C?= <c@d>; e@f", "[|a@b][C|c@d][|e@f]", "a@b, C <c@d>, e@f"},
        {"a@b, \"no end <c@d>, e@f", "[|a@b][no end|c@d][|e@f]", "a@b, no end <c@d>, e@f"},
        {"a@b <c@d, e@f", "[a@b|c@d][|e@f]", "\"a@b\" <c@d>, e@f"},
        {"x [=?utf-8?q?=C3=BC?=] y", "[x [\xc3\xbc] y|]", "x [\xc3\xbc] y"},
        {"Foo [x] <a@b>", "[Foo [x]|a@b]", "\"Foo [x]\" <a@b>"},
        {"Name <>", "[Name <>|]", "Name <>"},
        {"<Undisclosed-Recipient:;@example.org>", "[<Undisclosed-Recipient:;@example.org>|]",
         "<Undisclosed-Recipient:;@example.org>"},
    };
    void *ctx = talloc_new (NULL);

    (void) state;
    mime_init ();
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        char *list = addresses_of (ctx, rows[i].raw);
        char *text = mime_decode_address_text (ctx, rows[i].raw);

        if (strcmp (list, rows[i].addresses) != 0 || strcmp (text, rows[i].text) != 0)
            fail_msg ("'%s': %s '%s'", rows[i].raw, list, text);
    }
    talloc_free (ctx);
}

static void
test_fields (void **state)
{
    static const char raw[] = "\"Ann Example\" <a@b>";
    void *ctx = talloc_new (NULL);

    (void) state;
    mime_init ();
    assert_string_equal (mime_decode_field (ctx, "TO", raw), "Ann Example <a@b>");
    assert_string_equal (mime_decode_field (ctx, "Reply-To", raw), "Ann Example <a@b>");
    assert_string_equal (mime_decode_field (ctx, "From", raw), raw);
    assert_string_equal (mime_decode_field (ctx, "Subject", raw), raw);
    talloc_free (ctx);
}

/* Values that took quadratic time would take minutes here. */
static void
test_long_values (void **state)
{
    static const struct row {
        const char *piece, *last;
    } rows[] = {
        {"=?a?q?x", ""},
        {"=?utf-8?q?x?= ", ""},
        {"=?", ""},
        {"=?utf-8?q?x?= <a@b>, ", "a@b"},
        {"(", ""},
        {"<", ""},
        {"\"", ""},
        {"a@b, ", "c@d"},
        {"\xef\x97\xa2", " <a@b>"},
        {"\xc3", ""},
        {"a:b;", ""},
        {"a:", ""},
        {"\"a:", ""},
        {"(a:", ""},
        {"a b c@d, ", ""},
    };
    void *ctx = talloc_new (NULL);

    (void) state;
    mime_init ();
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        GString *raw = g_string_new (NULL);
        size_t count;
        char *text;

        while (raw->len < 500000)
            g_string_append (raw, rows[i].piece);
        g_string_append (raw, rows[i].last);
        mime_decode_addresses (ctx, raw->str, &count);
        text = mime_decode_text (ctx, raw->str);
        assert_true (g_utf8_validate (text, -1, NULL));
        text = mime_decode_address_text (ctx, raw->str);
        assert_true (g_utf8_validate (text, -1, NULL));
        g_string_free (raw, TRUE);
    }
    talloc_free (ctx);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_text),
        cmocka_unit_test (test_addresses),
        cmocka_unit_test (test_fields),
        cmocka_unit_test (test_long_values),
    };

    return cmocka_run_group_tests_name ("mime decode", tests, NULL, NULL);
}
