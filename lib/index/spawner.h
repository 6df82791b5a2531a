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

/* A new worker that may write in scratch and read in text: the socket to it, or -1 with errno. */
int spawner_start_worker (struct mail_workers *workers, const char *scratch, const char *text);

#endif
