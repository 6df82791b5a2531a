/* SPDX-License-Identifier: GPL-3.0-or-later */
/* problem.c - what could not be indexed, remembered. */
#include "problem.h"
#include "message.h"
#include "schema.h"
#include "term.h"
#include "variant.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

#define PROBLEM_VERSION 0x41 /* apart from the versions of messages' records */
#define PROBLEM_TYPE "(ysxuayttxx)"

static const char *const words[] = {
#define WORD(name, word) [name] = word,
    MAIL_REASON_LIST (WORD)
#undef WORD
};

const char *
mail_reason_word (enum mail_reason reason)
{
    return (unsigned) reason < MAIL_REASON_COUNT ? words[reason] : "unknown";
}

static bool
find_reason (const char *word, enum mail_reason *reason_out)
{
    for (unsigned i = 0; i < MAIL_REASON_COUNT; i++) {
        if (strcmp (word, words[i]) == 0) {
            *reason_out = (enum mail_reason) i;
            return true;
        }
    }
    return false;
}

char *
problem_encode (void *ctx, const struct mail_problem *problem, size_t *length_out)
{
    GVariant *value = g_variant_new (
        "(ysxu@ayttxx)", (guchar) PROBLEM_VERSION, mail_reason_word (problem->reason),
        problem->since, problem->folder, g_variant_new_bytestring (problem->name),
        problem->stat.inode, problem->stat.size, problem->stat.mtime, problem->stat.ctime);
    return variant_to_bytes (ctx, value, length_out);
}

bool
problem_decode (void *ctx, const char *bytes, size_t length, struct mail_problem *problem_out)
{
    guchar version;
    const char *word;
    GVariant *name;
    if (length == 0 || bytes[0] != PROBLEM_VERSION)
        return false;
    GVariant *value = variant_from_bytes (PROBLEM_TYPE, bytes, length);
    *problem_out = (struct mail_problem){0};
    g_variant_get (value, "(y&sxu@ayttxx)", &version, &word, &problem_out->since,
                   &problem_out->folder, &name, &problem_out->stat.inode, &problem_out->stat.size,
                   &problem_out->stat.mtime, &problem_out->stat.ctime);
    problem_out->name = talloc_strdup (ctx, g_variant_get_bytestring (name));
    bool known = find_reason (word, &problem_out->reason);
    g_variant_unref (name);
    g_variant_unref (value);
    return known;
}

static int
compare_problems (const void *a, const void *b)
{
    const struct mail_problem *left = a, *right = b;
    if (left->folder != right->folder)
        return left->folder < right->folder ? -1 : 1;
    return strcmp (left->name, right->name);
}

struct problem_list {
    struct mail_problem *problems;
    size_t count;
};

static void
append_files (struct problem_list *list, const struct mail_message *message,
              enum mail_reason reason)
{
    const struct record *record = &message->record;
    list->problems = talloc_realloc (NULL, list->problems, struct mail_problem,
                                     list->count + record->file_count + 1);
    for (size_t i = 0; i < record->file_count; i++) {
        const struct record_file *file = &record->files[i];
        list->problems[list->count++] = (struct mail_problem){
            .reason = reason,
            .since = file->stat.mtime / 1000000000,
            .folder = file->folder,
            .name = file->name,
            .stat = file->stat,
        };
    }
}

/* Those with one reason; messages stay on ctx, since the names are theirs. */
static enum mail_status
append_in_part (void *ctx, struct mail_index *index, enum mail_reason reason,
                struct problem_list *list)
{
    char *pair = talloc_asprintf (ctx, "%s=%s", PROPERTY_LIMIT, mail_reason_word (reason));
    struct store_term term = term_make_string (ctx, PREFIX_PROPERTY, pair);
    struct idset ids = {NULL, 0};
    unsigned attempt = 0;
    enum mail_status status;
    do
        status = store_postings (ctx, index->state, term, &ids);
    while (index_retry (index, &status, &attempt));
    if (status != MAIL_OK)
        return index_fail_store (index, index->state, status);
    for (size_t i = 0; status == MAIL_OK && i < ids.count; i++) {
        struct mail_message *message;
        status = message_read (ctx, index, ids.ids[i], &message);
        if (status == MAIL_OK && message)
            append_files (list, message, reason);
    }
    return status;
}

enum mail_status
mail_problems_in_part (void *ctx, struct mail_index *index, struct mail_problem **problems_out,
                       size_t *count_out)
{
    static const enum mail_reason reasons[] = {MAIL_REASON_TOO_DEEP, MAIL_REASON_TOO_BIG,
                                               MAIL_REASON_TRUNCATED, MAIL_REASON_TOO_MANY_COPIES};
    struct problem_list list = {talloc_array (NULL, struct mail_problem, 1), 0};
    enum mail_status status = MAIL_OK;
    for (size_t i = 0; status == MAIL_OK && i < G_N_ELEMENTS (reasons); i++)
        status = append_in_part (ctx, index, reasons[i], &list);
    if (list.count > 1)
        qsort (list.problems, list.count, sizeof *list.problems, compare_problems);
    *problems_out = talloc_steal (ctx, list.problems);
    *count_out = list.count;
    return status;
}

enum mail_status
problems_read (void *ctx, struct mail_index *index, struct mail_problem **problems_out,
               size_t *count_out)
{
    struct idset ids = {NULL, 0};
    struct store_term bad = {TERM_TYPE_BAD, strlen (TERM_TYPE_BAD)};
    enum mail_status status = store_postings (ctx, index->state, bad, &ids);
    struct mail_problem *problems = talloc_array (ctx, struct mail_problem, ids.count + 1);
    *count_out = 0;
    for (size_t i = 0; status == MAIL_OK && i < ids.count; i++) {
        struct store_document document;
        bool found;
        status = store_read (problems, index->state, ids.ids[i], STORE_DATA, &document, &found);
        if (status == MAIL_OK && found &&
            problem_decode (problems, document.data, document.data_length, &problems[*count_out]))
            ++*count_out;
    }
    talloc_free (ids.ids);
    if (*count_out > 1)
        qsort (problems, *count_out, sizeof *problems, compare_problems);
    *problems_out = problems;
    return status == MAIL_OK ? status : index_fail_store (index, index->state, status);
}

enum mail_status
mail_problems_load (void *ctx, struct mail_index *index, struct mail_problem **problems_out,
                    size_t *count_out)
{
    unsigned attempt = 0;
    enum mail_status status;
    do
        status = problems_read (ctx, index, problems_out, count_out);
    while (index_retry (index, &status, &attempt));
    return status;
}
