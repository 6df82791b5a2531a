/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html.h - HTML to words for the index, with libxml2's HTML parser. */
#ifndef HTML_H
#define HTML_H

#include <stddef.h>

/* UTF-8 HTML in, plain UTF-8 text out (talloc'd on ctx, NUL-terminated): entities decoded; style,
 * script, comments and attributes left out, but for alt; blocks, cells and line breaks
 * separate words, inline tags and <wbr> do not; soft hyphens and zero-width characters removed.
 * Never fails: what cannot be parsed gives what there was before it. */
char *html_to_text (void *ctx, const char *html, size_t length, size_t *length_out);
/* Loads what that needs, once a process; it does so itself. */
void html_prepare (void);

#endif
