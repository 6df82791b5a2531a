/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tag-batch.c - tag --batch.
 *
 * Scripts write ten thousand lines that name one message each. Each line by itself would be a
 * commit of its own, so lines that follow each other, have the same operations and are a single
 * id: term are collected into one query. (Other queries may depend on what the lines before them
 * have done.) Lines with differing operations are collected side by side as long as no message
 * comes twice.
 */
#include "tag-batch.h"
#include "report.h"
#include "tag-operations.h"
#include "text.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <talloc.h>

#define COLLECT_MAX 2000 /* lines */

/* Lines with the same operations. */
struct group {
    struct tag_operations operations;
    GString *query;
};

struct batch {
    const struct cli *cli;
    struct mail_index *index;
    bool remove_all;
    bool warned;
    GPtrArray *groups; /* of struct group */
    GHashTable *terms; /* the id: terms in them */
};

static void
free_group (void *data)
{
    struct group *group = data;

    g_string_free (group->query, TRUE);
    talloc_free (group->operations.changes);
    g_free (group);
}

static void
warn (struct batch *batch, const char *line, const char *text)
{
    fprintf (stderr, "Warning: %s [%s]\n", text, line);
    batch->warned = true;
}

/* ---- collected lines ------------------------------------------------------------------------- */

/* Does what has been collected. */
static int
flush (struct batch *batch)
{
    int code = 0;

    for (guint i = 0; code == 0 && i < batch->groups->len; i++) {
        struct group *group = batch->groups->pdata[i];

        code =
            tag_operations_apply (batch->cli, batch->index, group->query->str, &group->operations);
    }
    g_ptr_array_set_size (batch->groups, 0);
    g_hash_table_remove_all (batch->terms);
    return code;
}

static struct group *
find_group (struct batch *batch, const struct tag_operations *operations)
{
    for (guint i = batch->groups->len; i-- > 0;) {
        struct group *group = batch->groups->pdata[i];

        if (tag_operations_equal (&group->operations, operations))
            return group;
    }
    return NULL;
}

/* Takes over the operations. */
static void
collect (struct batch *batch, struct tag_operations *operations, const char *term)
{
    struct group *group = find_group (batch, operations);

    if (group) {
        g_string_append (group->query, " or ");
        talloc_free (operations->changes);
    } else {
        group = g_new0 (struct group, 1);
        group->operations = *operations;
        group->query = g_string_new (NULL);
        g_ptr_array_add (batch->groups, group);
    }
    g_string_append (group->query, term);
    operations->changes = NULL;
    operations->count = 0;
}

/* Whether the query is one id: term, quoted or without any byte that means something. */
static bool
is_id_term (const char *query)
{
    const char *at = query + 3;

    if (strncmp (query, "id:", 3) != 0 || *at == '\0')
        return false;
    if (*at != '"') {
        for (; *at; at++)
            if ((unsigned char) *at <= ' ' || strchr ("()\"*", *at))
                return false;
        return true;
    }
    while ((at = strchr (at + 1, '"')) && at[1] == '"')
        at++;
    return at && at[1] == '\0';
}

/* ---- lines ----------------------------------------------------------------------------------- */

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

/* Reads one operation; false after a warning. */
static bool
read_operation (struct batch *batch, const char *line, char *word,
                struct tag_operations *operations)
{
    char *encoded = talloc_strdup (batch->cli, word + 1), *text = NULL;
    const char *reason = NULL;

    if (!text_decode_hex (word))
        text = talloc_asprintf (encoded, "hex decoding of tag %s failed", encoded);
    else
        reason = tag_operations_add (NULL, operations, word);
    if (text || reason)
        warn (batch, line, text ? text : reason);
    talloc_free (encoded);
    return !text && !reason;
}

/* Takes a line (a copy of it) apart into operations and a query; false after a warning. */
static bool
read_line (struct batch *batch, const char *line, char *copy, struct tag_operations *operations,
           const char **query_out)
{
    char *rest = copy + strspn (copy, " \t");
    bool ended = false;

    while (!ended && (*rest == '+' || *rest == '-')) {
        char *word = next_word (&rest);

        ended = strcmp (word, "--") == 0;
        if (!ended && !read_operation (batch, line, word, operations))
            return false;
    }
    if (*rest == '\0') {
        warn (batch, line, ended ? "no query string after --" : "no query string");
        return false;
    }
    *query_out = rest;
    return true;
}

static int
do_query (struct batch *batch, const char *query, struct tag_operations *operations)
{
    int code = 0;

    if (!is_id_term (query)) {
        code = flush (batch);
        if (code == 0)
            code = tag_operations_apply (batch->cli, batch->index, query, operations);
        return code;
    }
    if (g_hash_table_contains (batch->terms, query) ||
        g_hash_table_size (batch->terms) >= COLLECT_MAX)
        code = flush (batch);
    g_hash_table_add (batch->terms, g_strdup (query));
    collect (batch, operations, query);
    return code;
}

static int
do_line (struct batch *batch, const char *line)
{
    struct tag_operations operations = {.remove_all = batch->remove_all};
    char *copy = talloc_strdup (batch->cli, line);
    const char *query;
    int code = 0;

    if (read_line (batch, line, copy, &operations, &query) &&
        (operations.count > 0 || operations.remove_all))
        code = do_query (batch, query, &operations);
    talloc_free (operations.changes);
    talloc_free (copy);
    return code;
}

int
tag_batch (const struct cli *cli, struct mail_index *index, struct lines *lines, bool remove_all)
{
    struct batch batch = {
        .cli = cli,
        .index = index,
        .remove_all = remove_all,
        .groups = g_ptr_array_new_with_free_func (free_group),
        .terms = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
    };
    const char *line;
    int code = 0, last;

    while (code == 0 && (line = lines_next (lines)))
        if (*line != '\0' && *line != '#')
            code = do_line (&batch, line);
    last = flush (&batch);
    if (code == 0)
        code = last;
    if (code == 0)
        code = lines_status (cli, lines);
    g_ptr_array_unref (batch.groups);
    g_hash_table_unref (batch.terms);
    return code == 0 && batch.warned ? 1 : code;
}
