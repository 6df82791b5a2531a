/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sexp.c - S-expressions → the tree that infix queries make too.
 *
 * Every form is a function of a table. Macros are lazy and lexical: a parameter stands for the
 * element that was given, to be read in the scope in which it was written. As a macro can use its
 * parameters twice, and call others that do, what counts against the limits is each look at an
 * element, not its text.
 */
#include "query/sexp.h"
#include "query/leaf.h"
#include "query/sexp-read.h"
#include "query/words.h"
#include <glib.h>
#include <string.h>
#include <talloc.h>

/* What may stand in a field, and how several things in it are joined. */
struct field {
    const char *name;
    bool alternatives; /* by OR */
    bool matching, starts, regex;
};

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

/* Where an element is read. */
struct place {
    const struct field *field; /* NULL outside */
    const struct prefix *prefix;
    const struct scope *scope; /* the macro whose body it is in; NULL for none */
};

/* The parameters of a macro's call. */
struct scope {
    const struct sexp *names;  /* a list of atoms */
    const struct sexp *values; /* as many */
    const struct scope *outer; /* what the values are read in */
};

static struct node *compile (struct parsing *all, const struct sexp *at, struct place place);

static struct node *fail (struct parsing *all, const struct sexp *at, const char *hint,
                          const char *format, ...) __attribute__ ((format (printf, 4, 5)));

static struct node *
fail (struct parsing *all, const struct sexp *at, const char *hint, const char *format, ...)
{
    va_list args;
    char *message;

    va_start (args, format);
    message = g_strdup_vprintf (format, args);
    va_end (args);
    query_error_set (all->ctx, all->error, at->offset, at->length, hint, "%s", message);
    g_free (message);
    return NULL;
}

/* ---- parameters ---------------------------------------------------------------------------- */

static bool
is_parameter (const struct sexp *at)
{
    return !at->list && !at->quoted && at->text[0] == ',' && at->text[1] != '\0';
}

/* What ",name" stands for; *scope is moved to where that is read. NULL is an error. */
static const struct sexp *
resolve (struct parsing *all, const struct sexp *at, const struct scope **scope)
{
    while (is_parameter (at)) {
        const struct scope *in = *scope;
        size_t i = 0;
        while (in != NULL && i < in->names->count &&
               strcmp (in->names->items[i].text, at->text + 1) != 0)
            i++;
        if (in == NULL || i == in->names->count) {
            fail (all, at, "parameters are for the body of a macro", "\"%s\" is no parameter here",
                  at->text + 1);
            return NULL;
        }
        at = &in->values[i];
        *scope = in->outer;
    }
    return at;
}

/* The one atom behind an operator. NULL is an error. */
static const struct sexp *
only_atom (struct parsing *all, const struct sexp *list, struct place place)
{
    const struct sexp *atom;

    if (list->count != 2) {
        fail (all, list, NULL, "\"%s\" takes one word or string", list->items[0].text);
        return NULL;
    }
    atom = resolve (all, &list->items[1], &place.scope);
    if (atom != NULL && atom->list) {
        fail (all, &list->items[1], NULL, "\"%s\" takes a word or string, no list",
              list->items[0].text);
        return NULL;
    }
    return atom;
}

/* ---- atoms --------------------------------------------------------------------------------- */

/* Everything that has something in the field. */
static struct node *
any_create (struct parsing *all, const struct prefix *prefix)
{
    bool always = prefix->kind != KIND_WORDS && !leaf_has_any (prefix);
    struct node *any = node_create (all->ctx, always ? NODE_ALL : NODE_ANY);

    any->prefix = always ? NULL : prefix;
    return any;
}

/* The words of an atom as one leaf; NOTHING where it has none. */
static struct node *
words_create (struct parsing *all, const struct sexp *at, const struct prefix *prefix)
{
    struct lexeme piece = {.kind = LEX_PIECE,
                           .value = at->text,
                           .value_length = strlen (at->text),
                           .prefix = prefix,
                           .quoted = true};
    struct node **nodes, *node;
    size_t count, words;

    if (!g_utf8_validate_len (piece.value, piece.value_length, NULL))
        return fail (all, at, "queries are written in UTF-8", "this is not UTF-8");
    words_cut (all->ctx, all->tokenizer, &piece, prefix, QUERY_WORDS_MAX - all->words, &nodes,
               &count, &words);
    all->words += words;
    if (all->words > QUERY_WORDS_MAX)
        return fail (all, at, NULL, "the query has more than %d words", QUERY_WORDS_MAX);
    if (words > QUERY_PHRASE_MAX)
        return fail (all, at, "take a part of it", "this phrase is too long");
    node = node_join (all->ctx, count > 0 ? NODE_AND : NODE_OR, nodes, count);
    talloc_free (nodes);
    return node;
}

/* Nothing but one word, beginning with a letter, and without quotes. */
static bool
is_plain_word (const struct sexp *at)
{
    if (at->quoted || g_ascii_isdigit (at->text[0]) || at->text[0] == '_')
        return false;
    for (const char *byte = at->text; *byte != '\0'; byte++)
        if (!g_ascii_isalnum (*byte) && strchr ("_'&", *byte) == NULL && (*byte & 0x80) == 0)
            return false;
    return true;
}

/* A plain word is stemmed. */
static struct node *
words_leaf (struct parsing *all, const struct sexp *at, const struct prefix *prefix)
{
    struct node *node = words_create (all, at, prefix);

    if (node != NULL && node->kind == NODE_WORDS && node->op == WORDS_EXACT && is_plain_word (at) &&
        !node->words[0].cjk)
        node->op = WORDS_STEM;
    return node;
}

/* The text of an element as a piece of an infix query, for what reads values. */
static struct node *
value_leaf (struct parsing *all, const struct sexp *at, const struct prefix *prefix,
            const char *text)
{
    struct lexeme piece = {.kind = LEX_PIECE,
                           .offset = at->offset,
                           .length = at->length,
                           .prefix = prefix,
                           .value = text,
                           .value_length = strlen (text),
                           .value_offset = at->offset,
                           .quoted = true};
    struct node *node = leaf_create (all->ctx, &piece, all->now, all->error);

    if (node == NULL) {
        all->error->offset = at->offset;
        all->error->length = at->length;
    }
    return node;
}

static bool
count_term (struct parsing *all, const struct sexp *at)
{
    return ++all->terms <= QUERY_TERMS_MAX ||
           fail (all, at, NULL, "the query has more than %d terms", QUERY_TERMS_MAX) != NULL;
}

static struct node *
atom (struct parsing *all, const struct sexp *at, struct place place)
{
    const struct prefix *prefix = place.prefix;
    bool star = !at->quoted && strcmp (at->text, "*") == 0;

    if (prefix == NULL)
        return star ? node_create (all->ctx, NODE_ALL) : words_leaf (all, at, NULL);
    if (star && place.field->starts)
        return any_create (all, prefix);
    if (star)
        return fail (all, at, NULL, "\"*\" cannot stand in \"%s\"", place.field->name);
    if (prefix->kind == KIND_WORDS)
        return words_leaf (all, at, prefix);
    if (!count_term (all, at))
        return NULL;
    if (prefix->kind == KIND_HAS)
        return value_leaf (all, at, prefix, at->text);
    return leaf_create_value (all->ctx, prefix, at->text, strlen (at->text));
}

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

/* ---- parts of values ----------------------------------------------------------------------- */

static struct node *
starts_form (struct parsing *all, const struct sexp *list, struct place place)
{
    const struct sexp *at = only_atom (all, list, place);
    struct node *node;

    if (at == NULL)
        return NULL;
    if (place.field != NULL && !place.field->starts)
        return fail (all, list, NULL, "\"%s\" cannot stand in \"%s\"", list->items[0].text,
                     place.field->name);
    if (at->text[0] == '\0')
        return place.prefix != NULL ? any_create (all, place.prefix)
                                    : node_create (all->ctx, NODE_ALL);
    if (place.prefix != NULL && place.prefix->kind != KIND_WORDS) {
        node = leaf_create_value (all->ctx, place.prefix, at->text, strlen (at->text));
        node->kind = NODE_STARTS;
        return count_term (all, at) ? node : NULL;
    }
    node = words_create (all, at, place.prefix);
    if (node != NULL && node->kind == NODE_WORDS && node->word_count == 1)
        node->op = WORDS_START;
    else if (node != NULL)
        node->kind = NODE_NOTHING; /* no word has what separates words */
    return node;
}

static struct node *
regex_form (struct parsing *all, const struct sexp *list, struct place place)
{
    const struct sexp *at = only_atom (all, list, place);
    struct lexeme piece;
    char *text;

    if (at == NULL)
        return NULL;
    if (place.field == NULL)
        return fail (all, list, "write it inside a field: (subject (rx ...))",
                     "\"%s\" cannot stand outside of a field", list->items[0].text);
    if (!place.field->regex)
        return fail (all, list, NULL, "\"%s\" cannot stand in \"%s\"", list->items[0].text,
                     place.field->name);
    if (!count_term (all, at))
        return NULL;
    text = talloc_asprintf (all->ctx, "/%s/", at->text);
    piece = (struct lexeme){.kind = LEX_PIECE,
                            .offset = at->offset,
                            .length = at->length,
                            .prefix = place.prefix,
                            .value = text,
                            .value_length = strlen (text),
                            .value_offset = at->offset};
    return leaf_create_regex (all->ctx, &piece, all->error);
}

static struct node *
matching_form (struct parsing *all, const struct sexp *list, struct place place)
{
    struct place outside = {.scope = place.scope};
    struct node *node;

    if (place.field == NULL)
        return fail (all, list, "write it inside a field: (from (matching ...))",
                     "\"%s\" cannot stand outside of a field", list->items[0].text);
    if (!place.field->matching)
        return fail (all, list, NULL, "\"%s\" cannot stand in \"%s\"", list->items[0].text,
                     place.field->name);
    node = join (all, list, outside, NODE_AND);
    if (node == NULL || node->kind == NODE_NOTHING)
        return node;
    if (node->kind == NODE_ALL)
        return any_create (all, place.prefix);
    if (strcmp (place.field->name, "thread") == 0)
        return node_threads (all->ctx, node);
    return node_matching (all->ctx, place.prefix, node);
}

/* ---- other languages, saved queries -------------------------------------------------------- */

static bool
is_outside (struct parsing *all, const struct sexp *list, struct place place)
{
    return place.field == NULL || fail (all, list, NULL, "\"%s\" cannot stand in \"%s\"",
                                        list->items[0].text, place.field->name) != NULL;
}

static struct node *
infix_form (struct parsing *all, const struct sexp *list, struct place place)
{
    const struct sexp *at = only_atom (all, list, place);
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
    const struct sexp *at = only_atom (all, list, place);

    if (at == NULL || !is_outside (all, list, place))
        return NULL;
    return parse_saved (all, at->text, strlen (at->text), at->offset, at->length);
}

static struct node *
macro_form (struct parsing *all, const struct sexp *list, struct place place)
{
    (void) place;
    return fail (all, list, "a macro is the whole of a squery.NAME",
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
        return fail (all, macro, NULL, "it is not of the form (macro (PARAMETER...) BODY)");
    names = scope.names = &macro->items[1];
    for (size_t i = 0; i < names->count; i++)
        if (names->items[i].list || names->items[i].quoted)
            return fail (all, &names->items[i], NULL, "a parameter is a word without quotes");
    if (names->count != call->count - 1)
        return fail (all, call, NULL, "this macro takes %zu arguments, not %zu", names->count,
                     call->count - 1);
    place.scope = &scope;
    return compile (all, &macro->items[2], place);
}

static struct node *
call_saved (struct parsing *all, const char *text, const struct sexp *call, struct place place)
{
    struct sexp saved;

    if (++all->saved > QUERY_SAVED_MAX)
        return fail (all, call, "a saved query may not use itself",
                     "too many saved queries in one");
    if (!sexp_read (all->ctx, text, strlen (text), QUERY_DEPTH_MAX, &saved, all->error))
        return NULL;
    if (saved.list && saved.count > 0 && is_atom (&saved.items[0], "macro"))
        return call_macro (all, &saved, call, place);
    if (call->count > 1)
        return fail (all, call, NULL, "this is no macro, and takes no arguments");
    place.scope = NULL;
    return compile (all, &saved, place);
}

/* ---- ranges -------------------------------------------------------------------------------- */

/* An end of a range; "" where it is open. NULL is an error. */
static const char *
range_end (struct parsing *all, const struct sexp *list, size_t i, struct place place)
{
    const struct sexp *at = resolve (all, &list->items[i], &place.scope);

    if (at == NULL)
        return NULL;
    if (at->list) {
        fail (all, &list->items[i], NULL, "an end of a range is a word or string, no list");
        return NULL;
    }
    return is_atom (at, "*") ? "" : at->text;
}

static struct node *
range_form (struct parsing *all, const struct sexp *list, struct place place,
            const struct prefix *prefix)
{
    const char *from, *to;

    if (!is_outside (all, list, place) || !count_term (all, list))
        return NULL;
    if (list->count == 1)
        return node_create (all->ctx, NODE_ALL);
    if (list->count > 3)
        return fail (all, list, NULL, "\"%s\" takes two ends at most", prefix->name);
    from = range_end (all, list, 1, place);
    to = from != NULL ? range_end (all, list, list->count - 1, place) : NULL;
    if (to == NULL)
        return NULL;
    if (prefix->kind == KIND_SINCE || prefix->kind == KIND_UNTIL)
        return list->count == 2 ? value_leaf (all, list, prefix, from)
                                : fail (all, list, NULL, "\"%s\" takes one date", prefix->name);
    if (list->count == 2 && from[0] != '\0')
        return value_leaf (all, list, prefix, from);
    return value_leaf (all, list, prefix, talloc_asprintf (all->ctx, "%s..%s", from, to));
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
        return fail (all, list, NULL, "\"%s\" cannot be used here", prefix->name);
    if (place.field != NULL)
        return fail (all, list, NULL, "a field cannot stand in another: \"%s\" in \"%s\"",
                     field->name, place.field->name);
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
    return fail (all, head, hint, "\"%s\" is no field, no operator and no saved query", head->text);
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
        {"not", not_form},           {"starts-with", starts_form},
        {"regex", regex_form},       {"rx", regex_form},
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
        return fail (all, head, NULL, "a list cannot stand in the place of a field or an operator");
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
        return fail (all, at, NULL, "the query, with all that it uses, is too %s",
                     all->depth >= QUERY_DEPTH_MAX ? "deep" : "long");
    at = resolve (all, at, &place.scope);
    if (at == NULL)
        return NULL;
    all->depth++;
    node = at->list ? list_form (all, at, place) : atom (all, at, place);
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
