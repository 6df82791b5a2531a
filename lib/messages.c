/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * messages.c - messages in the order of a list of results.
 *
 * Documents lie in the database by id, and reading them in that order is several times cheaper than
 * in order of dates. So results are read a window at a time: sorted by id, read, and given out in
 * the order asked for. The first window is small (something to show at once), later ones larger.
 */
#include "messages.h"
#include "query/query.h"
#include "query/sort.h"
#include "schema.h"

#include <stdlib.h>
#include <string.h>
#include <talloc.h>

#define WINDOW_MIN 64
#define WINDOW_MAX 4096

struct mail_messages {
    struct mail_results *results;
    size_t next, end; /* of results not yet in a window */
    size_t window;    /* size of the next window */
    unsigned parts;   /* that are read of each document */
    void *window_ctx;
    struct mail_message **read; /* the window; NULL entries are gone */
    size_t at, count;
};

static enum mail_status
open_messages (void *ctx, struct mail_results *results, size_t first, size_t limit, unsigned parts,
               struct mail_messages **messages_out)
{
    struct mail_messages *messages = talloc_zero (ctx, struct mail_messages);
    messages->results = results;
    messages->next = first < results->count ? first : results->count;
    messages->end =
        results->count - messages->next > limit ? messages->next + limit : results->count;
    messages->window = WINDOW_MIN;
    messages->parts = parts;
    *messages_out = messages;
    return MAIL_OK;
}

enum mail_status
mail_messages_open (void *ctx, struct mail_results *results, size_t first, size_t limit,
                    struct mail_messages **messages_out)
{
    return open_messages (ctx, results, first, limit, STORE_DATA | STORE_TERMS, messages_out);
}

enum mail_status
mail_messages_open_tags (void *ctx, struct mail_results *results,
                         struct mail_messages **messages_out)
{
    return open_messages (ctx, results, 0, SIZE_MAX, STORE_TERMS, messages_out);
}

enum mail_status
mail_messages_open_headers (void *ctx, struct mail_results *results,
                            struct mail_messages **messages_out)
{
    return open_messages (ctx, results, 0, SIZE_MAX, STORE_DATA, messages_out);
}

enum mail_status
messages_read (void *ctx, struct mail_index *index, const uint32_t *docids, size_t count,
               unsigned parts, struct mail_message **messages_out)
{
    enum mail_status status = MAIL_OK;
    bool sorted = true;
    struct keyed *places = talloc_array (ctx, struct keyed, count + 1);
    for (size_t i = 0; i < count; i++) {
        places[i] = (struct keyed){.key = docids[i], .id = (uint32_t) i};
        sorted &= i == 0 || docids[i - 1] < docids[i];
    }
    if (!sorted)
        sort_keyed (places, count);
    for (size_t i = 0; status == MAIL_OK && i < count; i++)
        status = message_read_parts (ctx, index, (uint32_t) places[i].key, parts,
                                     &messages_out[places[i].id]);
    talloc_free (places);
    return status;
}

static enum mail_status
fill_window (struct mail_messages *messages)
{
    size_t count = messages->end - messages->next;
    if (count > messages->window)
        count = messages->window;
    TALLOC_FREE (messages->window_ctx);
    messages->window_ctx = talloc_new (messages);
    messages->read = talloc_zero_array (messages->window_ctx, struct mail_message *, count + 1);
    messages->at = 0;
    messages->count = count;
    enum mail_status status = messages_read (messages->window_ctx, messages->results->index,
                                             messages->results->docids + messages->next, count,
                                             messages->parts, messages->read);
    messages->next += count;
    if (messages->window < WINDOW_MAX)
        messages->window *= 2;
    return status;
}

enum mail_status
mail_messages_next (struct mail_messages *messages, struct mail_message **message_out)
{
    *message_out = NULL;
    for (;;) {
        if (messages->at == messages->count) {
            if (messages->next == messages->end)
                return MAIL_OK;
            enum mail_status status = fill_window (messages);
            if (status != MAIL_OK)
                return status;
        }
        *message_out = messages->read[messages->at++];
        if (*message_out)
            return MAIL_OK;
    }
}

/* ---- tags ---- */

struct tag_list {
    char **tags;
    size_t count, room;
};

static void
append_tag (void *ctx, struct tag_list *list, const char *tag, size_t length)
{
    if (list->count + 1 >= list->room)
        list->tags = talloc_realloc (ctx, list->tags, char *, list->room = 2 * list->room + 16);
    list->tags[list->count++] = talloc_strndup (list->tags, tag, length);
    list->tags[list->count] = NULL;
}

static bool
note_tag (void *closure, const char *term, size_t length, uint32_t freq)
{
    size_t prefix = strlen (PREFIX_TAG);
    if (freq > 0)
        append_tag (NULL, closure, term + prefix, length - prefix);
    return true;
}

enum mail_status
mail_index_tags (void *ctx, struct mail_index *index, char ***tags_out)
{
    struct store_term prefix = {PREFIX_TAG, strlen (PREFIX_TAG)};
    struct tag_list list = {NULL, 0, 1};
    unsigned attempt = 0;
    enum mail_status status;
    do {
        talloc_free (list.tags);
        list = (struct tag_list){talloc_zero_array (NULL, char *, 1), 0, 1};
        status = store_each_term (index->state, prefix, note_tag, &list);
        if (status != MAIL_OK)
            index_fail_store (index, index->state, status);
    } while (index_retry (index, &status, &attempt));
    if (status == MAIL_OK)
        *tags_out = talloc_steal (ctx, list.tags);
    else
        talloc_free (list.tags);
    return status;
}

/* Whether any of the matches has the tag. */
static enum mail_status
tag_matches (struct mail_index *index, struct idset matches, const char *tag, bool *matches_out)
{
    void *local = talloc_new (NULL);
    struct idset with = {NULL, 0};
    struct store_term term = term_make_string (local, PREFIX_TAG, tag);
    enum mail_status status = store_postings (local, index->state, term, &with);
    if (status == MAIL_OK)
        *matches_out = idset_intersect (local, with, matches).count > 0;
    talloc_free (local);
    return status;
}

static enum mail_status
tags_of_matches (void *ctx, struct mail_index *index, struct idset matches, char ***tags_out)
{
    char **all;
    struct tag_list list = {talloc_zero_array (ctx, char *, 1), 0, 1};
    enum mail_status status = mail_index_tags (ctx, index, &all);
    for (size_t i = 0; status == MAIL_OK && all[i]; i++) {
        bool does = false;
        status = tag_matches (index, matches, all[i], &does);
        if (does)
            append_tag (ctx, &list, all[i], strlen (all[i]));
    }
    *tags_out = list.tags;
    return status;
}

enum mail_status
mail_results_tags (void *ctx, struct mail_results *results, char ***tags_out)
{
    unsigned attempt = 0;
    enum mail_status status;
    uint32_t *ids = talloc_array (ctx, uint32_t, results->count + 1);
    if (results->count > 0)
        memcpy (ids, results->docids, results->count * sizeof *ids);
    struct idset matches = {ids, idset_normalise (ids, results->count)};
    do
        status = tags_of_matches (ctx, results->index, matches, tags_out);
    while (index_retry (results->index, &status, &attempt));
    talloc_free (ids);
    return status;
}
