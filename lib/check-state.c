/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check-state.c - whether every document of state agrees with itself and with the others.
 *
 * A record has a sum. Values stand in columns of their own, but date, size and thread are in the
 * record or among the terms too, a revision is never above the newest, a folder's record has a sum.
 * Nothing is taken for granted that a damaged table could say; work is one pass over all documents.
 */
#include "check.h"
#include "folders.h"
#include "message.h"
#include "metadata.h"
#include "schema.h"
#include "term.h"
#include "variant.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

/* One document. */
struct checked {
    struct check *check;
    uint32_t id;
    struct store_document document;
    uint64_t revisions; /* the newest */
    const char *wrong;  /* the first thing that is */
};

static void
wrong (struct checked *checked, const char *what)
{
    if (!checked->wrong)
        checked->wrong = what;
}

static bool
has_term (const struct store_document *document, struct store_term term)
{
    for (size_t i = 0; i < document->term_count; i++)
        if (document->terms[i].length == term.length &&
            memcmp (document->terms[i].text, term.text, term.length) == 0)
            return true;
    return false;
}

static bool
has_string (const struct store_document *document, const char *string)
{
    return has_term (document, (struct store_term){string, strlen (string)});
}

/* How many terms begin so. */
static size_t
count_terms (const struct store_document *document, const char *prefix)
{
    size_t count = 0;
    for (size_t i = 0; i < document->term_count; i++)
        count += strncmp (document->terms[i].text, prefix, strlen (prefix)) == 0;
    return count;
}

static uint64_t
value_of (struct checked *checked, unsigned slot)
{
    uint64_t value = 0;
    enum mail_status status =
        store_values (checked->check->index->state, slot, &checked->id, 1, &value);
    checked->check->overtaken |= status == MAIL_ERROR_OVERTAKEN;
    if (status != MAIL_OK)
        wrong (checked, "a value cannot be read");
    return value;
}

static void
check_thread (struct checked *checked)
{
    void *local = talloc_new (NULL);
    if (count_terms (&checked->document, PREFIX_THREAD) != 1 ||
        !has_term (&checked->document, term_thread (local, value_of (checked, SLOT_THREAD))))
        wrong (checked, "its thread is not what its value says");
    if (count_terms (&checked->document, PREFIX_MESSAGE_ID) != 1)
        wrong (checked, "it has not one Message-ID");
    if (value_of (checked, SLOT_REVISION) > checked->revisions)
        wrong (checked, "its revision is above the newest");
    talloc_free (local);
}

static void
check_mail (struct checked *checked)
{
    struct mail_message *message = talloc_zero (NULL, struct mail_message);
    const struct store_document *document = &checked->document;
    if (!sum_is_right (document->data, document->data_length) ||
        !message_from_document (message, document)) {
        wrong (checked, "its record is damaged");
        talloc_free (message);
        return;
    }
    const struct record *record = &message->record;
    check_thread (checked);
    if (value_of (checked, SLOT_DATE) != date_to_value (record->date) ||
        value_of (checked, SLOT_SIZE) != record->size)
        wrong (checked, "date or size is not what its value says");
    for (size_t i = 0; i < record->file_count; i++) {
        const struct record_file *file = &record->files[i];
        if (!has_term (document, term_folder (message, file->folder)) ||
            !has_term (document, term_file (message, file->folder, file->name)))
            wrong (checked, "a file of its record is not among its terms");
        if (index_folders (checked->check->index) &&
            !mail_folders_by_id (index_folders (checked->check->index), file->folder))
            wrong (checked, "a file is in a folder that is not there");
    }
    talloc_free (message);
}

static void
check_alias (struct checked *checked)
{
    struct mail_message *message = NULL;
    uint64_t owner = value_of (checked, SLOT_ALIAS);
    void *local = talloc_new (NULL);
    if (owner > UINT32_MAX ||
        message_read_once (local, checked->check->index, (uint32_t) owner, STORE_DATA | STORE_TERMS,
                           &message) != MAIL_OK ||
        !message || message->record.text != checked->id)
        wrong (checked, "it stands for a message that does not have it");
    talloc_free (local);
}

static void
check_document (struct checked *checked)
{
    const struct store_document *document = &checked->document;
    if (has_string (document, TERM_TYPE_MAIL))
        check_mail (checked);
    else if (has_string (document, TERM_TYPE_GHOST))
        check_thread (checked);
    else if (has_string (document, TERM_TYPE_ALIAS))
        check_alias (checked);
    else if (has_string (document, TERM_TYPE_TOMBSTONE) || has_string (document, TERM_TYPE_BAD)) {
        if (!sum_is_right (document->data, document->data_length))
            wrong (checked, "its record is damaged");
    } else if (!has_string (document, TERM_TYPE_STALE) && !has_string (document, TERM_TYPE_FOLDER))
        wrong (checked, "it is of no type");
}

static void
check_documents (struct check *check, uint64_t revision)
{
    struct store *state = check->index->state;
    uint32_t last = store_last_docid (state);
    for (uint32_t id = 1; id <= last && !check->overtaken; id++) {
        void *local = talloc_new (NULL);
        struct checked checked = {.check = check, .id = id, .revisions = revision};
        bool found = false;
        enum mail_status status =
            store_read (local, state, id, STORE_DATA | STORE_TERMS, &checked.document, &found);
        check->overtaken |= status == MAIL_ERROR_OVERTAKEN;
        if (status == MAIL_OK && found)
            check_document (&checked);
        else if (status != MAIL_OK)
            wrong (&checked, store_error (state));
        if (checked.wrong && !check->overtaken)
            check_found (check, MAIL_STORE_STATE, "state", "document %" PRIu32 ": %s", id,
                         checked.wrong);
        talloc_free (local);
    }
}

/* ---- folders ---- */

struct folder_records {
    struct check *check;
    uint32_t count;
};

static bool
check_folder (void *closure, uint32_t id, const char *value, size_t length)
{
    struct folder_records *records = closure;
    records->count++;
    if (!sum_is_right (value, length))
        check_found (records->check, MAIL_STORE_STATE, "state",
                     "folder %" PRIu32 ": its record is damaged", id);
    return true;
}

/* Each folder document has a record. */
static void
check_folders (struct check *check)
{
    struct store *state = check->index->state;
    struct folder_records records = {check, 0};
    uint32_t documents = 0;
    struct store_term type = {TERM_TYPE_FOLDER, strlen (TERM_TYPE_FOLDER)};
    enum mail_status status = store_each_value (state, SLOT_FOLDER, check_folder, &records);
    if (status == MAIL_OK)
        status = store_term_freq (state, type, &documents);
    check->overtaken |= status == MAIL_ERROR_OVERTAKEN;
    if (status != MAIL_OK)
        check_found (check, MAIL_STORE_STATE, "state", "folders: %s", store_error (state));
    else if (records.count != documents)
        check_found (check, MAIL_STORE_STATE, "state",
                     "%" PRIu32 " folders, %" PRIu32 " records of folders", documents,
                     records.count);
}

/* ---- metadata ---- */

/* A decimal number; false for anything else. */
static bool
check_number (struct check *check, const char *key, uint64_t *number_out)
{
    char *text = NULL, *end = NULL;
    *number_out = 0;
    enum mail_status status = store_metadata (check->index, check->index->state, key, &text, NULL);
    check->overtaken |= status == MAIL_ERROR_OVERTAKEN;
    if (status == MAIL_OK)
        *number_out = strtoull (text, &end, 10);
    if (status == MAIL_OK && *end == '\0')
        return true;
    check_found (check, MAIL_STORE_STATE, "state", "'%s' is no number", key);
    return false;
}

void
check_state (struct check *check)
{
    static const char *const numbers[] = {META_SCHEMA, META_NEXT_DOCID, META_NEXT_THREAD,
                                          META_JOURNAL};
    struct mail_index *index = check->index;
    void *local = talloc_new (NULL);
    char *damage = NULL;
    uint64_t number, revision;
    enum mail_status status = store_check (
        local, index->state, talloc_asprintf (local, "%s/state", index->folder), &damage);
    check->overtaken |= status == MAIL_ERROR_OVERTAKEN;
    if (check_fails (check, status, "state", damage)) {
        talloc_free (local);
        return;
    }
    if (damage)
        check_found (check, MAIL_STORE_STATE, "state", "%s", damage);
    for (size_t i = 0; i < G_N_ELEMENTS (numbers); i++)
        check_number (check, numbers[i], &number);
    if (check_number (check, META_NEXT_DOCID, &number) && number <= store_last_docid (index->state))
        check_found (check, MAIL_STORE_STATE, "state", "the next document has an id that is used");
    if (check_number (check, META_REVISION, &revision) && !damage)
        check_documents (check, revision);
    check_folders (check);
    if (mark_is_set (index, META_RESTORING))
        check_found (check, MAIL_STORE_REPAIR, "state", "its repair is not finished");
    talloc_free (local);
}
