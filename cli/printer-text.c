/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * printer-text.c - one result a line, or a NUL after each.
 *
 * With NUL between the results they are for programs, and come byte by byte as they are. Lines may
 * be looked at by people: what a sender chose is made harmless. Names of files must work when
 * given to another program, so they are made harmless only on a terminal, as ls does.
 */
#include "printer-private.h"
#include "text.h"

#include <inttypes.h>
#include <talloc.h>
#include <unistd.h>

struct text_printer {
    struct printer base;
    char end;
    bool terminal;
};

static struct text_printer *
text_printer (struct printer *printer)
{
    return (struct text_printer *) printer;
}

static void
nothing (struct printer *printer)
{
    (void) printer;
}

static void
no_key (struct printer *printer, const char *key)
{
    (void) printer;
    (void) key;
}

static void
print_harmless (struct printer *printer, const char *string)
{
    char *line = text_line_with_tabs (printer, string);

    fputs (line, printer->file);
    talloc_free (line);
}

static void
print_string (struct printer *printer, const char *string)
{
    if (text_printer (printer)->end == '\0')
        fputs (string, printer->file);
    else
        print_harmless (printer, string);
}

static void
print_path (struct printer *printer, const char *path)
{
    if (text_printer (printer)->terminal)
        print_harmless (printer, path);
    else
        fputs (path, printer->file);
}

static void
print_integer (struct printer *printer, int64_t value)
{
    fprintf (printer->file, "%" PRId64, value);
}

static void
print_boolean (struct printer *printer, bool value)
{
    fputs (value ? "true" : "false", printer->file);
}

static void
print_end (struct printer *printer)
{
    putc (text_printer (printer)->end, printer->file);
}

static const struct printer_class text_class = {
    .begin_map = nothing,
    .begin_list = nothing,
    .end = nothing,
    .key = no_key,
    .string = print_string,
    .path = print_path,
    .integer = print_integer,
    .boolean = print_boolean,
    .null = nothing,
    .separator = print_end,
    .lines = true,
};

struct printer *
printer_text_create (void *ctx, FILE *file, char end)
{
    struct text_printer *printer = talloc_zero (ctx, struct text_printer);

    printer->base.class = &text_class;
    printer->base.file = file;
    printer->end = end;
    printer->terminal = end != '\0' && isatty (fileno (file));
    return &printer->base;
}
