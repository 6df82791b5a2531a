/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command-help.c - help: the overview, and help on one command.
 *
 * The manual page says more than we do, so it is shown where man finds it. Where it does not (no
 * man, not installed) the option table is printed.
 */
#include "command.h"
#include "output.h"
#include "report.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <talloc.h>
#include <unistd.h>

extern char **environ;

/* Topics that are not commands, and the section of their manual page. */
static const struct {
    const char *name, *section, *summary;
} topics[] = {
    {"hooks", "7", "programs of your own that run with new and insert"},
    {"properties", "7", "what a message has besides tags"},
    {"search-terms", "7", "the language of queries"},
    {"sexp-queries", "7", "queries written as S-expressions"},
};

static const struct global_options no_globals = {0};

void
help_overview (const struct cli *cli, FILE *file)
{
    fprintf (file,
             "%s - find mail on this disk at once\n"
             "\n"
             "Usage: %s [--config=FILE] COMMAND [OPTION...] [ARGUMENT...]\n"
             "       %s help [COMMAND]\n"
             "       %s --version\n"
             "\n"
             "Commands:\n",
             cli->program, cli->program, cli->program, cli->program);
    for (const struct command *const *c = commands; *c; c++)
        fprintf (file, "  %-12s  %s\n", (*c)->name, (*c)->summary);
    fputs ("\nTopics:\n", file);
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        fprintf (file, "  %-12s  %s\n", topics[i].name, topics[i].summary);
    fputs ("\nOptions of every command:\n", file);
    options_help (file, global_specs, &no_globals);
    fprintf (file,
             "\nUse \"%s help COMMAND\" for more on a command. New here? \"%s new\" comes first.\n",
             cli->program, cli->program);
}

/* Whether man has the page. */
static bool
page_is_installed (const char *page)
{
    char *argv[] = {"man", "-w", (char *) page, NULL};
    posix_spawn_file_actions_t actions;
    int error, wait_status = 1;
    pid_t pid;

    posix_spawn_file_actions_init (&actions);
    posix_spawn_file_actions_addopen (&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen (&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    error = posix_spawnp (&pid, "man", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy (&actions);
    return error == 0 && waitpid (pid, &wait_status, 0) == pid && wait_status == 0;
}

static void
command_usage (const struct cli *cli, const struct command *command)
{
    printf ("Usage: %s %s %s\n\n%s.\n", cli->program, command->name, command->arguments,
            command->summary);
    if (command->options->kind != OPTION_END) {
        puts ("\nOptions:");
        options_help (stdout, command->options, command->defaults);
    }
    puts ("\nOptions of every command:");
    options_help (stdout, global_specs_after, &no_globals);
}

static const char *
topic_section (const char *name)
{
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        if (strcmp (topics[i].name, name) == 0)
            return topics[i].section;
    return NULL;
}

int
help_show (const struct cli *cli, const char *name)
{
    const struct command *command = name ? command_find (name) : NULL;
    char *page;

    if (!name) {
        help_overview (cli, stdout);
        return 0;
    }
    if (!command && !topic_section (name))
        return report_usage ("Unknown command or topic '%s' (see \"%s help\")", name, cli->program);
    page = talloc_asprintf (cli, "%s-%s", cli->names->manual, name);
    if (page_is_installed (page)) {
        signal (SIGPIPE, SIG_DFL);
        fflush (stdout);
        execlp ("man", "man", page, NULL);
    }
    if (!command) {
        report (cli, "the manual page %s(%s) is not installed", page, topic_section (name));
        return 1;
    }
    command_usage (cli, command);
    return 0;
}

static int
run_help (struct cli *cli, void *options, int argc, char **argv)
{
    (void) options;
    return argc > 1 ? report_extra_word (argv[1]) : help_show (cli, argc > 0 ? argv[0] : NULL);
}

static const struct option_spec specs[] = {OPT_END};

const struct command command_help = {
    .name = "help",
    .arguments = "[COMMAND]",
    .summary = "Explain a command",
    .options = specs,
    .defaults = "",
    .options_size = 0,
    .without_config = true,
    .run = run_help,
};
