/* SPDX-License-Identifier: GPL-3.0-or-later */
/* terms-private.h - the words of a document as they go to the store, for its tests. */
#ifndef TERMS_PRIVATE_H
#define TERMS_PRIVATE_H

#include "index/terms.h"

/* The document's terms in byte order; belongs to terms, until the next call. */
const struct store_posting *terms_postings (struct terms *terms, size_t *count_out);

#endif
