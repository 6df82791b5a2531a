/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * words.c - tokens of a piece → words, phrases, wildcards.
 *
 * What joins words to a phrase, and which words are not stemmed, are the rules of Xapian's query
 * parser, as people know them. Of a run of CJK characters the mail has every pair and its last
 * character by itself; a query's run may end in the middle of one in the mail, so its own last
 * character is left out.
 */
#include "query/words.h"
#include <glib.h>
#include <string.h>
#include <talloc.h>

/* A token as it is kept. */
struct found {
    const char *word;
    size_t length;
    size_t offset, end; /* in the piece */
    bool cjk;
    bool stem;
};

struct collector {
    void *ctx;
    struct found *found;
    size_t count, room, limit;
};

static void
collect (void *closure, const struct token *token)
{
    struct collector *collector = closure;
    struct found *found;

    if (token->kind != TOKEN_WORD && token->kind != TOKEN_CJK)
        return;
    if (collector->count > collector->limit)
        return;
    if (collector->count == collector->room) {
        collector->room = collector->room * 2 + 4;
        collector->found =
            talloc_realloc (collector->ctx, collector->found, struct found, collector->room);
    }
    found = &collector->found[collector->count++];
    found->word = talloc_strndup (collector->ctx, token->word, token->length);
    found->length = token->length;
    found->offset = token->offset;
    found->end = token->offset + token->source_length;
    found->cjk = token->kind == TOKEN_CJK;
    found->stem = token->stem && !token->capital && !found->cjk;
}

/* ---- groups -------------------------------------------------------------------------------- */

struct piece {
    const char *text;
    size_t length;
    char after;
    const struct prefix *prefix;
    bool whole; /* all words are one phrase */
    bool quoted;
    bool stems;
};

/* Two tokens of one run of CJK characters share a character. */
static bool
is_same_run (const struct found *a, const struct found *b)
{
    return a->cjk && b->cjk && b->offset < a->end;
}

/* Nothing but signs that make a phrase stands between the two. */
static bool
is_joined (const struct piece *piece, const struct found *a, const struct found *b)
{
    if (piece->whole)
        return true;
    for (size_t i = a->end; i < b->offset; i++)
        if (strchr (".-/:\\@", piece->text[i]) == NULL)
            return false;
    return true;
}

static char
byte_after (const struct piece *piece, const struct found *found)
{
    return found->end < piece->length ? piece->text[found->end] : piece->after;
}

static bool
has_suffix (const struct found *found)
{
    return strchr ("+#", found->word[found->length - 1]) != NULL;
}

/* An asterisk right behind the word, and no word right behind that. */
static bool
has_star_behind (const struct piece *piece, const struct found *found, const struct found *next)
{
    return !piece->quoted && !has_suffix (found) && found->end < piece->length &&
           piece->text[found->end] == '*' && (next == NULL || next->offset > found->end + 1);
}

/* An asterisk right before the word, and no word right before that. */
static bool
has_star_before (const struct piece *piece, const struct found *found, const struct found *before)
{
    return !piece->quoted && found->offset > 0 && piece->text[found->offset - 1] == '*' &&
           (before == NULL || before->end < found->offset - 1);
}

static bool
is_stemmed (const struct piece *piece, const struct found *found)
{
    char after = byte_after (piece, found);

    if (piece->quoted || !found->stem ||
        (piece->prefix != NULL && !piece->prefix->stem && !piece->stems))
        return false;
    return after == '\0' || strchr ("(/\\@<>=*[{\"`", after) == NULL;
}

/* One character of a run, which only begins words of two. */
static bool
is_single_character (const struct found *found)
{
    return found->cjk && g_utf8_strlen (found->word, (gssize) found->length) == 1;
}

static enum words_op
op_of_one (const struct piece *piece, const struct found *found, const struct found *before,
           const struct found *next)
{
    if (has_star_before (piece, found, before))
        return has_star_behind (piece, found, next) ? WORDS_MIDDLE : WORDS_END;
    if (is_single_character (found) || has_star_behind (piece, found, next))
        return WORDS_START;
    return is_stemmed (piece, found) ? WORDS_STEM : WORDS_EXACT;
}

/* Makes the leaf of tokens [0, count). before, next: their neighbours, or NULL. */
static struct node *
leaf_of (void *ctx, const struct piece *piece, const struct found *found, size_t count,
         const struct found *before, const struct found *next)
{
    struct node *node = node_create (ctx, NODE_WORDS);

    if (count > 1 && is_single_character (&found[count - 1]) &&
        is_same_run (&found[count - 2], &found[count - 1]))
        count--;
    node->prefix = piece->prefix;
    node->op = count > 1 ? WORDS_PHRASE : op_of_one (piece, found, before, next);
    node->words = talloc_array (node, struct word, count);
    node->word_count = count;
    for (size_t i = 0; i < count; i++) {
        struct word *word = &node->words[i];
        word->text = talloc_steal (node->words, found[i].word);
        word->length = found[i].length;
        word->cjk = found[i].cjk;
    }
    return node;
}

static bool
has_letters (const char *text, size_t length)
{
    const char *end = text + length;

    while (text < end) {
        gunichar character = g_utf8_get_char_validated (text, end - text);
        if (character >= (gunichar) -2) {
            text++;
            continue;
        }
        if (g_unichar_isalnum (character))
            return true;
        text = g_utf8_next_char (text);
    }
    return false;
}

static size_t
group_length (const struct piece *piece, const struct found *found, size_t count)
{
    size_t length = 1;

    while (length < count && is_joined (piece, &found[length - 1], &found[length]))
        length++;
    return length;
}

void
words_cut (void *ctx, struct tokenizer *tokenizer, const struct lexeme *lexeme,
           const struct prefix *prefix, size_t limit, struct node ***nodes_out, size_t *count_out,
           size_t *words_out)
{
    struct collector collector = {.ctx = talloc_new (ctx), .limit = limit};
    struct piece piece = {.text = lexeme->value,
                          .length = lexeme->value_length,
                          .after = lexeme->after,
                          .prefix = prefix,
                          .quoted = lexeme->quoted,
                          .stems = lexeme->stems};
    struct node **nodes;
    size_t count = 0, length;

    piece.whole = lexeme->quoted || (lexeme->prefix != NULL && lexeme->prefix->one_phrase);
    tokenize (tokenizer, piece.text, piece.length, 1, collect, &collector);
    *words_out = collector.count;
    collector.count = MIN (collector.count, limit);
    nodes = talloc_array (ctx, struct node *, collector.count + 1);
    for (size_t i = 0; i < collector.count; i += length) {
        const struct found *found = collector.found + i;
        size_t left = collector.count - i;
        length = group_length (&piece, found, left);
        nodes[count++] = leaf_of (nodes, &piece, found, length, i > 0 ? found - 1 : NULL,
                                  length < left ? found + length : NULL);
    }
    if (count == 0 && has_letters (piece.text, piece.length))
        nodes[count++] = node_create (nodes, NODE_NOTHING);
    talloc_free (collector.ctx);
    *nodes_out = nodes;
    *count_out = count;
}
