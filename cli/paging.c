/* SPDX-License-Identifier: GPL-3.0-or-later */
/* paging.c - which of the results are shown; what is left out is not read. */
#include "paging.h"

#include <talloc.h>

size_t
paging_first (int64_t offset, size_t count)
{
    uint64_t back;

    if (offset >= 0)
        return (uint64_t) offset > count ? count : (size_t) offset;
    back = -(uint64_t) offset;
    return back > count ? 0 : count - (size_t) back;
}

size_t
paging_limit (int64_t limit)
{
    return limit < 0 ? SIZE_MAX : (size_t) limit;
}

enum mail_status
paging_open_threads (void *ctx, struct mail_results *results, int64_t offset, int64_t limit,
                     struct mail_threads **threads_out)
{
    size_t first = offset > 0 ? (size_t) offset : 0;

    /* How many threads there are is known only when they have been looked for. */
    if (offset < 0) {
        enum mail_status status = mail_threads_open (ctx, results, 0, 0, threads_out);

        if (status != MAIL_OK)
            return status;
        first = paging_first (offset, mail_threads_count (*threads_out));
        talloc_free (*threads_out);
    }
    return mail_threads_open (ctx, results, first, paging_limit (limit), threads_out);
}
