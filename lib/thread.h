/* SPDX-License-Identifier: GPL-3.0-or-later */
/* thread.h - one thread as listings show it. */
#ifndef THREAD_H
#define THREAD_H

#include "idset.h"
#include "message.h"

/* messages: those of the thread, in any order, NULL entries passed over; they must outlive the
 * thread. NULL where none of them matches (any more). */
struct mail_thread *thread_create (void *ctx, uint64_t id, struct mail_message **messages,
                                   size_t count, struct idset matches, enum mail_sort sort);

#endif
