/* SPDX-License-Identifier: GPL-3.0-or-later */
/* commands.c - the table of commands, and the options they all have. */
#include "command.h"

#include <string.h>

/* clang-format off */
/* clang-format off */
const struct command *const commands[] = {
    &command_setup,
    &command_new,
    &command_insert,
    &command_search,
    &command_show,
    &command_reply,
    &command_address,
    &command_count,
    &command_tag,
    &command_dump,
    &command_restore,
    &command_reindex,
    &command_compact,
    &command_check,
    &command_config,
    &command_help,
    NULL,
};
/* clang-format on */
/* clang-format on */

static const struct option_keyword query_keywords[] = {
    {"infix", QUERY_INFIX},
    {"sexp", QUERY_SEXP},
    {NULL, 0},
};

#define T struct global_options
/* clang-format off */
#define EVERYWHERE                                                                                 \
    OPT_BOOLEAN (T, help, "help", "show help and do nothing else"),                                \
    OPT_BOOLEAN (T, version, "version", "show the version and do nothing else"),                   \
    OPT_KEYWORD (T, query, "query", query_keywords, "how queries are written"),    \
    OPT_STRING (T, query_file, "query-file", "FILE", "read the query from FILE (-: standard input)"),   \
    OPT_STRING (T, uuid, "uuid", "UUID", "go on only if the index has this UUID"),                 \
    OPT_BOOLEAN (T, debug, "debug", "say on stderr how long locks were waited for"),               \
    OPT_END

const struct option_spec global_specs[] = {
    OPT_STRING (T, config, "config", "FILE", "configuration file; empty for none",
                .may_be_empty = true),
    EVERYWHERE
};

const struct option_spec global_specs_after[] = { EVERYWHERE };
/* clang-format on */

const struct command *
command_find (const char *name)
{
    for (const struct command *const *c = commands; *c; c++)
        if (strcmp ((*c)->name, name) == 0)
            return *c;
    return NULL;
}
