/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * crypto.h - one signature, one encrypted part: what gpg and gpgsm are asked for.
 *
 * GMime's crypto contexts do it, with GPGME, which runs gpg: so a process that may run no programs
 * cannot call crypto_open() and crypto_verify(), and has somebody else do it. Which parts of a
 * message are opened, and what becomes of what is in them, is unlock.c's affair.
 */
#ifndef CRYPTO_H
#define CRYPTO_H

#include "mailindex.h"
#include <gmime/gmime.h>

/* Bytes of cleartext, or of ciphertext; of more nothing is opened. */
#define CRYPTO_MAX ((size_t) 256 << 20)

/* Whether what is encrypted may be opened with the user's secret keys. */
static inline bool
crypto_has_secret_keys (enum mail_decrypt decrypt)
{
    return decrypt == MAIL_DECRYPT_TRUE || decrypt == MAIL_DECRYPT_NOSTASH;
}

struct crypto_request {
    const char *protocol;    /* a content type; one that GMime knows */
    bool is_signed;          /* not encrypted, only signed, with the content inside */
    const char *session_key; /* "ALGORITHM:HEX"; NULL: with the user's secret keys */
    bool export_key;         /* the session key is wanted */
};

struct crypto_result {
    int clear;                         /* a file of its own, read from its start; -1 for none */
    char *session_key;                 /* where wanted and there is one, else NULL */
    char *error;                       /* one line, where it has failed */
    bool looked;                       /* there is a list of signatures, be it an empty one */
    struct mail_signature *signatures; /* NULL for none */
    size_t signature_count;
};

/* A file in memory that takes CRYPTO_MAX bytes and no more; -1 with errno. */
int crypto_file (void);

/* Opens what lies in the file input, of which the offset moves; true where result->clear is there,
 * which the caller closes. Strings hang on ctx. */
bool crypto_open (void *ctx, const struct crypto_request *request, int input,
                  struct crypto_result *result_out);
/* The same of what is only signed, without gpg and without a look at the signatures: so it can be
 * called everywhere. */
bool crypto_take_apart (void *ctx, int input, struct crypto_result *result_out);
/* Looks at a detached signature over content. */
void crypto_verify (void *ctx, const char *protocol, GMimeStream *content, const char *signature,
                    size_t length, struct crypto_result *result_out);
/* Whether there are such signatures or such ciphertext. */
bool crypto_knows (const char *protocol);
/* Whether such ciphertext opens with a session key. For any other GMime takes no note of it and
 * goes to the secret keys: crypto_open() refuses. */
bool crypto_has_session_keys (const char *protocol);

#endif
