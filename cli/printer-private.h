/* SPDX-License-Identifier: GPL-3.0-or-later */
/* printer-private.h - what a format has to provide. */
#ifndef PRINTER_PRIVATE_H
#define PRINTER_PRIVATE_H

#include "printer.h"

/* Every member is required. */
struct printer_class {
    void (*begin_map) (struct printer *printer);
    void (*begin_list) (struct printer *printer);
    void (*end) (struct printer *printer);
    void (*key) (struct printer *printer, const char *key);
    void (*string) (struct printer *printer, const char *string);
    void (*path) (struct printer *printer, const char *path);
    void (*integer) (struct printer *printer, int64_t value);
    void (*boolean) (struct printer *printer, bool value);
    void (*null) (struct printer *printer);
    void (*separator) (struct printer *printer);
    bool lines;
};

/* The formats' own structs begin with this. */
struct printer {
    const struct printer_class *class;
    FILE *file;
};

struct printer *printer_json_create (void *ctx, FILE *file);
struct printer *printer_sexp_create (void *ctx, FILE *file);
/* end: the byte after each result. */
struct printer *printer_text_create (void *ctx, FILE *file, char end);

#endif
