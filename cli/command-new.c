/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command-new.c - new: looks for new, moved and removed mail and brings the index up to date.
 *
 * The scan makes a list of changes, the library applies it block by block. A signal is noticed
 * between two messages; what is done by then is published, and the next run does the rest.
 */
#include "decrypt.h"
#include "new-problems.h"
#include "new-settings.h"
#include "hooks.h"
#include "output.h"
#include "progress.h"
#include "report.h"
#include "scan/scan.h"
#include "session.h"
#include "takeover.h"
#include "text.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <talloc.h>
#include <time.h>

#define SECONDS_PER_DAY 86400

struct new_options {
    bool quiet, verbose, full_scan, problems, hooks;
    int format, decrypt;
};

/* One run. */
struct new_run {
    struct cli *cli;
    const struct new_options *options;
    struct new_settings settings;
    struct mail_index *index;
    struct progress *progress;
    struct mail_edits *known; /* what notmuch has; NULL: nothing */
    bool first;               /* the index was empty */
    bool import;              /* a first import goes on */
    bool again;               /* a later run may do better */
    bool failed;              /* it has not come to its end */
    uint64_t told;            /* problems that the scan has found and the index did not know */
    bool repair;              /* this is a part of check --repair */
};

#define T struct new_options
/* clang-format off */
static const struct option_spec specs[] = {
    OPT_BOOLEAN (T, quiet, "quiet", "print neither progress nor result"),
    OPT_BOOLEAN (T, verbose, "verbose", "print the name of each file that is read"),
    OPT_BOOLEAN (T, full_scan, "full-scan", "list all folders, and compare each file with the index"),
    OPT_BOOLEAN (T, problems, "problems", "print what could not be indexed so far, and do nothing else"),
    OPT_KEYWORD (T, format, "format", printer_formats, "of the list of problems"),
    OPT_KEYWORD (T, decrypt, "decrypt", index_decrypts, "decrypt encrypted mail to index it"),
    OPT_BOOLEAN (T, hooks, "hooks", "run pre-new and post-new"),
    OPT_END
};
/* clang-format on */

static const struct new_options defaults = {
    .hooks = true, .format = PRINTER_TEXT, .decrypt = DECRYPT_AS_CONFIGURED};

/* ---- signals ----------------------------------------------------------------------------------
 */

static volatile sig_atomic_t stop_asked;

/* The second signal ends the process. */
static void
ask_to_stop (int number)
{
    if (stop_asked) {
        signal (number, SIG_DFL);
        raise (number);
    }
    stop_asked = 1;
}

static void
catch_signals (void)
{
    struct sigaction action = {.sa_handler = ask_to_stop, .sa_flags = SA_RESTART};

    sigemptyset (&action.sa_mask);
    sigaction (SIGINT, &action, NULL);
    sigaction (SIGTERM, &action, NULL);
}

/* ---- what is said on the way ------------------------------------------------------------------
 */

/* On stderr; path and text in one line. */
static void
say (struct new_run *run, const char *format, const char *path, const char *text)
{
    void *local = talloc_new (NULL);

    progress_clear (run->progress);
    fflush (stdout);
    fprintf (stderr, format, text_line (local, path), text ? text_line (local, text) : "");
    talloc_free (local);
}

static void
on_scan_problem (void *closure, enum mail_reason reason, const char *path, int error)
{
    struct new_run *run = closure;
    const char *word = mail_reason_word (reason);
    char *text = error ? talloc_asprintf (NULL, "%s (%s)", word, strerror (error))
                       : talloc_strdup (NULL, word);

    say (run, "%s: %s\n", path, text);
    talloc_free (text);
}

static void
on_problem (void *closure, const char *path, enum mail_status status, const char *text)
{
    struct new_run *run = closure;

    if (status == MAIL_ERROR_NOT_MAIL) {
        say (run, "Note: Ignoring non-mail file: %s%s\n", path, NULL);
        return;
    }
    if (status == MAIL_OK) {
        say (run, "%s: %s: not all of its words are indexed\n", path, text);
        return;
    }
    run->again |= status == MAIL_ERROR_IO;
    say (run, "%s: %s\n", path, text && *text ? text : mail_status_text (status));
}

static bool
on_progress (void *closure, const char *path, uint64_t done, uint64_t total)
{
    struct new_run *run = closure;

    if (path && run->options->verbose && !run->options->quiet) {
        char *line = text_line (NULL, path);

        progress_clear (run->progress);
        printf ("%" PRIu64 "/%" PRIu64 ": %s\n", done, total, line);
        output_result ();
        talloc_free (line);
    }
    progress_update (run->progress, done, total);
    return !stop_asked;
}

/* ---- the result -------------------------------------------------------------------------------
 */

static void
print_processed (const struct new_run *run, uint64_t processed)
{
    double seconds = progress_seconds (run->progress);
    char duration[DURATION_SIZE];

    if (processed == 0)
        return;
    if (processed == 1)
        printf ("Processed 1 file in %s", progress_duration (seconds, duration));
    else
        printf ("Processed %" PRIu64 " total files in %s", processed,
                progress_duration (seconds, duration));
    if (seconds >= 1)
        printf (" (%" PRIu64 " files/sec.)", (uint64_t) ((double) processed / seconds));
    puts (".");
}

static bool
nothing_done (const struct mail_apply_counts *counts)
{
    return counts->processed == 0 && counts->added == 0 && counts->removed == 0 &&
           counts->renamed == 0;
}

/* What the first import did not put into the inbox. */
static void
print_quiet (const struct new_run *run, uint64_t quiet)
{
    if (quiet == 0)
        return;
    printf ("This is the first import: %" PRIu64 " of them, seen or older than %" PRId64 " day%s, "
            "did not get the tags inbox and unread (see '%s help new').\n",
            quiet, run->settings.recent, run->settings.recent == 1 ? "" : "s", run->cli->program);
}

static void
print_result (const struct new_run *run, const struct mail_apply_counts *counts)
{
    print_processed (run, counts->processed);
    if (counts->added > 0)
        printf ("Added %" PRIu64 " new %s to the database.", counts->added,
                counts->added == 1 ? "message" : "messages");
    else
        printf ("No new mail.");
    if (counts->removed > 0)
        printf (" Removed %" PRIu64 " %s.", counts->removed,
                counts->removed == 1 ? "message" : "messages");
    if (counts->renamed > 0)
        printf (" Detected %" PRIu64 " file %s.", counts->renamed,
                counts->renamed == 1 ? "rename" : "renames");
    putchar ('\n');
    if (counts->known > 0)
        printf ("The tags of %" PRIu64 " %s were taken over from notmuch.\n", counts->known,
                counts->known == 1 ? "message" : "messages");
    print_quiet (run, counts->quiet);
}

/* Remembered from now on; files that vanished are not. */
static void
tell_problems (const struct new_run *run, const struct mail_apply_counts *counts)
{
    uint64_t count = run->told + counts->not_mail + counts->failed;

    if (count == 0 || run->options->quiet)
        return;
    fflush (stdout);
    fprintf (stderr, "%" PRIu64 " %s could not be indexed; see '%s new --problems'\n", count,
             count == 1 ? "file" : "files", run->cli->program);
}

/* ---- the command ------------------------------------------------------------------------------
 */

static enum mail_status
scan (void *ctx, struct new_run *run, struct mail_changes **changes_out, char **error_out)
{
    const struct scan_options options = {
        .full = run->options->full_scan,
        .ignore = (const char *const *) run->settings.ignore,
        .ignore_count = run->settings.ignore_count,
        .problem = on_scan_problem,
        .closure = run,
    };
    struct scan_counts counts = {0};
    enum mail_status status =
        scan_mail_root (ctx, run->index, &options, changes_out, &counts, error_out);

    run->again |= counts.again > 0;
    run->told = counts.told;
    if (run->cli->global.debug)
        report (run->cli,
                "%" PRIu64 " folders known, %" PRIu64 " looked at, %" PRIu64 " listed; %" PRIu64
                " files listed; %" PRIu64 " problems; %u threads",
                counts.folders_known, counts.folders_stated, counts.folders_listed,
                counts.files_listed, counts.problems, counts.threads);
    return status;
}

static enum mail_status
apply (struct new_run *run, struct mail_changes *changes, struct mail_apply_counts *counts)
{
    struct mail_apply_options options = {
        .tombstone_days = run->settings.tombstone_days,
        .new_tags = (const char *const *) run->settings.tags,
        .new_tags_count = run->settings.tag_count,
        .maildir_flags = run->settings.maildir_flags,
        .known = run->known,
        .decrypt = run->settings.decrypt.decrypt,
        .decrypt_seconds = run->settings.decrypt.decrypt_seconds,
        .problem = on_problem,
        .progress = on_progress,
        .closure = run,
    };

    if (run->import && run->settings.recent >= 0)
        options.quiet_before = time (NULL) - run->settings.recent * SECONDS_PER_DAY;
    if (run->first && !run->options->quiet) {
        printf ("Found %zu total files (that's not much mail).\n",
                mail_changes_count_added (changes));
        output_result ();
    }
    if (stop_asked)
        return MAIL_ERROR_INTERRUPTED;
    if (mail_changes_empty (changes))
        return MAIL_OK;
    /* only now: a run with nothing to do needs no processes */
    enum mail_status status =
        mail_workers_start (changes, run->settings.workers, run->settings.memory, &options.workers);
    return status == MAIL_OK ? mail_changes_apply (changes, &options, counts) : status;
}

static int
fatal (struct new_run *run, enum mail_status status, const char *error)
{
    run->failed = true;
    if (status == MAIL_ERROR_INTERRUPTED) {
        fflush (stdout);
        fputs ("Stopping...\n", stderr);
        return names_exit_code (run->cli->names, status);
    }
    if (error)
        report (run->cli, "%s", error);
    else
        report_status (run->cli, status, run->index);
    fprintf (stderr, "Note: A fatal error was encountered: %s\n", mail_status_text (status));
    return names_exit_code (run->cli->names, status);
}

/* The safety copy of tags, from time to time. A repair needs the ones there are. */
static int
snapshot (struct new_run *run)
{
    if (mail_repair_is_open (run->index)) {
        if (!run->repair)
            report (run->cli, "tags have still to be brought back: '%s check --repair' does that",
                    run->cli->program);
        return 0;
    }
    if (!mail_snapshot_is_due (run->index))
        return 0;

    enum mail_status status = mail_snapshot_take (run->index, run->settings.snapshots);

    return status == MAIL_OK ? 0 : report_status (run->cli, status, run->index);
}

/* All mail has been looked at. Without any, the mail is still to come, and so is what could not be
 * reached. */
static enum mail_status
end_import (struct new_run *run, const struct mail_apply_counts *counts)
{
    if (!run->import || run->again || counts->vanished > 0 || mail_index_count (run->index) == 0)
        return MAIL_OK;
    return mail_index_end_first_import (run->index);
}

static int
bring_up_to_date (void *ctx, struct new_run *run)
{
    struct mail_apply_counts counts = {0};
    struct mail_changes *changes = NULL;
    char *error = NULL;
    enum mail_status status;

    catch_signals ();
    run->first = mail_index_revision (run->index) == 0;
    run->progress = progress_begin (ctx, "files", !run->options->quiet && !run->options->verbose);
    status = scan (ctx, run, &changes, &error);
    if (status == MAIL_OK)
        status = apply (run, changes, &counts);
    if (status == MAIL_OK)
        status = end_import (run, &counts);
    progress_clear (run->progress);
    /* "No new mail" would not be true after a failure. */
    if (!run->options->quiet &&
        (status == MAIL_OK || status == MAIL_ERROR_INTERRUPTED || !nothing_done (&counts)))
        print_result (run, &counts);
    if (status != MAIL_OK)
        return fatal (run, status, error);
    tell_problems (run, &counts);

    int code = snapshot (run);

    return code == 0 && (run->again || counts.vanished > 0) ? EXIT_AGAIN : code;
}

static int
look_for_mail (struct new_run *run)
{
    unsigned quiet = run->options->quiet ? SESSION_QUIET : 0;
    void *local = talloc_new (NULL), *reading = talloc_new (local);
    int code = session_open (local, run->cli, SESSION_CREATE | SESSION_CHANGE | quiet, &run->index);

    run->import = code == 0 && mail_index_first_import (run->index);
    if (run->import)
        code = takeover_load (reading, run->cli, run->index, run->options->quiet, &run->known);
    if (code == 0) /* the index has some of them */
        code = new_settings_read (local, run->cli, run->options->decrypt, &run->settings);
    if (code == 0)
        code = bring_up_to_date (reading, run);
    talloc_free (reading); /* before the index it reads */
    session_close (run->cli, run->index);
    talloc_free (local);
    return code;
}

static int
run_new (struct cli *cli, void *options, int argc, char **argv)
{
    struct new_run run = {.cli = cli, .options = options};
    int code = 0;

    if (argc > 0)
        return report_extra_word (argv[0]);
    if (run.options->problems)
        return new_problems (cli, (enum printer_format) run.options->format);
    /* Hooks find the index closed: they may use it, or make the mail root. */
    if (run.options->hooks)
        code = hook_run (cli, "pre-new");
    if (code == 0)
        code = look_for_mail (&run);
    if (run.options->hooks && (code == 0 || code == EXIT_AGAIN) && hook_run (cli, "post-new") != 0)
        code = 1;
    return code;
}

int
new_for_repair (struct cli *cli, bool quiet)
{
    struct new_options options = defaults;
    struct new_run run = {.cli = cli, .options = &options, .repair = true};
    void *local = talloc_new (NULL), *reading = talloc_new (local);
    int code = new_settings_read (local, cli, options.decrypt, &run.settings);

    options.quiet = quiet;
    if (code == 0)
        code = session_open (local, cli, SESSION_CHANGE | SESSION_QUIET, &run.index);
    run.import = code == 0 && mail_index_first_import (run.index);
    if (run.import)
        code = takeover_load (reading, cli, run.index, quiet, &run.known);
    if (code == 0)
        code = bring_up_to_date (reading, &run);
    if (code == EXIT_AGAIN && !run.failed) /* what cannot be read now has a place kept for it */
        code = 0;
    talloc_free (reading);
    session_close (cli, run.index);
    talloc_free (local);
    return code;
}

const struct command command_new = {
    .name = "new",
    .arguments = "[OPTION...]",
    .summary = "Find and index new mail",
    .options = specs,
    .defaults = &defaults,
    .options_size = sizeof defaults,
    .run = run_new,
};
