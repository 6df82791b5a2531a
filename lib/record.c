/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * record.c - records to bytes and back.
 *
 * Reading is the hot side (every listing reads a record a message): strings stay where they are in
 * one copy of the bytes (frame.c). GVariant writes.
 */
#include "record.h"
#include "frame.h"
#include "term.h"
#include "variant.h"

#include <glib.h>
#include <string.h>
#include <talloc.h>

#define RECORD_VERSION 1
#define FILE_TYPE "(uayttxaya(yay))" /* the whole is "(yuxtaayayaaya" FILE_TYPE ")" */

static GVariant *
string_array (const char *const *strings, size_t count)
{
    GVariantBuilder builder;
    g_variant_builder_init (&builder, G_VARIANT_TYPE ("aay"));
    for (size_t i = 0; i < count; i++)
        g_variant_builder_add_value (&builder, g_variant_new_bytestring (strings[i]));
    return g_variant_builder_end (&builder);
}

static GVariant *
encode_file (const struct record_file *file)
{
    GVariantBuilder differs;
    g_variant_builder_init (&differs, G_VARIANT_TYPE ("a(yay)"));
    for (unsigned i = 0; i < MAIL_FIELD_COUNT; i++) {
        if (file->differs[i])
            g_variant_builder_add (&differs, "(y@ay)", (guchar) i,
                                   g_variant_new_bytestring (file->differs[i]));
    }
    return g_variant_new (
        "(u@ayttx@ay@a(yay))", file->folder, g_variant_new_bytestring (file->name),
        file->stat.inode, file->stat.size, file->stat.mtime,
        g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, file->digest, DIGEST_SIZE, 1),
        g_variant_builder_end (&differs));
}

char *
record_encode (void *ctx, const struct record *record, size_t *length_out)
{
    GVariantBuilder files;
    g_variant_builder_init (&files, G_VARIANT_TYPE ("a" FILE_TYPE));
    for (size_t i = 0; i < record->file_count; i++)
        g_variant_builder_add_value (&files, encode_file (&record->files[i]));
    GVariant *whole = g_variant_new (
        "(yuxt@aay@ay@aay@a" FILE_TYPE ")", (guchar) RECORD_VERSION, record->text, record->date,
        record->size, string_array (record->fields, MAIL_FIELD_COUNT),
        g_variant_new_bytestring (record->parent),
        string_array (record->references, record->reference_count), g_variant_builder_end (&files));
    return variant_to_bytes (ctx, whole, length_out);
}

static void
decode_differs (struct frame pairs, struct record_file *file)
{
    size_t count = frame_count (pairs);
    for (size_t i = 0; i < count; i++) {
        struct frame pair = frame_element (pairs, i, 1);
        uint64_t field = frame_number (pair, 0, 1);
        if (pair.length > 0 && field < MAIL_FIELD_COUNT)
            file->differs[field] = frame_text (frame_slice (pair, 1, pair.length));
    }
}

static void
decode_file (struct frame frame, struct record_file *file)
{
    size_t name_end = frame_member_end (frame, 0), digest_end = frame_member_end (frame, 1);
    size_t numbers = (name_end + 7) / 8 * 8;
    struct frame digest = frame_slice (frame, numbers + 24, digest_end);
    file->folder = (uint32_t) frame_number (frame, 0, 4);
    file->name = frame_text (frame_slice (frame, 4, name_end));
    file->stat.inode = frame_number (frame, numbers, 8);
    file->stat.size = frame_number (frame, numbers + 8, 8);
    file->stat.mtime = (int64_t) frame_number (frame, numbers + 16, 8);
    if (digest.length == DIGEST_SIZE)
        memcpy (file->digest, digest.bytes, DIGEST_SIZE);
    decode_differs (frame_slice (frame, digest_end, frame_members_end (frame, 2)), file);
}

static void
decode_lists (void *ctx, struct frame fields, struct frame references, struct frame files,
              struct record *record)
{
    size_t field_count = frame_count (fields);
    for (size_t i = 0; i < MAIL_FIELD_COUNT; i++)
        record->fields[i] = i < field_count ? frame_text (frame_element (fields, i, 1)) : "";
    record->reference_count = frame_count (references);
    record->references = talloc_array (ctx, const char *, record->reference_count + 1);
    for (size_t i = 0; i < record->reference_count; i++)
        record->references[i] = frame_text (frame_element (references, i, 1));
    record->references[record->reference_count] = NULL;
    record->file_count = frame_count (files);
    record->files = talloc_zero_array (ctx, struct record_file, record->file_count + 1);
    for (size_t i = 0; i < record->file_count; i++)
        decode_file (frame_element (files, i, 8), &record->files[i]);
}

bool
record_decode (void *ctx, const char *bytes, size_t length, struct record *record_out)
{
    struct frame whole = {NULL, length - SUM_SIZE};
    size_t fields, parent, references;
    *record_out = (struct record){0};
    if (length <= SUM_SIZE || bytes[0] != RECORD_VERSION)
        return false;
    whole.bytes = talloc_memdup (ctx, bytes, whole.length);
    fields = frame_member_end (whole, 0);
    parent = frame_member_end (whole, 1);
    references = frame_member_end (whole, 2);
    record_out->text = (uint32_t) frame_number (whole, 4, 4);
    record_out->date = (int64_t) frame_number (whole, 8, 8);
    record_out->size = frame_number (whole, 16, 8);
    record_out->parent = frame_text (frame_slice (whole, fields, parent));
    decode_lists (ctx, frame_slice (whole, 24, fields), frame_slice (whole, parent, references),
                  frame_slice (whole, (references + 7) / 8 * 8, frame_members_end (whole, 3)),
                  record_out);
    return true;
}

long
record_find_file (const struct record *record, uint32_t folder, const char *name)
{
    for (size_t i = 0; i < record->file_count; i++) {
        const struct record_file *file = &record->files[i];
        if (file->folder == folder && strcmp (file->name, name) == 0)
            return (long) i;
    }
    return -1;
}

void
record_add_file (void *ctx, struct record *record, const struct record_file *file)
{
    record->files = talloc_realloc (ctx, record->files, struct record_file, record->file_count + 1);
    record->files[record->file_count++] = *file;
}

void
record_drop_file (struct record *record, size_t at)
{
    record->file_count--;
    memmove (&record->files[at], &record->files[at + 1],
             (record->file_count - at) * sizeof *record->files);
}

static bool
has_the_headers (const struct record_file *file)
{
    for (unsigned i = 0; i < MAIL_FIELD_COUNT; i++)
        if (file->differs[i])
            return false;
    return true;
}

void
record_settle (struct record *record)
{
    for (size_t i = 0; i < record->file_count; i++)
        if (has_the_headers (&record->files[i]))
            return;
    for (unsigned i = 0; record->file_count > 0 && i < MAIL_FIELD_COUNT; i++) {
        const char *before = record->fields[i], *now = record->files[0].differs[i];
        if (now == NULL)
            continue;
        record->fields[i] = now;
        for (size_t k = 0; k < record->file_count; k++) {
            const char **differs = &record->files[k].differs[i];
            const char *value = *differs ? *differs : before;
            *differs = strcmp (value, now) == 0 ? NULL : value;
        }
    }
}

bool
record_file_has_words (const struct record_file *file)
{
    static const unsigned char none[DIGEST_SIZE];
    return memcmp (file->digest, none, DIGEST_SIZE) != 0;
}

#define FOLDER_FIXED (4 + 4 * 8)

char *
folder_record_encode (void *ctx, const struct mail_folder *folder, size_t *length_out)
{
    size_t name_length = strlen (folder->name);
    char *bytes = talloc_size (ctx, FOLDER_FIXED + name_length + SUM_SIZE), parent[8];
    value_encode (folder->parent, parent);
    memcpy (bytes, parent + 4, 4);
    value_encode (folder->stat.inode, bytes + 4);
    value_encode (folder->stat.device, bytes + 12);
    value_encode ((uint64_t) folder->stat.mtime, bytes + 20);
    value_encode ((uint64_t) folder->stat.ctime, bytes + 28);
    memcpy (bytes + FOLDER_FIXED, folder->name, name_length);
    sum_append (bytes, FOLDER_FIXED + name_length);
    *length_out = FOLDER_FIXED + name_length + SUM_SIZE;
    return bytes;
}

bool
folder_record_decode (void *ctx, const char *bytes, size_t length, struct mail_folder *folder_out)
{
    if (length < FOLDER_FIXED + SUM_SIZE)
        return false;
    length -= SUM_SIZE;
    *folder_out = (struct mail_folder){
        .parent = (uint32_t) value_decode (bytes, 4),
        .name = talloc_strndup (ctx, bytes + FOLDER_FIXED, length - FOLDER_FIXED),
        .stat = {.inode = value_decode (bytes + 4, 8),
                 .device = value_decode (bytes + 12, 8),
                 .mtime = (int64_t) value_decode (bytes + 20, 8),
                 .ctime = (int64_t) value_decode (bytes + 28, 8)},
    };
    return true;
}
