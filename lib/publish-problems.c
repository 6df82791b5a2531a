/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * publish-problems.c - remembered problems within a transaction.
 *
 * A problem is a document with the term of its name, as a message has it for each of its files: so
 * a folder's listing knows the name, and whoever drops or adds the name meets the problem.
 */
#include "problem.h"
#include "publish-private.h"
#include "schema.h"
#include "term.h"

#include <string.h>
#include <talloc.h>
#include <time.h>

/* Reads document docid if it is a problem. */
static enum mail_status
read_problem (void *ctx, struct writer *writer, uint32_t docid, struct mail_problem *problem_out,
              bool *is_problem_out)
{
    struct store_document document;
    bool found;
    *is_problem_out = false;
    enum mail_status status =
        store_read (ctx, writer->state, docid, STORE_DATA | STORE_TERMS, &document, &found);
    if (status != MAIL_OK)
        return writer_fail (writer, status);
    for (size_t i = 0; found && i < document.term_count; i++)
        *is_problem_out |= strcmp (document.terms[i].text, TERM_TYPE_BAD) == 0;
    if (*is_problem_out)
        problem_decode (ctx, document.data, document.data_length, problem_out);
    return MAIL_OK;
}

enum mail_status
publish_forget_problem (struct publish *publish, uint32_t docid)
{
    struct mail_problem problem;
    bool is_problem;
    void *local = talloc_new (publish);
    enum mail_status status = read_problem (local, publish->writer, docid, &problem, &is_problem);
    if (status == MAIL_OK && is_problem) {
        status = store_delete (publish->writer->state, docid);
        if (status != MAIL_OK)
            writer_fail (publish->writer, status);
    }
    talloc_free (local);
    return status;
}

/* The message that had the name has it no more. */
static enum mail_status
drop_name (struct publish *publish, uint32_t docid, uint32_t folder, const char *name)
{
    struct edit *edit;
    enum mail_status status = publish_edit (publish, docid, &edit);
    long at = edit ? record_find_file (&edit->message->record, folder, name) : -1;
    if (at >= 0)
        edit_drop_file (edit, (size_t) at);
    return status;
}

/* The document of the name's problem; a new id where it has none. since_out: now, or when a known
 * problem of the same reason began. */
static enum mail_status
find_document (struct publish *publish, void *ctx, const struct mail_problem *wanted, bool read,
               uint32_t *docid_out, int64_t *since_out)
{
    struct idset ids = {NULL, 0};
    struct store_term name = term_file (ctx, wanted->folder, wanted->name);
    enum mail_status status = store_postings (ctx, publish->writer->state, name, &ids);
    *docid_out = 0;
    *since_out = time (NULL);
    if (status != MAIL_OK)
        return writer_fail (publish->writer, status);
    for (size_t i = 0; status == MAIL_OK && i < ids.count; i++) {
        struct mail_problem problem = {0};
        bool is_problem;
        status = read_problem (ctx, publish->writer, ids.ids[i], &problem, &is_problem);
        if (status == MAIL_OK && !is_problem && read)
            status = drop_name (publish, ids.ids[i], wanted->folder, wanted->name);
        if (status != MAIL_OK || !is_problem)
            continue;
        *docid_out = ids.ids[i];
        if (problem.reason == wanted->reason)
            *since_out = problem.since;
    }
    if (status == MAIL_OK && *docid_out == 0)
        *docid_out = writer_new_docid (publish->writer);
    return status;
}

enum mail_status
publish_problem (struct publish *publish, const char *folder, const char *name,
                 enum mail_reason reason, const struct mail_stat *stat, bool read)
{
    void *local = talloc_new (publish);
    struct mail_problem problem = {.reason = reason, .name = name, .stat = *stat};
    uint32_t docid;
    size_t length;
    struct store_term terms[2];
    enum mail_status status = publish_folder (publish, folder, &problem.folder);
    if (status == MAIL_OK) {
        terms[0] = term_file (local, problem.folder, name);
        terms[1] = term_make_string (local, TERM_TYPE_BAD, "");
        status = find_document (publish, local, &problem, read, &docid, &problem.since);
    }
    if (status == MAIL_OK) {
        char *bytes = problem_encode (local, &problem, &length);
        status = store_put (publish->writer->state, docid, terms, 2, NULL, 0, bytes, length);
        if (status != MAIL_OK)
            writer_fail (publish->writer, status);
    }
    talloc_free (local);
    return status;
}
