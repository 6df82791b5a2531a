/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stems.h - stems of words, and which of them a segment has been told already. */
#ifndef STEMS_H
#define STEMS_H

#include "fields.h"
#include "store/store.h"

struct stems;

/* language: of store_stemmer_create; an unknown one, or NULL, has no stems. */
struct stems *stems_create (void *ctx, const char *language);
/* A new segment begins: it has been told nothing. */
void stems_new_segment (struct stems *stems);
/* Whether the segment has to be told of this folded word of the field: it has a stem other than
 * itself, *stem_out (until the next call), and this was not asked since stems_new_segment. May, in
 * a long run, be true for a word again. */
bool stems_claim (struct stems *stems, unsigned field, const char *word, size_t length,
                  struct store_term *stem_out);

#endif
