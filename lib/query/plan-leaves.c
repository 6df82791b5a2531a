/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan-leaves.c - leaves → terms of text, terms of state, folders and ranges of columns.
 *
 * A word without a prefix looks at eight fields, so its terms are made with few allocations. Terms
 * of state are looked up while the plan is made (some microseconds each): what does not exist is
 * NOTHING, and most queries turn out to be of one store.
 */
#include "query/plan-leaves.h"
#include "folders.h"
#include "query/places.h"
#include "query/plan-pattern.h"
#include "query/plan-regex.h"
#include "term.h"
#include <glib.h>
#include <string.h>
#include <talloc.h>

/* ---- words in text ------------------------------------------------------------------------- */

static struct store_query *
query_create (void *ctx, enum store_op op, size_t children)
{
    struct store_query *query = talloc_zero (ctx, struct store_query);

    query->op = op;
    if (children > 0)
        query->children = talloc_array (query, struct store_query *, children);
    return query;
}

static struct store_query *
term_query (void *ctx, enum store_op op, const char *prefix, const char *text, size_t length)
{
    struct store_query *query = query_create (ctx, op, 0);
    size_t prefix_length = strlen (prefix);
    char *term = talloc_array (query, char, prefix_length + length + 1);

    memcpy (term, prefix, prefix_length);
    memcpy (term + prefix_length, text, length);
    term[prefix_length + length] = '\0';
    query->term.text = term;
    query->term.length = prefix_length + length;
    return query;
}

static struct store_query *
word_query (struct planner *planner, void *ctx, const char *prefix, const struct node *leaf)
{
    const struct word *word = &leaf->words[0];
    struct store_query *query;
    const char *stem, *again;
    size_t length, again_length;

    if (leaf->op == WORDS_EXACT)
        return term_query (ctx, STORE_OP_TERM, prefix, word->text, word->length);
    store_stem (planner->stemmer, word->text, word->length, &stem, &length);
    query = term_query (ctx, STORE_OP_STEM, prefix, stem, length);
    stem = query->term.text + strlen (prefix);
    store_stem (planner->stemmer, stem, length, &again, &again_length);
    query->self = again_length == length && memcmp (stem, again, length) == 0;
    return query;
}

static struct store_query *
words_query (struct planner *planner, void *ctx, const char *prefix, const struct node *leaf)
{
    struct store_query *query;

    if (leaf->word_count == 1)
        return word_query (planner, ctx, prefix, leaf);
    query = query_create (ctx,
                          leaf->op == WORDS_PHRASE ? STORE_OP_PHRASE
                          : leaf->op == WORDS_NEAR ? STORE_OP_NEAR
                                                   : STORE_OP_ADJ,
                          leaf->word_count);
    /* N apart are N + 1 positions for two words, and so on. */
    query->window = leaf->op == WORDS_PHRASE ? (unsigned) leaf->word_count
                                             : leaf->window + (unsigned) leaf->word_count - 1;
    for (size_t i = 0; i < leaf->word_count; i++)
        query->children[query->child_count++] =
            term_query (query, STORE_OP_TERM, prefix, leaf->words[i].text, leaf->words[i].length);
    return query;
}

static field_set
leaf_fields (const struct planner *planner, const struct node *leaf)
{
    return leaf->prefix != NULL ? leaf->prefix->fields
                                : prefix_bare_fields (planner->index->fields);
}

static struct plan *
text_plan (struct planner *planner, const struct node *leaf)
{
    struct plan *plan = plan_node (planner->ctx, PLAN_TEXT);
    const struct fields *all = planner->index->fields;
    struct store_query *query = query_create (plan, STORE_OP_OR, all->count);
    field_set fields = leaf_fields (planner, leaf);

    for (unsigned field = 0; field < all->count; field++)
        if (fields & FIELD_BIT (field))
            query->children[query->child_count++] =
                words_query (planner, query, all->prefixes[field], leaf);
    plan->query = query->child_count == 1 ? query->children[0] : query;
    plan->phrases = leaf->word_count > 1;
    return plan;
}

/* ---- beginnings of terms ------------------------------------------------------------------- */

static void
starts_add (struct plan *plan, const char *prefix, const char *text, size_t length)
{
    size_t room = plan->starts != NULL ? talloc_array_length (plan->starts) : 0;
    size_t prefix_length = strlen (prefix);
    char *term = talloc_array (plan, char, prefix_length + length + 1);

    memcpy (term, prefix, prefix_length);
    memcpy (term + prefix_length, text, length);
    term[prefix_length + length] = '\0';
    if (plan->start_count == room)
        plan->starts = talloc_realloc (plan, plan->starts, struct store_term, room * 2 + 8);
    plan->starts[plan->start_count].text = term;
    plan->starts[plan->start_count++].length = prefix_length + length;
}

/* Words of these fields that begin with text. */
static struct plan *
text_starts (struct planner *planner, field_set fields, const char *text, size_t length)
{
    const struct fields *all = planner->index->fields;
    struct plan *plan = plan_node (planner->ctx, PLAN_STARTS);

    plan->in_text = true;
    for (unsigned field = 0; field < all->count; field++)
        if (fields & FIELD_BIT (field))
            starts_add (plan, all->prefixes[field], text, length);
    return plan;
}

/* Any word at all. Those of the body have no prefix; they begin with a digit, a letter that is no
 * ASCII capital, or "_". */
static struct plan *
text_any (struct planner *planner, field_set fields)
{
    struct plan *plan = text_starts (planner, fields & ~FIELD_BIT (FIELD_BODY), "", 0);

    if (fields & FIELD_BIT (FIELD_BODY))
        for (unsigned byte = '0'; byte < 256; byte++) {
            char first = (char) byte;
            if (byte >= 0x80 || g_ascii_isdigit (first) || g_ascii_islower (first) || first == '_')
                starts_add (plan, "", &first, 1);
        }
    return plan;
}

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

    starts_add (plan, prefix, text, length);
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

static size_t
without_suffix (const struct word *word)
{
    size_t length = word->length;

    while (length > 1 && (word->text[length - 1] == '+' || word->text[length - 1] == '#'))
        length--;
    return length;
}

static enum mail_status
is_in_text (struct planner *planner, const struct node *leaf, const struct word *word,
            bool *found_out)
{
    struct mail_index *index = planner->index;
    field_set fields = leaf_fields (planner, leaf);
    enum mail_status status = index_open_segments (index);

    *found_out = false;
    for (unsigned field = 0; status == MAIL_OK && field < index->fields->count; field++) {
        struct store_query *query;
        uint32_t freq = 0;
        if (!(fields & FIELD_BIT (field)))
            continue;
        query = term_query (planner->ctx, STORE_OP_TERM, index->fields->prefixes[field], word->text,
                            word->length);
        for (size_t i = 0; status == MAIL_OK && freq == 0 && i < index->manifest->count; i++) {
            status = store_term_freq (index->segments[i], query->term, &freq);
            if (status != MAIL_OK)
                index_fail_store (index, index->segments[i], status);
        }
        *found_out |= freq > 0;
        talloc_free (query);
    }
    return status;
}

/* "c++" is a word of its own where the mail has it, and else "c": as in notmuch. *leaf is then a
 * copy. */
static enum mail_status
drop_suffixes (struct planner *planner, const struct node **leaf)
{
    struct node *copy = NULL;
    enum mail_status status = MAIL_OK;

    for (size_t i = 0; i < (*leaf)->word_count && status == MAIL_OK; i++) {
        size_t length = without_suffix (&(*leaf)->words[i]);
        bool found;
        if (length == (*leaf)->words[i].length)
            continue;
        status = is_in_text (planner, *leaf, &(*leaf)->words[i], &found);
        if (status != MAIL_OK || found)
            continue;
        if (copy == NULL) {
            copy = talloc_memdup (planner->ctx, *leaf, sizeof **leaf);
            copy->words = talloc_memdup (copy, copy->words, copy->word_count * sizeof *copy->words);
            copy->op = copy->op == WORDS_STEM ? WORDS_EXACT : copy->op;
            *leaf = copy;
        }
        copy->words[i].length = length;
    }
    return status;
}

static enum mail_status
words_leaf (struct planner *planner, const struct node *leaf, struct plan **plan_out)
{
    const struct word *word = &leaf->words[0];
    struct plan *parts[8];
    size_t count = 0;
    enum mail_status status = drop_suffixes (planner, &leaf);

    if (status != MAIL_OK)
        return status;
    if (leaf->op == WORDS_END || leaf->op == WORDS_MIDDLE)
        return plan_pattern (planner, leaf, leaf_fields (planner, leaf), plan_out);
    if (leaf->op == WORDS_START)
        parts[count++] =
            text_starts (planner, leaf_fields (planner, leaf), word->text, word->length);
    else
        parts[count++] = text_plan (planner, leaf);
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

static enum mail_status
term_leaf (struct planner *planner, const struct node *leaf, struct plan **plan_out)
{
    const struct prefix *prefix = leaf->prefix;

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
    *plan_out = text_any (planner, leaf->prefix->fields);
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
