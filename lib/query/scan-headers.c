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
    enum mail_field field;
    const regex_t *regex;
    GHashTable *known; /* raw value → whether it matches */
};

static bool
value_matches (struct scan *scan, const char *raw)
{
    gpointer known;
    char *text;
    bool matches;

    if (g_hash_table_lookup_extended (scan->known, raw, NULL, &known))
        return GPOINTER_TO_INT (known);
    text = scan->field == MAIL_FROM ? mime_decode_address_text (NULL, raw)
                                    : mime_decode_text (NULL, raw);
    matches = regexec (scan->regex, text, 0, NULL, 0) == 0;
    talloc_free (text);
    if (g_hash_table_size (scan->known) >= KNOWN_LIMIT)
        g_hash_table_remove_all (scan->known);
    g_hash_table_insert (scan->known, g_strdup (raw), GINT_TO_POINTER (matches));
    return matches;
}

static bool
record_matches (struct scan *scan, const struct record *record)
{
    if (value_matches (scan, record->fields[scan->field]))
        return true;
    for (size_t i = 0; i < record->file_count; i++) {
        const char *differs = record->files[i].differs[scan->field];
        if (differs != NULL && value_matches (scan, differs))
            return true;
    }
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

enum mail_status
scan_headers (void *ctx, struct mail_index *index, struct idset messages, enum mail_field field,
              const regex_t *regex, struct idset *set_out)
{
    struct scan scan = {.index = index, .field = field, .regex = regex};
    struct idset set = {.ids = talloc_array (ctx, uint32_t, messages.count)};
    enum mail_status status = MAIL_OK;
    bool matches;

    scan.known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    for (size_t i = 0; i < messages.count && status == MAIL_OK; i++) {
        status = message_matches (&scan, messages.ids[i], &matches);
        if (matches)
            set.ids[set.count++] = messages.ids[i];
    }
    g_hash_table_destroy (scan.known);
    *set_out = set;
    return status == MAIL_OK ? status : index_fail_store (index, index->state, status);
}
