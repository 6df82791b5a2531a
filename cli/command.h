/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command.h - what a command is: an entry of the table in main.c. */
#ifndef COMMAND_H
#define COMMAND_H

#include <mailindex.h>

struct option_spec; /* options.h */
struct config;      /* config.h */

/* What main() has worked out before a command runs. */
struct cli {
    const char *program;   /* the name in messages: "mail" */
    struct config *config; /* merged: file, defaults */
    const char *command;   /* name of the command that runs */
};

struct command {
    const char *name;
    const char *arguments; /* for the usage line: "[options] QUERY" */
    const char *summary;   /* one line for help */
    const struct option_spec *options;
    /* arguments: what is left after the options, NULL-terminated. Returns the exit code. */
    int (*run) (struct cli *cli, int argc, char **argv);
};

extern const struct command command_config, command_count, command_help, command_new,
    command_search, command_show, command_tag;

#endif
