/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parser-items.c - what stands by itself in a row: words, values, groups, and words near others.
 *
 * Values of exact prefixes are leaf.c's, words words.c's; here is what they can be instead: all of
 * a field, a query inside a value, a regular expression, an S-expression, a saved query.
 */
#include "query/parser-private.h"
#include "query/leaf.h"
#include "query/words.h"
#include <glib.h>
#include <string.h>
#include <talloc.h>

/* ---- items --------------------------------------------------------------------------------- */

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
        item->node = node_not (parser->ctx, leaf_create_any (parser->ctx, prefix));
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
    for (size_t i = 0; i < count; i++) {
        if (nodes[i]->word_count > QUERY_PHRASE_MAX)
            return parser_fail (parser, &item->at, "take a part of it",
                                "this phrase is too long") != NULL;
        parser->all->scans += nodes[i]->op == WORDS_END || nodes[i]->op == WORDS_MIDDLE;
    }
    if (parser->all->scans > QUERY_SCANS_MAX)
        return too_many (parser, &item->at, QUERY_SCANS_MAX, "words with an asterisk before them");
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
        return parser_fail (parser, at, NULL, "too many queries in one another");
    parser->lexer.text = at->value + skip;
    parser->lexer.length = length;
    parser->lexer.position = 0;
    parser->base += at->value_offset + skip;
    parser->group = group;
    parser->group_stems = group != NULL;
    parser->all->depth++;
    node = parser_whole (parser);
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
        return parser_fail (parser, at, "add a \"}\"", "this brace is never closed");
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

static bool
takes_star (const struct prefix *prefix)
{
    return prefix->kind == KIND_TERM || prefix->kind == KIND_FOLDER || prefix->kind == KIND_PATH ||
           prefix->kind == KIND_FILE;
}

/* What stands behind a prefix that is not of words. */
static struct node *
exact_leaf (struct parser *parser, const struct lexeme *at)
{
    if (++parser->all->terms > QUERY_TERMS_MAX) {
        too_many (parser, at, QUERY_TERMS_MAX, "terms");
        return NULL;
    }
    if (is_all (at) && takes_star (at->prefix))
        return leaf_create_any (parser->ctx, at->prefix);
    if (at->prefix->braces && at->value_length > 0 && at->value[0] == '{')
        return threads_leaf (parser, at);
    if (at->prefix->kind == KIND_SAVED)
        return parse_saved (parser->all, at->value, at->value_length, at->offset, at->length);
    if (at->prefix->kind == KIND_SEXP)
        return sexp_leaf (parser, at);
    return leaf_create (parser->ctx, at, parser->all->now, parser->all->lenient, parser->error);
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
        item->node = leaf_create_any (parser->ctx, prefix);
        return true;
    }
    if (prefix == NULL && (item->node = leaf_create_seconds (parser->ctx, at)) != NULL) {
        if (item->node->kind == NODE_NOTHING && !parser->all->lenient)
            return leaf_fail_backwards (parser->ctx, at, parser->error) != NULL;
        item->prefix = item->node->prefix;
        item->seconds = true;
        return true;
    }
    return words_item (parser, prefix, item);
}

static bool
never_closed (struct parser *parser, const struct lexeme *at)
{
    return parser->all->lenient ||
           parser_fail (parser, at, "add a \")\", or write the \"(\" in quotes",
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
        return parser_fail (parser, at,
                            at->prefix->kind == KIND_SEXP
                                ? "put it in double quotes, and double those in it"
                                : "write the prefix before each value: tag:a or tag:b",
                            "no parenthesis can stand behind this prefix") != NULL;
    if (parser->all->depth == QUERY_DEPTH_MAX)
        return parser_fail (parser, at, NULL, "too many parentheses in one another") != NULL;
    parser->all->depth++;
    item->prefix = at->prefix;
    if (at->prefix != NULL) {
        parser->group = at->prefix;
        parser->group_stems = false;
    }
    if (!parser_advance (parser))
        return false;
    if (parser->current.kind == LEX_CLOSE && !parser->all->lenient)
        return parser_fail (parser, at, "leave the parentheses out, or put something between them",
                            "there is nothing between the parentheses") != NULL;
    if (parser->current.kind == LEX_END && !never_closed (parser, at))
        return false;
    if (parser->current.kind != LEX_CLOSE && parser->current.kind != LEX_END &&
        (item->node = parser_or (parser)) == NULL)
        return false;
    if (parser->current.kind != LEX_CLOSE && !never_closed (parser, at))
        return false;
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

/* The operator at hand is not one, though something stands on both sides. */
static void
warn_of_proximity (struct parser *parser)
{
    const struct lexeme *at = &parser->current;
    struct mail_query_error *warning = parser->warning;
    struct lexer lexer = parser->lexer;
    struct lexeme next;

    if (warning == NULL || warning->message != NULL || parser->all->lenient)
        return;
    if (lexer_next (&lexer, &next, parser->error) && next.kind != LEX_END && next.kind != LEX_CLOSE)
        query_error_set (
            parser->ctx, warning, parser->base + at->offset, at->length, NULL,
            "\"%.*s\" is looked for as a word here; it stands between two single words "
            "of the same prefix",
            (int) at->value_length, at->value);
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
        if ((chain || is_single_word (item->node)) && !right_word (parser, item->node, &right))
            return false;
        if (right.node == NULL) {
            warn_of_proximity (parser);
            return true;
        }
        if (item->node->word_count == QUERY_NEAR_MAX)
            return too_many (parser, &right.at, QUERY_NEAR_MAX, "words near one another");
        item->node->op = op;
        item->node->window = parser->current.window;
        chain_add (item->node, right.node);
        if (!parser_advance (parser))
            return false;
    }
    return true;
}

bool
parser_take_item (struct parser *parser, struct item *item)
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
            item->node = leaf_create_any (parser->ctx, parser->group);
        }
        break;
    default:
        taken = piece_item (parser, item);
    }
    if (!taken || !parser_advance (parser))
        return false;
    return item->at.kind == LEX_PIECE ? proximity (parser, item) : true;
}
