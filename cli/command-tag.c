/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command-tag.c - tag: adds and removes tags, for one query or for many from a list. */
#include "report.h"
#include "session.h"
#include "tag-batch.h"
#include "tag-operations.h"

#include <inttypes.h>
#include <stdio.h>
#include <talloc.h>
#include <time.h>

struct tag_options {
    bool remove_all, batch, undo;
    const char *input;
};

#define T struct tag_options
/* clang-format off */
static const struct option_spec specs[] = {
    OPT_BOOLEAN (T, remove_all, "remove-all", "first remove all tags"),
    OPT_BOOLEAN (T, batch, "batch", "read tags and queries from the standard input, one a line"),
    OPT_STRING (T, input, "input", "FILE", "read them from FILE"),
    OPT_BOOLEAN (T, undo, "undo", "take the last tag command back; once more: the one before it"),
    OPT_END
};
/* clang-format on */

static const struct tag_options defaults = {0};

/* What the command line asks for. */
struct request {
    struct tag_operations operations;
    char *query;
};

static int
read_request (void *ctx, const struct cli *cli, const struct tag_options *options, int argc,
              char **argv, struct request *request)
{
    int at = 0, code;

    request->operations.remove_all = options->remove_all;
    for (; at < argc && tag_is_operation (argv[at]); at++) {
        const char *reason = tag_operations_add (ctx, &request->operations, argv[at]);

        if (reason)
            return report_usage ("%s", reason);
    }
    if (at < argc && argv[at][0] == '-') /* "--" */
        at++;
    if (request->operations.count == 0 && !options->remove_all)
        return report_usage ("'%s tag' requires at least one tag to add or remove.", cli->program);
    code = session_query_text (ctx, cli, argc - at, argv + at, &request->query);
    if (code == 0 && *request->query == '\0')
        return report_usage ("%s tag requires at least one search term.", cli->program);
    return code;
}

/* ---- undo ---- */

static int
take_back (void *ctx, struct cli *cli)
{
    const char *command = talloc_asprintf (ctx, "%s %s", cli->program, cli->command);
    struct mail_index *index = NULL;
    struct mail_edits *edits;
    enum mail_status status;
    uint64_t changed = 0;
    int64_t when = 0;
    int code;

    cli->command = "tag --undo"; /* so it stands in the journal */
    code = session_open (ctx, cli, SESSION_CHANGE, &index);
    if (code != 0)
        return code;
    edits = mail_edits_create (ctx, index);
    status = mail_undo_find (edits, index, command, &when);
    if (status == MAIL_OK)
        status = mail_edits_apply (edits, NULL, NULL, &changed);
    if (status != MAIL_OK) {
        code = report_status (cli, status, index);
    } else if (when == 0) {
        report (cli, "there is nothing to take back since the last snapshot");
        code = 1;
    } else {
        char text[64] = "";
        time_t seconds = (time_t) when;
        struct tm tm;

        if (localtime_r (&seconds, &tm))
            strftime (text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm);
        printf ("Took back the tag command of %s: %" PRIu64 " %s changed.\n", text, changed,
                changed == 1 ? "message" : "messages");
    }
    talloc_free (edits);
    session_close (cli, index);
    return code;
}

/* ---- the command ---- */

static int
run_tag (struct cli *cli, void *options_given, int argc, char **argv)
{
    struct tag_options *options = options_given;
    bool batch = options->batch || options->input;
    void *local = talloc_new (NULL);
    struct mail_index *index = NULL;
    struct request request = {0};
    struct lines *lines = NULL;
    int code = 0;

    if (options->undo) {
        if (argc > 0 || batch || options->remove_all || cli->global.query_file)
            code = report_usage ("--undo stands alone.");
        else
            code = take_back (local, cli);
        talloc_free (local);
        return code;
    }
    if (batch && (argc > 0 || cli->global.query_file)) {
        fputs ("Can't specify both cmdline and stdin!\n", stderr);
        code = 1;
    } else if (batch) {
        code = lines_open (local, options->input, &lines);
    } else {
        code = read_request (local, cli, options, argc, argv, &request);
    }
    if (code == 0)
        code = session_open (local, cli, SESSION_CHANGE, &index);
    if (code == 0 && batch)
        code = tag_batch (cli, index, lines, options->remove_all);
    else if (code == 0)
        code = tag_operations_apply (cli, index, request.query, &request.operations);
    session_close (cli, index);
    talloc_free (local);
    return code;
}

const struct command command_tag = {
    .name = "tag",
    .arguments = "[OPTION...] +TAG|-TAG... [--] QUERY",
    .summary = "Add and remove tags",
    .options = specs,
    .defaults = &defaults,
    .options_size = sizeof defaults,
    .run = run_tag,
};
