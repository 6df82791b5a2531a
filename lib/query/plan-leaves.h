/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan-leaves.h - what leaves of several kinds are made of. */
#ifndef PLAN_LEAVES_H
#define PLAN_LEAVES_H

#include "query/plan.h"

/* The table of folders, kept on the handle as index_folders() does, but without moving it on. */
enum mail_status plan_load_folders (struct mail_index *index);
/* Messages with a file in one of these folders. */
struct plan *plan_folders (struct planner *planner, struct idset folders);

#endif
