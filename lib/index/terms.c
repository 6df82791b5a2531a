/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * terms.c - collects the words of one message.
 *
 * A hash table of its own finds the term of each token; what the message says is then kept as a
 * list of term numbers in the order of the text, four bytes a word, from which positions are
 * counted at the end. Nothing is allocated for a token, and all buffers serve for the next message.
 * Expected: twenty million tokens a minute, some three hundred different ones a message.
 */
#include "index/terms-private.h"
#include "index/hash.h"
#include "index/stems.h"
#include "index/tokenize.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

#define TEXT_GAP 100 /* positions from the last word of a text to the next text */
#define SLOTS_FIRST (1 << 12)
#define KEEP_MAX (4 << 20) /* elements of a buffer that are kept for the next message */

struct entry {
    uint32_t text;  /* of prefix and word in texts */
    uint32_t count; /* of positions */
    uint32_t last;  /* position */
    uint32_t slot;  /* where it stands in slots */
    uint8_t length; /* of prefix and word */
    uint8_t prefix; /* its length */
    uint8_t field;
    bool stem;
};

struct slot {
    uint32_t hash;
    uint32_t entry; /* index and one; 0: free */
};

/* An element of the list of words: an entry, with SAME where it stands at the position of the one
 * before it; or TEXT, after which the next element is the position of the text's first word. */
#define SAME 0x80000000u
#define TEXT 0xffffffffu
#define LEFT_OUT 0xfffffffeu /* a word that is not indexed; its position stays free */

struct buffer {
    void *data;
    size_t count, capacity, size; /* in elements; of an element */
};

/* The first eight bytes of a term as a number, since nearly all comparisons end there. */
struct key {
    uint64_t head;
    uint32_t entry;
};

enum { ENTRIES, TEXTS, WORDS, KEYS, POSITIONS, POSTINGS, BUFFER_COUNT };

struct terms {
    struct tokenizer *tokenizer;
    struct stems *stems;
    GChecksum *checksum;
    uint64_t seed;
    struct slot *slots;
    size_t slot_count; /* a power of two, at least twice the entries */
    struct buffer buffers[BUFFER_COUNT];
    const struct fields *fields;
    uint32_t next[FIELDS_MAX];         /* position of the next text */
    size_t bytes;                      /* of text so far */
    bool cut;                          /* something was left out for a limit */
    GString *headers[TEXT_SLOT_COUNT]; /* values of columns */
    bool lacks_headers;                /* terms_lack_headers() */
    unsigned field;                    /* of the text that is being read */
};

static const size_t element_sizes[BUFFER_COUNT] = {
    [ENTRIES] = sizeof (struct entry), [TEXTS] = 1,
    [WORDS] = sizeof (uint32_t),       [KEYS] = sizeof (struct key),
    [POSITIONS] = sizeof (uint32_t),   [POSTINGS] = sizeof (struct store_posting),
};

/* ---- buffers ------------------------------------------------------------------------------- */

/* GLib's allocator: talloc refuses what the words of a very large message need. */
static void *
buffer_add (struct buffer *buffer, size_t count)
{
    if (!buffer->data || buffer->count + count > buffer->capacity) {
        buffer->capacity = MAX (2 * buffer->capacity, buffer->count + count);
        buffer->capacity = MAX (buffer->capacity, 1024);
        buffer->data = g_realloc_n (buffer->data, buffer->capacity, buffer->size);
    }
    buffer->count += count;
    return (char *) buffer->data + (buffer->count - count) * buffer->size;
}

static void
buffer_clear (struct buffer *buffer)
{
    buffer->count = 0;
    if (buffer->capacity <= KEEP_MAX)
        return;
    g_free (buffer->data);
    buffer->data = NULL;
    buffer->capacity = 0;
}

static inline struct entry *
entry_at (struct terms *terms, size_t i)
{
    return (struct entry *) terms->buffers[ENTRIES].data + i;
}

static inline const char *
text_of (struct terms *terms, const struct entry *entry)
{
    return (const char *) terms->buffers[TEXTS].data + entry->text;
}

/* ---- life ---------------------------------------------------------------------------------- */

static int
terms_destroy (struct terms *terms)
{
    for (size_t i = 0; i < BUFFER_COUNT; i++)
        g_free (terms->buffers[i].data);
    for (size_t i = 0; i < TEXT_SLOT_COUNT; i++)
        g_string_free (terms->headers[i], TRUE);
    g_free (terms->slots);
    g_checksum_free (terms->checksum);
    return 0;
}

static void
set_slots (struct terms *terms, size_t count)
{
    g_free (terms->slots);
    terms->slots = g_new0 (struct slot, count);
    terms->slot_count = count;
}

struct terms *
terms_create (void *ctx, const struct fields *fields)
{
    struct terms *terms = talloc_zero (ctx, struct terms);

    terms->tokenizer = tokenizer_create (terms);
    terms->fields = fields ? fields : fields_plain (terms);
    terms->stems = stems_create (terms, terms->fields->stemmer);
    terms->checksum = g_checksum_new (G_CHECKSUM_MD5);
    terms->seed = hash_seed ();
    for (size_t i = 0; i < BUFFER_COUNT; i++)
        terms->buffers[i].size = element_sizes[i];
    for (size_t i = 0; i < TEXT_SLOT_COUNT; i++)
        terms->headers[i] = g_string_new (NULL);
    set_slots (terms, SLOTS_FIRST);
    talloc_set_destructor (terms, terms_destroy);
    terms_clear (terms);
    return terms;
}

const struct fields *
terms_fields (const struct terms *terms)
{
    return terms->fields;
}

void
terms_clear (struct terms *terms)
{
    if (terms->slot_count > KEEP_MAX)
        set_slots (terms, SLOTS_FIRST);
    else
        for (size_t i = 0; i < terms->buffers[ENTRIES].count; i++)
            terms->slots[entry_at (terms, i)->slot].entry = 0;
    for (size_t i = 0; i < BUFFER_COUNT; i++)
        buffer_clear (&terms->buffers[i]);
    for (size_t i = 0; i < FIELDS_MAX; i++)
        terms->next[i] = 1;
    for (size_t i = 0; i < TEXT_SLOT_COUNT; i++)
        g_string_truncate (terms->headers[i], 0);
    terms->bytes = 0;
    terms->cut = terms->lacks_headers = false;
    g_checksum_reset (terms->checksum);
}

void
terms_new_segment (struct terms *terms)
{
    stems_new_segment (terms->stems);
}

/* ---- the table ----------------------------------------------------------------------------- */

static uint32_t
hash_term (struct terms *terms, const char *word, size_t length)
{
    return (uint32_t) hash_seeded (terms->seed + terms->field, word, length);
}

static void
double_slots (struct terms *terms)
{
    struct slot *old = terms->slots;
    size_t old_count = terms->slot_count, mask = 2 * old_count - 1;

    terms->slots = NULL;
    set_slots (terms, 2 * old_count);
    for (size_t i = 0; i < old_count; i++) {
        size_t place = old[i].hash & mask;
        if (old[i].entry == 0)
            continue;
        while (terms->slots[place].entry != 0)
            place = (place + 1) & mask;
        terms->slots[place] = old[i];
        entry_at (terms, old[i].entry - 1)->slot = (uint32_t) place;
    }
    g_free (old);
}

static struct entry *
add_entry (struct terms *terms, size_t place, uint32_t hash, const struct token *token)
{
    const char *prefix = terms->fields->prefixes[terms->field];
    size_t prefix_length = strlen (prefix), length = prefix_length + token->length;
    size_t text_offset = terms->buffers[TEXTS].count;
    char *text = buffer_add (&terms->buffers[TEXTS], length);
    struct entry *entry = buffer_add (&terms->buffers[ENTRIES], 1);

    memcpy (text, prefix, prefix_length);
    memcpy (text + prefix_length, token->word, token->length);
    *entry = (struct entry){
        .text = (uint32_t) text_offset,
        .slot = (uint32_t) place,
        .length = (uint8_t) length,
        .prefix = (uint8_t) prefix_length,
        .field = (uint8_t) terms->field,
    };
    terms->slots[place] = (struct slot){hash, (uint32_t) terms->buffers[ENTRIES].count};
    return entry;
}

/* The entry of a word; NULL for a new one when there are too many. */
static struct entry *
find_entry (struct terms *terms, const struct token *token)
{
    uint32_t hash = hash_term (terms, token->word, token->length);
    size_t place = hash & (terms->slot_count - 1);

    for (; terms->slots[place].entry != 0; place = (place + 1) & (terms->slot_count - 1)) {
        if (terms->slots[place].hash != hash)
            continue;
        struct entry *entry = entry_at (terms, terms->slots[place].entry - 1);
        if (entry->field == terms->field &&
            entry->length - entry->prefix == (uint8_t) token->length &&
            memcmp (text_of (terms, entry) + entry->prefix, token->word, token->length) == 0)
            return entry;
    }
    if (terms->buffers[ENTRIES].count >= WORDS_MAX)
        return NULL;
    if (2 * terms->buffers[ENTRIES].count < terms->slot_count)
        return add_entry (terms, place, hash, token);
    double_slots (terms);
    return find_entry (terms, token);
}

/* ---- texts --------------------------------------------------------------------------------- */

static void
add_word (struct terms *terms, uint32_t word)
{
    *(uint32_t *) buffer_add (&terms->buffers[WORDS], 1) = word;
}

static void
collect (void *closure, const struct token *token)
{
    struct terms *terms = closure;
    struct entry *entry = find_entry (terms, token);

    if (!entry) {
        terms->cut = true;
        if (token->kind == TOKEN_WORD || token->kind == TOKEN_CJK)
            add_word (terms, LEFT_OUT);
        return;
    }
    entry->stem |= token->stem;
    if (token->kind == TOKEN_PART || entry->last == token->position)
        return;
    entry->last = token->position;
    entry->count++;
    add_word (terms,
              (uint32_t) (entry - entry_at (terms, 0)) | (token->kind == TOKEN_VARIANT ? SAME : 0));
}

static void
add_to_digest (struct terms *terms, const char *text, size_t length)
{
    unsigned char head[9] = {(unsigned char) terms->field};

    for (unsigned i = 0; i < 8; i++)
        head[1 + i] = (unsigned char) ((uint64_t) length >> 8 * i);
    g_checksum_update (terms->checksum, head, sizeof head);
    if (terms->field >= FIELD_COUNT) /* which number it has depends on the others */
        g_checksum_update (terms->checksum, (const guchar *) terms->fields->prefixes[terms->field],
                           -1);
    g_checksum_update (terms->checksum, (const guchar *) text, (gssize) length);
}

void
terms_add_text (struct terms *terms, unsigned field, const char *text, size_t length)
{
    uint32_t first = terms->next[field], behind;

    terms->cut |= length > TEXT_MAX - terms->bytes;
    length = MIN (length, TEXT_MAX - terms->bytes);
    terms->bytes += length;
    terms->field = field;
    add_to_digest (terms, text, length);
    add_word (terms, TEXT);
    add_word (terms, first);
    behind = tokenize (terms->tokenizer, text, length, first, collect, terms);
    if (behind > first)
        terms->next[field] = behind - 1 + TEXT_GAP;
}

bool
terms_are_cut (const struct terms *terms)
{
    return terms->cut;
}

void
terms_add_header (struct terms *terms, enum text_slot slot, const char *text)
{
    const unsigned char head = (unsigned char) (0xff - slot);
    size_t length = strlen (text) + 1;

    g_checksum_update (terms->checksum, &head, 1);
    g_checksum_update (terms->checksum, (const guchar *) text, (gssize) length);
    g_string_append_len (terms->headers[slot], text, (gssize) length);
}

void
terms_lack_headers (struct terms *terms)
{
    terms->lacks_headers = true;
}

void
terms_digest (struct terms *terms, unsigned char digest_out[16])
{
    GChecksum *copy = g_checksum_copy (terms->checksum);
    gsize length = 16;

    g_checksum_get_digest (copy, digest_out, &length);
    g_checksum_free (copy);
}

/* ---- postings ------------------------------------------------------------------------------ */

static uint64_t
key_head (const char *text, size_t length)
{
    unsigned char bytes[8] = {0};
    uint64_t head;

    memcpy (bytes, text, MIN (length, sizeof bytes));
    memcpy (&head, bytes, sizeof head);
    return GUINT64_FROM_BE (head);
}

static int
compare_keys (const void *left, const void *right, void *closure)
{
    const struct key *a = left, *b = right;
    struct terms *terms = closure;

    if (a->head != b->head)
        return a->head < b->head ? -1 : 1;
    const struct entry *x = entry_at (terms, a->entry), *y = entry_at (terms, b->entry);
    int order = memcmp (text_of (terms, x), text_of (terms, y), MIN (x->length, y->length));
    return order ? order : (int) x->length - (int) y->length;
}

static const struct key *
sort_entries (struct terms *terms, size_t count)
{
    struct key *keys;

    buffer_clear (&terms->buffers[KEYS]);
    keys = buffer_add (&terms->buffers[KEYS], count);
    for (size_t i = 0; i < count; i++) {
        const struct entry *entry = entry_at (terms, i);
        keys[i] = (struct key){key_head (text_of (terms, entry), entry->length), (uint32_t) i};
    }
    qsort_r (keys, count, sizeof *keys, compare_keys, terms);
    return keys;
}

/* Gives each term a place in the array of positions, in the order of keys; entry->last is then
 * where its next position goes. */
static uint32_t *
share_positions (struct terms *terms, const struct key *keys, size_t count)
{
    size_t total = 0;

    for (size_t i = 0; i < count; i++) {
        struct entry *entry = entry_at (terms, keys[i].entry);
        entry->last = (uint32_t) total;
        total += entry->count;
    }
    buffer_clear (&terms->buffers[POSITIONS]);
    return buffer_add (&terms->buffers[POSITIONS], total);
}

static void
place_positions (struct terms *terms, uint32_t *positions)
{
    const uint32_t *words = terms->buffers[WORDS].data;
    uint32_t next = 0;

    for (size_t i = 0; i < terms->buffers[WORDS].count; i++) {
        if (words[i] == TEXT)
            next = words[++i];
        else if (words[i] == LEFT_OUT)
            next++;
        else if (words[i] & SAME)
            positions[entry_at (terms, words[i] & ~SAME)->last++] = next - 1;
        else
            positions[entry_at (terms, words[i])->last++] = next++;
    }
}

const struct store_posting *
terms_postings (struct terms *terms, size_t *count_out)
{
    size_t count = terms->buffers[ENTRIES].count;
    const struct key *keys = sort_entries (terms, count);
    uint32_t *positions = share_positions (terms, keys, count);
    struct store_posting *postings;

    place_positions (terms, positions);
    buffer_clear (&terms->buffers[POSTINGS]);
    postings = buffer_add (&terms->buffers[POSTINGS], count);
    for (size_t i = 0; i < count; i++) {
        struct entry *entry = entry_at (terms, keys[i].entry);
        postings[i] = (struct store_posting){
            .term = text_of (terms, entry),
            .length = entry->length,
            .position_count = entry->count,
            .positions = positions + entry->last - entry->count,
        };
        entry->last = 0;
    }
    *count_out = count;
    return postings;
}

/* Tells the segment which word the entry's stem is to find. */
static enum mail_status
store_synonym (struct terms *terms, struct store_builder *builder, const struct entry *entry)
{
    char prefixed[UINT8_MAX + WORD_MAX];
    struct store_term word = {text_of (terms, entry), entry->length}, stem;

    if (!stems_claim (terms->stems, entry->field, word.text + entry->prefix,
                      word.length - entry->prefix, &stem))
        return MAIL_OK;
    if (entry->prefix + stem.length > sizeof prefixed)
        return MAIL_OK;
    memcpy (prefixed, word.text, entry->prefix);
    memcpy (prefixed + entry->prefix, stem.text, stem.length);
    stem = (struct store_term){prefixed, entry->prefix + stem.length};
    return store_builder_synonym (builder, stem, word);
}

static size_t
column_values (const struct terms *terms, struct store_value values[TEXT_SLOT_COUNT])
{
    size_t count = 0;

    for (unsigned slot = 0; slot < TEXT_SLOT_COUNT; slot++) {
        const GString *header = terms->headers[slot];
        bool is_all = header->len <= TEXT_VALUE_MAX && !terms->lacks_headers;
        if (header->len > 0)
            values[count++] = (struct store_value){slot, is_all ? header->str : TEXT_VALUE_NONE,
                                                   is_all ? header->len : strlen (TEXT_VALUE_NONE)};
    }
    return count;
}

enum mail_status
terms_store (struct terms *terms, struct store_builder *builder, uint32_t id)
{
    struct store_value values[TEXT_SLOT_COUNT];
    enum mail_status status = MAIL_OK;
    size_t count;
    const struct store_posting *postings = terms_postings (terms, &count);

    buffer_clear (&terms->buffers[WORDS]); /* its memory is better used by what follows */
    for (size_t i = 0; i < count && status == MAIL_OK; i++)
        if (entry_at (terms, i)->stem)
            status = store_synonym (terms, builder, entry_at (terms, i));
    if (status == MAIL_OK)
        status =
            store_builder_add (builder, id, postings, count, values, column_values (terms, values));
    return status;
}
