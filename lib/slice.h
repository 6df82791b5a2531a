/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slice.h - how many messages are changed in one commit, so that nobody waits long for the lock. */
#ifndef SLICE_H
#define SLICE_H

#include <stddef.h>
#include <stdint.h>

#define SLICE_FIRST 200

/* The size of the next slice, when one of size has taken from start (clock_ms()) until now: it is
 * doubled while that is under a quarter of a second, else halved. */
size_t slice_next (size_t size, uint64_t start);

#endif
