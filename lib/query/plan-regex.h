/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan-regex.h - leaves that are regular expressions. */
#ifndef PLAN_REGEX_H
#define PLAN_REGEX_H

#include "query/plan.h"

/* The plan of a NODE_REGEX. */
enum mail_status plan_regex (struct planner *planner, const struct node *leaf,
                             struct plan **plan_out);

#endif
