/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clock.h - time for limits of waiting and of work. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

/* Milliseconds of a clock that only goes forward. */
uint64_t clock_ms (void);

#endif
