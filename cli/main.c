/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * main.c - from a command line to a command.
 *
 * Global options, the name of the command, its options, and then its function with what is left.
 */
#include "command.h"
#include "hooks.h"
#include "output.h"
#include "report.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <unistd.h>

#ifndef MAIL_VERSION
#define MAIL_VERSION "unknown"
#endif

static int
show_version (const struct cli *cli)
{
    printf ("%s %s\n", cli->program, MAIL_VERSION);
    return 0;
}

/* --help and --version; -1 where neither was given. */
static int
show_global (const struct cli *cli, const char *topic)
{
    if (cli->global.help)
        return help_show (cli, topic);
    if (cli->global.version)
        return show_version (cli);
    return -1;
}

static int
no_command (struct cli *cli)
{
    if (cli->names->bare_is_setup)
        return setup_or_greeting (cli);
    help_overview (cli, stderr);
    return 1;
}

static int
load_config (struct cli *cli)
{
    char *error = NULL;
    enum mail_status status =
        config_load (cli, cli->names, cli->global.config, &cli->config, &error);

    if (status != MAIL_OK)
        report (cli, "%s", error);
    return status == MAIL_OK ? 0 : mail_status_exit_code (status);
}

static int
run_command (struct cli *cli, const struct command *command, int argc, char **argv)
{
    void *options = talloc_memdup (cli, command->defaults, command->options_size);
    const struct option_set sets[] = {
        {command->options, options},
        {global_specs_after, &cli->global},
    };
    const char *late;
    char *error = NULL;
    int first, code;

    cli->command = command->name;
    first = options_parse (cli, sets, 2, argc, argv, 1, &error);
    if (first < 0) {
        fputs (error, stderr);
        return 1;
    }
    code = show_global (cli, command->name);
    if (code >= 0)
        return code;
    late = strcmp (argv[first - 1], "--") == 0
               ? NULL
               : options_too_late (sets, 2, argc - first, argv + first);
    if (late && !cli->names->lenient_queries)
        report (cli, "'%s' is no option here: options come before all other words", late);
    code = command->without_config ? 0 : load_config (cli);
    if (code != 0)
        return code;
    return command->run (cli, options, argc - first, argv + first);
}

/* A command that is none of ours: the program NAME-COMMAND takes over, where there is one. Returns
 * where there is not. */
static void
run_external (struct cli *cli, char **argv)
{
    char *name = talloc_asprintf (cli, "%s-%s", cli->program, argv[0]);

    if (strchr (argv[0], '/'))
        return;
    hook_export_config (cli);
    fflush (NULL);
    signal (SIGPIPE, SIG_DFL);
    signal (SIGXFSZ, SIG_DFL);
    argv[0] = name;
    execvp (name, argv);
    argv[0] = name + strlen (cli->program) + 1;
    signal (SIGPIPE, SIG_IGN);
    signal (SIGXFSZ, SIG_IGN);
    if (errno == ENOENT)
        return;
    fprintf (stderr, "Error: Running external command '%s' failed: %s\n", name, strerror (errno));
    exit (1);
}

static int
dispatch (struct cli *cli, int argc, char **argv)
{
    const struct option_set set = {global_specs, &cli->global};
    const struct command *command;
    char *error = NULL;
    int code, at = options_parse (cli, &set, 1, argc, argv, 1, &error);

    if (at < 0) {
        fputs (error, stderr);
        return 1;
    }
    code = show_global (cli, argv[at]);
    if (code >= 0)
        return code;
    if (at == argc)
        return no_command (cli);
    command = command_find (argv[at]);
    if (!command)
        run_external (cli, argv + at);
    if (!command)
        return report_usage ("Unknown command '%s' (see \"%s help\")", argv[at], cli->program);
    return run_command (cli, command, argc - at, argv + at);
}

int
main (int argc, char **argv)
{
    struct cli *cli = talloc_zero (NULL, struct cli);
    char *program;
    int code;

    output_init ();
    signal (SIGXFSZ, SIG_IGN); /* too large a file is a full disk */
    cli->names = names_find (cli, argc > 0 ? argv[0] : NULL);
    cli->program = cli->names->program;
    cli->command = "";
    cli->umask = umask (0077); /* what an index has is nobody else's business */
    program = talloc_strdup (NULL, cli->program);
    code = argc > 0 ? dispatch (cli, argc, argv) : 1;
    talloc_free (cli);
    code = output_finish (program, code);
    talloc_free (program);
    return code;
}
