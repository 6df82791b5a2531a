/* SPDX-License-Identifier: GPL-3.0-or-later */
/* progress.c - a line that is written over again: count, rate and time left. */
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <talloc.h>
#include <time.h>
#include <unistd.h>

struct progress {
    const char *unit;
    bool visible; /* wanted, and a terminal */
    bool on_line; /* something stands on the line */
    double began, shown;
};

static double
now (void)
{
    struct timespec ts;

    clock_gettime (CLOCK_MONOTONIC, &ts);
    return (double) ts.tv_sec + (double) ts.tv_nsec / 1e9;
}

struct progress *
progress_begin (void *ctx, const char *unit, bool wanted)
{
    struct progress *progress = talloc_zero (ctx, struct progress);

    progress->unit = unit;
    progress->visible = wanted && isatty (STDERR_FILENO);
    progress->began = progress->shown = now ();
    return progress;
}

double
progress_seconds (const struct progress *progress)
{
    return now () - progress->began;
}

void
progress_update (struct progress *progress, uint64_t done, uint64_t total)
{
    double at = progress->visible ? now () : 0, elapsed = at - progress->began, rate;
    char left[DURATION_SIZE];

    if (!progress->visible || at - progress->shown < 1 || done == 0)
        return;
    rate = (double) done / elapsed;
    progress_duration (total > done ? (double) (total - done) / rate : 0, left);
    fflush (stdout);
    if (total > 0)
        fprintf (stderr, "\rProcessed %" PRIu64 " of %" PRIu64 " %s (%.0f %s/sec., %s left).\033[K",
                 done, total, progress->unit, rate, progress->unit, left);
    else
        fprintf (stderr, "\rProcessed %" PRIu64 " %s (%.0f %s/sec.).\033[K", done, progress->unit,
                 rate, progress->unit);
    fflush (stderr);
    progress->shown = at;
    progress->on_line = true;
}

void
progress_clear (struct progress *progress)
{
    if (!progress || !progress->on_line)
        return;
    fputs ("\r\033[K", stderr);
    progress->on_line = false;
}

const char *
progress_duration (double seconds, char *text)
{
    uint64_t whole = seconds > 0 ? (uint64_t) seconds : 0;
    uint64_t hours = whole / 3600, minutes = whole / 60 % 60;

    if (whole == 0)
        snprintf (text, DURATION_SIZE, "almost no time");
    else if (hours > 0)
        snprintf (text, DURATION_SIZE, "%" PRIu64 "h %" PRIu64 "m %" PRIu64 "s", hours, minutes,
                  whole % 60);
    else if (minutes > 0)
        snprintf (text, DURATION_SIZE, "%" PRIu64 "m %" PRIu64 "s", minutes, whole % 60);
    else
        snprintf (text, DURATION_SIZE, "%" PRIu64 "s", whole);
    return text;
}
