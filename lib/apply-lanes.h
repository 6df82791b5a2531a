/* SPDX-License-Identifier: GPL-3.0-or-later */
/* apply-lanes.h - blocks under way: shared by apply-feed.c (what the workers are given),
 * apply-lanes.c (what they answer) and apply-blocks.c (publishing). */
#ifndef APPLY_LANES_H
#define APPLY_LANES_H

#include "apply-private.h"

#define BLOCK_MIN 256 /* files */

enum lane_state {
    LANE_IDLE,
    LANE_FEEDING, /* jobs are being sent */
    LANE_ENDING,  /* all jobs are sent, the segment is awaited */
    LANE_MERGING
};

/* A worker and the block (or merge) it is at. */
struct lanes;
struct lane {
    struct lanes *lanes;
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
    unsigned deaths; /* of workers between two messages or after the last */
    struct merge *merge;
    struct crew_event *kept; /* has come while another block was published */
};

/* Files of the list that a block has left. */
struct range {
    size_t from, to;
};

/* What has been met with at a file in blocks that were given up. */
struct past {
    uint8_t deaths; /* of workers that were at it */
    bool told;      /* that something is wrong with it */
};

struct lanes {
    struct apply *apply;
    struct lane *list;
    unsigned count;
    size_t next;       /* file of the list that no block has had yet */
    GArray *left;      /* of struct range: parts of the list before next */
    struct past *past; /* of each file of the list */
    bool heard;        /* a worker has read something, so they can */
    unsigned nameless; /* deaths that no message can be blamed for, since a block was published */
    size_t block_size;
    bool merging, no_merges;
};

/* ---- giving work (apply-feed.c) ---- */

/* Absolute path of the file at this place of the list. */
char *lane_path (void *ctx, const struct lane *lane, size_t at);
/* Counts and tells of the file at this place, which has been tried. */
void lane_note_answer (struct lane *lane, size_t at);
/* Whether there are files that no block has had. */
bool lanes_have_files (const struct lanes *lanes);
/* Whether no lane has a block, and there is none to come: the one being published is the last. */
bool lanes_are_done (const struct lanes *lanes);
/* Gives an idle lane the next files of the list. */
enum mail_status lane_begin_block (struct lane *lane);
/* Ends the block before the next file to be sent; the rest goes back to the list. */
void lane_cut (struct lane *lane);
/* Sends as many of the block's files as the worker can have now; after the last the end of the
 * segment. */
void lane_feed (struct lane *lane);

/* ---- taking it ---- */

/* Takes what workers have read and gives them more, without waiting: for the time in which a block
 * is published. */
void lanes_keep_busy (struct lanes *lanes);
/* Commits the block. */
enum mail_status lane_publish (struct lane *lane);

#endif
