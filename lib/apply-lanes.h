/* SPDX-License-Identifier: GPL-3.0-or-later */
/* apply-lanes.h - a block under way: shared by apply-lanes.c (building) and apply-blocks.c
 * (publishing). */
#ifndef APPLY_LANES_H
#define APPLY_LANES_H

#include "apply-private.h"

enum lane_state {
    LANE_IDLE,
    LANE_FEEDING, /* jobs are being sent */
    LANE_ENDING,  /* all jobs are sent, the segment is awaited */
    LANE_MERGING
};

/* A worker and the block (or merge) it is at. */
struct lane {
    enum lane_state state;
    unsigned worker;
    void *ctx; /* of the block */
    struct block block;
    size_t from, to; /* of the list of files to add; to shrinks when the block ends early */
    size_t next;     /* to send */
    struct parsed_file *files; /* from, ...; no id: not answered yet */
    struct mail_stat *stats;   /* of the files as they were opened */
    uint64_t start, bytes;     /* start: clock_ms() */
    size_t references;
    unsigned deaths; /* of workers, while no message can be blamed */
    struct merge *merge;
};

/* Absolute path of the file at this place of the list. */
char *lane_path (void *ctx, struct apply *apply, size_t at);
/* Commits the block. */
enum mail_status lane_publish (struct apply *apply, struct lane *lane);

#endif
