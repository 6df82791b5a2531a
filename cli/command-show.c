/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command-show.c - show: whole messages, thread by thread, or one message as it lies on the disk.
 *
 * Threads come in the order of search; inside a thread messages stand below what they answer.
 */
#include "excludes.h"
#include "output.h"
#include "paging.h"
#include "report.h"
#include "session.h"
#include "show-text.h"
#include "thread-tree.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <talloc.h>
#include <time.h>
#include <unistd.h>

enum show_format { SHOW_DEFAULT, SHOW_TEXT, SHOW_RAW };

struct show_options {
    int format, sort;
    int64_t format_version, part, duplicate, offset, limit;
    bool entire_thread, unthreaded, body, exclude, include_html;
};

/* One run. */
struct show {
    struct cli *cli;
    const struct show_options *options;
    struct mail_index *index;
    struct mail_query *query;
    struct mail_results *results;
    struct show_text text;
    char **excluded;  /* tags of messages that are marked excluded */
    bool file_failed; /* a message could not be shown */
};

static const struct option_keyword formats[] = {
    {"text", SHOW_TEXT},
    {"raw", SHOW_RAW},
    {NULL, 0},
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
    OPT_BOOLEAN (T, entire_thread, "entire-thread", "also the messages of a thread that do not match"),
    OPT_BOOLEAN (T, unthreaded, "unthreaded", "each message as if it were a thread"),
    OPT_BOOLEAN (T, body, "body", "with the body, not only the headers"),
    OPT_BOOLEAN (T, include_html, "include-html", "with the source of HTML parts"),
    OPT_INTEGER (T, duplicate, "duplicate", "N", "the Nth file of the message"),
    OPT_KEYWORD (T, sort, "sort", sorts, "order of the threads"),
    OPT_INTEGER (T, offset, "offset", "[-]N", "leave out the first N threads; -N: all but the last N"),
    OPT_INTEGER (T, limit, "limit", "N", "show at most N threads"),
    OPT_BOOLEAN (T, exclude, "exclude", "leave out messages with a tag of search.exclude_tags"),
    OPT_END
};
/* clang-format on */

static const struct show_options defaults = {
    .format = SHOW_DEFAULT,
    .format_version = FORMAT_VERSION,
    .part = -1,
    .limit = -1,
    .body = true,
    .exclude = true,
};

/* ---- files ------------------------------------------------------------------------------------
 */

static void
open_failed (struct show *show, const char *path)
{
    fflush (stdout);
    fprintf (stderr, "Error opening %s: %s\n", path, strerror (errno));
    show->file_failed = true;
}

/* Path of the file to show: the one asked for, else the first that can be read; *first_out says
 * whether it is the message's first. NULL after a message. */
static char *
choose_file (void *ctx, struct show *show, const struct mail_message *message, bool *first_out)
{
    size_t count, wanted = show->options->duplicate > 0 ? (size_t) show->options->duplicate : 0;
    const struct mail_file *files = mail_message_files (message, &count);

    for (size_t i = 0; i < count; i++) {
        char *path = mail_file_path (ctx, show->index, &files[i]);

        *first_out = i == 0;
        if ((wanted == 0 || wanted == i + 1) && access (path, R_OK) == 0)
            return path;
        talloc_free (path);
    }
    /* ENOENT is what it comes to where there is no Nth file. */
    if (wanted > count)
        errno = ENOENT;
    open_failed (show, mail_file_path (ctx, show->index, &files[0]));
    return NULL;
}

/* Copies a file to the output. */
static void
copy_raw (struct show *show, const char *path)
{
    FILE *file = fopen (path, "re");
    char buffer[1 << 16];
    size_t length;

    if (!file) {
        open_failed (show, path);
        return;
    }
    while (!output_broken () && (length = fread (buffer, 1, sizeof buffer, file)) > 0)
        fwrite (buffer, 1, length, stdout);
    if (ferror (file))
        open_failed (show, path);
    fclose (file);
}

static struct mail_content *
open_content (void *ctx, struct show *show, const char *path)
{
    struct mail_content *content = NULL;
    char *error = NULL;

    if (mail_content_open (ctx, path, &content, &error) == MAIL_OK)
        return content;
    report (show->cli, "%s", error);
    show->file_failed = true;
    return NULL;
}

static bool
is_excluded (const struct show *show, const struct mail_message *message)
{
    for (char *const *tag = show->excluded; tag && *tag; tag++)
        for (const char *const *t = mail_message_tags (message, NULL); *t; t++)
            if (strcmp (*t, *tag) == 0)
                return true;
    return false;
}

static void
show_message (struct show *show, const struct mail_message *message, int depth, bool match)
{
    void *local = talloc_new (NULL);
    bool first_file = false;
    char *path = choose_file (local, show, message, &first_file);
    struct mail_content *content = path ? open_content (local, show, path) : NULL;
    const struct show_place place = {
        .path = path,
        .depth = depth,
        .match = match,
        .excluded = is_excluded (show, message),
        .first_file = first_file,
    };

    if (content)
        show_text_message (&show->text, message, content, &place);
    output_result ();
    talloc_free (local);
}

/* ---- one message ------------------------------------------------------------------------------
 */

/* Text of a part, without a charset of its own: raw output of a part that is not text needs its
 * bytes, which the library does not give yet. */
static int
show_raw_part (void *ctx, struct show *show, struct mail_content *content, int number)
{
    size_t count, length;
    const struct mail_part *parts = mail_content_parts (content, &count);
    char *text;

    for (size_t i = 0; i < count; i++) {
        if (parts[i].number != number)
            continue;
        if (!parts[i].text) {
            report (show->cli, "part %d is %s: only parts that are text can be shown so far",
                    number, parts[i].type);
            return 1;
        }
        if (mail_part_text (ctx, content, &parts[i], &text, &length) == MAIL_OK)
            fwrite (text, 1, length, stdout);
    }
    return 0;
}

static int
show_part (void *ctx, struct show *show, const struct mail_message *message)
{
    bool whole = show->options->part <= 0, first_file;
    char *path = choose_file (ctx, show, message, &first_file);
    struct mail_content *content;

    if (!path)
        return 1;
    if (show->options->format == SHOW_RAW && whole) {
        copy_raw (show, path);
        return 0;
    }
    if (whole) {
        show_message (show, message, 0, true);
        return 0;
    }
    content = open_content (ctx, show, path);
    if (!content)
        return 1;
    if (show->options->format == SHOW_RAW)
        return show_raw_part (ctx, show, content, (int) show->options->part);
    show_text_part (&show->text, content, (int) show->options->part);
    return 0;
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
    return show_part (ctx, show, message);
}

/* ---- threads ----------------------------------------------------------------------------------
 */

static struct tree_node *
build_tree (void *ctx, struct mail_message *const *messages, size_t count, size_t *root_out)
{
    struct tree_message *inputs = talloc_array (ctx, struct tree_message, count);

    for (size_t i = 0; i < count; i++)
        inputs[i] = (struct tree_message){
            .id = mail_message_id (messages[i]),
            .parent = mail_message_parent (messages[i]),
            .references = mail_message_references (messages[i], NULL),
        };
    return thread_tree_build (ctx, inputs, count, root_out);
}

/* The node after i, its children first. */
static size_t
next_node (const struct tree_node *nodes, size_t i)
{
    if (nodes[i].first_child != TREE_NONE)
        return nodes[i].first_child;
    while (i != TREE_NONE && nodes[i].next_sibling == TREE_NONE)
        i = nodes[i].parent;
    return i == TREE_NONE ? TREE_NONE : nodes[i].next_sibling;
}

static void
show_tree (void *ctx, struct show *show, const struct mail_thread *thread)
{
    size_t count, root;
    struct mail_message *const *messages = mail_thread_messages (thread, &count);
    struct tree_node *nodes = build_tree (ctx, messages, count, &root);
    int *below = talloc_array (ctx, int, count); /* depth of what hangs below a node */

    for (size_t i = root; i != TREE_NONE && !output_broken (); i = next_node (nodes, i)) {
        bool match = mail_thread_message_matched (thread, i);
        bool shown = match || show->options->entire_thread;
        int depth = nodes[i].parent == TREE_NONE ? 0 : below[nodes[i].parent];

        below[i] = depth + (shown ? 1 : 0);
        if (shown)
            show_message (show, messages[i], depth, match);
    }
}

static enum mail_status
show_threads (void *ctx, struct show *show)
{
    struct mail_threads *threads;
    struct mail_thread *thread;
    enum mail_status status = paging_open_threads (ctx, show->results, show->options->offset,
                                                   show->options->limit, &threads);

    while (status == MAIL_OK && !output_broken ()) {
        void *local;

        status = mail_threads_next (threads, &thread);
        if (status != MAIL_OK || !thread)
            break;
        local = talloc_new (NULL);
        show_tree (local, show, thread);
        talloc_free (local);
    }
    return status;
}

static enum mail_status
show_unthreaded (void *ctx, struct show *show)
{
    size_t first = paging_first (show->options->offset, mail_results_count (show->results));
    struct mail_messages *messages;
    struct mail_message *message;
    enum mail_status status = mail_messages_open (ctx, show->results, first,
                                                  paging_limit (show->options->limit), &messages);

    while (status == MAIL_OK && !output_broken ()) {
        status = mail_messages_next (messages, &message);
        if (status != MAIL_OK || !message)
            break;
        show_message (show, message, 0, true);
    }
    return status;
}

/* ---- the command ------------------------------------------------------------------------------
 */

static bool
is_single (const struct show_options *options)
{
    return options->format == SHOW_RAW || options->part >= 0 || options->duplicate > 0;
}

static void
check_options (struct show_options *options)
{
    if (options->format == SHOW_DEFAULT)
        options->format = options->part >= 0 ? SHOW_RAW : SHOW_TEXT;
    if (!options->body && options->format == SHOW_RAW)
        fputs ("Warning: --body=false only implemented for format=text, format=json and "
               "format=sexp\n",
               stderr);
    else if (!options->body && options->part > 0)
        fputs ("Warning: --body=false is incompatible with --part > 0. Disabling.\n", stderr);
    if (options->format == SHOW_RAW || options->part > 0)
        options->body = true;
    if (options->include_html && options->format == SHOW_RAW)
        fputs ("Warning: --include-html only implemented for format=text, format=json and "
               "format=sexp\n",
               stderr);
}

/* Parses the query; what must be one message is looked for among the excluded too. */
static int
prepare (void *ctx, struct show *show, const char *text)
{
    const struct show_options *options = show->options;

    show->text = (struct show_text){
        .file = stdout,
        .now = time (NULL),
        .body = options->body,
        .include_html = options->include_html,
    };
    show->excluded = session_excluded_tags (ctx, show->cli, text);
    return session_parse (ctx, show->cli, show->index, text,
                          options->exclude && !is_single (options) ? show->excluded : NULL,
                          &show->query);
}

static int
run_query (void *ctx, struct show *show)
{
    const struct show_options *options = show->options;
    enum mail_status status =
        mail_query_run (ctx, show->query, (enum mail_sort) options->sort, &show->results);

    if (status == MAIL_OK && is_single (options))
        return show_single (ctx, show);
    if (status == MAIL_OK && options->unthreaded)
        status = show_unthreaded (ctx, show);
    else if (status == MAIL_OK)
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

    check_options (options);
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
    if (code == 0 && show.file_failed)
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
