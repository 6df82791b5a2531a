/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command-address.c - address: the people that messages are from and to.
 *
 * All comes from the index: no mail file is opened. Where nothing has to be counted first, people
 * are printed as they are met.
 */
#include "output.h"
#include "people.h"
#include "printer.h"
#include "report.h"
#include "session.h"

#include <string.h>
#include <talloc.h>

enum address_output { SENDER = 1, RECIPIENTS = 2, COUNT = 4, ADDRESS = 8 };
enum address_deduplicate { DEDUPLICATE_MAILBOX, DEDUPLICATE_NO, DEDUPLICATE_ADDRESS };

struct address_options {
    int format, output, sort, deduplicate;
    int64_t format_version;
    int exclude; /* a bool */
};

/* One run. */
struct run {
    struct cli *cli;
    const struct address_options *options;
    struct mail_index *index;
    struct mail_query *query;
    struct mail_results *results;
    struct printer *printer;
    struct people *people;
    bool at_once; /* people are printed as they are met */
};

static const struct option_keyword outputs[] = {
    {"sender", SENDER}, {"recipients", RECIPIENTS}, {"count", COUNT}, {"address", ADDRESS},
    {NULL, 0},
};

static const struct option_keyword deduplicates[] = {
    {"mailbox", DEDUPLICATE_MAILBOX},
    {"no", DEDUPLICATE_NO},
    {"address", DEDUPLICATE_ADDRESS},
    {NULL, 0},
};

static const struct option_keyword sorts[] = {
    {"newest-first", MAIL_SORT_NEWEST_FIRST},
    {"oldest-first", MAIL_SORT_OLDEST_FIRST},
    {NULL, 0},
};

static const struct option_keyword excludes[] = {{"true", true}, {"false", false}, {NULL, 0}};

#define T struct address_options
/* clang-format off */
static const struct option_spec specs[] = {
    OPT_FLAGS (T, output, "output", outputs, "whom, and what of them; may be repeated"),
    OPT_KEYWORD (T, deduplicate, "deduplicate", deduplicates, "who counts as the same"),
    OPT_KEYWORD (T, format, "format", printer_formats, "how to show it"),
    OPT_INTEGER (T, format_version, "format-version", "N", "version of structured output", .min = -1000, .max = 1000),
    OPT_KEYWORD (T, sort, "sort", sorts, "order of the messages by date"),
    OPT_KEYWORD (T, exclude, "exclude", excludes, "leave out messages with a tag of search.exclude_tags"),
    OPT_END
};
/* clang-format on */

static const struct address_options defaults = {
    .format_version = FORMAT_VERSION,
    .exclude = true,
};

/* ---- one person -------------------------------------------------------------------------------
 */

static void
print_line (const struct run *run, const struct person *person, const char *text)
{
    if (run->options->output & COUNT) {
        printer_integer (run->printer, (int64_t) person->count);
        printer_string (run->printer, "\t");
    }
    printer_string (run->printer, run->options->output & ADDRESS ? person->address.address : text);
}

static void
print_map (const struct run *run, const struct person *person, const char *text)
{
    printer_begin_map (run->printer);
    printer_key_string (run->printer, "name", person->address.name);
    printer_key_string (run->printer, "address", person->address.address);
    printer_key_string (run->printer, "name-addr", text);
    if (run->options->output & COUNT)
        printer_key_integer (run->printer, "count", (int64_t) person->count);
    printer_end (run->printer);
}

static void
print_person (const struct run *run, const struct person *person)
{
    char *text = mail_address_text (NULL, &person->address);

    if (printer_is_lines (run->printer))
        print_line (run, person, text);
    else
        print_map (run, person, text);
    printer_separator (run->printer);
    output_result ();
    talloc_free (text);
}

/* ---- all of them ------------------------------------------------------------------------------
 */

static void
take_people (struct run *run, const struct mail_address *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool again = run->people && !people_add (run->people, &list[i]);

        if (run->at_once && !again)
            print_person (run, &(struct person){.address = list[i]});
    }
}

static void
take_field (struct run *run, const struct mail_message *message, enum mail_field field)
{
    size_t count;
    struct mail_address *list = mail_message_addresses (NULL, message, field, &count);

    take_people (run, list, count);
    talloc_free (list);
}

static void
take_message (struct run *run, const struct mail_message *message)
{
    if (run->options->output & SENDER)
        take_field (run, message, MAIL_FROM);
    take_field (run, message, MAIL_TO);
    take_field (run, message, MAIL_CC);
    take_field (run, message, MAIL_BCC);
}

static enum mail_status
take_senders (void *ctx, struct run *run)
{
    struct mail_senders *senders;
    const struct mail_sender *sender;
    enum mail_status status = mail_senders_open (ctx, run->results, &senders);

    while (status == MAIL_OK && !output_broken ()) {
        status = mail_senders_next (senders, &sender);
        if (status != MAIL_OK || !sender)
            break;
        take_people (run, sender->addresses, sender->count);
    }
    return status;
}

static enum mail_status
take_messages (void *ctx, struct run *run)
{
    struct mail_messages *messages;
    struct mail_message *message;
    enum mail_status status = mail_messages_open_headers (ctx, run->results, &messages);

    while (status == MAIL_OK && !output_broken ()) {
        status = mail_messages_next (messages, &message);
        if (status != MAIL_OK || !message)
            break;
        take_message (run, message);
    }
    return status;
}

/* Those that were counted. */
static void
print_people (void *ctx, const struct run *run)
{
    const struct person *list;
    size_t count;

    if (run->options->deduplicate == DEDUPLICATE_ADDRESS)
        list = people_by_address (ctx, run->people, &count);
    else
        list = people_list (run->people, &count);
    for (size_t i = 0; i < count && !output_broken (); i++)
        print_person (run, &list[i]);
}

/* ---- the command ------------------------------------------------------------------------------
 */

static int
run_query (void *ctx, struct run *run)
{
    const struct address_options *options = run->options;
    enum mail_status status =
        mail_query_run (ctx, run->query, (enum mail_sort) options->sort, &run->results);

    run->printer = printer_create (ctx, (enum printer_format) options->format, stdout);
    run->at_once = options->deduplicate != DEDUPLICATE_ADDRESS && !(options->output & COUNT);
    if (options->deduplicate != DEDUPLICATE_NO)
        run->people = people_create (ctx);
    if (status == MAIL_OK) {
        printer_begin_list (run->printer);
        status = options->output & RECIPIENTS ? take_messages (ctx, run) : take_senders (ctx, run);
        if (!run->at_once)
            print_people (ctx, run);
        printer_end (run->printer);
    }
    return status == MAIL_OK ? 0 : report_status (run->cli, status, run->index);
}

static int
check_options (const struct cli *cli, const struct address_options *options)
{
    int code = session_format_version (cli, options->format_version);

    if (code == 0 && options->output & COUNT && options->deduplicate == DEDUPLICATE_NO)
        return report_usage ("--output=count is not applicable with --deduplicate=no");
    return code;
}

static int
run_address (struct cli *cli, void *options_given, int argc, char **argv)
{
    struct address_options *options = options_given;
    struct run run = {.cli = cli, .options = options};
    void *local = talloc_new (NULL), *reading = talloc_new (local);
    char *text, **excluded = NULL;
    int code = check_options (cli, options);

    if (code == 0)
        code = session_query_text (local, cli, argc, argv, &text);
    if (code == 0 && *text == '\0')
        code = report_usage ("%s address requires at least one search term.", cli->program);
    if (code == 0)
        code = session_open (local, cli, 0, &run.index);
    if (code == 0 && options->exclude)
        excluded = session_excluded_tags (reading, cli);
    if (code == 0)
        code = session_parse (reading, cli, run.index, text, excluded, &run.query);
    if (code == 0)
        code = run_query (reading, &run);
    talloc_free (reading); /* before the index it reads */
    session_close (cli, run.index);
    talloc_free (local);
    return code;
}

const struct command command_address = {
    .name = "address",
    .arguments = "[OPTION...] QUERY",
    .summary = "Show the people of messages that match a query",
    .options = specs,
    .defaults = &defaults,
    .options_size = sizeof defaults,
    .run = run_address,
};
