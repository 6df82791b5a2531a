/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command-compact.c - compact: the index in as little room as it can do with. */
#include "output.h"
#include "report.h"
#include "session.h"

#include <glib.h>
#include <stdio.h>
#include <sys/stat.h>
#include <talloc.h>

struct compact_options {
    const char *backup;
    bool quiet;
};

#define T struct compact_options
/* clang-format off */
static const struct option_spec specs[] = {
    OPT_STRING (T, backup, "backup", "FOLDER", "keep the index as it was in FOLDER"),
    OPT_BOOLEAN (T, quiet, "quiet", "print nothing"),
    OPT_END
};
/* clang-format on */

static const struct compact_options defaults = {0};

static void
print_line (void *closure, const char *line)
{
    const struct compact_options *options = closure;

    if (options->quiet)
        return;
    puts (line);
    output_result ();
}

static int
compact (struct cli *cli, const struct compact_options *options, struct mail_index *index)
{
    void *local = talloc_new (NULL);
    char *backup = options->backup ? g_canonicalize_filename (options->backup, NULL) : NULL;
    struct mail_workers *workers = NULL;
    enum mail_status status;

    print_line ((void *) options, "Compacting database...");
    status = mail_workers_start (local, 1, 0, &workers);
    if (status == MAIL_OK)
        status = mail_index_compact (index, workers, backup, print_line, (void *) options);
    if (status == MAIL_OK && backup) {
        char *line =
            talloc_asprintf (local, "The old database has been moved to %s.", options->backup);

        print_line ((void *) options, line);
    }
    if (status == MAIL_OK)
        print_line ((void *) options, "Done.");
    talloc_free (local);
    g_free (backup);
    return status == MAIL_OK ? 0 : report_status (cli, status, index);
}

static int
run_compact (struct cli *cli, void *options_given, int argc, char **argv)
{
    const struct compact_options *options = options_given;
    void *local = talloc_new (NULL);
    struct mail_index *index = NULL;
    struct stat st;
    int code;

    if (argc > 0) {
        talloc_free (local);
        return report_extra_word (argv[0]);
    }
    if (options->backup && lstat (options->backup, &st) == 0) {
        report (cli, "path already exists: %s", options->backup);
        talloc_free (local);
        return 1;
    }
    code = session_open (local, cli, 0, &index);
    if (code == 0)
        code = compact (cli, options, index);
    session_close (cli, index);
    talloc_free (local);
    return code;
}

const struct command command_compact = {
    .name = "compact",
    .arguments = "[OPTION...]",
    .summary = "Make the index smaller",
    .options = specs,
    .defaults = &defaults,
    .options_size = sizeof defaults,
    .run = run_compact,
};
