/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command.h - what a command is: an entry of the table in commands.c. */
#ifndef COMMAND_H
#define COMMAND_H

#include "config.h"
#include "names.h"
#include "options.h"

#include <mailindex.h>

#define EXIT_AGAIN 75 /* a later run may do better */

enum query_syntax { QUERY_INFIX = MAIL_SYNTAX_INFIX, QUERY_SEXP = MAIL_SYNTAX_SEXP };

/* Options that every command has. */
struct global_options {
    const char *config; /* before the command only */
    const char *query_file;
    const char *uuid;
    bool help, version, debug;
    int query; /* enum query_syntax */
};

/* What main() has worked out before a command runs. */
struct cli {
    const struct names *names;
    const char *program;   /* the name in messages: "mail" */
    const char *command;   /* name of the command that runs; "" before it is known */
    struct config *config; /* file and defaults; NULL for a command without_config */
    struct global_options global;
    unsigned umask; /* that the program was started with; its own is 0077 */
};

struct command {
    const char *name;
    const char *arguments; /* for the usage line: "[OPTION...] QUERY" */
    const char *summary;   /* one line for help */
    const struct option_spec *options;
    const void *defaults; /* the struct that the options' offsets point into; copied for a run */
    size_t options_size;
    bool without_config;
    /* options: the copy of defaults with what was given. argv: what is left after the options,
     * argc words and a NULL. Returns the exit code. */
    int (*run) (struct cli *cli, void *options, int argc, char **argv);
};

extern const struct command command_address;
extern const struct command command_check;
extern const struct command command_compact;
extern const struct command command_config;
extern const struct command command_count;
extern const struct command command_dump;
extern const struct command command_help;
extern const struct command command_insert;
extern const struct command command_new;
extern const struct command command_reindex;
extern const struct command command_reply;
extern const struct command command_restore;
extern const struct command command_search;
extern const struct command command_setup;
extern const struct command command_show;
extern const struct command command_tag;

/* All of them in the order of the help text, NULL-terminated. */
extern const struct command *const commands[];
/* NULL where there is none of this name. */
const struct command *command_find (const char *name);
extern const struct option_spec global_specs[];       /* before the command */
extern const struct option_spec global_specs_after[]; /* after it */

/* All of "new" but hooks, for a repair: 0 too where some file could not be read. */
int new_for_repair (struct cli *cli, bool quiet);

/* What the bare name of the program does: setup where there is no configuration, else a word about
 * what is next. Returns the exit code. */
int setup_or_greeting (struct cli *cli);

/* Help on one command, or a topic: the manual page where it is installed, else what the tables say.
 * name: NULL for the overview. */
int help_show (const struct cli *cli, const char *name);
/* The overview. */
void help_overview (const struct cli *cli, FILE *file);

#endif
