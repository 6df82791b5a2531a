/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * crypto.c - GMime's crypto contexts asked, and what they say of signatures as plain data.
 *
 * Cleartext goes into a file in memory: it never lies on a disk, can be handed to another process,
 * and has a size that a few bytes of packed ciphertext cannot exceed.
 */
#include "mime/crypto.h"
#include "mime/cms.h"
#include "mime/mime-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <talloc.h>
#include <unistd.h>

int
crypto_file (void)
{
    int fd = memfd_create ("mail", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd >= 0 &&
        (ftruncate (fd, (off_t) CRYPTO_MAX) != 0 || fcntl (fd, F_ADD_SEALS, F_SEAL_GROW) != 0)) {
        int error = errno;

        close (fd);
        errno = error;
        return -1;
    }
    return fd;
}

/* ---- signatures ---- */

static unsigned
error_bits (GMimeSignatureStatus status)
{
    static const struct {
        GMimeSignatureStatus bit;
        enum mail_signature_error error;
    } bits[] = {
        {GMIME_SIGNATURE_STATUS_KEY_REVOKED, MAIL_SIGNATURE_KEY_REVOKED},
        {GMIME_SIGNATURE_STATUS_KEY_EXPIRED, MAIL_SIGNATURE_KEY_EXPIRED},
        {GMIME_SIGNATURE_STATUS_SIG_EXPIRED, MAIL_SIGNATURE_SIG_EXPIRED},
        {GMIME_SIGNATURE_STATUS_KEY_MISSING, MAIL_SIGNATURE_KEY_MISSING},
        {GMIME_SIGNATURE_STATUS_CRL_MISSING, MAIL_SIGNATURE_CRL_MISSING},
        {GMIME_SIGNATURE_STATUS_CRL_TOO_OLD, MAIL_SIGNATURE_CRL_TOO_OLD},
        {GMIME_SIGNATURE_STATUS_BAD_POLICY, MAIL_SIGNATURE_BAD_POLICY},
        {GMIME_SIGNATURE_STATUS_SYS_ERROR, MAIL_SIGNATURE_SYS_ERROR},
        {GMIME_SIGNATURE_STATUS_TOFU_CONFLICT, MAIL_SIGNATURE_TOFU_CONFLICT},
    };
    unsigned errors = 0;

    for (size_t i = 0; i < G_N_ELEMENTS (bits); i++)
        if ((status & bits[i].bit) != 0)
            errors |= bits[i].error;
    return errors;
}

static enum mail_signature_status
overall (GMimeSignatureStatus status)
{
    if ((status & GMIME_SIGNATURE_STATUS_RED) != 0)
        return MAIL_SIGNATURE_BAD;
    return (status & GMIME_SIGNATURE_STATUS_ERROR_MASK) != 0 ? MAIL_SIGNATURE_ERROR
                                                             : MAIL_SIGNATURE_GOOD;
}

static const char *
copy_text (void *ctx, const char *text)
{
    return text != NULL && *text != '\0' ? mime_line (ctx, text, strlen (text)) : NULL;
}

static void
describe (void *ctx, GMimeSignature *from, struct mail_signature *to)
{
    GMimeCertificate *certificate = g_mime_signature_get_certificate (from);
    GMimeSignatureStatus status = g_mime_signature_get_status (from);

    to->status = overall (status);
    to->errors = error_bits (status);
    to->created = g_mime_signature_get_created64 (from);
    to->expires = g_mime_signature_get_expires64 (from);
    if (certificate == NULL)
        return;
    to->fingerprint = copy_text (ctx, g_mime_certificate_get_fingerprint (certificate));
    to->key_id = copy_text (ctx, g_mime_certificate_get_key_id (certificate));
    switch (g_mime_certificate_get_id_validity (certificate)) {
    case GMIME_VALIDITY_FULL:
    case GMIME_VALIDITY_ULTIMATE:
        to->user_id = copy_text (ctx, g_mime_certificate_get_user_id (certificate));
        to->email = copy_text (ctx, g_mime_certificate_get_email (certificate));
        break;
    default:
        break;
    }
}

static void
take_signatures (void *ctx, GMimeSignatureList *list, struct crypto_result *result)
{
    int count = list != NULL ? g_mime_signature_list_length (list) : 0;

    result->looked = list != NULL;
    result->signatures = talloc_zero_array (ctx, struct mail_signature, count);
    result->signature_count = (size_t) count;
    for (int i = 0; i < count; i++)
        describe (ctx, g_mime_signature_list_get_signature (list, i), &result->signatures[i]);
}

/* ---- requests ---- */

static void
take_error (void *ctx, GError *error, struct crypto_result *result)
{
    const char *text = error != NULL ? error->message : "no error explanation given";

    result->error = mime_line (ctx, text, strlen (text));
    g_clear_error (&error);
}

/* A stream into the file, in which lines end in LF. */
static GMimeStream *
stream_into (int fd)
{
    GMimeStream *file = g_mime_stream_fs_new (fd), *stream = g_mime_stream_filter_new (file);
    GMimeFilter *filter = g_mime_filter_dos2unix_new (FALSE);

    g_mime_stream_fs_set_owner (GMIME_STREAM_FS (file), FALSE);
    g_mime_stream_filter_add (GMIME_STREAM_FILTER (stream), filter);
    g_object_unref (filter);
    g_object_unref (file);
    return stream;
}

static bool
decrypt (void *ctx, GMimeCryptoContext *context, const struct crypto_request *request,
         GMimeStream *input, GMimeStream *output, struct crypto_result *result)
{
    GMimeDecryptFlags flags =
        request->export_key ? GMIME_DECRYPT_EXPORT_SESSION_KEY : GMIME_DECRYPT_NONE;
    GError *error = NULL;
    GMimeDecryptResult *opened =
        g_mime_crypto_context_decrypt (context, flags, request->session_key, input, output, &error);

    if (opened == NULL) {
        take_error (ctx, error, result);
        return false;
    }
    take_signatures (ctx, g_mime_decrypt_result_get_signatures (opened), result);
    if (request->export_key)
        result->session_key = talloc_strdup (ctx, g_mime_decrypt_result_get_session_key (opened));
    g_object_unref (opened);
    return true;
}

static bool
take_apart (void *ctx, GMimeCryptoContext *context, GMimeStream *input, GMimeStream *output,
            struct crypto_result *result)
{
    GError *error = NULL;
    GMimeSignatureList *list =
        g_mime_crypto_context_verify (context, GMIME_VERIFY_NONE, input, NULL, output, &error);

    if (list == NULL) {
        take_error (ctx, error, result);
        return false;
    }
    take_signatures (ctx, list, result);
    g_object_unref (list);
    return true;
}

/* GMime itself cannot be asked where gpg is out of sight. */
bool
crypto_knows (const char *protocol)
{
    static const char *const known[] = {
        "application/pgp-signature",   "application/x-pgp-signature",
        "application/pgp-encrypted",   "application/x-pgp-encrypted",
        "application/pkcs7-signature", "application/x-pkcs7-signature",
        "application/pkcs7-mime",      "application/x-pkcs7-mime",
    };

    for (size_t i = 0; i < G_N_ELEMENTS (known); i++)
        if (g_ascii_strcasecmp (protocol, known[i]) == 0)
            return true;
    return false;
}

bool
crypto_has_session_keys (const char *protocol)
{
    return g_ascii_strcasecmp (protocol, "application/pgp-encrypted") == 0 ||
           g_ascii_strcasecmp (protocol, "application/x-pgp-encrypted") == 0;
}

bool
crypto_open (void *ctx, const struct crypto_request *request, int input,
             struct crypto_result *result_out)
{
    GMimeCryptoContext *context;
    GMimeStream *in, *out;
    int clear;
    bool done = false;
    off_t length = 0;

    *result_out = (struct crypto_result){.clear = -1};
    if (request->session_key != NULL && !crypto_has_session_keys (request->protocol)) {
        result_out->error = talloc_strdup (ctx, "it has no session key");
        return false;
    }
    clear = crypto_file ();
    mime_init ();
    context = g_mime_crypto_context_new (request->protocol);
    if (context == NULL || clear < 0 || lseek (input, 0, SEEK_SET) != 0)
        goto done;
    in = g_mime_stream_fs_new (input);
    g_mime_stream_fs_set_owner (GMIME_STREAM_FS (in), FALSE);
    out = stream_into (clear);
    done = request->is_signed ? take_apart (ctx, context, in, out, result_out)
                              : decrypt (ctx, context, request, in, out, result_out);
    g_mime_stream_flush (out);
    length = lseek (clear, 0, SEEK_CUR);
    g_object_unref (in);
    g_object_unref (out);
done:
    g_clear_object (&context);
    if (done && length >= 0 && ftruncate (clear, length) == 0)
        result_out->clear = clear;
    else if (clear >= 0)
        close (clear);
    return result_out->clear >= 0;
}

static bool
write_content (void *closure, const char *bytes, size_t length)
{
    GMimeStream *stream = closure;

    return g_mime_stream_write (stream, bytes, length) == (ssize_t) length;
}

bool
crypto_take_apart (void *ctx, int input, struct crypto_result *result_out)
{
    off_t length = lseek (input, 0, SEEK_END);
    char *bytes =
        length > 0 ? mmap (NULL, (size_t) length, PROT_READ, MAP_SHARED, input, 0) : MAP_FAILED;
    int clear = bytes != MAP_FAILED ? crypto_file () : -1;
    bool done = false;

    *result_out = (struct crypto_result){.clear = -1};
    if (clear >= 0) {
        GMimeStream *stream = stream_into (clear);

        done =
            cms_write_content (bytes, (size_t) length, (struct mail_sink){write_content, stream});
        g_mime_stream_flush (stream);
        g_object_unref (stream);
    }
    if (bytes != MAP_FAILED)
        munmap (bytes, (size_t) length);
    if (done && ftruncate (clear, lseek (clear, 0, SEEK_CUR)) == 0)
        result_out->clear = clear;
    else if (clear >= 0)
        close (clear);
    if (result_out->clear < 0)
        result_out->error = talloc_strdup (ctx, "there is no signed content in it");
    return result_out->clear >= 0;
}

void
crypto_verify (void *ctx, const char *protocol, GMimeStream *content, const char *signature,
               size_t length, struct crypto_result *result_out)
{
    GMimeStream *detached = g_mime_stream_mem_new_with_buffer (signature, length);
    GMimeCryptoContext *context;
    GMimeSignatureList *list = NULL;
    GError *error = NULL;

    *result_out = (struct crypto_result){.clear = -1};
    mime_init ();
    context = g_mime_crypto_context_new (protocol);
    if (context != NULL)
        list = g_mime_crypto_context_verify (context, GMIME_VERIFY_NONE, content, detached, NULL,
                                             &error);
    if (list == NULL)
        take_error (ctx, error, result_out);
    else
        take_signatures (ctx, list, result_out);
    g_clear_object (&list);
    g_clear_object (&context);
    g_object_unref (detached);
}
