/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sexp.c - S-expressions → the tree that infix queries make too.
 *
 * Every form is a function of a table. Macros are lazy and lexical: a parameter stands for the
 * element that was given, to be read in the scope in which it was written. As a macro can use its
 * parameters twice, and call others that do, what counts against the limits is each look at an
 * element, not its text.
 */
#include "query/sexp-private.h"
#include "query/leaf.h"
#include <glib.h>
#include <string.h>
#include <talloc.h>

static const struct field fields[] = {
    {"attachment", .matching = true, .starts = true},
    {"bcc", .matching = true, .starts = true},
    {"body", .starts = true},
    {"cc", .matching = true, .starts = true},
    {"file", .alternatives = true},
    {"folder", .alternatives = true, .matching = true, .starts = true, .regex = true},
    {"from", .matching = true, .starts = true, .regex = true},
    {"has", .alternatives = false},
    {"id", .alternatives = true, .starts = true, .regex = true},
    {"is", .matching = true, .starts = true, .regex = true},
    {"list", .matching = true, .starts = true},
    {"mid", .alternatives = true, .starts = true, .regex = true},
    {"mimetype", .matching = true, .starts = true},
    {"path", .alternatives = true, .starts = true, .regex = true},
    {"property", .matching = true, .starts = true, .regex = true},
    {"replyto", .matching = true, .starts = true},
    {"subject", .matching = true, .starts = true, .regex = true},
    {"tag", .matching = true, .starts = true, .regex = true},
    {"thread", .alternatives = true, .matching = true, .starts = true, .regex = true},
    {"to", .matching = true, .starts = true},
};

static const struct field user_field = {"user", .starts = true};

static struct node *compile (struct parsing *all, const struct sexp *at, struct place place);

/* ---- and, or, not -------------------------------------------------------------------------- */

/* What stands behind the head of a list, joined. */
static struct node *
join (struct parsing *all, const struct sexp *list, struct place place, enum node_kind kind)
{
    struct node **nodes = talloc_array (all->ctx, struct node *, list->count), *node;
    size_t count = 0;

    for (size_t i = 1; i < list->count; i++) {
        nodes[count] = compile (all, &list->items[i], place);
        if (nodes[count++] == NULL)
            return NULL;
    }
    node = node_join (all->ctx, kind, nodes, count);
    talloc_free (nodes);
    return node;
}

static struct node *
and_form (struct parsing *all, const struct sexp *list, struct place place)
{
    return join (all, list, place, NODE_AND);
}

static struct node *
or_form (struct parsing *all, const struct sexp *list, struct place place)
{
    return join (all, list, place, NODE_OR);
}

static struct node *
not_form (struct parsing *all, const struct sexp *list, struct place place)
{
    struct node *node = join (all, list, place, NODE_OR);

    return node != NULL ? node_not (all->ctx, node) : NULL;
}

static struct node *
matching_form (struct parsing *all, const struct sexp *list, struct place place)
{
    struct place outside = {.scope = place.scope};
    struct node *node;

    if (place.field == NULL)
        return sexp_fail (all, list, "write it inside a field: (from (matching ...))",
                          "\"%s\" cannot stand outside of a field", list->items[0].text);
    if (!place.field->matching)
        return sexp_fail (all, list, NULL, "\"%s\" cannot stand in \"%s\"", list->items[0].text,
                          place.prefix->name);
    node = join (all, list, outside, NODE_AND);
    if (node == NULL || node->kind == NODE_NOTHING)
        return node;
    if (node->kind == NODE_ALL)
        return leaf_create_any (all->ctx, place.prefix);
    if (strcmp (place.field->name, "thread") == 0)
        return node_threads (all->ctx, node);
    return node_matching (all->ctx, place.prefix, node);
}

/* ---- other languages, saved queries -------------------------------------------------------- */

static bool
is_outside (struct parsing *all, const struct sexp *list, struct place place)
{
    return place.field == NULL || sexp_fail (all, list, NULL, "\"%s\" cannot stand in \"%s\"",
                                             list->items[0].text, place.prefix->name) != NULL;
}

static struct node *
infix_form (struct parsing *all, const struct sexp *list, struct place place)
{
    const struct sexp *at = sexp_only_atom (all, list, place);
    struct node *node;

    if (at == NULL || !is_outside (all, list, place))
        return NULL;
    node = parse_infix_text (all, at->text, strlen (at->text));
    if (node == NULL) {
        all->error->offset += at->offset + at->quoted;
        if (all->error->offset >= at->offset + at->length)
            all->error->offset = at->offset;
        all->error->length = MIN (all->error->length, at->offset + at->length - all->error->offset);
    }
    return node;
}

static struct node *
query_form (struct parsing *all, const struct sexp *list, struct place place)
{
    const struct sexp *at = sexp_only_atom (all, list, place);

    if (at == NULL || !is_outside (all, list, place))
        return NULL;
    return parse_saved (all, at->text, strlen (at->text), at->offset, at->length);
}

static struct node *
macro_form (struct parsing *all, const struct sexp *list, struct place place)
{
    (void) place;
    return sexp_fail (all, list, "a macro is the whole of a squery.NAME",
                      "a macro cannot be written here");
}

static bool
is_atom (const struct sexp *at, const char *text)
{
    return !at->list && strcmp (at->text, text) == 0;
}

/* Calls "(macro (PARAMETER...) BODY)" with what stands behind the head of call. */
static struct node *
call_macro (struct parsing *all, const struct sexp *macro, const struct sexp *call,
            struct place place)
{
    struct scope scope = {.outer = place.scope, .values = call->items + 1};
    const struct sexp *names;

    if (macro->count != 3 || !macro->items[1].list)
        return sexp_fail (all, macro, NULL, "it is not of the form (macro (PARAMETER...) BODY)");
    names = scope.names = &macro->items[1];
    for (size_t i = 0; i < names->count; i++)
        if (names->items[i].list || names->items[i].quoted)
            return sexp_fail (all, &names->items[i], NULL, "a parameter is a word without quotes");
    if (names->count != call->count - 1)
        return sexp_fail (all, call, NULL, "this macro takes %zu arguments, not %zu", names->count,
                          call->count - 1);
    place.scope = &scope;
    return compile (all, &macro->items[2], place);
}

static struct node *
call_saved (struct parsing *all, const char *text, const struct sexp *call, struct place place)
{
    struct sexp saved;

    if (++all->saved > QUERY_SAVED_MAX)
        return sexp_fail (all, call, "a saved query may not use itself",
                          "too many saved queries in one");
    if (!sexp_read (all->ctx, text, strlen (text), QUERY_DEPTH_MAX, &saved, all->error))
        return NULL;
    if (saved.list && saved.count > 0 && is_atom (&saved.items[0], "macro"))
        return call_macro (all, &saved, call, place);
    if (call->count > 1)
        return sexp_fail (all, call, NULL, "this is no macro, and takes no arguments");
    place.scope = NULL;
    return compile (all, &saved, place);
}

/* ---- ranges -------------------------------------------------------------------------------- */

/* An end of a range; "" where it is open. NULL is an error. */
static const char *
range_end (struct parsing *all, const struct sexp *list, size_t i, struct place place)
{
    const struct sexp *at = sexp_resolve (all, &list->items[i], &place.scope);

    if (at == NULL)
        return NULL;
    if (at->list) {
        sexp_fail (all, &list->items[i], NULL, "an end of a range is a word or string, no list");
        return NULL;
    }
    return is_atom (at, "*") ? "" : at->text;
}

static struct node *
range_form (struct parsing *all, const struct sexp *list, struct place place,
            const struct prefix *prefix)
{
    const char *from, *to;

    if (!is_outside (all, list, place) || !sexp_count_term (all, list))
        return NULL;
    if (list->count == 1)
        return node_create (all->ctx, NODE_ALL);
    if (list->count > 3)
        return sexp_fail (all, list, NULL, "\"%s\" takes two ends at most", prefix->name);
    from = range_end (all, list, 1, place);
    to = from != NULL ? range_end (all, list, list->count - 1, place) : NULL;
    if (to == NULL)
        return NULL;
    if (prefix->kind == KIND_SINCE || prefix->kind == KIND_UNTIL)
        return list->count == 2
                   ? sexp_value (all, list, prefix, from)
                   : sexp_fail (all, list, NULL, "\"%s\" takes one date", prefix->name);
    if (list->count == 2 && from[0] != '\0')
        return sexp_value (all, list, prefix, from);
    return sexp_value (all, list, prefix, talloc_asprintf (all->ctx, "%s..%s", from, to));
}

/* ---- lists --------------------------------------------------------------------------------- */

static const struct field *
field_find (const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS (fields); i++)
        if (strcmp (fields[i].name, name) == 0)
            return &fields[i];
    return NULL;
}

static struct node *
field_form (struct parsing *all, const struct sexp *list, struct place place,
            const struct prefix *prefix)
{
    const struct field *field = prefix->user ? &user_field : field_find (prefix->name);

    if (field == NULL)
        return sexp_fail (all, list, NULL, "\"%s\" cannot be used here", prefix->name);
    if (place.field != NULL)
        return sexp_fail (all, list, NULL, "a field cannot stand in another: \"%s\" in \"%s\"",
                          prefix->name, place.prefix->name);
    place.field = field;
    place.prefix = prefix;
    return join (all, list, place, field->alternatives ? NODE_OR : NODE_AND);
}

static struct node *
unknown_form (struct parsing *all, const struct sexp *head)
{
    const struct prefix *guess = prefix_guess (head->text, strlen (head->text));
    char *lower = g_ascii_strdown (head->text, -1);
    char *hint = NULL;

    if (strcmp (lower, head->text) != 0)
        hint = talloc_asprintf (all->ctx, "write \"%s\"", lower);
    else if (guess != NULL)
        hint = talloc_asprintf (all->ctx, "did you mean \"%s\"?", guess->name);
    g_free (lower);
    return sexp_fail (all, head, hint, "\"%s\" is no field, no operator and no saved query",
                      head->text);
}

typedef struct node *form_fn (struct parsing *all, const struct sexp *list, struct place place);

static form_fn *
form_find (const char *name)
{
    static const struct {
        const char *name;
        form_fn *form;
    } forms[] = {
        {"and", and_form},           {"or", or_form},
        {"not", not_form},           {"starts-with", sexp_starts},
        {"regex", sexp_regex},       {"rx", sexp_regex},
        {"matching", matching_form}, {"of", matching_form},
        {"infix", infix_form},       {"query", query_form},
        {"macro", macro_form},
    };

    for (size_t i = 0; i < G_N_ELEMENTS (forms); i++)
        if (strcmp (forms[i].name, name) == 0)
            return forms[i].form;
    return NULL;
}

static struct node *
list_form (struct parsing *all, const struct sexp *list, struct place place)
{
    const struct sexp *head = list->items;
    const struct prefix *prefix;
    const char *saved;
    struct node *node;
    form_fn *form;

    if (list->count == 0)
        return node_create (all->ctx, NODE_ALL);
    if (head->list)
        return sexp_fail (all, head, NULL,
                          "a list cannot stand in the place of a field or an operator");
    form = form_find (head->text);
    if (form != NULL)
        return form (all, list, place);
    prefix = prefix_find (head->text, strlen (head->text));
    if (prefix == NULL)
        prefix = prefix_find_user (all->users, head->text, strlen (head->text));
    if (prefix != NULL &&
        (prefix->kind == KIND_DATE || prefix->kind == KIND_REVISION || prefix->kind == KIND_SIZE ||
         prefix->kind == KIND_SINCE || prefix->kind == KIND_UNTIL))
        return range_form (all, list, place, prefix);
    if (prefix != NULL)
        return field_form (all, list, place, prefix);
    saved = parsing_find (all, MAIL_SYNTAX_SEXP, head->text);
    if (saved == NULL)
        return unknown_form (all, head);
    node = call_saved (all, saved, list, place);
    if (node == NULL)
        parsing_blame (all, "squery", head->text, list->offset, list->length);
    return node;
}

static struct node *
compile (struct parsing *all, const struct sexp *at, struct place place)
{
    struct node *node = NULL;

    if (++all->steps > SEXP_STEPS_MAX || all->depth >= QUERY_DEPTH_MAX)
        return sexp_fail (all, at, NULL, "the query, with all that it uses, is too %s",
                          all->depth >= QUERY_DEPTH_MAX ? "deep" : "long");
    at = sexp_resolve (all, at, &place.scope);
    if (at == NULL)
        return NULL;
    all->depth++;
    node = at->list ? list_form (all, at, place) : sexp_atom (all, at, place);
    all->depth--;
    return node;
}

struct node *
parse_sexp_text (struct parsing *all, const char *text, size_t length)
{
    struct sexp sexp;

    if (!sexp_read (all->ctx, text, length, QUERY_DEPTH_MAX, &sexp, all->error))
        return NULL;
    return compile (all, &sexp, (struct place){0});
}
