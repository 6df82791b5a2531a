/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chars.h - what a character is to the tokenizer. */
#ifndef CHARS_H
#define CHARS_H

#include <stddef.h>
#include <stdint.h>

enum char_class {
    CHAR_WORD = 1 << 0,        /* letter, mark, number, connector: words are made of it */
    CHAR_DIGIT = 1 << 1,       /* decimal digit */
    CHAR_INFIX = 1 << 2,       /* joins two word characters: ' & */
    CHAR_INFIX_DIGIT = 1 << 3, /* joins two digits: . , ; */
    CHAR_SUFFIX = 1 << 4,      /* stays at the end of a word: + # */
    CHAR_SPLIT = 1 << 5,       /* what stands on either side is a part: _ ' & , ; */
    CHAR_CAPITAL = 1 << 6,     /* upper or title case */
    CHAR_HIGH = 1 << 7,        /* byte of a character beyond ASCII (byte_classes only) */
    CHAR_BASE64 = 1 << 8,
    CHAR_LETTER = 1 << 9, /* a folded word that begins with it has a stem */
    CHAR_CJK = 1 << 10,   /* of a script written without blanks: bigrams */
    CHAR_PLAIN = 1 << 11, /* CJK that NFKC leaves alone whatever its neighbours among PLAIN */
    CHAR_IGNORE = 1 << 12 /* soft hyphen, zero width: as if it were not there */
};

/* Of a byte; letters below 0x80 as characters. */
extern const uint16_t byte_classes[256];

#define CHAR_INVALID UINT32_MAX

/* Decodes the character at p (p < end) strictly (RFC 3629); *length_out is its length in bytes.
 * CHAR_INVALID and 1 for what is not UTF-8. */
uint32_t char_decode (const char *p, const char *end, size_t *length_out);
/* Appends the character to at, which has room for 4 bytes; returns the length. */
size_t char_encode (uint32_t character, char *at);

/* Of any character; 0 for CHAR_INVALID. Looks it up in GLib once and keeps the answer, which any
 * number of threads may do at a time. */
unsigned char_class (uint32_t character);

#endif
