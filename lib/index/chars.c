/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * chars.c - classes of bytes and characters.
 *
 * Nearly all text is ASCII, so bytes have a table that costs nothing to make. Beyond it Unicode's
 * categories and scripts come from GLib; they are worked out a block of 256 at a time, when the
 * first character of the block turns up, since a run that answers one query shall not pay for a
 * table of all of them.
 */
#include "index/chars.h"

#include <glib.h>
#include <stdbool.h>

#define LOWER (CHAR_WORD | CHAR_LETTER | CHAR_BASE64)
#define UPPER (CHAR_WORD | CHAR_CAPITAL | CHAR_BASE64)

const uint16_t byte_classes[256] = {
    ['a' ... 'z'] = LOWER,
    ['A' ... 'Z'] = UPPER,
    ['0' ... '9'] = CHAR_WORD | CHAR_DIGIT | CHAR_BASE64,
    ['_'] = CHAR_WORD | CHAR_SPLIT,
    ['\''] = CHAR_INFIX | CHAR_SPLIT,
    ['&'] = CHAR_INFIX | CHAR_SPLIT,
    ['.'] = CHAR_INFIX_DIGIT,
    [','] = CHAR_INFIX_DIGIT | CHAR_SPLIT,
    [';'] = CHAR_INFIX_DIGIT | CHAR_SPLIT,
    ['+'] = CHAR_SUFFIX | CHAR_BASE64,
    ['#'] = CHAR_SUFFIX,
    ['/'] = CHAR_BASE64,
    ['='] = CHAR_BASE64,
    [0x80 ... 0xff] = CHAR_HIGH,
};

/* Characters that are not what their category says. */
static const struct {
    uint32_t first, last;
    unsigned class;
} exceptions[] = {
    {0x00ad, 0x00ad, CHAR_IGNORE},                   /* soft hyphen */
    {0x00b7, 0x00b7, CHAR_INFIX | CHAR_SPLIT},       /* middle dot */
    {0x034f, 0x034f, CHAR_IGNORE},                   /* combining grapheme joiner */
    {0x037e, 0x037e, CHAR_INFIX_DIGIT | CHAR_SPLIT}, /* Greek question mark */
    {0x0589, 0x0589, CHAR_INFIX_DIGIT},              /* Armenian full stop */
    {0x05f4, 0x05f4, CHAR_INFIX | CHAR_SPLIT},       /* Hebrew gershayim */
    {0x060d, 0x060d, CHAR_INFIX_DIGIT},              /* Arabic date separator */
    {0x07f8, 0x07f8, CHAR_INFIX_DIGIT},              /* NKo comma */
    {0x180b, 0x180f, CHAR_IGNORE},                   /* Mongolian variation selectors */
    {0x200b, 0x200d, CHAR_IGNORE},                   /* zero width space, non-joiner, joiner */
    {0x2019, 0x2019, CHAR_INFIX | CHAR_SPLIT},       /* apostrophe */
    {0x201b, 0x201b, CHAR_INFIX | CHAR_SPLIT},       /* and its reverse */
    {0x2027, 0x2027, CHAR_INFIX | CHAR_SPLIT},       /* hyphenation point */
    {0x2044, 0x2044, CHAR_INFIX_DIGIT},              /* fraction slash */
    {0x2060, 0x2060, CHAR_IGNORE},                   /* word joiner */
    {0x3220, 0x3229, 0},           /* ideographs in brackets, as numbers of lists */
    {0xfe00, 0xfe0f, CHAR_IGNORE}, /* variation selectors */
    {0xfe10, 0xfe10, CHAR_INFIX_DIGIT | CHAR_SPLIT}, /* vertical comma, colon, semicolon */
    {0xfe13, 0xfe13, CHAR_INFIX_DIGIT},
    {0xfe14, 0xfe14, CHAR_INFIX_DIGIT | CHAR_SPLIT},
    {0xfeff, 0xfeff, CHAR_IGNORE},                   /* zero width no-break space */
    {0xff06, 0xff07, CHAR_INFIX | CHAR_SPLIT},       /* full-width & ' */
    {0xff0c, 0xff0c, CHAR_INFIX_DIGIT | CHAR_SPLIT}, /* full-width , . ; */
    {0xff0e, 0xff0e, CHAR_INFIX_DIGIT},
    {0xff1b, 0xff1b, CHAR_INFIX_DIGIT | CHAR_SPLIT},
    {0xff3f, 0xff3f, CHAR_WORD | CHAR_SPLIT}, /* full-width _ */
    {0xe0100, 0xe01ef, CHAR_IGNORE},          /* variation selectors of ideographs */
};

/* Ranges of CJK where NFKC changes nothing and composes nothing: ideographs, kana, syllables. */
static const struct {
    uint32_t first, last;
} plain[] = {
    {0x3041, 0x3096}, {0x30a1, 0x30fc}, {0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xac00, 0xd7a3},
};

/* Signs of kana and ideographs that Unicode counts as common to several scripts. */
static const struct {
    uint32_t first, last;
} cjk_common[] = {
    {0x3005, 0x3007}, {0x3031, 0x3035}, {0x303b, 0x303c}, {0x3099, 0x309a}, {0x30fc, 0x30fc},
    {0x3192, 0x3195}, {0x3280, 0x3289}, {0xff70, 0xff70}, {0xff9e, 0xff9f},
};

uint32_t
char_decode (const char *p, const char *end, size_t *length_out)
{
    const unsigned char *s = (const unsigned char *) p;
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};

    *length_out = 1;
    if (length == 1)
        return s[0];
    if (s[0] < 0xc2 || s[0] > 0xf4 || (size_t) (end - p) < length)
        return CHAR_INVALID;
    uint32_t character = s[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return CHAR_INVALID;
        character = character << 6 | (s[i] & 0x3f);
    }
    if (character < smallest[length] || character > 0x10ffff ||
        (character >= 0xd800 && character < 0xe000))
        return CHAR_INVALID;
    *length_out = length;
    return character;
}

size_t
char_encode (uint32_t character, char *at)
{
    return (size_t) g_unichar_to_utf8 (character, at);
}

static bool
is_word (GUnicodeType type)
{
    switch (type) {
    case G_UNICODE_UPPERCASE_LETTER:
    case G_UNICODE_LOWERCASE_LETTER:
    case G_UNICODE_TITLECASE_LETTER:
    case G_UNICODE_MODIFIER_LETTER:
    case G_UNICODE_OTHER_LETTER:
    case G_UNICODE_NON_SPACING_MARK:
    case G_UNICODE_ENCLOSING_MARK:
    case G_UNICODE_SPACING_MARK:
    case G_UNICODE_DECIMAL_NUMBER:
    case G_UNICODE_LETTER_NUMBER:
    case G_UNICODE_OTHER_NUMBER:
    case G_UNICODE_CONNECT_PUNCTUATION:
        return true;
    default:
        return false;
    }
}

static bool
is_cjk (uint32_t character)
{
    for (size_t i = 0; i < G_N_ELEMENTS (cjk_common); i++)
        if (character >= cjk_common[i].first && character <= cjk_common[i].last)
            return true;
    switch (g_unichar_get_script (character)) {
    case G_UNICODE_SCRIPT_HAN:
    case G_UNICODE_SCRIPT_HIRAGANA:
    case G_UNICODE_SCRIPT_KATAKANA:
    case G_UNICODE_SCRIPT_HANGUL:
    case G_UNICODE_SCRIPT_BOPOMOFO:
    case G_UNICODE_SCRIPT_YI:
    case G_UNICODE_SCRIPT_THAI:
    case G_UNICODE_SCRIPT_LAO:
    case G_UNICODE_SCRIPT_KHMER:
    case G_UNICODE_SCRIPT_MYANMAR:
        return true;
    default:
        return false;
    }
}

/* Digits of those scripts stay words of their own, as 0 to 9 do. */
static unsigned
find_class (uint32_t character)
{
    GUnicodeType type = g_unichar_type (character);
    unsigned class = 0;

    for (size_t i = 0; i < G_N_ELEMENTS (exceptions); i++)
        if (character >= exceptions[i].first && character <= exceptions[i].last)
            return exceptions[i].class;
    if (!is_word (type))
        return 0;
    if (type == G_UNICODE_DECIMAL_NUMBER)
        return CHAR_WORD | CHAR_DIGIT;
    if (is_cjk (character)) {
        for (size_t i = 0; i < G_N_ELEMENTS (plain); i++)
            if (character >= plain[i].first && character <= plain[i].last)
                class = CHAR_PLAIN;
        return class | CHAR_CJK;
    }
    if (type == G_UNICODE_UPPERCASE_LETTER || type == G_UNICODE_TITLECASE_LETTER)
        class = CHAR_CAPITAL;
    if (type == G_UNICODE_LOWERCASE_LETTER || type == G_UNICODE_TITLECASE_LETTER ||
        type == G_UNICODE_MODIFIER_LETTER || type == G_UNICODE_OTHER_LETTER)
        class |= CHAR_LETTER;
    return class | CHAR_WORD;
}

/* A block that two threads fill at once is filled twice; one of them is kept. */
static const uint16_t *
fill_block (const uint16_t **block, uint32_t first)
{
    const uint16_t *none = NULL;
    uint16_t *classes = g_new (uint16_t, 256);

    for (unsigned i = 0; i < 256; i++)
        classes[i] = (uint16_t) find_class (first + i);
    if (!__atomic_compare_exchange_n (block, &none, classes, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE)) {
        g_free (classes);
        return none;
    }
    return classes;
}

unsigned
char_class (uint32_t character)
{
    static const uint16_t *blocks[256];

    if (character < 0x80)
        return byte_classes[character];
    if (character > 0xffff)
        return character == CHAR_INVALID ? 0 : find_class (character);
    const uint16_t **block = &blocks[character >> 8];
    const uint16_t *classes = __atomic_load_n (block, __ATOMIC_ACQUIRE);
    if (!classes)
        classes = fill_block (block, character & 0xff00);
    return classes[character & 0xff];
}
