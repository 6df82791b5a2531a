/* SPDX-License-Identifier: GPL-3.0-or-later */
/* charset-private.h - what charset.c and charset-label.c share. */
#ifndef CHARSET_PRIVATE_H
#define CHARSET_PRIVATE_H

#include <stdbool.h>

#define CHARSET_LABEL_MAX 64

/* The name to give to iconv; NULL where the label (may be NULL) does not say. buffer holds it if
 * need be. */
const char *charset_label_name (const char *label, char buffer[CHARSET_LABEL_MAX]);
/* The windows set that mail labelled iso-8859-N is in when it has bytes at 0x80-0x9F; NULL for
 * others. */
const char *charset_name_windows (const char *name);
/* Whether bytes below 0x80 are ASCII, whatever stands around them. */
bool charset_name_ascii_compatible (const char *name);

#endif
