/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * charset.h - bytes in a declared, wrongly declared or unknown character set to UTF-8.
 *
 * The rules, in this order: UTF-8, if valid, where that is declared or nothing is, or where a set
 * of one byte a character is and the text has more than a few such characters; lines that are UTF-8
 * in a text that is not, and the others by themselves; the declared set, if all bytes can be read
 * in it (an iso-8859 set has no characters at 0x80-0x9F: text that uses them is windows-125x);
 * UTF-8, if valid; for text that is UTF-8 but for some bytes, those bytes as windows-1252; else
 * what uchardet guesses, else windows-1252.
 */
#ifndef CHARSET_H
#define CHARSET_H

#include <stdbool.h>
#include <stddef.h>

/* label: the charset parameter, NULL for none. The result is valid UTF-8 without NUL characters,
 * talloc'd on ctx and NUL-terminated. Never fails. */
char *charset_to_utf8 (void *ctx, const char *bytes, size_t length, const char *label,
                       size_t *length_out);
/* Loads what that may need. */
void charset_prepare (void);
/* Whether a label says which character set it is (not "us-ascii", "unknown-8bit" and the like). */
bool charset_label_known (const char *label);
bool charset_is_ascii (const char *bytes, size_t length);
/* Valid UTF-8, but for fewer bytes than there are characters beyond ASCII. */
bool charset_is_mostly_utf8 (const char *bytes, size_t length);

#endif
