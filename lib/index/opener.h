/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * opener.h - decryption for those who may run no programs: doc/design/crypto.md.
 *
 * A worker asks over a socket; at the other end an opener, which is in no sandbox, has gpg do it in
 * a process of its own, for a limited time.
 */
#ifndef OPENER_H
#define OPENER_H

#include "mailindex.h"
#include "mime/crypto.h"

/* What may be done, and for how long; not the asker's choice. */
struct opener {
    bool secret_keys; /* else only what a session key opens */
    unsigned seconds; /* for one part */
    bool given_up;    /* the user's agent has not answered once: it is not asked again */
};

/* The body of an opener process: answers on fd until its other end closes, then the process
 * exits. */
void opener_serve (int fd, struct opener opener) __attribute__ ((noreturn));

/* crypto_open() in another process; watched: when its other end closes, nobody waits for the result
 * any more; -1: none. closure of mime_unlock: struct opener. */
bool opener_open (struct opener *opener, int watched, void *ctx,
                  const struct crypto_request *request, int input,
                  struct crypto_result *result_out);

/* Asks the opener at the other end of fd. */
bool opener_ask (int fd, void *ctx, const struct crypto_request *request, int input,
                 struct crypto_result *result_out);

#endif
