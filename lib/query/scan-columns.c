/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan-columns.c - one pass over the From or Subject of all messages.
 *
 * A record costs ten microseconds to read and take apart, a value of a column a tenth of one. A
 * byte a document says what is known of it so far.
 */
#include "query/scan-columns.h"
#include <string.h>
#include <talloc.h>

enum { WANTED = 1, FOUND = 2, SEEN = 4 /* << the slot */ };

struct columns {
    struct mail_index *index;
    const struct header_pattern *patterns;
    size_t count;
    enum text_slot slot; /* of this pass */
    const struct segment *segment;
    uint8_t *known; /* by document id, below limit */
    uint32_t limit;
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

/* The message of a text document; 0 where it is stale. */
static uint32_t
message_of (const struct mail_index *index, uint32_t text)
{
    size_t low = 0, high = index->alias_ids.count;

    if (index->stale.count > 0 && idset_contains (index->stale, text))
        return 0;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (index->alias_ids.ids[middle] == text)
            return index->alias_of[middle];
        if (index->alias_ids.ids[middle] < text)
            low = middle + 1;
        else
            high = middle;
    }
    return text;
}

static bool
note_value (void *closure, uint32_t id, const char *value, size_t length)
{
    struct columns *columns = closure;
    uint32_t message;

    if (id < columns->segment->first || id > columns->segment->last)
        return true;
    message = message_of (columns->index, id);
    if (message >= columns->limit || !(columns->known[message] & WANTED))
        return true;
    if (length == 0 || value[length - 1] != '\0')
        return true; /* was too long */
    columns->known[message] |= SEEN << columns->slot;
    if (!(columns->known[message] & FOUND) && value_matches (columns, value, length))
        columns->known[message] |= FOUND;
    return true;
}

static enum mail_status
read_column (struct columns *columns)
{
    struct mail_index *index = columns->index;
    enum mail_status status = index_open_segments (index);

    for (size_t i = 0; status == MAIL_OK && i < index->manifest->count; i++) {
        columns->segment = &index->manifest->segments[i];
        status = store_each_value (index->segments[i], columns->slot, note_value, columns);
        if (status != MAIL_OK)
            index_fail_store (index, index->segments[i], status);
    }
    return status;
}

static void
sort_out (const struct columns *columns, uint8_t seen, struct idset messages,
          struct idset *found_out, struct idset *unknown_out)
{
    found_out->count = unknown_out->count = 0;
    for (size_t i = 0; i < messages.count; i++) {
        uint8_t known = columns->known[messages.ids[i]];
        if (known & FOUND)
            found_out->ids[found_out->count++] = messages.ids[i];
        else if ((known & seen) != seen)
            unknown_out->ids[unknown_out->count++] = messages.ids[i];
    }
}

enum mail_status
scan_columns (void *ctx, struct mail_index *index, struct idset messages,
              const struct header_pattern *patterns, size_t count, struct idset *found_out,
              struct idset *unknown_out)
{
    struct columns columns = {.index = index, .patterns = patterns, .count = count};
    enum mail_status status = MAIL_OK;
    uint8_t seen = 0;

    columns.limit = messages.count > 0 ? messages.ids[messages.count - 1] + 1 : 0;
    columns.known = talloc_zero_array (ctx, uint8_t, columns.limit);
    for (size_t i = 0; i < messages.count; i++)
        columns.known[messages.ids[i]] = WANTED;
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
    if (status == MAIL_OK) {
        found_out->ids = talloc_array (ctx, uint32_t, messages.count + 1);
        unknown_out->ids = talloc_array (ctx, uint32_t, messages.count + 1);
        sort_out (&columns, seen, messages, found_out, unknown_out);
    }
    talloc_free (columns.known);
    return status;
}
