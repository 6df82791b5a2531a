/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * printer-json.c - JSON (RFC 8259), valid whatever the bytes.
 *
 * The layout is notmuch's to the byte: ", " and ": " inside, a newline after the comma between
 * results, a newline after the outermost end. Bytes that are not UTF-8 become U+FFFD.
 */
#include "printer-private.h"

#include <glib.h>
#include <inttypes.h>
#include <string.h>
#include <talloc.h>

struct level {
    struct level *outer;
    char close; /* the bracket that ends it */
    bool first; /* nothing printed in it yet */
};

struct json_printer {
    struct printer base;
    struct level *level; /* innermost; NULL at the top */
    bool after_key;      /* the next value needs no comma */
    bool newline;        /* the next comma ends the line */
};

static struct json_printer *
json_printer (struct printer *printer)
{
    return (struct json_printer *) printer;
}

/* Before every value and key. */
static void
begin_value (struct printer *printer)
{
    struct json_printer *json = json_printer (printer);

    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (json->level && !json->level->first) {
        fputs (json->newline ? ",\n" : ", ", printer->file);
        json->newline = false;
    }
    if (json->level)
        json->level->first = false;
}

/* After every value: the outermost one ends its line. */
static void
end_value (struct printer *printer)
{
    if (!json_printer (printer)->level)
        putc ('\n', printer->file);
}

static void
begin (struct printer *printer, char open, char close)
{
    struct json_printer *json = json_printer (printer);
    struct level *level;

    begin_value (printer);
    putc (open, printer->file);
    level = talloc (json, struct level);
    *level = (struct level){.outer = json->level, .close = close, .first = true};
    json->level = level;
}

static void
begin_map (struct printer *printer)
{
    begin (printer, '{', '}');
}

static void
begin_list (struct printer *printer)
{
    begin (printer, '[', ']');
}

static void
end (struct printer *printer)
{
    struct json_printer *json = json_printer (printer);
    struct level *level = json->level;

    putc (level->close, printer->file);
    json->level = level->outer;
    json->newline = false;
    talloc_free (level);
    end_value (printer);
}

static void
put_escaped (FILE *file, unsigned char byte)
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

static bool
is_plain (unsigned char byte)
{
    return byte >= 0x20 && byte != '"' && byte != '\\';
}

/* Valid UTF-8. */
static void
put_valid (FILE *file, const char *text, size_t length)
{
    size_t written = 0;

    for (size_t i = 0; i < length; i++) {
        if (is_plain ((unsigned char) text[i]))
            continue;
        fwrite (text + written, 1, i - written, file);
        put_escaped (file, (unsigned char) text[i]);
        written = i + 1;
    }
    fwrite (text + written, 1, length - written, file);
}

static void
put_string (FILE *file, const char *string)
{
    const char *end_of_valid;

    putc ('"', file);
    while (!g_utf8_validate (string, -1, &end_of_valid)) {
        put_valid (file, string, (size_t) (end_of_valid - string));
        fputs ("\xEF\xBF\xBD", file);
        string = end_of_valid + 1;
    }
    put_valid (file, string, (size_t) (end_of_valid - string));
    putc ('"', file);
}

static void
print_key (struct printer *printer, const char *key)
{
    begin_value (printer);
    put_string (printer->file, key);
    fputs (": ", printer->file);
    json_printer (printer)->after_key = true;
}

static void
print_string (struct printer *printer, const char *string)
{
    begin_value (printer);
    put_string (printer->file, string);
    end_value (printer);
}

static void
print_integer (struct printer *printer, int64_t value)
{
    begin_value (printer);
    fprintf (printer->file, "%" PRId64, value);
    end_value (printer);
}

static void
print_word (struct printer *printer, const char *word)
{
    begin_value (printer);
    fputs (word, printer->file);
    end_value (printer);
}

static void
print_boolean (struct printer *printer, bool value)
{
    print_word (printer, value ? "true" : "false");
}

static void
print_null (struct printer *printer)
{
    print_word (printer, "null");
}

static void
separator (struct printer *printer)
{
    json_printer (printer)->newline = true;
}

static const struct printer_class json_class = {
    .begin_map = begin_map,
    .begin_list = begin_list,
    .end = end,
    .key = print_key,
    .string = print_string,
    .path = print_string,
    .integer = print_integer,
    .boolean = print_boolean,
    .null = print_null,
    .separator = separator,
    .lines = false,
};

struct printer *
printer_json_create (void *ctx, FILE *file)
{
    struct json_printer *printer = talloc_zero (ctx, struct json_printer);

    printer->base.class = &json_class;
    printer->base.file = file;
    return &printer->base;
}
