/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command-dump.c - dump: tags, properties and the configuration of the index as text.
 *
 * One pass over the messages in order of their ids, without any lock. The lines are those of tag
 * --batch, so that a dump can be read, edited and merged with the tools for text.
 */
#include "atomic-file.h"
#include "dump.h"
#include "gzip.h"
#include "output.h"
#include "progress.h"
#include "report.h"
#include "session.h"
#include "text.h"

#include <errno.h>
#include <string.h>
#include <talloc.h>
#include <unistd.h>

struct dump_options {
    bool gzip;
    int format, include;
    const char *output;
};

const struct option_keyword dump_includes[] = {
    {"config", DUMP_CONFIG}, {"properties", DUMP_PROPERTIES}, {"tags", DUMP_TAGS}, {NULL, 0}};

static const struct option_keyword formats[] = {
    {"batch-tag", DUMP_BATCH_TAG}, {"sup", DUMP_SUP}, {NULL, 0}};

#define T struct dump_options
/* clang-format off */
static const struct option_spec specs[] = {
    OPT_BOOLEAN (T, gzip, "gzip", "compress"),
    OPT_KEYWORD (T, format, "format", formats, "how tags are written"),
    OPT_FLAGS (T, include, "include", dump_includes, "what is written; all of it if not given"),
    OPT_STRING (T, output, "output", "FILE", "write to FILE"),
    OPT_END
};
/* clang-format on */

static const struct dump_options defaults = {.format = DUMP_BATCH_TAG};

struct dump {
    struct cli *cli;
    const struct dump_options *options;
    struct mail_index *index;
    struct mail_results *results;
    FILE *file;
    bool terminal; /* which control characters in an id must not reach */
    bool lossy;    /* something could not be written in this format */
};

static void
print_header (const struct dump *dump, int include)
{
    const char *between = "";

    fprintf (dump->file, "#notmuch-dump %s:%d ",
             dump->options->format == DUMP_SUP ? "sup" : "batch-tag", DUMP_VERSION);
    for (size_t i = 0; dump_includes[i].name; i++) {
        if (!(include & dump_includes[i].value))
            continue;
        fprintf (dump->file, "%s%s", between, dump_includes[i].name);
        between = ",";
    }
    putc ('\n', dump->file);
}

static enum mail_status
print_settings (const struct dump *dump)
{
    void *local = talloc_new (NULL);
    struct mail_setting *settings;
    size_t count;
    enum mail_status status = mail_index_settings (local, dump->index, &settings, &count);

    for (size_t i = 0; status == MAIL_OK && i < count; i++)
        fprintf (dump->file, "#@ %s %s\n", mail_hex_encode (local, settings[i].key),
                 mail_hex_encode (local, settings[i].value));
    talloc_free (local);
    return status;
}

static void
leave_out (struct dump *dump, const char *what, const char *text)
{
    char *line = text_line (NULL, text);

    report (dump->cli, "%s '%s' cannot be written in the format sup (skipping)", what, line);
    dump->lossy = true;
    talloc_free (line);
}

/* "ID (TAG TAG)": a blank ends either, and a parenthesis all of it. */
static void
print_sup (struct dump *dump, void *local, const char *id, const char *const *tags, size_t count)
{
    const char *between = "";

    if (strpbrk (id, " \n")) {
        leave_out (dump, "the message", id);
        return;
    }
    fprintf (dump->file, "%s (", dump->terminal ? text_line (local, id) : id);
    for (size_t i = 0; i < count; i++) {
        if (strpbrk (tags[i], " \n)")) {
            leave_out (dump, "the tag", tags[i]);
            continue;
        }
        fprintf (dump->file, "%s%s", between,
                 dump->terminal ? text_line (local, tags[i]) : tags[i]);
        between = " ";
    }
    fputs (")\n", dump->file);
}

static void
print_tags (struct dump *dump, void *local, const struct mail_message *message)
{
    size_t count;
    const char *const *tags = mail_message_tags (message, &count);
    const char *id = mail_message_id (message);

    if (dump->options->format == DUMP_SUP) {
        print_sup (dump, local, id, tags, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        fprintf (dump->file, "%s+%s", i ? " " : "", mail_hex_encode (local, tags[i]));
    fprintf (dump->file, " -- %s\n",
             dump->terminal ? text_printable_term (local, "id", id) : text_term (local, "id", id));
}

static void
print_properties (const struct dump *dump, void *local, const struct mail_message *message)
{
    size_t count;
    const struct mail_property *properties = mail_message_properties (message, &count);

    if (count == 0)
        return;
    fprintf (dump->file, "#= %s", mail_hex_encode (local, mail_message_id (message)));
    for (size_t i = 0; i < count; i++)
        fprintf (dump->file, " %s=%s", mail_hex_encode (local, properties[i].key),
                 mail_hex_encode (local, properties[i].value));
    putc ('\n', dump->file);
}

static void
print_message (struct dump *dump, int include, const struct mail_message *message)
{
    void *local = talloc_new (NULL);

    if (strchr (mail_message_id (message), '\n')) {
        report (dump->cli, "the message id has a newline in it (skipping): %s",
                text_line (local, mail_message_id (message)));
        talloc_free (local);
        return;
    }
    if (include & DUMP_TAGS)
        print_tags (dump, local, message);
    if (include & DUMP_PROPERTIES)
        print_properties (dump, local, message);
    talloc_free (local);
}

static enum mail_status
print_messages (struct dump *dump, int include)
{
    void *local = talloc_new (NULL);
    struct progress *progress = progress_begin (local, "messages", dump->options->output != NULL);
    size_t done = 0, count = mail_results_count (dump->results);
    struct mail_messages *messages;
    struct mail_message *message;
    enum mail_status status = mail_messages_open_tags (local, dump->results, &messages);

    while (status == MAIL_OK && !ferror (dump->file)) {
        status = mail_messages_next (messages, &message);
        if (status != MAIL_OK || !message)
            break;
        print_message (dump, include, message);
        progress_update (progress, ++done, count);
    }
    progress_clear (progress);
    talloc_free (local);
    return status;
}

static int
print_all (struct dump *dump)
{
    int include = dump->options->include;
    enum mail_status status = MAIL_OK;

    if (include == 0)
        include = DUMP_CONFIG | DUMP_PROPERTIES | DUMP_TAGS;
    print_header (dump, include);
    if (include & DUMP_CONFIG)
        status = print_settings (dump);
    if (status == MAIL_OK && include & (DUMP_TAGS | DUMP_PROPERTIES))
        status = print_messages (dump, include);
    if (status != MAIL_OK)
        return report_status (dump->cli, status, dump->index);
    return dump->lossy ? 1 : 0;
}

static int
output_failed (const struct dump *dump, int error)
{
    report (dump->cli, "cannot write '%s': %s",
            dump->options->output ? dump->options->output : "the output", strerror (error));
    return output_exit_code (error);
}

/* Prints to a descriptor, compressed where wanted; closes it. */
static int
print_to (struct dump *dump, int fd)
{
    bool broken;
    int code;

    dump->file = dump->options->gzip ? gzip_write (fd) : fdopen (fd, "w");
    if (!dump->file)
        return output_failed (dump, errno);
    code = print_all (dump);
    errno = 0;
    broken = ferror (dump->file);
    if (fclose (dump->file) != 0)
        broken = true;
    return broken && code == 0 ? output_failed (dump, errno ? errno : EIO) : code;
}

static int
print_to_file (struct dump *dump)
{
    struct atomic_file *file = atomic_open (dump->cli, dump->options->output);
    int code, error;

    if (!file) {
        report_message ("Bad output file %s: %s\n", dump->options->output, strerror (errno));
        return 1;
    }
    code = print_to (dump, atomic_fd (file));
    error = code == 0 || dump->lossy ? atomic_finish (file) : 0;
    talloc_free (file);
    return error ? output_failed (dump, error) : code;
}

static int
print_to_stdout (struct dump *dump)
{
    if (dump->options->gzip)
        return print_to (dump, dup (STDOUT_FILENO));
    dump->file = stdout;
    dump->terminal = isatty (STDOUT_FILENO);
    return print_all (dump);
}

static int
find_messages (void *ctx, struct dump *dump, int argc, char **argv)
{
    struct mail_query *query = NULL;
    char *text;
    enum mail_status status;
    int code = session_query_text (ctx, dump->cli, argc, argv, &text);

    if (code == 0)
        code = session_parse (ctx, dump->cli, dump->index, *text ? text : "*", NULL, &query);
    if (code != 0)
        return code;
    status = mail_query_run (ctx, query, MAIL_SORT_UNSORTED, &dump->results);
    return status == MAIL_OK ? 0 : report_status (dump->cli, status, dump->index);
}

static int
run_dump (struct cli *cli, void *options, int argc, char **argv)
{
    void *local = talloc_new (NULL), *reading = talloc_new (local);
    struct dump dump = {.cli = cli, .options = options};
    int code = session_open (local, cli, 0, &dump.index);

    if (code == 0)
        code = find_messages (reading, &dump, argc, argv);
    if (code == 0)
        code = dump.options->output ? print_to_file (&dump) : print_to_stdout (&dump);
    talloc_free (reading);
    session_close (cli, dump.index);
    talloc_free (local);
    return code;
}

const struct command command_dump = {
    .name = "dump",
    .arguments = "[OPTION...] [--] [QUERY]",
    .summary = "Write tags and properties to a file",
    .options = specs,
    .defaults = &defaults,
    .options_size = sizeof defaults,
    .run = run_dump,
};
