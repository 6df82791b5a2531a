/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * printer.c - the formats by name, and the calls that each of them answers.
 *
 * A new format is a file printer-NAME.c, a member of the enum and a line in each of the two places
 * here; no command changes.
 */
#include "printer-private.h"

const struct option_keyword printer_formats[] = {
    {"text", PRINTER_TEXT},
    {"json", PRINTER_JSON},
    {"sexp", PRINTER_SEXP},
    {"text0", PRINTER_TEXT0},
    {NULL, 0},
};

struct printer *
printer_create (void *ctx, enum printer_format format, FILE *file)
{
    switch (format) {
    case PRINTER_JSON:
        return printer_json_create (ctx, file);
    case PRINTER_SEXP:
        return printer_sexp_create (ctx, file);
    case PRINTER_TEXT0:
        return printer_text_create (ctx, file, '\0');
    case PRINTER_TEXT:
        break;
    }
    return printer_text_create (ctx, file, '\n');
}

bool
printer_is_lines (const struct printer *printer)
{
    return printer->class->lines;
}

void
printer_begin_map (struct printer *printer)
{
    printer->class->begin_map (printer);
}

void
printer_begin_list (struct printer *printer)
{
    printer->class->begin_list (printer);
}

void
printer_end (struct printer *printer)
{
    printer->class->end (printer);
}

void
printer_key (struct printer *printer, const char *key)
{
    printer->class->key (printer, key);
}

void
printer_string (struct printer *printer, const char *string)
{
    printer->class->string (printer, string);
}

void
printer_path (struct printer *printer, const char *path)
{
    printer->class->path (printer, path);
}

void
printer_integer (struct printer *printer, int64_t value)
{
    printer->class->integer (printer, value);
}

void
printer_boolean (struct printer *printer, bool value)
{
    printer->class->boolean (printer, value);
}

void
printer_null (struct printer *printer)
{
    printer->class->null (printer);
}

void
printer_separator (struct printer *printer)
{
    printer->class->separator (printer);
}

void
printer_key_string (struct printer *printer, const char *key, const char *string)
{
    printer_key (printer, key);
    printer_string (printer, string);
}

void
printer_key_integer (struct printer *printer, const char *key, int64_t value)
{
    printer_key (printer, key);
    printer_integer (printer, value);
}
