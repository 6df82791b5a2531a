/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ignore.h - new.ignore: what the scan does not see. */
#ifndef SCAN_IGNORE_H
#define SCAN_IGNORE_H

#include <mailindex.h>

struct ignore;

/* Reads the entries: a plain word is the base name of a file or folder anywhere; /REGEX/ is a POSIX
 * extended regular expression, unanchored, for relative paths; "" says nothing. Anything else that
 * begins with a slash is MAIL_ERROR_ARGUMENT, and *error_out (talloc'd on ctx, may be NULL) says
 * which entry and why. */
enum mail_status ignore_create (void *ctx, const char *const *entries, size_t count,
                                struct ignore **ignore_out, char **error_out);

/* Whether the name in this folder (a relative path) is to be left out. */
bool ignore_match (const struct ignore *ignore, const char *folder, const char *name);

#endif
