/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * apply-feed.c - what the workers are given: blocks of the list of files to add, job by job.
 *
 * Blocks begin small (an interrupted first run keeps its work early), grow to BLOCK_MAX files or
 * BLOCK_MS of work, and are small again at the end of the list, so that all workers are done at
 * about the same time. A block ends early when it has had its share of time, bytes or references:
 * what is left of it is the next to be taken.
 */
#include "apply-lanes.h"
#include "clock.h"
#include "message.h"

#include <talloc.h>
#include <unistd.h>

#define BLOCK_MAX 4096
#define TAIL_MIN 1024 /* of the last blocks: each is a segment more to be merged */
#define BLOCK_MS 5000
#define BLOCK_BYTES (256 << 20)    /* of mail */
#define REFERENCES_PER_BLOCK 50000 /* each may be a ghost to write */

char *
lane_path (void *ctx, const struct lane *lane, size_t at)
{
    struct apply *apply = lane->lanes->apply;
    struct change_add *add = apply_add_at (apply, at);
    return apply_path (ctx, apply, changes_folder_at (apply->changes, add->folder)->path,
                       add->name);
}

void
lane_note_answer (struct lane *lane, size_t at)
{
    struct apply *apply = lane->lanes->apply;
    struct parsed_file *file = &lane->files[at - lane->from];
    struct past *past = &lane->lanes->past[at];
    char *path = lane_path (NULL, lane, at);
    lane->references += file->record.reference_count;
    if (past->told)
        apply->counts->processed += file->status == MAIL_OK; /* else it has been counted */
    else
        apply_note_parsed (apply, path, file);
    past->told |= file->status != MAIL_OK || file->limit;
    apply_tell (apply, path);
    talloc_free (path);
}

bool
lanes_have_files (const struct lanes *lanes)
{
    return lanes->left->len > 0 || lanes->next < lanes->apply->changes->adds->len;
}

bool
lanes_are_done (const struct lanes *lanes)
{
    bool done = !lanes_have_files (lanes);
    for (unsigned i = 0; done && i < lanes->count; i++)
        done = lanes->list[i].state == LANE_IDLE || lanes->list[i].state == LANE_MERGING;
    return done;
}

/* Takes the next files of the list that no block has. */
static void
take_range (struct lanes *lanes, size_t *from, size_t *to)
{
    if (lanes->left->len > 0) {
        struct range range = g_array_index (lanes->left, struct range, lanes->left->len - 1);
        g_array_set_size (lanes->left, lanes->left->len - 1);
        *from = range.from;
        *to = range.to;
        return;
    }
    size_t rest = lanes->apply->changes->adds->len - lanes->next;
    size_t share = MAX ((rest + lanes->count - 1) / lanes->count, TAIL_MIN);
    *from = lanes->next;
    *to = lanes->next += MIN (rest, MIN (share, lanes->block_size));
    lanes->block_size = MIN (4 * lanes->block_size, BLOCK_MAX);
}

enum mail_status
lane_begin_block (struct lane *lane)
{
    struct apply *apply = lane->lanes->apply;
    take_range (lane->lanes, &lane->from, &lane->to);
    size_t count = lane->to - lane->from;
    lane->next = lane->from;
    lane->bytes = lane->references = lane->deaths = 0;
    lane->ctx = talloc_new (apply);
    lane->files = talloc_zero_array (lane->ctx, struct parsed_file, count);
    lane->stats = talloc_zero_array (lane->ctx, struct mail_stat, count);
    lane->start = clock_ms ();
    lane->state = LANE_FEEDING;
    enum mail_status status = apply_reserve (apply, lane->ctx, (uint32_t) count, &lane->block);
    if (status == MAIL_OK)
        status = apply_begin_segment (apply, lane->ctx, lane->worker, &lane->block);
    return status;
}

/* Whether the block has had its share of time, bytes or references. */
static bool
block_is_full (const struct lane *lane)
{
    return lane->next > lane->from &&
           (clock_ms () - lane->start > BLOCK_MS || lane->bytes > BLOCK_BYTES ||
            lane->references > REFERENCES_PER_BLOCK);
}

/* Those of the message that the file is known to be of, when it is read for a reindex. Otherwise
 * nobody knows yet whose it is. */
static const char *const *
session_keys_at (struct lane *lane, size_t at)
{
    struct apply *apply = lane->lanes->apply;
    struct change_add *add = apply_add_at (apply, at);
    const char *folder = changes_folder_at (apply->changes, add->folder)->path;
    if (!apply->options->reindex || apply->options->decrypt == MAIL_DECRYPT_FALSE)
        return NULL;
    return message_session_keys (lane->ctx, apply_message_of (lane->ctx, apply, folder, add->name));
}

static void
send_file (struct lane *lane)
{
    struct lanes *lanes = lane->lanes;
    struct apply *apply = lanes->apply;
    size_t at = lane->next++, place = at - lane->from;
    struct parsed_file *file = &lane->files[place];
    lane->block.used = lane->block.first + (uint32_t) place;
    if (file->status != MAIL_OK) /* known from before, in a block that is done again */
        return;
    char *path = lane_path (lane->ctx, lane, at);
    int fd = build_open (lane->files, path, file);
    talloc_free (path);
    if (fd < 0) {
        lane_note_answer (lane, at);
        return;
    }
    lane->stats[place] = file->stat;
    if (lanes->past[at].deaths >= DEATHS_TO_BLAME) { /* and told of in an earlier block */
        *file = apply_worker_died (&lane->stats[place]);
        close (fd);
        return;
    }
    lane->bytes += file->stat.size;
    crew_job (apply->crew, lane->worker,
              &(struct build_job){lane->block.used, &fd, 1, session_keys_at (lane, at), false});
}

void
lane_cut (struct lane *lane)
{
    struct range rest = {lane->next, lane->to};
    if (rest.from < rest.to)
        g_array_append_val (lane->lanes->left, rest);
    lane->to = lane->next;
}

void
lane_feed (struct lane *lane)
{
    struct apply *apply = lane->lanes->apply;
    while (lane->next < lane->to && crew_room (apply->crew, lane->worker) > 0) {
        if (apply->stopped || block_is_full (lane)) {
            lane_cut (lane);
            break;
        }
        send_file (lane);
    }
    if (lane->next < lane->to)
        return;
    lane->state = LANE_ENDING;
    apply_end_segment (apply, lane->worker, &lane->block);
}
