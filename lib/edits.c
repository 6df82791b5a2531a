/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * edits.c - changes of many messages, each named by its id.
 *
 * Ids are looked up under the lock, a slice at a time, without any query: ten thousand of them are
 * a few commits. Within a slice a message is read once, altered as often as it is named, and
 * written in order of document ids, which is Xapian's cheap order.
 */
#include "edits.h"
#include "clock.h"
#include "file-flags.h"
#include "journal.h"
#include "lock.h"
#include "properties.h"
#include "schema.h"
#include "slice.h"
#include "term.h"

#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>
#include <unistd.h>

/* ---- one message ---- */

void
edit_apply (struct edit *edit, const struct mail_edit *what)
{
    edit->rename_files |= what->rename_files;
    if (what->remove_tags)
        edit_remove_all_tags (edit);
    for (size_t i = 0; i < what->tag_count; i++) {
        if (what->tags[i].add)
            edit_add_tag (edit, what->tags[i].tag);
        else
            edit_remove_tag (edit, what->tags[i].tag);
    }
    if (what->remove_properties)
        edit_remove_properties (edit, "");
    for (size_t i = 0; i < what->property_count; i++)
        edit_add_property (edit, &what->properties[i]);
}

enum mail_status
edit_check (struct mail_index *index, const struct mail_edit *what)
{
    const char *reason;
    for (size_t i = 0; i < what->tag_count; i++)
        if (what->tags[i].add && mail_tag_check (what->tags[i].tag, &reason) != MAIL_OK)
            return index_fail (index, MAIL_ERROR_ARGUMENT, "cannot add the tag '%s': %s",
                               what->tags[i].tag, reason);
    for (size_t i = 0; i < what->property_count; i++)
        if (!property_is_allowed (&what->properties[i], &reason))
            return index_fail (index, MAIL_ERROR_ARGUMENT, "cannot add the property '%s': %s",
                               what->properties[i].key, reason);
    return MAIL_OK;
}

/* ---- a list ---- */

struct item {
    char *id;
    struct mail_edit edit;
};

struct mail_edits {
    struct mail_index *index;
    void *pool;            /* of what the list points to, but: */
    GStringChunk *strings; /* each tag once */
    char *undo;            /* the command that is taken back; NULL: none. On the pool. */
    int undo_lock;         /* the file "undo"; -1: not taken */
    GArray *list;
    GHashTable *by_id; /* id as in state -> GArray of places in the list; NULL: not needed yet */
};

static void
forget_ids (struct mail_edits *edits)
{
    if (edits->by_id)
        g_hash_table_destroy (edits->by_id);
    edits->by_id = NULL;
}

static int
edits_destroy (struct mail_edits *edits)
{
    forget_ids (edits);
    g_array_unref (edits->list);
    g_string_chunk_free (edits->strings);
    if (edits->undo_lock >= 0)
        close (edits->undo_lock);
    return 0;
}

struct mail_edits *
mail_edits_create (void *ctx, struct mail_index *index)
{
    struct mail_edits *edits = talloc_zero (ctx, struct mail_edits);
    edits->index = index;
    edits->pool = talloc_new (edits);
    edits->strings = g_string_chunk_new (4096);
    edits->list = g_array_new (FALSE, FALSE, sizeof (struct item));
    edits->undo_lock = -1;
    talloc_set_destructor (edits, edits_destroy);
    return edits;
}

size_t
mail_edits_count (const struct mail_edits *edits)
{
    return edits->list->len;
}

static const struct mail_tag_change *
copy_tags (struct mail_edits *edits, const struct mail_edit *from)
{
    if (from->tag_count == 0)
        return NULL;
    struct mail_tag_change *tags =
        talloc_array (edits->pool, struct mail_tag_change, from->tag_count);
    for (size_t i = 0; i < from->tag_count; i++)
        tags[i] = (struct mail_tag_change){
            g_string_chunk_insert_const (edits->strings, from->tags[i].tag), from->tags[i].add};
    return tags;
}

static const struct mail_property *
copy_properties (void *ctx, const struct mail_edit *from)
{
    if (from->property_count == 0)
        return NULL;
    struct mail_property *properties =
        talloc_array (ctx, struct mail_property, from->property_count);
    for (size_t i = 0; i < from->property_count; i++)
        properties[i] =
            (struct mail_property){talloc_strdup (properties, from->properties[i].key),
                                   talloc_strdup (properties, from->properties[i].value)};
    return properties;
}

enum mail_status
mail_edits_add (struct mail_edits *edits, const char *message_id, const struct mail_edit *edit)
{
    enum mail_status status = edit_check (edits->index, edit);
    if (status != MAIL_OK)
        return status;
    struct item item = {talloc_strdup (edits->pool, message_id), *edit};
    item.edit.tags = copy_tags (edits, edit);
    item.edit.properties = copy_properties (edits->pool, edit);
    forget_ids (edits);
    g_array_append_val (edits->list, item);
    return MAIL_OK;
}

void
edits_set_undo (struct mail_edits *edits, const char *who)
{
    edits->undo = talloc_strdup (edits->pool, who);
}

enum mail_status
edits_claim_undo (struct mail_edits *edits)
{
    struct mail_index *index = edits->index;
    if (edits->undo_lock >= 0)
        return MAIL_OK;
    char *path = talloc_asprintf (NULL, "%s/undo", index->folder);
    enum mail_status status = lock_file_wait (path, index->lock_timeout, &edits->undo_lock);
    if (status == MAIL_ERROR_LOCKED)
        index_fail (index, status, "another program is taking a command back");
    else if (status != MAIL_OK)
        index_fail (index, status, "cannot lock '%s': %s", path, strerror (errno));
    talloc_free (path);
    return status;
}

/* Document ids of items from..to of the list; 0 for none. */
static enum mail_status
look_up (struct mail_edits *edits, struct writer *writer, size_t from, size_t to, uint32_t *docids)
{
    void *local = talloc_new (NULL);
    struct store_term *terms = talloc_array (local, struct store_term, to - from);
    for (size_t i = from; i < to; i++) {
        char *id = term_message_id (local, g_array_index (edits->list, struct item, i).id);
        terms[i - from] = term_make_string (local, PREFIX_MESSAGE_ID, id);
    }
    enum mail_status status = store_lookup (writer->state, terms, to - from, docids);
    if (status != MAIL_OK)
        writer_fail (writer, status);
    talloc_free (local);
    return status;
}

/* docids[i] becomes 0 where there is no message, but perhaps a ghost. */
static enum mail_status
alter (struct mail_edits *edits, struct slice *slice, size_t from, size_t to, uint32_t *docids)
{
    enum mail_status status = MAIL_OK;
    for (size_t i = from; status == MAIL_OK && i < to; i++) {
        struct edit *edit = NULL;
        if (docids[i - from])
            status = slice_edit (slice, docids[i - from], &edit);
        if (edit)
            edit_apply (edit, &g_array_index (edits->list, struct item, i).edit);
        else
            docids[i - from] = 0;
    }
    return status;
}

/* *start_out: when the lock had been taken; waiting for it is no reason to do less. */
static enum mail_status
do_slice (struct mail_edits *edits, size_t from, size_t to, uint32_t *docids, uint64_t *start_out,
          uint64_t *written)
{
    struct slice *slice;
    enum mail_status status = slice_begin (edits, edits->index, &slice);
    if (status != MAIL_OK)
        return status;
    *start_out = clock_ms ();
    status = mail_index_refresh (edits->index); /* its folders are the writer's then */
    if (status == MAIL_OK && edits->undo)
        slice_note_undo (slice, edits->undo, to == edits->list->len);
    if (status == MAIL_OK)
        status = look_up (edits, slice_writer (slice), from, to, docids);
    if (status == MAIL_OK)
        status = alter (edits, slice, from, to, docids);
    if (status == MAIL_OK)
        return slice_commit (slice, written);
    slice_cancel (slice);
    return status;
}

enum mail_status
mail_edits_apply (struct mail_edits *edits, mail_missing_fn missing, void *closure,
                  uint64_t *changed_out)
{
    size_t size = SLICE_FIRST, from = 0, count = edits->list->len;
    uint32_t *docids = talloc_array (edits, uint32_t, count);
    enum mail_status status = MAIL_OK;
    uint64_t changed = 0;
    bool ended = false;
    while (status == MAIL_OK && (from < count || (edits->undo && !ended))) {
        size_t to = count - from > size ? from + size : count;
        uint64_t written = 0, start = 0;
        status = do_slice (edits, from, to, docids, &start, &written);
        if (status != MAIL_OK)
            break;
        changed += written;
        for (size_t i = from; missing && i < to; i++)
            if (!docids[i - from])
                missing (closure, g_array_index (edits->list, struct item, i).id);
        size = slice_next (size, start);
        from = to;
        ended = to == count;
    }
    talloc_free (docids);
    forget_ids (edits);
    g_array_set_size (edits->list, 0);
    g_string_chunk_clear (edits->strings);
    talloc_free (edits->pool);
    edits->pool = talloc_new (edits);
    edits->undo = NULL;
    if (changed_out)
        *changed_out = changed;
    return status;
}

/* ---- a list that is asked by id ---- */

static void
free_places (gpointer places)
{
    g_array_unref (places);
}

static void
index_ids (struct mail_edits *edits)
{
    edits->by_id = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, free_places);
    for (guint i = 0; i < edits->list->len; i++) {
        char *id = term_message_id (edits->pool, g_array_index (edits->list, struct item, i).id);
        GArray *places = g_hash_table_lookup (edits->by_id, id);
        if (!places) {
            places = g_array_new (FALSE, FALSE, sizeof (guint));
            g_hash_table_insert (edits->by_id, id, places);
        }
        g_array_append_val (places, i);
    }
}

bool
edits_know (struct mail_edits *edits, const char *id)
{
    if (!edits->by_id)
        index_ids (edits);
    return g_hash_table_contains (edits->by_id, id);
}

void
edits_alter (struct mail_edits *edits, struct edit *edit)
{
    if (!edits_know (edits, edit->message->id))
        return;
    GArray *places = g_hash_table_lookup (edits->by_id, edit->message->id);
    for (guint i = 0; i < places->len; i++) {
        guint place = g_array_index (places, guint, i);
        edit_apply (edit, &g_array_index (edits->list, struct item, place).edit);
    }
}
