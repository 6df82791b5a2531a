/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command-count.c - count: how many messages, threads or files match; many queries with --batch. */
#include "lines.h"
#include "output.h"
#include "report.h"
#include "session.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <talloc.h>

enum count_output { OUTPUT_MESSAGES, OUTPUT_THREADS, OUTPUT_FILES };

struct count_options {
    int output;
    bool exclude, batch, lastmod;
    const char *input;
};

static const struct option_keyword outputs[] = {
    {"messages", OUTPUT_MESSAGES},
    {"threads", OUTPUT_THREADS},
    {"files", OUTPUT_FILES},
    {NULL, 0},
};

#define T struct count_options
/* clang-format off */
static const struct option_spec specs[] = {
    OPT_KEYWORD (T, output, "output", outputs, "what to count"),
    OPT_BOOLEAN (T, exclude, "exclude", "leave out messages with a tag of search.exclude_tags"),
    OPT_BOOLEAN (T, lastmod, "lastmod", "add the index's UUID and the number of its last change"),
    OPT_BOOLEAN (T, batch, "batch", "count for each line of the standard input"),
    OPT_STRING (T, input, "input", "FILE", "count for each line of FILE"),
    OPT_END
};
/* clang-format on */

static const struct count_options defaults = {.exclude = true};

/* Counts for one query and prints the number. */
static int
count_query (const struct cli *cli, const struct count_options *options, struct mail_index *index,
             const char *text)
{
    void *local = talloc_new (NULL);
    bool threads = options->output == OUTPUT_THREADS, files = options->output == OUTPUT_FILES;
    struct mail_query *query = NULL;
    struct mail_count count;
    enum mail_status status;
    char **excluded = NULL;
    uint64_t number;
    int code;

    if (text[strspn (text, " ")] == '\0')
        text = "*";
    if (options->exclude)
        excluded = session_excluded_tags (local, cli);
    code = session_parse (local, cli, index, text, excluded, &query);
    if (code != 0)
        goto done;
    status = mail_query_count (query, threads, files, &count);
    if (status != MAIL_OK) {
        code = report_status (cli, status, index);
        goto done;
    }
    number = threads ? count.threads : files ? count.files : count.messages;
    printf ("%" PRIu64, number);
    if (options->lastmod)
        printf ("\t%s\t%" PRIu64, mail_index_uuid (index), mail_index_revision (index));
    putchar ('\n');
    output_result ();
done:
    talloc_free (local);
    return code;
}

static int
count_lines (const struct cli *cli, const struct count_options *options, struct mail_index *index,
             struct lines *lines)
{
    int code = 0;
    char *line;

    while (code == 0 && !output_broken () && (line = lines_next (lines)))
        code = count_query (cli, options, index, line);
    return code == 0 ? lines_status (cli, lines) : code;
}

static int
run_count (struct cli *cli, void *options_given, int argc, char **argv)
{
    struct count_options *options = options_given;
    bool batch = options->batch || options->input;
    void *local = talloc_new (NULL);
    struct mail_index *index = NULL;
    struct lines *lines = NULL;
    char *text = NULL;
    int code = 0;

    if (batch && (argc > 0 || cli->global.query_file)) {
        fputs ("--batch and query string are not compatible\n", stderr);
        code = 1;
    }
    if (code == 0 && batch)
        code = lines_open (local, options->input, &lines);
    if (code == 0 && !batch)
        code = session_query_text (local, cli, argc, argv, &text);
    if (code == 0)
        code = session_open (local, cli, 0, &index);
    if (code == 0 && batch)
        code = count_lines (cli, options, index, lines);
    else if (code == 0)
        code = count_query (cli, options, index, text);
    session_close (cli, index);
    talloc_free (local);
    return code;
}

const struct command command_count = {
    .name = "count",
    .arguments = "[OPTION...] [QUERY]",
    .summary = "Count what matches a query",
    .options = specs,
    .defaults = &defaults,
    .options_size = sizeof defaults,
    .run = run_count,
};
