/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-mime-content.c - the public view of a mail file, compressed mail, mail cut off anywhere,
 * and, where there is some, real mail.
 */
#include "mime-mail.h"
#include <fcntl.h>
#include <ftw.h>

static const char mail[] =
    "From: \"Ann\" <ann@example.org>\nTo: \"Bob\" <bob@example.net>\n"
    "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\nX-Empty:\n"
    "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nbody\n--b\n"
    "Content-Type: message/rfc822\n\nSubject: inner\n\ninner body\n--b\n"
    "Content-Type: image/png; name=x.png\nContent-Transfer-Encoding: base64\n\nAAAA\n--b--\n";

/* A path to the file behind a descriptor. */
static char *
path_of (void *ctx, int fd)
{
    return talloc_asprintf (ctx, "/proc/self/fd/%d", fd);
}

static struct mail_content *
open_content (void *ctx, const char *bytes, size_t length)
{
    struct mail_content *content = NULL;
    int fd = mail_file (bytes, length);
    char *error = NULL;

    if (mail_content_open (ctx, path_of (ctx, fd), &content, &error) != MAIL_OK)
        fail_msg ("%s", error);
    close (fd);
    return content;
}

static void
test_content (void **state)
{
    void *ctx = talloc_new (NULL);
    struct mail_content *content = open_content (ctx, mail, strlen (mail));
    const struct mail_part *parts;
    size_t count, length;
    const char *subject;
    char *text = NULL;

    (void) state;
    parts = mail_content_parts (content, &count);
    assert_int_equal (count, 5);
    assert_int_equal (parts[0].kind, MAIL_PART_MULTIPART);
    assert_int_equal (parts[0].end, 5);
    assert_int_equal (parts[2].kind, MAIL_PART_MESSAGE);
    assert_int_equal (parts[2].end, 4);
    assert_int_equal (parts[3].depth, 2);
    assert_string_equal (parts[4].filename, "x.png");
    subject = mail_content_header (content, NULL, "subject");
    assert_string_equal (subject, "Gr\xc3\xbc\xc3\x9f"
                                  "e");
    assert_ptr_equal (mail_content_header (content, NULL, "SUBJECT"), subject);
    assert_string_equal (mail_content_header (content, NULL, "From"), "\"Ann\" <ann@example.org>");
    assert_string_equal (mail_content_header (content, NULL, "To"), "Bob <bob@example.net>");
    assert_string_equal (mail_content_header (content, NULL, "x-empty"), "");
    assert_null (mail_content_header (content, NULL, "Cc"));
    assert_string_equal (mail_content_header (content, &parts[2], "Subject"), "inner");
    assert_int_equal (mail_part_text (ctx, content, &parts[3], &text, &length), MAIL_OK);
    assert_string_equal (text, "inner body");
    assert_int_equal (length, 10);
    assert_int_equal (mail_part_text (ctx, content, &parts[4], &text, &length),
                      MAIL_ERROR_ARGUMENT);
    talloc_free (ctx);
}

struct taken {
    void *ctx;
    char *bytes;
    size_t length, most, limit; /* most: the largest piece; limit: pieces that are taken */
};

static bool
take (void *closure, const char *bytes, size_t length)
{
    struct taken *taken = closure;

    taken->bytes = talloc_realloc (taken->ctx, taken->bytes, char, taken->length + length + 1);
    memcpy (taken->bytes + taken->length, bytes, length);
    taken->length += length;
    taken->bytes[taken->length] = '\0';
    taken->most = MAX (taken->most, length);
    return taken->limit == 0 || --taken->limit > 0;
}

/* Bytes of parts, from memory and from a file. */
static void
test_part_bytes (void **state)
{
    static const char source[] =
        "From: a@b\nContent-TYPE: multipart/mixed;\n boundary=b\nX-Other: x\nContent-Language: "
        "de\n\n"
        "before\n--b\n\nfirst\r\nsecond\n--b\nX-Part: x\nContent-Type: multipart/digest; "
        "boundary=c\n\n"
        "--c\n\nSubject: inner\n\ninner\n--c--\n--b\nContent-Type: image/png\n"
        "Content-Transfer-Encoding: base64\n\nAAEC\n/w==\n--b--\nafter\n";
    static const struct {
        int number;
        const char *bytes;
        size_t length;
    } rows[] = {
#define ROW(number, text) {number, text, sizeof (text) - 1}
        ROW (2, "first\r\nsecond"),
        ROW (3, "X-Part: x\nContent-Type: multipart/digest; boundary=c\n\n"
                "--c\n\nSubject: inner\n\ninner\n--c--\n"),
        ROW (4, "Subject: inner\n\ninner"),
        ROW (5, "inner"),
        ROW (6, "\0\1\2\377"),
    };

    (void) state;
    for (size_t i = 0; i < 2 * G_N_ELEMENTS (rows); i++) {
        void *ctx = talloc_new (NULL);
        struct mime_message *message = NULL;
        struct taken taken = {.ctx = ctx};

        assert_int_equal (parse_bytes (ctx, source, strlen (source), i % 2, &message, NULL),
                          MAIL_OK);
        assert_true (mime_part_write (message, mime_parts (message, NULL) + rows[i / 2].number - 1,
                                      (struct mail_sink){take, &taken}));
        assert_int_equal (taken.length, rows[i / 2].length);
        assert_memory_equal (taken.bytes, rows[i / 2].bytes, taken.length);
        taken = (struct taken){.ctx = ctx};
        assert_true (mime_part_write (message, mime_parts (message, NULL),
                                      (struct mail_sink){take, &taken}));
        assert_string_equal (taken.bytes,
                             talloc_asprintf (ctx,
                                              "Content-TYPE: multipart/mixed;\n boundary=b\n"
                                              "Content-Language: de\n\n%s",
                                              strstr (source, "before")));
        talloc_free (ctx);
    }
}

/* Large content comes in small pieces, and ends when no more is wanted. */
static void
test_large_part (void **state)
{
    const size_t size = 8 << 20;
    void *ctx = talloc_new (NULL);
    guchar *bytes = talloc_array (ctx, guchar, size);
    struct mime_message *message = NULL;
    struct taken taken = {.ctx = ctx}, first = {.ctx = ctx, .limit = 1};
    const struct mail_part *part;
    char *encoded, *source;

    (void) state;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (guchar) (i * 7 + i / 251);
    encoded = g_base64_encode (bytes, size);
    source = talloc_asprintf (ctx,
                              "From: a@b\nContent-Type: video/x\n"
                              "Content-Transfer-Encoding: base64\n\n%s\n",
                              encoded);
    assert_int_equal (parse_bytes (ctx, source, strlen (source), true, &message, NULL), MAIL_OK);
    part = mime_parts (message, NULL);
    assert_int_equal (part->length, strlen (encoded) + 1);
    assert_true (mime_part_write (message, part, (struct mail_sink){take, &taken}));
    assert_int_equal (taken.length, size);
    assert_memory_equal (taken.bytes, bytes, size);
    assert_in_range (taken.most, 1, 512 << 10);
    assert_false (mime_part_write (message, part, (struct mail_sink){take, &first}));
    assert_in_range (first.length, 1, 512 << 10);
    g_free (encoded);
    talloc_free (ctx);
}

/* What a part is called, as the mail spells it. */
static void
test_spelling (void **state)
{
    void *ctx = talloc_new (NULL);
    struct mime_message *message = parse_mail (
        ctx,
        "FROM: a@b\nto: x@y\nTo: z@y\nCONTENT-Type: Text/HTML; charset=Latin1\n"
        "Content-Transfer-Encoding:  Quoted-Printable ; x\nContent-Disposition: INLINE\n\nx\n");
    const struct mail_part *part = mime_parts (message, NULL);

    (void) state;
    assert_string_equal (part->type, "text/html");
    assert_string_equal (part->spelled_type, "Text/HTML");
    assert_string_equal (part->charset, "Latin1");
    assert_string_equal (part->encoding, "Quoted-Printable ; x");
    assert_string_equal (part->disposition, "INLINE");
    assert_int_equal (part->length, 2);
    assert_string_equal (mime_header_name (message, NULL, "from"), "FROM");
    assert_null (mime_header_name (message, NULL, "cc"));
    assert_string_equal (mime_header_joined (ctx, message, NULL, "TO"), "x@y, z@y");
    assert_null (mime_header_joined (ctx, message, NULL, "cc"));
    message = parse_mail (ctx, "From: a@b\nCc:\nCc: c@d\nCC:\nFrom: e@f\n\nx\n");
    assert_string_equal (mime_header_joined (ctx, message, NULL, "cc"), "c@d");
    assert_string_equal (mime_header_joined (ctx, message, NULL, "from"), "a@b");
    message = parse_mail (ctx, "From: a@b\n\nx\n");
    part = mime_parts (message, NULL);
    assert_string_equal (part->spelled_type, "text/plain");
    assert_null (part->charset);
    assert_null (part->encoding);
    assert_null (part->disposition);
    talloc_free (ctx);
}

static void
test_cannot_open (void **state)
{
    void *ctx = talloc_new (NULL);
    struct mail_content *content = NULL;
    char *error = NULL;
    int fd = mail_file ("x", 1);

    (void) state;
    assert_int_equal (mail_content_open (ctx, "/does/not/exist", &content, &error), MAIL_ERROR_IO);
    assert_string_equal (error, "cannot open '/does/not/exist': No such file or directory");
    assert_int_equal (mail_content_open (ctx, "/", &content, NULL), MAIL_ERROR_IO);
    assert_int_equal (mail_content_open (ctx, path_of (ctx, fd), &content, &error),
                      MAIL_ERROR_NOT_MAIL);
    assert_non_null (strstr (error, "not mail"));
    assert_null (content);
    close (fd);
    talloc_free (ctx);
}

/* ---- compressed ---- */

static GByteArray *
compress (const char *bytes, size_t length)
{
    GMimeStream *stream = g_mime_stream_mem_new (), *filtered = g_mime_stream_filter_new (stream);
    GMimeFilter *filter = g_mime_filter_gzip_new (GMIME_FILTER_GZIP_MODE_ZIP, 9);
    GByteArray *packed = g_byte_array_new (), *inside;

    g_mime_stream_filter_add (GMIME_STREAM_FILTER (filtered), filter);
    g_mime_stream_write (filtered, bytes, length);
    g_mime_stream_flush (filtered);
    inside = g_mime_stream_mem_get_byte_array (GMIME_STREAM_MEM (stream));
    g_byte_array_append (packed, inside->data, inside->len);
    g_object_unref (filter);
    g_object_unref (filtered);
    g_object_unref (stream);
    return packed;
}

static void
test_gzip (void **state)
{
    void *ctx = talloc_new (NULL);
    GByteArray *packed;
    struct mime_message *message = NULL;
    gchar *sum;

    (void) state;
    mime_init ();
    packed = compress (mail, strlen (mail));
    for (int in_file = 0; in_file < 2; in_file++) {
        assert_int_equal (
            parse_bytes (ctx, (char *) packed->data, packed->len, in_file, &message, NULL),
            MAIL_OK);
        assert_string_equal (words_of (ctx, message, 2), "body");
        /* the id is that of the file as it lies there */
        sum = g_compute_checksum_for_data (G_CHECKSUM_SHA1, packed->data, packed->len);
        assert_string_equal (mime_message_id (message) + strlen ("notmuch-sha1-"), sum);
        g_free (sum);
    }
    for (size_t length = 0; length < packed->len; length++) {
        struct mime_message *cut = NULL;

        parse_bytes (ctx, (char *) packed->data, length, false, &cut, NULL);
    }
    g_byte_array_free (packed, TRUE);
    talloc_free (ctx);
}

/* ---- anything ---- */

/* Everything that can be asked of a message, if it is one: valid text. */
static void
ask_all (void *ctx, struct mime_message *message)
{
    static const char *const names[] = {"from", "to", "cc", "subject", "list-id"};
    size_t count, length;
    const struct mail_part *parts = mime_parts (message, &count);
    const char *raw;

    for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
        for (unsigned n = 0; (raw = mime_header_raw (message, names[i], n)) != NULL; n++) {
            struct mime_address *addresses = mime_decode_addresses (ctx, raw, &length);

            for (size_t k = 0; k < length; k++) {
                assert_true (g_utf8_validate (addresses[k].name, -1, NULL));
                assert_true (g_utf8_validate (addresses[k].address, -1, NULL));
            }
            assert_true (g_utf8_validate (mime_decode_field (ctx, names[i], raw), -1, NULL));
            assert_true (g_utf8_validate (mime_decode_text (ctx, raw), -1, NULL));
        }
    assert_true (g_utf8_validate (mime_message_id (message), -1, NULL));
    assert_true (*mime_message_id (message) != '\0');
    for (size_t i = 0; i < count; i++) {
        char *text = words_of (ctx, message, (int) i + 1);

        talloc_free (text);
        assert_true (g_utf8_validate (parts[i].type, -1, NULL));
        assert_true (parts[i].filename == NULL || g_utf8_validate (parts[i].filename, -1, NULL));
        assert_int_equal (mime_part_text (ctx, message, &parts[i], SIZE_MAX, &text, &length),
                          parts[i].text ? MAIL_OK : MAIL_ERROR_ARGUMENT);
    }
    tree_of (ctx, message);
}

static void
test_cut_anywhere (void **state)
{
    (void) state;
    for (size_t length = 0; length < strlen (mail); length++)
        for (int in_file = 0; in_file < 2; in_file++) {
            void *ctx = talloc_new (NULL);
            struct mime_message *message = NULL;

            if (parse_bytes (ctx, mail, length, in_file, &message, NULL) == MAIL_OK)
                ask_all (ctx, message);
            else
                assert_in_range (length, 0, strlen ("From: "));
            talloc_free (ctx);
        }
}

/* Every byte replaced by those that mean something. */
static void
test_wrong_bytes (void **state)
{
    static const char bytes[] = "\0\n\r\"<(=-:;\xff";
    char copy[sizeof (mail)];

    (void) state;
    for (size_t at = 0; at < strlen (mail); at++)
        for (size_t i = 0; i < sizeof (bytes) - 1; i++) {
            void *ctx = talloc_new (NULL);
            struct mime_message *message = NULL;

            memcpy (copy, mail, sizeof (mail));
            copy[at] = bytes[i];
            if (parse_bytes (ctx, copy, strlen (mail), i % 2 == 0, &message, NULL) == MAIL_OK)
                ask_all (ctx, message);
            talloc_free (ctx);
        }
}

#define CORPUS_MAX 1000

static int corpus_seen, corpus_parsed;

static int
on_corpus_file (const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    void *ctx = talloc_new (NULL);
    struct mime_message *message = NULL;
    int fd;

    (void) st;
    (void) ftw;
    if (type == FTW_F && corpus_seen++ % 2 == 0) {
        fd = open (path, O_RDONLY | O_CLOEXEC);
        assert_true (fd >= 0);
        if (mime_message_parse_with (ctx, fd, corpus_seen % 4 == 1 ? 0 : SIZE_MAX, &message,
                                     NULL) == MAIL_OK) {
            ask_all (ctx, message);
            corpus_parsed++;
        }
        close (fd);
    }
    talloc_free (ctx);
    return corpus_parsed >= CORPUS_MAX;
}

/* A folder of real mail: $CORPUS, or the spam out of it (the worst mail there is) where it is an
 * archive; NULL for none. */
static char *
corpus_folder (void *ctx)
{
    const char *corpus = getenv ("CORPUS"), *scratch = getenv ("TMPDIR");
    struct stat st;
    char *folder;

    if (corpus == NULL || stat (corpus, &st) != 0)
        return NULL;
    if (S_ISDIR (st.st_mode))
        return talloc_strdup (ctx, corpus);
    if (scratch == NULL || strchr (corpus, '\'') != NULL || strchr (scratch, '\'') != NULL)
        return NULL;
    folder = talloc_asprintf (ctx, "%s/spamassassin-spam", scratch);
    if (system (talloc_asprintf (ctx, "tar --zstd -xf '%s' -C '%s' spamassassin-spam 2>/dev/null",
                                 corpus, scratch)) != 0)
        return NULL;
    return folder;
}

static void
test_corpus (void **state)
{
    void *ctx = talloc_new (NULL);
    char *folder = corpus_folder (ctx);

    (void) state;
    if (folder == NULL) {
        talloc_free (ctx);
        skip ();
    }
    nftw (folder, on_corpus_file, 16, FTW_PHYS);
    assert_true (corpus_parsed > 0);
    talloc_free (ctx);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_content),      cmocka_unit_test (test_part_bytes),
        cmocka_unit_test (test_large_part),   cmocka_unit_test (test_spelling),
        cmocka_unit_test (test_cannot_open),  cmocka_unit_test (test_gzip),
        cmocka_unit_test (test_cut_anywhere), cmocka_unit_test (test_wrong_bytes),
        cmocka_unit_test (test_corpus),
    };

    return cmocka_run_group_tests_name ("mime content", tests, NULL, NULL);
}
