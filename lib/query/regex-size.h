/* SPDX-License-Identifier: GPL-3.0-or-later */
/* regex-size.h - how large a regular expression becomes when it is compiled. */
#ifndef REGEX_SIZE_H
#define REGEX_SIZE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the counts of a POSIX extended regular expression make it so large that compiling it
 * would take very much memory; *offset_out is where the count stands that is one too many. */
bool regex_is_too_large (const char *pattern, size_t *offset_out);

#endif
