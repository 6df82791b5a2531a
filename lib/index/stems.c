/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stems.c - one table of words for two questions: what is the stem, and does the segment know it.
 *
 * Every distinct word of every message is asked about, and nearly all of them have been asked about
 * before, so the answer is one look-up. The table holds stems of the whole run (a stem costs a
 * microsecond) and the number of the segment in which the word was last given, with a bit for each
 * field. It is emptied when it holds STEMS_MAX words, some 12 MB.
 */
#include "index/stems.h"
#include "index/hash.h"

#include <glib.h>
#include <string.h>
#include <talloc.h>

#define STEMS_MAX (1 << 18)
#define SLOTS_FIRST (1 << 12)

struct entry {
    uint32_t hash;
    uint32_t text; /* of the word in texts, with its stem behind it */
    uint32_t segment;
    field_set given; /* in that segment */
    uint8_t length;
    uint8_t stem_length; /* 0: no stem but itself */
};

struct stems {
    struct store_stemmer *stemmer; /* NULL: no stems */
    uint64_t seed;
    uint32_t segment;
    uint32_t *slots;   /* index of the entry and one; 0: free */
    size_t slot_count; /* a power of two, at least twice the entries */
    GArray *entries;
    GString *texts;
};

_Static_assert(WORD_MAX < 128, "lengths of words and stems");

static int
stems_destroy (struct stems *stems)
{
    g_array_free (stems->entries, TRUE);
    g_string_free (stems->texts, TRUE);
    return 0;
}

struct stems *
stems_create (void *ctx, const char *language)
{
    struct stems *stems = talloc_zero (ctx, struct stems);

    if (!language || store_stemmer_create (stems, language, &stems->stemmer, NULL) != MAIL_OK)
        stems->stemmer = NULL;
    stems->seed = hash_seed ();
    stems->slot_count = SLOTS_FIRST;
    stems->slots = talloc_zero_array (stems, uint32_t, stems->slot_count);
    stems->entries = g_array_new (FALSE, FALSE, sizeof (struct entry));
    stems->texts = g_string_new (NULL);
    talloc_set_destructor (stems, stems_destroy);
    return stems;
}

void
stems_new_segment (struct stems *stems)
{
    stems->segment++;
}

static void
forget_all (struct stems *stems)
{
    memset (stems->slots, 0, stems->slot_count * sizeof *stems->slots);
    g_array_set_size (stems->entries, 0);
    g_string_truncate (stems->texts, 0);
}

static uint32_t *
free_slot (struct stems *stems, uint32_t hash)
{
    size_t i = hash & (stems->slot_count - 1);

    while (stems->slots[i] != 0)
        i = (i + 1) & (stems->slot_count - 1);
    return &stems->slots[i];
}

static void
make_room (struct stems *stems)
{
    if (stems->entries->len >= STEMS_MAX)
        forget_all (stems);
    if (2 * (size_t) stems->entries->len < stems->slot_count)
        return;
    talloc_free (stems->slots);
    stems->slot_count *= 2;
    stems->slots = talloc_zero_array (stems, uint32_t, stems->slot_count);
    for (guint i = 0; i < stems->entries->len; i++)
        *free_slot (stems, g_array_index (stems->entries, struct entry, i).hash) = i + 1;
}

static struct entry *
add_entry (struct stems *stems, uint32_t hash, const char *word, size_t length)
{
    struct entry entry = {.hash = hash, .length = (uint8_t) length};
    const char *stem;
    size_t stem_length;

    make_room (stems);
    store_stem (stems->stemmer, word, length, &stem, &stem_length);
    if (stem_length == length && memcmp (stem, word, length) == 0)
        stem_length = 0;
    entry.text = (uint32_t) stems->texts->len;
    entry.stem_length = (uint8_t) MIN (stem_length, UINT8_MAX);
    g_string_append_len (stems->texts, word, (gssize) length);
    g_string_append_len (stems->texts, stem, entry.stem_length);
    g_array_append_val (stems->entries, entry);
    *free_slot (stems, hash) = stems->entries->len;
    return &g_array_index (stems->entries, struct entry, stems->entries->len - 1);
}

static struct entry *
find_entry (struct stems *stems, const char *word, size_t length)
{
    uint32_t hash = (uint32_t) hash_seeded (stems->seed, word, length);
    size_t i = hash & (stems->slot_count - 1);

    for (; stems->slots[i] != 0; i = (i + 1) & (stems->slot_count - 1)) {
        struct entry *entry = &g_array_index (stems->entries, struct entry, stems->slots[i] - 1);
        if (entry->hash == hash && entry->length == length &&
            memcmp (stems->texts->str + entry->text, word, length) == 0)
            return entry;
    }
    return add_entry (stems, hash, word, length);
}

bool
stems_claim (struct stems *stems, unsigned field, const char *word, size_t length,
             struct store_term *stem_out)
{
    struct entry *entry;
    field_set bit = FIELD_BIT (field);

    if (!stems->stemmer || !(entry = find_entry (stems, word, length)) || entry->stem_length == 0)
        return false;
    if (entry->segment != stems->segment) {
        entry->segment = stems->segment;
        entry->given = 0;
    }
    if (entry->given & bit)
        return false;
    entry->given |= bit;
    stem_out->text = stems->texts->str + entry->text + length;
    stem_out->length = entry->stem_length;
    return true;
}
