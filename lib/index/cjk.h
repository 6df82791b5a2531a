/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cjk.h - runs of characters of scripts that are written without blanks. */
#ifndef CJK_H
#define CJK_H

#include <stdbool.h>
#include <stddef.h>

/* Two characters, or the last one by itself. */
typedef void (*cjk_fn) (void *closure, const char *word, size_t length);

/* The end of the run that begins at p; *plain_out: NFKC leaves it as it is. */
const char *cjk_end (const char *p, const char *end, bool *plain_out);
/* Calls each for every character of the run from p to end, in its NFKC form, together with the
 * next, and for the last by itself. */
void cjk_pairs (const char *p, const char *end, bool plain, cjk_fn each, void *closure);

#endif
