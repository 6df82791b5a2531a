/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unlock-private.h - shared by unlock.c (the parts anew) and unlock-open.c (one layer). */
#ifndef MIME_UNLOCK_PRIVATE_H
#define MIME_UNLOCK_PRIVATE_H

#include "mime/crypto.h"
#include "mime/mime-private.h"

#define NONE SIZE_MAX

/* One mime_unlock(): from the old arrays to those of message. */
struct unlocking {
    struct mime_message *message;
    const struct mime_unlock *how;
    const char **session_keys; /* of how, in the order in which they are tried; NULL-terminated */
    unsigned tries;            /* so far */
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

static inline const struct mail_part *
part_of (struct found found)
{
    return &found.in->parts[found.index];
}

static inline const struct mime_part *
source_of (struct found found)
{
    return &found.in->sources[found.index];
}

enum layer unlock_layer_of (struct found found);
/* The nth child; an index of NONE where there are not so many. */
struct found unlock_child (struct found parent, size_t nth);
size_t unlock_count (struct found parent);

/* Whether a multipart/signed or multipart/encrypted is whole; tells where it is not. */
bool unlock_has_two_parts (struct unlocking *unlocking, struct found found, const char *type);
/* These open the layer that stands at out in the new array, and tell why they cannot: what was
 * inside, or NULL. */

/* The cleartext of a multipart/encrypted, of which these are the parts. */
struct mime_message *unlock_encrypted (struct unlocking *unlocking, struct found found,
                                       struct found version, struct found octets, size_t out);
/* Of an application/pkcs7-mime; enveloped. */
struct mime_message *unlock_enveloped (struct unlocking *unlocking, struct found found, size_t out);
/* The content of an application/pkcs7-mime that is signed. */
struct mime_message *unlock_opaque (struct unlocking *unlocking, struct found found, size_t out);
/* A detached signature: whether there are signatures to speak of. */
bool unlock_verify (struct unlocking *unlocking, struct found found, size_t out);

#endif
