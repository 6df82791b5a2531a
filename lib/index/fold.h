/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fold.h - the one spelling under which a word that is not ASCII is kept. */
#ifndef FOLD_H
#define FOLD_H

#include "schema.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FOLD_SOURCE_MAX (4 * WORD_MAX) /* nothing longer folds to WORD_MAX bytes */

struct folded {
    uint8_t length;         /* of word; 0: too long, or nothing is left */
    uint8_t variant_length; /* 0: no other spelling */
    char word[WORD_MAX + 1];
    char variant[WORD_MAX + 1];
};

struct fold;
struct fold *fold_create (void *ctx);

/* source: valid UTF-8 of word characters and joints, at most FOLD_SOURCE_MAX bytes. word is its
 * NFKC, case-folded form (full case folding, Unicode 5.18), variant that without accents, where it
 * is another. The answer belongs to fold, until the next call. */
const struct folded *fold_word (struct fold *fold, const char *source, size_t length);

#endif
