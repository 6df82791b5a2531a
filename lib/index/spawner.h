/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spawner.h - the process that forks workers.
 *
 * A small process with one thread, forked before there is any thread or lock, so that forking
 * stays safe whenever a worker has to be replaced. What it inherits is closed, and never used.
 */
#ifndef SPAWNER_H
#define SPAWNER_H

#include "mailindex.h"

#include <sys/types.h>

struct mail_workers {
    int spawner;    /* socket to it */
    pid_t pid;      /* of it */
    unsigned count; /* of workers wanted */
    size_t memory;  /* bytes a worker may use */
};

/* Whose keys encrypted mail may be decrypted with, and how long gpg may take for one part. */
struct decrypt_policy {
    enum mail_decrypt decrypt;
    unsigned seconds;
};

/* A new worker that may write in scratch and read in text, and have mail decrypted by that policy:
 * the socket to it, or -1 with errno. */
int spawner_start_worker (struct mail_workers *workers, const char *scratch, const char *text,
                          struct decrypt_policy policy);

#endif
