/* SPDX-License-Identifier: GPL-3.0-or-later */
/* search-print.h - the results of a search, one by one. */
#ifndef SEARCH_PRINT_H
#define SEARCH_PRINT_H

#include "printer.h"

#include <mailindex.h>
#include <stdbool.h>

/* What the printing of one search needs to know. */
struct search_print {
    struct printer *printer;
    const struct mail_index *index;
    bool oldest_first; /* which end of a thread supplies its date */
    bool quote_ids;    /* ids of messages in lines are terms that can be searched for */
    bool with_query;   /* format version 2 on */
    int64_t now;
    const char *between_authors, *before_others; /* search.authors_..._separator */
    char *const *flagged; /* tags of messages that do not count as matched; NULL for none */
    char *const *hidden;  /* tags of messages that do not count at all; NULL for none */
};

/* A thread: thread_summary of the schemata, or its line. */
void search_print_summary (const struct search_print *print, const struct mail_thread *thread);
void search_print_thread_id (const struct search_print *print, uint64_t thread);
void search_print_message_id (const struct search_print *print, const struct mail_message *message);
void search_print_file (const struct search_print *print, const struct mail_file *file);
void search_print_tags (const struct search_print *print, char *const *tags);

#endif
