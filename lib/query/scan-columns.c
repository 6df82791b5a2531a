/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan-columns.c - matches the columns of text with From and Subject.
 *
 * A record costs ten microseconds to read and take apart, a value of a column a tenth of one. A
 * byte a text says what is known of it so far. Most people write more than one mail, and matching
 * an expression costs more than looking a name up: what it said of a From is kept.
 */
#include "query/scan-columns.h"
#include "column.h"
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
    uint8_t *known;   /* by place in texts */
    GHashTable *kept; /* From → whether it matches, as a pointer; NULL: nothing is kept */
};

static enum text_slot
slot_of (const struct header_pattern *pattern)
{
    return pattern->field == MAIL_FROM ? TEXT_SLOT_FROM : TEXT_SLOT_SUBJECT;
}

static bool
pattern_matches (const struct header_pattern *pattern, const char *text, const char *end)
{
    regmatch_t range = {.rm_so = 0, .rm_eo = (regoff_t) (end - text)};
    const char *found;

    if (pattern->literal == NULL)
        return regexec (pattern->regex, text, 0, &range, REG_STARTEND) == 0;
    found = strstr (text, pattern->literal);
    return found != NULL && found + strlen (pattern->literal) <= end;
}

static bool
text_matches (const struct columns *columns, const char *text)
{
    const char *end = strchrnul (text, TEXT_VALUE_RAW);

    for (size_t i = 0; i < columns->count; i++)
        if (slot_of (&columns->patterns[i]) == columns->slot &&
            pattern_matches (&columns->patterns[i], text, end))
            return true;
    return false;
}

/* Texts, each ended by a NUL. */
static bool
value_matches (const struct columns *columns, const char *value, size_t length)
{
    for (const char *text = value; text < value + length; text += strlen (text) + 1)
        if (text_matches (columns, text))
            return true;
    return false;
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

static void
note_value (void *closure, size_t at, const char *value, size_t length)
{
    struct columns *columns = closure;

    columns->known[at] |= SEEN << columns->slot;
    if (!(columns->known[at] & FOUND) && kept_matches (columns, value, length))
        columns->known[at] |= FOUND;
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
    enum mail_status status;

    if (columns->slot == TEXT_SLOT_FROM && has_expression (columns))
        columns->kept = g_hash_table_new_full (hash_string, g_str_equal, g_free, NULL);
    status = column_read (columns->index, columns->slot, columns->texts, note_value, columns);
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
