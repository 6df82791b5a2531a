/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cjk.c - bigrams.
 *
 * Where words are not separated, each pair of neighbours is a word, and a word of n characters is
 * found as a phrase of n - 1 pairs. The last character stands by itself as well, so that every
 * character begins a term, and one alone is found by its prefix. Most runs are made of characters
 * that NFKC leaves alone and are read where they lie.
 */
#include "index/cjk.h"
#include "index/chars.h"

#include <glib.h>
#include <string.h>

#define PAIR_MAX 8 /* bytes of two characters */

const char *
cjk_end (const char *p, const char *end, bool *plain_out)
{
    size_t length;

    *plain_out = true;
    for (; p < end; p += length) {
        unsigned class = char_class (char_decode (p, end, &length));
        if (!(class & (CHAR_CJK | CHAR_IGNORE)))
            break;
        if (!(class & CHAR_PLAIN))
            *plain_out = false;
    }
    return p;
}

static void
each_pair (const char *p, const char *end, cjk_fn each, void *closure)
{
    char word[PAIR_MAX + 1];

    while (p < end) {
        const char *second = g_utf8_next_char (p);
        const char *third = second < end ? g_utf8_next_char (second) : second;
        size_t length = (size_t) (third - p);
        memcpy (word, p, length);
        word[length] = '\0';
        each (closure, word, length);
        p = second;
    }
}

static GString *
without_ignored (const char *p, const char *end)
{
    GString *kept = g_string_new (NULL);
    size_t length;

    for (; p < end; p += length)
        if (!(char_class (char_decode (p, end, &length)) & CHAR_IGNORE))
            g_string_append_len (kept, p, (gssize) length);
    return kept;
}

void
cjk_pairs (const char *p, const char *end, bool plain, cjk_fn each, void *closure)
{
    if (plain) {
        each_pair (p, end, each, closure);
        return;
    }
    GString *kept = without_ignored (p, end);
    char *normal = g_utf8_normalize (kept->str, (gssize) kept->len, G_NORMALIZE_NFKC);
    each_pair (normal, normal + strlen (normal), each, closure);
    g_free (normal);
    g_string_free (kept, TRUE);
}
