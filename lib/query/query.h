/* SPDX-License-Identifier: GPL-3.0-or-later */
/* query.h - what the other modules of lib/ use of queries and their results. */
#ifndef QUERY_H
#define QUERY_H

#include "idset.h"
#include "mailindex.h"

/* The matches as ids of messages, under the revision that the handle has now: does not reopen by
 * itself, but returns MAIL_ERROR_OVERTAKEN. */
enum mail_status query_evaluate_once (void *ctx, struct mail_query *query, struct idset *set_out);
/* The same, started again (on a newer revision) when overtaken. */
enum mail_status query_evaluate (void *ctx, struct mail_query *query, struct idset *set_out);
struct mail_index *query_index (const struct mail_query *query);

struct mail_results {
    struct mail_index *index;
    enum mail_sort sort;
    uint32_t *docids; /* in the order asked for */
    size_t count;
};

#endif
