/* SPDX-License-Identifier: GPL-3.0-or-later */
/* session.h - what most commands begin with: the index opened, a query parsed. */
#ifndef SESSION_H
#define SESSION_H

#include "command.h"

/* Opens the index that the configuration names. Returns 0, or an exit code after a message.
 * create: make it where there is none, and say on stderr which folder was assumed where none is
 * configured (unless quiet). change: the settings about flags in names of files are read.
 * deliver: EXIT_AGAIN for an index that is damaged, or whose state is missing for now. */
enum session_flags {
    SESSION_CREATE = 1,
    SESSION_QUIET = 2,
    SESSION_CHANGE = 4,
    SESSION_DELIVER = 8
};
int session_open (void *ctx, const struct cli *cli, unsigned flags, struct mail_index **index_out);
/* Adds the settings kept in the index to the configuration; session_open does. */
int session_read_stored (void *ctx, const struct cli *cli, struct mail_index *index);
/* What mail_index_open is given; the index is not opened. Returns 0, or an exit code after a
 * message. */
int session_open_options (void *ctx, const struct cli *cli, unsigned flags,
                          struct mail_open_options *options_out);
/* Closes; NULL is allowed. With --debug says how long locks were waited for. */
void session_close (const struct cli *cli, struct mail_index *index);

/* The query: what --query-file names, else the words joined by blanks; talloc'd on ctx. argv ends
 * in NULL. Returns 0, or an exit code after a message. */
int session_query_text (void *ctx, const struct cli *cli, int argc, char **argv, char **text_out);

/* Tags of search.exclude_tags; NULL-terminated, talloc'd on ctx. */
char **session_excluded_tags (void *ctx, const struct cli *cli);
/* Takes out of them what the query asks for by name; excluded may be NULL. */
void session_drop_named (const struct mail_query *query, char **excluded);
/* Parses text; messages with a tag of excluded (may be NULL) do not match, and
 * tags that the query asks for are dropped from it. Returns 0, or an exit
 * code after a message. */
int session_parse (void *ctx, const struct cli *cli, struct mail_index *index, const char *text,
                   char **excluded, struct mail_query **query_out);

/* Checks --format-version: 0, or the exit code after a message. */
int session_format_version (const struct cli *cli, int64_t version);
#define FORMAT_VERSION 5

#endif
