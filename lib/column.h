/* SPDX-License-Identifier: GPL-3.0-or-later */
/* column.h - one pass over a column of text: a header of many messages without reading these. */
#ifndef COLUMN_H
#define COLUMN_H

#include "index-private.h"
#include "schema.h"

#include <glib.h>

/* The value of the text document texts.ids[at]: a header of each of its files, each ended by a NUL.
 */
typedef void (*column_fn) (void *closure, size_t at, const char *value, size_t length);
/* Calls each, in order of ids, for those of which the segments have all that records have; stale
 * ones may be among them. Under the revision that the handle has: MAIL_ERROR_OVERTAKEN. */
enum mail_status column_read (struct mail_index *index, enum text_slot slot, struct idset texts,
                              column_fn each, void *closure);

/* For tables by the text of a header, which the sender chose: of its bytes and of a number drawn at
 * random. */
guint hash_string (gconstpointer string);

#endif
