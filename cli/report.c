/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report.c - messages on stderr, without control characters.
 *
 * Queries may come from programs and be as long as a command line can be: of a long one only what
 * stands around the fault is shown.
 */
#include "report.h"
#include "text.h"

#include <glib.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <talloc.h>

#define CONTEXT 30 /* characters shown on either side of a fault */

/* Names of files and what mail says come to a terminal here. */
static void __attribute__ ((format (printf, 1, 0))) print (const char *format, va_list args)
{
    char *text = talloc_vasprintf (NULL, format, args);

    text_write_block (stderr, text, strlen (text));
    talloc_free (text);
}

void
report (const struct cli *cli, const char *format, ...)
{
    va_list args;

    fflush (stdout); /* in the order of events where both go to one place */
    fprintf (stderr, "%s%s%s: ", cli->program, *cli->command ? " " : "", cli->command);
    va_start (args, format);
    print (format, args);
    va_end (args);
    putc ('\n', stderr);
}

int
report_usage (const char *format, ...)
{
    va_list args;

    fputs ("Error: ", stderr);
    va_start (args, format);
    print (format, args);
    va_end (args);
    putc ('\n', stderr);
    return 1;
}

int
report_extra_word (const char *word)
{
    return report_usage ("unexpected word: %s", word);
}

int
report_message (const char *format, ...)
{
    va_list args;

    va_start (args, format);
    print (format, args);
    va_end (args);
    return 1;
}

int
report_status (const struct cli *cli, enum mail_status status, const struct mail_index *index)
{
    const char *text = index ? mail_index_error (index) : "";

    report (cli, "%s", *text ? text : mail_status_text (status));
    return names_exit_code (cli->names, status);
}

/* The place count characters before (or after) at, not beyond the ends of text. */
static size_t
characters_away (const char *text, size_t length, size_t at, int count)
{
    for (; count > 0 && at < length; count--)
        do
            at++;
        while (at < length && ((unsigned char) text[at] & 0xC0) == 0x80);
    for (; count < 0 && at > 0; count++)
        do
            at--;
        while (at > 0 && ((unsigned char) text[at] & 0xC0) == 0x80);
    return at;
}

static void
print_marked (const char *query, size_t offset, size_t marked)
{
    void *local = talloc_new (NULL);
    size_t length = strlen (query);
    size_t from, to;
    const char *before = "", *after = "";
    char *shown, *spaces;
    size_t width;

    offset = MIN (offset, length);
    marked = MIN (marked, length - offset);
    from = characters_away (query, length, offset, -CONTEXT);
    to = characters_away (query, length, offset, CONTEXT + CONTEXT);
    if (from > 0)
        before = "...";
    if (to < length)
        after = "...";
    marked = MIN (marked, to - offset);

    shown = text_line (local, talloc_strndup (local, query + from, to - from));
    fprintf (stderr, "  %s%s%s\n", before, shown, after);
    width = strlen (before) + text_columns (query + from, offset - from);
    spaces = talloc_array (local, char, width + 1);
    memset (spaces, ' ', width);
    spaces[width] = '\0';
    fprintf (stderr, "  %s", spaces);
    for (width = MAX (text_columns (query + offset, marked), 1); width > 0; width--)
        putc ('^', stderr);
    putc ('\n', stderr);
    talloc_free (local);
}

void
report_query_warning (const struct cli *cli, const char *query,
                      const struct mail_query_error *warning)
{
    report (cli, "warning: %s", warning->message);
    print_marked (query, warning->offset, warning->length);
}

int
report_query_error (const struct cli *cli, const char *query, const struct mail_query_error *error)
{
    report (cli, "error in the query: %s", error->message ? error->message : "cannot be read");
    print_marked (query, error->offset, error->length);
    if (error->hint)
        fprintf (stderr, "  %s\n", error->hint);
    return names_exit_code (cli->names, MAIL_ERROR_QUERY);
}
