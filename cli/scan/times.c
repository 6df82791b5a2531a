/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * times.c - time stamps of the file system.
 *
 * A folder's time says "nothing has changed since" only if a later change cannot get the same
 * stamp. Stamps come from the kernel's coarse clock (a tick of 1 to 10 ms); FAT and some archives
 * keep whole or even seconds. So a stamp has to be older than that before it is stored.
 */
#include "times.h"

#include <time.h>

#define SECOND INT64_C (1000000000)
#define FINE (20 * SECOND / 1000)
#define COARSE (2 * SECOND)

static int64_t
times_from_timespec (const struct timespec *time)
{
    int64_t ns;

    if (__builtin_mul_overflow ((int64_t) time->tv_sec, SECOND, &ns) ||
        __builtin_add_overflow (ns, (int64_t) time->tv_nsec, &ns))
        return time->tv_sec < 0 ? INT64_MIN : INT64_MAX;
    return ns;
}

struct mail_stat
times_from_stat (const struct stat *st)
{
    return (struct mail_stat){.device = st->st_dev,
                              .inode = st->st_ino,
                              .size = (uint64_t) st->st_size,
                              .mtime = times_from_timespec (&st->st_mtim),
                              .ctime = times_from_timespec (&st->st_ctim)};
}

int64_t
times_now (void)
{
    struct timespec now;

    clock_gettime (CLOCK_REALTIME_COARSE, &now);
    return times_from_timespec (&now);
}

bool
times_precise (int64_t time)
{
    return time % SECOND != 0;
}

bool
times_settled (int64_t time, int64_t now)
{
    return time < now - (times_precise (time) ? FINE : COARSE);
}

struct mail_stat
times_trusted (const struct mail_stat *stat, int64_t now)
{
    struct mail_stat trusted = *stat;

    if (!times_settled (stat->mtime, now) || !times_settled (stat->ctime, now))
        trusted.mtime = trusted.ctime = 0;
    return trusted;
}
