/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * printer.h - results on stdout, in any format.
 *
 * A command says what its result consists of and does not know the format, but for one question:
 * printer_is_lines(), where text has a layout of its own.
 */
#ifndef PRINTER_H
#define PRINTER_H

#include "options.h"

enum printer_format { PRINTER_TEXT, PRINTER_JSON, PRINTER_SEXP, PRINTER_TEXT0 };
/* The names of the formats, for option tables. */
extern const struct option_keyword printer_formats[];

struct printer;

/* Prints to file. */
struct printer *printer_create (void *ctx, enum printer_format format, FILE *file);

/* The result is lines (or strings that end in NUL): maps, keys and lists leave no trace, and a
 * value is what stands between two separators. */
bool printer_is_lines (const struct printer *printer);

void printer_begin_map (struct printer *printer);
void printer_begin_list (struct printer *printer);
/* Ends the innermost map or list. */
void printer_end (struct printer *printer);
/* The key of the next value of a map. */
void printer_key (struct printer *printer, const char *key);
/* Text from mail or from us. Lines: controls but tabs are replaced (text_line_with_tabs()). */
void printer_string (struct printer *printer, const char *string);
/* A name of a file. Lines: the bytes as they are, unless they go to a terminal. */
void printer_path (struct printer *printer, const char *path);
void printer_integer (struct printer *printer, int64_t value);
void printer_boolean (struct printer *printer, bool value);
void printer_null (struct printer *printer);
/* Between, or after, the results at top level: the end of a line. */
void printer_separator (struct printer *printer);

/* Conveniences. */
void printer_key_string (struct printer *printer, const char *key, const char *string);
void printer_key_integer (struct printer *printer, const char *key, int64_t value);

#endif
