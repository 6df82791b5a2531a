/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * edit.c - changing mail documents.
 *
 * The terms of a document follow from the message in memory (tags, thread, files), so one function
 * makes them all and the difference to what was read is what gets written. Work expected: a tag on
 * a hundred thousand messages, a dozen terms each.
 */
#include "edit.h"
#include "journal.h"
#include "maildir.h"
#include "schema.h"
#include "term.h"

#include <stdlib.h>
#include <string.h>
#include <talloc.h>

enum mail_status
edit_open (void *ctx, struct writer *writer, uint32_t docid, struct edit **edit_out)
{
    struct edit *edit = talloc_zero (ctx, struct edit);
    bool found;
    edit->message = talloc_zero (edit, struct mail_message);
    edit->message->index = writer->index;
    edit->message->docid = docid;
    enum mail_status status = store_read (edit->message, writer->state, docid,
                                          STORE_DATA | STORE_TERMS, &edit->before, &found);
    if (status != MAIL_OK)
        writer_fail (writer, status);
    if (status != MAIL_OK || !found || !message_from_document (edit->message, &edit->before))
        TALLOC_FREE (edit);
    *edit_out = edit;
    return status;
}

struct edit *
edit_create (void *ctx, struct writer *writer, uint32_t docid, const char *id)
{
    struct edit *edit = talloc_zero (ctx, struct edit);
    edit->is_new = edit->record_changed = true;
    edit->message = talloc_zero (edit, struct mail_message);
    edit->message->index = writer->index;
    edit->message->docid = docid;
    edit->message->id = talloc_strdup (edit->message, id);
    edit->message->tags = talloc_zero_array (edit->message, const char *, 9);
    return edit;
}

/* ---- tags ---- */

/* Place of a tag, or where it would stand. */
static size_t
tag_place (const struct mail_message *message, const char *tag, bool *found_out)
{
    size_t low = 0, high = message->tag_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp (message->tags[middle], tag) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *found_out = low < message->tag_count && strcmp (message->tags[low], tag) == 0;
    return low;
}

bool
edit_has_tag (const struct edit *edit, const char *tag)
{
    bool found;
    tag_place (edit->message, tag, &found);
    return found;
}

bool
edit_add_tag (struct edit *edit, const char *tag)
{
    bool found;
    struct mail_message *message = edit->message;
    size_t at = tag_place (message, tag, &found);
    if (found)
        return false;
    message->tags = talloc_realloc (message, message->tags, const char *, message->tag_count + 2);
    memmove (&message->tags[at + 1], &message->tags[at],
             (message->tag_count + 1 - at) * sizeof *message->tags);
    message->tags[at] = talloc_strdup (message, tag);
    message->tag_count++;
    return true;
}

bool
edit_remove_tag (struct edit *edit, const char *tag)
{
    bool found;
    struct mail_message *message = edit->message;
    size_t at = tag_place (message, tag, &found);
    if (!found)
        return false;
    memmove (&message->tags[at], &message->tags[at + 1],
             (message->tag_count - at) * sizeof *message->tags);
    message->tag_count--;
    return true;
}

bool
edit_tags_changed (const struct edit *edit)
{
    const struct mail_message *message = edit->message;
    size_t count = 0;
    for (size_t i = 0; i < edit->before.term_count; i++) {
        const struct store_term *term = &edit->before.terms[i];
        if (strncmp (term->text, PREFIX_TAG, strlen (PREFIX_TAG)) != 0)
            continue;
        if (count == message->tag_count ||
            strcmp (term->text + strlen (PREFIX_TAG), message->tags[count]) != 0)
            return true;
        count++;
    }
    return count != message->tag_count;
}

bool
edit_remove_all_tags (struct edit *edit)
{
    bool any = edit->message->tag_count > 0;
    edit->message->tag_count = 0;
    edit->message->tags[0] = NULL;
    return any;
}

void
edit_add_file (struct edit *edit, const struct record_file *file)
{
    record_add_file (edit->message, &edit->message->record, file);
    edit->record_changed = edit->files_changed = true;
}

void
edit_drop_file (struct edit *edit, size_t at)
{
    struct record *record = &edit->message->record;
    edit->dropped = talloc_realloc_size (edit, edit->dropped,
                                         (edit->dropped_count + 1) * sizeof *edit->dropped);
    memcpy (edit->dropped[edit->dropped_count++], record->files[at].digest, DIGEST_SIZE);
    record_drop_file (record, at);
    edit->record_changed = edit->files_changed = true;
}

void
edit_drop_doubles (struct edit *edit)
{
    const struct record *record = &edit->message->record;
    for (size_t i = 0; i < record->file_count;) {
        bool doubled = false;
        for (size_t k = i + 1; k < record->file_count && !doubled; k++)
            doubled = record->files[k].folder == record->files[i].folder &&
                      strcmp (record->files[k].name, record->files[i].name) == 0;
        if (doubled)
            edit_drop_file (edit, i);
        else
            i++;
    }
}

/* ---- maildir flags ---- */

/* What the file's name says (maildir_letters). */
static const char *
file_letters (const struct record_file *file, const struct mail_folders *folders)
{
    const struct mail_folder *folder = mail_folders_by_id (folders, file->folder);
    return folder ? maildir_letters (folder->name, file->name) : NULL;
}

static bool
any_has_flag (struct edit *edit, const struct mail_folders *folders, char flag)
{
    const struct record *record = &edit->message->record;
    for (size_t i = 0; i < record->file_count; i++) {
        const char *letters = file_letters (&record->files[i], folders);
        if (letters && strchr (letters, flag))
            return true;
    }
    return false;
}

void
edit_tags_from_flags (struct edit *edit, const struct mail_folders *folders)
{
    const struct record *record = &edit->message->record;
    const struct maildir_flags *flags = edit->message->index->flags;
    bool any = false;
    for (size_t i = 0; i < record->file_count && !any; i++)
        any = file_letters (&record->files[i], folders) != NULL;
    for (size_t i = 0; any && i < flags->count; i++) {
        const struct mail_flag *flag = &flags->list[i];
        if (any_has_flag (edit, folders, flag->letter) != flag->inverse)
            edit_add_tag (edit, flag->tag);
        else
            edit_remove_tag (edit, flag->tag);
    }
}

bool
edit_is_seen (struct edit *edit, const struct mail_folders *folders)
{
    return any_has_flag (edit, folders, 'S');
}

/* ---- writing ---- */

static int
compare_terms (const void *a, const void *b)
{
    const struct store_term *left = a, *right = b;
    size_t shorter = left->length < right->length ? left->length : right->length;
    int order = memcmp (left->text, right->text, shorter);
    if (order)
        return order;
    return left->length < right->length ? -1 : left->length > right->length;
}

/* All terms of the message, in byte order, each once; talloc'd on ctx. */
static struct store_term *
make_terms (void *ctx, const struct mail_message *message, size_t *count_out)
{
    const struct record *record = &message->record;
    size_t count = 0, room = 3 + message->tag_count + 2 * record->file_count + message->other_count;
    struct store_term *terms = talloc_array (ctx, struct store_term, room);
    terms[count++] = term_make_string (terms, TERM_TYPE_MAIL, "");
    terms[count++] = term_make_string (terms, PREFIX_MESSAGE_ID, message->id);
    terms[count++] = term_thread (terms, message->thread);
    for (size_t i = 0; i < message->tag_count; i++)
        terms[count++] = term_make_string (terms, PREFIX_TAG, message->tags[i]);
    for (size_t i = 0; i < record->file_count; i++) {
        terms[count++] = term_folder (terms, record->files[i].folder);
        terms[count++] = term_file (terms, record->files[i].folder, record->files[i].name);
    }
    for (size_t i = 0; i < message->other_count; i++)
        terms[count++] = message->others[i];
    qsort (terms, count, sizeof *terms, compare_terms);
    size_t kept = 1;
    for (size_t i = 1; i < count; i++) {
        if (compare_terms (&terms[i], &terms[kept - 1]) != 0)
            terms[kept++] = terms[i];
    }
    *count_out = kept;
    return terms;
}

/* What is in a and not in b; both in byte order. */
static size_t
difference (const struct store_term *a, size_t a_count, const struct store_term *b, size_t b_count,
            struct store_term *out)
{
    size_t count = 0, j = 0;
    for (size_t i = 0; i < a_count; i++) {
        while (j < b_count && compare_terms (&b[j], &a[i]) < 0)
            j++;
        if (j == b_count || compare_terms (&b[j], &a[i]) != 0)
            out[count++] = a[i];
    }
    return count;
}

static enum mail_status
write_new (struct writer *writer, struct edit *edit, const struct store_term *terms, size_t count,
           const struct message_values *values)
{
    size_t length;
    char *data = record_encode (edit, &edit->message->record, &length);
    return store_put (writer->state, edit->message->docid, terms, count, values->slots,
                      values->count, data, length);
}

static enum mail_status
write_difference (struct writer *writer, struct edit *edit, const struct store_term *terms,
                  size_t count, const struct message_values *values, bool *written)
{
    const struct store_document *before = &edit->before;
    size_t length = 0;
    struct store_term *add = talloc_array (edit, struct store_term, count + 1);
    struct store_term *drop = talloc_array (edit, struct store_term, before->term_count + 1);
    size_t add_count = difference (terms, count, before->terms, before->term_count, add);
    size_t drop_count = difference (before->terms, before->term_count, terms, count, drop);
    *written = add_count || drop_count || edit->record_changed;
    if (!*written)
        return MAIL_OK;
    char *data =
        edit->record_changed ? record_encode (edit, &edit->message->record, &length) : NULL;
    return store_change (writer->state, edit->message->docid, add, add_count, drop, drop_count,
                         values->slots, values->count, data, length);
}

enum mail_status
edit_save (struct writer *writer, struct edit *edit, bool *written_out)
{
    struct mail_message *message = edit->message;
    size_t count;
    struct message_values values;
    bool written = true;
    if (edit->record_changed)
        record_settle (&message->record);
    struct store_term *terms = make_terms (edit, message, &count);
    writer_values (writer, &message->record.date, message->thread, message->record.size, &values);
    enum mail_status status =
        edit->is_new ? write_new (writer, edit, terms, count, &values)
                     : write_difference (writer, edit, terms, count, &values, &written);
    if (status != MAIL_OK)
        return writer_fail (writer, status);
    if (written) {
        writer->changed = true;
        journal_note (writer, edit);
    }
    if (written_out)
        *written_out = written;
    return MAIL_OK;
}
