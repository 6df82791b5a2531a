/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * apply-lanes.c - builds the files to add, in blocks, on all workers at once.
 *
 * Every worker has a lane with one block at a time. A worker that has built its segment gets its
 * next block before that one is published, and more jobs while it is. A block whose worker died is
 * done again, without the message that it died of if that was not the first time. Merges of
 * segments are given to a lane between two blocks, so that they cost no time of their own.
 */
#include "apply-lanes.h"
#include "clock.h"
#include "index/worker.h"
#include "merge.h"
#include "message.h"

#include <string.h>
#include <talloc.h>
#include <unistd.h>

#define DEFERRED_MAX 1024    /* collected before they are done */
#define DEATHS_MAX 60        /* that no message can be blamed for, and no block published */
#define DEATHS_AT_FIRST 3    /* the same, while no worker has read anything */
#define IMPORT_IS_LARGE 1000 /* messages */
#define WAIT_MS 500          /* for a worker, before progress is told again */

/* ---- starting ---- */

static bool
start_merge (struct lanes *lanes, struct lane *lane)
{
    struct apply *apply = lanes->apply;
    if (lanes->merging || lanes->no_merges || apply->stopped)
        return false;
    bool import_ends = !lanes_have_files (lanes) && apply->counts->added >= IMPORT_IS_LARGE;
    uint64_t limit = apply->options->merge_limit;
    lane->merge =
        merge_begin (apply, apply->index, apply->scratch, limit ? limit : MERGE_AUTOMATIC_LIMIT,
                     import_ends ? MERGE_IMPORTED : MERGE_RULE);
    if (!lane->merge)
        return false;
    lane->state = LANE_MERGING;
    lanes->merging = true;
    merge_send (lane->merge, apply->crew, lane->worker);
    return true;
}

/* Gives every idle lane something to do; *busy_out: whether any lane has. */
static enum mail_status
start_lanes (struct lanes *lanes, bool *busy_out)
{
    struct apply *apply = lanes->apply;
    enum mail_status status = MAIL_OK;
    *busy_out = false;
    bool draining = apply->deferred->len >= DEFERRED_MAX;
    for (unsigned i = 0; status == MAIL_OK && i < lanes->count; i++) {
        struct lane *lane = &lanes->list[i];
        if (lane->state == LANE_IDLE && !start_merge (lanes, lane) && !draining &&
            !apply->stopped && lanes_have_files (lanes))
            status = lane_begin_block (lane);
        if (status == MAIL_OK && lane->state == LANE_FEEDING && !lane->kept)
            lane_feed (lane);
        *busy_out |= lane->state != LANE_IDLE;
    }
    return status;
}

/* ---- listening ---- */

static void
take_parsed (struct lane *lane, struct crew_event *event)
{
    size_t place = event->docid - lane->block.first;
    if (event->docid < lane->block.first || place >= lane->to - lane->from)
        return;
    lane->lanes->heard = true;
    lane->files[place] = event->files[0];
    talloc_steal (lane->ctx, event->files);
    build_set_stat (&lane->files[place], &lane->stats[place]);
    lane_note_answer (lane, lane->from + place);
}

static void
end_merge (struct lanes *lanes, struct lane *lane)
{
    TALLOC_FREE (lane->merge);
    lane->state = LANE_IDLE;
    lanes->merging = false;
}

/* The block leaves the lane, which has the next one by the time this one is published. */
static enum mail_status
take_block (struct lanes *lanes, struct lane *lane, struct crew_event *event)
{
    bool busy;
    apply_take_segment (&lane->block, event);
    struct lane done = *lane;
    lane->state = LANE_IDLE;
    enum mail_status next = start_lanes (lanes, &busy);
    enum mail_status status = lane_publish (&done);
    talloc_free (done.ctx);
    lanes->nameless = 0;
    return status == MAIL_OK ? next : status;
}

static enum mail_status
take_segment (struct lanes *lanes, struct lane *lane, struct crew_event *event)
{
    enum mail_status status;
    if (lane->state == LANE_MERGING) {
        status = merge_end (lane->merge, &event->segment);
        end_merge (lanes, lane);
    } else {
        status = take_block (lanes, lane, event);
    }
    if (status == MAIL_OK)
        apply_tell (lanes->apply, NULL);
    return status;
}

/* What has been read is lost with the segment; what could not be read is known already. */
static void
forget_answers (struct apply *apply, struct lane *lane)
{
    for (size_t at = lane->from; at < lane->next; at++) {
        struct parsed_file *file = &lane->files[at - lane->from];
        if (file->status != MAIL_OK)
            continue;
        apply->counts->processed -= file->id != NULL;
        *file = (struct parsed_file){.status = MAIL_OK};
    }
}

/* Counts a death over a file of the block; late: it took so long that nothing else can be the
 * cause. */
static void
count_death (struct lanes *lanes, struct lane *lane, size_t place, bool late)
{
    struct past *past = &lanes->past[lane->from + place];
    past->deaths = late ? DEATHS_TO_BLAME : past->deaths + 1;
    if (past->deaths < DEATHS_TO_BLAME)
        return;
    past->told = false;
    lane->files[place] = apply_worker_died (&lane->stats[place]);
    lane_note_answer (lane, lane->from + place);
}

/* Counts a death between two messages or after the last: by chance, or of writing what had been
 * read. A second time at the same block it is made smaller, until it is one message that is to
 * blame. */
static enum mail_status
count_nameless_death (struct lanes *lanes, struct lane *lane)
{
    if (++lanes->nameless > (lanes->heard ? DEATHS_MAX : DEATHS_AT_FIRST))
        return index_fail (lanes->apply->index, MAIL_ERROR_WORKER,
                           "the processes that read mail keep dying");
    if (++lane->deaths < DEATHS_TO_BLAME)
        return MAIL_OK;
    lane->deaths = 0;
    size_t count = lane->to - lane->from;
    if (count == 1) {
        count_death (lanes, lane, 0, true);
    } else {
        lane->next = lane->from + count / 2;
        lane_cut (lane);
    }
    return MAIL_OK;
}

/* The worker is gone, and its segment with it: the block begins again. */
static enum mail_status
begin_again (struct lanes *lanes, struct lane *lane, struct crew_event *event)
{
    struct apply *apply = lanes->apply;
    size_t place = event->docid - lane->block.first;
    bool known = event->docid >= lane->block.first && place < lane->next - lane->from;
    enum mail_status status = MAIL_OK;
    forget_answers (apply, lane);
    if (known)
        count_death (lanes, lane, place, event->late);
    else
        status = count_nameless_death (lanes, lane);
    if (status != MAIL_OK)
        return status;
    lane->next = lane->from;
    lane->bytes = lane->references = 0;
    lane->start = clock_ms ();
    lane->state = LANE_FEEDING;
    return apply_begin_segment (apply, lane->ctx, lane->worker, &lane->block);
}

static enum mail_status
handle (struct lanes *lanes, struct crew_event *event)
{
    struct apply *apply = lanes->apply;
    struct lane *lane = &lanes->list[event->worker];
    bool merging = lane->state == LANE_MERGING;
    switch (event->kind) {
    case CREW_NOTHING:
        apply_tell (apply, NULL);
        return MAIL_OK;
    case CREW_PARSED:
        take_parsed (lane, event);
        return MAIL_OK;
    case CREW_SEGMENT:
        return take_segment (lanes, lane, event);
    case CREW_DIED:
    case CREW_FAILED:
        break;
    }
    if (merging) { /* thrown away: nothing is lost */
        lanes->no_merges = true;
        end_merge (lanes, lane);
        return MAIL_OK;
    }
    if (event->kind == CREW_DIED)
        return lane->state == LANE_IDLE ? MAIL_OK : begin_again (lanes, lane, event);
    return index_fail (apply->index, event->status, "cannot index: %s", event->text);
}

/* ---- all lanes ---- */

/* An event that came while a block was published, else the next one. */
static void
next_event (void *ctx, struct lanes *lanes, struct crew_event *event_out)
{
    for (unsigned i = 0; i < lanes->count; i++) {
        struct lane *lane = &lanes->list[i];
        if (!lane->kept)
            continue;
        *event_out = *lane->kept;
        talloc_steal (ctx, lane->kept);
        lane->kept = NULL;
        return;
    }
    crew_wait (ctx, lanes->apply->crew, WAIT_MS, event_out);
}

void
lanes_keep_busy (struct lanes *lanes)
{
    struct apply *apply = lanes->apply;
    enum crew_event_kind kind = CREW_PARSED;
    if (!apply->options->workers)
        return;
    while (kind == CREW_PARSED) {
        struct crew_event *event = talloc_zero (lanes->list, struct crew_event);
        crew_wait (event, apply->crew, 0, event);
        kind = event->kind;
        if (kind == CREW_PARSED)
            take_parsed (&lanes->list[event->worker], event);
        if (kind == CREW_PARSED || kind == CREW_NOTHING)
            talloc_free (event);
        else
            lanes->list[event->worker].kept = event;
    }
    for (unsigned i = 0; i < lanes->count; i++)
        if (lanes->list[i].state == LANE_FEEDING && !lanes->list[i].kept)
            lane_feed (&lanes->list[i]);
}

static enum mail_status
run_lanes (struct lanes *lanes)
{
    bool busy = true;
    enum mail_status status = MAIL_OK;
    while (status == MAIL_OK) {
        status = start_lanes (lanes, &busy);
        if (status != MAIL_OK || !busy)
            break;
        void *local = talloc_new (lanes->apply);
        struct crew_event event;
        next_event (local, lanes, &event);
        status = handle (lanes, &event);
        talloc_free (local);
    }
    return status;
}

enum mail_status
apply_start_crew (struct apply *apply)
{
    if (apply->crew)
        return MAIL_OK;
    char *error = NULL, *text = talloc_asprintf (apply, "%s/text", apply->index->folder);
    const struct mail_apply_options *options = apply->options;
    struct decrypt_policy policy = {
        options->decrypt,
        options->decrypt_seconds ? MIN (options->decrypt_seconds, DECRYPT_SECONDS_MAX) : 60,
    };
    enum mail_status status = crew_create (apply, options->workers, apply->scratch->path, text,
                                           apply->index->fields, policy, &apply->crew, &error);
    return status == MAIL_OK ? status : index_fail (apply->index, status, "%s", error);
}

enum mail_status
apply_adds (struct apply *apply)
{
    struct lanes lanes = {.apply = apply, .block_size = BLOCK_MIN};
    if (apply->changes->adds->len == 0)
        return MAIL_OK;
    enum mail_status status = apply_start_crew (apply);
    if (status != MAIL_OK)
        return status;
    lanes.count = crew_size (apply->crew);
    lanes.list = talloc_zero_array (apply, struct lane, lanes.count);
    lanes.left = g_array_new (FALSE, FALSE, sizeof (struct range));
    lanes.past = talloc_zero_array (lanes.list, struct past, apply->changes->adds->len);
    for (unsigned i = 0; i < lanes.count; i++)
        lanes.list[i] = (struct lane){.lanes = &lanes, .worker = i};
    do {
        status = run_lanes (&lanes);
        if (status == MAIL_OK)
            status = apply_deferred (apply);
    } while (status == MAIL_OK && !apply->stopped && lanes_have_files (&lanes));
    g_array_unref (lanes.left);
    return status;
}
