/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * publish-tombstones.c - what is kept of a message whose last file has gone.
 *
 * A program that renames files while a scan runs makes a message vanish here and appear there in
 * the next run. So its tags, properties and thread stay for some days in a document that no posting
 * list of a tag, thread or message-id names; whoever brings the Message-ID back gets them again.
 */
#include "publish-private.h"
#include "schema.h"
#include "term.h"
#include "tombstone.h"
#include "variant.h"

#include <string.h>
#include <talloc.h>
#include <time.h>

#define TOMBSTONE_VERSION 0x42 /* apart from those of other records */
#define TOMBSTONE_TYPE "(ytaayaay)"
#define SECONDS_PER_DAY 86400

static char *
encode (void *ctx, const struct mail_message *message, size_t *length_out)
{
    GVariantBuilder tags, properties;
    g_variant_builder_init (&tags, G_VARIANT_TYPE ("aay"));
    g_variant_builder_init (&properties, G_VARIANT_TYPE ("aay"));
    for (size_t i = 0; i < message->tag_count; i++)
        g_variant_builder_add_value (&tags, g_variant_new_bytestring (message->tags[i]));
    for (size_t i = 0; i < message->other_count; i++) {
        const char *text = message->others[i].text;
        if (strncmp (text, PREFIX_PROPERTY, strlen (PREFIX_PROPERTY)) == 0)
            g_variant_builder_add_value (&properties, g_variant_new_bytestring (text));
    }
    GVariant *whole =
        g_variant_new ("(yt@aay@aay)", (guchar) TOMBSTONE_VERSION, message->thread,
                       g_variant_builder_end (&tags), g_variant_builder_end (&properties));
    return variant_to_bytes (ctx, whole, length_out);
}

enum mail_status
publish_put_tombstone (struct publish *publish, struct edit *edit)
{
    struct writer *writer = publish->writer;
    struct mail_message *message = edit->message;
    void *local = talloc_new (publish);
    char when[8];
    size_t length;
    char *bytes = encode (local, message, &length);
    struct store_term terms[] = {term_make_string (local, TERM_TYPE_STALE, ""),
                                 term_make_string (local, TERM_TYPE_TOMBSTONE, ""),
                                 term_make_string (local, PREFIX_GONE, message->id)};
    struct store_value value = {SLOT_GONE, when, sizeof when};
    value_encode ((uint64_t) time (NULL), when);
    enum mail_status status =
        store_put (writer->state, message->docid, terms, 3, &value, 1, bytes, length);
    talloc_free (local);
    return status == MAIL_OK ? status : writer_fail (writer, status);
}

static void
add_strings (struct edit *edit, GVariant *strings, bool tags)
{
    struct mail_message *message = edit->message;
    size_t count = g_variant_n_children (strings);
    for (size_t i = 0; i < count; i++) {
        GVariant *string = g_variant_get_child_value (strings, i);
        const char *text = g_variant_get_bytestring (string);
        if (tags) {
            edit_add_tag (edit, text);
        } else {
            message->others = talloc_realloc (message, message->others, struct store_term,
                                              message->other_count + 1);
            /* a term already: making one of it would hash a hash */
            message->others[message->other_count++] =
                (struct store_term){talloc_strdup (message, text), strlen (text)};
        }
        g_variant_unref (string);
    }
}

/* Gives the message what the bytes of its tombstone say. */
static void
decode (struct edit *edit, const struct store_document *document, uint64_t *thread_out)
{
    guchar version;
    GVariant *tags, *properties;
    if (document->data_length == 0 || (guchar) document->data[0] != TOMBSTONE_VERSION)
        return;
    GVariant *whole = variant_from_bytes (TOMBSTONE_TYPE, document->data, document->data_length);
    g_variant_get (whole, "(yt@aay@aay)", &version, thread_out, &tags, &properties);
    add_strings (edit, tags, true);
    add_strings (edit, properties, false);
    g_variant_unref (tags);
    g_variant_unref (properties);
    g_variant_unref (whole);
}

/* ---- to be read ---- */

enum mail_status
tombstone_list (void *ctx, struct mail_index *index, struct idset *ids_out)
{
    struct store_term term = {TERM_TYPE_TOMBSTONE, strlen (TERM_TYPE_TOMBSTONE)};
    unsigned attempt = 0;
    enum mail_status status;
    do
        status = store_postings (ctx, index->state, term, ids_out);
    while (index_retry (index, &status, &attempt));
    return status == MAIL_OK ? status : index_fail_store (index, index->state, status);
}

static const char **
read_strings (void *ctx, GVariant *strings, size_t *count_out)
{
    size_t count = g_variant_n_children (strings);
    const char **list = talloc_zero_array (ctx, const char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        GVariant *string = g_variant_get_child_value (strings, i);
        list[i] = talloc_strdup (list, g_variant_get_bytestring (string));
        g_variant_unref (string);
    }
    *count_out = count;
    return list;
}

static struct mail_message *
from_document (void *ctx, struct mail_index *index, const struct store_document *document)
{
    guchar version;
    uint64_t thread;
    GVariant *tags, *properties;
    const char *id = NULL;
    for (size_t i = 0; i < document->term_count; i++) {
        const char *text = document->terms[i].text;
        if (strncmp (text, PREFIX_GONE, strlen (PREFIX_GONE)) == 0)
            id = text + strlen (PREFIX_GONE);
    }
    if (!id || document->data_length == 0 || (guchar) document->data[0] != TOMBSTONE_VERSION)
        return NULL;
    struct mail_message *message = talloc_zero (ctx, struct mail_message);
    message->index = index;
    message->id = talloc_strdup (message, id);
    GVariant *whole = variant_from_bytes (TOMBSTONE_TYPE, document->data, document->data_length);
    g_variant_get (whole, "(yt@aay@aay)", &version, &thread, &tags, &properties);
    message->tags = read_strings (message, tags, &message->tag_count);
    const char **terms = read_strings (message, properties, &message->other_count);
    message->others = talloc_array (message, struct store_term, message->other_count);
    for (size_t i = 0; i < message->other_count; i++)
        message->others[i] = (struct store_term){terms[i], strlen (terms[i])};
    g_variant_unref (tags);
    g_variant_unref (properties);
    g_variant_unref (whole);
    return message;
}

enum mail_status
tombstone_read (void *ctx, struct mail_index *index, uint32_t docid,
                struct mail_message **message_out)
{
    struct store_document document;
    unsigned attempt = 0;
    bool found;
    enum mail_status status;
    *message_out = NULL;
    do
        status = store_read (ctx, index->state, docid, STORE_DATA | STORE_TERMS, &document, &found);
    while (index_retry (index, &status, &attempt));
    if (status != MAIL_OK)
        return index_fail_store (index, index->state, status);
    if (found)
        *message_out = from_document (ctx, index, &document);
    return MAIL_OK;
}

/* ---- their time ---- */

static int64_t
oldest_allowed (const struct publish *publish)
{
    int64_t days = publish->options->tombstone_days;
    return time (NULL) - days * SECONDS_PER_DAY;
}

enum mail_status
publish_take_back (struct publish *publish, struct edit *edit, uint64_t *thread_out,
                   bool *was_gone_out)
{
    struct writer *writer = publish->writer;
    void *local = talloc_new (publish);
    struct store_term term = term_make_string (local, PREFIX_GONE, edit->message->id);
    struct store_document document;
    uint32_t docid = 0;
    uint64_t gone = 0;
    *thread_out = 0;
    *was_gone_out = false;
    enum mail_status status = store_lookup (writer->state, &term, 1, &docid);
    if (status == MAIL_OK && docid)
        status = store_values (writer->state, SLOT_GONE, &docid, 1, &gone);
    if (status == MAIL_OK && docid && (int64_t) gone > oldest_allowed (publish))
        status = store_read (local, writer->state, docid, STORE_DATA, &document, was_gone_out);
    if (status != MAIL_OK)
        writer_fail (writer, status);
    if (status == MAIL_OK && *was_gone_out) {
        decode (edit, &document, thread_out);
        status = writer_put_stale (writer, docid);
    }
    talloc_free (local);
    return status;
}

enum mail_status
publish_expire_tombstones (struct publish *publish)
{
    struct writer *writer = publish->writer;
    struct idset old = {NULL, 0};
    int64_t before = oldest_allowed (publish);
    enum mail_status status = store_value_range (publish, writer->state, SLOT_GONE, 0,
                                                 before > 0 ? (uint64_t) before : 0, &old);
    if (status != MAIL_OK)
        writer_fail (writer, status);
    for (size_t i = 0; status == MAIL_OK && i < old.count; i++)
        status = writer_put_stale (writer, old.ids[i]);
    talloc_free (old.ids);
    return status;
}
