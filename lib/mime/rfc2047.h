/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rfc2047.h - encoded words in header values. */
#ifndef RFC2047_H
#define RFC2047_H

#include <glib.h>
#include <stddef.h>

/* A run of encoded words with nothing but blanks between them. */
struct encoded_run {
    const char *start, *end;
};

/* The next run in a NUL-terminated text; false where there is none. */
gboolean rfc2047_next (const char *text, struct encoded_run *run_out);
/* Appends the run's text as UTF-8. */
void rfc2047_decode (const struct encoded_run *run, GString *out);
/* Appends bytes outside of encoded words as UTF-8. */
void rfc2047_plain (const char *bytes, size_t length, GString *out);

#endif
