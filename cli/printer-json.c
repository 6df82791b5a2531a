/* SPDX-License-Identifier: GPL-3.0-or-later */
/* printer-json.c - the syntax of JSON (RFC 8259). */
#include "printer-nested.h"

static void
escape (FILE *file, unsigned char byte)
{
    static const char short_ones[] = "\"\"\\\\\bb\ff\nn\tt"; /* byte, letter */

    for (const char *s = short_ones; *s; s += 2)
        if ((unsigned char) *s == byte) {
            putc ('\\', file);
            putc (s[1], file);
            return;
        }
    fprintf (file, "\\u%04x", byte);
}

static const struct nested_syntax json = {
    .map = {'{', '}'},
    .list = {'[', ']'},
    .comma = ", ",
    .line_comma = ",\n",
    .key = "\"%s\": ",
    .yes = "true",
    .no = "false",
    .null = "null",
    .escape = escape,
};

struct printer *
printer_json_create (void *ctx, FILE *file)
{
    return printer_nested_create (ctx, file, &json);
}
