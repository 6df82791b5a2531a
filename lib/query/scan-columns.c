/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan-columns.c - one pass over the From or Subject of the text of messages.
 *
 * A record costs ten microseconds to read and take apart, a value of a column a tenth of one. A
 * byte a text says what is known of it so far. Most people write more than one mail, and matching
 * an expression costs more than looking a name up: what it said of a From is kept.
 */
#include "query/scan-columns.h"
#include "index/hash.h"
#include <glib.h>
#include <string.h>
#include <talloc.h>

#define KEPT_MAX 20000 /* values of From of which it is known whether they match */

enum { FOUND = 1, SEEN = 2 /* << the slot */ };

struct columns {
    struct mail_index *index;
    const struct header_pattern *patterns;
    size_t count;
    enum text_slot slot; /* of this pass */
    struct idset texts;
    uint8_t *known;    /* by place in texts */
    struct idset part; /* of texts, those of a segment */
    size_t at;         /* in part */
    GHashTable *kept;  /* From → whether it matches, as a pointer; NULL: nothing is kept */
};

static enum text_slot
slot_of (const struct header_pattern *pattern)
{
    return pattern->field == MAIL_FROM ? TEXT_SLOT_FROM : TEXT_SLOT_SUBJECT;
}

static bool
pattern_matches (const struct header_pattern *pattern, const char *text)
{
    if (pattern->literal != NULL)
        return strstr (text, pattern->literal) != NULL;
    return regexec (pattern->regex, text, 0, NULL, 0) == 0;
}

/* Texts, each ended by a NUL. */
static bool
value_matches (const struct columns *columns, const char *value, size_t length)
{
    for (const char *text = value; text < value + length; text += strlen (text) + 1)
        for (size_t i = 0; i < columns->count; i++)
            if (slot_of (&columns->patterns[i]) == columns->slot &&
                pattern_matches (&columns->patterns[i], text))
                return true;
    return false;
}

static guint
hash_value (gconstpointer value)
{
    return (guint) hash_bytes (value, strlen (value));
}

/* The same, kept for the next one with this value. */
static bool
kept_matches (struct columns *columns, const char *value, size_t length)
{
    gpointer kept;
    bool matches;

    if (columns->kept == NULL || strlen (value) + 1 < length)
        return value_matches (columns, value, length);
    if (g_hash_table_lookup_extended (columns->kept, value, NULL, &kept))
        return kept != NULL;
    matches = value_matches (columns, value, length);
    if (g_hash_table_size (columns->kept) < KEPT_MAX)
        g_hash_table_insert (columns->kept, g_strdup (value), GINT_TO_POINTER (matches));
    return matches;
}

static bool
note_value (void *closure, uint32_t id, const char *value, size_t length)
{
    struct columns *columns = closure;
    uint8_t *known;

    while (columns->part.ids[columns->at] != id)
        columns->at++;
    known = &columns->known[columns->part.ids + columns->at - columns->texts.ids];
    if (length == 0 || value[length - 1] != '\0')
        return true; /* was too long */
    *known |= SEEN << columns->slot;
    if (!(*known & FOUND) && kept_matches (columns, value, length))
        *known |= FOUND;
    return true;
}

/* Those from first to last. */
static struct idset
part_of (struct idset set, uint32_t first, uint32_t last)
{
    size_t start = 0, end;

    while (start < set.count && set.ids[start] < first)
        start++;
    for (end = start; end < set.count && set.ids[end] <= last;)
        end++;
    return (struct idset){set.ids + start, end - start};
}

static bool
has_expression (const struct columns *columns)
{
    for (size_t i = 0; i < columns->count; i++)
        if (columns->patterns[i].literal == NULL)
            return true;
    return false;
}

static enum mail_status
read_column (struct columns *columns)
{
    struct mail_index *index = columns->index;
    enum mail_status status = index_open_segments (index);

    if (columns->slot == TEXT_SLOT_FROM && has_expression (columns))
        columns->kept = g_hash_table_new_full (hash_value, g_str_equal, g_free, NULL);
    for (size_t i = 0; status == MAIL_OK && i < index->manifest->count; i++) {
        const struct segment *segment = &index->manifest->segments[i];
        columns->part = part_of (columns->texts, segment->first, segment->last);
        columns->at = 0;
        status = store_each_value_of (index->segments[i], columns->slot, columns->part, note_value,
                                      columns);
        if (status != MAIL_OK)
            index_fail_store (index, index->segments[i], status);
    }
    g_clear_pointer (&columns->kept, g_hash_table_destroy);
    return status;
}

static void
sort_out (void *ctx, const struct columns *columns, uint8_t seen, struct idset *found_out,
          struct idset *unknown_out)
{
    size_t room = columns->texts.count + 1;

    *found_out = (struct idset){.ids = talloc_array (ctx, uint32_t, room)};
    *unknown_out = (struct idset){.ids = talloc_array (ctx, uint32_t, room)};
    for (size_t i = 0; i < columns->texts.count; i++) {
        if (columns->known[i] & FOUND)
            found_out->ids[found_out->count++] = columns->texts.ids[i];
        else if ((columns->known[i] & seen) != seen)
            unknown_out->ids[unknown_out->count++] = columns->texts.ids[i];
    }
    index_owners (ctx, columns->index, found_out);
    index_owners (ctx, columns->index, unknown_out);
}

enum mail_status
scan_columns (void *ctx, struct mail_index *index, struct idset texts,
              const struct header_pattern *patterns, size_t count, struct idset *found_out,
              struct idset *unknown_out)
{
    struct columns columns = {.index = index, .patterns = patterns, .count = count, .texts = texts};
    enum mail_status status = MAIL_OK;
    uint8_t seen = 0;

    columns.known = talloc_zero_array (ctx, uint8_t, texts.count);
    for (unsigned slot = 0; slot < TEXT_SLOT_COUNT && status == MAIL_OK; slot++) {
        bool wanted = false;
        for (size_t i = 0; i < count; i++)
            wanted |= slot_of (&patterns[i]) == slot;
        if (!wanted)
            continue;
        columns.slot = slot;
        seen |= SEEN << slot;
        status = read_column (&columns);
    }
    if (status == MAIL_OK)
        sort_out (ctx, &columns, seen, found_out, unknown_out);
    talloc_free (columns.known);
    return status;
}
