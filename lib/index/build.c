/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build.c - mail files in, a segment and records out.
 *
 * Work expected: blocks of up to some thousand files, a millisecond each.
 */
#include "index/build.h"
#include "clock.h"
#include "files.h"
#include "index/document.h"
#include "index/worker.h"
#include "mime/crypto.h"
#include "mime/mime.h"
#include "schema.h"
#include "term.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <unistd.h>

struct builder {
    struct store_builder *store;
    struct terms *terms;
    const struct build_unlock *unlock;
    uint32_t documents;
    char *error;
};

static const char **
copy_strings (void *ctx, const char *const *strings, size_t count)
{
    const char **copy = talloc_array (ctx, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        copy[i] = talloc_strdup (copy, strings[i]);
    copy[count] = NULL;
    return copy;
}

static struct mail_property *
findings_copy (void *ctx, const struct mail_property *properties, size_t count)
{
    struct mail_property *copy = talloc_array (ctx, struct mail_property, count);
    for (size_t i = 0; i < count; i++)
        copy[i] = (struct mail_property){talloc_strdup (copy, properties[i].key),
                                         talloc_strdup (copy, properties[i].value)};
    return copy;
}

struct parsed_file
parsed_file_copy (void *ctx, const struct parsed_file *file)
{
    struct parsed_file copy = *file;
    copy.problem = file->problem ? talloc_strdup (ctx, file->problem) : NULL;
    if (file->status != MAIL_OK)
        return copy;
    copy.id = talloc_strdup (ctx, file->id);
    copy.limit = file->limit ? talloc_strdup (ctx, file->limit) : NULL;
    copy.tags = copy_strings (ctx, file->tags, file->tag_count);
    copy.properties = findings_copy (ctx, file->properties, file->property_count);
    for (unsigned i = 0; i < MAIL_FIELD_COUNT; i++)
        copy.record.fields[i] = talloc_strdup (ctx, file->record.fields[i]);
    copy.record.parent = talloc_strdup (ctx, file->record.parent);
    copy.record.references =
        copy_strings (ctx, file->record.references, file->record.reference_count);
    copy.record.files = talloc_memdup (ctx, file->record.files, sizeof *file->record.files);
    return copy;
}

enum mail_status
builder_create (void *ctx, const char *scratch, struct terms *terms,
                const struct build_unlock *unlock, struct builder **builder_out, char **error_out)
{
    struct builder *builder = talloc_zero (ctx, struct builder);
    enum mail_status status = store_builder_create (builder, scratch, &builder->store, error_out);
    if (status != MAIL_OK) {
        talloc_free (builder);
        return status;
    }
    builder->terms = terms;
    builder->unlock = unlock;
    terms_new_segment (terms);
    *builder_out = builder;
    return MAIL_OK;
}

static void
take_stat (const struct stat *st, struct mail_stat *stat_out)
{
    *stat_out = (struct mail_stat){
        .device = st->st_dev,
        .inode = st->st_ino,
        .size = (uint64_t) st->st_size,
        .mtime = (int64_t) st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec,
        .ctime = (int64_t) st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec,
    };
}

int
build_open (void *ctx, const char *path, struct parsed_file *file)
{
    struct stat st;
    *file = (struct parsed_file){.status = MAIL_OK};
    /* O_NONBLOCK: a fifo that took the file's place must not stop the run */
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    int error = fd < 0 || fstat (fd, &st) != 0 ? errno : 0;
    if (!error && !S_ISREG (st.st_mode))
        error = EINVAL;
    if (error) {
        if (fd >= 0)
            close (fd);
        file->status = MAIL_ERROR_IO;
        file->vanished = error == ENOENT;
        file->problem =
            talloc_strdup (ctx, error == EINVAL ? "not a regular file" : strerror (error));
        return -1;
    }
    take_stat (&st, &file->stat);
    return fd;
}

void
build_set_stat (struct parsed_file *file, const struct mail_stat *stat)
{
    file->stat = *stat;
    if (file->status != MAIL_OK)
        return;
    file->record.size = stat->size;
    file->record.files->stat = *stat;
}

static void
fill_record (void *ctx, struct mime_message *message, struct parsed_file *file)
{
    static const char *const headers[] = {
#define NAME(field, header) [field] = header,
        MAIL_FIELD_LIST (NAME)
#undef NAME
    };
    struct record *record = &file->record;
    record->date = mime_message_date (message);
    for (unsigned i = 0; i < MAIL_FIELD_COUNT; i++) {
        const char *raw = mime_header_joined (ctx, message, NULL, headers[i]);
        record->fields[i] = raw ? talloc_strdup (ctx, raw) : "";
    }
    const char *subject = mime_message_hidden_subject (message);
    if (subject)
        record->fields[MAIL_SUBJECT] = talloc_strdup (ctx, subject);
    const char *parent = mime_message_parent (message);
    char *parent_id = parent ? term_message_id (ctx, parent) : NULL;
    record->parent = parent_id ? parent_id : "";
    const char *const *references = mime_message_references (message, &record->reference_count);
    record->references = talloc_array (ctx, const char *, record->reference_count + 1);
    for (size_t i = 0; i < record->reference_count; i++)
        record->references[i] = term_message_id (ctx, references[i]);
    record->references[record->reference_count] = NULL;
    record->files = talloc_zero (ctx, struct record_file);
    record->file_count = 1;
}

static void
add_finding (struct parsed_file *file, const char *key, const char *value)
{
    file->properties[file->property_count++] = (struct mail_property){key, value};
}

static void
fill_findings (void *ctx, const struct mime_crypto *crypto, struct parsed_file *file)
{
    file->properties = talloc_array (ctx, struct mail_property, 4 + crypto->session_key_count);
    if (crypto->succeeded)
        add_finding (file, PROPERTY_DECRYPTION, "success");
    if (crypto->failed)
        add_finding (file, PROPERTY_DECRYPTION, "failure");
    if (crypto->mixed_up)
        add_finding (file, PROPERTY_REPAIRED, "mixedup");
    if (crypto->legacy_display)
        add_finding (file, PROPERTY_REPAIRED, "skip-protected-headers-legacy-display");
    for (size_t i = 0; i < crypto->session_key_count; i++)
        add_finding (file, PROPERTY_SESSION_KEY, talloc_strdup (ctx, crypto->session_keys[i]));
}

static void
fill_parsed (void *ctx, struct mime_message *message, struct parsed_file *file)
{
    file->id = term_message_id (ctx, mime_message_id (message));
    const char *const *tags = mime_message_tags (message, &file->tag_count);
    file->tags = copy_strings (ctx, tags, file->tag_count);
    fill_findings (ctx, mime_message_crypto (message), file);
    fill_record (ctx, message, file);
}

static const char *
find_limit (const struct builder *builder, const struct mime_message *message)
{
    enum mail_reason reason;
    if (mime_message_limit (message, &reason))
        return mail_reason_word (reason);
    return terms_are_cut (builder->terms) ? mail_reason_word (MAIL_REASON_TOO_BIG) : NULL;
}

/* The decryption of one message. */
struct opening {
    const struct build_unlock *unlock;
    uint64_t until; /* clock_ms(): no part is begun later */
};

/* What is signed and not encrypted is opened here; the rest by whoever may run gpg. */
static bool
open_layer (void *closure, void *ctx, const struct crypto_request *request, int input,
            struct crypto_result *result_out)
{
    const struct opening *opening = closure;
    const struct build_unlock *unlock = opening->unlock;
    if (request->is_signed)
        return crypto_take_apart (ctx, input, result_out);
    *result_out = (struct crypto_result){.clear = -1};
    if (clock_ms () > opening->until) {
        result_out->error = talloc_strdup (ctx, "it takes too long");
        return false;
    }
    return unlock->open (unlock->closure, ctx, request, input, result_out);
}

static void
unlock_message (const struct builder *builder, const struct build_job *job,
                struct mime_message *message)
{
    enum mail_decrypt decrypt = builder->unlock ? builder->unlock->decrypt : MAIL_DECRYPT_FALSE;
    struct opening opening = {builder->unlock, clock_ms () + (1000 * UNLOCK_SECONDS)};
    struct mime_unlock how = {
        .secret_keys = crypto_has_secret_keys (decrypt),
        .export_key = decrypt == MAIL_DECRYPT_TRUE,
        .session_keys = decrypt == MAIL_DECRYPT_FALSE ? NULL : job->session_keys,
        .open = open_layer,
        .closure = &opening,
    };
    how.decrypt = how.secret_keys || (how.session_keys && *how.session_keys);
    mime_unlock (message, &how);
}

/* Adds one file's words to the document that is being made. */
static bool
add_file (struct builder *builder, void *ctx, const struct build_job *job, int fd,
          struct parsed_file *file)
{
    struct mime_message *message = NULL;
    char *error = NULL;
    file->status = mime_message_parse (ctx, fd, &message, &error);
    if (file->status == MAIL_OK) {
        unlock_message (builder, job, message);
        fill_parsed (ctx, message, file);
        document_add (builder->terms, message);
        file->limit = find_limit (builder, message);
        terms_digest (builder->terms, file->record.files->digest);
    } else {
        file->problem = error ? error : mail_status_text (file->status);
    }
    talloc_free (message);
    return file->status == MAIL_OK;
}

enum mail_status
builder_add (struct builder *builder, void *ctx, const struct build_job *job,
             struct parsed_file *files_out)
{
    bool any = false, all = !job->part;
    terms_clear (builder->terms);
    for (size_t i = 0; i < job->count; i++) {
        bool added = add_file (builder, ctx, job, job->fds[i], &files_out[i]);
        any |= added;
        all &= added;
    }
    if (!any)
        return MAIL_OK;
    if (!all)
        terms_lack_headers (builder->terms);
    builder->documents++;
    enum mail_status status = terms_store (builder->terms, builder->store, job->docid);
    if (status != MAIL_OK)
        builder->error = talloc_strdup (builder, store_builder_error (builder->store));
    return status;
}

enum mail_status
builder_flush (struct builder *builder)
{
    enum mail_status status = store_builder_flush (builder->store);
    if (status != MAIL_OK)
        builder->error = talloc_strdup (builder, store_builder_error (builder->store));
    return status;
}

enum mail_status
builder_finish (struct builder *builder, const char *path, uint32_t first, uint32_t last,
                struct segment *segment_out, bool *made_out)
{
    *made_out = builder->documents > 0;
    if (!*made_out)
        return MAIL_OK;
    enum mail_status status = store_builder_finish (builder->store, path);
    if (status != MAIL_OK) {
        builder->error = talloc_strdup (builder, store_builder_error (builder->store));
        return status;
    }
    *segment_out = (struct segment){.first = first, .last = last, .documents = builder->documents};
    int error = files_sha256 (path, segment_out->sha256, &segment_out->bytes);
    if (error) {
        builder->error = talloc_asprintf (builder, "cannot read '%s': %s", path, strerror (error));
        return files_status (error);
    }
    return MAIL_OK;
}

const char *
builder_error (const struct builder *builder)
{
    return builder->error ? builder->error : "";
}
