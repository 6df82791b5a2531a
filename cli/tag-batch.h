/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tag-batch.h - tag --batch: a list of operations and queries. */
#ifndef TAG_BATCH_H
#define TAG_BATCH_H

#include "lines.h"

/* Reads lines "+TAG|-TAG ... [--] QUERY", tags hex-encoded; empty lines and those that begin with
 * "#" are passed over. A bad line is warned of and makes the exit code 1 at the end; a query that
 * cannot be parsed ends the run. remove_all: each line first removes all tags. */
int tag_batch (const struct cli *cli, struct mail_index *index, struct lines *lines,
               bool remove_all);

#endif
