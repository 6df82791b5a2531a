/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command-restore.c - restore: what dump has written is so again.
 *
 * The lines are read once, and done by look-up a few thousand at a time (mail_edits), so that other
 * programs get their turn and messages that are so already are not written. What cannot be read is
 * warned of with its line; the rest is done.
 */
#include "dump.h"
#include "lines.h"
#include "progress.h"
#include "report.h"
#include "session.h"
#include "tag-operations.h"
#include "text.h"

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
    struct lines *lines;
    struct progress *progress;
    int format, include;
    struct mail_edits *edits;
    struct mail_setting *settings; /* collected */
    size_t setting_count;
    uint64_t done;
    bool failed;
};

static void
warn (struct restore *restore, const char *what, const char *text)
{
    progress_clear (restore->progress);
    fprintf (stderr, "Warning: %s%s (line %lu)\n", what, text, lines_number (restore->lines));
}

static void
on_missing (void *closure, const char *id)
{
    struct restore *restore = closure;

    progress_clear (restore->progress);
    fprintf (stderr, "Warning: cannot apply tags to missing message: %s\n", id);
}

static enum mail_status
flush (struct restore *restore)
{
    restore->done += mail_edits_count (restore->edits);
    return mail_edits_apply (restore->edits, on_missing, restore, NULL);
}

static enum mail_status
add (struct restore *restore, const char *id, const struct mail_edit *edit)
{
    if (mail_edits_add (restore->edits, id, edit) != MAIL_OK) {
        warn (restore, mail_index_error (restore->index), "");
        restore->failed = true;
    }
    progress_update (restore->progress, restore->done + mail_edits_count (restore->edits), 0);
    return mail_edits_count (restore->edits) < COLLECT_MAX ? MAIL_OK : flush (restore);
}

/* ---- tags ---- */

static enum mail_status
add_tags (struct restore *restore, const char *id, const struct tag_operations *operations)
{
    struct mail_edit edit = tag_operations_edit (operations);

    edit.remove_tags = !restore->options->accumulate;
    return add (restore, id, &edit);
}

/* Whether the query has a prefix of another kind, and is not merely malformed. */
static bool
is_other_term (const char *query)
{
    size_t length = strspn (query, "abcdefghijklmnopqrstuvwxyz");

    return length > 0 && query[length] == ':' && strncmp (query, "id:", 3) != 0;
}

static enum mail_status
read_batch_tag (struct restore *restore, void *local, const char *line)
{
    struct tag_operations operations = {0};
    const char *query, *problem = tag_operations_read (local, line, &operations, &query);
    char *id;

    if (problem) {
        warn (restore, talloc_asprintf (local, "%s [%s]", problem, line), "");
        return MAIL_OK;
    }
    id = text_id_of_term (local, query);
    if (id)
        return add_tags (restore, id, &operations);
    warn (restore, is_other_term (query) ? "not an id query: " : "cannot parse query: ",
          talloc_asprintf (local, "%s (skipping)", query));
    return MAIL_OK;
}

/* ID (TAG TAG ...) */
static enum mail_status
read_sup (struct restore *restore, void *local, const char *line)
{
    struct tag_operations operations = {0};
    char *copy = talloc_strdup (local, line), *tags = strchr (copy, ' '), *tag;
    size_t length = strlen (copy);

    if (!tags || tags == copy || tags[1] != '(' || copy[length - 1] != ')' ||
        strchr (tags, ')') != copy + length - 1) {
        warn (restore, "Ignoring invalid sup format line: ", line);
        return MAIL_OK;
    }
    copy[length - 1] = '\0';
    *tags = '\0';
    tags += 2;
    while ((tag = strsep (&tags, " ")) != NULL) {
        const char *problem =
            *tag ? tag_operations_add (local, &operations, talloc_asprintf (local, "+%s", tag))
                 : NULL;

        if (problem)
            warn (restore, talloc_asprintf (local, "%s [%s]", problem, line), "");
    }
    return add_tags (restore, copy, &operations);
}

/* The format that a line of tags is in. notmuch takes any "(" for sup, also one in an id; what tags
 * --batch can read is told by its beginning. */
static int
guess_format (const char *line)
{
    if (strchr ("+- \t", *line) || strncmp (line, "id:", 3) == 0)
        return DUMP_BATCH_TAG;
    return strchr (line, '(') ? DUMP_SUP : DUMP_BATCH_TAG;
}

static enum mail_status
read_tags (struct restore *restore, void *local, const char *line)
{
    if (restore->format == DUMP_AUTO)
        restore->format = guess_format (line);
    if (!(restore->include & DUMP_TAGS))
        return MAIL_OK;
    return restore->format == DUMP_SUP ? read_sup (restore, local, line)
                                       : read_batch_tag (restore, local, line);
}

/* ---- properties and settings ---- */

static void
bad_line (struct restore *restore, const char *what, const char *text)
{
    progress_clear (restore->progress);
    fprintf (stderr, "%s%s (line %lu)\n", what, text, lines_number (restore->lines));
    restore->failed = true;
}

/* KEY=VALUE, both encoded; false after a message. */
static bool
read_pair (struct restore *restore, char *token, struct mail_property *property_out)
{
    char *sign = strchr (token, '=');

    if (!sign) {
        bad_line (restore, "unparsable token ", token);
        return false;
    }
    *sign = '\0';
    if (!text_decode_hex (token) || !text_decode_hex (sign + 1)) {
        bad_line (restore, "hex decoding failure on value ", sign + 1);
        return false;
    }
    *property_out = (struct mail_property){token, sign + 1};
    return true;
}

static enum mail_status
read_properties (struct restore *restore, void *local, char *rest)
{
    struct mail_property *properties =
        talloc_array (local, struct mail_property, strlen (rest) / 2 + 1);
    struct mail_edit edit = {.remove_properties = !restore->options->accumulate,
                             .properties = properties};
    char *id = strsep (&rest, " "), *token;

    if (!text_decode_hex (id)) {
        bad_line (restore, "hex decoding failure on line ", id);
        return MAIL_OK;
    }
    while ((token = strsep (&rest, " ")) != NULL) {
        if (*token == '\0')
            continue;
        if (!read_pair (restore, token, &properties[edit.property_count]))
            return MAIL_OK;
        edit.property_count++;
    }
    return add (restore, id, &edit);
}

static void
read_setting (struct restore *restore, char *rest)
{
    char *key = strsep (&rest, " "), *value = rest ? strsep (&rest, " ") : "";
    size_t count = restore->setting_count;

    if (!text_decode_hex (key) || (*value && !text_decode_hex (value))) {
        bad_line (restore, "hex decoding failure on line ", key);
        return;
    }
    restore->settings =
        talloc_realloc (restore->edits, restore->settings, struct mail_setting, count + 1);
    restore->settings[count] = (struct mail_setting){talloc_strdup (restore->settings, key),
                                                     talloc_strdup (restore->settings, value)};
    restore->setting_count++;
}

/* ---- the file ---- */

static void
read_header (struct restore *restore, const char *line)
{
    if (restore->format != DUMP_AUTO)
        return;
    if (strncmp (line, "#notmuch-dump sup:", 18) == 0)
        restore->format = DUMP_SUP;
    else if (strncmp (line, "#notmuch-dump batch-tag:", 24) == 0)
        restore->format = DUMP_BATCH_TAG;
}

static enum mail_status
read_line (struct restore *restore, const char *line)
{
    void *local = talloc_new (NULL);
    enum mail_status status = MAIL_OK;

    if (strncmp (line, "#= ", 3) == 0) {
        if (restore->include & DUMP_PROPERTIES)
            status = read_properties (restore, local, talloc_strdup (local, line + 3));
    } else if (strncmp (line, "#@ ", 3) == 0) {
        if (restore->include & DUMP_CONFIG)
            read_setting (restore, talloc_strdup (local, line + 3));
    } else if (*line == '#') {
        read_header (restore, line);
    } else if (*line) {
        status = read_tags (restore, local, line);
    }
    talloc_free (local);
    return status;
}

static int
read_all (struct restore *restore)
{
    enum mail_status status = MAIL_OK, last;
    const char *line;
    int code;

    while (status == MAIL_OK && (line = lines_next (restore->lines)))
        status = read_line (restore, line);
    last = status == MAIL_OK ? flush (restore) : MAIL_OK;
    if (status == MAIL_OK)
        status = last;
    if (status == MAIL_OK && restore->setting_count > 0)
        status =
            mail_index_set_settings (restore->index, restore->settings, restore->setting_count);
    progress_clear (restore->progress);
    if (status != MAIL_OK)
        return report_status (restore->cli, status, restore->index);
    code = lines_status (restore->cli, restore->lines);
    return code == 0 && restore->failed ? 1 : code;
}

static int
run_restore (struct cli *cli, void *options, int argc, char **argv)
{
    void *local = talloc_new (NULL);
    struct restore restore = {.cli = cli, .options = options};
    int code;

    if (argc > 0) {
        fprintf (stderr, "Unused positional parameter: %s\n", argv[0]);
        code = 1;
    } else {
        code = lines_open_gzip (local, restore.options->input, &restore.lines);
    }
    if (code == 0)
        code = session_open (local, cli, SESSION_CHANGE, &restore.index);
    if (code == 0) {
        restore.format = restore.options->format;
        restore.include = restore.options->include;
        if (restore.include == 0)
            restore.include = DUMP_CONFIG | DUMP_PROPERTIES | DUMP_TAGS;
        restore.progress = progress_begin (local, "messages", true);
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
