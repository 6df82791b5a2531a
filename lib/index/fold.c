/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fold.c - compatibility forms, case and accents.
 *
 * GLib does the work at about a microsecond a word. A language that is not English uses the same
 * words again and again, so a small cache in front of it, a place for each hash and the last comer
 * wins, keeps mail in Russian or French about as fast as mail in ASCII.
 */
#include "index/fold.h"
#include "index/chars.h"
#include "index/hash.h"

#include <glib.h>
#include <string.h>
#include <talloc.h>

#define CACHE_SLOTS 2048
#define CACHE_SOURCE_MAX 96

struct slot {
    uint8_t length; /* of source; 0: free */
    char source[CACHE_SOURCE_MAX];
    struct folded folded;
};

struct fold {
    struct slot *slots;
    struct folded single; /* the answer for what is too long for the cache */
};

/* Letters with a stroke, and ligatures, do not decompose; people type them like this. */
static const struct {
    uint32_t letter;
    const char *plain;
} letters[] = {
    {0x00e6, "ae"}, {0x00f0, "d"}, {0x00f8, "o"}, {0x00fe, "th"}, {0x0111, "d"},
    {0x0127, "h"},  {0x0131, "i"}, {0x0138, "k"}, {0x0142, "l"},  {0x014b, "n"},
    {0x0153, "oe"}, {0x0167, "t"}, {0x0180, "b"}, {0x0268, "i"},  {0x0640, ""}, /* Arabic tatweel */
};

struct fold *
fold_create (void *ctx)
{
    struct fold *fold = talloc_zero (ctx, struct fold);
    fold->slots = talloc_zero_array (fold, struct slot, CACHE_SLOTS);
    return fold;
}

/* GLib swaps the two cases of Cherokee; Unicode folds both to the capitals. */
static gunichar
fold_cherokee (gunichar character)
{
    if (character >= 0xab70 && character <= 0xabbf)
        return character - 0xab70 + 0x13a0;
    if (character >= 0x13f8 && character <= 0x13fd)
        return character - 0x13f8 + 0x13f0;
    return character;
}

static bool
joins (unsigned joint, unsigned before, unsigned after)
{
    if (!(after & (CHAR_WORD | CHAR_CJK)))
        return false;
    return joint & (before & after & CHAR_DIGIT ? CHAR_INFIX_DIGIT : CHAR_INFIX);
}

/* NFKC can bring forth blanks and brackets ((1) of U+2474), and joints that join nothing: they
 * go. */
static char *
keep_word_characters (const char *text)
{
    GString *kept = g_string_new (NULL);
    gunichar joint = 0;
    unsigned joint_class = 0, last = 0;

    for (const char *p = text; *p; p = g_utf8_next_char (p)) {
        gunichar character = g_utf8_get_char (p);
        unsigned class = char_class (character);
        if (class & (CHAR_INFIX | CHAR_INFIX_DIGIT)) {
            joint = character;
            joint_class = last ? class : 0;
            continue;
        }
        if (!(class & (CHAR_WORD | CHAR_CJK | CHAR_SUFFIX)))
            continue;
        if (joins (joint_class, last, class))
            g_string_append_unichar (kept, joint);
        joint_class = 0;
        last = class;
        g_string_append_unichar (kept, fold_cherokee (character));
    }
    return g_string_free (kept, FALSE);
}

static char *
fold_text (const char *source, size_t length)
{
    char *composed = g_utf8_normalize (source, (gssize) length, G_NORMALIZE_NFKC);
    char *folded = g_utf8_casefold (composed, -1);
    char *again = g_utf8_normalize (folded, -1, G_NORMALIZE_NFKC);
    char *word = keep_word_characters (again);

    g_free (composed);
    g_free (folded);
    g_free (again);
    return word;
}

/* Marks are accents in these scripts; in others they are vowels, and no word without them. */
static bool
takes_accents (uint32_t character)
{
    switch (g_unichar_get_script (character)) {
    case G_UNICODE_SCRIPT_LATIN:
    case G_UNICODE_SCRIPT_GREEK:
    case G_UNICODE_SCRIPT_CYRILLIC:
    case G_UNICODE_SCRIPT_HEBREW:
    case G_UNICODE_SCRIPT_ARABIC:
        return true;
    default:
        return false;
    }
}

static const char *
plain_letter (uint32_t letter)
{
    for (size_t i = 0; i < G_N_ELEMENTS (letters); i++)
        if (letters[i].letter == letter)
            return letters[i].plain;
    return NULL;
}

/* Cyrillic short i and u (a breve) are letters that nobody writes without it. */
static bool
is_accent (uint32_t mark, uint32_t base, bool accents)
{
    if (mark == 0x0306 && (base == 0x0438 || base == 0x0443))
        return false;
    return accents;
}

static char *
strip_accents (const char *word)
{
    char *decomposed = g_utf8_normalize (word, -1, G_NORMALIZE_NFD);
    GString *plain = g_string_new (NULL);
    uint32_t base = 0;
    bool accents = false;

    for (const char *p = decomposed; *p; p = g_utf8_next_char (p)) {
        uint32_t character = g_utf8_get_char (p);
        const char *letter = plain_letter (character);
        if (g_unichar_type (character) == G_UNICODE_NON_SPACING_MARK) {
            if (is_accent (character, base, accents))
                continue;
        } else {
            base = character;
            accents = char_class (base) & CHAR_LETTER && takes_accents (base);
        }
        if (letter)
            g_string_append (plain, letter);
        else
            g_string_append_unichar (plain, character);
    }
    g_free (decomposed);
    char *composed = g_utf8_normalize (plain->str, (gssize) plain->len, G_NORMALIZE_NFC);
    g_string_free (plain, TRUE);
    return composed;
}

static uint8_t
copy_word (char to[WORD_MAX + 1], const char *word)
{
    size_t length = strlen (word);

    if (length > WORD_MAX)
        return 0;
    memcpy (to, word, length + 1);
    return (uint8_t) length;
}

static void
fold_into (struct folded *folded, const char *source, size_t length)
{
    char *word = fold_text (source, length);
    char *variant = strip_accents (word);

    folded->length = copy_word (folded->word, word);
    folded->variant_length = 0;
    if (folded->length > 0 && strcmp (word, variant) != 0)
        folded->variant_length = copy_word (folded->variant, variant);
    g_free (word);
    g_free (variant);
}

const struct folded *
fold_word (struct fold *fold, const char *source, size_t length)
{
    if (length == 0 || length > CACHE_SOURCE_MAX) {
        fold_into (&fold->single, source, length);
        return &fold->single;
    }
    struct slot *slot = &fold->slots[hash_bytes (source, length) % CACHE_SLOTS];
    if (slot->length != length || memcmp (slot->source, source, length) != 0) {
        fold_into (&slot->folded, source, length);
        slot->length = (uint8_t) length;
        memcpy (slot->source, source, length);
    }
    return &slot->folded;
}
