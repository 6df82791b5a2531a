/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * text.h - text from mail on its way to a terminal or into a line, and terms of queries in text.
 *
 * Control characters (C0, DEL, C1) never come out, nor bytes that are not UTF-8: each becomes "?"
 * or U+FFFD.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* As one line: tabs and newlines become blanks. talloc'd on ctx. */
char *text_line (void *ctx, const char *text);
/* As one line in which tabs stay: what is printed can be searched for. */
char *text_line_with_tabs (void *ctx, const char *text);
/* As a block: tabs and newlines stay. */
void text_write_block (FILE *file, const char *text, size_t length);

/* PREFIX:VALUE as a term of a query; the value is quoted where it is empty or has a byte <= " ",
 * a quote, a parenthesis or a byte > 127. talloc'd on ctx. */
char *text_term (void *ctx, const char *prefix, const char *value);

/* The same of what a terminal or a line may see: a value in which text_line would replace something
 * becomes PREFIX:%"VALUE", with these bytes, quotes and "%" as %XX, which a query reads. */
char *text_printable_term (void *ctx, const char *prefix, const char *value);

/* The value, talloc'd on ctx, where query is one id: term (quoted or not) and nothing else, else
 * NULL. To a query it may be a pattern. */
char *text_id_of_term (void *ctx, const char *query);

/* Columns that the first length bytes take on a terminal. */
size_t text_columns (const char *text, size_t length);

#endif
