/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * apply-lanes.c - builds the files to add, in blocks, on all workers at once.
 *
 * Every worker has a lane with one block at a time. Blocks begin small (an interrupted first run
 * keeps its work early) and grow to BLOCK_MAX files or BLOCK_MS of work. A block whose worker died
 * is done again, without the message that it died of if that was not the first time. Merges of
 * segments are given to a lane between two blocks, so that they cost no time of their own.
 */
#include "apply-lanes.h"
#include "clock.h"
#include "merge.h"

#include <string.h>
#include <talloc.h>
#include <unistd.h>

#define BLOCK_MIN 256
#define BLOCK_MAX 4096
#define BLOCK_MS 5000
#define BLOCK_BYTES (256 << 20)    /* of mail */
#define REFERENCES_PER_BLOCK 50000 /* each may be a ghost to write */
#define DEFERRED_MAX 1024          /* collected before they are done */
#define DEATHS_MAX 3               /* of workers at one block, while no message can be blamed */
#define IMPORT_IS_LARGE 1000       /* messages */
#define WAIT_MS 500                /* for a worker, before progress is told again */

/* Files of the list that a block has left. */
struct range {
    size_t from, to;
};

struct lanes {
    struct apply *apply;
    struct lane *list;
    unsigned count;
    size_t next;     /* file of the list that no block has had yet */
    GArray *left;    /* of struct range: parts of the list before next */
    uint8_t *deaths; /* for each file of the list, of workers that were at it */
    size_t block_size;
    bool merging, no_merges;
};

/* ---- feeding ---- */

char *
lane_path (void *ctx, struct apply *apply, size_t at)
{
    struct change_add *add = apply_add_at (apply, at);
    return apply_path (ctx, apply, changes_folder_at (apply->changes, add->folder)->path,
                       add->name);
}

static void
note_answer (struct lane *lane, struct apply *apply, size_t at)
{
    struct parsed_file *file = &lane->files[at - lane->from];
    char *path = lane_path (NULL, apply, at);
    lane->references += file->record.reference_count;
    apply_note_parsed (apply, path, file);
    apply_tell (apply, path);
    talloc_free (path);
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
    *from = lanes->next;
    *to = lanes->next = MIN (lanes->next + lanes->block_size, lanes->apply->changes->adds->len);
    lanes->block_size = MIN (2 * lanes->block_size, BLOCK_MAX);
}

static enum mail_status
begin_block (struct lanes *lanes, struct lane *lane)
{
    struct apply *apply = lanes->apply;
    take_range (lanes, &lane->from, &lane->to);
    size_t count = lane->to - lane->from;
    lane->next = lane->from;
    lane->bytes = lane->references = lane->deaths = 0;
    lane->ctx = talloc_new (apply);
    lane->files = talloc_zero_array (lane->ctx, struct parsed_file, count);
    lane->stats = talloc_zero_array (lane->ctx, struct mail_stat, count);
    lane->start = clock_ms ();
    lane->state = LANE_FEEDING;
    enum mail_status status = apply_reserve (apply, (uint32_t) count, &lane->block);
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

static void
send_file (struct lanes *lanes, struct lane *lane)
{
    struct apply *apply = lanes->apply;
    size_t at = lane->next++, place = at - lane->from;
    struct parsed_file *file = &lane->files[place];
    lane->block.used = lane->block.first + (uint32_t) place;
    if (file->status != MAIL_OK) /* known from before, in a block that is done again */
        return;
    char *path = lane_path (lane->ctx, apply, at);
    int fd = build_open (lane->files, path, file);
    talloc_free (path);
    if (fd < 0) {
        note_answer (lane, apply, at);
        return;
    }
    lane->stats[place] = file->stat;
    if (lanes->deaths[at] >= DEATHS_TO_BLAME) { /* and told of in an earlier block */
        *file = apply_worker_died (&lane->stats[place]);
        close (fd);
        return;
    }
    lane->bytes += file->stat.size;
    crew_job (apply->crew, lane->worker, lane->block.used, &fd, 1);
}

/* Ends the block with what has been sent; the rest goes back to the list. */
static void
cut_block (struct lanes *lanes, struct lane *lane)
{
    struct range rest = {lane->next, lane->to};
    if (rest.from < rest.to)
        g_array_append_val (lanes->left, rest);
    lane->to = lane->next;
}

static void
feed (struct lanes *lanes, struct lane *lane)
{
    struct apply *apply = lanes->apply;
    while (lane->next < lane->to && crew_room (apply->crew, lane->worker) > 0) {
        if (apply->stopped || block_is_full (lane)) {
            cut_block (lanes, lane);
            break;
        }
        send_file (lanes, lane);
    }
    if (lane->next < lane->to)
        return;
    lane->state = LANE_ENDING;
    apply_end_segment (apply, lane->worker, &lane->block);
}

/* ---- listening ---- */

static void
take_parsed (struct lanes *lanes, struct lane *lane, struct crew_event *event)
{
    size_t place = event->docid - lane->block.first;
    if (event->docid < lane->block.first || place >= lane->to - lane->from)
        return;
    lane->files[place] = event->files[0];
    talloc_steal (lane->ctx, event->files);
    build_set_stat (&lane->files[place], &lane->stats[place]);
    note_answer (lane, lanes->apply, lane->from + place);
}

static void
end_lane (struct lane *lane)
{
    TALLOC_FREE (lane->ctx);
    TALLOC_FREE (lane->merge);
    lane->state = LANE_IDLE;
}

static enum mail_status
take_segment (struct lanes *lanes, struct lane *lane, struct crew_event *event)
{
    struct apply *apply = lanes->apply;
    enum mail_status status;
    if (lane->state == LANE_MERGING) {
        status = merge_end (lane->merge, &event->segment);
        lanes->merging = false;
    } else {
        apply_take_segment (&lane->block, event);
        status = lane_publish (apply, lane);
    }
    end_lane (lane);
    if (status == MAIL_OK)
        apply_tell (apply, NULL);
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
    uint8_t *deaths = &lanes->deaths[lane->from + place];
    *deaths = late ? DEATHS_TO_BLAME : *deaths + 1;
    if (*deaths < DEATHS_TO_BLAME)
        return;
    lane->files[place] = apply_worker_died (&lane->stats[place]);
    note_answer (lane, lanes->apply, lane->from + place);
}

/* The worker is gone, and its segment with it: the block begins again. */
static enum mail_status
begin_again (struct lanes *lanes, struct lane *lane, struct crew_event *event)
{
    struct apply *apply = lanes->apply;
    size_t place = event->docid - lane->block.first;
    bool known = event->docid >= lane->block.first && place < lane->next - lane->from;
    forget_answers (apply, lane);
    if (known) {
        count_death (lanes, lane, place, event->late);
    } else if (++lane->deaths > DEATHS_MAX) {
        return index_fail (apply->index, MAIL_ERROR_WORKER,
                           "the processes that read mail keep dying");
    }
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
        take_parsed (lanes, lane, event);
        return MAIL_OK;
    case CREW_SEGMENT:
        return take_segment (lanes, lane, event);
    case CREW_DIED:
    case CREW_FAILED:
        break;
    }
    if (merging) { /* thrown away: nothing is lost */
        lanes->no_merges = true;
        lanes->merging = false;
        end_lane (lane);
        return MAIL_OK;
    }
    if (event->kind == CREW_DIED)
        return lane->state == LANE_IDLE ? MAIL_OK : begin_again (lanes, lane, event);
    return index_fail (apply->index, event->status, "cannot index: %s", event->text);
}

/* ---- all lanes ---- */

static bool
has_files (const struct lanes *lanes)
{
    return lanes->left->len > 0 || lanes->next < lanes->apply->changes->adds->len;
}

static bool
start_merge (struct lanes *lanes, struct lane *lane)
{
    struct apply *apply = lanes->apply;
    if (lanes->merging || lanes->no_merges || apply->stopped)
        return false;
    bool import_ends = !has_files (lanes) && apply->counts->added >= IMPORT_IS_LARGE;
    uint64_t limit = apply->options->merge_limit;
    lane->merge =
        merge_begin (apply, apply->index, apply->scratch, limit ? limit : MERGE_AUTOMATIC_LIMIT,
                     import_ends ? MERGE_AT_ONCE : MERGE_AT);
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
            !apply->stopped && has_files (lanes))
            status = begin_block (lanes, lane);
        if (status == MAIL_OK && lane->state == LANE_FEEDING)
            feed (lanes, lane);
        *busy_out |= lane->state != LANE_IDLE;
    }
    return status;
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
        crew_wait (local, lanes->apply->crew, WAIT_MS, &event);
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
    enum mail_status status = crew_create (apply, apply->options->workers, apply->scratch->path,
                                           text, apply->index->fields, &apply->crew, &error);
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
    lanes.deaths = talloc_zero_array (lanes.list, uint8_t, apply->changes->adds->len);
    for (unsigned i = 0; i < lanes.count; i++)
        lanes.list[i].worker = i;
    do {
        status = run_lanes (&lanes);
        if (status == MAIL_OK)
            status = apply_deferred (apply);
    } while (status == MAIL_OK && !apply->stopped && has_files (&lanes));
    g_array_unref (lanes.left);
    return status;
}
