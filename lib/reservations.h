/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reservations.h - document ids handed out to runs that are building text, as kept in state
 * (META_RESERVATIONS): a line each, FIRST LAST SCRATCH-FOLDER.
 *
 * A reservation holds for as long as the owner of the scratch folder lives.
 */
#ifndef RESERVATIONS_H
#define RESERVATIONS_H

#include <stddef.h>
#include <stdint.h>

struct reservation {
    uint32_t first, last;
    const char *owner; /* name of the scratch folder */
};

struct reservations {
    struct reservation *list; /* of living owners, in the order in which they were made */
    size_t count;
};

/* Leaves out those whose owner is gone, and lines that are none. */
struct reservations *reservations_decode (void *ctx, const char *index_folder, const char *text);
char *reservations_encode (void *ctx, const struct reservations *reservations);
/* The owner is not copied. */
void reservations_add (struct reservations *reservations, const struct reservation *added);
/* Takes the one that begins with first out, if it is there. */
void reservations_remove (struct reservations *reservations, uint32_t first);

#endif
