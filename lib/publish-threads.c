/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * publish-threads.c - which thread a message is in.
 *
 * A message is in one thread with every message it refers to, known or not; an unknown one becomes
 * a ghost, so that two answers to a mail we never got stay together. A batch is joined in memory
 * first (union-find over message-ids and threads of state), so that a thread of n messages arriving
 * in any order costs each document one write: where several threads meet, the one with most
 * documents keeps its number.
 */
#include "publish-private.h"
#include "schema.h"
#include "term.h"

#include <stdlib.h>
#include <string.h>
#include <talloc.h>

static struct node *
find (struct node *node)
{
    while (node->parent != node) {
        node->parent = node->parent->parent;
        node = node->parent;
    }
    return node;
}

static void
join (struct node *a, struct node *b)
{
    a = find (a);
    b = find (b);
    if (a != b)
        b->parent = a;
}

static void
read_type_and_thread (struct node *node, const struct store_document *document)
{
    for (size_t i = 0; i < document->term_count; i++) {
        const char *term = document->terms[i].text;
        if (strcmp (term, TERM_TYPE_MAIL) == 0)
            node->is_mail = true;
        else if (strncmp (term, PREFIX_THREAD, strlen (PREFIX_THREAD)) == 0)
            node->thread = strtoull (term + strlen (PREFIX_THREAD), NULL, 16);
    }
}

static enum mail_status
look_up (struct publish *publish, struct node *node)
{
    struct store *state = publish->writer->state;
    void *local = talloc_new (publish);
    struct store_term term = term_make_string (local, PREFIX_MESSAGE_ID, node->id);
    struct store_document document;
    bool found = false;
    enum mail_status status = store_lookup (state, &term, 1, &node->docid);
    if (status == MAIL_OK && node->docid)
        status = store_read (local, state, node->docid, STORE_TERMS, &document, &found);
    if (status == MAIL_OK && found)
        read_type_and_thread (node, &document);
    if (status != MAIL_OK)
        writer_fail (publish->writer, status);
    talloc_free (local);
    return status;
}

void
threads_set (struct publish *publish, struct node *node, uint64_t thread)
{
    struct node *same = g_hash_table_lookup (publish->by_thread, &thread);
    if (same) {
        join (same, node);
        return;
    }
    uint64_t *key = talloc_memdup (publish, &thread, sizeof thread);
    g_hash_table_insert (publish->by_thread, key, node);
}

enum mail_status
threads_node (struct publish *publish, const char *id, struct node **node_out)
{
    *node_out = g_hash_table_lookup (publish->by_id, id);
    if (*node_out)
        return MAIL_OK;
    struct node *node = talloc_zero (publish, struct node);
    node->id = talloc_strdup (node, id);
    node->parent = node;
    enum mail_status status = look_up (publish, node);
    if (status != MAIL_OK)
        return status;
    g_hash_table_insert (publish->by_id, (char *) node->id, node);
    g_ptr_array_add (publish->nodes, node);
    if (node->thread)
        threads_set (publish, node, node->thread);
    *node_out = node;
    return MAIL_OK;
}

enum mail_status
threads_link (struct publish *publish, struct node *node, const struct record *record)
{
    for (size_t i = 0; i < record->reference_count; i++) {
        struct node *referred;
        if (strcmp (record->references[i], node->id) == 0)
            continue;
        enum mail_status status = threads_node (publish, record->references[i], &referred);
        if (status != MAIL_OK)
            return status;
        join (node, referred);
    }
    return MAIL_OK;
}

/* ---- settling ---- */

static enum mail_status
thread_size (struct publish *publish, uint64_t thread, uint32_t *size_out)
{
    struct store_term term = term_thread (publish, thread);
    enum mail_status status = store_term_freq (publish->writer->state, term, size_out);
    talloc_free ((char *) term.text);
    return status == MAIL_OK ? status : writer_fail (publish->writer, status);
}

/* The columns of documents that change their thread only. */
struct columns {
    uint64_t *dates, *sizes; /* dates: 0 for what is no message */
};

static enum mail_status
read_columns (void *ctx, struct store *state, struct idset ids, struct columns *out)
{
    out->dates = talloc_zero_array (ctx, uint64_t, ids.count + 1);
    out->sizes = talloc_zero_array (ctx, uint64_t, ids.count + 1);
    enum mail_status status = store_values (state, SLOT_DATE, ids.ids, ids.count, out->dates);
    if (status == MAIL_OK)
        status = store_values (state, SLOT_SIZE, ids.ids, ids.count, out->sizes);
    return status;
}

/* Rewrites the documents of thread from, but for those under change, which get it when written. */
static enum mail_status
merge_thread (struct publish *publish, uint64_t from, uint64_t into)
{
    struct writer *writer = publish->writer;
    void *local = talloc_new (publish);
    struct store_term old_term = term_thread (local, from), new_term = term_thread (local, into);
    struct idset ids = {NULL, 0};
    struct columns columns = {NULL, NULL};
    enum mail_status status = store_postings (local, writer->state, old_term, &ids);
    if (status == MAIL_OK)
        status = read_columns (local, writer->state, ids, &columns);
    for (size_t i = 0; status == MAIL_OK && i < ids.count; i++) {
        struct message_values values;
        struct edit *edit = g_hash_table_lookup (publish->by_docid, GUINT_TO_POINTER (ids.ids[i]));
        if (edit) {
            edit->message->thread = into;
            continue;
        }
        int64_t date = value_to_date (columns.dates[i]);
        writer_values (writer, columns.dates[i] ? &date : NULL, into, columns.sizes[i], &values);
        status = store_change (writer->state, ids.ids[i], &new_term, 1, &old_term, 1, values.slots,
                               values.count, NULL, 0);
    }
    writer->changed |= ids.count > 0;
    talloc_free (local);
    return status == MAIL_OK ? status : writer_fail (writer, status);
}

static int
compare_numbers (const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *) a, right = *(const uint64_t *) b;
    return left < right ? -1 : left > right;
}

/* Threads of state that are concerned, ascending, so that the outcome does not depend on hashes. */
static uint64_t *
threads_concerned (struct publish *publish, size_t *count_out)
{
    GHashTableIter iter;
    gpointer key;
    size_t count = 0;
    uint64_t *threads =
        talloc_array (publish, uint64_t, g_hash_table_size (publish->by_thread) + 1);
    g_hash_table_iter_init (&iter, publish->by_thread);
    while (g_hash_table_iter_next (&iter, &key, NULL))
        threads[count++] = *(uint64_t *) key;
    qsort (threads, count, sizeof *threads, compare_numbers);
    *count_out = count;
    return threads;
}

/* At each root: the largest of the threads that meet there. */
static enum mail_status
choose (struct publish *publish, const uint64_t *threads, size_t count)
{
    GHashTable *sizes = g_hash_table_new (NULL, NULL);
    enum mail_status status = MAIL_OK;
    for (size_t i = 0; status == MAIL_OK && i < count; i++) {
        struct node *root = find (g_hash_table_lookup (publish->by_thread, &threads[i]));
        uint32_t size, best = GPOINTER_TO_UINT (g_hash_table_lookup (sizes, root));
        status = thread_size (publish, threads[i], &size);
        if (status == MAIL_OK && (!root->final || size > best)) {
            root->final = threads[i];
            g_hash_table_insert (sizes, root, GUINT_TO_POINTER (size));
        }
    }
    g_hash_table_destroy (sizes);
    return status;
}

static enum mail_status
put_ghost (struct writer *writer, const char *id, uint64_t thread)
{
    void *local = talloc_new (writer);
    struct message_values values;
    struct store_term terms[] = {term_make_string (local, TERM_TYPE_GHOST, ""),
                                 term_make_string (local, PREFIX_MESSAGE_ID, id),
                                 term_thread (local, thread)};
    writer_values (writer, NULL, thread, 0, &values);
    enum mail_status status = store_put (writer->state, writer_new_docid (writer), terms, 3,
                                         values.slots, values.count, NULL, 0);
    talloc_free (local);
    return status == MAIL_OK ? status : writer_fail (writer, status);
}

/* The node's thread is known: writes it where the node is no edited message. */
static enum mail_status
settle_node (struct publish *publish, struct node *node)
{
    struct writer *writer = publish->writer;
    struct node *root = find (node);
    if (!root->final)
        root->final = writer_new_thread (writer);
    if (!node->edit)
        return node->docid ? MAIL_OK : put_ghost (writer, node->id, root->final);
    node->edit->message->thread = root->final;
    if (!node->docid || node->docid == node->edit->message->docid)
        return MAIL_OK;
    enum mail_status status = store_delete (writer->state, node->docid); /* it was a ghost */
    return status == MAIL_OK ? status : writer_fail (writer, status);
}

enum mail_status
threads_settle (struct publish *publish)
{
    size_t count;
    uint64_t *threads = threads_concerned (publish, &count);
    enum mail_status status = choose (publish, threads, count);
    for (size_t i = 0; status == MAIL_OK && i < count; i++) {
        struct node *root = find (g_hash_table_lookup (publish->by_thread, &threads[i]));
        if (root->final != threads[i])
            status = merge_thread (publish, threads[i], root->final);
    }
    for (size_t i = 0; status == MAIL_OK && i < publish->nodes->len; i++)
        status = settle_node (publish, g_ptr_array_index (publish->nodes, i));
    talloc_free (threads);
    return status;
}

/* ---- removals ---- */

static enum mail_status
end_or_keep (struct publish *publish, const struct removal *removal)
{
    struct writer *writer = publish->writer;
    void *local = talloc_new (publish);
    struct idset ids = {NULL, 0};
    bool message_left = false;
    enum mail_status status =
        store_postings (local, writer->state, term_thread (local, removal->thread), &ids);
    uint64_t *dates = talloc_zero_array (local, uint64_t, ids.count + 1);
    if (status == MAIL_OK)
        status = store_values (writer->state, SLOT_DATE, ids.ids, ids.count, dates);
    for (size_t i = 0; i < ids.count; i++)
        message_left |= dates[i] != 0;
    if (status == MAIL_OK && message_left)
        status = put_ghost (writer, removal->id, removal->thread);
    for (size_t i = 0; status == MAIL_OK && !message_left && i < ids.count; i++)
        status = store_delete (writer->state, ids.ids[i]);
    talloc_free (local);
    return status == MAIL_OK ? status : writer_fail (writer, status);
}

enum mail_status
threads_after_removals (struct publish *publish)
{
    enum mail_status status = MAIL_OK;
    for (size_t i = 0; status == MAIL_OK && i < publish->removals->len; i++)
        status = end_or_keep (publish, &g_array_index (publish->removals, struct removal, i));
    return status;
}
