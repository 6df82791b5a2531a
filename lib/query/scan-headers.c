/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan-headers.c - reads records and matches a header of theirs.
 *
 * There is no index for this, so it costs a few microseconds a message. Senders and subjects repeat
 * (threads), so each distinct value is decoded and matched once.
 */
#include "query/scan-headers.h"
#include "mime/mime.h"
#include "record.h"
#include <glib.h>
#include <talloc.h>

enum { KNOWN_LIMIT = 1 << 18 }; /* values remembered; then they are forgotten */

struct scan {
    struct mail_index *index;
    const struct header_pattern *patterns;
    size_t count;
    bool wanted[MAIL_FIELD_COUNT];
    GHashTable *known[MAIL_FIELD_COUNT]; /* raw value → whether a pattern of the field matches */
};

static bool
any_matches (const struct scan *scan, enum mail_field field, const char *text)
{
    for (size_t i = 0; i < scan->count; i++)
        if (scan->patterns[i].field == field &&
            regexec (scan->patterns[i].regex, text, 0, NULL, 0) == 0)
            return true;
    return false;
}

static bool
value_matches (struct scan *scan, enum mail_field field, const char *raw)
{
    GHashTable *values = scan->known[field];
    gpointer known;
    char *text;
    bool matches;

    if (g_hash_table_lookup_extended (values, raw, NULL, &known))
        return GPOINTER_TO_INT (known);
    text = mime_decode_text (NULL, raw); /* as it was written, quotes and all */
    matches = any_matches (scan, field, text);
    talloc_free (text);
    if (g_hash_table_size (values) >= KNOWN_LIMIT)
        g_hash_table_remove_all (values);
    g_hash_table_insert (values, g_strdup (raw), GINT_TO_POINTER (matches));
    return matches;
}

static bool
field_matches (struct scan *scan, enum mail_field field, const struct record *record)
{
    if (value_matches (scan, field, record->fields[field]))
        return true;
    for (size_t i = 0; i < record->file_count; i++) {
        const char *differs = record->files[i].differs[field];
        if (differs != NULL && value_matches (scan, field, differs))
            return true;
    }
    return false;
}

static bool
record_matches (struct scan *scan, const struct record *record)
{
    for (int field = 0; field < MAIL_FIELD_COUNT; field++)
        if (scan->wanted[field] && field_matches (scan, (enum mail_field) field, record))
            return true;
    return false;
}

static enum mail_status
message_matches (struct scan *scan, uint32_t id, bool *matches_out)
{
    void *local = talloc_new (NULL);
    struct store_document document;
    struct record record;
    bool found;
    enum mail_status status =
        store_read (local, scan->index->state, id, STORE_DATA, &document, &found);

    *matches_out = status == MAIL_OK && found &&
                   record_decode (local, document.data, document.data_length, &record) &&
                   record_matches (scan, &record);
    talloc_free (local);
    return status;
}

static void
scan_begin (struct scan *scan)
{
    for (int field = 0; field < MAIL_FIELD_COUNT; field++)
        scan->known[field] = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    for (size_t i = 0; i < scan->count; i++)
        scan->wanted[scan->patterns[i].field] = true;
}

static void
scan_end (struct scan *scan)
{
    for (int field = 0; field < MAIL_FIELD_COUNT; field++)
        g_hash_table_destroy (scan->known[field]);
}

enum mail_status
scan_headers (void *ctx, struct mail_index *index, struct idset messages,
              const struct header_pattern *patterns, size_t count, struct idset *set_out)
{
    struct scan scan = {.index = index, .patterns = patterns, .count = count};
    struct idset set = {.ids = talloc_array (ctx, uint32_t, messages.count)};
    enum mail_status status = MAIL_OK;
    bool matches;

    scan_begin (&scan);
    for (size_t i = 0; i < messages.count && status == MAIL_OK; i++) {
        status = message_matches (&scan, messages.ids[i], &matches);
        if (matches)
            set.ids[set.count++] = messages.ids[i];
    }
    scan_end (&scan);
    *set_out = set;
    return status == MAIL_OK ? status : index_fail_store (index, index->state, status);
}
