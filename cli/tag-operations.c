/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tag-operations.c - reads tag operations and applies them to a query. */
#include "tag-operations.h"
#include "report.h"
#include "session.h"

#include <string.h>
#include <talloc.h>

bool
tag_is_operation (const char *word)
{
    return *word == '+' || (*word == '-' && strcmp (word, "--") != 0);
}

const char *
tag_operations_add (void *ctx, struct tag_operations *operations, const char *word)
{
    bool add = *word == '+';
    const char *reason = NULL;
    size_t count = operations->count;

    /* What cannot be added may still be removed. */
    if (add && mail_tag_check (word + 1, &reason) != MAIL_OK)
        return reason ? reason : "tag not allowed";
    operations->changes =
        talloc_realloc (ctx, operations->changes, struct mail_tag_change, count + 1);
    operations->changes[count] = (struct mail_tag_change){
        .tag = talloc_strdup (operations->changes, word + 1),
        .add = add,
    };
    operations->count++;
    return NULL;
}

bool
tag_operations_equal (const struct tag_operations *a, const struct tag_operations *b)
{
    if (a->count != b->count || a->remove_all != b->remove_all)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->changes[i].add != b->changes[i].add ||
            strcmp (a->changes[i].tag, b->changes[i].tag) != 0)
            return false;
    return true;
}

/* Whether the operations leave a message with this tag. */
static bool
is_added (const struct tag_operations *operations, const char *tag)
{
    for (size_t i = operations->count; i-- > 0;)
        if (strcmp (operations->changes[i].tag, tag) == 0)
            return operations->changes[i].add;
    return false;
}

/* The operations preceded by the removal of every other tag that a match has now. */
static enum mail_status
with_removals (void *ctx, struct mail_query *query, const struct tag_operations *operations,
               struct tag_operations *all_out)
{
    struct mail_results *results;
    char **tags;
    size_t tag_count = 0;
    enum mail_status status = mail_query_run (ctx, query, MAIL_SORT_UNSORTED, &results);

    if (status == MAIL_OK)
        status = mail_results_tags (ctx, results, &tags);
    if (status != MAIL_OK)
        return status;
    while (tags[tag_count])
        tag_count++;
    all_out->count = 0;
    all_out->changes = talloc_array (ctx, struct mail_tag_change, tag_count + operations->count);
    for (size_t i = 0; i < tag_count; i++)
        if (!is_added (operations, tags[i]))
            all_out->changes[all_out->count++] = (struct mail_tag_change){tags[i], false};
    for (size_t i = 0; i < operations->count; i++)
        all_out->changes[all_out->count++] = operations->changes[i];
    return MAIL_OK;
}

int
tag_operations_apply (const struct cli *cli, struct mail_index *index, const char *text,
                      const struct tag_operations *operations)
{
    void *local = talloc_new (NULL);
    struct tag_operations all = *operations;
    struct mail_query *query = NULL;
    enum mail_status status = MAIL_OK;
    int code = session_parse (local, cli, index, text, NULL, &query);

    if (code != 0)
        goto done;
    if (operations->remove_all)
        status = with_removals (local, query, operations, &all);
    if (status == MAIL_OK && all.count > 0)
        status = mail_query_tag (query, all.changes, all.count, NULL);
    if (status != MAIL_OK)
        code = report_status (cli, status, index);
done:
    talloc_free (local);
    return code;
}
