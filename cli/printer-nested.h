/* SPDX-License-Identifier: GPL-3.0-or-later */
/* printer-nested.h - a format of maps and lists in brackets, by its syntax. */
#ifndef PRINTER_NESTED_H
#define PRINTER_NESTED_H

#include "printer-private.h"

struct nested_syntax {
    char map[2], list[2];        /* brackets, open and close */
    const char *comma;           /* between values of a map or list */
    const char *line_comma;      /* between results */
    const char *key;             /* printf format of a key, with all that stands around it */
    const char *yes, *no, *null; /* words */
    void (*escape) (FILE *file, unsigned char byte); /* prints a control, quote or backslash */
};

/* syntax must stay. */
struct printer *printer_nested_create (void *ctx, FILE *file, const struct nested_syntax *syntax);

#endif
