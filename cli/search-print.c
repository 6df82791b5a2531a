/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * search-print.c - how search shows threads, messages, files and tags.
 *
 * A list of results begins and ends in command-search.c; here is one result. In structured formats
 * the separator stands before the end of the list, in lines it ends the line: for both it comes
 * after each result.
 */
#include "search-print.h"
#include "relative-date.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

/* What is counted and listed of a thread. */
struct summary {
    size_t matched, total, files;
    char *matched_query, *other_query; /* NULL where empty */
    const char *const *tags;
    const char *authors;
    int64_t date;
};

static bool
has_tag (const struct mail_message *message, char *const *tags)
{
    for (; tags && *tags; tags++)
        for (const char *const *t = mail_message_tags (message, NULL); *t; t++)
            if (strcmp (*t, *tags) == 0)
                return true;
    return false;
}

static void
add_to_query (void *ctx, char **query, const struct mail_message *message)
{
    char *term = text_term (ctx, "id", mail_message_id (message));

    *query = *query ? talloc_asprintf_append_buffer (*query, " %s", term) : term;
}

static void
count_message (void *ctx, const struct search_print *print, struct summary *summary,
               const struct mail_message *message, bool matched)
{
    size_t files;

    if (has_tag (message, print->hidden))
        return;
    mail_message_files (message, &files);
    summary->files += files;
    summary->total++;
    if (matched && !has_tag (message, print->flagged))
        summary->matched++;
    if (print->with_query)
        add_to_query (ctx, matched ? &summary->matched_query : &summary->other_query, message);
}

static int
compare_strings (const void *a, const void *b)
{
    return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Tags of the messages that are not hidden, in byte order. */
static const char *const *
tags_shown (void *ctx, const struct search_print *print, const struct mail_thread *thread)
{
    size_t count, tag_count = 0, kept = 0;
    struct mail_message *const *messages = mail_thread_messages (thread, &count);
    const char **tags = talloc_zero_array (ctx, const char *, 1);

    for (size_t i = 0; i < count; i++) {
        size_t more;
        const char *const *of_message = mail_message_tags (messages[i], &more);

        if (has_tag (messages[i], print->hidden))
            continue;
        tags = talloc_realloc (ctx, tags, const char *, tag_count + more + 1);
        for (size_t j = 0; j < more; j++)
            tags[tag_count++] = of_message[j];
    }
    qsort (tags, tag_count, sizeof *tags, compare_strings);
    for (size_t i = 0; i < tag_count; i++)
        if (kept == 0 || strcmp (tags[kept - 1], tags[i]) != 0)
            tags[kept++] = tags[i];
    tags[kept] = NULL;
    return tags;
}

static struct summary
summarise (void *ctx, const struct search_print *print, const struct mail_thread *thread)
{
    struct summary summary = {0};
    size_t count;
    struct mail_message *const *messages = mail_thread_messages (thread, &count);

    for (size_t i = 0; i < count; i++)
        count_message (ctx, print, &summary, messages[i], mail_thread_message_matched (thread, i));
    summary.date = print->oldest_first ? mail_thread_oldest (thread) : mail_thread_newest (thread);
    summary.authors =
        mail_thread_authors_with (ctx, thread, print->between_authors, print->before_others);
    summary.tags =
        print->hidden ? tags_shown (ctx, print, thread) : mail_thread_tags (thread, NULL);
    return summary;
}

static void
print_tag_list (struct printer *printer, const char *const *tags)
{
    printer_begin_list (printer);
    for (; *tags; tags++)
        printer_string (printer, *tags);
    printer_end (printer);
}

static void
print_query (struct printer *printer, const struct summary *summary)
{
    const char *parts[] = {summary->matched_query, summary->other_query};

    printer_key (printer, "query");
    printer_begin_list (printer);
    for (size_t i = 0; i < 2; i++)
        if (parts[i])
            printer_string (printer, parts[i]);
        else
            printer_null (printer);
    printer_end (printer);
}

static void
print_structured (const struct search_print *print, const struct mail_thread *thread,
                  const struct summary *summary, const char *date)
{
    struct printer *printer = print->printer;
    char id[20];

    snprintf (id, sizeof id, "%016" PRIx64, mail_thread_id (thread));
    printer_begin_map (printer);
    printer_key_string (printer, "thread", id);
    printer_key_integer (printer, "timestamp", summary->date);
    printer_key_string (printer, "date_relative", date);
    printer_key_integer (printer, "matched", (int64_t) summary->matched);
    printer_key_integer (printer, "total", (int64_t) summary->total);
    printer_key_string (printer, "authors", summary->authors);
    printer_key_string (printer, "subject", mail_thread_subject (thread));
    if (print->with_query)
        print_query (printer, summary);
    printer_key (printer, "tags");
    print_tag_list (printer, summary->tags);
    printer_end (printer);
}

static void
print_line (void *ctx, const struct search_print *print, const struct mail_thread *thread,
            const struct summary *summary, const char *date)
{
    char *tags = talloc_strdup (ctx, "");
    char *files = talloc_strdup (ctx, "");

    for (const char *const *tag = summary->tags; *tag; tag++)
        tags = talloc_asprintf_append_buffer (tags, "%s%s", *tags ? " " : "", *tag);
    if (summary->files != summary->total)
        files = talloc_asprintf (ctx, "(%zu)", summary->files);
    printer_string (print->printer,
                    talloc_asprintf (ctx, "thread:%016" PRIx64 " %12s [%zu/%zu%s] %s; %s (%s)",
                                     mail_thread_id (thread), date, summary->matched,
                                     summary->total, files, text_line (ctx, summary->authors),
                                     text_line (ctx, mail_thread_subject (thread)), tags));
}

void
search_print_summary (const struct search_print *print, const struct mail_thread *thread)
{
    void *local = talloc_new (NULL);
    struct summary summary = summarise (local, print, thread);
    char text[RELATIVE_DATE_SIZE];
    const char *date = relative_date (summary.date, print->now, text);

    if (printer_is_lines (print->printer))
        print_line (local, print, thread, &summary, date);
    else
        print_structured (print, thread, &summary, date);
    printer_separator (print->printer);
    talloc_free (local);
}

void
search_print_thread_id (const struct search_print *print, uint64_t thread)
{
    bool lines = printer_is_lines (print->printer);
    char text[32];

    snprintf (text, sizeof text, "%s%016" PRIx64, lines ? "thread:" : "", thread);
    printer_string (print->printer, text);
    printer_separator (print->printer);
}

void
search_print_message_id (const struct search_print *print, const struct mail_message *message)
{
    const char *id = mail_message_id (message);
    char *text = NULL;

    if (printer_is_lines (print->printer))
        text = print->quote_ids ? text_printable_term (NULL, "id", id)
                                : talloc_asprintf (NULL, "id:%s", id);
    printer_string (print->printer, text ? text : id);
    printer_separator (print->printer);
    talloc_free (text);
}

void
search_print_file (const struct search_print *print, const struct mail_file *file)
{
    char *path = mail_file_path (NULL, print->index, file);

    printer_path (print->printer, path);
    printer_separator (print->printer);
    talloc_free (path);
}

void
search_print_tags (const struct search_print *print, char *const *tags)
{
    for (; *tags; tags++) {
        printer_string (print->printer, *tags);
        printer_separator (print->printer);
    }
}
