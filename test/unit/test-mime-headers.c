/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-mime-headers.c - what is mail, header blocks sound and damaged, ids, references, dates. */
#include "mime-mail.h"
#include "schema.h"

/* ---- raw letters ---- */

/* They are in the character set of the text. */
static void
test_raw_letters (void **state)
{
    static const struct row {
        const char *mail, *subject;
    } rows[] = {
        {"Subject: \xf0\xd2\xc9\nContent-Type: text/plain; charset=koi8-r\n\nx\n",
         "\xd0\x9f\xd1\x80\xd0\xb8"},
        {"Subject: \xe9\nContent-Type: text/plain; charset=utf-8\n\nx\n", "\xc3\xa9"},
        {"Subject: \xc5\xbelu\xc5\xa5 \xe9\nContent-Type: text/plain; charset=koi8-r\n\nx\n",
         "\xc5\xbelu\xc5\xa5 \xc3\xa9"},
        {"Subject: \xe9\nContent-Type: text/plain; charset=x-unknown\n\nx\n", "\xc3\xa9"},
        {"Subject: \xd0\x9f\nContent-Type: text/plain; charset=koi8-r\n\nx\n", "\xd0\x9f"},
        {"Subject: \x95\x5c\x8e\xa6\nContent-Type: text/plain; charset=shift_jis\n\nx\n",
         "\xe8\xa1\xa8\xe7\xa4\xba"},
        {"Subject: \033$BF|K\\\033(B\n\nx\n", "\xe6\x97\xa5\xe6\x9c\xac"},
        {"Subject: a \033[1m\n\nx\n", "a \033[1m"},
        /* an encoded word beside them; the first text that says so; the lines of a wide set */
        {"Subject: =?utf-8?Q?=C3=A9?= \xf0\nContent-Type: text/plain; charset=koi8-r\n\nx\n",
         "\xc3\xa9 \xd0\x9f"},
        {"Subject: \xf0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b\n"
         "Content-Type: text/html; charset=koi8-r\n\nx\n--b--\n",
         "\xd0\x9f"},
        {"Subject: \377\376a\n\nx\n", "\xc3\xbf\xc3\xbe"
                                      "a"},
    };

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        void *ctx = talloc_new (NULL);
        struct mime_message *message = parse_mail (ctx, rows[i].mail);
        char *subject = mime_decode_text (ctx, mime_header_raw (message, "subject", 0));

        if (strcmp (subject, rows[i].subject) != 0)
            fail_msg ("row %zu: '%s'", i, subject);
        talloc_free (ctx);
    }
}

/* A value that grows over the limit is cut at a character; inner messages have a set of their own.
 */
static void
test_raw_long_and_inner (void **state)
{
    void *ctx = talloc_new (NULL);
    char *mail = talloc_array (ctx, char, HEADER_MAX + 100);
    struct mime_message *message;
    enum mail_reason reason;
    const char *raw;

    (void) state;
    memset (mail, 0xe9, HEADER_MAX + 100);
    memcpy (mail, "Subject: ", 9);
    strcpy (mail + HEADER_MAX, "\nFrom: a@b\n\n");
    message = parse_mail (ctx, mail);
    raw = mime_header_raw (message, "subject", 0);
    assert_true (g_utf8_validate (raw, -1, NULL));
    assert_in_range (strlen (raw), HEADER_MAX - 4, HEADER_MAX);
    assert_true (mime_message_limit (message, &reason));
    message = parse_mail (ctx, "From: a@b\nContent-Type: multipart/mixed; boundary=b\n\n--b\n"
                               "Content-Type: text/plain; charset=iso-8859-1\n\nx\n--b\n"
                               "Content-Type: message/rfc822\n\nSubject: \xf0\n"
                               "Content-Type: text/plain; charset=koi8-r\n\nx\n--b--\n");
    assert_string_equal (mime_part_header (message, mime_parts (message, NULL) + 2, "Subject"),
                         "\xd0\x9f");
    talloc_free (ctx);
}

/* ---- what is mail ---- */

static void
test_not_mail (void **state)
{
    static const char *const files[] = {
        "",
        "\n",
        "\r\n",
        "\n\nFrom: a@b\n",
        "hello\nFrom: a@b\n\nx\n",
        " folded\nFrom: a@b\n\nx\n",
        "Date: today\nMessage-ID: <x@y>\n\nx\n",
        "Subject: \nFrom:\t\nTo:\n\nx\n",
        "\x1f\x8b\x08",
    };

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (files); i++)
        for (int in_file = 0; in_file < 2; in_file++) {
            void *ctx = talloc_new (NULL);
            struct mime_message *message = NULL;
            char *error = NULL;

            if (parse_bytes (ctx, files[i], strlen (files[i]), in_file, &message, &error) !=
                    MAIL_ERROR_NOT_MAIL ||
                message != NULL)
                fail_msg ("taken for mail: '%s'", files[i]);
            assert_non_null (error);
            talloc_free (ctx);
        }
}

static void
test_is_mail (void **state)
{
    static const char *const files[] = {
        "From: a@b",
        "From: a@b\n",
        "Subject: x\r\n\r\nbody",
        "To: a\n\n",
        "subject:x\n\n",
        "Subject:\nSubject: second\n\n",
        "From ann@example.org  Tue Mar  5 10:20:30 2024\nFrom: a@b\n\nx\n",
        ">From ann@example.org Tue Mar  5 10:20:30 2024\nFrom: a@b\n\nx\n",
        "\xef\xbb\xbf"
        "From: a@b\n\nx\n",
        "\xef\xbb\xbf"
        "From ann@example.org\nFrom: a@b\n\nx\n",
        "From ann@example.org\n\xef\xbb\xbf"
        "From: a@b\n\nx\n",
        "\xef\xbb\xbf\xef\xbb\xbf"
        "From: a@b\n\nx\n",
        "\xef\xbb\xbf"
        "From ann@example.org\rFrom: a@b\r\rx\r",
    };

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (files); i++)
        for (int in_file = 0; in_file < 2; in_file++) {
            void *ctx = talloc_new (NULL);
            struct mime_message *message = NULL;
            char *error = NULL;

            if (parse_bytes (ctx, files[i], strlen (files[i]), in_file, &message, &error) !=
                MAIL_OK)
                fail_msg ("'%s' not taken for mail: %s", files[i], error);
            talloc_free (ctx);
        }
}

/* One message in mbox format is mail, several are not; lines that look like a separator in a letter
 * are no separator. */
static void
test_mailbox (void **state)
{
    static const struct row {
        const char *rest;
        enum mail_status status;
    } rows[] = {
        {"body\n", MAIL_OK},
        {"body\n\n", MAIL_OK},
        {"body\n\n>From x@y Tue Mar  5 10:20:30 2024\nTo: z\n", MAIL_OK},
        {"body\n\nFrom here on it goes down\nand: down\n", MAIL_OK},
        {"body\nFrom x@y Tue Mar  5 10:20:30 2024\nTo: z\n", MAIL_OK},
        {"body\n\nFrom x@y Tue Mar  5 10:20:30 2024\nTo: z\n\nbody\n", MAIL_ERROR_NOT_MAIL},
        {"body\r\n\r\nFrom x@y Tue Mar  5 10:20:30 2024\r\nTo: z\r\n", MAIL_ERROR_NOT_MAIL},
    };

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++)
        for (int in_file = 0; in_file < 2; in_file++) {
            void *ctx = talloc_new (NULL);
            struct mime_message *message = NULL;
            char *mail = talloc_asprintf (
                ctx, "From a@b  Tue Mar  5 10:20:30 2024\nFrom: a@b\n\n%s", rows[i].rest);

            if (parse_bytes (ctx, mail, strlen (mail), in_file, &message, NULL) != rows[i].status)
                fail_msg ("wrong status: '%s'", rows[i].rest);
            talloc_free (ctx);
        }
}

/* A separator is found wherever the windows of a large file end. */
static void
test_mailbox_windows (void **state)
{
    static const char head[] = "From a@b  Tue Mar  5 10:20:30 2024\nFrom: a@b\n\n";
    static const char next[] = "\n\nFrom x@y Tue Mar  5 10:20:30 2024\nTo: z\n";
    size_t window = (size_t) 1 << 20;
    char *mail = malloc (window + 4096);

    (void) state;
    for (size_t at = window - 100; at < window + 100; at += 7) {
        void *ctx = talloc_new (NULL);
        struct mime_message *message = NULL;

        memset (mail, 'x', window + 4096);
        memcpy (mail, head, strlen (head));
        memcpy (mail + at, next, strlen (next));
        assert_int_equal (parse_bytes (ctx, mail, window + 4096, true, &message, NULL),
                          MAIL_ERROR_NOT_MAIL);
        talloc_free (ctx);
    }
    free (mail);
}

static void
test_not_a_file (void **state)
{
    int ends[2];
    struct mime_message *message = NULL;
    char *error = NULL;

    (void) state;
    assert_int_equal (pipe (ends), 0);
    assert_int_equal (mime_message_parse (NULL, ends[0], &message, &error), MAIL_ERROR_IO);
    assert_string_equal (error, "cannot read: not a regular file");
    talloc_free (error);
    close (ends[0]);
    close (ends[1]);
    assert_int_equal (mime_message_parse (NULL, ends[0], &message, NULL), MAIL_ERROR_IO);
}

/* ---- header fields ---- */

/* Fields of a block as "name=value|". */
static char *
fields_of (void *ctx, const char *block, size_t length)
{
    char *exact = malloc (length), *text = talloc_strdup (ctx, "");
    struct mime_headers *headers;

    memcpy (exact, block, length);
    headers = mime_headers_begin (exact, length) ? mime_headers_parse (ctx, exact, length) : NULL;
    for (size_t i = 0; headers != NULL && i < headers->count; i++)
        text = talloc_asprintf_append (text, "%s=%s|", headers->fields[i].name,
                                       headers->fields[i].value);
    if (headers != NULL)
        text = talloc_asprintf_append (text, "%zu", headers->body);
    free (exact);
    return text;
}

static void
test_blocks (void **state)
{
    static const struct row {
        const char *block, *fields;
        size_t length; /* 0: strlen */
    } rows[] = {
        {"A: b", "A=b|4", 0},
        {"A:", "A=|2", 0},
        {"A:b\n\nbody", "A=b|5", 0},
        {"A: b\r\n\r\nbody", "A=b|8", 0},
        {"B: 1\nA: 2\nb: 3\n", "A=2|B=1|b=3|15", 0},
        {"A: one\n two\n\tthree\n", "A=one two\tthree|19", 0},
        {"A: one\r\n two\r\n", "A=one two|14", 0},
        {"A: one\n \n\n", "A=one|10", 0},
        {"A : b\nC\t: d\n", "A=b|C=d|12", 0},
        {"A:  b  \n", "A=b|8", 0},
        {"A: b\nthis line is no header\nC: d\n", "A=b|C=d|33", 0},
        {"A: b\nno header\n folded too\nC: d\n", "A=b|C=d|32", 0},
        {"A: b\n: x\nC: d\n", "A=b|C=d|14", 0},
        /* what is behind the last field is body; a line of blanks before no field ends the header
         */
        {"A: b\nHello\nthere", "A=b|5", 0},
        {"A: b\nno header\nC: d\nHello\n", "A=b|C=d|20", 0},
        {"A: b\n \t\nHello\n", "A=b|8", 0},
        {"A: b\r\n \r\nHello: no\r\n", "A=b|Hello=no|20", 0},
        {"A: b\n \n c\nD: e\n", "A=b  c|D=e|15", 0},
        {"A: b\n ", "A=b|6", 0},
        {"A: b\r\r\nC: d\r\r\n\r\r\nbody", "A=b|C=d|17", 0},
        {"A: b\n>From x\nC: d\n", "A=b|C=d|18", 0},
        {"A: b\rc\n", "A=b c|7", 0},
        {"A: b\0c\n", "A=b c|7", 7},
        {"A: \0b\0\n", "A=b|7", 7},
        {"A: b\nB\0: x\nC: d\n", "A=b|C=d|16", 16},
        {"A: \xff\xfe\n", "A=\xff\xfe|6", 0},
        {"\xc4: x\nA: b\n", "A=b|\xc4=x|10", 0},
        {"no colon\nA: b\n", "", 0},
        {" folded\nA: b\n", "", 0},
        {": b\n", "", 0},
        {"\n", "", 0},
        {"", "", 0},
    };
    void *ctx = talloc_new (NULL);

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        size_t length = rows[i].length > 0 ? rows[i].length : strlen (rows[i].block);
        char *fields = fields_of (ctx, rows[i].block, length);

        if (strcmp (fields, rows[i].fields) != 0)
            fail_msg ("row %zu '%s': %s", i, rows[i].block, fields);
    }
    talloc_free (ctx);
}

static void
test_raw (void **state)
{
    void *ctx = talloc_new (NULL);
    struct mime_message *message =
        parse_mail (ctx, "From: one@x\nSubject: s\nFrom: two@x\nFROM: three@x\n\nbody\n");

    (void) state;
    assert_string_equal (mime_header_raw (message, "From", 0), "one@x");
    assert_string_equal (mime_header_raw (message, "from", 1), "two@x");
    assert_string_equal (mime_header_raw (message, "FROM", 2), "three@x");
    assert_null (mime_header_raw (message, "From", 3));
    assert_null (mime_header_raw (message, "Fro", 0));
    assert_null (mime_header_raw (message, "Froma", 0));
    assert_null (mime_header_raw (message, "Zzz", 0));
    talloc_free (ctx);
}

/* A hundred thousand fields, all of which are asked for; a value over the limit. */
static void
test_many_fields (void **state)
{
    void *ctx = talloc_new (NULL);
    GString *mail = g_string_new ("From: a@b\n");
    struct mime_message *message = NULL;
    char *longest = g_strnfill (HEADER_MAX + 10, 'x');
    unsigned n = 0;

    (void) state;
    for (int i = 0; i < 100000; i++)
        g_string_append_printf (mail, "To: user%d@example.org\n", i);
    g_string_append_printf (mail, "Subject: %s\n\nbody\n", longest);
    assert_int_equal (parse_bytes (ctx, mail->str, mail->len, true, &message, NULL), MAIL_OK);
    while (mime_header_raw (message, "To", n) != NULL)
        n++;
    assert_int_equal (n, 100000);
    assert_string_equal (mime_header_raw (message, "to", 99999), "user99999@example.org");
    assert_int_equal (strlen (mime_header_raw (message, "subject", 0)), HEADER_MAX);
    assert_string_equal (words_of (ctx, message, 1), "body\n");
    g_string_free (mail, TRUE);
    g_free (longest);
    talloc_free (ctx);
}

/* ---- ids ---- */

static void
test_message_id (void **state)
{
    static const struct row {
        const char *header, *id; /* id NULL: from the file's checksum */
    } rows[] = {
        {"<a@b>", "a@b"},
        {"  <a@b>  ", "a@b"},
        {"a@b", "a@b"},
        {"plain id here", "plain id here"},
        {"<a b@c>", "ab@c"},
        {"<a  b@c>", "a b@c"},
        {"< a@b >", "a@b"},
        {"<un@x", "un@x"},
        {"<a<b>c@x>", "a<b"},
        {"<<a@b>>", "<a@b"},
        {"<x@y> <z@y>", "x@y"},
        {"(comment) <cc@x> junk", "cc@x"},
        {"(<no@x>) <yes@x>", "yes@x"},
        {"((n)<no@x>)<yes@x>", "yes@x"},
        {"(a\\) <no@x>) <yes@x>", "yes@x"},
        {"(open <a@b>", "(open <a@b>"},
        {"\"<q@x>\"", "q@x"},
        {"<\"quoted\"@example.org>", "\"quoted\"@example.org"},
        {"<!&!AAAA+k/=@example.org>", "!&!AAAA+k/=@example.org"},
        {"<back\\slash@example.org>", "back\\slash@example.org"},
        {"<UPPER@Example.ORG>", "UPPER@Example.ORG"},
        {"=?utf-8?q?=3Cenc@x=3E?=", "enc@x"},
        {"<raw\xe8\xf1@x>", "raw\xc3\xa8\xc3\xb1@x"},
        {">rev@x<", ">rev@x<"},
        {"", NULL},
        {"   ", NULL},
        {"<>", NULL},
        {"< >", NULL},
        {"<", NULL},
        {"<first@x>\nMessage-ID: <last@x>", "first@x"},
    };

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        void *ctx = talloc_new (NULL);
        char *mail = talloc_asprintf (ctx, "From: a@b\nMessage-ID: %s\n\nx\n", rows[i].header);
        struct mime_message *message = parse_mail (ctx, mail);
        char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA1, mail, -1);
        char *made = talloc_asprintf (ctx, "notmuch-sha1-%s", sum);

        if (strcmp (mime_message_id (message), rows[i].id != NULL ? rows[i].id : made) != 0)
            fail_msg ("'%s': %s", rows[i].header, mime_message_id (message));
        g_free (sum);
        talloc_free (ctx);
    }
}

/* The checksum is that of the file as it is on the disk, whatever is mended for the parser. */
static void
test_checksum_id (void **state)
{
    static const char *const mails[] = {"From: a@b\n\nx\n",
                                        "\xef\xbb\xbf"
                                        "From: a@b\n\nx\n",
                                        "From: a@b\r\rx\r",
                                        "From x\nFrom: a@b\nContent-Type: text/plain\n\nx\n"};

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (mails); i++) {
        void *ctx = talloc_new (NULL);
        struct mime_message *message = parse_mail (ctx, mails[i]);
        char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA1, mails[i], -1);

        assert_string_equal (mime_message_id (message) + strlen ("notmuch-sha1-"), sum);
        g_free (sum);
        talloc_free (ctx);
    }
}

static void
test_references (void **state)
{
    static const struct row {
        const char *references, *in_reply_to, *list, *parent;
    } rows[] = {
        {NULL, NULL, "", NULL},
        {"", "", "", NULL},
        {"<p1@x>", NULL, "p1@x ", "p1@x"},
        {NULL, "<p1@x>", "p1@x ", "p1@x"},
        {"<p1@x> <p2@x>", "<p3@x>", "p1@x p2@x p3@x ", "p3@x"},
        {"<p1@x> <p2@x>", "<p1@x>", "p1@x p2@x ", "p1@x"},
        {"<p1@x>\t<p2@x>", "text <p3@x>", "p1@x p2@x p3@x ", "p2@x"},
        {"<p1@x>", "<p3@x> (c)", "p1@x p3@x ", "p1@x"},
        {"<p1@x>", "<p3@x> <p4@x>", "p1@x p3@x p4@x ", "p1@x"},
        {NULL, "<p3@x> <p4@x>", "p3@x p4@x ", "p4@x"},
        {NULL, "Message of <a@b> about <p@x>", "a@b p@x ", "p@x"},
        {"<p1@x>", "<own@x>", "p1@x ", "p1@x"},
        {"<own@x>", "<own@x>", "", NULL},
        {"<p1@x> <own@x>", NULL, "p1@x ", "p1@x"},
        {"<p1@x> <p2@x> <p1@x>", NULL, "p1@x p2@x ", "p1@x"},
        {"p1@x p2@x", "p3@x", "", NULL},
        {"<p1@x><p2@x>", NULL, "p1@x p2@x ", "p2@x"},
        {"<p 1@x> <p2@x", NULL, "p1@x p2@x ", "p2@x"},
        {"<> <p1@x> <>", "<>", "p1@x ", "p1@x"},
        {NULL, "=?utf-8?q?=3C9a=2Egit?=\n =?utf-8?q?=40x=3E?=", "9a.git@x ", "9a.git@x"},
    };

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        void *ctx = talloc_new (NULL);
        char *mail = talloc_strdup (ctx, "From: a@b\nMessage-ID: <own@x>\n"), *list;
        struct mime_message *message;
        const char *const *ids;
        const char *parent;

        if (rows[i].references != NULL)
            mail = talloc_asprintf_append (mail, "References: %s\n", rows[i].references);
        if (rows[i].in_reply_to != NULL)
            mail = talloc_asprintf_append (mail, "In-Reply-To: %s\n", rows[i].in_reply_to);
        message = parse_mail (ctx, mail);
        list = talloc_strdup (ctx, "");
        for (ids = mime_message_references (message, NULL); *ids != NULL; ids++)
            list = talloc_asprintf_append (list, "%s ", *ids);
        parent = mime_message_parent (message);
        if (strcmp (list, rows[i].list) != 0 || g_strcmp0 (parent, rows[i].parent) != 0)
            fail_msg ("row %zu: '%s', parent %s", i, list, parent != NULL ? parent : "none");
        talloc_free (ctx);
    }
}

static void
test_many_references (void **state)
{
    void *ctx = talloc_new (NULL);
    GString *mail = g_string_new ("From: a@b\nIn-Reply-To: <last@x>\nReferences:");
    struct mime_message *message;
    const char *const *ids;
    size_t count;

    (void) state;
    for (int i = 0; i < 50000; i++)
        g_string_append_printf (mail, " <%d@x>", i);
    g_string_append (mail, "\n\nx\n");
    message = parse_mail (ctx, mail->str);
    ids = mime_message_references (message, &count);
    assert_int_equal (count, REFERENCES_MAX);
    assert_string_equal (ids[0], "0@x");
    assert_string_equal (ids[1], "49002@x");
    assert_string_equal (ids[REFERENCES_MAX - 2], "49999@x");
    assert_string_equal (ids[REFERENCES_MAX - 1], "last@x");
    assert_null (ids[REFERENCES_MAX]);
    g_string_free (mail, TRUE);
    talloc_free (ctx);
}

/* ---- date ---- */

static void
test_date (void **state)
{
    static const struct row {
        const char *date;
        int64_t seconds;
    } rows[] = {
        {"Tue, 05 Mar 2024 10:20:30 +0000", 1709634030},
        {"Tue, 05 Mar 2024 10:20:30 +0200", 1709634030 - 7200},
        {"5 Mar 2024 10:20:30 GMT", 1709634030},
        {"Tue, 05 Mar 2024 10:20:30 -0500 (EST)", 1709634030 + 18000},
        {"Thu, 01 Jan 1970 00:00:00 +0000", 0},
        {"Wed, 31 Dec 1969 23:59:00 +0000", -60},
        {"Fri, 13 Dec 2199 10:00:00 +0000", INT64_C (7256512800)},
        {"Mon, 29 Feb 1960 10:00:00 +0000", INT64_C (-310485600)},
        {"Mon, 1 Jan 1900 10:00:00 GMT", INT64_C (-2208952800)},
        {"Fri Jan  1 10:00:00 1960", INT64_C (-315583200)},
        {"1-Jan-1960 12:00:00 +0200", INT64_C (-315583200)},
        {"1 Jan 60 10:00:00 GMT", INT64_C (-315583200)},
        {"1 Jan 70 10:00:00 GMT", 36000},
        {"5 Mar 2024 1620 GMT", 1709596800},
        {"5 Mar 24 10:20:30 GMT", 1709634030},
        {"5 Mar 2024 10:20:30 -1955", 1709634030 + 19 * 3600 + 55 * 60},
        {"2024-01-01", 1704067200},
        {"=?us-ascii?Q?5_Mar_2024_10:20:30?= GMT", 1709634030},
        {"yesterday", 0},
        {"", 0},
    };

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        void *ctx = talloc_new (NULL);
        char *mail = talloc_asprintf (ctx, "From: a@b\nDate: %s\n\nx\n", rows[i].date);

        if (mime_message_date (parse_mail (ctx, mail)) != rows[i].seconds)
            fail_msg ("'%s': %lld", rows[i].date,
                      (long long) mime_message_date (parse_mail (ctx, mail)));
        talloc_free (ctx);
    }
}

/* Where the Date says nothing, the last server does. */
static void
test_date_received (void **state)
{
    static const struct row {
        const char *header;
        int64_t seconds;
    } rows[] = {
        {"Received: from a by b; Tue, 05 Mar 2024 10:20:30 +0000\n", 1709634030},
        {"Received: from a (x; y)\n by b;\n Tue, 05 Mar 2024 10:20:30 +0000 (UTC)\n"
         "Received: by c; Tue, 05 Mar 2024 09:00:00 +0000\nDate: yesterday\n",
         1709634030},
        {"Received: from a\nReceived: by c; never\nReceived: by d; 5 Mar 2024 10:20:30 GMT\n",
         1709634030},
        {"Received: by c; 6 Mar 2024 10:20:30 GMT\nDate: 5 Mar 2024 10:20:30 GMT\n", 1709634030},
        {"Received: by c; 6 Mar 2024 10:20:30 GMT\nDate: 1 Jan 1970 00:00:00 GMT\n", 0},
        {"Received:\n", 0},
        {"Received: ;\n", 0},
    };

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        void *ctx = talloc_new (NULL);
        char *mail = talloc_asprintf (ctx, "From: a@b\n%s\nx\n", rows[i].header);

        if (mime_message_date (parse_mail (ctx, mail)) != rows[i].seconds)
            fail_msg ("row %zu: %lld", i, (long long) mime_message_date (parse_mail (ctx, mail)));
        talloc_free (ctx);
    }
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_raw_letters), cmocka_unit_test (test_raw_long_and_inner),
        cmocka_unit_test (test_not_mail),    cmocka_unit_test (test_is_mail),
        cmocka_unit_test (test_mailbox),     cmocka_unit_test (test_mailbox_windows),
        cmocka_unit_test (test_not_a_file),  cmocka_unit_test (test_blocks),
        cmocka_unit_test (test_raw),         cmocka_unit_test (test_many_fields),
        cmocka_unit_test (test_message_id),  cmocka_unit_test (test_checksum_id),
        cmocka_unit_test (test_references),  cmocka_unit_test (test_many_references),
        cmocka_unit_test (test_date),        cmocka_unit_test (test_date_received),
    };

    return cmocka_run_group_tests_name ("mime headers", tests, NULL, NULL);
}
