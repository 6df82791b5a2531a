/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-mime-parts.c - the tree of parts, names, tags, inner headers, limits. */
#include "mime-mail.h"
#include "schema.h"

#define MIXED "Content-Type: multipart/mixed; boundary=b\n"

static void
test_trees (void **state)
{
    static const struct row {
        const char *header, *body, *tree;
    } rows[] = {
        {"", "x\n", "0 text/plain"},
        {"Content-Type: TEXT/Html; charset=utf-8\n", "x\n", "0 text/html"},
        {"Content-Type: text\n", "x\n", "0 text/plain"},
        {"Content-Type: \n", "x\n", "0 text/plain"},
        {"Content-Type: =?foo?=\n", "x\n", "0 text/plain"},
        {"Content-Type: text/\n", "x\n", "0 text/plain"},
        {"Content-Type: /plain\n", "x\n", "0 text/plain"},
        {"Content-Type: \"text/html\"; charset=utf-8\n", "x\n", "0 text/html"},
        {"Content-Type: application/octet-stream\n", "x\n", "0 application/octet-stream"},
        {"Content-Type: multipart/; boundary=b\n", "--b\n\none\n",
         "0 multipart/mixed, 1 text/plain"},
        {"Content-Type: image/png\n", "x\n", "0 image/png"},
        {"Content-Type: text/html\nContent-Type: image/png\n", "x\n", "0 text/html"},
        {MIXED, "--b\n\none\n--b\nContent-Type: image/gif\n\ntwo\n--b--\n",
         "0 multipart/mixed, 1 text/plain, 1 image/gif"},
        {MIXED, "preamble\n--b\n\none\n--b--\nepilogue\n", "0 multipart/mixed, 1 text/plain"},
        /* no end: the end of the file closes all */
        {MIXED, "--b\n\none\n--b\nContent-Disposition: attachment\n\ntwo",
         "0 multipart/mixed, 1 text/plain, 1 text/plain!"},
        {MIXED, "--b\n\none\n--b", "0 multipart/mixed, 1 text/plain"},
        {MIXED, "--b", "0 text/plain"},
        /* no boundary in sight, or none declared: text */
        {"Content-Type: multipart/alternative; boundary=nowhere\n", "words\n", "0 text/plain"},
        {"Content-Type: multipart/alternative\n", "words\n", "0 text/plain"},
        {"Content-Type: multipart/mixed; boundary=\n", "words\n", "0 text/plain"},
        {MIXED, "", "0 text/plain"},
        {MIXED, "--b\nContent-Type: multipart/alternative; boundary=c\n\nwords\n--b--\n",
         "0 multipart/mixed, 1 text/plain"},
        /* inner messages */
        {"Content-Type: message/rfc822\n", "Subject: in\n\nx\n", "0 message/rfc822, 1 text/plain"},
        {"Content-Type: message/rfc822\n", "Subject: in\n" MIXED "\n--b\n\nx\n--b--\n",
         "0 message/rfc822, 1 multipart/mixed, 2 text/plain"},
        {"Content-Type: multipart/digest; boundary=b\n", "--b\n\nSubject: in\n\nx\n--b--\n",
         "0 multipart/digest, 1 message/rfc822, 2 text/plain"},
        {MIXED, "--b\nContent-Type: message/rfc822\n\n--b--\n",
         "0 multipart/mixed, 1 message/rfc822, 2 text/plain"},
        {"Content-Type: message/news\n", "Subject: in\n\nx\n", "0 message/news, 1 text/plain"},
        {"Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n", "U3Vi\n",
         "0 message/rfc822"},
        {"Content-Type: message/rfc822\n", "From x@y Tue\nSubject: in\n" MIXED "\n--b\n\nx",
         "0 message/rfc822, 1 multipart/mixed, 2 text/plain"},
        /* boundaries */
        {MIXED, "--b  \n\none\n--b-- \nepilogue\n--b\n\nno part\n",
         "0 multipart/mixed, 1 text/plain"},
        {MIXED, "--bb\n--b-\n--\n--b\n\none\n", "0 multipart/mixed, 1 text/plain"},
        {MIXED,
         "--b\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nin\n--b--\n--b\n\n"
         "out\n--b--\n",
         "0 multipart/mixed, 1 multipart/mixed, 2 text/plain, 1 text/plain"},
        {MIXED, "--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\nin\n--b\n\nout\n",
         "0 multipart/mixed, 1 multipart/mixed, 2 text/plain, 1 text/plain"},
        {MIXED, "--b\nContent-Type: image/png\n--b\n\nx\n--b--\n",
         "0 multipart/mixed, 1 image/png, 1 text/plain"},
        {"Content-Type: multipart/mixed; boundary=\"b b\"\n", "--b b\n\nx\n--b b--\n",
         "0 multipart/mixed, 1 text/plain"},
        /* damaged part headers */
        {MIXED, "--b\nbad line\nContent-Type: image/png\n\nx\n--b--\n",
         "0 multipart/mixed, 1 image/png"},
        {MIXED, "--b\nno header at all\n\nx\n--b--\n", "0 multipart/mixed, 1 text/plain"},
        {MIXED, "--b\r\r\nContent-Type: text/html\r\r\n\r\r\nx\r\r\n--b--\r\r\n",
         "0 multipart/mixed, 1 text/html"},
        {"Content-Type: message/delivery-status\n", "Action: failed\n",
         "0 message/delivery-status"},
    };

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++)
        for (int in_file = 0; in_file < 2; in_file++) {
            void *ctx = talloc_new (NULL);
            char *mail = talloc_asprintf (ctx, "From: a@b\n%s\n%s", rows[i].header, rows[i].body);
            struct mime_message *message = NULL;

            assert_int_equal (parse_bytes (ctx, mail, strlen (mail), in_file, &message, NULL),
                              MAIL_OK);
            if (strcmp (tree_of (ctx, message), rows[i].tree) != 0)
                fail_msg ("row %zu, '%s': %s", i, rows[i].header, tree_of (ctx, message));
            talloc_free (ctx);
        }
}

/* The words of a multipart without parts are found, wherever it stands. */
static void
test_lost_boundary (void **state)
{
    void *ctx = talloc_new (NULL);
    struct mime_message *message;

    (void) state;
    message = parse_mail (ctx, "From: a@b\nContent-Type: multipart/alternative; boundary=x\n\n"
                               "typed straight after the headers\n");
    assert_string_equal (words_of (ctx, message, 1), "typed straight after the headers\n");
    message = parse_mail (ctx, "From: a@b\n" MIXED "\n--b\n"
                               "Content-Type: multipart/alternative; boundary=x\n\n"
                               "inner words caf\xe9\n--b--\n");
    assert_string_equal (words_of (ctx, message, 2), "inner words caf\xc3\xa9");
    message = parse_mail (ctx, "From: a@b\n" MIXED "\n--b\nno header\n\nat all\n--b--\n");
    assert_string_equal (words_of (ctx, message, 2), "no header\n\nat all");
    talloc_free (ctx);
}

/* The blank line that ends a part's header may fall anywhere on a read's border. */
static void
test_buffer_edges (void **state)
{
    static const char start[] = "From: a@b\r\n" MIXED "\r\n--b\r\n\r\n";
    static const char end[] = "\r\n--b\r\nContent-Type: application/pdf; name=blob\r\n\r\nx\r\n"
                              "--b--\r\n";

    (void) state;
    for (size_t at = 4000; at < 4200; at++)
        for (int in_file = 0; in_file < 2; in_file++) {
            void *ctx = talloc_new (NULL);
            struct mime_message *message = NULL;
            char *mail = talloc_array (ctx, char, at + sizeof (end));
            size_t count;

            memset (mail, 'z', at);
            memcpy (mail, start, strlen (start));
            memcpy (mail + at, end, strlen (end));
            assert_int_equal (parse_bytes (ctx, mail, at + strlen (end), in_file, &message, NULL),
                              MAIL_OK);
            assert_string_equal (mime_parts (message, &count)[2].filename, "blob");
            assert_int_equal (count, 3);
            assert_int_equal (strlen (words_of (ctx, message, 2)), at - strlen (start));
            talloc_free (ctx);
        }
}

/* ---- names, ids ---- */

/* Raw letters are in the character set of the text before. */
static void
test_raw_name (void **state)
{
    void *ctx = talloc_new (NULL);
    struct mime_message *message = parse_mail (
        ctx, "From: a@b\n" MIXED "\n--b\nContent-Type: text/plain; charset=koi8-r\n\nx\n"
             "--b\nContent-Disposition: attachment; filename=\"\xcb\xcf\xd4.pdf\"\n\nx\n"
             "--b\nContent-Disposition: attachment; filename=\"k\xc3\xb6.pdf\"\n\nx\n"
             "--b--\n");
    const struct mail_part *parts = mime_parts (message, NULL);

    (void) state;
    assert_string_equal (parts[2].filename, "\xd0\xba\xd0\xbe\xd1\x82.pdf");
    assert_string_equal (parts[3].filename, "k\xc3\xb6.pdf");
    talloc_free (ctx);
}

static void
test_names (void **state)
{
    static const struct row {
        const char *header, *filename;
    } rows[] = {
        {"", NULL},
        {"Content-Type: image/png; name=a.png\n", "a.png"},
        {"Content-Disposition: attachment; filename=\"b c.png\"\n", "b c.png"},
        {"Content-Type: image/png; name=a.png\nContent-Disposition: inline; filename=b.png\n",
         "b.png"},
        {"Content-Type: image/png; name=a.png\nContent-Disposition: attachment\n", "a.png"},
        {"Content-Disposition: attachment; filename=\"\"\n", NULL},
        {"Content-Disposition: ATTACHMENT; FILENAME=x.png\n", "x.png"},
        {"Content-Disposition: attachment; filename*0*=UTF-8''B%C3%BCro; filename*1*=%20R; "
         "filename*2=14.pdf\n",
         "B\xc3\xbcro R14.pdf"},
        {"Content-Disposition: attachment; filename=\"???.txt\"; filename*=utf-8''%C3%A9.txt\n",
         "\xc3\xa9.txt"},
        {"Content-Disposition: attachment; filename*=utf-8''%C3%A9.txt;filename=\"???.txt\"\n",
         "\xc3\xa9.txt"},
        {"Content-Type: image/png; name=x.png; name*0=y; name*1=.png\n", "y.png"},
        {"Content-Disposition: attachment; filename=\"a filename*.txt\"\n", "a filename*.txt"},
        {"Content-Disposition: attachment; filename*=iso-8859-1'en'caf%E9.txt\n",
         "caf\xc3\xa9.txt"},
        {"Content-Type: x/y; name=\"=?UTF-8?B?w6ljb2xlLnppcA==?=\"\n", "\xc3\xa9"
                                                                       "cole.zip"},
        {"Content-Disposition: attachment; filename=\"../../.ssh/authorized\"\n",
         "../../.ssh/authorized"},
        {"Content-Disposition: attachment; filename=caf\xe9\n", "caf\xc3\xa9"},
        {"Content-Disposition: attachment; filename=\"a=?utf-8?q?=0A?=b\"\n", "a b"},
        {"Content-Disposition: attachment;\n filename=\n  \"folded.txt\"\n", "folded.txt"},
    };

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        void *ctx = talloc_new (NULL);
        struct mime_message *message = parse_body (ctx, rows[i].header, "x\n", 2);
        const struct mail_part *part = mime_parts (message, NULL);

        if (g_strcmp0 (part->filename, rows[i].filename) != 0)
            fail_msg ("'%s': %s", rows[i].header, part->filename);
        talloc_free (ctx);
    }
}

/* A parameter whose name is not ASCII sends GMime's encoder into an endless loop: nothing here may
 * encode what came from outside. */
static void
test_odd_parameter (void **state)
{
    void *ctx = talloc_new (NULL);
    struct mime_message *message;

    (void) state;
    message = parse_mail (ctx, "From: a@b\nContent-Type: multipart/mixed;\n "
                               "\xd0\xb6\xd1\x91\xd0\xb6\xd1\x91=\"\xd0\xb6\"; boundary=\"b\"\n\n"
                               "--b\n\ninside\n--b--\n");
    assert_string_equal (words_of (ctx, message, 2), "inside");
    talloc_free (ctx);
}

static void
test_content_id (void **state)
{
    void *ctx = talloc_new (NULL);
    struct mime_message *message = parse_body (ctx, "Content-ID: <part1@x>\n", "x\n", 2);

    (void) state;
    assert_string_equal (mime_parts (message, NULL)->content_id, "part1@x");
    message = parse_body (ctx, "", "x\n", 2);
    assert_null (mime_parts (message, NULL)->content_id);
    talloc_free (ctx);
}

/* ---- tags ---- */

#define PGP_SIGNED \
    "Content-Type: multipart/signed; boundary=b\n\n--b\n\nx\n--b\n" \
    "Content-Type: application/pgp-signature\nContent-Disposition: attachment\n\ns\n--b--\n"
#define PGP_ENCRYPTED \
    "Content-Type: multipart/encrypted; boundary=b\n\n--b\nContent-Type: " \
    "application/pgp-encrypted\nContent-Disposition: attachment\n\nVersion: 1\n--b\n" \
    "Content-Type: application/octet-stream\nContent-Disposition: attachment\n\ns\n--b--\n"

static void
test_tags (void **state)
{
    static const struct row {
        const char *mail, *tags;
    } rows[] = {
        {"\nx\n", ""},
        {"Content-Disposition: inline\n\nx\n", ""},
        {"Content-Disposition: attachment\n\nx\n", "attachment "},
        {"Content-Disposition: ATTACHMENT; filename=x\n\nx\n", "attachment "},
        {PGP_SIGNED, "signed "},
        {PGP_ENCRYPTED, "encrypted "},
        {"Content-Type: application/pkcs7-mime; smime-type=signed-data\n\nx\n", "signed "},
        {"Content-Type: application/x-pkcs7-mime; smime-type=SIGNED-DATA\n\nx\n", "signed "},
        {"Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nx\n", "encrypted "},
        {"Content-Type: application/pkcs7-mime; smime-type=certs-only\n\nx\n", ""},
        {"Content-Type: application/pkcs7-mime\n\nx\n", ""},
        /* a gateway has made multipart/mixed of multipart/encrypted */
        {MIXED "\n--b\nContent-Type: text/plain\n\n\n--b\nContent-Type: "
               "application/pgp-encrypted\nContent-Disposition: attachment\n\nVersion: 1\n--b\n"
               "Content-Type: application/octet-stream\nContent-Disposition: attachment\n\ns\n"
               "--b--\n",
         "encrypted "},
        {MIXED "\n--b\nContent-Type: message/rfc822\nContent-Disposition: attachment\n\n"
               "Subject: in\n" PGP_SIGNED "--b--\n",
         "attachment signed "},
    };

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        void *ctx = talloc_new (NULL);
        char *list = talloc_strdup (ctx, "");
        const char *const *tags = mime_message_tags (
            parse_mail (ctx, talloc_asprintf (ctx, "From: a@b\n%s", rows[i].mail)), NULL);

        for (; *tags != NULL; tags++)
            list = talloc_asprintf_append (list, "%s ", *tags);
        if (strcmp (list, rows[i].tags) != 0)
            fail_msg ("row %zu: '%s'", i, list);
        talloc_free (ctx);
    }
}

static void
test_wrapping (void **state)
{
    void *ctx = talloc_new (NULL);
    struct mime_message *message = parse_mail (ctx, "From: a@b\n" PGP_SIGNED);
    const struct mail_part *parts = mime_parts (message, NULL);

    (void) state;
    assert_false (mime_part_is_wrapping (message, &parts[0]));
    assert_false (mime_part_is_wrapping (message, &parts[1]));
    assert_true (mime_part_is_wrapping (message, &parts[2]));
    assert_true (parts[2].attachment);
    talloc_free (ctx);
}

/* ---- inner headers ---- */

static void
test_inner_headers (void **state)
{
    void *ctx = talloc_new (NULL);
    struct mime_message *message = parse_mail (
        ctx, "From: a@b\nSubject: outer\nContent-Type: message/rfc822\n\n"
             "From: \"Zoe\" <z@x>\nTo: \"Ann\" <a@x>,\n b@x\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\n"
             "Subject: second\nContent-Type: text/html\n\nx\n");
    const struct mail_part *parts = mime_parts (message, NULL);
    const char *subject = mime_part_header (message, &parts[0], "subject");

    (void) state;
    assert_string_equal (subject, "Gr\xc3\xbc\xc3\x9f"
                                  "e");
    assert_ptr_equal (mime_part_header (message, &parts[0], "SUBJECT"), subject);
    assert_string_equal (mime_part_header (message, &parts[0], "From"), "\"Zoe\" <z@x>");
    assert_string_equal (mime_part_header (message, &parts[0], "To"), "Ann <a@x>, b@x");
    assert_string_equal (mime_part_header (message, &parts[0], "Content-Type"), "text/html");
    assert_null (mime_part_header (message, &parts[0], "Cc"));
    assert_null (mime_part_header (message, &parts[1], "Subject"));
    assert_string_equal (mime_header_raw (message, "Subject", 0), "outer");
    talloc_free (ctx);
}

/* ---- limits ---- */

static void
check_deep (const char *piece, const char *declared, int depth)
{
    void *ctx = talloc_new (NULL);
    GString *mail = g_string_new ("From: a@b\nSubject: nested\n");
    struct mime_message *message = NULL;
    size_t count;

    g_string_append_printf (mail, declared, 0);
    for (int i = 0; i < depth; i++)
        g_string_append_printf (mail, piece, i, i + 1);
    g_string_append (mail, "\n\ndeep\n");
    assert_int_equal (parse_bytes (ctx, mail->str, mail->len, false, &message, NULL), MAIL_OK);
    mime_parts (message, &count);
    assert_in_range (count, 100, DEPTH_MAX + 2);
    assert_in_range (mime_parts (message, NULL)[count - 1].depth, 100, DEPTH_MAX);
    tree_of (ctx, message);
    g_string_free (mail, TRUE);
    talloc_free (ctx);
}

static void
test_deep (void **state)
{
    static const char declared[] = "Content-Type: multipart/mixed; boundary=n%d\n";

    (void) state;
    check_deep ("\n--n%d\nContent-Type: multipart/mixed; boundary=n%d\n", declared, 3000);
    check_deep ("\n--n%d\nContent-Type: multipart/mixed; boundary=n%d\n", declared, 50000);
    check_deep ("\nSubject: %d %d\nContent-Type: message/rfc822\n",
                "Content-Type: message/rfc822\nX: %d\n", 50000);
}

/* Addresses inside each other overflow the stack of GMime, wherever it reads them. */
static void
test_deep_addresses (void **state)
{
    void *ctx = talloc_new (NULL);
    GString *mail = g_string_new ("From: a@b\nContent-Type: message/rfc822\n\nTo: ");
    struct mime_message *message;

    (void) state;
    for (int i = 0; i < 300000; i++)
        g_string_append (mail, "a:");
    g_string_append (mail, "\nFrom: c@d\n\nx\n");
    message = parse_mail (ctx, mail->str);
    assert_string_equal (mime_part_header (message, mime_parts (message, NULL), "From"), "c@d");
    assert_int_equal (strlen (mime_part_header (message, mime_parts (message, NULL), "To")),
                      600000);
    g_string_free (mail, TRUE);
    talloc_free (ctx);
}

/* Lines longer than what is read at once. */
/* Also a boundary that is. */
static void
test_long_boundary (void **state)
{
    void *ctx = talloc_new (NULL);
    char *b = talloc_array (ctx, char, 2001);
    struct mime_message *message;

    (void) state;
    memset (b, 'b', 2000);
    b[2000] = '\0';
    message = parse_mail (ctx, talloc_asprintf (ctx,
                                                "From: a@b\n"
                                                "Content-Type: multipart/mixed; boundary=%s\n\n"
                                                "--%s\nContent-Type: text/html\n\nx\n--%s--\n",
                                                b, b, b));
    assert_string_equal (tree_of (ctx, message), "0 multipart/mixed, 1 text/html");
    talloc_free (ctx);
}

static void
test_long_lines (void **state)
{
    size_t sizes[] = {100, 2047, 2048, 2049, 262143, 262144, 262145, 600000};

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (sizes); i++)
        for (int in_file = 0; in_file < 2; in_file++) {
            void *ctx = talloc_new (NULL);
            gchar *line = g_strnfill (sizes[i], '-');
            char *mail = talloc_asprintf (
                ctx, "From: a@b\n" MIXED "\n--b\n\n%s\r\n--b\nX: %s\n\nlast\n--b--\n", line, line);
            struct mime_message *message = NULL;

            assert_int_equal (parse_bytes (ctx, mail, strlen (mail), in_file, &message, NULL),
                              MAIL_OK);
            assert_string_equal (tree_of (ctx, message),
                                 "0 multipart/mixed, 1 text/plain, 1 text/plain");
            assert_string_equal (words_of (ctx, message, 2), line);
            assert_string_equal (words_of (ctx, message, 3), "last");
            g_free (line);
            talloc_free (ctx);
        }
}

static void
test_many_parts (void **state)
{
    void *ctx = talloc_new (NULL);
    GString *mail = g_string_new ("From: a@b\n" MIXED "\n");
    struct mime_message *message = NULL;
    size_t count;

    (void) state;
    for (int i = 0; i < 400000; i++)
        g_string_append (mail, "--b\n\n");
    for (int in_file = 0; in_file < 2; in_file++) {
        assert_int_equal (parse_bytes (ctx, mail->str, mail->len, in_file, &message, NULL),
                          MAIL_OK);
        mime_parts (message, &count);
        assert_int_equal (count, PARTS_MAX);
        assert_int_equal (mime_parts (message, NULL)[0].end, PARTS_MAX);
    }
    g_string_free (mail, TRUE);
    talloc_free (ctx);
}

/* What stands before the first boundary of a large file is passed over, and not kept. */
static void
test_prologue (void **state)
{
    static const char end[] = "\n--b\n\nfound\n--b\n\nlast\n--b--\n";
    size_t window = (size_t) 1 << 20;

    (void) state;
    for (size_t at = window - 20; at < window + 8; at++) {
        void *ctx = talloc_new (NULL);
        struct mime_message *message = NULL;
        char *mail = talloc_array (ctx, char, at + sizeof (end));

        memset (mail, 'z', at);
        memcpy (mail, "From: a@b\n" MIXED "\n", strlen ("From: a@b\n" MIXED "\n"));
        memcpy (mail + at, end, strlen (end));
        assert_int_equal (parse_bytes (ctx, mail, at + strlen (end), true, &message, NULL),
                          MAIL_OK);
        assert_string_equal (tree_of (ctx, message),
                             "0 multipart/mixed, 1 text/plain, 1 text/plain");
        assert_string_equal (words_of (ctx, message, 2), "found");
        assert_string_equal (words_of (ctx, message, 3), "last");
        talloc_free (ctx);
    }
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_trees),          cmocka_unit_test (test_lost_boundary),
        cmocka_unit_test (test_buffer_edges),   cmocka_unit_test (test_names),
        cmocka_unit_test (test_raw_name),       cmocka_unit_test (test_odd_parameter),
        cmocka_unit_test (test_content_id),     cmocka_unit_test (test_tags),
        cmocka_unit_test (test_wrapping),       cmocka_unit_test (test_inner_headers),
        cmocka_unit_test (test_deep),           cmocka_unit_test (test_many_parts),
        cmocka_unit_test (test_deep_addresses), cmocka_unit_test (test_long_lines),
        cmocka_unit_test (test_long_boundary),  cmocka_unit_test (test_prologue),
    };

    return cmocka_run_group_tests_name ("mime parts", tests, NULL, NULL);
}
