/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ahead.h - stats made ahead of the walk by threads, where the disk is waited for. */
#ifndef AHEAD_H
#define AHEAD_H

#include <mailindex.h>

/* For a walk of these known folders, top down from the mail root, whose descriptor is root_fd. It
 * starts nothing. The folders must stay as they are until ahead_stop(). */
struct ahead *ahead_create (void *ctx, const struct mail_folders *folders, int root_fd);
/* To be told before each stat of the walk: now and then it looks whether the disk is waited for,
 * and then starts the threads. */
void ahead_note (struct ahead *ahead);
/* Ends the threads; freeing does so, too. Returns how many there were. */
unsigned ahead_stop (struct ahead *ahead);

#endif
