/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parser.c - operators, groups and what stands side by side.
 *
 *   query  = xor { "or" xor }
 *   xor    = and { "xor" and }
 *   and    = { "not" } row { ( "and" { "not" } | "not" { "not" } ) row }
 *   row    = item { item }
 *   item   = [ "+" | "-" ] ( piece | piece near piece | "*" | [ prefix: ] "(" query ")" )
 *
 * One function a rule; it recurses at a parenthesis only, and those are counted. Values of one
 * prefix in a row are alternatives where the prefix says so, all else in a row is joined by AND.
 * What has no letter in it ("--", "&", "") vanishes from a row that has something else.
 */
#include "index/tokenize.h"
#include "query/parser-private.h"
#include <glib.h>
#include <string.h>
#include <talloc.h>

/* ---- moving on ----------------------------------------------------------------------------- */

bool
parser_advance (struct parser *parser)
{
    return lexer_next (&parser->lexer, &parser->current, parser->error);
}

struct node *
parser_fail (struct parser *parser, const struct lexeme *at, const char *hint, const char *message)
{
    query_error_set (parser->ctx, parser->error, at->offset, at->length, hint, "%s", message);
    return NULL;
}

/* Nodes side by side, on a context of their own. */
struct list {
    struct node **nodes;
    size_t count;
};

static void
list_add (struct parser *parser, struct list *list, struct node *node)
{
    size_t room = list->nodes != NULL ? talloc_array_length (list->nodes) : 0;

    if (list->count == room)
        list->nodes = talloc_realloc (parser->ctx, list->nodes, struct node *, room * 2 + 4);
    list->nodes[list->count++] = node;
}

/* Joins and frees the list. */
static struct node *
list_join (struct parser *parser, struct list *list, enum node_kind kind)
{
    struct node *node = node_join (parser->ctx, kind, list->nodes, list->count);

    talloc_free (list->nodes);
    *list = (struct list){0};
    return node;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* The alternatives of each prefix, and all that is joined by AND. */
struct row {
    struct list list;
    struct list alternatives[PREFIX_COUNT], seconds;
    size_t items;
    struct lexeme vanished; /* the first that did */
};

static bool
starts_item (const struct lexeme *lexeme)
{
    switch (lexeme->kind) {
    case LEX_OPEN:
    case LEX_GROUP:
    case LEX_PIECE:
    case LEX_NEAR:
    case LEX_ADJ:
    case LEX_ALL:
    case LEX_LOVE:
    case LEX_HATE:
        return true;
    default:
        return false;
    }
}

static void
row_add (struct parser *parser, struct row *row, struct item *item, bool hated)
{
    if (item->node == NULL) {
        if (row->vanished.length == 0)
            row->vanished = item->at;
        return;
    }
    row->items++;
    if (hated)
        item->node = node_not (parser->ctx, item->node);
    if (!hated && item->seconds)
        list_add (parser, &row->seconds, item->node);
    else if (!hated && item->prefix != NULL && item->prefix->alternatives)
        list_add (parser, &row->alternatives[item->prefix - prefix_table], item->node);
    else
        list_add (parser, &row->list, item->node);
}

/* Takes a sign and the item behind it. */
static bool
row_take (struct parser *parser, struct row *row)
{
    struct lexeme sign = parser->current;
    bool signed_item = sign.kind == LEX_LOVE || sign.kind == LEX_HATE;
    struct item item = {0};

    if (signed_item) {
        if (!parser_advance (parser))
            return false;
        if (!starts_item (&parser->current))
            return parser_fail (parser, &sign, "write a word, a prefix or a parenthesis behind it",
                                "this sign has nothing behind it") != NULL;
    }
    if (!parser_take_item (parser, &item))
        return false;
    row_add (parser, row, &item, sign.kind == LEX_HATE);
    return true;
}

static struct node *
row_finish (struct parser *parser, struct row *row)
{
    for (size_t i = 0; i < PREFIX_COUNT; i++)
        if (row->alternatives[i].count > 0)
            list_add (parser, &row->list, list_join (parser, &row->alternatives[i], NODE_OR));
    if (row->seconds.count > 0)
        list_add (parser, &row->list, list_join (parser, &row->seconds, NODE_OR));
    return list_join (parser, &row->list, NODE_AND);
}

static struct node *
parse_row (struct parser *parser)
{
    struct row row = {0};

    while (starts_item (&parser->current))
        if (!row_take (parser, &row))
            return NULL;
    if (row.items == 0 && parser->all->lenient)
        return node_create (parser->ctx, NODE_NOTHING);
    if (row.items == 0)
        return parser_fail (parser, &row.vanished,
                            "words are made of letters and digits; \"*\" is every message",
                            "there is no word to search for");
    return row_finish (parser, &row);
}

/* ---- operators ----------------------------------------------------------------------------- */

static struct node *
missing_operand (struct parser *parser, const struct lexeme *before)
{
    static const char hint[] = "write the operator in quotes to find it as a word";

    if (before->kind == LEX_AND || before->kind == LEX_OR || before->kind == LEX_XOR)
        return parser_fail (parser, before, hint, "this operator needs something on both sides");
    return parser_fail (parser, before, hint, "this operator needs something behind it");
}

/* A row with the nots in front of it. before: the operator in front of it, for the error; END for
 * none. */
static struct node *
parse_operand (struct parser *parser, struct lexeme before)
{
    bool negated = false;
    struct node *node;

    while (parser->current.kind == LEX_NOT) {
        negated = !negated;
        before = parser->current;
        if (!parser_advance (parser))
            return NULL;
    }
    if (!starts_item (&parser->current)) {
        if (before.kind != LEX_END)
            return missing_operand (parser, &before);
        if (parser->current.kind == LEX_CLOSE)
            return parser_fail (
                parser, &parser->current,
                "add a \"(\" before it, leave it out, or write a value with parentheses in quotes",
                "this parenthesis closes nothing");
        return missing_operand (parser, &parser->current);
    }
    node = parse_row (parser);
    return node != NULL && negated ? node_not (parser->ctx, node) : node;
}

/* before: the operator in front; END for none. */
static struct node *
parse_and (struct parser *parser, struct lexeme before)
{
    struct list list = {0};
    struct node *node;

    for (;;) {
        node = parse_operand (parser, before);
        if (node == NULL)
            return NULL;
        list_add (parser, &list, node);
        before = parser->current;
        if (before.kind == LEX_AND) {
            if (!parser_advance (parser))
                return NULL;
        } else if (before.kind != LEX_NOT) {
            return list_join (parser, &list, NODE_AND);
        }
    }
}

static struct node *
parse_xor (struct parser *parser, struct lexeme before)
{
    struct list list = {0};
    struct node *node;

    for (;;) {
        node = parse_and (parser, before);
        if (node == NULL)
            return NULL;
        list_add (parser, &list, node);
        before = parser->current;
        if (before.kind != LEX_XOR)
            return list_join (parser, &list, NODE_XOR);
        if (!parser_advance (parser))
            return NULL;
    }
}

struct node *
parser_or (struct parser *parser)
{
    struct lexeme before = {.kind = LEX_END};
    struct list list = {0};
    struct node *node;

    for (;;) {
        node = parse_xor (parser, before);
        if (node == NULL)
            return NULL;
        list_add (parser, &list, node);
        before = parser->current;
        if (before.kind != LEX_OR)
            return list_join (parser, &list, NODE_OR);
        if (!parser_advance (parser))
            return NULL;
    }
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Passes over a parenthesis that closes nothing, and joins what follows. */
static struct node *
go_on (struct parser *parser, struct node *node)
{
    struct node *nodes[2] = {node};

    if (!parser->all->lenient)
        return parser_fail (
            parser, &parser->current,
            "add a \"(\" before it, leave it out, or write a value with parentheses in quotes",
            "this parenthesis closes nothing");
    if (!parser_advance (parser))
        return NULL;
    if (parser->current.kind == LEX_CLOSE || parser->current.kind == LEX_END)
        return node;
    nodes[1] = parser_or (parser);
    return nodes[1] != NULL ? node_join (parser->ctx, NODE_AND, nodes, 2) : NULL;
}

struct node *
parser_whole (struct parser *parser)
{
    struct node *node;

    if (!parser_advance (parser))
        return NULL;
    if (parser->current.kind == LEX_END)
        return node_create (parser->ctx, NODE_ALL);
    node = parser_or (parser);
    while (node != NULL && parser->current.kind == LEX_CLOSE)
        node = go_on (parser, node);
    return node;
}

/* What is missing at the end is shown at the last byte; escaped quotes make inner text shorter. */
static void
keep_within (struct mail_query_error *error, size_t length)
{
    if (length == 0) {
        error->offset = 0;
        error->length = 1;
        return;
    }
    error->offset = MIN (error->offset, length - 1);
    error->length = MIN (error->length, length - error->offset);
}

/* warning: NULL for a text that stands inside another. */
static struct node *
parse_infix (struct parsing *all, const char *text, size_t length, struct mail_query_error *warning)
{
    struct parser parser = {.warning = warning,
                            .all = all,
                            .ctx = all->ctx,
                            .error = all->error,
                            .lexer = {.ctx = all->ctx,
                                      .users = all->users,
                                      .lenient = all->lenient,
                                      .text = text,
                                      .length = length}};

    return parser_whole (&parser);
}

struct node *
parse_infix_text (struct parsing *all, const char *text, size_t length)
{
    return parse_infix (all, text, length, NULL);
}

struct node *
parse_saved (struct parsing *all, const char *name, size_t length, size_t offset,
             size_t offset_length)
{
    char *key = talloc_strndup (all->ctx, name, length);
    const char *text = parsing_find (all, MAIL_SYNTAX_INFIX, key);
    struct node *node;

    if (text == NULL && all->lenient)
        return node_create (all->ctx, NODE_NOTHING);
    if (text == NULL) {
        query_error_set (all->ctx, all->error, offset, offset_length, NULL,
                         "there is no saved query \"%s\"", key);
        return NULL;
    }
    if (all->depth == QUERY_DEPTH_MAX || ++all->saved > QUERY_SAVED_MAX) {
        query_error_set (all->ctx, all->error, offset, offset_length,
                         "a saved query may not use itself", "too many saved queries in one");
        return NULL;
    }
    all->depth++;
    node = parse_infix_text (all, text, strlen (text));
    all->depth--;
    if (node == NULL)
        parsing_blame (all, "query", key, offset, offset_length);
    return node;
}

const char *
parsing_find (struct parsing *all, enum mail_query_syntax syntax, const char *name)
{
    if (all->names == NULL || all->names->find == NULL)
        return NULL;
    return all->names->find (all->names->closure, syntax, name);
}

void
parsing_blame (struct parsing *all, const char *kind, const char *name, size_t offset,
               size_t length)
{
    struct mail_query_error *error = all->error;
    char *where = talloc_asprintf (all->ctx, "in \"%s.%s\": ", kind, name);

    /* once, of one that uses itself */
    if (strstr (error->message, where) == NULL)
        error->message = talloc_asprintf (all->ctx, "%s%s", where, error->message);
    error->offset = offset;
    error->length = length;
}

bool
query_parse (void *ctx, const struct query_source *source, struct node **tree_out,
             struct mail_query_error *error)
{
    void *local = talloc_new (ctx);
    struct parsing all = {.ctx = local,
                          .tokenizer = tokenizer_create (local),
                          .now = source->now,
                          .names = source->names,
                          .users = source->users,
                          .lenient = source->names != NULL && source->names->lenient,
                          .error = error};
    struct node *tree = source->syntax == MAIL_SYNTAX_SEXP
                            ? parse_sexp_text (&all, source->text, source->length)
                            : parse_infix (&all, source->text, source->length, source->warning);

    if (tree != NULL) {
        *tree_out = talloc_steal (ctx, tree);
        if (source->warning != NULL)
            talloc_steal (ctx, source->warning->message);
    } else {
        keep_within (error, source->length);
        talloc_steal (ctx, error->message);
        talloc_steal (ctx, error->hint);
    }
    talloc_free (local);
    return tree != NULL;
}

bool
query_parse_text (void *ctx, const char *text, size_t length, int64_t now, struct node **tree_out,
                  struct mail_query_error *error)
{
    struct query_source source = {.text = text, .length = length, .now = now};

    return query_parse (ctx, &source, tree_out, error);
}
