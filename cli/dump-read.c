/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dump-read.c - takes the lines of a dump apart (dump.h).
 *
 * Dumps come from other programs, and from people: what cannot be read is warned of with its line,
 * and the rest is done.
 */
#include "dump-read.h"
#include "report.h"
#include "tag-operations.h"
#include "text.h"

#include <stdio.h>
#include <string.h>
#include <talloc.h>

void
dump_warn (struct dump_reader *reader, const char *what, const char *text)
{
    progress_clear (reader->progress);
    report_message ("Warning: %s%s (line %lu)\n", what, text, lines_number (reader->lines));
}

/* ---- tags ---- */

static enum mail_status
add_tags (struct dump_reader *reader, const char *id, const struct tag_operations *operations)
{
    struct mail_edit edit = tag_operations_edit (operations);

    edit.remove_tags = !reader->accumulate;
    return reader->edit (reader->closure, id, &edit);
}

/* Whether the query has a prefix of another kind, and is not merely malformed. */
static bool
is_other_term (const char *query)
{
    size_t length = strspn (query, "abcdefghijklmnopqrstuvwxyz");

    return length > 0 && query[length] == ':' && strncmp (query, "id:", 3) != 0;
}

static enum mail_status
read_batch_tag (struct dump_reader *reader, void *local, const char *line)
{
    struct tag_operations operations = {0};
    const char *query, *problem = tag_operations_read (local, line, &operations, &query);
    char *id;

    if (problem) {
        dump_warn (reader, talloc_asprintf (local, "%s [%s]", problem, line), "");
        return MAIL_OK;
    }
    id = text_id_of_term (local, query);
    if (id)
        return add_tags (reader, id, &operations);
    dump_warn (reader, is_other_term (query) ? "not an id query: " : "cannot parse query: ",
               talloc_asprintf (local, "%s (skipping)", query));
    return MAIL_OK;
}

/* ID (TAG TAG ...) */
static enum mail_status
read_sup (struct dump_reader *reader, void *local, const char *line)
{
    struct tag_operations operations = {0};
    char *copy = talloc_strdup (local, line), *tags = strchr (copy, ' '), *tag;
    size_t length = strlen (copy);

    if (!tags || tags == copy || tags[1] != '(' || copy[length - 1] != ')' ||
        strchr (tags, ')') != copy + length - 1) {
        dump_warn (reader, "Ignoring invalid sup format line: ", line);
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
            dump_warn (reader, talloc_asprintf (local, "%s [%s]", problem, line), "");
    }
    return add_tags (reader, copy, &operations);
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
read_tags (struct dump_reader *reader, void *local, const char *line)
{
    if (reader->format == DUMP_AUTO)
        reader->format = guess_format (line);
    if (!(reader->include & DUMP_TAGS))
        return MAIL_OK;
    return reader->format == DUMP_SUP ? read_sup (reader, local, line)
                                      : read_batch_tag (reader, local, line);
}

/* ---- properties and settings ---- */

static void
bad_line (struct dump_reader *reader, const char *what, const char *text)
{
    progress_clear (reader->progress);
    report_message ("%s%s (line %lu)\n", what, text, lines_number (reader->lines));
    reader->failed = true;
}

/* KEY=VALUE, both encoded; false after a message. */
static bool
read_pair (struct dump_reader *reader, char *token, struct mail_property *property_out)
{
    char *sign = strchr (token, '=');

    if (!sign) {
        bad_line (reader, "unparsable token ", token);
        return false;
    }
    *sign = '\0';
    if (!mail_hex_decode (token) || !mail_hex_decode (sign + 1)) {
        bad_line (reader, "hex decoding failure on value ", sign + 1);
        return false;
    }
    *property_out = (struct mail_property){token, sign + 1};
    return true;
}

static enum mail_status
read_properties (struct dump_reader *reader, void *local, char *rest)
{
    struct mail_property *properties =
        talloc_array (local, struct mail_property, strlen (rest) / 2 + 1);
    struct mail_edit edit = {.remove_properties = !reader->accumulate, .properties = properties};
    char *id = strsep (&rest, " "), *token;

    if (!mail_hex_decode (id)) {
        bad_line (reader, "hex decoding failure on line ", id);
        return MAIL_OK;
    }
    while ((token = strsep (&rest, " ")) != NULL) {
        if (*token == '\0')
            continue;
        if (!read_pair (reader, token, &properties[edit.property_count]))
            return MAIL_OK;
        edit.property_count++;
    }
    return reader->edit (reader->closure, id, &edit);
}

static void
read_setting (struct dump_reader *reader, char *rest)
{
    char *key = strsep (&rest, " "), *value = rest ? strsep (&rest, " ") : "";

    if (!mail_hex_decode (key) || (*value && !mail_hex_decode (value)))
        bad_line (reader, "hex decoding failure on line ", key);
    else
        reader->setting (reader->closure, key, value);
}

/* ---- the file ---- */

static void
read_header (struct dump_reader *reader, const char *line)
{
    if (reader->format != DUMP_AUTO)
        return;
    if (strncmp (line, "#notmuch-dump sup:", 18) == 0)
        reader->format = DUMP_SUP;
    else if (strncmp (line, "#notmuch-dump batch-tag:", 24) == 0)
        reader->format = DUMP_BATCH_TAG;
}

static enum mail_status
read_line (struct dump_reader *reader, const char *line)
{
    void *local = talloc_new (NULL);
    enum mail_status status = MAIL_OK;

    if (strncmp (line, "#= ", 3) == 0) {
        if (reader->include & DUMP_PROPERTIES)
            status = read_properties (reader, local, talloc_strdup (local, line + 3));
    } else if (strncmp (line, "#@ ", 3) == 0) {
        if (reader->include & DUMP_CONFIG)
            read_setting (reader, talloc_strdup (local, line + 3));
    } else if (*line == '#') {
        read_header (reader, line);
    } else if (*line) {
        status = read_tags (reader, local, line);
    }
    talloc_free (local);
    return status;
}

enum mail_status
dump_read (struct dump_reader *reader)
{
    enum mail_status status = MAIL_OK;
    const char *line;

    if (reader->include == 0)
        reader->include = DUMP_CONFIG | DUMP_PROPERTIES | DUMP_TAGS;
    while (status == MAIL_OK && (line = lines_next (reader->lines))) {
        if (lines_cut_off (reader->lines))
            bad_line (reader, "there is a NUL byte in the line", "");
        else
            status = read_line (reader, line);
    }
    return status;
}
