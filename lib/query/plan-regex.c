/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan-regex.c - regular expressions on tags, message-ids, folders and headers.
 *
 * Tags, ids and folders are looked through while the plan is made, and what matches becomes terms.
 * Headers are looked at last: those of as few messages as are left then, or all in one pass.
 */
#include "query/plan-regex.h"
#include "query/places.h"
#include "query/plan-leaves.h"
#include <string.h>
#include <talloc.h>

static int
free_regex (regex_t *regex)
{
    regfree (regex);
    return 0;
}

/* The parser has compiled it once, so it is right. */
static regex_t *
compile (void *ctx, const char *pattern)
{
    regex_t *regex = talloc_zero (ctx, regex_t);

    if (regcomp (regex, pattern, REG_EXTENDED | REG_NOSUB) == 0)
        talloc_set_destructor (regex, free_regex);
    return regex;
}

struct term_search {
    struct planner *planner;
    const regex_t *regex;
    size_t skip; /* bytes of the terms' prefix */
    struct plan **plans;
    size_t count;
    bool others, ids; /* of the plans */
};

static bool
note_term (void *closure, const char *term, size_t length, uint32_t freq)
{
    struct term_search *search = closure;
    void *ctx = search->planner->ctx;
    char *copy = talloc_strndup (ctx, term, length);
    size_t room = search->plans != NULL ? talloc_array_length (search->plans) : 0;
    struct plan *plan;

    (void) freq;
    if (regexec (search->regex, copy + search->skip, 0, NULL, 0) != 0) {
        talloc_free (copy);
        return true;
    }
    if (search->count == room)
        search->plans = talloc_realloc (ctx, search->plans, struct plan *, room * 2 + 8);
    plan = plan_state_term (ctx, (struct store_term){.text = copy, .length = length});
    plan->others = search->others;
    plan->ids = search->ids;
    search->plans[search->count++] = plan;
    return true;
}

static enum mail_status
terms_plan (struct planner *planner, const char *prefix, const regex_t *regex,
            struct plan **plan_out)
{
    struct term_search search = {.planner = planner,
                                 .regex = regex,
                                 .skip = strlen (prefix),
                                 .others = strcmp (prefix, PREFIX_MESSAGE_ID) == 0 ||
                                           strcmp (prefix, PREFIX_THREAD) == 0,
                                 .ids = strcmp (prefix, PREFIX_MESSAGE_ID) == 0};
    struct store_term start = {.text = prefix, .length = strlen (prefix)};
    struct mail_index *index = planner->index;
    enum mail_status status = store_each_term (index->state, start, note_term, &search);

    if (status != MAIL_OK)
        return index_fail_store (index, index->state, status);
    *plan_out = plan_join (planner->ctx, PLAN_OR, search.plans, search.count);
    talloc_free (search.plans);
    return MAIL_OK;
}

static enum mail_status
folders_plan (struct planner *planner, const struct prefix *prefix, const regex_t *regex,
              struct plan **plan_out)
{
    enum mail_status status = plan_load_folders (planner->index);
    struct idset set;

    if (status != MAIL_OK)
        return status;
    set =
        places_by_regex (planner->ctx, planner->index->folders, regex, prefix->kind == KIND_FOLDER);
    *plan_out = plan_folders (planner, set);
    talloc_free (set.ids);
    return MAIL_OK;
}

enum mail_status
plan_regex (struct planner *planner, const struct node *leaf, struct plan **plan_out)
{
    const struct prefix *prefix = leaf->prefix;
    regex_t *regex = compile (planner->ctx, leaf->value);
    struct plan *plan;

    if (prefix->kind == KIND_TERM)
        return terms_plan (planner, prefix->term, regex, plan_out);
    if (prefix->kind != KIND_WORDS)
        return folders_plan (planner, prefix, regex, plan_out);
    plan = plan_node (planner->ctx, PLAN_SCAN);
    plan->patterns = talloc_zero (plan, struct header_pattern);
    plan->pattern_count = 1;
    plan->patterns->field = prefix->fields & 1u << FIELD_FROM ? MAIL_FROM : MAIL_SUBJECT;
    plan->patterns->regex = regex;
    if (leaf->value[0] != '\0' && strpbrk (leaf->value, "\\.[]()*+?{}|^$") == NULL)
        plan->patterns->literal = leaf->value;
    *plan_out = plan;
    return MAIL_OK;
}
