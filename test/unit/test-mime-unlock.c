/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-mime-unlock.c - what becomes of parts that are signed and encrypted; no gpg is asked. */
#include "mime-mail.h"
#include "mime/cms.h"
#include "mime/crypto.h"
#include "schema.h"

/* Stands in for gpg: ciphertext is "KEY:cleartext", and opens with that session key, or, where
 * KEY is "mine", with a secret key. "loop" becomes what it was in. */
struct fake {
    unsigned asked;
    char *told;
};

#define ENCRYPTED \
    "Content-Type: multipart/encrypted; protocol=\"application/pgp-encrypted\"; boundary="
#define SEALED(boundary, cipher) \
    ENCRYPTED boundary \
        "\n\n--" boundary "\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n" \
        "\n--" boundary "\nContent-Type: application/octet-stream\n\n" cipher "\n--" boundary \
        "--\n"
#define LOOP SEALED ("l", "mine:loop")

static bool
fake_open (void *closure, void *ctx, const struct crypto_request *request, int input,
           struct crypto_result *result_out)
{
    struct fake *fake = closure;
    char bytes[8192], *colon;
    ssize_t n = pread (input, bytes, sizeof bytes - 1, 0);
    const char *key = request->session_key ? request->session_key : "mine";

    *result_out = (struct crypto_result){.clear = -1};
    if (request->is_signed)
        return crypto_take_apart (ctx, input, result_out);
    fake->asked++;
    assert_true (n >= 0);
    bytes[n] = '\0';
    colon = strchr (bytes, ':');
    if (colon == NULL || strncmp (bytes, key, strlen (key)) != 0) {
        result_out->error = talloc_strdup (ctx, "another key");
        return false;
    }
    if (strcmp (colon + 1, "loop") == 0)
        result_out->clear = mail_file (LOOP, strlen (LOOP));
    else
        result_out->clear = mail_file (colon + 1, strlen (colon + 1));
    if (request->export_key)
        result_out->session_key = talloc_strdup (ctx, "9:AB");
    return true;
}

static void
fake_tell (void *closure, const char *line)
{
    struct fake *fake = closure;

    fake->told = talloc_asprintf (fake, "%s%s|", fake->told ? fake->told : "", line);
}

static struct mime_message *
unlock_with (void *ctx, const char *body, struct fake **fake_out, bool secret,
             const char *const *keys)
{
    struct mime_message *message =
        parse_mail (ctx, talloc_asprintf (ctx, "From: a@b\nSubject: out\n%s", body));
    struct fake *fake = talloc_zero (ctx, struct fake);
    struct mime_unlock how = {
        .decrypt = true,
        .secret_keys = secret,
        .export_key = true,
        .session_keys = keys,
        .open = fake_open,
        .tell = fake_tell,
        .closure = fake,
    };

    mime_unlock (message, &how);
    *fake_out = fake;
    return message;
}

static void
test_trees (void **state)
{
    static const struct row {
        const char *body, *tree, *told, *tags;
    } rows[] = {
        {"\nx\n", "0 text/plain", NULL, ""},
        {SEALED ("b", "mine:\nhidden\n"),
         "0 multipart/encrypted, 1 application/pgp-encrypted, 1 text/plain", NULL, "encrypted "},
        {SEALED ("b", "mine:Content-Type: text/x\nContent-Disposition: attachment\n\nhidden\n"),
         "0 multipart/encrypted, 1 application/pgp-encrypted, 1 text/x!", NULL,
         "attachment encrypted "},
        {SEALED ("b", "theirs:\nhidden\n"),
         "0 multipart/encrypted, 1 application/pgp-encrypted, 1 application/octet-stream",
         "Failed to decrypt part: another key|", "encrypted "},
        {SEALED ("b", "mine:"),
         "0 multipart/encrypted, 1 application/pgp-encrypted, 1 application/octet-stream",
         "Failed to decrypt part: Cannot decrypt multipart/encrypted part: failed to parse "
         "decrypted content.|",
         "encrypted "},
        {SEALED ("b", "mine:no header\n"),
         "0 multipart/encrypted, 1 application/pgp-encrypted, 1 text/plain", NULL, "encrypted "},
        {"Content-Type: multipart/mixed; boundary=m\n\n--m\nContent-Type: text/plain\n\n\n"
         "--m\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n"
         "--m\nContent-Type: application/octet-stream\n\nmine:\nhidden\n\n--m--\n",
         "0 multipart/encrypted, 1 application/pgp-encrypted, 1 text/plain", NULL, "encrypted "},
        {"Content-Type: multipart/mixed; boundary=m\n\n--m\nContent-Type: text/plain\n\nno\n"
         "--m\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n"
         "--m\nContent-Type: application/octet-stream\n\nmine:\nhidden\n\n--m--\n",
         "0 multipart/mixed, 1 text/plain, 1 application/pgp-encrypted, "
         "1 application/octet-stream",
         NULL, ""},
    };

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        void *ctx = talloc_new (NULL);
        struct fake *fake;
        struct mime_message *message = unlock_with (ctx, rows[i].body, &fake, true, NULL);
        char *tags = talloc_strdup (ctx, "");

        assert_string_equal (tree_of (ctx, message), rows[i].tree);
        assert_string_equal (fake->told ? fake->told : "", rows[i].told ? rows[i].told : "");
        for (const char *const *tag = mime_message_tags (message, NULL); *tag; tag++)
            tags = talloc_asprintf_append (tags, "%s ", *tag);
        assert_string_equal (tags, rows[i].tags);
        talloc_free (ctx);
    }
}

static void
test_words (void **state)
{
    void *ctx = talloc_new (NULL);
    struct fake *fake;
    struct mime_message *message =
        unlock_with (ctx, SEALED ("b", "mine:Content-Transfer-Encoding: base64\n\naGlkZGVu\n"),
                     &fake, true, NULL);

    (void) state;
    assert_string_equal (words_of (ctx, message, 3), "hidden");
    assert_true (mime_message_crypto (message)->succeeded);
    assert_int_equal (mime_message_crypto (message)->session_key_count, 1);
    assert_true (mime_part_was_sealed (message, &mime_parts (message, NULL)[2]));
    assert_false (mime_part_was_sealed (message, &mime_parts (message, NULL)[1]));
    talloc_free (ctx);
}

/* Session keys come first, one after the other; without one that fits nobody is asked for more. */
static void
test_session_keys (void **state)
{
    static const char *const keys[] = {"9:11", "9:22", NULL};
    void *ctx = talloc_new (NULL);
    struct fake *fake;
    struct mime_message *message =
        unlock_with (ctx, SEALED ("b", "9:22:\nhidden\n"), &fake, false, keys);

    (void) state;
    assert_int_equal (fake->asked, 2);
    assert_true (mime_message_crypto (message)->succeeded);
    assert_int_equal (mime_message_crypto (message)->session_key_count, 0);
    unlock_with (ctx, SEALED ("b", "mine:\nhidden\n"), &fake, false, keys);
    assert_int_equal (fake->asked, 2);
    message = unlock_with (ctx, SEALED ("b", "mine:\nhidden\n"), &fake, true, keys);
    assert_int_equal (fake->asked, 3);
    assert_int_equal (mime_message_crypto (message)->session_key_count, 1);
    message = unlock_with (ctx, SEALED ("b", "mine:\nhidden\n"), &fake, false, NULL);
    assert_int_equal (fake->asked, 0);
    assert_false (mime_message_crypto (message)->failed);
    assert_string_equal (fake->told, "Failed to decrypt part: no error explanation given|");
    talloc_free (ctx);
}

/* Each part has a key of its own: one that has opened a part is tried last. */
static void
test_key_order (void **state)
{
    static const char *const keys[] = {"9:11", "9:22", "9:33", NULL};
    void *ctx = talloc_new (NULL);
    struct fake *fake;

    (void) state;
    unlock_with (
        ctx,
        "Content-Type: multipart/mixed; boundary=m\n\n--m\n" SEALED (
            "a",
            "9:11:\nx\n") "--m\n" SEALED ("b",
                                          "9:33:\nx\n") "--m\n" SEALED ("c",
                                                                        "9:22:\nx\n") "--"
                                                                                      "m\n" SEALED (
                                                                                          "d",
                                                                                          "9:22:"
                                                                                          "\nx\n") "--m--\n",
        &fake, false, keys);
    assert_int_equal (fake->asked, 1 + 2 + 1 + 3);
    assert_null (fake->told);
    talloc_free (ctx);
}

/* Each try runs gpg: a message of many parts with many keys must not do so for minutes. */
static void
test_many_keys (void **state)
{
    enum { COUNT = 400, MOST = 300 };
    void *ctx = talloc_new (NULL);
    const char **keys = talloc_zero_array (ctx, const char *, COUNT + 1);
    char *last = talloc_asprintf (ctx, SEALED ("b", "9:%03d:\nhidden\n"), COUNT - 1);
    struct fake *fake;

    (void) state;
    for (int i = 0; i < COUNT; i++)
        keys[i] = talloc_asprintf (ctx, "9:%03d", i);
    unlock_with (ctx, last, &fake, false, keys);
    assert_int_equal (fake->asked, MOST);
    assert_string_equal (fake->told,
                         "Failed to decrypt part: too many session keys have been tried|");
    unlock_with (ctx, SEALED ("b", "mine:\nhidden\n"), &fake, true, keys);
    assert_int_equal (fake->asked, MOST + 1);
    assert_null (fake->told);
    unlock_with (ctx,
                 talloc_asprintf (ctx,
                                  "Content-Type: multipart/mixed; boundary=m\n\n--m\n%s--m\n%s"
                                  "--m--\n",
                                  last, SEALED ("c", "9:000:\nhidden\n")),
                 &fake, false, keys);
    assert_int_equal (fake->asked, MOST);
    talloc_free (ctx);
}

/* Session keys are of OpenPGP: for anything else they are no leave to use secret keys. */
static void
test_other_protocol (void **state)
{
    static const char *const keys[] = {"mine", NULL};
    static const char enveloped[] =
        "Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nmine:\nhidden\n";
    struct crypto_request request = {.protocol = "application/pkcs7-mime", .session_key = "9:11"};
    struct crypto_result result;
    void *ctx = talloc_new (NULL);
    struct fake *fake;
    int input = mail_file ("x", 1);

    (void) state;
    assert_false (mime_message_crypto (unlock_with (ctx, enveloped, &fake, false, keys))->failed);
    assert_int_equal (fake->asked, 0);
    unlock_with (ctx, enveloped, &fake, true, keys);
    assert_int_equal (fake->asked, 1);
    assert_false (crypto_open (ctx, &request, input, &result));
    assert_string_equal (result.error, "it has no session key");
    close (input);
    talloc_free (ctx);
}

static void
test_subjects (void **state)
{
#define PROTECTED "Content-Type: text/plain; protected-headers=v1\nSubject: in\n\nx\n"
    static const struct row {
        const char *body, *subject;
        bool all;
    } rows[] = {
        {SEALED ("b", "mine:" PROTECTED), "in", true},
        {SEALED ("b", "mine:Subject: in\n\nx\n"), NULL, true},
        {SEALED ("b", "mine:Content-Type: message/rfc822; forwarded=no\n\nSubject: in\n\nx\n"),
         "in", true},
        {SEALED ("b", "mine:Content-Type: message/rfc822\n\nSubject: in\n\nx\n"), NULL, true},
        {SEALED ("b", "mine:" SEALED ("c", "mine:" PROTECTED)), "in", true},
        {"Content-Type: multipart/mixed; boundary=m\n\n--m\n" SEALED (
             "b", "mine:" PROTECTED) "\n--m\n\nfooter\n--m--\n",
         NULL, false},
        {SEALED ("b", "mine:Content-Type: multipart/mixed; boundary=d; protected-headers=v1\n"
                      "Subject: in\n\n--d\nContent-Type: text/plain; protected-headers=v1\n\n"
                      "Subject: in\n\n--d\n\nx\n--d--\n"),
         "in", true},
    };

    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
        void *ctx = talloc_new (NULL);
        struct fake *fake;
        struct mime_message *message = unlock_with (ctx, rows[i].body, &fake, true, NULL);
        const struct mail_security *content = &mime_message_crypto (message)->content;

        assert_true (content->decrypted);
        assert_int_equal (content->decrypted_all, rows[i].all);
        if (rows[i].subject != NULL)
            assert_string_equal (mime_message_hidden_subject (message), rows[i].subject);
        else
            assert_null (mime_message_hidden_subject (message));
        assert_int_equal (mime_message_crypto (message)->legacy_display, i == 6);
        talloc_free (ctx);
    }
}

/* What never comes to an end. */
static void
test_loop (void **state)
{
    void *ctx = talloc_new (NULL);
    struct fake *fake;
    struct mime_message *message = unlock_with (ctx, LOOP, &fake, true, NULL);
    size_t count;

    (void) state;
    mime_parts (message, &count);
    assert_int_equal (fake->asked, 100);
    assert_in_range (count, 200, 400);
    talloc_free (ctx);
}

/* ---- signed CMS objects ---- */

static bool
collect (void *closure, const char *bytes, size_t length)
{
    g_string_append_len (closure, bytes, (gssize) length);
    return true;
}

#define OID_SIGNED "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02"
#define OID_DATA "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01"

static const struct cms {
    const char *bytes;
    size_t length;
    const char *content;
} objects[] = {
#define OBJECT(text, content) \
    { \
        text, sizeof (text) - 1, content \
    }
    /* with lengths */
    OBJECT ("\x30\x28" OID_SIGNED "\xa0\x1b\x30\x19\x02\x01\x01\x31\x00\x30\x12" OID_DATA
            "\xa0\x05\x04\x03xyz",
            "xyz"),
    /* open ends, in pieces, something in the set of algorithms */
    OBJECT ("\x30\x80" OID_SIGNED "\xa0\x80\x30\x80\x02\x01\x01\x31\x80\x30\x80\x05\x00\x00\x00"
            "\x00\x00\x30\x80" OID_DATA
            "\xa0\x80\x24\x80\x04\x01x\x24\x80\x04\x01y\x00\x00\x04\x01z"
            "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
            "xyz"),
    /* a long form of a length */
    OBJECT ("\x30\x80" OID_SIGNED "\xa0\x80\x30\x80\x02\x01\x01\x31\x00\x30\x80" OID_DATA
            "\xa0\x80\x04\x83\x00\x00\x03xyz",
            "xyz"),
    /* no content, another object, nonsense */
    OBJECT ("\x30\x21" OID_SIGNED "\xa0\x14\x30\x12\x02\x01\x01\x31\x00\x30\x0b" OID_DATA, NULL),
    OBJECT ("\x30\x0d" OID_DATA "\xa0\x00", NULL),
    OBJECT ("\x30\x80" OID_SIGNED "\xa0\x80\x30\x80\x02\x01\x01\x31\x00\x30\x80" OID_DATA
            "\xa0\x80\x04\x88\xff\xff\xff\xff\xff\xff\xff\xffxyz",
            NULL),
    OBJECT ("no object", NULL),
    OBJECT ("", NULL),
};

static void
test_cms (void **state)
{
    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (objects); i++) {
        GString *all = g_string_new (NULL);
        bool found = cms_write_content (objects[i].bytes, objects[i].length,
                                        (struct mail_sink){collect, all});

        assert_int_equal (found, objects[i].content != NULL);
        if (found)
            assert_string_equal (all->str, objects[i].content);
        g_string_free (all, TRUE);
    }
}

/* Cut off anywhere, or with any byte another: no more is read than there is. */
static void
test_cms_damaged (void **state)
{
    (void) state;
    for (size_t i = 0; i < G_N_ELEMENTS (objects); i++) {
        for (size_t n = 0; n < objects[i].length * 8; n++) {
            size_t length = MIN (n, objects[i].length);
            char *copy = g_memdup2 (objects[i].bytes, length);
            GString *all = g_string_new (NULL);

            if (length > 0 && n >= length)
                copy[n / 8] ^= (char) (1 << n % 8);
            cms_write_content (copy, length, (struct mail_sink){collect, all});
            assert_true (all->len <= length);
            g_string_free (all, TRUE);
            g_free (copy);
        }
    }
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_trees),        cmocka_unit_test (test_words),
        cmocka_unit_test (test_session_keys), cmocka_unit_test (test_key_order),
        cmocka_unit_test (test_many_keys),    cmocka_unit_test (test_other_protocol),
        cmocka_unit_test (test_subjects),     cmocka_unit_test (test_loop),
        cmocka_unit_test (test_cms),          cmocka_unit_test (test_cms_damaged),
    };

    return cmocka_run_group_tests_name ("mime unlock", tests, NULL, NULL);
}
