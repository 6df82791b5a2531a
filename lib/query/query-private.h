/* SPDX-License-Identifier: GPL-3.0-or-later */
/* query-private.h - the inside of a query. */
#ifndef QUERY_PRIVATE_H
#define QUERY_PRIVATE_H

#include "query/plan.h"
#include "query/query.h"

struct mail_query {
    struct mail_index *index;
    char *text;
    struct mail_query_error warning; /* message NULL: none */
    struct node *tree;
    struct store_stemmer *stemmer;
    struct plan *plan;   /* of the last evaluation; NULL before the first */
    bool counted;        /* that needed no evaluation */
    size_t matches;      /* of the last evaluation */
    double milliseconds; /* it took, the making of the plan included */
};

/* Makes a new plan for the revision that the handle has. */
enum mail_status query_plan (struct mail_query *query);

#endif
