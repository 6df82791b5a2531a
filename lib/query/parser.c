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
#include "query/parser.h"
#include "query/leaf.h"
#include "query/words.h"
#include <glib.h>
#include <string.h>
#include <talloc.h>

struct parser {
    struct parsing *all;
    void *ctx;                      /* of all */
    struct mail_query_error *error; /* of all */
    struct lexer lexer;
    struct lexeme current;
    size_t base;                      /* of lexer.text in the query */
    struct mail_query_error *warning; /* NULL: not wanted */
    const struct prefix *group;       /* prefix of the parentheses we are in; NULL for none */
    bool group_stems;                 /* these are in quotes */
};

static struct node *parse_or (struct parser *parser);
static struct node *parse_whole (struct parser *parser);

/* ---- moving on ----------------------------------------------------------------------------- */

static bool
advance (struct parser *parser)
{
    return lexer_next (&parser->lexer, &parser->current, parser->error);
}

static struct node *
fail (struct parser *parser, const struct lexeme *at, const char *hint, const char *message)
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

/* ---- items --------------------------------------------------------------------------------- */

/* What an item of a row is. Nodes are NULL where it vanishes. */
struct item {
    struct node *node;
    const struct prefix *prefix; /* its own; NULL for words and groups */
    bool seconds;                /* "A..B" without a prefix; it has that of date: */
    struct lexeme at;
};

/* prefix:* is all messages that have something there. */
static struct node *
any_create (struct parser *parser, const struct prefix *prefix)
{
    struct node *any = node_create (parser->ctx, NODE_ANY);

    any->prefix = prefix;
    return any;
}

static bool
too_many (struct parser *parser, const struct lexeme *at, size_t most, const char *what)
{
    return query_error_set (parser->ctx, parser->error, at->offset, at->length, NULL,
                            "the query has more than %zu %s", most, what);
}

/* Words without a prefix, or with one of KIND_WORDS. */
static bool
words_item (struct parser *parser, const struct prefix *prefix, struct item *item)
{
    struct node **nodes;
    size_t count, words;
    const char *bad;

    if (item->at.prefix != NULL && item->at.quoted && item->at.value_length == 0) {
        item->node = node_not (parser->ctx, any_create (parser, prefix));
        return true;
    }
    if (!g_utf8_validate_len (item->at.value, item->at.value_length, &bad))
        return query_error_set (parser->ctx, parser->error,
                                item->at.value_offset + (size_t) (bad - item->at.value), 1,
                                "queries are written in UTF-8", "this byte is not UTF-8");
    words_cut (parser->ctx, parser->all->tokenizer, &item->at, prefix,
               QUERY_WORDS_MAX - parser->all->words, &nodes, &count, &words);
    parser->all->words += words;
    if (parser->all->words > QUERY_WORDS_MAX)
        return too_many (parser, &item->at, QUERY_WORDS_MAX, "words");
    for (size_t i = 0; i < count; i++)
        if (nodes[i]->word_count > QUERY_PHRASE_MAX)
            return fail (parser, &item->at, "take a part of it", "this phrase is too long") != NULL;
    if (count > 0)
        item->node = node_join (parser->ctx, NODE_AND, nodes, count);
    talloc_free (nodes);
    return true;
}

static bool
is_all (const struct lexeme *piece)
{
    return !piece->quoted && piece->value_length == 1 && piece->value[0] == '*';
}

/* Parses the text inside a piece as a query by itself; the words in it have this prefix. Errors
 * are moved to where the text stands. */
static struct node *
inner_query (struct parser *parser, const struct lexeme *at, size_t skip, size_t length,
             const struct prefix *group)
{
    struct parser outer = *parser;
    unsigned depth = parser->all->depth;
    struct node *node = NULL;

    if (parser->all->depth == QUERY_DEPTH_MAX)
        return fail (parser, at, NULL, "too many queries in one another");
    parser->lexer.text = at->value + skip;
    parser->lexer.length = length;
    parser->lexer.position = 0;
    parser->base += at->value_offset + skip;
    parser->group = group;
    parser->group_stems = group != NULL;
    parser->all->depth++;
    node = parse_whole (parser);
    if (node == NULL)
        parser->error->offset += at->value_offset + skip;
    parser->lexer = outer.lexer;
    parser->base = outer.base;
    parser->current = outer.current;
    parser->group = outer.group;
    parser->group_stems = outer.group_stems;
    parser->all->depth = depth;
    return node;
}

static bool
is_between (const struct lexeme *piece, char first, char last)
{
    return piece->value_length > 1 && piece->value[0] == first &&
           piece->value[piece->value_length - 1] == last;
}

/* thread:{query} */
static struct node *
threads_leaf (struct parser *parser, const struct lexeme *at)
{
    struct node *node;

    if (!is_between (at, '{', '}'))
        return fail (parser, at, "add a \"}\"", "this brace is never closed");
    node = inner_query (parser, at, 1, at->value_length - 2, NULL);
    return node != NULL ? node_threads (parser->ctx, node) : NULL;
}

/* sexp:"(query)" */
static struct node *
sexp_leaf (struct parser *parser, const struct lexeme *at)
{
    struct node *node = parse_sexp_text (parser->all, at->value, at->value_length);

    if (node == NULL)
        parser->error->offset += at->value_offset;
    return node;
}

/* What stands behind a prefix that is not of words. */
static struct node *
exact_leaf (struct parser *parser, const struct lexeme *at)
{
    if (++parser->all->terms > QUERY_TERMS_MAX) {
        too_many (parser, at, QUERY_TERMS_MAX, "terms");
        return NULL;
    }
    if (is_all (at) && leaf_has_any (at->prefix))
        return any_create (parser, at->prefix);
    if (at->prefix->braces && at->value_length > 0 && at->value[0] == '{')
        return threads_leaf (parser, at);
    if (at->prefix->kind == KIND_SAVED)
        return parse_saved (parser->all, at->value, at->value_length, at->offset, at->length);
    if (at->prefix->kind == KIND_SEXP)
        return sexp_leaf (parser, at);
    return leaf_create (parser->ctx, at, parser->all->now, parser->error);
}

/* What was meant is clear, or at least what is done about it. */
static void
warn_of_quote (struct parser *parser, const struct lexeme *at)
{
    struct mail_query_error *warning = parser->warning;

    if (warning == NULL || warning->message != NULL || !at->unclosed)
        return;
    query_error_set (parser->ctx, warning, parser->base + at->value_offset - 1, 1, NULL,
                     "this quote is never closed; it is taken to be at the end");
}

static bool
piece_item (struct parser *parser, struct item *item)
{
    const struct lexeme *at = &item->at;
    const struct prefix *prefix = at->prefix;

    warn_of_quote (parser, at);
    item->prefix = prefix;
    if (prefix != NULL && prefix->kind != KIND_WORDS)
        return (item->node = exact_leaf (parser, at)) != NULL;
    if (leaf_is_regex (at, prefix))
        return (item->node = leaf_create_regex (parser->ctx, at, parser->error)) != NULL;
    if (prefix != NULL && prefix->one_phrase && at->quoted && is_between (at, '(', ')'))
        return (item->node = inner_query (parser, at, 0, at->value_length, prefix)) != NULL;
    if (prefix == NULL) {
        prefix = parser->group;
        item->at.stems = parser->group_stems;
    }
    if (prefix != NULL && is_all (at)) {
        item->node = any_create (parser, prefix);
        return true;
    }
    if (prefix == NULL && (item->node = leaf_create_seconds (parser->ctx, at)) != NULL) {
        item->prefix = item->node->prefix;
        item->seconds = true;
        return true;
    }
    return words_item (parser, prefix, item);
}

static bool
never_closed (struct parser *parser, const struct lexeme *at)
{
    return fail (parser, at, "add a \")\", or write the \"(\" in quotes",
                 "this parenthesis is never closed") != NULL;
}

/* Takes "(" query ")", the current lexeme being the parenthesis. */
static bool
group_item (struct parser *parser, struct item *item)
{
    const struct prefix *outer = parser->group;
    bool stems = parser->group_stems;
    const struct lexeme *at = &item->at;

    if (at->prefix != NULL && at->prefix->kind != KIND_WORDS)
        return fail (parser, at,
                     at->prefix->kind == KIND_SEXP
                         ? "put it in double quotes, and double those in it"
                         : "write the prefix before each value: tag:a or tag:b",
                     "no parenthesis can stand behind this prefix") != NULL;
    if (parser->all->depth == QUERY_DEPTH_MAX)
        return fail (parser, at, NULL, "too many parentheses in one another") != NULL;
    parser->all->depth++;
    item->prefix = at->prefix;
    if (at->prefix != NULL) {
        parser->group = at->prefix;
        parser->group_stems = false;
    }
    if (!advance (parser))
        return false;
    if (parser->current.kind == LEX_CLOSE)
        return fail (parser, at, "leave the parentheses out, or put something between them",
                     "there is nothing between the parentheses") != NULL;
    if (parser->current.kind == LEX_END)
        return never_closed (parser, at);
    item->node = parse_or (parser);
    if (item->node == NULL)
        return false;
    if (parser->current.kind != LEX_CLOSE)
        return never_closed (parser, at);
    parser->group = outer;
    parser->group_stems = stems;
    parser->all->depth--;
    return true;
}

/* ---- near and adj -------------------------------------------------------------------------- */

static bool
is_proximity (const struct lexeme *lexeme)
{
    return lexeme->kind == LEX_NEAR || lexeme->kind == LEX_ADJ;
}

static bool
is_single_word (const struct node *node)
{
    return node != NULL && node->kind == NODE_WORDS && node->word_count == 1 &&
           (node->op == WORDS_STEM || node->op == WORDS_EXACT);
}

/* Adds the word of right to the chain. */
static void
chain_add (struct node *chain, struct node *right)
{
    chain->words = talloc_realloc (chain, chain->words, struct word, chain->word_count + 1);
    chain->words[chain->word_count] = right->words[0];
    talloc_steal (chain->words, right->words[0].text);
    chain->word_count++;
    talloc_free (right);
}

/* Reads the piece behind an operator that is the current lexeme; *right_out stays NULL, and nothing
 * is consumed, where it is no single word of the same prefix. */
static bool
right_word (struct parser *parser, const struct node *left, struct item *right)
{
    struct lexer lexer = parser->lexer;

    if (!lexer_next (&lexer, &right->at, parser->error))
        return false;
    if (right->at.kind != LEX_PIECE)
        return true;
    if (right->at.prefix != NULL && right->at.prefix->kind != KIND_WORDS)
        return true;
    if (!piece_item (parser, right))
        return false;
    if (!is_single_word (right->node) || right->node->prefix != left->prefix)
        right->node = NULL;
    else
        parser->lexer = lexer;
    return true;
}

/* Takes all of "near b near c" behind the word that item is. The current lexeme is the operator,
 * and afterwards what follows. Without such a word on both sides "near" is a word itself. */
static bool
proximity (struct parser *parser, struct item *item)
{
    while (is_proximity (&parser->current) && item->node != NULL) {
        enum words_op op = parser->current.kind == LEX_NEAR ? WORDS_NEAR : WORDS_ADJ;
        bool chain = item->node->kind == NODE_WORDS && item->node->op == op &&
                     item->node->window == parser->current.window;
        struct item right = {0};
        if (!chain && !is_single_word (item->node))
            return true;
        if (!right_word (parser, item->node, &right))
            return false;
        if (right.node == NULL)
            return true;
        if (item->node->word_count == QUERY_NEAR_MAX)
            return too_many (parser, &right.at, QUERY_NEAR_MAX, "words near one another");
        item->node->op = op;
        item->node->window = parser->current.window;
        chain_add (item->node, right.node);
        if (!advance (parser))
            return false;
    }
    return true;
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

/* Takes one item without its sign, and moves on. */
static bool
take_item (struct parser *parser, struct item *item)
{
    bool taken = true;

    item->at = parser->current;
    switch (item->at.kind) {
    case LEX_OPEN:
    case LEX_GROUP:
        taken = group_item (parser, item);
        break;
    case LEX_ALL:
        item->node = node_create (parser->ctx, NODE_ALL);
        if (parser->group != NULL) {
            talloc_free (item->node);
            item->node = any_create (parser, parser->group);
        }
        break;
    default:
        taken = piece_item (parser, item);
    }
    if (!taken || !advance (parser))
        return false;
    return item->at.kind == LEX_PIECE ? proximity (parser, item) : true;
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
        if (!advance (parser))
            return false;
        if (!starts_item (&parser->current))
            return fail (parser, &sign, "write a word, a prefix or a parenthesis behind it",
                         "this sign has nothing behind it") != NULL;
    }
    if (!take_item (parser, &item))
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
    if (row.items == 0)
        return fail (parser, &row.vanished,
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
        return fail (parser, before, hint, "this operator needs something on both sides");
    return fail (parser, before, hint, "this operator needs something behind it");
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
        if (!advance (parser))
            return NULL;
    }
    if (!starts_item (&parser->current)) {
        if (before.kind != LEX_END)
            return missing_operand (parser, &before);
        if (parser->current.kind == LEX_CLOSE)
            return fail (parser, &parser->current, "add a \"(\" before it, or leave it out",
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
            if (!advance (parser))
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
        if (!advance (parser))
            return NULL;
    }
}

static struct node *
parse_or (struct parser *parser)
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
        if (!advance (parser))
            return NULL;
    }
}

/* ---- the whole ----------------------------------------------------------------------------- */

static struct node *
parse_whole (struct parser *parser)
{
    struct node *node;

    if (!advance (parser))
        return NULL;
    if (parser->current.kind == LEX_END)
        return node_create (parser->ctx, NODE_ALL);
    node = parse_or (parser);
    if (node != NULL && parser->current.kind == LEX_CLOSE)
        return fail (parser, &parser->current, "add a \"(\" before it, or leave it out",
                     "this parenthesis closes nothing");
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
    struct parser parser = {
        .warning = warning,
        .all = all,
        .ctx = all->ctx,
        .error = all->error,
        .lexer = {.ctx = all->ctx, .users = all->users, .text = text, .length = length}};

    return parse_whole (&parser);
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

    error->message = talloc_asprintf (all->ctx, "in \"%s.%s\": %s", kind, name, error->message);
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
