/* SPDX-License-Identifier: GPL-3.0-or-later */
/* times.h - what the file system said, and which of its times can be relied on. */
#ifndef SCAN_TIMES_H
#define SCAN_TIMES_H

#include <mailindex.h>
#include <sys/stat.h>

/* struct stat in the library's form; times out of range become the nearest that can be said. */
struct mail_stat times_from_stat (const struct stat *st);

/* The kernel's clock for time stamps, in ns since the epoch. To be read before the stat. */
int64_t times_now (void);

/* Whether a change after now would get another time stamp than this one: it is over 20 ms old, or
 * over 2 s where it may have whole seconds only. A time in the future is not settled. */
bool times_settled (int64_t time, int64_t now);

/* The same stat, with both times 0 unless both are settled. */
struct mail_stat times_trusted (const struct mail_stat *stat, int64_t now);

/* Whether a time is precise enough to tell two files apart. */
bool times_precise (int64_t time);

#endif
