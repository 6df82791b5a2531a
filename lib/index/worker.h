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

/* Limits in seconds. Who waits for a worker has to wait for longer than it may take: after
 * UNLOCK_SECONDS it asks for no further part to be decrypted, and the last that it has asked for
 * may take DECRYPT_SECONDS_MAX. */
#define WORKER_SECONDS 120 /* of processor time for one message */
#define MERGE_SECONDS 3600 /* of processor time for a merge */
#define UNLOCK_SECONDS 240
#define DECRYPT_SECONDS_MAX 300
#define SILENCE_SECONDS 600               /* of a worker that has work */
#define MERGE_SILENCE_SECONDS (12 * 3600) /* while it merges, on a slow disk too */

#endif
