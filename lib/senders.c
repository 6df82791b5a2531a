/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * senders.c - whom messages are from.
 *
 * Reading a record for this costs ten times as much as it takes to look at the column that segments
 * have of From, and most people write more than one mail: each From is taken apart once. The first
 * messages are read by themselves, so that there is something to show at once; what the column does
 * not tell (a message in several files that differ, a long From) is in the record.
 */
#include "addresses.h"
#include "column.h"
#include "messages.h"
#include "query/query.h"
#include "query/sort.h"
#include "senders.h"

#include <stdlib.h>
#include <string.h>
#include <talloc.h>

#define FIRST 64 /* messages that are read by themselves */

struct mail_senders {
    struct mail_results *results;
    size_t first;               /* messages that are read by themselves */
    size_t next;                /* in results */
    size_t records;             /* read so far */
    GHashTable *by_from;        /* raw From → struct mail_sender */
    struct mail_sender **known; /* by place in results; NULL: the record has to tell */
};

/* ---- each From once ------------------------------------------------------------------------ */

static int
destroy_senders (struct mail_senders *senders)
{
    g_hash_table_unref (senders->by_from);
    return 0;
}

static struct mail_sender *
sender_of (struct mail_senders *senders, const char *from)
{
    struct mail_sender *sender = g_hash_table_lookup (senders->by_from, from);

    if (sender != NULL)
        return sender;
    sender = talloc (senders, struct mail_sender);
    sender->addresses = addresses_read (sender, from, &sender->count);
    g_hash_table_insert (senders->by_from, talloc_strdup (sender, from), sender);
    return sender;
}

/* ---- the column ---------------------------------------------------------------------------- */

struct reading {
    struct mail_senders *senders;
    struct keyed *texts; /* ids of text documents, ascending, and the places of their messages */
    size_t count;
};

/* The text that all files have; NULL where they differ. */
static const char *
only_text (const char *value, size_t length)
{
    for (const char *text = value; text < value + length; text += strlen (text) + 1)
        if (strcmp (text, value) != 0)
            return NULL;
    return value;
}

static void
note_from (void *closure, size_t at, const char *value, size_t length)
{
    struct reading *reading = closure;
    struct mail_senders *senders = reading->senders;
    const char *text = only_text (value, length), *raw;

    if (text == NULL)
        return;
    raw = strchr (text, TEXT_VALUE_RAW);
    senders->known[reading->texts[at].id] = sender_of (senders, raw != NULL ? raw + 1 : text);
}

/* Under the ids of the messages themselves. */
static void
add_own_texts (struct reading *reading)
{
    const struct mail_results *results = reading->senders->results;

    for (size_t i = reading->senders->next; i < results->count; i++)
        reading->texts[reading->count++] =
            (struct keyed){.key = results->docids[i], .id = (uint32_t) i};
    sort_keyed (reading->texts, reading->count);
}

static int
compare_keys (const void *key, const void *item)
{
    uint64_t a = *(const uint64_t *) key, b = ((const struct keyed *) item)->key;

    return a < b ? -1 : a > b;
}

/* Under other ids. */
static void
add_aliases (struct reading *reading)
{
    const struct mail_index *index = reading->senders->results->index;
    size_t own = reading->count;

    for (size_t i = 0; i < index->alias_ids.count; i++) {
        uint64_t message = index->alias_of[i];
        const struct keyed *found =
            bsearch (&message, reading->texts, own, sizeof *found, compare_keys);

        if (found != NULL)
            reading->texts[reading->count++] =
                (struct keyed){.key = index->alias_ids.ids[i], .id = found->id};
    }
    sort_keyed (reading->texts, reading->count);
}

static void
drop_stale (struct reading *reading)
{
    const struct idset *stale = &reading->senders->results->index->stale;
    size_t kept = 0, next = 0;

    for (size_t i = 0; i < reading->count; i++) {
        while (next < stale->count && stale->ids[next] < reading->texts[i].key)
            next++;
        if (next == stale->count || stale->ids[next] != reading->texts[i].key)
            reading->texts[kept++] = reading->texts[i];
    }
    reading->count = kept;
}

static enum mail_status
read_column_once (struct mail_senders *senders)
{
    struct mail_index *index = senders->results->index;
    enum mail_status status = index_load_aliases (index);
    struct reading reading = {.senders = senders};
    struct idset ids;

    if (status != MAIL_OK)
        return status;
    reading.texts =
        talloc_array (NULL, struct keyed, senders->results->count + index->alias_ids.count + 1);
    add_own_texts (&reading);
    add_aliases (&reading);
    drop_stale (&reading);
    ids = (struct idset){talloc_array (reading.texts, uint32_t, reading.count + 1), reading.count};
    for (size_t i = 0; i < reading.count; i++)
        ids.ids[i] = (uint32_t) reading.texts[i].key;
    status = column_read (index, TEXT_SLOT_FROM, ids, note_from, &reading);
    talloc_free (reading.texts);
    return status;
}

/* Of all messages that have not been given out. */
static enum mail_status
read_column (struct mail_senders *senders)
{
    struct mail_results *results = senders->results;
    unsigned attempt = 0;
    enum mail_status status;

    do {
        talloc_free (senders->known);
        senders->known = talloc_zero_array (senders, struct mail_sender *, results->count);
        status = read_column_once (senders);
    } while (index_retry (results->index, &status, &attempt));
    return status;
}

/* ---- one after the other ------------------------------------------------------------------- */

struct mail_senders *
senders_open (void *ctx, struct mail_results *results, size_t first)
{
    struct mail_senders *senders = talloc_zero (ctx, struct mail_senders);

    senders->results = results;
    senders->first = first;
    senders->by_from = g_hash_table_new (hash_string, g_str_equal);
    talloc_set_destructor (senders, destroy_senders);
    return senders;
}

enum mail_status
mail_senders_open (void *ctx, struct mail_results *results, struct mail_senders **senders_out)
{
    *senders_out = senders_open (ctx, results, FIRST);
    return MAIL_OK;
}

size_t
senders_records (const struct mail_senders *senders)
{
    return senders->records;
}

static enum mail_status
read_record (struct mail_senders *senders, size_t at, struct mail_sender **sender_out)
{
    const struct mail_results *results = senders->results;
    struct mail_message *message;
    enum mail_status status =
        message_read_parts (senders, results->index, results->docids[at], STORE_DATA, &message);

    if (status == MAIL_OK && message != NULL)
        *sender_out = sender_of (senders, message_raw_field (message, MAIL_FROM));
    talloc_free (message);
    senders->records++;
    return status;
}

enum mail_status
mail_senders_next (struct mail_senders *senders, const struct mail_sender **sender_out)
{
    enum mail_status status = MAIL_OK;
    struct mail_sender *sender = NULL;

    while (status == MAIL_OK && sender == NULL && senders->next < senders->results->count) {
        if (senders->next == senders->first)
            status = read_column (senders);
        if (status == MAIL_OK && senders->known != NULL)
            sender = senders->known[senders->next];
        if (status == MAIL_OK && sender == NULL)
            status = read_record (senders, senders->next, &sender);
        senders->next++;
    }
    *sender_out = sender;
    return status;
}
