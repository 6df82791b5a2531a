/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-mime-text.c - text of leaves: character sets, transfer encodings, line ends; words. */
#include "mime-mail.h"
#include "mime/charset.h"

#define MIXED "Content-Type: multipart/mixed; boundary=b\n"

/* ---- character sets ---- */

struct reading {
    const char *label, *bytes, *text;
};

/* Each from memory that ends where the bytes do. */
static void
assert_read (const struct reading *rows, size_t count)
{
    void *ctx = talloc_new (NULL);

    for (size_t i = 0; i < count; i++) {
        size_t length = strlen (rows[i].bytes), n;
        char *exact = malloc (length), *text;

        memcpy (exact, rows[i].bytes, length);
        text = charset_to_utf8 (ctx, exact, length, rows[i].label, &n);
        free (exact);
        if (strcmp (text, rows[i].text) != 0 || strlen (text) != n)
            fail_msg ("row %zu (%s): '%s'", i, rows[i].label, text);
    }
    talloc_free (ctx);
}

static void
test_charsets (void **state)
{
    static const struct reading rows[] = {
        {NULL, "", ""},
        {NULL, "plain", "plain"},
        {NULL, "caf\xc3\xa9", "caf\xc3\xa9"},
        {NULL, "the caf\xe9 menu says cr\xe8me", "the caf\xc3\xa9 menu says cr\xc3\xa8me"},
        {NULL, "it\x92s \x93so\x94", "it\xe2\x80\x99s \xe2\x80\x9cso\xe2\x80\x9d"},
        /* labels that say nothing */
        {"us-ascii", "caf\xc3\xa9", "caf\xc3\xa9"},
        {"unknown-8bit", "na\xefve", "na\xc3\xafve"},
        {"X-UNKNOWN", "na\xefve", "na\xc3\xafve"},
        {"no-such-set", "na\xefve", "na\xc3\xafve"},
        {"no-such-set", "na\xc3\xafve", "na\xc3\xafve"},
        {"", "na\xefve", "na\xc3\xafve"},
        {"//TRANSLIT", "na\xefve", "na\xc3\xafve"},
        /* labels that are right */
        {"utf-8", "caf\xc3\xa9", "caf\xc3\xa9"},
        {"UTF8", "caf\xc3\xa9", "caf\xc3\xa9"},
        {"iso-8859-1", "caf\xe9", "caf\xc3\xa9"},
        {"ISO8859-1", "caf\xe9", "caf\xc3\xa9"},
        {"iso_8859-1", "caf\xe9", "caf\xc3\xa9"},
        {"latin1", "caf\xe9", "caf\xc3\xa9"},
        {"iso-8859-2", "\xa9koda", "\xc5\xa0koda"},
        {"iso-8859-15", "\xa4", "\xe2\x82\xac"},
        {"windows-1252", "\x80", "\xe2\x82\xac"},
        {"windows-1251", "\xcf\xf0\xe8", "\xd0\x9f\xd1\x80\xd0\xb8"},
        {"koi8-r", "\xf0\xd2\xc9", "\xd0\x9f\xd1\x80\xd0\xb8"},
        {"gb2312", "\xc4\xe3\xba\xc3", "\xe4\xbd\xa0\xe5\xa5\xbd"},
        {"gb2312", "\x81\x30\x81\x30", "\xc2\x80"}, /* is gb18030 */
        {"big5", "\xa4\xa4\xa4\xe5", "\xe4\xb8\xad\xe6\x96\x87"},
        {"euc-kr", "\xc7\xd1", "\xed\x95\x9c"},
        {"ks_c_5601-1987", "\xc7\xd1", "\xed\x95\x9c"},
        {"shift_jis", "\x93\xfa\x96\x7b", "\xe6\x97\xa5\xe6\x9c\xac"},
        {"euc-jp", "\xc6\xfc\xcb\xdc", "\xe6\x97\xa5\xe6\x9c\xac"},
        {"iso-2022-jp", "\033$BF|K\\\033(B", "\xe6\x97\xa5\xe6\x9c\xac"},
        {NULL, "\033$BF|K\\\033(B", "\xe6\x97\xa5\xe6\x9c\xac"},
        {"utf-7", "caf+AOk-", "caf\xc3\xa9"},
        {"tis-620", "\xa1", "\xe0\xb8\x81"},
        /* iso-8859 with windows bytes */
        {"iso-8859-1", "The \x8akoda \x93quoted\x94",
         "The \xc5\xa0koda \xe2\x80\x9cquoted\xe2\x80\x9d"},
        {"iso-8859-2", "\x8akoda \x92", "\xc5\xa0koda \xe2\x80\x99"},
        {"iso-8859-9", "\xfe\x92", "\xc5\x9f\xe2\x80\x99"},
        {"iso-8859-1", "it\xe2\x80\x99s", "it\xe2\x80\x99s"}, /* UTF-8 */
        /* labels that are wrong */
        {"utf-8", "caf\xe9", "caf\xc3\xa9"},
        {"big5", "caf\xc3\xa9 \xe2\x82\xac", "caf\xc3\xa9 \xe2\x82\xac"},
        {"iso-2022-jp", "caf\xc3\xa9", "caf\xc3\xa9"},
        {"utf-7", "caf\xe9", "caf\xc3\xa9"},
        {"utf-16", "caf\xc3\xa9 here", "caf\xc3\xa9 here"},
        {"utf-16", "plain\n", "plain\n"},
        {"windows-1252", "caf\xc3\xa9, \xc3\xa9t\xc3\xa9", "caf\xc3\xa9, \xc3\xa9t\xc3\xa9"},
        {"koi8-r", "\xd0\x9f\xd1\x80\xd0\xb8", "\xd0\x9f\xd1\x80\xd0\xb8"},
        {"windows-1252", "\xc3\xa9", "\xc3\x83\xc2\xa9"}, /* too little to be sure */
        {"utf-16le", "the caf\xe9\n", "the caf\xc3\xa9\n"},
        {"hz-gb-2312", "caf\xc3\xa9", "caf\xc3\xa9"},
        /* a label and more */
        {"koi8-r (Russian)", "\xf0\xd2\xc9", "\xd0\x9f\xd1\x80\xd0\xb8"},
        {"NF_Z_62-010_(1973)", "caf{", "caf\xc3\xa9"}, /* a part of the name */
        {"utf-8;", "caf\xc3\xa9", "caf\xc3\xa9"},
        {"'koi8-r'", "\xf0\xd2\xc9", "\xd0\x9f\xd1\x80\xd0\xb8"},
        /* ISO-2022-JP that is never switched back, with katakana, numbers in circles (Windows),
         * JIS X 0212, half a character; what looks like it and is not */
        {"iso-2022-jp", "\033$BF|K\\\nend", "\xe6\x97\xa5\xe6\x9c\xac\nend"},
        {"iso-2022-jp", "\033(I6E\033(B", "\xef\xbd\xb6\xef\xbe\x85"},
        {"iso-2022-jp", "\033$B-!\033(B.", "\xe2\x91\xa0."},
        {"iso-2022-jp", "\033$(D0!\033(B.", "\xe4\xb8\x82."},
        {"iso-2022-jp", "\033$BF|K", "\xe6\x97\xa5K"},
        {"iso-2022-jp", "a \033[1mb", "a \033[1mb"},
        {"iso-2022-jp-2", "\033$A0!\033(B", "\xe5\x95\x8a"},
        {"iso-2022-kr", "\033$)C\016GQ\017.", "\xed\x95\x9c."},
        {"hz-gb-2312", "a ~{<:Ky2;~} b~~", "a \xe5\xb7\xb1\xe6\x89\x80\xe4\xb8\x8d b~~"},
        /* UTF-8 but for some bytes */
        {"utf-8", "caf\xc3\xa9 \xe2\x82\xac \xe9", "caf\xc3\xa9 \xe2\x82\xac \xc3\xa9"},
        {"utf-8", "\xc0\xaf \xc0\x80 k\xc3\xb6ln",
         "\xc3\x80\xc2\xaf \xc3\x80\xe2\x82\xac k\xc3\xb6ln"},
        {NULL, "\xe2\x82\xac\xc3\xa9 cut \xe2\x82", "\xe2\x82\xac\xc3\xa9 cut "},
        {"utf-8", "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xed\xa0\x80",
         "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xad\xc2\xa0\xe2\x82\xac"}, /* a surrogate */
        {"utf-8", "\xc3\xa9\xc3\xa9\xc3\xa9\xc0\xaf",
         "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\x80\xc2\xaf"}, /* overlong */
        {"utf-8", "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xf5\x80\x80\x80",
         "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xb5\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"},
    };

    (void) state;
    assert_read (rows, G_N_ELEMENTS (rows));
}

static void
test_nul (void **state)
{
    static const struct row {
        const char *label, *bytes;
        size_t length;
        const char *text;
    } rows[] = {
        {NULL, "a\0b", 3, "a b"},
        {NULL, "a\0\0b", 4, "ab"},
        {"utf-8", "\xc3\xa9\0b", 4,
         "\xc3\xa9"
         " b"},
        {"iso-8859-1", "\xe9\0b", 3,
         "\xc3\xa9"
         " b"},
        {"koi8-r", "\xf0\0b", 3,
         "\xd0\x9f"
         " b"},
        {NULL, "h\0i\0", 4, "hi"}, /* UTF-16 without a word of it */
        {"utf-16le", "h\0i\0", 4, "hi"},
        {"utf-16", "\xff\xfeh\0i\0", 6, "hi"},
        {"utf-16", "\xfe\xff\0h\0i", 6, "hi"},
        {"utf-16", "\0h\0i", 4, "hi"},
        {"utf-16", "h\0i\0", 4, "hi"},
        /* the mark says more than the label */
        {NULL, "\xff\xfeh\0\x61\x01", 6, "h\xc5\xa1"},
        {"utf-8", "\xfe\xff\0h\x01\x61", 6, "h\xc5\xa1"},
        {"iso-8859-1", "\xff\xfeh\0\x61\x01", 6, "h\xc5\xa1"},
        {"koi8-r", "\xff\xfe", 2, "\xd0\xaa\xd0\xa7"},
        {NULL, "\xff\xfe\0\0h\0\0\0", 8, "h"},
        {"iso-2022-jp", "\033$BF|\033(B\0b", 10,
         "\xe6\x97\xa5"
         " b"},
    };
    void *ctx = talloc_new (NULL);

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        size_t n;
        char *text = charset_to_utf8 (ctx, rows[i].bytes, rows[i].length, rows[i].label, &n);

        if (strcmp (text, rows[i].text) != 0 || strlen (text) != n)
            fail_msg ("row %zu: '%s'", i, text);
    }
    talloc_free (ctx);
}

/* Lines in two character sets. */
static void
test_mixed (void **state)
{
    static const struct reading rows[] = {
        /* a footer of windows-1252 under UTF-8, and the other way round */
        {"utf-8", "\xc5\xbelu\xc5\xa5\n-- \ngr\xfc\xdf",
         "\xc5\xbelu\xc5\xa5\n-- \ngr\xc3\xbc\xc3\x9f"},
        {NULL, "\xc3\xa9t\xc3\xa9 \xc3\xa0\ngr\xfc\xdf\n",
         "\xc3\xa9t\xc3\xa9 \xc3\xa0\ngr\xc3\xbc\xc3\x9f\n"},
        {"iso-8859-1", "gr\xfc\xdf\n\xc5\xbelu\xc5\xa5 k\xc5\xaf\xc5\x88",
         "gr\xc3\xbc\xc3\x9f\n\xc5\xbelu\xc5\xa5 k\xc5\xaf\xc5\x88"},
        {"koi8-r", "\xf0\xd2\xc9\n\xd0\x9f\xd1\x80\xd0\xb8\n\n\xf0\xd2\xc9",
         "\xd0\x9f\xd1\x80\xd0\xb8\n\xd0\x9f\xd1\x80\xd0\xb8\n\n\xd0\x9f\xd1\x80\xd0\xb8"},
        /* two letters of it that are UTF-8 by chance */
        {"iso-8859-1", "CAF\xc9\xbb\n\xe9t\xe9", "CAF\xc3\x89\xc2\xbb\n\xc3\xa9t\xc3\xa9"},
        /* UTF-8 with a bad byte here and there */
        {"utf-8", "\xc5\xbelu\xc5\xa5\n\xc3\xa9t\xe9\n", "\xc5\xbelu\xc5\xa5\n\xc3\xa9t\xc3\xa9\n"},
        /* more than a letter a line, less than what is not */
        {"utf-8", "\xe9 \xe8 \xe7 \xe0\n\xc5\xbelu\xc5\xa5ou\xc4\x8d\n",
         "\xc3\xa9 \xc3\xa8 \xc3\xa7 \xc3\xa0\n\xc5\xbelu\xc5\xa5ou\xc4\x8d\n"},
    };

    (void) state;
    assert_read (rows, G_N_ELEMENTS (rows));
}

/* Long texts without a label are recognised; English ones with nothing but curly quotes are not
 * taken for Polish. */
static void
test_guess (void **state)
{
    static const struct row {
        const char *set, *text;
    } rows[] = {
        {"WINDOWS-1251",
         "\xd0\x9f\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82, \xd0\xba\xd0\xb0\xd0\xba "
         "\xd0\xb4\xd0\xb5\xd0\xbb\xd0\xb0 \xd1\x83 \xd0\xb2\xd0\xb0\xd1\x81 "
         "\xd1\x81\xd0\xb5\xd0\xb3\xd0\xbe\xd0\xb4\xd0\xbd\xd1\x8f"},
        {"KOI8-R", "\xd0\x9f\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82, \xd0\xba\xd0\xb0\xd0\xba "
                   "\xd0\xb4\xd0\xb5\xd0\xbb\xd0\xb0 \xd1\x83 \xd0\xb2\xd0\xb0\xd1\x81 "
                   "\xd1\x81\xd0\xb5\xd0\xb3\xd0\xbe\xd0\xb4\xd0\xbd\xd1\x8f"},
        {"SHIFT_JIS", "\xe3\x81\x93\xe3\x82\x93\xe3\x81\xab\xe3\x81\xa1\xe3\x81\xaf\xe3\x80\x81"
                      "\xe4\xb8\x96\xe7\x95\x8c\xe3\x80\x82\xe3\x81\x8a\xe5\x85\x83\xe6\xb0\x97"
                      "\xe3\x81\xa7\xe3\x81\x99\xe3\x81\x8b"},
        {"WINDOWS-1252",
         "It\xe2\x80\x99s \xe2\x80\x9cone\xe2\x80\x9d, isn\xe2\x80\x99t it? I\xe2\x80"
         "\x99m \xe2\x80\x93 we\xe2\x80\x99re \xe2\x80\x9ctwo\xe2\x80\x9d, they\xe2"
         "\x80\x99re \xe2\x80\x9cthree\xe2\x80\x9d, don\xe2\x80\x99t \xe2\x80\x9c"
         "four\xe2\x80\x9d."},
    };
    void *ctx = talloc_new (NULL);

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        gsize length;
        gchar *bytes = g_convert (rows[i].text, -1, rows[i].set, "UTF-8", NULL, &length, NULL);
        size_t n;

        assert_non_null (bytes);
        assert_string_equal (charset_to_utf8 (ctx, bytes, length, NULL, &n), rows[i].text);
        g_free (bytes);
    }
    talloc_free (ctx);
}

/* Any bytes under any label: valid text. */
static void
test_any_bytes (void **state)
{
    static const char *const labels[] = {
        NULL,          "utf-8",  "iso-8859-1", "iso-8859-8", "windows-1255", "gb2312", "big5",
        "iso-2022-jp", "utf-16", "utf-7",      "hz-gb-2312", "euc-jp",       "cp037",  "utf-32",
    };
    void *ctx = talloc_new (NULL);
    char bytes[4096];
    uint32_t seed = 1;

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (labels); i++)
        for (int round = 0; round < 50; round++) {
            size_t length = (seed >> 8) % sizeof (bytes), n;
            char *text;

            for (size_t k = 0; k < length; k++)
                bytes[k] =
                    (char) ((seed = seed * 1664525 + 1013904223) >> 24 & (round % 2 ? 0x7f : 0xff));
            text = charset_to_utf8 (ctx, bytes, length, labels[i], &n);
            assert_true (g_utf8_validate (text, (gssize) n, NULL));
            assert_int_equal (strlen (text), n);
            talloc_free (text);
        }
    talloc_free (ctx);
}

/* ---- transfer encodings ---- */

static void
test_transfer (void **state)
{
    static const struct row {
        const char *encoding, *body, *text;
    } rows[] = {
        {"7bit", "a\n", "a\n"},
        {"8bit;", "caf\xc3\xa9\n", "caf\xc3\xa9\n"},
        {"x-unknown", "a=20b\n", "a=20b\n"},
        {"", "a\n", "a\n"},
        {"\"base64\"", "aGVsbG8=\n", "hello"},
        {"(not 7bit) base64(x)", "aGVsbG8=\n", "hello"},
        {"(", "a\n", "a\n"},
        {"base64", "aGVsbG8=\n", "hello"},
        {"BASE64", "aGVs\nbG8=\n", "hello"},
        {"base64", "aGVsbG8\n", "hello"},  /* no padding */
        {"base64", "aGV-s*bG8=", "hello"}, /* rubbish between */
        {"base64", "aGVsbG8=aGVsbG8=", "hellohello"},
        {"base64", "", ""},
        {"base64", "!", ""},
        {"quoted-printable", "caf=C3=A9=\nx\n", "caf\xc3\xa9x\n"},
        {"Quoted-Printable", "a=ZZ=4 b=", "a=ZZ=4 b"},
        {"quoted-printable", "a=\r\nb\r\n", "ab\n"},
        {"quoted-printable", "a= \t\r\nb = c=\n \nd=  ", "ab = c \nd"},
        {"quoted-printable", "==3D=3=3D=c3=A9=", "==3D=3=\xc3\xa9"},
        {"quoted-printable", "===\n==\n=\n====", "===\n==\n===="},
        {"x-uuencode", "begin 644 x\n%:&5L;&\\`\n`\nend\n", "hello"},
    };

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++)
        for (int in_file = 0; in_file < 2; in_file++) {
            void *ctx = talloc_new (NULL);
            char *mail = talloc_asprintf (ctx,
                                          "From: a@b\nContent-Type: text/plain; charset=utf-8\n"
                                          "Content-Transfer-Encoding: %s\n\n%s",
                                          rows[i].encoding, rows[i].body);
            struct mime_message *message = NULL;
            size_t length;
            char *text;

            assert_int_equal (parse_bytes (ctx, mail, strlen (mail), in_file, &message, NULL),
                              MAIL_OK);
            assert_int_equal (
                mime_part_text (ctx, message, mime_parts (message, NULL), SIZE_MAX, &text, &length),
                MAIL_OK);
            if (strcmp (text, rows[i].text) != 0)
                fail_msg ("row %zu: '%s'", i, text);
            talloc_free (ctx);
        }
}

/* The good part of a base64 text is found, whatever follows it. */
/* Cut into two pieces anywhere it is the same. */
static void
test_quoted (void **state)
{
    static const char text[] = "a=\r\nb= \t\nc=3D=3=\r=C3=A9 =  x=\n=\n=E9==\n=== \ny=4=  ";
    char whole[sizeof (text) + 2 * MIME_QUOTED_HELD], pieces[sizeof (whole)];
    struct mime_quoted quoted = {.count = 0};
    size_t length = sizeof (text) - 1, n, m;

    (void) state;
    n = mime_quoted_step (&quoted, text, length, whole);
    n += mime_quoted_end (&quoted, whole + n);
    whole[n] = '\0';
    assert_string_equal (whole, "abc==3=\r\xc3\xa9 =  x\xe9==\n=== \ny=4");
    for (size_t cut = 0; cut <= length; cut++) {
        quoted = (struct mime_quoted){.count = 0};
        m = mime_quoted_step (&quoted, text, cut, pieces);
        m += mime_quoted_step (&quoted, text + cut, length - cut, pieces + m);
        m += mime_quoted_end (&quoted, pieces + m);
        assert_int_equal (m, n);
        assert_memory_equal (pieces, whole, n);
    }
}

static void
test_broken_base64 (void **state)
{
    void *ctx = talloc_new (NULL);
    struct mime_message *message = parse_mail (
        ctx, "From: a@b\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: "
             "base64\n\nYmFzZXNpeHR5Zm91cjQyIG5vIHBhZGRpbmc\n!!trailing rubbish!!\n");

    (void) state;
    assert_true (g_str_has_prefix (words_of (ctx, message, 1), "basesixtyfour42 no padding"));
    talloc_free (ctx);
}

/* ---- text ---- */

static void
test_text (void **state)
{
    static const struct row {
        const char *header, *body;
        size_t limit;
        const char *text; /* NULL: not a text */
    } rows[] = {
        {"", "a\r\nb\r\n", SIZE_MAX, "a\nb\n"},
        {"", "a\rb\n", SIZE_MAX, "a\rb\n"},
        {"", "a\r\r\nb", SIZE_MAX, "a\r\nb"},
        {"", "", SIZE_MAX, ""},
        {"", "abc", 2, "ab"},
        {"", "abc", 0, ""},
        {"", "a\xc3\xa9", 2, "a"},
        {"", "a\xe2\x82\xac", 3, "a"},
        {"", "a\xe2\x82\xac", 4, "a\xe2\x82\xac"},
        {"Content-Type: text/html\n", "<b>x</b>", SIZE_MAX, "<b>x</b>"},
        {"Content-Type: text/html\n", "<meta charset=koi8-r>\xf0\xd2\xc9", SIZE_MAX,
         "<meta charset=koi8-r>\xd0\x9f\xd1\x80\xd0\xb8"},
        {"Content-Type: text/html\n", "<meta content='text/html; charset=\"koi8-r\"'>\xf0\xd2\xc9",
         SIZE_MAX, "<meta content='text/html; charset=\"koi8-r\"'>\xd0\x9f\xd1\x80\xd0\xb8"},
        {"Content-Type: text/html; charset=utf-8\n", "<meta charset=koi8-r>\xc3\xa9", SIZE_MAX,
         "<meta charset=koi8-r>\xc3\xa9"},
        {"Content-Type: image/png\n", "x", SIZE_MAX, NULL},
        {MIXED, "--b\n\nx\n--b--\n", SIZE_MAX, NULL},
    };

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        void *ctx = talloc_new (NULL);
        struct mime_message *message =
            parse_body (ctx, rows[i].header, rows[i].body, strlen (rows[i].body));
        size_t length = 0;
        char *text = NULL;
        enum mail_status status = mime_part_text (ctx, message, mime_parts (message, NULL),
                                                  rows[i].limit, &text, &length);

        assert_int_equal (status, rows[i].text != NULL ? MAIL_OK : MAIL_ERROR_ARGUMENT);
        if (g_strcmp0 (text, rows[i].text) != 0)
            fail_msg ("row %zu: '%s'", i, text);
        assert_int_equal (length, text != NULL ? strlen (text) : 0);
        talloc_free (ctx);
    }
}

/* A file whose only line ends are CR. */
/* CR as line end: everywhere; with a LF at the end; in the header only; by a large file's
 * beginning. Not where a CR stands in a line, nor where CRLF has become CRCRLF. */
static void
test_cr_only (void **state)
{
    static const struct row {
        const char *mail, *subject, *words;
    } rows[] = {
        {"From: a@b\rSubject: one\r two\rContent-Type: text/plain\r\rline\rline\r", "one two",
         "line\nline\n"},
        {"From: a@b\rSubject: one\r\rline\rline\n", "one", "line\nline\n"},
        {"From: a@b\rSubject: one\r\rline\r\nline\nline", "one", "line\nline\nline"},
        {"From: a@b\rSubject: one", "one", ""},
        {"From: a@b\r c\nSubject: one\r\rtwo\n\nline\rline\n", "one  two", "line\rline\n"},
        {"From: a@b\r\r\nSubject: one\r\r\n\r\r\nline\n", "one", "line\n"},
    };

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++)
        for (int in_file = 0; in_file < 2; in_file++) {
            void *ctx = talloc_new (NULL);
            struct mime_message *message = NULL;

            assert_int_equal (
                parse_bytes (ctx, rows[i].mail, strlen (rows[i].mail), in_file, &message, NULL),
                MAIL_OK);
            assert_string_equal (mime_header_raw (message, "Subject", 0), rows[i].subject);
            assert_string_equal (words_of (ctx, message, 1), rows[i].words);
            talloc_free (ctx);
        }
}

/* ---- words ---- */

#define UU_LINE "M5&AI<R!T97AT(&ES(&UA9&4@;VYL>2!F;W(@=&AI<R!T97-T+B!);B!I=\"!N\n"
#define ARMOUR \
    "Version: GnuPG " \
    "v1\n\niQEcBAEBAgAGBQJTPS4AAAoJEJu3bq7hQKYtJ9sH/3AbyXkQ3yC1ZkQJ1ZbZ0p4a\n=abcd\n"

static void
test_words (void **state)
{
    static const struct row {
        const char *header, *body, *words;
    } rows[] = {
        {"", "a\n", "a\n"},
        {"Content-Type: text/html\n", "<p>caf&eacute;</p>", "caf\xc3\xa9\n"},
        {"Content-Type: image/png\n", "x\n", ""},
        {"Content-Type: application/octet-stream\n", "x\n", ""},
        {"Content-Type: message/delivery-status\n", "Status: 5.1.1\n", "Status: 5.1.1\n"},
        {"Content-Disposition: attachment\n", "x\n", "x\n"}, /* the caller decides */
        {"Content-Type: text/calendar\n", "SUMMARY:x\n", "SUMMARY:x\n"},
        /* uuencode */
        {"", "before\nbegin 644 a.bin\n" UU_LINE "#8V%T\n`\nend\nafter\n",
         "before\nbegin 644 a.bin\nend\nafter\n"},
        {"", "begin 0644 a\n" UU_LINE "end\n", "begin 0644 a\nend\n"},
        {"", "begin 644 a\n" UU_LINE, "begin 644 a\n"},
        {"", "begin 644 a\n" UU_LINE "\nend\n", "begin 644 a\nend\n"},
        {"", "begin 644 a\n" UU_LINE "words come next\n", "begin 644 a\nwords come next\n"},
        {"", "begin 644 of these jobs and you will see\nM is a letter\n",
         "begin 644 of these jobs and you will see\nM is a letter\n"},
        {"", "begin 644 a\n", "begin 644 a\n"},
        {"", "begin 644 a\nM IS A LETTER\n", "begin 644 a\nM IS A LETTER\n"},
        {"", "begin 644 \n" UU_LINE, "begin 644 \n" UU_LINE},
        {"", " begin 644 a\n" UU_LINE, " begin 644 a\n" UU_LINE},
        {"", UU_LINE, UU_LINE},
        {"", "begin 644 a\n" UU_LINE "end\nbegin 644 b\n" UU_LINE "end\nx",
         "begin 644 a\nend\nbegin 644 b\nend\nx"},
        /* PGP */
        {"",
         "a\n-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\ntext\n"
         "-----BEGIN PGP SIGNATURE-----\n" ARMOUR "-----END PGP SIGNATURE-----\nb\n",
         "a\n-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\ntext\nb\n"},
        {"", "-----BEGIN PGP MESSAGE-----\n" ARMOUR "-----END PGP MESSAGE-----\n", ""},
        {"", "-----BEGIN PGP MESSAGE, PART 1/2-----\n" ARMOUR "-----END PGP MESSAGE, PART 1/2-----",
         ""},
        {"",
         "-----BEGIN PGP PUBLIC KEY BLOCK-----\n" ARMOUR "-----END PGP PUBLIC KEY BLOCK-----\nx",
         "x"},
        {"",
         "> -----BEGIN PGP SIGNATURE-----\n> iQEc\n> =abcd\n> -----END PGP SIGNATURE-----\n> x\n",
         "> x\n"},
        {"", "- -----BEGIN PGP SIGNATURE-----\niQEc\n- -----END PGP SIGNATURE-----\nx", "x"},
        {"", "-----BEGIN PGP SIGNATURE-----\n" ARMOUR "never ended, words\n",
         "never ended, words\n"},
        {"", "the line -----BEGIN PGP MESSAGE----- is\nx\n",
         "the line -----BEGIN PGP MESSAGE----- is\nx\n"},
        {"", "-----BEGIN PGP OTHER-----\nx\n", "-----BEGIN PGP OTHER-----\nx\n"},
        /* format=flowed */
        {"Content-Type: text/plain; format=flowed; delsp=yes\n", "wo \nrd\n> quo \n> ted\nlast \n",
         "word\n> quoted\nlast"},
        {"Content-Type: text/plain; format=flowed; delsp=yes\n", "a\n-- \nsig \n", "a\n-- \nsig"},
        {"Content-Type: text/plain; format=flowed\n", "wo \nrd\n", "wo \nrd\n"},
    };

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        void *ctx = talloc_new (NULL);
        struct mime_message *message =
            parse_body (ctx, rows[i].header, rows[i].body, strlen (rows[i].body));
        char *words = words_of (ctx, message, 1);

        if (strcmp (words, rows[i].words) != 0)
            fail_msg ("row %zu: '%s'", i, words);
        talloc_free (ctx);
    }
}

/* Marks that lead nowhere, many of them: linear time. */
static void
test_many_marks (void **state)
{
    static const char *const pieces[] = {"begin 644 a\n",
                                         "begin 644 a\n#8V%T\n",
                                         "-----BEGIN PGP MESSAGE-----\n",
                                         "-----BEGIN PGP MESSAGE-----\nx y\n",
                                         "\r\n",
                                         "\r",
                                         "> "};

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (pieces); i++) {
        void *ctx = talloc_new (NULL);
        GString *body = g_string_new (NULL);

        while (body->len < 3000000)
            g_string_append (body, pieces[i]);
        words_of (ctx, parse_body (ctx, "", body->str, body->len), 1);
        g_string_free (body, TRUE);
        talloc_free (ctx);
    }
}

/* A limit bounds the work on a large part. */
static void
test_limit (void **state)
{
    void *ctx = talloc_new (NULL);
    size_t size = (size_t) 8 << 20, length;
    char *body = malloc (size), *text;
    struct mime_message *message = NULL;

    (void) state;
    memset (body, 'x', size);
    memcpy (body, "From: a@b\n\n", 11);
    assert_int_equal (parse_bytes (ctx, body, size, true, &message, NULL), MAIL_OK);
    mime_part_words (ctx, message, mime_parts (message, NULL), 1000, &text, &length);
    assert_int_equal (length, 1000);
    assert_in_range (talloc_total_size (ctx), 0, (size_t) 1 << 20);
    free (body);
    talloc_free (ctx);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_charsets),      cmocka_unit_test (test_nul),
        cmocka_unit_test (test_mixed),         cmocka_unit_test (test_guess),
        cmocka_unit_test (test_any_bytes),     cmocka_unit_test (test_transfer),
        cmocka_unit_test (test_broken_base64), cmocka_unit_test (test_quoted),
        cmocka_unit_test (test_text),          cmocka_unit_test (test_cr_only),
        cmocka_unit_test (test_words),         cmocka_unit_test (test_many_marks),
        cmocka_unit_test (test_limit),
    };

    return cmocka_run_group_tests_name ("mime text", tests, NULL, NULL);
}
