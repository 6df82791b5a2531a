/* SPDX-License-Identifier: GPL-3.0-or-later */
/* progress.h - what is said on a terminal during long work. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress;

/* Lines come on stderr, at most one a second, and only if wanted and stderr is a terminal. unit:
 * what is counted, "files" (static). */
struct progress *progress_begin (void *ctx, const char *unit, bool wanted);
/* total: 0 where it is not known. */
void progress_update (struct progress *progress, uint64_t done, uint64_t total);
/* Takes the line away, before anything else is printed. */
void progress_clear (struct progress *progress);
/* Seconds since it began. */
double progress_seconds (const struct progress *progress);

#define DURATION_SIZE 64
/* "almost no time", "12s", "3m 4s", "1h 0m 5s". text: DURATION_SIZE bytes; returns it. */
const char *progress_duration (double seconds, char *text);

#endif
