/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command-reindex.c - reindex: reads the mail of matches again. */
#include "decrypt.h"
#include "reindex.h"
#include "report.h"
#include "session.h"

#include <talloc.h>

struct reindex_options {
    int decrypt;
};

#define T struct reindex_options
/* clang-format off */
static const struct option_spec specs[] = {
    OPT_KEYWORD (T, decrypt, "decrypt", index_decrypts, "decrypt encrypted mail to index it"),
    OPT_END
};
/* clang-format on */

static const struct reindex_options defaults = {.decrypt = DECRYPT_AS_CONFIGURED};

static enum mail_status
collect (struct reindex *reindex, struct mail_query *query)
{
    struct mail_results *results;
    struct mail_messages *messages;
    struct mail_message *message = NULL;
    enum mail_status status = mail_query_run (reindex, query, MAIL_SORT_UNSORTED, &results);

    if (status == MAIL_OK)
        status = mail_messages_open (reindex, results, 0, mail_results_count (results), &messages);
    while (status == MAIL_OK) {
        status = mail_messages_next (messages, &message);
        if (status != MAIL_OK || !message)
            break;
        reindex_add (reindex, message);
    }
    return status;
}

static int
reindex_matches (void *ctx, struct cli *cli, struct mail_index *index, const char *text,
                 int decrypt)
{
    struct mail_query *query = NULL;
    struct reindex *reindex;
    enum mail_status status = MAIL_ERROR_STORE;
    int code = session_parse (ctx, cli, index, text, NULL, &query);

    if (code != 0)
        return code;
    reindex = reindex_create (ctx, cli, index);
    if (reindex)
        status = collect (reindex, query);
    return status == MAIL_OK ? reindex_apply (reindex, decrypt)
                             : report_status (cli, status, index);
}

static int
run_reindex (struct cli *cli, void *options_given, int argc, char **argv)
{
    const struct reindex_options *options = options_given;
    void *local = talloc_new (NULL), *reading = talloc_new (local);
    struct mail_index *index = NULL;
    char *text;
    int code = session_query_text (local, cli, argc, argv, &text);

    if (code == 0 && *text == '\0')
        code = report_usage ("%s reindex requires at least one search term.", cli->program);
    if (code == 0)
        code = session_open (local, cli, 0, &index);
    if (code == 0)
        code = reindex_matches (reading, cli, index, text, options->decrypt);
    talloc_free (reading);
    session_close (cli, index);
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
