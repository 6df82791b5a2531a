/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * folder-files.c - the files of a folder, as state has them.
 *
 * Their names are in the terms that begin with the folder's id, in order; a name that is too long
 * for a term stands in the record of its message or problem.
 */
#include "folders.h"
#include "index-private.h"
#include "problem.h"
#include "record.h"
#include "schema.h"
#include "term.h"

#include <stdlib.h>
#include <string.h>
#include <talloc.h>
struct names {
    char **list;
    size_t count, room, skip;  /* skip: bytes of the term before the name */
    struct store_term *hashed; /* terms of names that were too long for one */
    size_t hashed_count;
};

static void
add_name (struct names *names, const char *name, size_t length)
{
    if (names->count == names->room)
        names->list =
            talloc_realloc (NULL, names->list, char *, names->room = 2 * names->room + 16);
    names->list[names->count++] = talloc_strndup (names->list, name, length);
}

static bool
note_name (void *closure, const char *term, size_t length, uint32_t freq)
{
    struct names *names = closure;
    (void) freq;
    if (length <= TERM_MAX) {
        add_name (names, term + names->skip, length - names->skip);
        return true;
    }
    names->hashed =
        talloc_realloc (NULL, names->hashed, struct store_term, names->hashed_count + 1);
    names->hashed[names->hashed_count++] =
        (struct store_term){talloc_strndup (names->hashed, term, length), length};
    return true;
}

/* The files that a document has names for: those of a message, or the one of a problem. False where
 * it is neither. */
static bool
files_of_document (void *ctx, const struct store_document *document, struct record *record_out)
{
    struct mail_problem problem;
    if (record_decode (ctx, document->data, document->data_length, record_out))
        return true;
    if (!problem_decode (ctx, document->data, document->data_length, &problem))
        return false;
    struct record_file file = {
        .folder = problem.folder, .name = problem.name, .stat = problem.stat};
    *record_out = (struct record){0};
    record_add_file (ctx, record_out, &file);
    return true;
}

/* The names behind a hashed term: they are in the records of its documents. */
static enum mail_status
add_hashed (struct store *state, uint32_t folder, struct store_term term, struct names *names)
{
    void *local = talloc_new (NULL);
    struct idset set = {NULL, 0};
    enum mail_status status = store_postings (local, state, term, &set);
    for (size_t i = 0; status == MAIL_OK && i < set.count; i++) {
        struct store_document document;
        struct record record;
        bool found;
        status = store_read (local, state, set.ids[i], STORE_DATA, &document, &found);
        if (status != MAIL_OK || !found || !files_of_document (local, &document, &record))
            continue;
        for (size_t k = 0; k < record.file_count; k++) {
            const char *name = record.files[k].name;
            struct store_term made = term_file (local, folder, name);
            if (record.files[k].folder == folder && made.length == term.length &&
                memcmp (made.text, term.text, term.length) == 0)
                add_name (names, name, strlen (name));
        }
    }
    talloc_free (local);
    return status;
}

static int
compare_names (const void *a, const void *b)
{
    return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static enum mail_status
read_names (struct store *state, uint32_t folder, struct names *names)
{
    char prefix[32];
    names->skip = (size_t) snprintf (prefix, sizeof prefix, PREFIX_FILE "%u:", folder);
    struct store_term term = {prefix, names->skip};
    enum mail_status status = store_each_term (state, term, note_name, names);
    for (size_t i = 0; status == MAIL_OK && i < names->hashed_count; i++)
        status = add_hashed (state, folder, names->hashed[i], names);
    if (names->hashed_count && names->count)
        qsort (names->list, names->count, sizeof *names->list, compare_names);
    return status;
}

enum mail_status
folders_read_files (void *ctx, struct store *state, uint32_t folder, char ***names_out,
                    size_t *count_out)
{
    struct names names = {0};
    enum mail_status status = read_names (state, folder, &names);
    talloc_free (names.hashed);
    if (status != MAIL_OK) {
        talloc_free (names.list);
        return status;
    }
    *names_out = talloc_steal (ctx, names.list);
    *count_out = names.count;
    return MAIL_OK;
}

enum mail_status
mail_folder_files (void *ctx, struct mail_index *index, uint32_t folder, char ***names_out,
                   size_t *count_out)
{
    unsigned attempt = 0;
    enum mail_status status;
    do {
        status = folders_read_files (ctx, index->state, folder, names_out, count_out);
        if (status != MAIL_OK)
            index_fail_store (index, index->state, status);
    } while (index_retry (index, &status, &attempt));
    return status;
}

static enum mail_status
read_file_stat (struct mail_index *index, uint32_t folder, const char *name,
                struct mail_stat *stat_out, bool *found_out)
{
    void *local = talloc_new (NULL);
    struct store_term term = term_file (local, folder, name);
    struct idset set = {NULL, 0};
    enum mail_status status = store_postings (local, index->state, term, &set);
    *found_out = false;
    for (size_t i = 0; status == MAIL_OK && i < set.count && !*found_out; i++) {
        struct store_document document;
        struct record record;
        bool found;
        status = store_read (local, index->state, set.ids[i], STORE_DATA, &document, &found);
        if (status != MAIL_OK || !found || !files_of_document (local, &document, &record))
            continue;
        long at = record_find_file (&record, folder, name);
        if (at >= 0) {
            *stat_out = record.files[at].stat;
            *found_out = true;
        }
    }
    talloc_free (local);
    return status;
}

enum mail_status
mail_folder_file_stat (struct mail_index *index, uint32_t folder, const char *name,
                       struct mail_stat *stat_out, bool *found_out)
{
    unsigned attempt = 0;
    enum mail_status status;
    do {
        status = read_file_stat (index, folder, name, stat_out, found_out);
        if (status != MAIL_OK)
            index_fail_store (index, index->state, status);
    } while (index_retry (index, &status, &attempt));
    return status;
}
