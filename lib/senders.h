/* SPDX-License-Identifier: GPL-3.0-or-later */
/* senders.h - whom messages are from, as tests look at it. */
#ifndef SENDERS_H
#define SENDERS_H

#include "mailindex.h"

/* mail_senders_open; so many messages, the first ones, are read by themselves. */
struct mail_senders *senders_open (void *ctx, struct mail_results *results, size_t first);
/* Records that have been read. */
size_t senders_records (const struct mail_senders *senders);

#endif
