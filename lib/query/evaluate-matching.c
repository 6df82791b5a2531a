/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * evaluate-matching.c - messages that share a term of one field with the matches of a query.
 *
 * The stores know the messages of a term, not the terms of a message. So every term of the field is
 * looked at, and kept if one of the matches has it: some microseconds each, for some ten thousand
 * of them at most (fields are short; the body has no such query). Folders are few and are compared
 * by path, without a last "cur" or "new".
 */
#include "folders.h"
#include "query/evaluate-private.h"
#include "query/places.h"
#include "query/plan-leaves.h"
#include "term.h"
#include <glib.h>
#include <string.h>

struct matching {
    struct evaluation *evaluation;
    const struct plan *plan;
    void *ctx;
    struct idset ids;  /* the matches; for text with aliases */
    GHashTable *terms; /* of the field */
    GPtrArray *shared; /* those that one of ids has; of terms */
};

static bool
note_term (void *closure, const char *term, size_t length, uint32_t freq)
{
    struct matching *matching = closure;

    (void) freq;
    g_hash_table_add (matching->terms, g_strndup (term, length));
    return true;
}

static enum mail_status
terms_of_store (struct matching *matching, struct store *store)
{
    enum mail_status status = MAIL_OK;

    for (size_t i = 0; i < matching->plan->start_count && status == MAIL_OK; i++)
        status = store_each_term (store, matching->plan->starts[i], note_term, matching);
    return status == MAIL_OK ? status
                             : index_fail_store (matching->evaluation->index, store, status);
}

static enum mail_status
read_terms (struct matching *matching)
{
    struct mail_index *index = matching->evaluation->index;
    enum mail_status status;

    if (!matching->plan->in_text)
        return terms_of_store (matching, index->state);
    status = index_open_segments (index);
    for (size_t i = 0; i < index->manifest->count && status == MAIL_OK; i++)
        status = terms_of_store (matching, index->segments[i]);
    return status;
}

static enum mail_status
search (struct matching *matching, const struct store_query *query, struct idset *set_out)
{
    struct mail_index *index = matching->evaluation->index;

    return matching->plan->in_text ? index_search_text (matching->ctx, index, query, set_out)
                                   : index_search_state (matching->ctx, index, query, set_out);
}

/* Keeps the terms that one of the matches has. */
static enum mail_status
find_shared (struct matching *matching)
{
    struct store_query ids = {.op = STORE_OP_IDS, .ids = matching->ids};
    struct store_query one = {.op = STORE_OP_TERM};
    struct store_query *children[] = {&one, &ids};
    struct store_query both = {.op = STORE_OP_AND, .children = children, .child_count = 2};
    enum mail_status status = MAIL_OK;
    GHashTableIter iter;
    gpointer term;

    g_hash_table_iter_init (&iter, matching->terms);
    while (status == MAIL_OK && g_hash_table_iter_next (&iter, &term, NULL)) {
        struct idset found = {0};
        one.term = (struct store_term){.text = term, .length = strlen (term)};
        status = search (matching, &both, &found);
        if (status == MAIL_OK && found.count > 0)
            g_ptr_array_add (matching->shared, term);
        talloc_free (found.ids);
    }
    return status;
}

/* A term in another field of the same name: to: is three, and a word of Cc is shared with To. */
static struct store_term
term_in_field (struct matching *matching, const char *term, size_t field)
{
    const struct store_term *starts = matching->plan->starts;
    size_t own = 0;
    char *text;

    while (strncmp (term, starts[own].text, starts[own].length) != 0)
        own++;
    text = talloc_asprintf (matching->ctx, "%s%s", starts[field].text, term + starts[own].length);
    return (struct store_term){.text = text, .length = strlen (text)};
}

static enum mail_status
search_shared (struct matching *matching, struct idset *set_out)
{
    size_t fields = matching->plan->start_count, count = matching->shared->len * fields;
    struct store_query *terms = talloc_zero_array (matching->ctx, struct store_query, count + 1);
    struct store_query any = {.op = STORE_OP_OR, .child_count = count};

    *set_out = (struct idset){0};
    if (count == 0)
        return MAIL_OK;
    any.children = talloc_array (matching->ctx, struct store_query *, count);
    for (size_t i = 0; i < count; i++) {
        terms[i].op = STORE_OP_TERM;
        terms[i].term =
            term_in_field (matching, g_ptr_array_index (matching->shared, i / fields), i % fields);
        any.children[i] = &terms[i];
    }
    return search (matching, &any, set_out);
}

static enum mail_status
share_terms (struct matching *matching, struct idset *set_out)
{
    enum mail_status status = MAIL_OK;

    if (matching->plan->in_text)
        status = evaluate_with_aliases (matching->evaluation, matching->ids, &matching->ids);
    if (status == MAIL_OK)
        status = read_terms (matching);
    if (status == MAIL_OK)
        status = find_shared (matching);
    if (status == MAIL_OK)
        status = search_shared (matching, set_out);
    return status;
}

/* ---- folders ------------------------------------------------------------------------------- */

static enum mail_status
has_match (struct matching *matching, uint32_t folder, bool *has_out)
{
    struct idset all, both;
    struct store_query query = {.op = STORE_OP_TERM, .term = term_folder (matching->ctx, folder)};
    enum mail_status status = search (matching, &query, &all);

    if (status != MAIL_OK)
        return status;
    both = idset_intersect (matching->ctx, all, matching->ids);
    *has_out = both.count > 0;
    talloc_free (both.ids);
    talloc_free (all.ids);
    return MAIL_OK;
}

/* The folder as "folder:" names it. */
static char *
folder_name (void *ctx, const struct mail_folders *folders, uint32_t id)
{
    char *path = mail_folders_path (ctx, folders, id);
    char *slash = strrchr (path, '/');
    char *last = slash != NULL ? slash + 1 : path;

    if (strcmp (last, "cur") == 0 || strcmp (last, "new") == 0)
        *(slash != NULL ? slash : path) = '\0';
    return path;
}

static enum mail_status
share_folders (struct matching *matching, struct idset *set_out)
{
    struct mail_index *index = matching->evaluation->index;
    enum mail_status status = plan_load_folders (index);
    const struct mail_folder *list;
    size_t count;

    *set_out = (struct idset){0};
    if (status != MAIL_OK)
        return status;
    list = mail_folders_list (index->folders, &count);
    for (size_t i = 0; i < count && status == MAIL_OK; i++) {
        bool has = false;
        status = has_match (matching, list[i].id, &has);
        if (has)
            g_hash_table_add (matching->terms,
                              g_strdup (folder_name (matching->ctx, index->folders, list[i].id)));
    }
    for (size_t i = 0; i < count && status == MAIL_OK; i++) {
        struct store_query query = {.op = STORE_OP_TERM};
        struct idset part;
        if (!g_hash_table_contains (matching->terms,
                                    folder_name (matching->ctx, index->folders, list[i].id)))
            continue;
        query.term = term_folder (matching->ctx, list[i].id);
        status = search (matching, &query, &part);
        if (status == MAIL_OK)
            idset_replace (set_out, idset_union (matching->evaluation->ctx, *set_out, part));
    }
    return status;
}

/* ---- the whole ----------------------------------------------------------------------------- */

enum mail_status
evaluate_matching (struct evaluation *evaluation, struct plan *plan, const struct idset *within,
                   struct idset *set_out)
{
    struct matching matching = {.evaluation = evaluation, .plan = plan};
    enum mail_status status = evaluate (evaluation, plan->children[0], NULL, &matching.ids);

    (void) within;
    *set_out = (struct idset){0};
    if (status != MAIL_OK || matching.ids.count == 0)
        return status;
    matching.ctx = talloc_new (evaluation->ctx);
    matching.terms = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    matching.shared = g_ptr_array_new ();
    status = plan->folders ? share_folders (&matching, set_out) : share_terms (&matching, set_out);
    if (status == MAIL_OK)
        talloc_steal (evaluation->ctx, set_out->ids);
    g_ptr_array_free (matching.shared, TRUE);
    g_hash_table_destroy (matching.terms);
    talloc_free (matching.ctx);
    return status;
}
