/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command-reindex.c - reindex: reads the mail of matches again.
 *
 * It is a list of changes like that of new: each file of each match is added once more, which gives
 * the message words and headers anew, and what is gone is dropped.
 */
#include "folder-path.h"
#include "progress.h"
#include "report.h"
#include "session.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <talloc.h>

struct reindex_options {
    int decrypt;
};

/* Nothing is decrypted yet, whatever is asked for. */
static const struct option_keyword decrypts[] = {
    {"true", 0}, {"nostash", 1}, {"auto", 2}, {"false", 3}, {NULL, 0}};

#define T struct reindex_options
/* clang-format off */
static const struct option_spec specs[] = {
    OPT_KEYWORD (T, decrypt, "decrypt", decrypts, NULL),
    OPT_END
};
/* clang-format on */

static const struct reindex_options defaults = {.decrypt = 2};

struct reindex {
    struct cli *cli;
    struct mail_index *index;
    struct mail_folders *folders;
    struct mail_changes *changes;
    struct progress *progress;
    bool again; /* a later run may do better */
};

static void
tell (struct reindex *reindex, const char *path, const char *text)
{
    char *line = text_line (NULL, path);

    progress_clear (reindex->progress);
    fprintf (stderr, "%s: %s\n", line, text_line (line, text));
    talloc_free (line);
}

static void
add_file (struct reindex *reindex, const struct mail_file *file)
{
    char *path = mail_file_path (NULL, reindex->index, file);
    const struct mail_folder *folder = folder_of_path (reindex->folders, file->folder);
    struct mail_stat file_stat;

    if (folder_file_stat (path, &file_stat)) {
        mail_changes_add (reindex->changes, file->folder, file->name, &file_stat);
    } else if (errno == ENOENT && folder) {
        mail_changes_drop (reindex->changes, folder->id, file->name);
    } else {
        tell (reindex, path, strerror (errno));
        reindex->again = true;
    }
    talloc_free (path);
}

static enum mail_status
collect (struct reindex *reindex, void *ctx, struct mail_query *query)
{
    struct mail_results *results;
    struct mail_messages *messages;
    struct mail_message *message = NULL;
    enum mail_status status = mail_folders_load (ctx, reindex->index, &reindex->folders);

    if (status == MAIL_OK)
        status = mail_query_run (ctx, query, MAIL_SORT_UNSORTED, &results);
    if (status == MAIL_OK)
        status = mail_messages_open (ctx, results, 0, mail_results_count (results), &messages);
    while (status == MAIL_OK) {
        size_t count;
        const struct mail_file *files;

        status = mail_messages_next (messages, &message);
        if (status != MAIL_OK || !message)
            break;
        files = mail_message_files (message, &count);
        for (size_t i = 0; i < count; i++)
            add_file (reindex, &files[i]);
    }
    return status;
}

static void
on_problem (void *closure, const char *path, enum mail_status status, const char *text)
{
    struct reindex *reindex = closure;

    reindex->again |= status == MAIL_ERROR_IO;
    tell (reindex, path, text && *text ? text : mail_status_text (status));
}

static bool
on_progress (void *closure, const char *path, uint64_t done, uint64_t total)
{
    struct reindex *reindex = closure;

    (void) path;
    progress_update (reindex->progress, done, total);
    return true;
}

static int
apply (void *ctx, struct reindex *reindex)
{
    const struct config *config = reindex->cli->config;
    struct mail_apply_options options = {
        .reindex = true, .problem = on_problem, .progress = on_progress, .closure = reindex};
    struct mail_apply_counts counts;
    int64_t days, workers, mebibytes;
    char *error = NULL;
    enum mail_status status;

    options.new_tags =
        (const char *const *) config_list (ctx, config, "new.tags", &options.new_tags_count);

    if (config_integer (ctx, config, "new.tombstone_days", 0, 36500, &days, &error) != MAIL_OK ||
        config_integer (ctx, config, "new.workers", 0, 256, &workers, &error) != MAIL_OK ||
        config_integer (ctx, config, "new.memory", 16, 1 << 20, &mebibytes, &error) != MAIL_OK) {
        report (reindex->cli, "%s", error);
        return 1;
    }
    options.tombstone_days = (unsigned) days;
    status =
        mail_workers_start (ctx, (unsigned) workers, (size_t) mebibytes << 20, &options.workers);
    if (status == MAIL_OK)
        status = mail_changes_apply (reindex->changes, &options, &counts);
    progress_clear (reindex->progress);
    return status == MAIL_OK ? 0 : report_status (reindex->cli, status, reindex->index);
}

static int
reindex_matches (void *ctx, struct reindex *reindex, const char *text)
{
    struct mail_query *query = NULL;
    enum mail_status status;
    int code = session_parse (ctx, reindex->cli, reindex->index, text, NULL, &query);

    if (code != 0)
        return code;
    reindex->changes = mail_changes_create (ctx, reindex->index);
    reindex->progress = progress_begin (ctx, "files", true);
    status = collect (reindex, ctx, query);
    if (status != MAIL_OK)
        return report_status (reindex->cli, status, reindex->index);
    code = mail_changes_empty (reindex->changes) ? 0 : apply (ctx, reindex);
    return code == 0 && reindex->again ? EXIT_AGAIN : code;
}

static int
run_reindex (struct cli *cli, void *options, int argc, char **argv)
{
    void *local = talloc_new (NULL), *reading = talloc_new (local);
    struct reindex reindex = {.cli = cli};
    char *text;
    int code = session_query_text (local, cli, argc, argv, &text);

    (void) options;
    if (code == 0 && *text == '\0')
        code = report_usage ("%s reindex requires at least one search term.", cli->program);
    if (code == 0)
        code = session_open (local, cli, 0, &reindex.index);
    if (code == 0)
        code = reindex_matches (reading, &reindex, text);
    talloc_free (reading);
    session_close (cli, reindex.index);
    talloc_free (local);
    return code;
}

const struct command command_reindex = {
    .name = "reindex",
    .arguments = "[OPTION...] [--] QUERY",
    .summary = "Read the mail of matches again",
    .options = specs,
    .defaults = &defaults,
    .options_size = sizeof defaults,
    .run = run_reindex,
};
