/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html.c - owns the way from HTML to words.
 *
 * libxml2's HTML parser calls back for tags and text (SAX): no tree is built. Elements that people
 * see as a line, block or cell of its own separate words; all others, unknown ones too, do not.
 *
 * Broken mail opens elements and never closes them, and the parser's work for a tag grows with the
 * number of open ones. So at a certain depth it is stopped, and started afresh on the rest. Its
 * work for a tag also grows with the square of the number of attributes: a tag of thousands is left
 * out.
 */
#include "mime/html.h"

#include <glib.h>
#include <libxml/HTMLparser.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

#define DEPTH 256
#define TAG_MAX ((size_t) 64 << 10) /* bytes of a tag that are not looked into */
#define ATTRIBUTES_MAX 4096         /* roughly, in a longer one */

struct html {
    htmlParserCtxtPtr parser;
    GString *out;
    size_t stopped; /* offset at which it got too deep; 0: not yet */
};

/* ---- elements ---- */

/* In byte order. */
static const char *const separators[] = {
    "address", "article",  "aside",      "blockquote", "body",     "br",      "button", "caption",
    "center",  "col",      "dd",         "details",    "dialog",   "dir",     "div",    "dl",
    "dt",      "fieldset", "figcaption", "figure",     "footer",   "form",    "frame",  "frameset",
    "h1",      "h2",       "h3",         "h4",         "h5",       "h6",      "head",   "header",
    "hr",      "html",     "iframe",     "legend",     "li",       "listing", "main",   "menu",
    "nav",     "noframes", "noscript",   "ol",         "optgroup", "option",  "p",      "plaintext",
    "pre",     "section",  "select",     "summary",    "table",    "tbody",   "td",     "textarea",
    "tfoot",   "th",       "thead",      "title",      "tr",       "ul",      "xmp",
};

static int
name_compare (const void *key, const void *element)
{
    return strcmp (key, *(const char *const *) element);
}

static bool
is_separator (const xmlChar *name)
{
    return bsearch (name, separators, G_N_ELEMENTS (separators), sizeof (separators[0]),
                    name_compare) != NULL;
}

/* ---- text ---- */

/* Bytes of a character that is not seen and joins or breaks no word: soft hyphen, zero-width space
 * and joiners, word joiner, byte order mark. 0 for others. */
static size_t
invisible_length (const char *p, size_t left)
{
    if (left >= 2 && memcmp (p, "\302\255", 2) == 0)
        return 2;
    if (left < 3)
        return 0;
    return memcmp (p, "\342\200\213", 3) == 0 || memcmp (p, "\342\200\214", 3) == 0 ||
                   memcmp (p, "\342\200\215", 3) == 0 || memcmp (p, "\342\201\240", 3) == 0 ||
                   memcmp (p, "\357\273\277", 3) == 0
               ? 3
               : 0;
}

static void
append_text (GString *out, const char *text, size_t length)
{
    const char *end = text + length, *from = text;

    for (const char *p = text; p < end;) {
        size_t n = (unsigned char) *p >= 0xc2 ? invisible_length (p, (size_t) (end - p)) : 0;

        if (n > 0) {
            g_string_append_len (out, from, p - from);
            from = p + n;
        }
        p += MAX (n, 1);
    }
    g_string_append_len (out, from, end - from);
}

static void
append_separator (GString *out)
{
    if (out->len > 0 && out->str[out->len - 1] != '\n')
        g_string_append_c (out, '\n');
}

/* ---- callbacks ---- */

static void
on_text (void *closure, const xmlChar *text, int length)
{
    struct html *html = closure;

    if (length > 0)
        append_text (html->out, (const char *) text, (size_t) length);
}

/* The inside of script and style elements. */
static void
on_data (void *closure, const xmlChar *text, int length)
{
    (void) closure;
    (void) text;
    (void) length;
}

static void
append_alt (GString *out, const xmlChar **attributes)
{
    for (; attributes != NULL && attributes[0] != NULL; attributes += 2) {
        if (strcmp ((const char *) attributes[0], "alt") != 0 || attributes[1] == NULL)
            continue;
        g_string_append_c (out, ' ');
        append_text (out, (const char *) attributes[1], strlen ((const char *) attributes[1]));
        g_string_append_c (out, ' ');
    }
}

static void
on_start (void *closure, const xmlChar *name, const xmlChar **attributes)
{
    struct html *html = closure;

    if (is_separator (name))
        append_separator (html->out);
    append_alt (html->out, attributes);
    if (html->parser->nameNr > DEPTH && html->stopped == 0) {
        const xmlParserInput *input = html->parser->input;

        html->stopped = input->consumed + (size_t) (input->cur - input->base);
        xmlStopParser (html->parser);
    }
}

static void
on_end (void *closure, const xmlChar *name)
{
    struct html *html = closure;

    if (is_separator (name))
        append_separator (html->out);
}

static void
on_error (void *closure, const char *format, ...)
{
    (void) closure;
    (void) format;
}

/* ---- the document ---- */

/* What is left to give to the parser. It asks for small pieces, so that a start in the middle does
 * not cost a copy of all that follows. */
struct rest {
    const char *text;
    size_t length;
};

static int
on_read (void *closure, char *buffer, int room)
{
    struct rest *rest = closure;
    size_t length = MIN (rest->length, (size_t) room);

    memcpy (buffer, rest->text, length);
    rest->text += length;
    rest->length -= length;
    return (int) length;
}

void
html_prepare (void)
{
    static gsize done;

    if (!g_once_init_enter (&done))
        return;
    xmlInitParser ();
    g_once_init_leave (&done, 1);
}

/* Parses up to the end, or to where it got too deep (in a tag, at its end); the number of bytes
 * done with. */
static size_t
parse (GString *out, const char *text, size_t length)
{
    const htmlSAXHandler handler = {.startElement = on_start,
                                    .endElement = on_end,
                                    .characters = on_text,
                                    .ignorableWhitespace = on_text,
                                    .cdataBlock = on_data,
                                    .warning = on_error,
                                    .error = on_error,
                                    .fatalError = on_error};
    struct html html = {.out = out};
    struct rest rest = {text, length};

    html_prepare ();
    html.parser = htmlNewParserCtxt ();
    *html.parser->sax = handler;
    html.parser->userData = &html;
    html.parser->options |= XML_PARSE_HUGE;
    xmlFreeDoc (htmlCtxtReadIO (html.parser, on_read, NULL, &rest, NULL, "UTF-8",
                                HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING |
                                    HTML_PARSE_NONET));
    htmlFreeParserCtxt (html.parser);
    return html.stopped > 0 ? MIN (html.stopped, length) : length;
}

/* Whether a tag may have more attributes than is good: each has a blank, or a quote at each end. */
static bool
is_hostile (const char *tag, size_t length)
{
    size_t marks = 0;

    if (length <= TAG_MAX)
        return false;
    for (size_t i = 0; i < length && marks < 2 * ATTRIBUTES_MAX; i++)
        marks += g_ascii_isspace (tag[i]) || tag[i] == '"' || tag[i] == '\'';
    return marks >= 2 * ATTRIBUTES_MAX;
}

/* The first tag that must not be parsed, and its end; NULL where there is none. */
static const char *
find_hostile (const char *text, size_t length, const char **end_out)
{
    const char *end = text + length, *close;

    if (length <= TAG_MAX)
        return NULL;
    while ((text = memchr (text, '<', (size_t) (end - text))) != NULL) {
        close = memchr (text, '>', (size_t) (end - text));
        *end_out = close != NULL ? close + 1 : end;
        if (is_hostile (text, (size_t) (*end_out - text)))
            return text;
        text = *end_out;
    }
    return NULL;
}

static void
parse_all (GString *out, const char *text, size_t length)
{
    while (length > 0) {
        size_t done = parse (out, text, length);

        done += done < length && text[done] == '/';
        done += done < length && text[done] == '>';
        text += done;
        length -= done;
    }
}

/* What was not valid on the way in may not be on the way out. */
static void
repair (GString *out)
{
    char *valid = g_utf8_make_valid (out->str, (gssize) out->len);

    g_string_assign (out, valid);
    g_free (valid);
}

/* "<![if !mso]>" and the like, which libxml2 takes for text, become blanks; not where the end of a
 * comment is ("<![endif]-->"). NULL where there are none, else a copy. */
static char *
blank_conditions (void *ctx, const char *html, size_t length)
{
    char *copy, *at, *close, *end;

    if (memmem (html, length, "<![", 3) == NULL)
        return NULL;
    copy = talloc_memdup (ctx, html, length);
    end = copy + length;
    for (at = copy; (at = memmem (at, (size_t) (end - at), "<![", 3)) != NULL; at = close) {
        close = memchr (at, '>', (size_t) (end - at));
        if (close == NULL)
            break;
        if (close[-1] != '-')
            memset (at, ' ', (size_t) (close + 1 - at));
    }
    return copy;
}

char *
html_to_text (void *ctx, const char *html, size_t length, size_t *length_out)
{
    GString *out = g_string_sized_new (length / 2 + 16);
    char *copy = blank_conditions (ctx, html, length), *text;
    const char *tag, *tag_end, *end;

    if (copy != NULL)
        html = copy;
    end = html + length;

    while ((tag = find_hostile (html, (size_t) (end - html), &tag_end)) != NULL) {
        parse_all (out, html, (size_t) (tag - html));
        html = tag_end;
    }
    parse_all (out, html, (size_t) (end - html));
    if (!g_utf8_validate (out->str, (gssize) out->len, NULL))
        repair (out);
    text = talloc_strndup (ctx, out->str, out->len);
    *length_out = out->len;
    g_string_free (out, TRUE);
    talloc_free (copy);
    return text;
}
