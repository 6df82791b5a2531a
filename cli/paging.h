/* SPDX-License-Identifier: GPL-3.0-or-later */
/* paging.h - --offset and --limit. */
#ifndef PAGING_H
#define PAGING_H

#include <mailindex.h>

/* Number of the first of count results: offset, or from the end where it is negative. */
size_t paging_first (int64_t offset, size_t count);
/* Negative: no limit. */
size_t paging_limit (int64_t limit);
/* mail_threads_open() with these. */
enum mail_status paging_open_threads (void *ctx, struct mail_results *results, int64_t offset,
                                      int64_t limit, struct mail_threads **threads_out);

#endif
