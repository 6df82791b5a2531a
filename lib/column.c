/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * column.c - values that segments keep beside the words.
 *
 * A record costs four microseconds to read and take apart, a value of a column a tenth of one.
 */
#include "column.h"
#include "index/hash.h"

/* What is read of a segment. */
struct part {
    struct idset texts; /* of all, those that may be in the segment */
    size_t first;       /* place of the first among all */
    size_t at;          /* in texts */
    column_fn each;
    void *closure;
};

static bool
note_value (void *closure, uint32_t id, const char *value, size_t length)
{
    struct part *part = closure;

    while (part->texts.ids[part->at] != id)
        part->at++;
    if (length > 0 && value[length - 1] == '\0') /* not TEXT_VALUE_NONE */
        part->each (part->closure, part->first + part->at, value, length);
    return true;
}

/* Goes on to the next segment; they come in order of ids. */
static void
next_part (struct part *part, struct idset texts, const struct segment *segment)
{
    size_t start = part->first + part->texts.count, end;

    while (start < texts.count && texts.ids[start] < segment->first)
        start++;
    for (end = start; end < texts.count && texts.ids[end] <= segment->last;)
        end++;
    part->texts = (struct idset){texts.ids + start, end - start};
    part->first = start;
    part->at = 0;
}

enum mail_status
column_read (struct mail_index *index, enum text_slot slot, struct idset texts, column_fn each,
             void *closure)
{
    struct part part = {.each = each, .closure = closure};
    enum mail_status status = index_open_segments (index);

    for (size_t i = 0; status == MAIL_OK && i < index->manifest->count; i++) {
        next_part (&part, texts, &index->manifest->segments[i]);
        if (part.texts.count == 0)
            continue;
        status = store_each_value_of (index->segments[i], slot, part.texts, note_value, &part);
        if (status != MAIL_OK)
            index_fail_store (index, index->segments[i], status);
    }
    return status;
}

guint
hash_string (gconstpointer string)
{
    return (guint) hash_bytes (string, strlen (string));
}
