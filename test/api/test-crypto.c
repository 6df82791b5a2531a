/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-crypto.c - signed and encrypted mail through the public header, with a key made here.
 * Skipped without gpg. */
#include "helper.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define GPG "gpg --batch --yes --quiet --pinentry-mode loopback --trust-model always "

struct crypto {
    struct fixture *f;
    char *home;
    bool has_gpg;
};

/* What a command prints; fails the test where it fails. */
static char *
output_of (void *ctx, const char *command)
{
    FILE *pipe = popen (command, "r");
    char *text = talloc_strdup (ctx, ""), line[1024];
    assert_non_null (pipe);
    while (fgets (line, sizeof line, pipe))
        text = talloc_strdup_append_buffer (text, line);
    assert_int_equal (pclose (pipe), 0);
    return text;
}

static const char plain[] =
    "Content-Type: text/plain; protected-headers=v1\nSubject: Hidden pears\n"
    "\nripe figs\n";

/* gpg --encrypt or --detach-sign of the plain part, armoured. */
static char *
armoured (struct crypto *crypto, const char *how, const char *text)
{
    const char *path = helper_write (crypto->f, "plain", text);
    char *command = talloc_asprintf (crypto->f->ctx, GPG "--armor %s <'%s'", how, path);
    return output_of (crypto->f->ctx, command);
}

static void
write_mails (struct crypto *crypto)
{
    void *ctx = crypto->f->ctx;
    const char *crlf = "Content-Type: text/plain\r\n\r\ngreen figs\r\n";
    helper_mail (crypto->f, "sealed", "sealed", "...", 6,
                 "Content-Type: multipart/encrypted; boundary=b;\n"
                 " protocol=\"application/pgp-encrypted\"\n",
                 talloc_asprintf (ctx,
                                  "--b\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n\n"
                                  "--b\nContent-Type: application/octet-stream\n\n%s\n--b--\n",
                                  armoured (crypto, "--encrypt -r ann@example.org", plain)));
    helper_mail (crypto->f, "signed", "signed", "Signed", 7,
                 "Content-Type: multipart/signed; boundary=b;\n"
                 " protocol=\"application/pgp-signature\"\n",
                 talloc_asprintf (ctx,
                                  "--b\nContent-Type: text/plain\n\ngreen figs\n\n"
                                  "--b\nContent-Type: application/pgp-signature\n\n%s\n--b--\n",
                                  armoured (crypto, "--detach-sign", crlf)));
}

static int
setup (void **state)
{
    struct crypto *crypto = talloc_zero (NULL, struct crypto);
    const char *tmp = getenv ("TMPDIR");
    helper_setup ((void **) &crypto->f);
    crypto->home = talloc_asprintf (crypto, "%s/gXXXXXX", tmp ? tmp : "/tmp");
    assert_non_null (mkdtemp (crypto->home));
    setenv ("GNUPGHOME", crypto->home, 1);
    crypto->has_gpg = system ("gpg --version >/dev/null 2>&1") == 0;
    if (crypto->has_gpg) {
        talloc_free (output_of (NULL, GPG "--passphrase '' --quick-generate-key "
                                          "'Ann <ann@example.org>' default default never 2>&1"));
        write_mails (crypto);
    }
    *state = crypto;
    return 0;
}

static int
teardown (void **state)
{
    struct crypto *crypto = *state;
    char *command =
        talloc_asprintf (crypto, "gpgconf --kill all >/dev/null 2>&1; rm -rf '%s'", crypto->home);
    if (system (command) != 0)
        return -1;
    helper_teardown ((void **) &crypto->f);
    talloc_free (crypto);
    return 0;
}

static struct mail_content *
open_content (struct crypto *crypto, const char *name)
{
    struct mail_content *content;
    char *path = talloc_asprintf (crypto->f->ctx, "%s/in/cur/%s", crypto->f->root, name);
    assert_int_equal (mail_content_open (crypto->f->ctx, path, &content, NULL), MAIL_OK);
    return content;
}

static void
tell (void *closure, const char *line)
{
    char **told = closure;
    *told = talloc_asprintf_append (*told, "%s|", line);
}

static void
test_decrypt (void **state)
{
    struct crypto *crypto = *state;
    char *told = talloc_strdup (crypto->f->ctx, ""), *text;
    struct mail_unlock_options options = {.tell = tell, .closure = &told};
    size_t count, length;
    if (!crypto->has_gpg)
        skip ();
    struct mail_content *content = open_content (crypto, "sealed");
    mail_content_unlock (content, NULL, &options);
    assert_string_equal (told, "");
    assert_false (mail_content_crypto (content)->decrypted);
    content = open_content (crypto, "sealed");
    options.decrypt = MAIL_DECRYPT_AUTO;
    mail_content_unlock (content, NULL, &options);
    assert_string_equal (told, "Failed to decrypt part: no error explanation given|");
    content = open_content (crypto, "sealed");
    options.decrypt = MAIL_DECRYPT_TRUE;
    mail_content_unlock (content, NULL, &options);
    const struct mail_part *parts = mail_content_parts (content, &count);
    assert_int_equal (count, 3);
    assert_true (mail_part_crypto (content, &parts[0])->decrypted);
    assert_null (mail_part_crypto (content, &parts[2]));
    assert_int_equal (mail_part_text (crypto->f->ctx, content, &parts[2], &text, &length), MAIL_OK);
    assert_string_equal (text, "ripe figs\n");
    assert_true (mail_content_crypto (content)->decrypted_all);
    assert_string_equal (mail_content_crypto (content)->subject, "Hidden pears");
    const char *const *keys = mail_content_session_keys (content, &count);
    assert_int_equal (count, 1);
    assert_non_null (strchr (keys[0], ':'));
    assert_null (keys[1]);
}

static void
test_verify (void **state)
{
    struct crypto *crypto = *state;
    struct mail_unlock_options options = {.verify = true};
    size_t count;
    if (!crypto->has_gpg)
        skip ();
    struct mail_content *content = open_content (crypto, "signed");
    mail_content_unlock (content, NULL, &options);
    const struct mail_part *parts = mail_content_parts (content, &count);
    const struct mail_part_security *security = mail_part_crypto (content, &parts[0]);
    assert_true (security->verify_tried);
    assert_int_equal (security->signature_count, 1);
    assert_int_equal (security->signatures[0].status, MAIL_SIGNATURE_GOOD);
    assert_int_equal (strlen (security->signatures[0].fingerprint), 40);
    assert_int_equal (mail_content_crypto (content)->signature_count, 1);
    assert_false (mail_content_crypto (content)->signed_inside);
    assert_int_equal (mail_content_session_keys (content, &count)[0] != NULL, 0);
    assert_int_equal (count, 0);
}

static const char *
properties_of (struct crypto *crypto, const char *id)
{
    size_t count;
    const struct mail_property *properties =
        mail_message_properties (helper_find (crypto->f, id), &count);
    char *text = talloc_strdup (crypto->f->ctx, "");
    for (size_t i = 0; i < count; i++)
        text = talloc_asprintf_append (
            text, "%s ",
            strcmp (properties[i].key, "session-key") == 0 ? "key" : properties[i].value);
    return text;
}

static void
index_sealed (struct crypto *crypto, enum mail_decrypt decrypt, bool workers, bool reindex)
{
    struct mail_changes *changes = mail_changes_create (crypto->f->ctx, crypto->f->index);
    struct mail_apply_options options = helper_options ();
    struct mail_apply_counts counts;
    struct mail_stat sealed = helper_stat (crypto->f, "in/cur/sealed");
    options.decrypt = decrypt;
    options.reindex = reindex;
    if (workers)
        assert_int_equal (mail_workers_start (changes, 1, 0, &options.workers), MAIL_OK);
    mail_changes_add (changes, "in/cur", "sealed", &sealed);
    assert_int_equal (mail_changes_apply (changes, &options, &counts), MAIL_OK);
    talloc_free (changes);
}

/* The same from this process and from sandboxed ones. */
static void
test_index (void **state)
{
    struct crypto *crypto = *state;
    struct fixture *f = crypto->f;
    if (!crypto->has_gpg)
        skip ();
    index_sealed (crypto, MAIL_DECRYPT_AUTO, false, false);
    assert_int_equal (helper_count (f, "ripe figs"), 0);
    assert_string_equal (properties_of (crypto, "sealed@example.org"), "");
    for (int workers = 0; workers < 2; workers++) {
        index_sealed (crypto, MAIL_DECRYPT_NOSTASH, workers, true);
        assert_int_equal (helper_count (f, "\"ripe figs\" subject:pears"), 1);
        assert_string_equal (properties_of (crypto, "sealed@example.org"), "success ");
        index_sealed (crypto, MAIL_DECRYPT_TRUE, workers, true);
        assert_string_equal (properties_of (crypto, "sealed@example.org"), "success key ");
        index_sealed (crypto, MAIL_DECRYPT_AUTO, workers, true);
        assert_int_equal (helper_count (f, "\"ripe figs\""), 1);
        assert_string_equal (
            mail_message_field (helper_find (f, "sealed@example.org"), MAIL_SUBJECT),
            "Hidden pears");
        index_sealed (crypto, MAIL_DECRYPT_FALSE, workers, true);
        assert_int_equal (helper_count (f, "figs"), 0);
        assert_string_equal (properties_of (crypto, "sealed@example.org"), "");
        assert_string_equal (
            mail_message_field (helper_find (f, "sealed@example.org"), MAIL_SUBJECT), "...");
    }
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown (test_decrypt, setup, teardown),
        cmocka_unit_test_setup_teardown (test_verify, setup, teardown),
        cmocka_unit_test_setup_teardown (test_index, setup, teardown),
    };
    return cmocka_run_group_tests_name ("crypto", tests, NULL, NULL);
}
