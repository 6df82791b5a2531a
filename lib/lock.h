/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lock.h - the right to change state: the files "turnstile" and "lock" of the index folder.
 *
 * Both are open-file-description locks (fcntl F_OFD_SETLK), so they go with the process and do not
 * care about threads. Whoever waits for "lock" holds the turnstile and is therefore next, however
 * often the present holder lets go and comes back.
 */
#ifndef LOCK_H
#define LOCK_H

#include "mailindex.h"

struct lock;

/* Waits up to timeout seconds (0: tries once). MAIL_ERROR_LOCKED names the holder in *error_out;
 * MAIL_ERROR_READ_ONLY, MAIL_ERROR_IO. *waited_ms grows by the time spent, also on failure.
 * The turnstile is still held: lock_let_next_wait(). Freeing the lock lets go of everything. */
enum mail_status lock_acquire (void *ctx, const char *folder, int timeout, const char *command,
                               struct lock **lock_out, uint64_t *waited_ms, char **error_out);
/* Call when state has been opened: lets the next one come up to the lock. */
void lock_let_next_wait (struct lock *lock);

/* Takes a lock on one file of its own, made where missing, without waiting: *fd_out, or
 * MAIL_ERROR_LOCKED. */
enum mail_status lock_file_try (const char *path, int *fd_out);
/* The same, waiting up to timeout seconds. */
enum mail_status lock_file_wait (const char *path, int timeout, int *fd_out);

#endif
