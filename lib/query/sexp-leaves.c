/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sexp-leaves.c - atoms of S-expressions, and what stands for the parameters of macros.
 *
 * Words are cut as those of infix queries in quotes, and values go through the same leaf.c; so the
 * two languages cannot come to different terms.
 */
#include "query/sexp-private.h"
#include "query/leaf.h"
#include "query/words.h"
#include <glib.h>
#include <string.h>
#include <talloc.h>

struct node *
sexp_fail (struct parsing *all, const struct sexp *at, const char *hint, const char *format, ...)
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

const struct sexp *
sexp_resolve (struct parsing *all, const struct sexp *at, const struct scope **scope)
{
    while (is_parameter (at)) {
        const struct scope *in = *scope;
        size_t i = 0;
        while (in != NULL && i < in->names->count &&
               strcmp (in->names->items[i].text, at->text + 1) != 0)
            i++;
        if (in == NULL || i == in->names->count) {
            sexp_fail (all, at, "parameters are for the body of a macro",
                       "\"%s\" is no parameter here", at->text + 1);
            return NULL;
        }
        at = &in->values[i];
        *scope = in->outer;
    }
    return at;
}

const struct sexp *
sexp_only_atom (struct parsing *all, const struct sexp *list, struct place place)
{
    const struct sexp *atom;

    if (list->count != 2) {
        sexp_fail (all, list, NULL, "\"%s\" takes one word or string", list->items[0].text);
        return NULL;
    }
    atom = sexp_resolve (all, &list->items[1], &place.scope);
    if (atom != NULL && atom->list) {
        sexp_fail (all, &list->items[1], NULL, "\"%s\" takes a word or string, no list",
                   list->items[0].text);
        return NULL;
    }
    return atom;
}

/* ---- atoms --------------------------------------------------------------------------------- */

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
        return sexp_fail (all, at, "queries are written in UTF-8", "this is not UTF-8");
    words_cut (all->ctx, all->tokenizer, &piece, prefix, QUERY_WORDS_MAX - all->words, &nodes,
               &count, &words);
    all->words += words;
    if (all->words > QUERY_WORDS_MAX)
        return sexp_fail (all, at, NULL, "the query has more than %d words", QUERY_WORDS_MAX);
    if (words > QUERY_PHRASE_MAX)
        return sexp_fail (all, at, "take a part of it", "this phrase is too long");
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

struct node *
sexp_value (struct parsing *all, const struct sexp *at, const struct prefix *prefix,
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
    struct node *node = leaf_create (all->ctx, &piece, all->now, all->lenient, all->error);

    if (node == NULL) {
        all->error->offset = at->offset;
        all->error->length = at->length;
    }
    return node;
}

bool
sexp_count_term (struct parsing *all, const struct sexp *at)
{
    return ++all->terms <= QUERY_TERMS_MAX ||
           sexp_fail (all, at, NULL, "the query has more than %d terms", QUERY_TERMS_MAX) != NULL;
}

struct node *
sexp_atom (struct parsing *all, const struct sexp *at, struct place place)
{
    const struct prefix *prefix = place.prefix;
    bool star = !at->quoted && strcmp (at->text, "*") == 0;

    if (prefix == NULL)
        return star ? node_create (all->ctx, NODE_ALL) : words_leaf (all, at, NULL);
    if (star && place.field->starts)
        return leaf_create_any (all->ctx, prefix);
    if (star)
        return sexp_fail (all, at, NULL, "\"*\" cannot stand in \"%s\"", place.prefix->name);
    if (prefix->kind == KIND_WORDS)
        return words_leaf (all, at, prefix);
    if (!sexp_count_term (all, at))
        return NULL;
    if (prefix->kind == KIND_HAS)
        return sexp_value (all, at, prefix, at->text);
    return leaf_create_value (all->ctx, prefix, at->text, strlen (at->text));
}

/* ---- parts of values ----------------------------------------------------------------------- */

struct node *
sexp_starts (struct parsing *all, const struct sexp *list, struct place place)
{
    const struct sexp *at = sexp_only_atom (all, list, place);
    struct node *node;

    if (at == NULL)
        return NULL;
    if (place.field != NULL && !place.field->starts)
        return sexp_fail (all, list, NULL, "\"%s\" cannot stand in \"%s\"", list->items[0].text,
                          place.prefix->name);
    if (at->text[0] == '\0')
        return place.prefix != NULL ? leaf_create_any (all->ctx, place.prefix)
                                    : node_create (all->ctx, NODE_ALL);
    if (place.prefix != NULL && place.prefix->kind != KIND_WORDS) {
        node = leaf_create_value (all->ctx, place.prefix, at->text, strlen (at->text));
        node->kind = NODE_STARTS;
        return sexp_count_term (all, at) ? node : NULL;
    }
    node = words_create (all, at, place.prefix);
    if (node != NULL && node->kind == NODE_WORDS && node->word_count == 1)
        node->op = WORDS_START;
    else if (node != NULL)
        node->kind = NODE_NOTHING; /* no word has what separates words */
    return node;
}

struct node *
sexp_regex (struct parsing *all, const struct sexp *list, struct place place)
{
    const struct sexp *at = sexp_only_atom (all, list, place);
    struct lexeme piece;
    char *text;

    if (at == NULL)
        return NULL;
    if (place.field == NULL)
        return sexp_fail (all, list, "write it inside a field: (subject (rx ...))",
                          "\"%s\" cannot stand outside of a field", list->items[0].text);
    if (!place.field->regex)
        return sexp_fail (all, list, NULL, "\"%s\" cannot stand in \"%s\"", list->items[0].text,
                          place.prefix->name);
    if (!sexp_count_term (all, at))
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
