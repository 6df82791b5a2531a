/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unlock.c - owns the way from the parts that a file has to those that a person reads.
 *
 * The array of parts is written anew, depth-first, and each layer is opened when it is met: what
 * was encrypted stands in the place of its ciphertext, in a file of its own. What stands between
 * the message and its content (RFC 9788 calls it the cryptographic envelope) decides what can be
 * said of the message as a whole. What decrypts is the caller's, so that this runs in a sandbox
 * too.
 */
#include "mime/crypto.h"
#include "mime/mime-private.h"
#include "schema.h"

#include <string.h>
#include <talloc.h>
#include <unistd.h>

#define NONE SIZE_MAX
#define OPENED_MAX 100 /* parts of one message that are opened */

/* One mime_unlock(): from the old arrays to those of message. */
struct unlocking {
    struct mime_message *message;
    const struct mime_unlock *how;
};

/* A part as it was found: in the file, or in what was decrypted. */
struct found {
    struct mime_message *in;
    size_t index;
};

enum layer {
    LAYER_NONE,
    LAYER_SIGNED,
    LAYER_ENCRYPTED,
    LAYER_MIXED_UP,
    LAYER_OPAQUE,
    LAYER_ENVELOPED
};

static const struct mail_part *
part_of (struct found found)
{
    return &found.in->parts[found.index];
}

static const struct mime_part *
source_of (struct found found)
{
    return &found.in->sources[found.index];
}

static enum layer
layer_of (struct found found)
{
    if (mime_type_is (found.in, found.index, "multipart/signed"))
        return LAYER_SIGNED;
    if (mime_type_is (found.in, found.index, "multipart/encrypted"))
        return LAYER_ENCRYPTED;
    if (mime_is_mixed_up (found.in, found.index))
        return LAYER_MIXED_UP;
    if (mime_is_smime (found.in, found.index, "signed-data"))
        return LAYER_OPAQUE;
    if (mime_is_smime (found.in, found.index, "enveloped-data") ||
        mime_is_smime (found.in, found.index, "authEnveloped-data"))
        return LAYER_ENVELOPED;
    return LAYER_NONE;
}

/* The nth child; an index of NONE where there are not so many. */
static struct found
child (struct found parent, size_t nth)
{
    size_t end = part_of (parent)->end, at = parent.index + 1;

    for (; nth > 0 && at < end; nth--)
        at = parent.in->parts[at].end;
    return (struct found){parent.in, at < end ? at : NONE};
}

static size_t
count_children (struct found parent)
{
    size_t count = 0;

    while (child (parent, count).index != NONE)
        count++;
    return count;
}

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

/* Whether a multipart/signed or multipart/encrypted is whole. */
static bool
has_two_parts (struct unlocking *unlocking, struct found found, const char *type)
{
    size_t count = count_children (found);
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

/* ---- the message as a whole ---- */

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

/* Whether a part is where a layer has its content. */
static bool
is_content (const struct mime_message *message, size_t out)
{
    size_t parent = message->sources[out].parent;

    if (parent == NONE || message->sources[out].clear)
        return true;
    if (mime_type_is (message, parent, "multipart/encrypted"))
        return out != parent + 1;
    return !mime_type_is (message, parent, "multipart/signed") || out == parent + 1;
}

/* The first part that is no layer is what the message is about; its header may have a subject that
 * counts for more than the one outside. */
static void
note_payload (struct unlocking *unlocking, size_t out)
{
    struct mime_message *message = unlocking->message;
    const struct mime_part *source = &message->sources[out];
    struct mime_crypto *crypto = &message->crypto;

    if (crypto->payload || !is_content (message, out))
        return;
    crypto->payload = true;
    if (source->parent == NONE)
        return;
    if (source->protects)
        crypto->content.subject = source->subject;
    else if (message->parts[out].kind == MAIL_PART_MESSAGE && source->not_forwarded &&
             source->inner != NULL)
        crypto->content.subject = mime_headers_get (source->inner, "subject", 0);
}

/* A part that repeats protected fields for programs that do not know of them. */
static bool
is_display_part (struct found found)
{
    return source_of (found)->protects &&
           (mime_type_is (found.in, found.index, "text/plain") ||
            mime_type_is (found.in, found.index, "text/rfc822-headers"));
}

/* Where the payload is to be found: in the second of two parts if the first is such a one. */
static struct found
without_display_part (struct unlocking *unlocking, struct found found)
{
    if (!unlocking->message->crypto.content.decrypted_all ||
        !mime_type_is (found.in, found.index, "multipart/mixed") || !source_of (found)->protects ||
        count_children (found) != 2 || !is_display_part (child (found, 0)))
        return found;
    unlocking->message->crypto.legacy_display = unlocking->message->crypto.payload = true;
    unlocking->message->crypto.content.subject = source_of (found)->subject;
    return child (found, 1);
}

/* ---- opening ---- */

static bool
has_keys (const struct mime_unlock *how)
{
    return how->secret_keys || (how->session_keys != NULL && *how->session_keys != NULL);
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

/* Tries one key after the other; session_key of the request is the right one, or NULL. */
static bool
try_keys (struct unlocking *unlocking, void *ctx, struct crypto_request *request, int input,
          struct crypto_result *result, bool *tried)
{
    const struct mime_unlock *how = unlocking->how;

    for (const char *const *key = how->session_keys; key != NULL && *key != NULL; key++) {
        *tried = true;
        request->session_key = *key;
        if (how->open (how->closure, ctx, request, input, result))
            return true;
    }
    request->session_key = NULL;
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

/* The cleartext of a multipart/encrypted, of which these are the parts. */
static struct mime_message *
open_encrypted (struct unlocking *unlocking, struct found found, struct found version,
                struct found octets, size_t out)
{
    static const char name[] = "multipart/encrypted";
    struct mail_part_security *crypto = begin_crypto (unlocking, out);
    struct mime_message *clear = NULL;
    bool mixed_up = layer_of (found) == LAYER_MIXED_UP;
    const char *protocol = mixed_up ? "application/pgp-encrypted" : source_of (found)->protocol;
    char *why = NULL;

    if (!has_keys (unlocking->how))
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

/* The cleartext of an application/pkcs7-mime; enveloped. */
static struct mime_message *
open_enveloped (struct unlocking *unlocking, struct found found, size_t out)
{
    struct mail_part_security *crypto = begin_crypto (unlocking, out);
    struct mime_message *clear = NULL;
    char *why = NULL;

    if (has_keys (unlocking->how))
        clear = decrypt_leaf (unlocking, found, "application/pkcs7-mime", part_of (found)->type,
                              crypto, &why);
    return clear != NULL ? clear : not_decrypted (unlocking, crypto, why);
}

/* The content of an application/pkcs7-mime that is signed. */
static struct mime_message *
open_opaque (struct unlocking *unlocking, struct found found, size_t out)
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

/* Whether there are signatures to speak of. */
static bool
verify (struct unlocking *unlocking, struct found found, size_t out)
{
    struct mail_part_security *crypto = begin_crypto (unlocking, out);
    struct found content = child (found, 0), signature = child (found, 1);
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

/* ---- the parts anew ---- */

static void copy_part (struct unlocking *unlocking, struct found found, size_t parent, bool clear);

/* The root of what was opened. */
static void
copy_clear (struct unlocking *unlocking, struct mime_message *clear, size_t parent)
{
    copy_part (unlocking, (struct found){clear, 0}, parent, true);
}

static void
copy_children (struct unlocking *unlocking, struct found found, size_t out)
{
    for (size_t at = found.index + 1; at < part_of (found)->end; at = found.in->parts[at].end)
        copy_part (unlocking, (struct found){found.in, at}, out, false);
}

static void
copy_encrypted (struct unlocking *unlocking, struct found found, size_t out)
{
    bool mixed_up = layer_of (found) == LAYER_MIXED_UP;
    struct found version = child (found, mixed_up), octets = child (found, mixed_up + 1);
    struct mime_message *clear = NULL;

    unlocking->message->crypto.mixed_up |= mixed_up;
    if (mixed_up)
        unlocking->message->parts[out].type = unlocking->message->parts[out].spelled_type =
            "multipart/encrypted";
    if (unlocking->how->decrypt &&
        (mixed_up || has_two_parts (unlocking, found, "multipart/encrypted")))
        clear = open_encrypted (unlocking, found, version, octets, out);
    if (clear == NULL)
        note_payload (unlocking, out);
    if (clear == NULL && !mixed_up) {
        copy_children (unlocking, found, out);
        return;
    }
    copy_part (unlocking, version, out, false);
    if (clear != NULL)
        copy_clear (unlocking, clear, out);
    else
        copy_part (unlocking, octets, out, false);
}

/* Whether the part has to be open for the part that is wanted to be found, or is in that. */
static bool
is_wanted (const struct unlocking *unlocking, size_t out)
{
    const struct mime_unlock *how = unlocking->how;

    if (how->part == 0 || out < how->part)
        return true;
    while (how->inside && out != NONE && out != how->part - 1)
        out = unlocking->message->sources[out].parent;
    return how->inside && out != NONE;
}

/* What is in the part, after the part itself. */
static void
copy_content (struct unlocking *unlocking, struct found found, size_t out)
{
    struct mime_message *clear = NULL;
    enum layer layer = layer_of (found);

    if (!is_wanted (unlocking, out)) {
        copy_children (unlocking, found, out);
        return;
    }
    switch (layer) {
    case LAYER_ENCRYPTED:
    case LAYER_MIXED_UP:
        copy_encrypted (unlocking, found, out);
        return;
    case LAYER_OPAQUE:
        clear = open_opaque (unlocking, found, out);
        break;
    case LAYER_ENVELOPED:
        if (unlocking->how->decrypt)
            clear = open_enveloped (unlocking, found, out);
        break;
    case LAYER_SIGNED:
        if (unlocking->how->verify && has_two_parts (unlocking, found, "multipart/signed") &&
            verify (unlocking, found, out)) {
            copy_children (unlocking, found, out);
            return;
        }
        break;
    case LAYER_NONE:
        break;
    }
    if (clear == NULL) { /* a layer that could not be looked at is none */
        note_payload (unlocking, out);
        copy_children (unlocking, found, out);
        return;
    }
    unlocking->message->parts[out].kind = MAIL_PART_OPENED;
    copy_clear (unlocking, clear, out);
}

/* Appends the part with all that is in it; nesting is limited by DEPTH_MAX. */
static void
copy_part (struct unlocking *unlocking, struct found found, size_t parent, bool clear)
{
    struct mime_message *message = unlocking->message;
    int number, depth = parent == NONE ? 0 : message->parts[parent].depth + 1;
    size_t out;

    if (message->part_count >= PARTS_MAX || depth > DEPTH_MAX) {
        message->too_many_parts |= message->part_count >= PARTS_MAX;
        message->too_deep |= depth > DEPTH_MAX;
        return;
    }
    out = mime_part_append (message);
    message->sources[out].parent = parent;
    message->sources[out].clear = clear;
    if (parent != NONE && !message->crypto.payload && is_content (message, out))
        found = without_display_part (unlocking, found);
    number = message->parts[out].number;
    message->parts[out] = *part_of (found);
    message->parts[out].number = number;
    message->parts[out].depth = depth;
    message->sources[out] = *source_of (found);
    message->sources[out].parent = parent;
    message->sources[out].clear = clear;
    copy_content (unlocking, found, out);
    message->parts[out].end = message->part_count;
}

bool
mime_is_locked (const struct mime_message *message, bool verify)
{
    for (size_t i = 0; i < message->part_count; i++) {
        enum layer layer = layer_of ((struct found){(struct mime_message *) message, i});

        if (layer != LAYER_NONE && (layer != LAYER_SIGNED || verify))
            return true;
    }
    return false;
}

void
mime_unlock (struct mime_message *message, const struct mime_unlock *how)
{
    struct unlocking unlocking = {message, how};
    struct mime_message *before;

    if (!mime_is_locked (message, how->verify))
        return;
    /* As it was, with its arrays. */
    before = talloc_zero (message, struct mime_message);
    *before = *message;
    talloc_steal (before, before->parts);
    talloc_steal (before, before->sources);
    message->parts = NULL;
    message->sources = NULL;
    message->part_count = 0;
    copy_part (&unlocking, (struct found){before, 0}, NONE, false);
    mime_find_tags (message);
}

const struct mime_crypto *
mime_message_crypto (const struct mime_message *message)
{
    return &message->crypto;
}

const char *
mime_message_hidden_subject (const struct mime_message *message)
{
    const struct mail_security *content = &message->crypto.content;

    return content->decrypted_all ? content->subject : NULL;
}

const struct mail_part_security *
mime_part_crypto (const struct mime_message *message, const struct mail_part *part)
{
    return message->sources[part->number - 1].crypto;
}
