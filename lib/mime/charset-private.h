/* SPDX-License-Identifier: GPL-3.0-or-later */
/* charset-private.h - what the files charset*.c share. */
#ifndef CHARSET_PRIVATE_H
#define CHARSET_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#define CHARSET_LABEL_MAX 64

/* The name to give to iconv; NULL where the label (may be NULL) does not say. buffer holds it if
 * need be. */
const char *charset_label_name (const char *label, char buffer[CHARSET_LABEL_MAX]);
/* The windows set that mail labelled iso-8859-N is in when it has bytes at 0x80-0x9F; NULL for
 * others. */
const char *charset_name_windows (const char *name);
/* One of the usual sets of a byte a character. */
bool charset_name_single_byte (const char *name);
/* Whether bytes below 0x80 are ASCII, whatever stands around them. */
bool charset_name_ascii_compatible (const char *name);

/* ---- charset.c ---- */

/* Counts what makes UTF-8 likely, characters beyond ASCII, and what contradicts it, bytes. */
void charset_count_sequences (const char *bytes, size_t length, size_t *good_out, size_t *bad_out);

/* ---- charset-wide.c ---- */

/* The set that the bytes are in, where it is one of wide characters; NULL where it is not, though
 * name may say so; else the name. name may be NULL. */
const char *charset_settle_wide (const char *name, const char *bytes, size_t length);

/* ---- charset-shift.c ---- */

/* ISO-2022-JP or HZ. */
bool charset_name_shifts (const char *name);
/* Such text in one of the sets that EUC are, whose name is returned; talloc'd on ctx. */
const char *charset_unshift (void *ctx, const char *name, const char *bytes, size_t length,
                             char **euc_out, size_t *length_out);

/* ---- charset-mixed.c ---- */

/* Text of which some lines are UTF-8, with at least so many bytes that follow the first one of a
 * character, and the others something else, by the rules of charset_to_utf8() for this label; NULL
 * where it is not that. Where one such byte is enough, the others must have nothing of UTF-8. */
char *charset_read_mixed (void *ctx, const char *bytes, size_t length, const char *label,
                          size_t least, size_t *length_out);

#endif
