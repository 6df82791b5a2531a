/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan-leaves.c - leaves → terms of text, terms of state, folders and ranges of columns.
 *
 * Terms of state are looked up while the plan is made (some microseconds each): what does not exist
 * is NOTHING, and most queries turn out to be of one store.
 */
#include "query/plan-leaves.h"
#include "folders.h"
#include "problem.h"
#include "query/places.h"
#include "query/plan-pattern.h"
#include "query/plan-regex.h"
#include "term.h"
#include <glib.h>
#include <string.h>
#include <talloc.h>

/* ---- beginnings of terms ------------------------------------------------------------------- */

static bool
note_found (void *closure, const char *term, size_t length, uint32_t freq)
{
    (void) term;
    (void) length;
    (void) freq;
    *(bool *) closure = true;
    return false;
}

/* Terms of state of one kind that begin with text; NOTHING where there is none. */
static enum mail_status
state_starts (struct planner *planner, const char *prefix, const char *text, size_t length,
              bool others, struct plan **plan_out)
{
    struct plan *plan = plan_node (planner->ctx, PLAN_STARTS);
    bool found = false;
    enum mail_status status;

    plan_starts_add (plan, prefix, text, length);
    plan->others = others;
    status = store_each_term (planner->index->state, plan->starts[0], note_found, &found);
    if (status != MAIL_OK)
        return index_fail_store (planner->index, planner->index->state, status);
    *plan_out = found ? plan : plan_node (planner->ctx, PLAN_NOTHING);
    return MAIL_OK;
}

/* ---- terms of state ------------------------------------------------------------------------ */

/* Documents of a term; NOTHING where state does not have it. */
static enum mail_status
state_term (struct planner *planner, const char *prefix, const char *value, size_t length,
            struct plan **plan_out)
{
    struct store_term term = term_make (planner->ctx, prefix, value, length);
    struct plan *plan;
    uint32_t freq = 0;
    enum mail_status status = store_term_freq (planner->index->state, term, &freq);

    if (status != MAIL_OK)
        return index_fail_store (planner->index, planner->index->state, status);
    plan = freq > 0 ? plan_state_term (planner->ctx, term) : plan_node (planner->ctx, PLAN_NOTHING);
    /* What is known from references only, or gone, has an id and a thread too. */
    plan->ids = strcmp (prefix, PREFIX_MESSAGE_ID) == 0;
    plan->others = plan->ids || strcmp (prefix, PREFIX_THREAD) == 0;
    plan->estimate = freq;
    plan->estimated = true;
    *plan_out = plan;
    return MAIL_OK;
}

static enum mail_status
id_term (struct planner *planner, const char *value, struct plan **plan_out)
{
    char *id = term_message_id (planner->ctx, value);
    enum mail_status status = state_term (planner, PREFIX_MESSAGE_ID, id, strlen (id), plan_out);

    talloc_free (id);
    return status;
}

/* ---- folders ------------------------------------------------------------------------------- */

enum mail_status
plan_load_folders (struct mail_index *index)
{
    struct mail_folders *folders;
    enum mail_status status;

    if (index->folders != NULL && index->folders_generation == index->generation)
        return MAIL_OK;
    status = folders_read (index, index->state, &folders);
    if (status != MAIL_OK)
        return index_fail_store (index, index->state, status);
    talloc_free (index->folders);
    index->folders = folders;
    index->folders_generation = index->generation;
    return MAIL_OK;
}

struct plan *
plan_folders (struct planner *planner, struct idset folders)
{
    struct plan **plans = talloc_array (planner->ctx, struct plan *, folders.count);
    struct plan *plan;

    for (size_t i = 0; i < folders.count; i++)
        plans[i] = plan_state_term (planner->ctx, term_folder (planner->ctx, folders.ids[i]));
    plan = plan_join (planner->ctx, PLAN_OR, plans, folders.count);
    talloc_free (plans);
    return plan;
}

typedef struct idset (*places_fn) (void *ctx, const struct mail_folders *folders,
                                   const char *value);

static enum mail_status
folder_plan (struct planner *planner, places_fn places, const char *value, struct plan **plan_out)
{
    enum mail_status status = plan_load_folders (planner->index);
    struct idset set;

    if (status != MAIL_OK)
        return status;
    set = places (planner->ctx, planner->index->folders, value);
    *plan_out = plan_folders (planner, set);
    talloc_free (set.ids);
    return MAIL_OK;
}

/* ---- leaves -------------------------------------------------------------------------------- */

/* What a word without a prefix, and not stemmed, finds in state: "Inbox" is also a tag. */
static enum mail_status
bare_exact (struct planner *planner, const struct word *word, struct plan **parts, size_t *count)
{
    static const char *const prefixes[] = {PREFIX_TAG, PREFIX_MESSAGE_ID, PREFIX_THREAD};
    static const places_fn places[] = {places_by_path, places_by_folder};
    enum mail_status status;

    for (size_t i = 0; i < 3; i++) {
        status = state_term (planner, prefixes[i], word->text, word->length, &parts[*count]);
        if (status != MAIL_OK)
            return status;
        ++*count;
    }
    for (size_t i = 0; i < 2; i++) {
        status = folder_plan (planner, places[i], word->text, &parts[*count]);
        if (status != MAIL_OK)
            return status;
        ++*count;
    }
    return MAIL_OK;
}

static enum mail_status
bare_start (struct planner *planner, const struct word *word, struct plan **parts, size_t *count)
{
    static const struct {
        const char *prefix;
        bool others;
    } terms[] = {{PREFIX_TAG, false},
                 {PREFIX_MESSAGE_ID, true},
                 {PREFIX_THREAD, true},
                 {PREFIX_PROPERTY, false}};
    enum mail_status status;

    for (size_t i = 0; i < 4; i++) {
        status = state_starts (planner, terms[i].prefix, word->text, word->length, terms[i].others,
                               &parts[*count]);
        if (status != MAIL_OK)
            return status;
        ++*count;
    }
    status = folder_plan (planner, places_by_start, word->text, &parts[*count]);
    ++*count;
    return status;
}

static enum mail_status
words_leaf (struct planner *planner, const struct node *leaf, struct plan **plan_out)
{
    const struct word *word = &leaf->words[0];
    struct plan *parts[8];
    size_t count = 0;
    enum mail_status status = plan_drop_suffixes (planner, &leaf);

    if (status != MAIL_OK)
        return status;
    if (leaf->op == WORDS_END || leaf->op == WORDS_MIDDLE)
        return plan_pattern (planner, leaf, plan_word_fields (planner, leaf), plan_out);
    if (leaf->op == WORDS_START)
        parts[count++] =
            plan_text_starts (planner, plan_word_fields (planner, leaf), word->text, word->length);
    else
        parts[count++] = plan_text_words (planner, leaf);
    if (leaf->prefix == NULL && !word->cjk) {
        if (leaf->op == WORDS_EXACT)
            status = bare_exact (planner, word, parts, &count);
        else if (leaf->op == WORDS_START)
            status = bare_start (planner, word, parts, &count);
    }
    if (status == MAIL_OK)
        *plan_out = plan_join (planner->ctx, PLAN_OR, parts, count);
    return status;
}

/* A file of this name, in whichever folder. */
static enum mail_status
file_plan (struct planner *planner, const char *name, struct plan **plan_out)
{
    enum mail_status status = plan_load_folders (planner->index);
    const struct mail_folder *folders;
    struct plan **plans;
    size_t count, found = 0;

    if (status != MAIL_OK)
        return status;
    folders = mail_folders_list (planner->index->folders, &count);
    plans = talloc_array (planner->ctx, struct plan *, count);
    for (size_t i = 0; i < count && status == MAIL_OK; i++) {
        struct store_term term = term_file (planner->ctx, folders[i].id, name);
        uint32_t freq = 0;
        status = store_term_freq (planner->index->state, term, &freq);
        if (freq > 0) {
            plans[found] = plan_state_term (planner->ctx, term);
            plans[found++]->others = true; /* what could not be indexed has files too */
        } else {
            talloc_free ((char *) term.text);
        }
    }
    if (status != MAIL_OK)
        return index_fail_store (planner->index, planner->index->state, status);
    *plan_out = plan_join (planner->ctx, PLAN_OR, plans, found);
    talloc_free (plans);
    return MAIL_OK;
}

/* The document that has the file of each problem besides the problem itself: a message that could
 * not be read again, or not be changed. */
static enum mail_status
problem_files (struct planner *planner, struct plan **plan_out)
{
    struct mail_index *index = planner->index;
    struct mail_problem *problems;
    struct plan **plans;
    size_t count, found = 0;
    enum mail_status status = problems_read (planner->ctx, index, &problems, &count);

    if (status != MAIL_OK)
        return status;
    plans = talloc_array (planner->ctx, struct plan *, count);
    for (size_t i = 0; i < count && status == MAIL_OK; i++) {
        struct store_term term = term_file (planner->ctx, problems[i].folder, problems[i].name);
        uint32_t freq = 0;
        status = store_term_freq (index->state, term, &freq);
        if (freq < 2)
            continue;
        plans[found] = plan_state_term (planner->ctx, term);
        plans[found++]->others = true;
    }
    if (status == MAIL_OK)
        *plan_out = plan_join (planner->ctx, PLAN_OR, plans, found);
    else
        index_fail_store (index, index->state, status);
    talloc_free (plans);
    talloc_free (problems);
    return status;
}

/* has:problem: a file with a remembered problem, or a limit that was met. */
static enum mail_status
problem_plan (struct planner *planner, struct plan **plan_out)
{
    static const char limit[] = PROPERTY_LIMIT "=";
    struct plan *parts[2];
    enum mail_status status = problem_files (planner, &parts[0]);

    if (status == MAIL_OK)
        status = state_starts (planner, PREFIX_PROPERTY, limit, strlen (limit), false, &parts[1]);
    if (status == MAIL_OK)
        *plan_out = plan_join (planner->ctx, PLAN_OR, parts, 2);
    return status;
}

static enum mail_status
term_leaf (struct planner *planner, const struct node *leaf, struct plan **plan_out)
{
    const struct prefix *prefix = leaf->prefix;

    if (prefix->kind == KIND_HAS)
        return problem_plan (planner, plan_out);
    if (prefix->kind == KIND_FOLDER)
        return folder_plan (planner, places_by_folder, leaf->value, plan_out);
    if (prefix->kind == KIND_PATH)
        return folder_plan (planner, places_by_path, leaf->value, plan_out);
    if (prefix->kind == KIND_FILE)
        return file_plan (planner, leaf->value, plan_out);
    if (strcmp (prefix->term, PREFIX_MESSAGE_ID) == 0)
        return id_term (planner, leaf->value, plan_out);
    return state_term (planner, prefix->term, leaf->value, leaf->value_length, plan_out);
}

static enum mail_status
starts_leaf (struct planner *planner, const struct node *leaf, struct plan **plan_out)
{
    const struct prefix *prefix = leaf->prefix;
    enum mail_status status;
    struct idset set;

    if (prefix->kind == KIND_TERM)
        return state_starts (planner, prefix->term, leaf->value, leaf->value_length,
                             strcmp (prefix->term, PREFIX_MESSAGE_ID) == 0 ||
                                 strcmp (prefix->term, PREFIX_THREAD) == 0,
                             plan_out);
    status = plan_load_folders (planner->index);
    if (status != MAIL_OK)
        return status;
    set = places_by_start_of (planner->ctx, planner->index->folders, leaf->value,
                              prefix->kind == KIND_FOLDER);
    *plan_out = plan_folders (planner, set);
    talloc_free (set.ids);
    return MAIL_OK;
}

static enum mail_status
any_leaf (struct planner *planner, const struct node *leaf, struct plan **plan_out)
{
    if (leaf->prefix->kind == KIND_TERM)
        return state_starts (planner, leaf->prefix->term, "", 0, false, plan_out);
    *plan_out = plan_text_any (planner, leaf->prefix->fields);
    return MAIL_OK;
}

/* A revision that is counted back from the one of the moment. */
static uint64_t
bound (struct planner *planner, uint64_t code, bool back)
{
    uint64_t now = planner->index->revision;

    return !back ? code : code < now ? now - code : 0;
}

static struct plan *
column_plan (struct planner *planner, const struct node *leaf)
{
    struct plan *plan = plan_node (planner->ctx, PLAN_COLUMN);

    plan->slot = leaf->prefix->kind == KIND_DATE       ? SLOT_DATE
                 : leaf->prefix->kind == KIND_REVISION ? SLOT_REVISION
                                                       : SLOT_SIZE;
    plan->others = plan->slot == SLOT_REVISION;
    plan->low = bound (planner, leaf->low, leaf->low_back);
    plan->high = bound (planner, leaf->high, leaf->high_back);
    plan->but_zero = leaf->but_zero;
    return plan;
}

enum mail_status
plan_leaf (struct planner *planner, const struct node *leaf, struct plan **plan_out)
{
    switch (leaf->kind) {
    case NODE_ALL:
        *plan_out = plan_node (planner->ctx, PLAN_ALL);
        return MAIL_OK;
    case NODE_WORDS:
        return words_leaf (planner, leaf, plan_out);
    case NODE_ANY:
        return any_leaf (planner, leaf, plan_out);
    case NODE_TERM:
        return term_leaf (planner, leaf, plan_out);
    case NODE_STARTS:
        return starts_leaf (planner, leaf, plan_out);
    case NODE_REGEX:
        return plan_regex (planner, leaf, plan_out);
    case NODE_RANGE:
        *plan_out = column_plan (planner, leaf);
        return MAIL_OK;
    default:
        *plan_out = plan_node (planner->ctx, PLAN_NOTHING);
        return MAIL_OK;
    }
}
