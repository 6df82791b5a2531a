/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reservations.h - document ids that runs have set aside for the text they are building.
 *
 * A reservation is an empty file text/tmp/PID-RANDOM.FIRST-LAST beside the scratch folder
 * PID-RANDOM of its owner, and made under the lock. It holds until it is freed, or its owner dies.
 * It need not outlive the machine, as no run does.
 */
#ifndef RESERVATIONS_H
#define RESERVATIONS_H

#include "scratch.h"

#include <stddef.h>
#include <stdint.h>

struct reservation {
    uint32_t first, last;
    char *path; /* of the file; NULL where somebody else has the reservation */
};

/* Freeing it ends it. */
enum mail_status reservation_make (void *ctx, const struct scratch *owner, uint32_t first,
                                   uint32_t last, struct reservation **reservation_out);

struct reservations {
    struct reservation *list; /* of living owners, in no order */
    size_t count;
};

/* All of them. errno says more about a failure. */
enum mail_status reservations_read (void *ctx, const char *index_folder,
                                    struct reservations **reservations_out);
/* Takes the one that begins with first out of the list, if it is there. */
void reservations_leave_out (struct reservations *reservations, uint32_t first);
/* The first id behind all of them; 0 where there is none. */
uint64_t reservations_end (const struct reservations *reservations);
/* Whether one has ids from first to last. */
bool reservations_meet (const struct reservations *reservations, uint32_t first, uint32_t last);

#endif
