/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command-search.c - search: threads, messages, files or tags that match.
 *
 * The query is evaluated once; then results are read and printed one by one, so that the first are
 * seen before the last are known, and an offset or limit costs nothing for what it leaves out.
 */
#include "output.h"
#include "paging.h"
#include "report.h"
#include "search-print.h"
#include "session.h"

#include <string.h>
#include <talloc.h>
#include <time.h>

enum search_output { OUTPUT_SUMMARY, OUTPUT_THREADS, OUTPUT_MESSAGES, OUTPUT_FILES, OUTPUT_TAGS };
enum search_exclude { EXCLUDE_TRUE, EXCLUDE_FALSE, EXCLUDE_ALL, EXCLUDE_FLAG };

struct search_options {
    int format, output, sort, exclude;
    int64_t format_version, offset, limit, duplicate;
    bool explain;
};

/* One run. */
struct search {
    struct cli *cli;
    const struct search_options *options;
    struct mail_index *index;
    struct mail_query *query;
    struct mail_results *results;
    struct search_print print;
    bool everything; /* the query is "*" */
};

static const struct option_keyword outputs[] = {
    {"summary", OUTPUT_SUMMARY}, {"threads", OUTPUT_THREADS}, {"messages", OUTPUT_MESSAGES},
    {"files", OUTPUT_FILES},     {"tags", OUTPUT_TAGS},       {NULL, 0},
};

static const struct option_keyword sorts[] = {
    {"newest-first", MAIL_SORT_NEWEST_FIRST},
    {"oldest-first", MAIL_SORT_OLDEST_FIRST},
    {NULL, 0},
};

static const struct option_keyword excludes[] = {
    {"true", EXCLUDE_TRUE},
    {"false", EXCLUDE_FALSE},
    {"all", EXCLUDE_ALL},
    {"flag", EXCLUDE_FLAG},
    {NULL, 0},
};

#define T struct search_options
/* clang-format off */
static const struct option_spec specs[] = {
    OPT_KEYWORD (T, output, "output", outputs, "what to show of the matches"),
    OPT_KEYWORD (T, format, "format", printer_formats, "how to show it"),
    OPT_INTEGER (T, format_version, "format-version", "N", "version of structured output", .min = -1000, .max = 1000),
    OPT_KEYWORD (T, sort, "sort", sorts, "order by date"),
    OPT_INTEGER (T, offset, "offset", "[-]N", "leave out the first N results; -N: all but the last N"),
    OPT_INTEGER (T, limit, "limit", "N", "show at most N results"),
    OPT_KEYWORD (T, exclude, "exclude", excludes, "what becomes of search.exclude_tags"),
    OPT_INTEGER (T, duplicate, "duplicate", "N",
                 "files: only the Nth of each message; messages: those with N files"),
    OPT_BOOLEAN (T, explain, "explain", "say on stderr how the query was answered"),
    OPT_END
};
/* clang-format on */

static const struct search_options defaults = {
    .format_version = FORMAT_VERSION,
    .limit = -1,
    .duplicate = -1,
};

/* ---- threads ----------------------------------------------------------------------------------
 */

static enum mail_status
open_threads (void *ctx, struct search *search, struct mail_threads **threads_out)
{
    return paging_open_threads (ctx, search->results, search->options->offset,
                                search->options->limit, threads_out);
}

static enum mail_status
show_summaries (void *ctx, struct search *search)
{
    struct mail_threads *threads;
    struct mail_thread *thread;
    enum mail_status status = open_threads (ctx, search, &threads);

    while (status == MAIL_OK && !output_broken ()) {
        status = mail_threads_next (threads, &thread);
        if (status != MAIL_OK || !thread)
            break;
        search_print_summary (&search->print, thread);
        output_result ();
    }
    return status;
}

static enum mail_status
show_threads (void *ctx, struct search *search)
{
    struct mail_threads *threads;
    uint64_t thread;
    enum mail_status status = open_threads (ctx, search, &threads);

    while (status == MAIL_OK && !output_broken () && mail_threads_next_id (threads, &thread)) {
        search_print_thread_id (&search->print, thread);
        output_result ();
    }
    return status;
}

/* ---- messages and files -----------------------------------------------------------------------
 */

static void
show_message (struct search *search, const struct mail_message *message)
{
    int64_t duplicate = search->options->duplicate;
    size_t count;
    const struct mail_file *files = mail_message_files (message, &count);

    if (search->options->output == OUTPUT_MESSAGES) {
        if (duplicate <= 0 || (uint64_t) duplicate <= count)
            search_print_message_id (&search->print, message);
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (duplicate <= 0 || (uint64_t) duplicate == i + 1)
            search_print_file (&search->print, &files[i]);
}

static enum mail_status
show_messages (void *ctx, struct search *search)
{
    size_t first = paging_first (search->options->offset, mail_results_count (search->results));
    struct mail_messages *messages;
    struct mail_message *message;
    enum mail_status status = mail_messages_open (ctx, search->results, first,
                                                  paging_limit (search->options->limit), &messages);

    while (status == MAIL_OK && !output_broken ()) {
        status = mail_messages_next (messages, &message);
        if (status != MAIL_OK || !message)
            break;
        show_message (search, message);
        output_result ();
    }
    return status;
}

/* ---- tags -------------------------------------------------------------------------------------
 */

static enum mail_status
show_tags (void *ctx, struct search *search)
{
    enum mail_status status;
    char **tags;

    if (search->everything)
        status = mail_index_tags (ctx, search->index, &tags);
    else
        status = mail_results_tags (ctx, search->results, &tags);
    if (status == MAIL_OK)
        search_print_tags (&search->print, tags);
    return status;
}

/* ---- the command ------------------------------------------------------------------------------
 */

static enum mail_status
show (void *ctx, struct search *search)
{
    switch ((enum search_output) search->options->output) {
    case OUTPUT_SUMMARY:
        return show_summaries (ctx, search);
    case OUTPUT_THREADS:
        return show_threads (ctx, search);
    case OUTPUT_MESSAGES:
    case OUTPUT_FILES:
        return show_messages (ctx, search);
    case OUTPUT_TAGS:
        return show_tags (ctx, search);
    }
    return MAIL_OK;
}

static int
check_options (struct cli *cli, struct search_options *options)
{
    int code = session_format_version (cli, options->format_version);
    bool has_files = options->output == OUTPUT_FILES || options->output == OUTPUT_MESSAGES;

    if (code != 0)
        return code;
    if (options->format == PRINTER_TEXT0 && options->output == OUTPUT_SUMMARY)
        return report_usage ("--format=text0 is not compatible with --output=summary.");
    if (options->duplicate >= 0 && !has_files)
        return report_usage (
            "--duplicate=N is only supported with --output=files and --output=messages.");
    if (options->exclude == EXCLUDE_FLAG && options->output != OUTPUT_SUMMARY) {
        fputs ("Warning: this output format cannot flag excluded messages.\n", stderr);
        options->exclude = EXCLUDE_FALSE;
    }
    return 0;
}

static void
explain (void *ctx, struct search *search)
{
    char *text;

    if (!search->options->explain)
        return;
    text = mail_query_explain (ctx, search->query);
    fflush (stdout);
    fputs (text ? text : "", stderr);
}

static bool
is_everything (const char *text)
{
    text += strspn (text, " ");
    return strcmp (text, "*") == 0;
}

static const char *
setting (void *ctx, const struct cli *cli, const char *key, const char *otherwise)
{
    const char *value = config_text (ctx, cli->config, key);

    return value ? value : otherwise;
}

/* Prepares what is printed with, and the query without what is excluded. */
static int
prepare (void *ctx, struct search *search, const char *text)
{
    const struct search_options *options = search->options;
    int mode = options->exclude;
    char **excluded = NULL;
    int code;

    if (mode != EXCLUDE_FALSE)
        excluded = session_excluded_tags (ctx, search->cli);
    search->print = (struct search_print){
        .printer = printer_create (ctx, (enum printer_format) options->format, stdout),
        .index = search->index,
        .oldest_first = options->sort == MAIL_SORT_OLDEST_FIRST,
        .quote_ids = search->cli->names->quote_ids,
        .with_query = options->format_version >= 2 &&
                      (options->format == PRINTER_JSON || options->format == PRINTER_SEXP),
        .now = time (NULL),
        .between_authors = setting (ctx, search->cli, "search.authors_separator", ", "),
        .before_others = setting (ctx, search->cli, "search.authors_matched_separator", "| "),
        .flagged = mode == EXCLUDE_FLAG ? excluded : NULL,
        .hidden = mode == EXCLUDE_ALL ? excluded : NULL,
    };
    search->everything = is_everything (text);
    code = session_parse (ctx, search->cli, search->index, text,
                          mode == EXCLUDE_FLAG ? NULL : excluded, &search->query);
    if (code == 0 && mode == EXCLUDE_FLAG)
        session_drop_named (search->query, excluded);
    return code;
}

static int
run_query (void *ctx, struct search *search)
{
    enum mail_sort sort = (enum mail_sort) search->options->sort;
    enum mail_status status = mail_query_run (ctx, search->query, sort, &search->results);

    if (status == MAIL_OK) {
        printer_begin_list (search->print.printer);
        status = show (ctx, search);
        printer_end (search->print.printer);
    }
    explain (ctx, search);
    return status == MAIL_OK ? 0 : report_status (search->cli, status, search->index);
}

static int
run_search (struct cli *cli, void *options_given, int argc, char **argv)
{
    struct search_options *options = options_given;
    struct search search = {.cli = cli, .options = options};
    void *local = talloc_new (NULL), *reading = talloc_new (local);
    char *text;
    int code = check_options (cli, options);

    if (code == 0)
        code = session_query_text (local, cli, argc, argv, &text);
    if (code == 0 && *text == '\0')
        code = report_usage ("%s search requires at least one search term.", cli->program);
    if (code == 0)
        code = session_open (local, cli, 0, &search.index);
    if (code == 0)
        code = prepare (reading, &search, text);
    if (code == 0)
        code = run_query (reading, &search);
    talloc_free (reading); /* before the index it reads */
    session_close (cli, search.index);
    talloc_free (local);
    return code;
}

const struct command command_search = {
    .name = "search",
    .arguments = "[OPTION...] QUERY",
    .summary = "Show what matches a query",
    .options = specs,
    .defaults = &defaults,
    .options_size = sizeof defaults,
    .run = run_search,
};
