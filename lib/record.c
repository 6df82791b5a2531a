/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * record.c - records to bytes and back.
 *
 * Reading is the hot side (every listing reads a record a message), so it is one pass;
 * strings are copied, since GVariant may have to serialise anew what it does not trust.
 */
#include "record.h"
#include "term.h"
#include "variant.h"

#include <glib.h>
#include <string.h>
#include <talloc.h>

#define RECORD_VERSION 1
#define FILE_TYPE "(uayttxaya(yay))"
#define RECORD_TYPE "(yuxtaayayaaya" FILE_TYPE ")"

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

static const char *
copy_string (void *ctx, GVariant *bytestring)
{
    const char *text = g_variant_get_bytestring (bytestring);
    return talloc_strdup (ctx, text);
}

static const char *
string_child (void *ctx, GVariant *container, size_t at)
{
    GVariant *child = g_variant_get_child_value (container, at);
    const char *text = copy_string (ctx, child);
    g_variant_unref (child);
    return text;
}

static void
decode_differs (void *ctx, GVariant *pairs, struct record_file *file)
{
    GVariantIter iter;
    guchar field;
    GVariant *value;
    g_variant_iter_init (&iter, pairs);
    while (g_variant_iter_next (&iter, "(y@ay)", &field, &value)) {
        if (field < MAIL_FIELD_COUNT)
            file->differs[field] = copy_string (ctx, value);
        g_variant_unref (value);
    }
}

static void
decode_file (void *ctx, GVariant *variant, struct record_file *file)
{
    GVariant *name, *digest, *differs;
    gsize length;
    g_variant_get (variant, "(u@ayttx@ay@a(yay))", &file->folder, &name, &file->stat.inode,
                   &file->stat.size, &file->stat.mtime, &digest, &differs);
    file->name = copy_string (ctx, name);
    const void *bytes = g_variant_get_fixed_array (digest, &length, 1);
    if (length == DIGEST_SIZE)
        memcpy (file->digest, bytes, DIGEST_SIZE);
    decode_differs (ctx, differs, file);
    g_variant_unref (name);
    g_variant_unref (digest);
    g_variant_unref (differs);
}

static void
decode_parts (void *ctx, GVariant *fields, GVariant *references, GVariant *files,
              struct record *record)
{
    size_t field_count = g_variant_n_children (fields);
    for (size_t i = 0; i < MAIL_FIELD_COUNT; i++)
        record->fields[i] = i < field_count ? string_child (ctx, fields, i) : "";
    record->reference_count = g_variant_n_children (references);
    record->references = talloc_array (ctx, const char *, record->reference_count + 1);
    for (size_t i = 0; i < record->reference_count; i++)
        record->references[i] = string_child (ctx, references, i);
    record->references[record->reference_count] = NULL;
    record->file_count = g_variant_n_children (files);
    record->files = talloc_zero_array (ctx, struct record_file, record->file_count + 1);
    for (size_t i = 0; i < record->file_count; i++) {
        GVariant *file = g_variant_get_child_value (files, i);
        decode_file (ctx, file, &record->files[i]);
        g_variant_unref (file);
    }
}

bool
record_decode (void *ctx, const char *bytes, size_t length, struct record *record_out)
{
    *record_out = (struct record){0};
    if (length == 0 || bytes[0] != RECORD_VERSION)
        return false;
    GVariant *whole = variant_from_bytes (RECORD_TYPE, bytes, length);
    guchar version;
    GVariant *fields, *parent, *references, *files;
    g_variant_get (whole, "(yuxt@aay@ay@aay@a" FILE_TYPE ")", &version, &record_out->text,
                   &record_out->date, &record_out->size, &fields, &parent, &references, &files);
    record_out->parent = copy_string (ctx, parent);
    decode_parts (ctx, fields, references, files, record_out);
    g_variant_unref (fields);
    g_variant_unref (parent);
    g_variant_unref (references);
    g_variant_unref (files);
    g_variant_unref (whole);
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
