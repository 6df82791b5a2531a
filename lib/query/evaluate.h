/* SPDX-License-Identifier: GPL-3.0-or-later */
/* evaluate.h - a plan → ids of messages. */
#ifndef EVALUATE_H
#define EVALUATE_H

#include "query/plan.h"

/* The matches; *set_out is talloc'd on ctx. Notes in the plan what each part found, and in what
 * time. Does not reopen: MAIL_ERROR_OVERTAKEN and the like are given back. */
enum mail_status plan_evaluate (void *ctx, struct mail_index *index, struct plan *plan,
                                struct idset *set_out);
/* The number of matches, where it can be had without evaluating; *known_out says so. */
enum mail_status plan_count (struct mail_index *index, const struct plan *plan, bool *known_out,
                             uint64_t *count_out);

#endif
