/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unlock-open.c - opens one layer: what is encrypted, what is signed; and notes what came of it.
 */
#include "mime/unlock-private.h"

#include <string.h>
#include <talloc.h>
#include <unistd.h>

#define OPENED_MAX 100 /* parts of one message that are opened */
#define TRIES_MAX 300  /* times that a session key is tried for them: each runs gpg */

/* ---- saying what is wrong ---- */

static void
tell (struct unlocking *unlocking, const char *what, const char *why)
{
    char *line;

    if (unlocking->how->tell == NULL)
        return;
    line = talloc_asprintf (NULL, "%s%s", what, why);
    unlocking->how->tell (unlocking->how->closure, line);
    talloc_free (line);
}

bool
unlock_has_two_parts (struct unlocking *unlocking, struct found found, const char *type)
{
    size_t count = unlock_count (found);
    char *line;

    if (count == 2)
        return true;
    line = talloc_asprintf (NULL, "Error: %zu part(s) for a %s message (must be exactly 2)", count,
                            type);
    tell (unlocking, line, "");
    talloc_free (line);
    return false;
}

/* A reason not to try; NULL for none. verb: "verify", "decrypt". */
static char *
protocol_problem (void *ctx, struct found found, const char *verb, const char *part,
                  const char *noun)
{
    const char *protocol = source_of (found)->protocol;

    if (protocol == NULL)
        return talloc_asprintf (ctx, "Cannot %s %s part: unspecified %s protocol.", verb, part,
                                noun);
    if (!crypto_knows (protocol))
        return talloc_asprintf (ctx, "Cannot %s %s part: unregistered %s protocol '%s'.", verb,
                                part, noun, mime_line (ctx, protocol, strlen (protocol)));
    return NULL;
}

/* Types of protocols, "x-" or not. */
static bool
same_type (const char *a, const char *b)
{
    const char *x = strcasestr (a, "/x-"), *y = strcasestr (b, "/x-");

    x = x != NULL ? x + 3 : strchr (a, '/') + 1;
    y = y != NULL ? y + 3 : strchr (b, '/') + 1;
    return g_ascii_strcasecmp (x, y) == 0;
}

/* ---- what came of it ---- */

static void
note_signatures (struct unlocking *unlocking, struct mail_part_security *crypto,
                 const struct crypto_result *result)
{
    struct mail_security *whole = &unlocking->message->crypto.content;

    crypto->signatures = result->signatures;
    crypto->signature_count = result->signature_count;
    if (unlocking->message->crypto.payload || result->signature_count == 0)
        return;
    whole->signatures = result->signatures;
    whole->signature_count = result->signature_count;
    whole->signed_inside = whole->decrypted_all;
}

static void
note_decrypted (struct unlocking *unlocking)
{
    struct mime_crypto *crypto = &unlocking->message->crypto;

    crypto->succeeded = true;
    if (!crypto->payload)
        crypto->content.decrypted_all = true;
    crypto->content.decrypted = true;
}

static void
note_session_key (struct unlocking *unlocking, const char *key)
{
    struct mime_crypto *crypto = &unlocking->message->crypto;

    if (key == NULL)
        return;
    crypto->session_keys = talloc_realloc (unlocking->message, crypto->session_keys, const char *,
                                           crypto->session_key_count + 2);
    crypto->session_keys[crypto->session_key_count++] = talloc_strdup (unlocking->message, key);
    crypto->session_keys[crypto->session_key_count] = NULL;
}

/* ---- opening ---- */

static bool
has_keys (const struct unlocking *unlocking)
{
    return unlocking->how->secret_keys || *unlocking->session_keys != NULL;
}

static struct mail_part_security *
begin_crypto (struct unlocking *unlocking, size_t out)
{
    struct mail_part_security *crypto = talloc_zero (unlocking->message, struct mail_part_security);

    unlocking->message->sources[out].crypto = crypto;
    return crypto;
}

static bool
to_file (void *closure, const char *bytes, size_t length)
{
    int fd = *(int *) closure;

    while (length > 0) {
        ssize_t n = write (fd, bytes, length);

        if (n <= 0)
            return false;
        bytes += n;
        length -= (size_t) n;
    }
    return true;
}

/* The bytes of a leaf as a file; -1 where they are too many. */
static int
leaf_file (struct found found)
{
    int fd = crypto_file ();

    if (fd < 0)
        return -1;
    if (mime_part_write (found.in, part_of (found), (struct mail_sink){to_file, &fd}) &&
        ftruncate (fd, lseek (fd, 0, SEEK_CUR)) == 0)
        return fd;
    close (fd);
    return -1;
}

/* What was opened as parts; NULL where there is nothing. The file is closed. */
static struct mime_message *
parse_clear (struct unlocking *unlocking, struct crypto_result *result)
{
    struct mime_message *clear = mime_entity_parse (unlocking->message, result->clear);

    close (result->clear);
    result->clear = -1;
    if (clear != NULL && clear->source->size == 0)
        TALLOC_FREE (clear);
    return clear;
}

/* The key has opened a part, and others have other keys: the next time it is the last one tried. */
static void
put_last (const char **keys, size_t at)
{
    const char *key = keys[at];

    for (; keys[at + 1] != NULL; at++)
        keys[at] = keys[at + 1];
    keys[at] = key;
}

/* The session keys, one after the other. */
static bool
try_session_keys (struct unlocking *unlocking, void *ctx, struct crypto_request *request, int input,
                  struct crypto_result *result, bool *tried)
{
    const struct mime_unlock *how = unlocking->how;
    const char **keys = unlocking->session_keys;

    for (size_t i = 0; keys[i] != NULL && unlocking->tries < TRIES_MAX; i++) {
        *tried = true;
        unlocking->tries++;
        request->session_key = keys[i];
        if (how->open (how->closure, ctx, request, input, result)) {
            put_last (keys, i);
            return true;
        }
    }
    request->session_key = NULL;
    if (unlocking->tries == TRIES_MAX)
        result->error = talloc_strdup (ctx, "too many session keys have been tried");
    return false;
}

/* One key after the other; session_key of the request is the right one, or NULL. */
static bool
try_keys (struct unlocking *unlocking, void *ctx, struct crypto_request *request, int input,
          struct crypto_result *result, bool *tried)
{
    const struct mime_unlock *how = unlocking->how;

    if (crypto_has_session_keys (request->protocol) &&
        try_session_keys (unlocking, ctx, request, input, result, tried))
        return true;
    if (!how->secret_keys)
        return false;
    *tried = true;
    request->export_key = how->export_key;
    return how->open (how->closure, ctx, request, input, result);
}

/* Decrypts a leaf; NULL, and why not, where that fails. */
static struct mime_message *
decrypt_leaf (struct unlocking *unlocking, struct found found, const char *protocol,
              const char *part_name, struct mail_part_security *crypto, char **why)
{
    struct mime_message *clear = NULL, *message = unlocking->message;
    struct crypto_request request = {.protocol = protocol};
    struct crypto_result result = {.clear = -1};
    int input = message->crypto.opened++ < OPENED_MAX ? leaf_file (found) : -1;

    if (input < 0) {
        *why = talloc_strdup (message, "there is too much of it");
        return NULL;
    }
    if (try_keys (unlocking, message, &request, input, &result, &crypto->decrypt_tried)) {
        clear = parse_clear (unlocking, &result);
        if (clear == NULL)
            result.error = talloc_asprintf (
                message, "Cannot decrypt %s part: failed to parse decrypted content.", part_name);
    }
    close (input);
    *why = result.error;
    if (clear == NULL)
        return NULL;
    crypto->decrypted = true;
    note_decrypted (unlocking);
    note_session_key (unlocking, result.session_key);
    crypto->verify_tried = result.signature_count > 0;
    note_signatures (unlocking, crypto, &result);
    return clear;
}

static struct mime_message *
not_decrypted (struct unlocking *unlocking, struct mail_part_security *crypto, const char *why)
{
    unlocking->message->crypto.failed |= crypto->decrypt_tried;
    tell (unlocking, "Failed to decrypt part: ", why != NULL ? why : "no error explanation given");
    return NULL;
}

struct mime_message *
unlock_encrypted (struct unlocking *unlocking, struct found found, struct found version,
                  struct found octets, size_t out)
{
    static const char name[] = "multipart/encrypted";
    struct mail_part_security *crypto = begin_crypto (unlocking, out);
    struct mime_message *clear = NULL;
    bool mixed_up = unlock_layer_of (found) == LAYER_MIXED_UP;
    const char *protocol = mixed_up ? "application/pgp-encrypted" : source_of (found)->protocol;
    char *why = NULL;

    if (!has_keys (unlocking))
        return not_decrypted (unlocking, crypto, NULL);
    if (!mixed_up)
        why = protocol_problem (crypto, found, "decrypt", name, "encryption");
    if (why == NULL && !same_type (part_of (version)->type, protocol))
        why = talloc_strdup (crypto, "Cannot decrypt multipart/encrypted part: content-type does "
                                     "not match protocol.");
    else if (why == NULL && strcmp (part_of (octets)->type, "application/octet-stream") != 0)
        why = talloc_strdup (crypto,
                             "Cannot decrypt multipart/encrypted part: unexpected content type.");
    if (why == NULL)
        clear = decrypt_leaf (unlocking, octets, protocol, name, crypto, &why);
    else
        crypto->decrypt_tried = true;
    return clear != NULL ? clear : not_decrypted (unlocking, crypto, why);
}

struct mime_message *
unlock_enveloped (struct unlocking *unlocking, struct found found, size_t out)
{
    struct mail_part_security *crypto = begin_crypto (unlocking, out);
    struct mime_message *clear = NULL;
    char *why = NULL;

    if (unlocking->how->secret_keys)
        clear = decrypt_leaf (unlocking, found, "application/pkcs7-mime", part_of (found)->type,
                              crypto, &why);
    return clear != NULL ? clear : not_decrypted (unlocking, crypto, why);
}

struct mime_message *
unlock_opaque (struct unlocking *unlocking, struct found found, size_t out)
{
    const struct mime_unlock *how = unlocking->how;
    struct mail_part_security *crypto = begin_crypto (unlocking, out);
    struct crypto_request request = {.protocol = "application/pkcs7-mime", .is_signed = true};
    struct crypto_result result = {.clear = -1};
    struct mime_message *clear = NULL;
    int input = unlocking->message->crypto.opened++ < OPENED_MAX ? leaf_file (found) : -1;

    crypto->verify_tried = true;
    if (input >= 0 && how->open (how->closure, unlocking->message, &request, input, &result)) {
        note_signatures (unlocking, crypto, &result);
        clear = parse_clear (unlocking, &result);
    } else {
        tell (unlocking, "Failed to verify signed part: ",
              result.error != NULL ? result.error : "no error explanation given");
    }
    if (input >= 0)
        close (input);
    return clear;
}

/* What a detached signature is about: the part as it lies in the file, with CRLF line ends. */
static GMimeStream *
signed_content (void *ctx, struct found found)
{
    const struct mime_part *source = source_of (found);
    size_t length = source->end - source->header;
    GMimeStream *bytes, *stream;
    GMimeFilter *filter;

    if (source->file->memory != NULL)
        bytes = g_mime_stream_mem_new_with_buffer (source->file->memory + source->header, length);
    else {
        bytes = g_mime_stream_fs_new_with_bounds (source->file->fd, (gint64) source->header,
                                                  (gint64) source->end);
        g_mime_stream_fs_set_owner (GMIME_STREAM_FS (bytes), FALSE);
        g_mime_stream_reset (bytes);
    }
    (void) ctx;
    stream = g_mime_stream_filter_new (bytes);
    filter = g_mime_filter_unix2dos_new (FALSE);
    g_mime_stream_filter_add (GMIME_STREAM_FILTER (stream), filter);
    g_object_unref (filter);
    g_object_unref (bytes);
    return stream;
}

bool
unlock_verify (struct unlocking *unlocking, struct found found, size_t out)
{
    struct mail_part_security *crypto = begin_crypto (unlocking, out);
    struct found content = unlock_child (found, 0), signature = unlock_child (found, 1);
    struct crypto_result result = {.clear = -1};
    struct mime_bytes bytes;
    GMimeStream *stream;

    crypto->verify_tried = true;
    result.error = protocol_problem (crypto, found, "verify", "multipart/signed", "signature");
    if (result.error == NULL && !same_type (part_of (signature)->type, source_of (found)->protocol))
        result.error =
            talloc_strdup (crypto, "Cannot verify multipart/signed part: signature content-type "
                                   "does not match protocol.");
    if (result.error == NULL) {
        bytes = mime_part_bytes (crypto, source_of (signature), SIZE_MAX);
        stream = signed_content (crypto, content);
        crypto_verify (unlocking->message, source_of (found)->protocol, stream, bytes.data,
                       bytes.length, &result);
        g_object_unref (stream);
    }
    if (result.error != NULL)
        tell (unlocking, "Failed to verify signed part: ", result.error);
    note_signatures (unlocking, crypto, &result);
    return result.looked;
}
