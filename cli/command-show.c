/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command-show.c - show: whole messages, thread by thread, or one message or a part of it.
 *
 * Here are the options and what follows from them; the work is in show-*.c.
 */
#include "report.h"
#include "session.h"
#include "show.h"

#include <limits.h>
#include <string.h>
#include <talloc.h>
#include <time.h>

static const struct option_keyword formats[] = {
    {"text", SHOW_TEXT}, {"json", SHOW_JSON}, {"sexp", SHOW_SEXP},
    {"mbox", SHOW_MBOX}, {"raw", SHOW_RAW},   {NULL, 0},
};

static const struct option_keyword sorts[] = {
    {"newest-first", MAIL_SORT_NEWEST_FIRST},
    {"oldest-first", MAIL_SORT_OLDEST_FIRST},
    {NULL, 0},
};

#define T struct show_options
/* clang-format off */
static const struct option_spec specs[] = {
    OPT_KEYWORD (T, format, "format", formats, "how to show it (raw with --part, else text)"),
    OPT_INTEGER (T, format_version, "format-version", "N", "version of structured output", .min = -1000, .max = 1000),
    OPT_INTEGER (T, part, "part", "N", "only the part with this number; 0 is the whole message", .min = INT_MIN, .max = INT_MAX),
    OPT_MAYBE (T, entire_thread, "entire-thread", "also the messages of a thread that do not match"),
    OPT_BOOLEAN (T, unthreaded, "unthreaded", "each message as if it were a thread"),
    OPT_BOOLEAN (T, body, "body", "with the body, not only the headers"),
    OPT_BOOLEAN (T, include_html, "include-html", "with the source of HTML parts"),
    OPT_INTEGER (T, duplicate, "duplicate", "N", "the Nth file of the message"),
    OPT_KEYWORD (T, sort, "sort", sorts, "order of the threads"),
    OPT_INTEGER (T, offset, "offset", "[-]N", "leave out the first N threads; -N: all but the last N"),
    OPT_INTEGER (T, limit, "limit", "N", "show at most N threads"),
    OPT_BOOLEAN (T, exclude, "exclude", "leave out messages with a tag of search.exclude_tags"),
    OPT_BOOLEAN (T, verify, "verify", "look at signatures"),
    OPT_KEYWORD (T, decrypt, "decrypt", show_decrypts, "decrypt what is encrypted", .may_be_bare = true),
    OPT_END
};
/* clang-format on */

static const struct show_options defaults = {
    .format = SHOW_DEFAULT,
    .format_version = FORMAT_VERSION,
    .part = -1,
    .limit = -1,
    .entire_thread = -1,
    .body = true,
    .exclude = true,
    .decrypt = MAIL_DECRYPT_AUTO,
};

/* ---- one message ------------------------------------------------------------------------------
 */

static void
show_part (struct show *show, const struct show_message *shown)
{
    const struct mail_part *part = show_find_part (shown, show->options->part);

    if (!part)
        return;
    if (show->printer)
        show_structured_part (show, shown, part);
    else if (show->options->format == SHOW_RAW)
        show_raw_part (show, shown, part);
    else
        show_text_part (show, shown, part);
}

static void
show_one (void *ctx, struct show *show, const struct mail_message *message)
{
    struct show_message shown = {.match = true};

    if (show->options->part <= 0)
        show_message (show, message, 0, true);
    else if (show_message_open (ctx, show, message, &shown))
        show_part (show, &shown);
}

static int
show_single (void *ctx, struct show *show)
{
    struct mail_messages *messages;
    struct mail_message *message = NULL;
    size_t count = mail_results_count (show->results);
    enum mail_status status;

    if (count != 1)
        return report_usage ("search term did not match precisely one message (matched %zu "
                             "messages).",
                             count);
    status = mail_messages_open (ctx, show->results, 0, 1, &messages);
    if (status == MAIL_OK)
        status = mail_messages_next (messages, &message);
    if (status != MAIL_OK)
        return report_status (show->cli, status, show->index);
    if (!message)
        return report_usage ("the message has gone meanwhile.");
    show_one (ctx, show, message);
    return 0;
}

/* ---- the command ------------------------------------------------------------------------------
 */

static bool
is_single (const struct show_options *options)
{
    return options->format == SHOW_RAW || options->part >= 0 || options->duplicate > 0;
}

static bool
is_structured (const struct show_options *options)
{
    return options->format == SHOW_JSON || options->format == SHOW_SEXP;
}

static void
warn_of_format (const char *option)
{
    fprintf (stderr, "Warning: %s only implemented for format=text, format=json and format=sexp\n",
             option);
}

static int
check_options (struct show_options *options)
{
    bool bytes;

    if (options->format == SHOW_DEFAULT)
        options->format = options->part >= 0 ? SHOW_RAW : SHOW_TEXT;
    if (options->entire_thread < 0)
        options->entire_thread = is_structured (options);
    bytes = options->format == SHOW_RAW || options->format == SHOW_MBOX;
    if (options->format == SHOW_MBOX && options->part > 0)
        return report_usage ("specifying parts is incompatible with mbox output format.");
    if (!options->body && options->part > 0)
        fputs ("Warning: --body=false is incompatible with --part > 0. Disabling.\n", stderr);
    else if (!options->body && bytes)
        warn_of_format ("--body=false");
    if (bytes || options->part > 0)
        options->body = true;
    if (options->include_html && bytes)
        warn_of_format ("--include-html");
    if (options->decrypt == MAIL_DECRYPT_TRUE || options->decrypt == MAIL_DECRYPT_NOSTASH)
        options->verify = true;
    return 0;
}

/* Parses the query; what must be one message is looked for among the excluded too. */
static int
prepare (void *ctx, struct show *show, const char *text)
{
    const struct show_options *options = show->options;
    enum printer_format format = options->format == SHOW_SEXP ? PRINTER_SEXP : PRINTER_JSON;
    bool exclude = options->exclude && !is_single (options);
    int code;

    show->ctx = ctx;
    show->file = stdout;
    show->now = time (NULL);
    if (is_structured (options))
        show->printer = printer_create (ctx, format, show->file);
    show->extra_headers = config_list (ctx, show->cli->config, "show.extra_headers", NULL);
    show->excluded = session_excluded_tags (ctx, show->cli);
    code = session_parse (ctx, show->cli, show->index, text, exclude ? show->excluded : NULL,
                          &show->query);
    if (code == 0 && !exclude)
        session_drop_named (show->query, show->excluded);
    return code;
}

static int
run_query (void *ctx, struct show *show)
{
    const struct show_options *options = show->options;
    enum mail_status status =
        mail_query_run (ctx, show->query, (enum mail_sort) options->sort, &show->results);

    if (status == MAIL_OK && is_single (options))
        return show_single (ctx, show);
    if (status == MAIL_OK)
        status = show_threads (ctx, show);
    return status == MAIL_OK ? 0 : report_status (show->cli, status, show->index);
}

static int
run_show (struct cli *cli, void *options_given, int argc, char **argv)
{
    struct show_options *options = options_given;
    struct show show = {.cli = cli, .options = options};
    void *local = talloc_new (NULL), *reading = talloc_new (local);
    char *text;
    int code = session_format_version (cli, options->format_version);

    if (code == 0)
        code = check_options (options);
    if (code == 0)
        code = session_query_text (local, cli, argc, argv, &text);
    if (code == 0 && *text == '\0')
        code = report_usage ("%s show requires at least one search term.", cli->program);
    if (code == 0)
        code = session_open (local, cli, 0, &show.index);
    if (code == 0)
        code = prepare (reading, &show, text);
    if (code == 0)
        code = run_query (reading, &show);
    if (code == 0)
        code = show_keep_session_keys (&show);
    if (code == 0 && show.failed)
        code = 1;
    talloc_free (reading); /* before the index it reads */
    session_close (cli, show.index);
    talloc_free (local);
    return code;
}

const struct command command_show = {
    .name = "show",
    .arguments = "[OPTION...] QUERY",
    .summary = "Show messages that match a query",
    .options = specs,
    .defaults = &defaults,
    .options_size = sizeof defaults,
    .run = run_show,
};
