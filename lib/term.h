/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * term.h - the one place where terms of state are made.
 *
 * A term is a prefix of schema.h and a value. Xapian refuses keys over its limit and counts a NUL
 * byte twice, so what is over TERM_MAX becomes its first 200 bytes, "#", and the SHA-1 of the whole
 * in hex. Terms are talloc'd on ctx, with a NUL behind them.
 */
#ifndef TERM_H
#define TERM_H

#include "store/store.h"

struct store_term term_make (void *ctx, const char *prefix, const char *value, size_t length);
struct store_term term_make_string (void *ctx, const char *prefix, const char *value);
/* The form under which a Message-ID is known: itself, or for over MESSAGE_ID_MAX bytes
 * "notmuch-sha1-" and the SHA-1 hex of the id with its NUL byte (as notmuch, so that ids agree). */
char *term_message_id (void *ctx, const char *id);
struct store_term term_thread (void *ctx, uint64_t thread);
struct store_term term_folder (void *ctx, uint32_t folder);
struct store_term term_file (void *ctx, uint32_t folder, const char *name);

/* 8 bytes, big-endian: the code of the number slots. */
void value_encode (uint64_t number, char bytes_out[8]);
uint64_t value_decode (const char *bytes, size_t length);
/* Dates in that code. */
uint64_t date_to_value (int64_t date);
int64_t value_to_date (uint64_t value);

#endif
