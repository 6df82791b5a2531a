/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * printer-nested.c - what JSON and S-expressions have in common: maps and lists in each other.
 *
 * The layout is notmuch's to the byte: blanks inside, a newline between results and after the
 * outermost end. What is printed is valid UTF-8 whatever the bytes are: each that is none becomes
 * U+FFFD. Work expected: the text of a hundred thousand messages, most of it plain, so strings are
 * written run by run.
 */
#include "printer-nested.h"
#include "output.h"

#include <glib.h>
#include <inttypes.h>
#include <string.h>
#include <talloc.h>

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

struct level {
    struct level *outer;
    char close; /* the bracket that ends it */
    bool first; /* nothing printed in it yet */
};

struct nested_printer {
    struct printer base;
    const struct nested_syntax *syntax;
    struct level *level; /* innermost; NULL at the top */
    bool after_key;      /* the next value needs no comma */
    bool newline;        /* the next comma ends the line */
};

static struct nested_printer *
nested (struct printer *printer)
{
    return (struct nested_printer *) printer;
}

/* Before every value and key. */
static void
begin_value (struct nested_printer *nested)
{
    if (nested->after_key) {
        nested->after_key = false;
        return;
    }
    if (nested->level && !nested->level->first) {
        fputs (nested->newline ? nested->syntax->line_comma : nested->syntax->comma,
               nested->base.file);
        nested->newline = false;
    }
    if (nested->level)
        nested->level->first = false;
}

/* After every value: the outermost one ends its line. */
static void
end_value (struct nested_printer *nested)
{
    if (!nested->level)
        putc ('\n', nested->base.file);
}

static void
begin (struct nested_printer *nested, const char brackets[2])
{
    struct level *level;

    begin_value (nested);
    putc (brackets[0], nested->base.file);
    level = talloc (nested, struct level);
    *level = (struct level){.outer = nested->level, .close = brackets[1], .first = true};
    nested->level = level;
}

static void
begin_map (struct printer *printer)
{
    begin (nested (printer), nested (printer)->syntax->map);
}

static void
begin_list (struct printer *printer)
{
    begin (nested (printer), nested (printer)->syntax->list);
}

static void
end (struct printer *printer)
{
    struct level *level = nested (printer)->level;

    putc (level->close, printer->file);
    nested (printer)->level = level->outer;
    nested (printer)->newline = false;
    talloc_free (level);
    end_value (nested (printer));
}

/* Valid UTF-8. */
static void
put_valid (const struct nested_printer *nested, const char *text, size_t length)
{
    FILE *file = nested->base.file;
    size_t written = 0;

    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char) text[i];

        if (byte >= 0x20 && byte != '"' && byte != '\\')
            continue;
        output_write (file, text + written, i - written);
        nested->syntax->escape (file, byte);
        written = i + 1;
    }
    output_write (file, text + written, length - written);
}

static void
print_string (struct printer *printer, const char *string)
{
    const char *end_of_valid;

    begin_value (nested (printer));
    putc ('"', printer->file);
    while (!g_utf8_validate (string, -1, &end_of_valid)) {
        put_valid (nested (printer), string, (size_t) (end_of_valid - string));
        fputs (REPLACEMENT, printer->file);
        string = end_of_valid + 1;
    }
    put_valid (nested (printer), string, (size_t) (end_of_valid - string));
    putc ('"', printer->file);
    end_value (nested (printer));
}

/* Keys are ours. */
static void
print_key (struct printer *printer, const char *key)
{
    begin_value (nested (printer));
    fprintf (printer->file, nested (printer)->syntax->key, key);
    nested (printer)->after_key = true;
}

static void
print_word (struct printer *printer, const char *word)
{
    begin_value (nested (printer));
    fputs (word, printer->file);
    end_value (nested (printer));
}

static void
print_integer (struct printer *printer, int64_t value)
{
    char text[32];

    snprintf (text, sizeof text, "%" PRId64, value);
    print_word (printer, text);
}

static void
print_boolean (struct printer *printer, bool value)
{
    const struct nested_syntax *syntax = nested (printer)->syntax;

    print_word (printer, value ? syntax->yes : syntax->no);
}

static void
print_null (struct printer *printer)
{
    print_word (printer, nested (printer)->syntax->null);
}

static void
separator (struct printer *printer)
{
    nested (printer)->newline = true;
}

static const struct printer_class nested_class = {
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
printer_nested_create (void *ctx, FILE *file, const struct nested_syntax *syntax)
{
    struct nested_printer *printer = talloc_zero (ctx, struct nested_printer);

    printer->base.class = &nested_class;
    printer->base.file = file;
    printer->syntax = syntax;
    return &printer->base;
}
