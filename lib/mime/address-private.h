/* SPDX-License-Identifier: GPL-3.0-or-later */
/* address-private.h - what address.c and address-plain.c share. */
#ifndef ADDRESS_PRIVATE_H
#define ADDRESS_PRIVATE_H

#include "mime/mime.h"

/* Encoded words are replaced by these marks with a number between them: characters for private use,
 * which GMime takes for letters, in a word, a quoted string or a comment alike. */
#define MARK_OPEN "\357\227\242"  /* U+F5E2 */
#define MARK_CLOSE "\357\227\243" /* U+F5E3 */

/* A piece of a raw value. */
struct piece {
    const char *start;
    size_t length;
};

enum entry_kind {
    ENTRY_MAILBOX,
    ENTRY_GROUP, /* name; its members follow, then: */
    ENTRY_GROUP_END,
    ENTRY_TEXT /* the whole value is no list of addresses: name is its text */
};

struct entry {
    enum entry_kind kind;
    const char *name, *address; /* "" where there is none; children of the list */
};

struct entries {
    struct entry *list; /* talloc'd */
    size_t count;
};

/* A new last entry; list moves. */
struct entry *entries_add (void *ctx, struct entries *entries, enum entry_kind kind);

/* Reads a value in which every address has a plain form, with marks for what is encoded in it,
 * which stay in the names; false (and nothing added) otherwise. */
bool address_plain_list (void *ctx, const char *text, struct entries *entries);
/* One "local@domain" of plain characters; the place after it, NULL where there is none. */
const char *address_plain_spec (const char *text, struct piece *address_out);

/* The next piece of a list, without separators; false at the end. */
bool address_next_piece (const char **text, struct piece *piece_out);
/* Whether a list must not be given to GMime: "a:a:a:..." overflows its stack. */
bool address_nests_deep (const char *text);

#endif
