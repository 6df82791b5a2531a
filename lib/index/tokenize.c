/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tokenize.c - finds the words in a text.
 *
 * Two scanners with the same rules. The first goes over bytes with a table and serves words of
 * ASCII, which is nearly everything: no call, no copy but the lower-casing. Where it meets a
 * character beyond ASCII that belongs to the word it gives up, and the second reads the word again
 * character by character and has it folded. Expected: 100 MB of mail in well under a second.
 */
#include "index/tokenize.h"
#include "index/chars.h"
#include "index/cjk.h"
#include "index/fold.h"
#include "index/junk.h"
#include "schema.h"

#include <string.h>
#include <talloc.h>

#define SUFFIX_MAX 3    /* + or # kept at the end of a word */
#define PART_MIN 2      /* characters */
#define SEQUENCE_MAX 32 /* bytes of a control sequence */

struct tokenizer {
    struct fold *fold; /* made when first needed */
    char word[WORD_MAX + 1];
    char part[WORD_MAX + 1];
    char source[FOLD_SOURCE_MAX + 8]; /* of a word to fold */
};

struct scan {
    struct tokenizer *tokenizer;
    const char *text, *end;
    const char *seen; /* junk has been looked for up to here */
    struct token token;
    token_fn each;
    void *closure;
};

/* A word to fold, while it is collected. */
struct source {
    char *bytes;
    size_t length; /* over FOLD_SOURCE_MAX: it did not fit */
    bool ascii;
    unsigned classes; /* of all characters */
};

static inline unsigned
class_at (const char *p)
{
    return byte_classes[(unsigned char) *p];
}

static void
lower_ascii (char *to, const char *from, size_t length)
{
    for (size_t i = 0; i < length; i++)
        to[i] = (char) (from[i] | ((unsigned char) (from[i] - 'A') < 26) << 5);
    to[length] = '\0';
}

struct tokenizer *
tokenizer_create (void *ctx)
{
    return talloc_zero (ctx, struct tokenizer);
}

/* ---- giving tokens to the caller ----------------------------------------------------------- */

static void
emit (struct scan *scan, enum token_kind kind, const char *word, size_t length)
{
    struct token *token = &scan->token;
    unsigned class = class_at (word);

    if (class & CHAR_HIGH) {
        size_t ignored;
        class = char_class (char_decode (word, word + length, &ignored));
    }
    token->kind = kind;
    token->word = word;
    token->length = length;
    token->stem = (class & CHAR_LETTER) != 0;
    scan->each (scan->closure, token);
}

static void
emit_part (struct scan *scan, const char *start, const char *end)
{
    char *part = scan->tokenizer->part;
    size_t length = (size_t) (end - start), characters = 0;

    if (length > WORD_MAX)
        return;
    for (const char *p = start; p < end; p++)
        characters += (*p & 0xc0) != 0x80;
    if (characters < PART_MIN)
        return;
    lower_ascii (part, start, length);
    emit (scan, TOKEN_PART, part, length);
}

/* What stands between the joints of a word, and what stands before + or # at its end. */
static void
emit_parts (struct scan *scan, const char *word, size_t length)
{
    const char *p = word, *end = word + length, *start = word;
    size_t step;

    for (; p < end; p += step) {
        if (!(char_class (char_decode (p, end, &step)) & CHAR_SPLIT))
            continue;
        emit_part (scan, start, p);
        start = p + step;
    }
    for (p = end; p > start && class_at (p - 1) & CHAR_SUFFIX; p--)
        ;
    if (start > word && p > start)
        emit_part (scan, start, end);
    if (p < end)
        emit_part (scan, start, p);
}

static void
set_source (struct scan *scan, const char *start, const char *end, bool capital)
{
    scan->token.offset = (size_t) (start - scan->text);
    scan->token.source_length = (size_t) (end - start);
    scan->token.capital = capital;
}

/* A word of ASCII, lower case, with its parts. */
static void
emit_ascii (struct scan *scan, const char *word, size_t length, unsigned classes)
{
    emit (scan, TOKEN_WORD, word, length);
    if (classes & (CHAR_SPLIT | CHAR_SUFFIX))
        emit_parts (scan, word, length);
    scan->token.position++;
}

static void
emit_folded (struct scan *scan, const struct folded *folded, unsigned classes)
{
    emit (scan, TOKEN_WORD, folded->word, folded->length);
    if (folded->variant_length > 0)
        emit (scan, TOKEN_VARIANT, folded->variant, folded->variant_length);
    if (classes & (CHAR_SPLIT | CHAR_SUFFIX)) {
        emit_parts (scan, folded->word, folded->length);
        if (folded->variant_length > 0)
            emit_parts (scan, folded->variant, folded->variant_length);
    }
    scan->token.position++;
}

static void
emit_pair (void *closure, const char *word, size_t length)
{
    struct scan *scan = closure;

    emit (scan, TOKEN_CJK, word, length);
    scan->token.position++;
}

/* ---- rules that both scanners have --------------------------------------------------------- */

static unsigned
character_class_at (const char *p, const char *end)
{
    size_t ignored;

    if (p == end)
        return 0;
    return char_class (char_decode (p, end, &ignored));
}

/* Behind + or # that belong to the word that ends at p; p where none do. */
static const char *
skip_suffix (const char *p, const char *end)
{
    const char *behind = p;

    while (behind < end && class_at (behind) & CHAR_SUFFIX)
        behind++;
    if (behind - p > SUFFIX_MAX || character_class_at (behind, end) & CHAR_WORD)
        return p;
    return behind;
}

/* Behind capitals that are separated by dots (P.T.O. is one word); NULL for anything else, and for
 * more of them than a word may have. */
static const char *
skip_initials (const char *p, const char *end)
{
    unsigned letters = 0;

    if (end - p < 3 || p[1] != '.' || !(class_at (p + 2) & CHAR_CAPITAL))
        return NULL;
    do {
        p++;
        letters++;
    } while (p < end && *p == '.' && ++p < end && class_at (p) & CHAR_CAPITAL &&
             letters <= WORD_MAX);
    if (letters > WORD_MAX || character_class_at (p, end) & CHAR_WORD)
        return NULL;
    return p;
}

/* ---- characters ---------------------------------------------------------------------------- */

static void
source_add (struct source *source, uint32_t character, unsigned class)
{
    if (source->length <= FOLD_SOURCE_MAX)
        source->length += char_encode (character, source->bytes + source->length);
    if (character >= 0x80)
        source->ascii = false;
    source->classes |= class;
}

/* Whether a character of this class joins the word before it, whose last character is given, to
 * what follows at next. The full-width signs do so between full-width digits only: between others
 * they are punctuation of Chinese or Japanese. */
static bool
is_joint (uint32_t character, unsigned class, uint32_t last, const char *next, const char *end)
{
    unsigned before = char_class (last), after = character_class_at (next, end);
    bool digits = before & after & CHAR_DIGIT;

    if (!(after & CHAR_WORD) || !(class & (digits ? CHAR_INFIX_DIGIT : CHAR_INFIX)))
        return false;
    return !digits || character < 0xff00 || last >= 0xff00;
}

static const char *
collect_source (struct source *source, const char *p, const char *end)
{
    uint32_t last = 0;
    size_t step;

    for (; p < end; p += step) {
        uint32_t character = char_decode (p, end, &step);
        unsigned class = char_class (character);
        if (class & CHAR_IGNORE)
            continue;
        if (class & CHAR_WORD)
            last = character;
        else if (!is_joint (character, class, last, p + step, end))
            break;
        if (character == 0x2019 || character == 0x201b)
            character = '\'';
        source_add (source, character, class);
    }
    return p;
}

static void
emit_source (struct scan *scan, const struct source *source)
{
    struct tokenizer *tokenizer = scan->tokenizer;

    if (source->length > FOLD_SOURCE_MAX)
        return;
    if (source->ascii) {
        if (source->length > WORD_MAX)
            return;
        lower_ascii (tokenizer->word, source->bytes, source->length);
        emit_ascii (scan, tokenizer->word, source->length, source->classes);
        return;
    }
    if (!tokenizer->fold)
        tokenizer->fold = fold_create (tokenizer);
    const struct folded *folded = fold_word (tokenizer->fold, source->bytes, source->length);
    if (folded->length > 0)
        emit_folded (scan, folded, source->classes);
}

/* A word that is not ASCII begins at start. */
static const char *
scan_characters (struct scan *scan, const char *start)
{
    struct source source = {scan->tokenizer->source, 0, true, 0};
    bool capital = character_class_at (start, scan->end) & CHAR_CAPITAL;
    const char *p = collect_source (&source, start, scan->end);
    const char *behind = skip_suffix (p, scan->end);

    for (; p < behind; p++)
        source_add (&source, (unsigned char) *p, class_at (p));
    set_source (scan, start, p, capital);
    emit_source (scan, &source);
    return p;
}

static const char *
scan_high (struct scan *scan, const char *p)
{
    size_t length;
    unsigned class = char_class (char_decode (p, scan->end, &length));

    if (class & CHAR_WORD)
        return scan_characters (scan, p);
    if (!(class & CHAR_CJK))
        return p + length;
    bool plain;
    const char *end = cjk_end (p, scan->end, &plain);
    set_source (scan, p, end, false);
    cjk_pairs (p, end, plain, emit_pair, scan);
    return end;
}

/* ---- bytes --------------------------------------------------------------------------------- */

/* The end of the word that begins at p, before any suffix, and the classes of its bytes together;
 * NULL where characters beyond ASCII belong to it. */
static const char *
skip_word (const char *p, const char *end, unsigned *classes_out)
{
    unsigned class = class_at (p), classes = 0;

    for (;;) {
        do {
            classes |= class;
            p++;
        } while (p < end && (class = class_at (p)) & CHAR_WORD);
        if (p == end || !(class & (CHAR_INFIX | CHAR_INFIX_DIGIT | CHAR_HIGH)))
            break;
        if (class & CHAR_HIGH) {
            if (character_class_at (p, end) &
                (CHAR_WORD | CHAR_INFIX | CHAR_INFIX_DIGIT | CHAR_IGNORE))
                return NULL;
            break;
        }
        unsigned next = p + 1 < end ? class_at (p + 1) : 0;
        bool digits = class_at (p - 1) & next & CHAR_DIGIT;
        if (next & CHAR_HIGH)
            return NULL;
        if (!(next & CHAR_WORD) || !(class & (digits ? CHAR_INFIX_DIGIT : CHAR_INFIX)))
            break;
        classes |= class;
        p++;
        class = next;
    }
    *classes_out = classes;
    return p;
}

static const char *
scan_initials (struct scan *scan, const char *start, const char *end)
{
    char *word = scan->tokenizer->word;
    size_t length = 0;

    for (const char *p = start; p < end; p++)
        if (*p != '.')
            word[length++] = *p | 0x20;
    word[length] = '\0';
    set_source (scan, start, end, true);
    emit_ascii (scan, word, length, 0);
    return end;
}

/* The end of the junk that begins with the word from start to end, if it does. */
static const char *
find_junk (struct scan *scan, const char *start, const char *end)
{
    char next = end < scan->end ? *end : '\0';
    char last = start > scan->text ? start[-1] : '\0';

    if (start < scan->seen || (end - start < JUNK_HINT && next != '/' && next != '+'))
        return NULL;
    if (last == '.' || last == ':' || last == '@' || last == '-')
        return NULL; /* the host of an address */
    return junk_end (scan->text, scan->end, start, &scan->seen);
}

static const char *
scan_word (struct scan *scan, const char *start)
{
    char *word = scan->tokenizer->word;
    unsigned first = class_at (start), classes;
    const char *p = NULL, *junk;

    if (first & CHAR_CAPITAL && (p = skip_initials (start, scan->end)))
        return scan_initials (scan, start, p);
    if (!(p = skip_word (start, scan->end, &classes)))
        return scan_characters (scan, start);
    if ((junk = find_junk (scan, start, p)))
        return junk;
    if (p < scan->end && class_at (p) & CHAR_SUFFIX) {
        const char *behind = skip_suffix (p, scan->end);
        classes |= behind > p ? CHAR_SUFFIX : 0;
        p = behind;
    }
    set_source (scan, start, p, first & CHAR_CAPITAL);
    if (p - start > WORD_MAX) {
        if (classes & CHAR_SPLIT)
            emit_parts (scan, start, (size_t) (p - start));
        return p;
    }
    lower_ascii (word, start, (size_t) (p - start));
    emit_ascii (scan, word, (size_t) (p - start), classes);
    return p;
}

/* Behind a character that belongs to no word; behind all of the sequence with which a program sets
 * colours on a terminal (ECMA-48 5.4), whose last letter would stick to the word that follows. */
static const char *
skip_other (const char *p, const char *end)
{
    const char *q = p + 2;

    if (*p != '\033' || end - p < 3 || p[1] != '[')
        return p + 1;
    while (q < end && q - p < SEQUENCE_MAX && *q >= 0x20 && *q < 0x40)
        q++;
    return q < end && *q >= 0x40 && *q < 0x7f ? q + 1 : p + 1;
}

uint32_t
tokenize (struct tokenizer *tokenizer, const char *text, size_t length, uint32_t position,
          token_fn each, void *closure)
{
    struct scan scan = {.tokenizer = tokenizer, .text = text, .end = text + length};
    const char *p = text;

    scan.seen = text;
    scan.token.position = position;
    scan.each = each;
    scan.closure = closure;
    while (p < scan.end) {
        unsigned class = class_at (p);
        if (class & CHAR_WORD)
            p = scan_word (&scan, p);
        else if (class & CHAR_HIGH)
            p = scan_high (&scan, p);
        else
            p = skip_other (p, scan.end);
    }
    return scan.token.position;
}
