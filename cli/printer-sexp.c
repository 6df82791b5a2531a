/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * printer-sexp.c - the syntax of S-expressions, as Emacs reads them: a map is a list of keywords
 * and values, false and null are nil.
 */
#include "printer-nested.h"

static void
escape (FILE *file, unsigned char byte)
{
    if (byte == '"' || byte == '\\')
        fprintf (file, "\\%c", byte);
    else if (byte == '\n')
        fputs ("\\n", file);
    else
        fprintf (file, "\\%03o", byte);
}

static const struct nested_syntax sexp = {
    .map = {'(', ')'},
    .list = {'(', ')'},
    .comma = " ",
    .line_comma = "\n",
    .key = ":%s ",
    .yes = "t",
    .no = "nil",
    .null = "nil",
    .escape = escape,
};

struct printer *
printer_sexp_create (void *ctx, FILE *file)
{
    return printer_nested_create (ctx, file, &sexp);
}
