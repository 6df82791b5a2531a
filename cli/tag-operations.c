/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tag-operations.c - reads tag operations and applies them to a query. */
#include "tag-operations.h"
#include "report.h"
#include "session.h"
#include "text.h"

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

/* Cuts the word at *rest off, and the blanks after it; nothing but a blank ends a word. */
static char *
next_word (char **rest)
{
    char *word = *rest;

    *rest += strcspn (word, " ");
    if (**rest)
        *(*rest)++ = '\0';
    *rest += strspn (*rest, " ");
    return word;
}

/* Reads one operation of a line; NULL, or what is wrong with it. */
static const char *
read_encoded (void *ctx, char *word, struct tag_operations *operations)
{
    const char *encoded = talloc_strdup (ctx, word + 1);

    if (!mail_hex_decode (word))
        return talloc_asprintf (ctx, "hex decoding of tag %s failed", encoded);
    return tag_operations_add (ctx, operations, word);
}

const char *
tag_operations_read (void *ctx, const char *line, struct tag_operations *operations,
                     const char **query_out)
{
    char *copy = talloc_strdup (ctx, line), *rest = copy + strspn (copy, " \t");
    bool ended = false;

    while (!ended && (*rest == '+' || *rest == '-')) {
        char *word = next_word (&rest);
        const char *problem;

        ended = strcmp (word, "--") == 0;
        problem = ended ? NULL : read_encoded (ctx, word, operations);
        if (problem)
            return problem;
    }
    *query_out = rest;
    if (*rest == '\0')
        return ended ? "no query string after --" : "no query string";
    return NULL;
}

struct mail_edit
tag_operations_edit (const struct tag_operations *operations)
{
    return (struct mail_edit){
        .remove_tags = operations->remove_all,
        .tags = operations->changes,
        .tag_count = operations->count,
    };
}

int
tag_operations_apply (const struct cli *cli, struct mail_index *index, const char *text,
                      const struct tag_operations *operations)
{
    void *local = talloc_new (NULL);
    const struct mail_edit edit = tag_operations_edit (operations);
    struct mail_query *query = NULL;
    int code = session_parse (local, cli, index, text, NULL, &query);

    if (code == 0) {
        enum mail_status status = mail_query_edit (query, &edit, NULL);

        if (status != MAIL_OK)
            code = report_status (cli, status, index);
    }
    talloc_free (local);
    return code;
}
