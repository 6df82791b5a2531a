/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sexp-read.h - the text of an S-expression → lists and atoms, each with its place in the text. */
#ifndef SEXP_READ_H
#define SEXP_READ_H

#include "query/lexer.h"

#define SEXP_ELEMENTS_MAX 1000000 /* lists and atoms of one text */

struct sexp {
    bool list;
    bool quoted;           /* an atom in double quotes, or behind a single one */
    const char *text;      /* atom: unescaped, NUL-terminated */
    size_t offset, length; /* in the text, from an opening sign to the closing one */
    struct sexp *items;    /* list */
    size_t count;
};

/* Reads the one expression that text is; blanks, and comments from a ";" to the end of the line,
 * may stand around it. All hangs on ctx. Errors: more or less than one expression, what is never
 * closed, more than depth_max lists in one another, too many elements. */
bool sexp_read (void *ctx, const char *text, size_t length, unsigned depth_max,
                struct sexp *sexp_out, struct mail_query_error *error);

#endif
