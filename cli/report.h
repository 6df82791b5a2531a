/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report.h - messages on stderr. */
#ifndef REPORT_H
#define REPORT_H

#include "command.h"

/* "mail search: TEXT". */
void report (const struct cli *cli, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));
/* "Error: TEXT", for wrong usage; returns 1. */
int report_usage (const char *format, ...) __attribute__ ((format (printf, 1, 2)));
/* "Error: unexpected word: WORD", for what is left behind the options; returns 1. */
int report_extra_word (const char *word);
/* The text as it is (with its newline); returns 1. */
int report_message (const char *format, ...) __attribute__ ((format (printf, 1, 2)));
/* The text of a failure on an index; returns the exit code. */
int report_status (const struct cli *cli, enum mail_status status, const struct mail_index *index);
/* What is wrong in a query: message, the query with a mark under the place, hint. Returns the exit
 * code. */
int report_query_error (const struct cli *cli, const char *query,
                        const struct mail_query_error *error);
/* The same of something that is no error. */
void report_query_warning (const struct cli *cli, const char *query,
                           const struct mail_query_error *warning);

#endif
