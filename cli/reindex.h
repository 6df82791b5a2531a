/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reindex.h - messages whose mail is to be read again.
 *
 * It is a list of changes like that of new: each file of each message is added once more, which
 * gives the message words and headers anew, and what is gone is dropped.
 */
#ifndef REINDEX_H
#define REINDEX_H

#include "command.h"

struct reindex;
/* NULL after a failure on the index. */
struct reindex *reindex_create (void *ctx, struct cli *cli, struct mail_index *index);
void reindex_add (struct reindex *reindex, const struct mail_message *message);
/* Does it, in worker processes; decrypt as for decrypt_settings(). Returns 0, or an exit code after
 * a message. */
int reindex_apply (struct reindex *reindex, int decrypt);

#endif
