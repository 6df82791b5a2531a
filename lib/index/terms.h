/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * terms.h - the words of one message, collected field by field, and then given to a segment.
 *
 * Work expected: some hundred distinct words and a thousand positions a message, thirty thousand
 * messages a minute; one struct is used again for all messages of a run.
 */
#ifndef TERMS_H
#define TERMS_H

#include "fields.h"
#include "store/store.h"

struct terms;

/* fields: must live as long; NULL: fields_plain(). */
struct terms *terms_create (void *ctx, const struct fields *fields);
const struct fields *terms_fields (const struct terms *terms);
/* Forgets the document's words and positions; keeps buffers and the cache of stems. */
void terms_clear (struct terms *terms);
/* Adds a text to a field. Positions of each field start at 1 and go on 100 after the last text of
 * the same field, so that no phrase spans two texts. */
void terms_add_text (struct terms *terms, unsigned field, const char *text, size_t length);
/* Whether the document has more text (TEXT_MAX) or other words (WORDS_MAX) than are indexed. */
bool terms_are_cut (const struct terms *terms);
/* The header of one more file, for the column; counts for the digest. */
void terms_add_header (struct terms *terms, enum text_slot slot, const char *text);
/* There are files of which the headers are not known: the columns say so. */
void terms_lack_headers (struct terms *terms);
/* 16 bytes over all (field, text) added since terms_clear: two documents with equal digests have
 * equal words. */
void terms_digest (struct terms *terms, unsigned char digest_out[16]);
/* Gives the document to the builder under this id, with the synonyms of stems it has not been given
 * yet. */
enum mail_status terms_store (struct terms *terms, struct store_builder *builder, uint32_t id);
/* A new segment begins: its synonyms have to be given anew. */
void terms_new_segment (struct terms *terms);

#endif
