/* SPDX-License-Identifier: GPL-3.0-or-later */
/* problems.h - what the index remembers as not indexed, by folder and name. */
#ifndef SCAN_PROBLEMS_H
#define SCAN_PROBLEMS_H

#include <mailindex.h>

struct remembered {
    const struct mail_problem *problem;
    bool met;       /* in this run, and told where there was something new about it */
    bool is_folder; /* there is a folder under the name now: gone unless it is met */
};

struct problems {
    struct remembered *list; /* by folder, then by name */
    size_t count;
};

enum mail_status problems_load (void *ctx, struct mail_index *index,
                                struct problems **problems_out);

/* NULL where nothing is remembered. folder: its id, 0 for one that the index does not have. */
struct remembered *problems_find (const struct problems *problems, uint32_t folder,
                                  const char *name);

#endif
