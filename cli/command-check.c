/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command-check.c - check: is the index damaged, and where; --repair mends it.
 *
 * Text is made anew from the mail. State is, too, and gets its tags back from snapshot and
 * journals; then everything is looked at once more. What was damaged is kept beside the index until
 * somebody removes it.
 */
#include "output.h"
#include "decrypt.h"
#include "report.h"
#include "session.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <talloc.h>

struct check_options {
    bool repair, quiet;
};

/* One run. */
struct check {
    struct cli *cli;
    const struct check_options *options;
    struct mail_open_options where;
    size_t found, by_store[MAIL_STORE_COUNT];
    char **segments; /* damaged ones, by name; NULL-terminated */
    size_t segment_count;
    uint64_t unread; /* files whose words could not be made anew */
};

#define T struct check_options
/* clang-format off */
static const struct option_spec specs[] = {
    OPT_BOOLEAN (T, repair, "repair", "mend what is damaged; tags come from snapshot and journal"),
    OPT_BOOLEAN (T, quiet, "quiet", "print nothing but errors"),
    OPT_END
};
/* clang-format on */

static const struct check_options defaults = {0};

/* ---- looking ---- */

static void
on_damage (void *closure, const struct mail_damage *damage)
{
    struct check *check = closure;
    char *line = text_line (NULL, damage->text);

    check->by_store[damage->store]++;
    if (damage->store == MAIL_STORE_TEXT) {
        const char *slash = strrchr (damage->path, '/');

        check->segments = talloc_realloc (NULL, check->segments, char *, check->segment_count + 2);
        check->segments[check->segment_count++] =
            talloc_strdup (check->segments, slash ? slash + 1 : damage->path);
        check->segments[check->segment_count] = NULL;
    }
    printf ("%s: %s\n", damage->path, line);
    output_result ();
    talloc_free (line);
}

static void
forget (struct check *check)
{
    TALLOC_FREE (check->segments);
    check->segment_count = check->found = 0;
    memset (check->by_store, 0, sizeof check->by_store);
}

static int
look (void *ctx, struct check *check)
{
    char *error = NULL;
    enum mail_status status;

    forget (check);
    status = mail_index_check (ctx, &check->where, on_damage, check, &check->found, &error);
    if (status == MAIL_OK)
        return 0;
    if (status == MAIL_ERROR_NO_INDEX)
        report (check->cli, "there is no index in '%s' yet: '%s new' makes one", check->where.path,
                check->cli->program);
    else
        report (check->cli, "%s", error ? error : mail_status_text (status));
    return names_exit_code (check->cli->names, status);
}

/* ---- mending ---- */

static int
make_state (void *ctx, struct check *check)
{
    char *aside, *error = NULL;
    enum mail_status status = mail_repair_begin (ctx, &check->where, &aside, &error);

    if (status != MAIL_OK) {
        report (check->cli, "%s", error);
        return names_exit_code (check->cli->names, status);
    }
    if (!check->options->quiet)
        printf ("The damaged index is now in '%s'. Indexing all mail anew.\n", aside);
    return 0;
}

/* From where mail_repair_begin has left off, or a repair that was stopped. */
static int
finish_state (void *ctx, struct check *check)
{
    struct mail_index *index = NULL;
    int code = new_for_repair (check->cli, check->options->quiet);
    enum mail_status status;
    char *error = NULL;
    bool flags = true;

    if (code == 0 && config_boolean (ctx, check->cli->config, "maildir.synchronize_flags", &flags,
                                     &error) != MAIL_OK) {
        report (check->cli, "%s", error);
        code = 1;
    }
    if (code != 0) {
        report (check->cli, "the repair is not finished: run it again");
        return code;
    }
    code = session_open (ctx, check->cli, 0, &index);
    if (code != 0)
        return code;
    status = mail_repair_tags (index, flags);
    if (status != MAIL_OK)
        code = report_status (check->cli, status, index);
    else if (!check->options->quiet)
        puts ("Tags and properties are back.");
    session_close (check->cli, index);
    return code;
}

static void
on_unread (void *closure, const char *path, enum mail_status status, const char *text)
{
    struct check *check = closure;
    void *local = talloc_new (NULL);

    check->unread++;
    fflush (stdout);
    fprintf (stderr, "%s: %s\n", text_line (local, path),
             text && *text ? text_line (local, text) : mail_status_text (status));
    talloc_free (local);
}

/* Segments, under the same ids. */
static int
make_text (void *ctx, struct check *check)
{
    struct mail_apply_options options = {
        .rebuild = (const char *const *) check->segments, .problem = on_unread, .closure = check};
    struct mail_apply_counts counts;
    struct mail_changes *changes;
    struct mail_index *index = NULL;
    enum mail_status status;
    /* files are looked for where they are now */
    int code = new_for_repair (check->cli, true);

    if (code == 0)
        code = session_open (ctx, check->cli, 0, &index);
    if (code != 0)
        return code;
    code = decrypt_settings (check->cli, DECRYPT_AS_CONFIGURED, &options);
    if (code != 0)
        return code;
    changes = mail_changes_create (ctx, index);
    status = mail_workers_start (changes, 0, 0, &options.workers);
    if (status == MAIL_OK)
        status = mail_changes_apply (changes, &options, &counts);
    if (status != MAIL_OK)
        code = report_status (check->cli, status, index);
    talloc_free (changes);
    session_close (check->cli, index);
    return code;
}

static int
take_snapshot (void *ctx, struct check *check)
{
    struct mail_index *index = NULL;
    char *error = NULL;
    int64_t keep = 4;
    enum mail_status status =
        config_integer (ctx, check->cli->config, "database.snapshots", 1, 1000, &keep, &error);
    int code;

    if (status != MAIL_OK) {
        report (check->cli, "%s", error);
        return 1;
    }
    code = session_open (ctx, check->cli, 0, &index);
    if (code != 0)
        return code;
    status = mail_snapshot_take (index, (unsigned) keep);
    if (status != MAIL_OK)
        code = report_status (check->cli, status, index);
    session_close (check->cli, index);
    return code;
}

static int
mend (void *ctx, struct check *check)
{
    bool state = check->by_store[MAIL_STORE_STATE] > 0;
    int code = state ? make_state (ctx, check) : 0;

    if (code == 0 && (state || check->by_store[MAIL_STORE_REPAIR] > 0))
        code = finish_state (ctx, check);
    else if (code == 0 && check->segment_count > 0)
        code = make_text (ctx, check);
    return code == 0 ? take_snapshot (ctx, check) : code;
}

/* ---- the command ---- */

static int
run_check (struct cli *cli, void *options, int argc, char **argv)
{
    struct check check = {.cli = cli, .options = options};
    void *local = talloc_new (NULL);
    int code = argc > 0 ? report_extra_word (argv[0])
                        : session_open_options (local, cli, SESSION_CHANGE, &check.where);

    if (code == 0)
        code = look (local, &check);
    if (code == 0 && check.found > 0 && check.options->repair) {
        code = mend (local, &check);
        if (code == 0)
            code = look (local, &check);
    }
    if (code == 0 && check.found > 0) {
        fflush (stdout);
        report (cli, check.options->repair ? "it is still damaged"
                                           : "the index is damaged; --repair mends it");
        code = 1;
    } else if (code == 0 && check.unread > 0) {
        fflush (stdout);
        report (cli, "the words of %" PRIu64 " %s are missing; '%s new' looks for them",
                check.unread, check.unread == 1 ? "file" : "files", cli->program);
        code = EXIT_AGAIN;
    } else if (code == 0 && !check.options->quiet) {
        puts ("The index is in order.");
    }
    forget (&check);
    talloc_free (local);
    return code;
}

const struct command command_check = {
    .name = "check",
    .arguments = "[OPTION...]",
    .summary = "Look for damage in the index, and mend it",
    .options = specs,
    .defaults = &defaults,
    .options_size = sizeof defaults,
    .run = run_check,
};
