/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reservations.c - which ids are being built under, as text and as a list. */
#include "reservations.h"
#include "scratch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <talloc.h>

struct reservations *
reservations_decode (void *ctx, const char *index_folder, const char *text)
{
    struct reservations *reservations = talloc_zero (ctx, struct reservations);
    char *line, *rest = talloc_strdup (reservations, text);
    while ((line = strsep (&rest, "\n")) != NULL && *line) {
        struct reservation found;
        char owner[64];
        if (sscanf (line, "%" SCNu32 " %" SCNu32 " %63s", &found.first, &found.last, owner) != 3 ||
            !scratch_is_owned (index_folder, owner))
            continue;
        found.owner = talloc_strdup (reservations, owner);
        reservations_add (reservations, &found);
    }
    return reservations;
}

char *
reservations_encode (void *ctx, const struct reservations *reservations)
{
    char *text = talloc_strdup (ctx, "");
    for (size_t i = 0; i < reservations->count; i++) {
        const struct reservation *one = &reservations->list[i];
        text = talloc_asprintf_append (text, "%" PRIu32 " %" PRIu32 " %s\n", one->first, one->last,
                                       one->owner);
    }
    return text;
}

void
reservations_add (struct reservations *reservations, const struct reservation *added)
{
    size_t at = reservations->count++;
    reservations->list =
        talloc_realloc (reservations, reservations->list, struct reservation, at + 1);
    reservations->list[at] = *added;
}

void
reservations_remove (struct reservations *reservations, uint32_t first)
{
    size_t kept = 0;
    for (size_t i = 0; i < reservations->count; i++) {
        if (reservations->list[i].first != first)
            reservations->list[kept++] = reservations->list[i];
    }
    reservations->count = kept;
}
