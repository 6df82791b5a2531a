/* SPDX-License-Identifier: GPL-3.0-or-later */
/* worker.h - the process that reads mail: jobs in, records and segments out. */
#ifndef WORKER_H
#define WORKER_H

#include <stddef.h>

/* The body of a worker process: answers wire messages on fd until its other end closes; then the
 * process exits. scratch: the only folder that it may write in. text: the folder of segments, which
 * it may read (to merge them). memory: bytes it may use. opener: where it
 * asks for what is encrypted to be decrypted; -1: nowhere. */
void worker_run (int fd, int opener, const char *scratch, const char *text, size_t memory)
    __attribute__ ((noreturn));

#define WORKER_SECONDS 120 /* of processor time for one message */

#endif
