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
#include "mime/unlock-private.h"
#include "schema.h"

#include <talloc.h>

enum layer
unlock_layer_of (struct found found)
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

struct found
unlock_child (struct found parent, size_t nth)
{
    size_t end = part_of (parent)->end, at = parent.index + 1;

    for (; nth > 0 && at < end; nth--)
        at = parent.in->parts[at].end;
    return (struct found){parent.in, at < end ? at : NONE};
}

size_t
unlock_count (struct found parent)
{
    size_t count = 0;

    while (unlock_child (parent, count).index != NONE)
        count++;
    return count;
}

/* ---- the message as a whole ---- */

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
        unlock_count (found) != 2 || !is_display_part (unlock_child (found, 0)))
        return found;
    unlocking->message->crypto.legacy_display = unlocking->message->crypto.payload = true;
    unlocking->message->crypto.content.subject = source_of (found)->subject;
    return unlock_child (found, 1);
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
    bool mixed_up = unlock_layer_of (found) == LAYER_MIXED_UP;
    struct found version = unlock_child (found, mixed_up),
                 octets = unlock_child (found, mixed_up + 1);
    struct mime_message *clear = NULL;

    unlocking->message->crypto.mixed_up |= mixed_up;
    if (mixed_up)
        unlocking->message->parts[out].type = unlocking->message->parts[out].spelled_type =
            "multipart/encrypted";
    if (unlocking->how->decrypt &&
        (mixed_up || unlock_has_two_parts (unlocking, found, "multipart/encrypted")))
        clear = unlock_encrypted (unlocking, found, version, octets, out);
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
    enum layer layer = unlock_layer_of (found);

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
        clear = unlock_opaque (unlocking, found, out);
        break;
    case LAYER_ENVELOPED:
        if (unlocking->how->decrypt)
            clear = unlock_enveloped (unlocking, found, out);
        break;
    case LAYER_SIGNED:
        if (unlocking->how->verify && unlock_has_two_parts (unlocking, found, "multipart/signed") &&
            unlock_verify (unlocking, found, out)) {
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
        enum layer layer = unlock_layer_of ((struct found){(struct mime_message *) message, i});

        if (layer != LAYER_NONE && (layer != LAYER_SIGNED || verify))
            return true;
    }
    return false;
}

static const char **
copy_keys (void *ctx, const char *const *keys)
{
    size_t count = 0;
    const char **copy;

    while (keys != NULL && keys[count] != NULL)
        count++;
    copy = talloc_zero_array (ctx, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        copy[i] = keys[i];
    return copy;
}

void
mime_unlock (struct mime_message *message, const struct mime_unlock *how)
{
    struct unlocking unlocking = {.message = message, .how = how};
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
    unlocking.session_keys = copy_keys (before, how->session_keys);
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
