/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sexp-read.c - reads S-expressions with sfsexp, the library that people's queries were written
 * for.
 *
 * sfsexp says neither where an element stands nor where something is wrong, and follows lists as
 * deep as they go. So a scan goes over the text first: it finds faults, keeps to the limits, and
 * notes the place of each element in the order in which they begin. sfsexp keeps what it frees for
 * later in lists without a lock, hence the mutex.
 */
#include "query/sexp-read.h"
#include <glib.h>
#include <string.h>
#include <talloc.h>

/* Its headers have declarations without prototypes. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <sexp.h>
#pragma GCC diagnostic pop

struct place {
    size_t offset, length;
    bool list;
};

struct scan {
    void *ctx;
    const char *text;
    size_t length, position;
    unsigned depth, depth_max;
    size_t *open; /* the places of the lists we are in */
    struct place *places;
    size_t count;
    struct mail_query_error *error;
};

static bool
fail (struct scan *scan, size_t offset, size_t length, const char *hint, const char *message)
{
    return query_error_set (scan->ctx, scan->error, offset, length, hint, "%s", message);
}

static bool
is_blank (char byte)
{
    return byte != '\0' && strchr (" \t\r\n", byte) != NULL;
}

static void
skip_blanks (struct scan *scan)
{
    for (; scan->position < scan->length; scan->position++) {
        char byte = scan->text[scan->position];
        if (byte == ';')
            while (scan->position + 1 < scan->length && scan->text[scan->position + 1] != '\n')
                scan->position++;
        else if (!is_blank (byte))
            return;
    }
}

static bool
begin (struct scan *scan, bool list)
{
    size_t room = scan->places != NULL ? talloc_array_length (scan->places) : 0;

    if (scan->count == SEXP_ELEMENTS_MAX)
        return fail (scan, scan->position, 1, NULL, "the query has too many elements");
    if (scan->count == room)
        scan->places = talloc_realloc (scan->ctx, scan->places, struct place, room * 2 + 16);
    scan->places[scan->count++] = (struct place){.offset = scan->position, .list = list};
    return true;
}

static bool
finish_atom (struct scan *scan, size_t end)
{
    struct place *place = &scan->places[scan->count - 1];

    scan->position = end;
    place->length = end - place->offset;
    return true;
}

/* From the quote that the scan is at. */
static bool
scan_string (struct scan *scan)
{
    size_t end = scan->position + 1;

    while (end < scan->length && scan->text[end] != '"')
        end += scan->text[end] == '\\' ? 2 : 1;
    if (end >= scan->length)
        return fail (scan, scan->position, 1, "add a '\"'", "this quote is never closed");
    return finish_atom (scan, end + 1);
}

/* A word, up to a blank or a sign that begins something else. */
static bool
scan_word (struct scan *scan)
{
    size_t end = scan->position;

    while (end < scan->length && !is_blank (scan->text[end]) &&
           strchr ("()\"'", scan->text[end]) == NULL)
        end += scan->text[end] == '\\' && end + 1 < scan->length &&
                       strchr ("\"()'\\", scan->text[end + 1]) != NULL
                   ? 2
                   : 1;
    for (size_t i = scan->position; i < MIN (end, scan->length); i++)
        if (g_ascii_iscntrl (scan->text[i]))
            return fail (scan, i, 1, "write it in double quotes",
                         "a control character outside of quotes");
    return finish_atom (scan, MIN (end, scan->length));
}

static bool
scan_open (struct scan *scan)
{
    if (scan->depth == scan->depth_max)
        return fail (scan, scan->position, 1, NULL, "too many parentheses in one another");
    scan->open[scan->depth++] = scan->count - 1;
    scan->position++;
    return true;
}

static bool
scan_close (struct scan *scan)
{
    struct place *place;

    if (scan->depth == 0)
        return fail (scan, scan->position, 1, "add a \"(\" before it, or leave it out",
                     "this parenthesis closes nothing");
    place = &scan->places[scan->open[--scan->depth]];
    scan->position++;
    place->length = scan->position - place->offset;
    return true;
}

static bool
scan_element (struct scan *scan)
{
    char byte = scan->text[scan->position];

    if (byte == ')')
        return scan_close (scan);
    if (!begin (scan, byte == '('))
        return false;
    if (byte == '(')
        return scan_open (scan);
    if (byte == '"')
        return scan_string (scan);
    if (byte == '\'')
        return fail (scan, scan->position, 1, "leave it out, or write the word in double quotes",
                     "nothing but a word can stand behind a single quote");
    return scan_word (scan);
}

/* A quoted word is the word. */
static void
skip_quote (struct scan *scan)
{
    if (scan->text[scan->position] == '\'' && scan->position + 1 < scan->length &&
        !is_blank (scan->text[scan->position + 1]) &&
        strchr ("()\"'", scan->text[scan->position + 1]) == NULL)
        scan->position++;
}

static bool
scan_all (struct scan *scan)
{
    bool begun = false;

    if (memchr (scan->text, '\0', scan->length) != NULL)
        return fail (scan, 0, scan->length, NULL, "the query has a NUL byte in it");
    for (;;) {
        skip_blanks (scan);
        if (scan->position >= scan->length)
            break;
        if (begun && scan->depth == 0)
            return fail (scan, scan->position, scan->length - scan->position,
                         "write \"(and ... ...)\" around what belongs together",
                         scan->text[scan->position] == ')' ? "this parenthesis closes nothing"
                                                           : "the query has ended before this");
        skip_quote (scan);
        if (!scan_element (scan))
            return false;
        begun = true;
    }
    if (!begun)
        return fail (scan, 0, 1, "\"()\" is every message", "there is no query");
    if (scan->depth > 0)
        return fail (scan, scan->places[scan->open[scan->depth - 1]].offset, 1, "add a \")\"",
                     "this parenthesis is never closed");
    return true;
}

/* ---- sfsexp -------------------------------------------------------------------------------- */

static size_t
count_items (const sexp_t *first)
{
    size_t count = 0;

    for (; first != NULL; first = first->next)
        count++;
    return count;
}

/* Copies an element with its place. False where the scan saw something else here. */
static bool
copy (struct scan *scan, const sexp_t *from, size_t *next, struct sexp *to)
{
    const struct place *place = &scan->places[*next];

    if (*next >= scan->count || place->list != (from->ty == SEXP_LIST))
        return false;
    ++*next;
    *to = (struct sexp){.list = place->list,
                        .quoted = from->ty == SEXP_VALUE && from->aty != SEXP_BASIC,
                        .offset = place->offset,
                        .length = place->length};
    if (!to->list) {
        to->text = talloc_strdup (scan->ctx, from->val != NULL ? from->val : "");
        return true;
    }
    to->items = talloc_array (scan->ctx, struct sexp, count_items (from->list));
    for (const sexp_t *item = from->list; item != NULL; item = item->next)
        if (!copy (scan, item, next, &to->items[to->count++]))
            return false;
    return true;
}

/* destroy_sexp() follows the elements of a list by recursion too, so it gets them one by one. */
static void
destroy (sexp_t *element)
{
    while (element != NULL) {
        sexp_t *next = element->next;
        if (element->ty == SEXP_LIST) {
            destroy (element->list);
            element->list = NULL;
        }
        element->next = NULL;
        destroy_sexp (element);
        element = next;
    }
}

static bool
read_scanned (struct scan *scan, struct sexp *sexp_out)
{
    static GMutex mutex;
    char *text = talloc_strndup (scan->ctx, scan->text, scan->length);
    size_t next = 0;
    bool good;
    sexp_t *parsed;

    g_mutex_lock (&mutex);
    set_parser_buffer_params (256, 1 << 16); /* a long atom grows by steps, so not by small ones */
    reset_sexp_errno ();
    parsed = parse_sexp (text, scan->length);
    good = parsed != NULL && copy (scan, parsed, &next, sexp_out) && next == scan->count;
    destroy (parsed);
    g_mutex_unlock (&mutex);
    talloc_free (text);
    return good || fail (scan, 0, scan->length, NULL, "this is no S-expression");
}

bool
sexp_read (void *ctx, const char *text, size_t length, unsigned depth_max, struct sexp *sexp_out,
           struct mail_query_error *error)
{
    struct scan scan = {
        .ctx = ctx, .text = text, .length = length, .depth_max = depth_max, .error = error};
    bool good;

    scan.open = talloc_array (ctx, size_t, depth_max);
    good = scan_all (&scan) && read_scanned (&scan, sexp_out);
    talloc_free (scan.places);
    talloc_free (scan.open);
    return good;
}
