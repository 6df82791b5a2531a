/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * message.c - one message of state and its accessors.
 *
 * The term list gives id, thread and tags, the data the rest; no mail file is opened. Reading one
 * is the unit of every listing, so decoding of headers waits until somebody asks.
 */
#include "message.h"
#include "folders.h"
#include "mime/mime.h"
#include "schema.h"
#include "term.h"

#include <stdlib.h>
#include <string.h>
#include <talloc.h>

static const char *
term_value (const struct store_term *term, const char *prefix)
{
    size_t length = strlen (prefix);
    if (term->length < length || memcmp (term->text, prefix, length) != 0)
        return NULL;
    return term->text + length;
}

static void
add_tag (struct mail_message *message, const char *tag)
{
    if (message->tag_count % 8 == 0)
        message->tags =
            talloc_realloc (message, message->tags, const char *, message->tag_count + 9);
    message->tags[message->tag_count++] = tag;
    message->tags[message->tag_count] = NULL;
}

static bool
is_file_term (const struct store_term *term)
{
    return term_value (term, PREFIX_FOLDER) || term_value (term, PREFIX_FILE);
}

static void
add_other (struct mail_message *message, const struct store_term *term)
{
    message->others =
        talloc_realloc (message, message->others, struct store_term, message->other_count + 1);
    message->others[message->other_count++] = *term;
}

/* A record of nothing, for a message of which only the terms were read. */
static bool
empty_record (struct mail_message *message)
{
    struct record *record = &message->record;
    for (unsigned i = 0; i < MAIL_FIELD_COUNT; i++)
        record->fields[i] = "";
    record->parent = "";
    record->references = talloc_zero_array (message, const char *, 1);
    return true;
}

bool
message_from_document (struct mail_message *message, const struct store_document *document)
{
    bool is_mail = false;
    const char *value;
    message->tags = talloc_zero_array (message, const char *, 9);
    for (size_t i = 0; i < document->term_count; i++) {
        const struct store_term *term = &document->terms[i];
        if (strcmp (term->text, TERM_TYPE_MAIL) == 0)
            is_mail = true;
        else if ((value = term_value (term, PREFIX_TAG)) != NULL)
            add_tag (message, value);
        else if ((value = term_value (term, PREFIX_MESSAGE_ID)) != NULL)
            message->id = value;
        else if ((value = term_value (term, PREFIX_THREAD)) != NULL)
            message->thread = strtoull (value, NULL, 16);
        else if (!is_file_term (term))
            add_other (message, term);
    }
    if (!is_mail || !message->id)
        return false;
    return document->data
               ? record_decode (message, document->data, document->data_length, &message->record)
               : empty_record (message);
}

/* Of what was a message when its id was found: its record alone. Without files it is none now. */
static bool
message_from_record (struct mail_message *message, const struct store_document *document)
{
    message->tags = talloc_zero_array (message, const char *, 1);
    message->id = "";
    return record_decode (message, document->data, document->data_length, &message->record) &&
           message->record.file_count > 0;
}

enum mail_status
message_read_once (void *ctx, struct mail_index *index, uint32_t docid, unsigned parts,
                   struct mail_message **message_out)
{
    struct mail_message *message = talloc_zero (ctx, struct mail_message);
    struct store_document document;
    bool found;
    message->index = index;
    message->docid = docid;
    enum mail_status status = store_read (message, index->state, docid, parts, &document, &found);
    bool is_mail = status == MAIL_OK && found &&
                   (parts & STORE_TERMS ? message_from_document (message, &document)
                                        : message_from_record (message, &document));
    if (!is_mail) {
        if (status != MAIL_OK)
            index_fail_store (index, index->state, status);
        TALLOC_FREE (message);
    }
    *message_out = message;
    return status;
}

enum mail_status
message_read (void *ctx, struct mail_index *index, uint32_t docid,
              struct mail_message **message_out)
{
    return message_read_parts (ctx, index, docid, STORE_DATA | STORE_TERMS, message_out);
}

enum mail_status
message_read_parts (void *ctx, struct mail_index *index, uint32_t docid, unsigned parts,
                    struct mail_message **message_out)
{
    unsigned attempt = 0;
    enum mail_status status;
    do
        status = message_read_once (ctx, index, docid, parts, message_out);
    while (index_retry (index, &status, &attempt));
    return status;
}

static enum mail_status
find_docid (struct mail_index *index, const char *message_id, uint32_t *docid_out)
{
    unsigned attempt = 0;
    enum mail_status status;
    void *local = talloc_new (NULL);
    char *id = term_message_id (local, message_id);
    struct store_term term = term_make_string (local, PREFIX_MESSAGE_ID, id);
    do {
        status = store_lookup (index->state, &term, 1, docid_out);
        if (status != MAIL_OK)
            index_fail_store (index, index->state, status);
    } while (index_retry (index, &status, &attempt));
    talloc_free (local);
    return status;
}

enum mail_status
mail_message_find (void *ctx, struct mail_index *index, const char *message_id,
                   struct mail_message **message_out)
{
    uint32_t docid;
    uint64_t generation;
    struct mail_message *message;
    enum mail_status status;
    do {
        generation = index->generation;
        message = NULL;
        status = find_docid (index, message_id, &docid);
        if (status == MAIL_OK && docid)
            status = message_read (ctx, index, docid, &message);
        /* overtaken in between, it may have another document by now */
    } while (status == MAIL_OK && !message && index->generation != generation);
    if (status == MAIL_OK)
        *message_out = message;
    return status;
}

uint32_t
mail_message_docid (const struct mail_message *message)
{
    return message->docid;
}

const char *
mail_message_id (const struct mail_message *message)
{
    return message->id;
}

uint64_t
mail_message_thread (const struct mail_message *message)
{
    return message->thread;
}

int64_t
mail_message_date (const struct mail_message *message)
{
    return message->record.date;
}

uint64_t
mail_message_size (const struct mail_message *message)
{
    return message->record.size;
}

uint64_t
mail_message_revision (const struct mail_message *message)
{
    struct mail_index *index = message->index;
    uint64_t revision = 0;
    unsigned attempt = 0;
    enum mail_status status;
    do {
        status = store_values (index->state, SLOT_REVISION, &message->docid, 1, &revision);
        if (status != MAIL_OK)
            index_fail_store (index, index->state, status);
    } while (index_retry (index, &status, &attempt));
    return status == MAIL_OK ? revision : 0;
}

const char *
message_raw_field (const struct mail_message *message, enum mail_field field)
{
    return (unsigned) field < MAIL_FIELD_COUNT ? message->record.fields[field] : "";
}

const char *
mail_message_field (const struct mail_message *constant, enum mail_field field)
{
    struct mail_message *message = (struct mail_message *) constant;
    if ((unsigned) field >= MAIL_FIELD_COUNT)
        return "";
    if (!message->decoded[field])
        message->decoded[field] = mime_decode_text (message, message->record.fields[field]);
    return message->decoded[field];
}

const char *const *
mail_message_tags (const struct mail_message *message, size_t *count_out)
{
    if (count_out)
        *count_out = message->tag_count;
    return message->tags;
}

const char *const *
mail_message_references (const struct mail_message *message, size_t *count_out)
{
    if (count_out)
        *count_out = message->record.reference_count;
    return message->record.references;
}

const char *
mail_message_parent (const struct mail_message *message)
{
    return *message->record.parent ? message->record.parent : NULL;
}

static int
compare_files (const void *a, const void *b)
{
    const struct mail_file *left = a, *right = b;
    int order = strcmp (left->folder, right->folder);
    return order ? order : strcmp (left->name, right->name);
}

/* Paths of the folders; a failure leaves the paths relative to nothing, which opening then tells.
 */
static void
name_files (struct mail_message *message)
{
    struct mail_index *index = message->index;
    struct record *record = &message->record;
    const struct mail_folders *folders = index_folders (index);
    message->files = talloc_zero_array (message, struct mail_file, record->file_count + 1);
    for (size_t i = 0; i < record->file_count; i++) {
        message->files[i].name = record->files[i].name;
        message->files[i].folder =
            folders ? mail_folders_path (message, folders, record->files[i].folder) : "";
    }
    qsort (message->files, record->file_count, sizeof *message->files, compare_files);
}

const struct mail_file *
mail_message_files (const struct mail_message *constant, size_t *count_out)
{
    struct mail_message *message = (struct mail_message *) constant;
    if (!message->files)
        name_files (message);
    if (count_out)
        *count_out = message->record.file_count;
    return message->files;
}

char *
mail_file_path (void *ctx, const struct mail_index *index, const struct mail_file *file)
{
    if (*file->folder == '\0')
        return talloc_asprintf (ctx, "%s/%s", index->mail_root, file->name);
    return talloc_asprintf (ctx, "%s/%s/%s", index->mail_root, file->folder, file->name);
}
