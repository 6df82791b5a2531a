/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command-reply.c - reply: the beginning of an answer, for an editor or a mail program.
 *
 * Who it goes to is worked out in reply-headers.c; the original is shown as show does.
 */
#include "output.h"
#include "reply-body.h"
#include "reply-headers.h"
#include "report.h"
#include "session.h"
#include "show-structured.h"

#include <string.h>
#include <talloc.h>
#include <time.h>

enum reply_format { REPLY_DEFAULT, REPLY_JSON, REPLY_SEXP, REPLY_HEADERS_ONLY };

struct reply_options {
    int format, reply_to, decrypt;
    int64_t format_version, duplicate;
};

/* One run. */
struct replying {
    const struct reply_options *options;
    struct show_options show_options;
    struct show show;
};

static const struct option_keyword formats[] = {
    {"default", REPLY_DEFAULT},
    {"json", REPLY_JSON},
    {"sexp", REPLY_SEXP},
    {"headers-only", REPLY_HEADERS_ONLY},
    {NULL, 0},
};

static const struct option_keyword recipients[] = {{"all", true}, {"sender", false}, {NULL, 0}};

#define T struct reply_options
/* clang-format off */
static const struct option_spec specs[] = {
    OPT_KEYWORD (T, format, "format", formats, "how to show it"),
    OPT_INTEGER (T, format_version, "format-version", "N", "version of structured output", .min = -1000, .max = 1000),
    OPT_KEYWORD (T, reply_to, "reply-to", recipients, "to whom the answer goes"),
    OPT_INTEGER (T, duplicate, "duplicate", "N", "answer the Nth file of the message", .min = 0, .max = 1000000000),
    OPT_KEYWORD (T, decrypt, "decrypt", reply_decrypts, "decrypt what is encrypted", .may_be_bare = true),
    OPT_END
};
/* clang-format on */

static const struct reply_options defaults = {
    .format = REPLY_DEFAULT,
    .format_version = FORMAT_VERSION,
    .reply_to = true,
    .decrypt = MAIL_DECRYPT_AUTO,
};

static void
print_structured (struct show *show, const struct reply *reply, const struct show_message *shown)
{
    printer_begin_map (show->printer);
    printer_key (show->printer, "reply-headers");
    reply_print_headers (show->printer, reply);
    printer_key (show->printer, "original");
    show_structured_message (show, shown);
    printer_end (show->printer);
}

static void
answer (struct replying *replying, const struct mail_message *message)
{
    struct show *show = &replying->show;
    void *local = talloc_new (NULL);
    struct show_message shown = {.depth = 0};
    bool headers_only = replying->options->format == REPLY_HEADERS_ONLY;
    struct reply *reply;

    if (show_message_open (local, show, message, &shown)) {
        reply = reply_create (local, show->cli->config, message, shown.content,
                              replying->options->reply_to);
        if (show->printer)
            print_structured (show, reply, &shown);
        else
            reply_write_header (show->file, reply, headers_only);
        if (!show->printer && !headers_only)
            reply_write_body (show->file, shown.content);
        output_result ();
    }
    talloc_free (local);
}

static enum mail_status
answer_all (void *ctx, struct replying *replying)
{
    struct mail_messages *messages;
    struct mail_message *message;
    enum mail_status status =
        mail_messages_open (ctx, replying->show.results, 0, SIZE_MAX, &messages);

    while (status == MAIL_OK && !output_broken ()) {
        status = mail_messages_next (messages, &message);
        if (status != MAIL_OK || !message)
            break;
        answer (replying, message);
    }
    return status;
}

static void
prepare (void *ctx, struct replying *replying)
{
    const struct reply_options *options = replying->options;
    struct show *show = &replying->show;

    replying->show_options = (struct show_options){
        .format = SHOW_JSON,
        .format_version = options->format_version,
        .duplicate = options->duplicate,
        .body = options->format != REPLY_HEADERS_ONLY,
        .decrypt = options->decrypt,
    };
    show->options = &replying->show_options;
    show->ctx = ctx;
    show->file = stdout;
    show->now = time (NULL);
    show->extra_headers = config_list (ctx, show->cli->config, "show.extra_headers", NULL);
    if (options->format == REPLY_JSON || options->format == REPLY_SEXP)
        show->printer = printer_create (
            ctx, options->format == REPLY_SEXP ? PRINTER_SEXP : PRINTER_JSON, show->file);
}

static int
run_query (void *ctx, struct replying *replying)
{
    struct show *show = &replying->show;
    enum mail_status status =
        mail_query_run (ctx, show->query, MAIL_SORT_NEWEST_FIRST, &show->results);
    size_t count = status == MAIL_OK ? mail_results_count (show->results) : 0;

    if (status == MAIL_OK && show->printer && count != 1)
        return report_usage ("search term did not match precisely one message (matched %zu "
                             "messages).",
                             count);
    if (status == MAIL_OK)
        status = answer_all (ctx, replying);
    return status == MAIL_OK ? 0 : report_status (show->cli, status, show->index);
}

static int
run_reply (struct cli *cli, void *options_given, int argc, char **argv)
{
    struct reply_options *options = options_given;
    struct replying replying = {.options = options, .show = {.cli = cli}};
    struct show *show = &replying.show;
    void *local = talloc_new (NULL), *reading = talloc_new (local);
    char *text;
    int code = session_format_version (cli, options->format_version);

    if (code == 0)
        code = session_query_text (local, cli, argc, argv, &text);
    if (code == 0 && *text == '\0')
        code = report_usage ("%s reply requires at least one search term.", cli->program);
    if (code == 0)
        code = session_open (local, cli, 0, &show->index);
    if (code == 0)
        code = session_parse (reading, cli, show->index, text, NULL, &show->query);
    if (code == 0) {
        prepare (reading, &replying);
        code = run_query (reading, &replying);
    }
    if (code == 0 && show->failed)
        code = 1;
    talloc_free (reading); /* before the index it reads */
    session_close (cli, show->index);
    talloc_free (local);
    return code;
}

const struct command command_reply = {
    .name = "reply",
    .arguments = "[OPTION...] QUERY",
    .summary = "Begin an answer to a message",
    .options = specs,
    .defaults = &defaults,
    .options_size = sizeof defaults,
    .run = run_reply,
};
