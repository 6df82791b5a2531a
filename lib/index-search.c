/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * index-search.c - searches of both stores, under the revision that a handle has.
 *
 * The ids of text documents become those of messages here: most are the same; a stale one belongs
 * to nothing, and an alias to the message that state names for it.
 */
#include "index-private.h"
#include "schema.h"
#include "term.h"

#include <string.h>
#include <talloc.h>

void
index_forget_text (struct mail_index *index)
{
    TALLOC_FREE (index->segments);
    TALLOC_FREE (index->stale.ids);
    TALLOC_FREE (index->alias_ids.ids);
    TALLOC_FREE (index->alias_of);
    index->stale.count = index->alias_ids.count = 0;
    index->aliases_loaded = false;
}

enum mail_status
index_open_segments (struct mail_index *index)
{
    if (index->segments)
        return MAIL_OK;
    struct store **segments = talloc_zero_array (index, struct store *, index->manifest->count + 1);
    for (size_t i = 0; i < index->manifest->count; i++) {
        char *error = NULL, *path = talloc_asprintf (segments, "%s/text/%s", index->folder,
                                                     index->manifest->segments[i].name);
        enum mail_status status = store_open (segments, path, STORE_READ, &segments[i], &error);
        if (status != MAIL_OK) {
            index_fail (index, status, "cannot open '%s': %s", path, error);
            talloc_free (segments);
            /* merged away since, or really missing: index_retry() tells by the revision */
            return status == MAIL_ERROR_NO_INDEX ? MAIL_ERROR_CORRUPT : status;
        }
    }
    index->segments = segments;
    return MAIL_OK;
}

static bool
note_alias (void *closure, uint32_t id, const char *value, size_t length)
{
    struct mail_index *index = closure;
    size_t at = index->alias_ids.count++;
    index->alias_ids.ids = talloc_realloc (index, index->alias_ids.ids, uint32_t, at + 1);
    index->alias_of = talloc_realloc (index, index->alias_of, uint32_t, at + 1);
    index->alias_ids.ids[at] = id;
    index->alias_of[at] = (uint32_t) value_decode (value, length);
    return true;
}

enum mail_status
index_load_aliases (struct mail_index *index)
{
    if (index->aliases_loaded)
        return MAIL_OK;
    struct store_term stale = {TERM_TYPE_STALE, strlen (TERM_TYPE_STALE)};
    enum mail_status status = store_postings (index, index->state, stale, &index->stale);
    if (status == MAIL_OK)
        status = store_each_value (index->state, SLOT_ALIAS, note_alias, index);
    if (status != MAIL_OK) {
        index_forget_text (index);
        return index_fail_store (index, index->state, status);
    }
    index->aliases_loaded = true;
    return MAIL_OK;
}

/* The messages that aliases stand for; those are some of alias_ids. */
static struct idset
owners_of (void *ctx, const struct mail_index *index, struct idset aliases)
{
    struct idset owners = {talloc_array (ctx, uint32_t, aliases.count + 1), aliases.count};
    for (size_t i = 0, k = 0; i < aliases.count; i++, k++) {
        while (index->alias_ids.ids[k] != aliases.ids[i])
            k++;
        owners.ids[i] = index->alias_of[k];
    }
    owners.count = idset_normalise (owners.ids, owners.count);
    return owners;
}

/* Few texts are stale or aliases. */
void
index_owners (void *ctx, const struct mail_index *index, struct idset *set)
{
    void *local = talloc_new (NULL);
    struct idset live = idset_subtract (local, *set, index->stale);
    struct idset aliases = idset_intersect (local, live, index->alias_ids);
    struct idset others = idset_subtract (local, live, aliases);
    talloc_free (set->ids);
    *set = idset_union (ctx, others, owners_of (local, index, aliases));
    talloc_free (local);
}

enum mail_status
index_alias_owners (void *ctx, struct mail_index *index, uint32_t first, uint32_t last,
                    struct idset *set_out)
{
    enum mail_status status = index_load_aliases (index);
    if (status != MAIL_OK)
        return status;
    uint32_t *ids = talloc_array (ctx, uint32_t, index->alias_ids.count + 1);
    size_t count = 0;
    for (size_t i = 0; i < index->alias_ids.count; i++) {
        uint32_t text = index->alias_ids.ids[i];
        if (first <= text && text <= last)
            ids[count++] = index->alias_of[i];
    }
    *set_out = (struct idset){ids, idset_normalise (ids, count)};
    return MAIL_OK;
}

enum mail_status
index_search_text (void *ctx, struct mail_index *index, const struct store_query *query,
                   struct idset *set_out)
{
    struct idset all = {NULL, 0};
    enum mail_status status = index_load_aliases (index);
    if (status == MAIL_OK)
        status = index_open_segments (index);
    if (status != MAIL_OK)
        return status;
    for (size_t i = 0; i < index->manifest->count; i++) {
        struct segment *segment = &index->manifest->segments[i];
        struct idset part;
        status = store_search (ctx, index->segments[i], query, &part);
        if (status != MAIL_OK) {
            talloc_free (all.ids);
            return index_fail_store (index, index->segments[i], status);
        }
        all.ids = talloc_realloc (ctx, all.ids, uint32_t, all.count + part.count + 1);
        for (size_t k = 0; k < part.count; k++) {
            if (segment->first <= part.ids[k] && part.ids[k] <= segment->last)
                all.ids[all.count++] = part.ids[k];
        }
        talloc_free (part.ids);
    }
    if (all.count > 0)
        index_owners (ctx, index, &all);
    *set_out = all;
    return MAIL_OK;
}

enum mail_status
index_estimate_text (struct mail_index *index, const struct store_query *query,
                     uint32_t *estimate_out)
{
    uint32_t sum = 0;
    enum mail_status status = index_open_segments (index);
    for (size_t i = 0; status == MAIL_OK && i < index->manifest->count; i++) {
        uint32_t part = 0;
        status = store_estimate (index->segments[i], query, &part);
        if (status != MAIL_OK)
            index_fail_store (index, index->segments[i], status);
        sum += part;
    }
    *estimate_out = sum;
    return status;
}

enum mail_status
index_search_state (void *ctx, struct mail_index *index, const struct store_query *query,
                    struct idset *set_out)
{
    enum mail_status status = store_search (ctx, index->state, query, set_out);
    return status == MAIL_OK ? status : index_fail_store (index, index->state, status);
}

const struct mail_folders *
index_folders (struct mail_index *index)
{
    if (index->folders && index->folders_generation == index->generation)
        return index->folders;
    struct mail_folders *folders;
    if (mail_folders_load (index, index, &folders) != MAIL_OK)
        return NULL;
    talloc_free (index->folders);
    index->folders = folders;
    index->folders_generation = index->generation;
    return folders;
}

enum mail_status
index_all_mail (void *ctx, struct mail_index *index, struct idset *set_out)
{
    struct store_term mail = {TERM_TYPE_MAIL, strlen (TERM_TYPE_MAIL)};
    enum mail_status status = store_postings (ctx, index->state, mail, set_out);
    return status == MAIL_OK ? status : index_fail_store (index, index->state, status);
}

enum mail_status
index_list_mail (void *ctx, struct mail_index *index, struct idset *set_out)
{
    unsigned attempt = 0;
    enum mail_status status;
    do
        status = index_all_mail (ctx, index, set_out);
    while (index_retry (index, &status, &attempt));
    return status;
}
