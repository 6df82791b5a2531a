/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan-pattern.h - words that end with something, or have it in them. */
#ifndef PLAN_PATTERN_H
#define PLAN_PATTERN_H

#include "query/plan.h"

/* More words than this are an error (MAIL_ERROR_QUERY): the pattern says too little. */
#define PATTERN_WORDS_MAX 10000

/* The plan of WORDS_END and WORDS_MIDDLE in these fields (a set of 1 << enum text_field). */
enum mail_status plan_pattern (struct planner *planner, const struct node *leaf, field_set fields,
                               struct plan **plan_out);

#endif
