/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tag-batch.c - tag --batch.
 *
 * Scripts write ten thousand lines that name one message each. Such lines are collected and done by
 * look-up (mail_edits), a slice at a time and in order; a line with any other query first has done
 * what stands before it, since it may depend on that.
 */
#include "tag-batch.h"
#include "report.h"
#include "tag-operations.h"
#include "text.h"

#include <stdio.h>
#include <string.h>
#include <talloc.h>

#define COLLECT_MAX 20000 /* lines */

struct batch {
    const struct cli *cli;
    struct mail_index *index;
    struct lines *lines;
    bool remove_all;
    bool warned;
    struct mail_edits *edits; /* collected */
};

static void
warn (struct batch *batch, const char *line, const char *text)
{
    report_message ("Warning: %s [%s] (line %lu)\n", text, line, lines_number (batch->lines));
    batch->warned = true;
}

/* Does what has been collected. */
static int
flush (struct batch *batch)
{
    enum mail_status status = MAIL_OK;

    if (mail_edits_count (batch->edits) > 0)
        status = mail_edits_apply (batch->edits, NULL, NULL, NULL);
    return status == MAIL_OK ? 0 : report_status (batch->cli, status, batch->index);
}

/* The Message-ID where the query is one id and no pattern; NULL for any other. */
static char *
single_id (const struct batch *batch, const char *query)
{
    char *id = batch->cli->global.query == QUERY_INFIX ? text_id_of_term (NULL, query) : NULL;

    /* unquoted, more can be meant */
    if (id && (*id == '/' || *id == '<' || (query[3] != '"' && strpbrk (id, "*{}<>")))) {
        talloc_free (id);
        return NULL;
    }
    return id;
}

static int
do_query (struct batch *batch, const char *query, struct tag_operations *operations)
{
    const struct mail_edit edit = tag_operations_edit (operations);
    char *id = single_id (batch, query);
    int code = 0;

    if (id) {
        /* what is allowed has been looked at by then */
        mail_edits_add (batch->edits, id, &edit);
        talloc_free (id);
        return mail_edits_count (batch->edits) < COLLECT_MAX ? 0 : flush (batch);
    }
    code = flush (batch);
    if (code == 0)
        code = tag_operations_apply (batch->cli, batch->index, query, operations);
    if (code != 0)
        report_message ("(line %lu)\n", lines_number (batch->lines));
    return code;
}

static int
do_line (struct batch *batch, const char *line)
{
    void *local = talloc_new (NULL);
    struct tag_operations operations = {.remove_all = batch->remove_all};
    const char *query, *problem = tag_operations_read (local, line, &operations, &query);
    int code = 0;

    if (lines_cut_off (batch->lines))
        problem = "there is a NUL byte in the line";
    if (problem)
        warn (batch, line, problem);
    else if (operations.count > 0 || operations.remove_all)
        code = do_query (batch, query, &operations);
    talloc_free (local);
    return code;
}

int
tag_batch (const struct cli *cli, struct mail_index *index, struct lines *lines, bool remove_all)
{
    struct batch batch = {
        .cli = cli,
        .index = index,
        .lines = lines,
        .remove_all = remove_all,
        .edits = mail_edits_create (NULL, index),
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
    talloc_free (batch.edits);
    return code == 0 && batch.warned ? 1 : code;
}
