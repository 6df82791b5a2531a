/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command-restore.c - restore: what dump has written is so again.
 *
 * The lines are read once, and done by look-up a few thousand at a time (mail_edits), so that other
 * programs get their turn and messages that are so already are not written.
 */
#include "dump-read.h"
#include "report.h"
#include "session.h"

#include <stdio.h>
#include <string.h>
#include <talloc.h>

#define COLLECT_MAX 20000 /* lines */

struct restore_options {
    bool accumulate;
    int format, include;
    const char *input;
};

static const struct option_keyword formats[] = {
    {"auto", DUMP_AUTO}, {"batch-tag", DUMP_BATCH_TAG}, {"sup", DUMP_SUP}, {NULL, 0}};

#define T struct restore_options
/* clang-format off */
static const struct option_spec specs[] = {
    OPT_BOOLEAN (T, accumulate, "accumulate", "keep the tags and properties there are"),
    OPT_KEYWORD (T, format, "format", formats, "how tags are written"),
    OPT_FLAGS (T, include, "include", dump_includes, "what is restored; all of it if not given"),
    OPT_STRING (T, input, "input", "FILE", "read FILE (compressed or not)"),
    OPT_END
};
/* clang-format on */

static const struct restore_options defaults = {.format = DUMP_AUTO};

struct restore {
    struct cli *cli;
    const struct restore_options *options;
    struct mail_index *index;
    struct dump_reader reader;
    struct mail_edits *edits;
    struct mail_setting *settings; /* collected */
    size_t setting_count;
    uint64_t done;
};

static void
on_missing (void *closure, const char *id)
{
    struct restore *restore = closure;

    progress_clear (restore->reader.progress);
    report_message ("Warning: cannot apply tags to missing message: %s\n", id);
}

static enum mail_status
flush (struct restore *restore)
{
    restore->done += mail_edits_count (restore->edits);
    return mail_edits_apply (restore->edits, on_missing, restore, NULL);
}

static enum mail_status
add_edit (void *closure, const char *id, const struct mail_edit *edit)
{
    struct restore *restore = closure;

    if (mail_edits_add (restore->edits, id, edit) != MAIL_OK) {
        dump_warn (&restore->reader, mail_index_error (restore->index), "");
        restore->reader.failed = true;
    }
    progress_update (restore->reader.progress, restore->done + mail_edits_count (restore->edits),
                     0);
    return mail_edits_count (restore->edits) < COLLECT_MAX ? MAIL_OK : flush (restore);
}

static void
add_setting (void *closure, const char *key, const char *value)
{
    struct restore *restore = closure;
    size_t count = restore->setting_count;

    restore->settings =
        talloc_realloc (restore->edits, restore->settings, struct mail_setting, count + 1);
    restore->settings[count] = (struct mail_setting){talloc_strdup (restore->settings, key),
                                                     talloc_strdup (restore->settings, value)};
    restore->setting_count++;
}

static int
read_all (struct restore *restore)
{
    enum mail_status status = dump_read (&restore->reader), last;
    int code;

    last = status == MAIL_OK ? flush (restore) : MAIL_OK;
    if (status == MAIL_OK)
        status = last;
    if (status == MAIL_OK && restore->setting_count > 0)
        status =
            mail_index_set_settings (restore->index, restore->settings, restore->setting_count);
    progress_clear (restore->reader.progress);
    if (status != MAIL_OK)
        return report_status (restore->cli, status, restore->index);
    code = lines_status (restore->cli, restore->reader.lines);
    return code == 0 && restore->reader.failed ? 1 : code;
}

static int
run_restore (struct cli *cli, void *options, int argc, char **argv)
{
    void *local = talloc_new (NULL);
    struct restore restore = {.cli = cli, .options = options};
    struct dump_reader *reader = &restore.reader;
    int code;

    if (argc > 0) {
        report_message ("Unused positional parameter: %s\n", argv[0]);
        code = 1;
    } else {
        code = lines_open_gzip (local, restore.options->input, &reader->lines);
    }
    if (code == 0)
        code = session_open (local, cli, SESSION_CHANGE, &restore.index);
    if (code == 0) {
        reader->format = restore.options->format;
        reader->include = restore.options->include;
        reader->accumulate = restore.options->accumulate;
        reader->edit = add_edit;
        reader->setting = add_setting;
        reader->closure = &restore;
        reader->progress = progress_begin (local, "messages", true);
        restore.edits = mail_edits_create (local, restore.index);
        code = read_all (&restore);
        talloc_free (restore.edits);
    }
    session_close (cli, restore.index);
    talloc_free (local);
    return code;
}

const struct command command_restore = {
    .name = "restore",
    .arguments = "[OPTION...]",
    .summary = "Read what dump has written",
    .options = specs,
    .defaults = &defaults,
    .options_size = sizeof defaults,
    .run = run_restore,
};
