/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command-setup.c - setup: asks who the user is and where the mail lies, and writes what differs
 * from the defaults.
 *
 * Answers are read from standard input, whatever that is, so that scripts can answer too; with
 * --yes nothing is asked and what is found counts. All is written at the end and in one go: who
 * stops before has changed nothing.
 */
#include "report.h"
#include "setup-answers.h"
#include "setup-look.h"
#include "takeover.h"
#include "user.h"

#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <unistd.h>

struct setup_options {
    bool yes;
};

#define T struct setup_options
/* clang-format off */
static const struct option_spec specs[] = {
    OPT_BOOLEAN (T, yes, "yes", "ask nothing: what is found is taken"),
    OPT_END
};
/* clang-format on */

static const struct setup_options defaults = {0};

/* ---- the questions ---- */

static void
ask_name (struct setup *setup)
{
    char *present = user_name (setup->ctx, setup->base);
    char *answer = setup_ask (setup, "Your full name", present ? present : "");

    setup_put_text (setup, "user.name", answer, user_name (setup->ctx, setup->blank));
    present = user_email (setup->ctx, setup->base);
    answer = setup_ask (setup, "Your primary email address", present ? present : "");
    setup_put_text (setup, "user.primary_email", answer, user_email (setup->ctx, setup->blank));
}

static void
ask_other_addresses (struct setup *setup)
{
    size_t count, kept = 0;
    char **present = config_list (setup->ctx, setup->base, "user.other_email", &count);
    char **all = talloc_zero_array (setup->ctx, char *, count + 1);

    for (size_t i = 0; i < count; i++)
        all[kept++] = setup_ask (setup, "Additional email address", present[i]);
    while (!setup->yes && !setup->ended) {
        char *answer;

        printf ("Additional email address [Press 'Enter' if none]: ");
        answer = setup_read (setup);
        if (*answer == '\0')
            break;
        all = talloc_realloc (setup->ctx, all, char *, kept + 2);
        all[kept++] = answer;
    }
    all[kept] = NULL;
    setup_put_list (setup, "user.other_email", all);
}

/* Absolute, without slashes at the end; "~/" is the home folder. */
static char *
clean_path (struct setup *setup, const char *path)
{
    char *home = *path == '~' ? g_strconcat (g_get_home_dir (), path + 1, NULL) : NULL;
    char *full = g_canonicalize_filename (home ? home : path, NULL);
    char *copy = talloc_strdup (setup->ctx, full);

    g_free (full);
    g_free (home);
    return copy;
}

/* Where the mail lies. A folder that was only assumed is written: which one is assumed can be
 * another tomorrow. */
static void
ask_mail_root (struct setup *setup, const struct config_paths *paths)
{
    const char *present = paths ? paths->mail_root : clean_path (setup, "~/Mail");
    bool apart = paths && strcmp (paths->mail_root, paths->database) != 0;

    setup->mail_root =
        clean_path (setup, setup_ask (setup, "Top-level directory of your email archive", present));
    setup->database = apart ? talloc_strdup (setup->ctx, paths->database) : setup->mail_root;
    if (!apart || !config_is_set (setup->base, "database.path"))
        setup_put_text (setup, "database.path", setup->database, NULL);
    if (apart)
        setup_put_text (setup, "database.mail_root", setup->mail_root, NULL);
}

static void
ask_list (struct setup *setup, const char *question, const char *key)
{
    char **present = config_list (setup->ctx, setup->base, key, NULL);
    char *shown = g_strjoinv (" ", present), *answer = setup_ask (setup, question, shown);
    char **words;
    size_t kept = 0;

    if (strcmp (answer, shown) == 0) { /* a tag may have blanks in it */
        words = g_strdupv (present);
    } else {
        words = g_strsplit_set (answer, " \t", -1);
        for (char **word = words; *word; word++) {
            if (**word)
                words[kept++] = *word;
            else
                g_free (*word);
        }
        words[kept] = NULL;
    }
    setup_put_list (setup, key, words);
    g_strfreev (words);
    g_free (shown);
}

static void
explain (const struct setup *setup)
{
    struct setup_look look = setup_look_at (setup->mail_root);
    struct stat st;

    if (stat (setup->mail_root, &st) != 0)
        printf ("\nThere is no '%s' yet: make it, or fetch mail, before you run '%s new'.\n",
                setup->mail_root, setup->cli->program);
    else
        printf ("\n'%s' has %" PRIu64 " folders with %" PRIu64 " files in all.\n", setup->mail_root,
                look.folders, look.files);
    printf (
        "'%s new' reads them and writes an index into '%s/.mailindex'. Mail is never changed;\n"
        "when tags change, the names of files follow those that maildir flags stand for\n"
        "(maildir.synchronize_flags). Where no tags for new messages are configured, the first\n"
        "import does not put into the inbox what is old or seen.\n\n",
        setup->cli->program, setup->database);
}

/* For an index that is still to be made. */
static void
ask_take_over (struct setup *setup)
{
    char *state = talloc_asprintf (setup->ctx, "%s/.mailindex/state", setup->database);

    if (access (state, F_OK) == 0 || !takeover_is_there (setup->cli, setup->database))
        return;
    setup->take_over =
        setup_ask_yes (setup, "There is an index of notmuch, which stays as it is. Take "
                              "its tags over");
    if (!setup->take_over)
        setup_put (setup, "new.takeover", "false");
}

static int
ask_all (struct setup *setup)
{
    struct config_paths paths;
    char *error = NULL;
    bool found;

    if (config_file_is_foreign (setup->cli->config)) {
        char *question = talloc_asprintf (setup->ctx, "Take over the settings of '%s'",
                                          config_file (setup->cli->config));

        if (setup_ask_yes (setup, question))
            setup_put_all (setup);
        else
            setup->base = setup->blank;
    }
    found = config_paths (setup->ctx, setup->base, &paths, &error) == MAIL_OK;
    if (!found && setup->yes) {
        report (setup->cli, "%s", error);
        return 1;
    }
    ask_name (setup);
    ask_other_addresses (setup);
    ask_mail_root (setup, found ? &paths : NULL);
    ask_list (setup, "Tags to apply to all new messages (separated by spaces)", "new.tags");
    ask_list (setup, "Tags to exclude when searching messages (separated by spaces)",
              "search.exclude_tags");
    if (!setup->ended)
        explain (setup);
    ask_take_over (setup);
    return 0;
}

/* ---- doing it ---- */

static int
take_over (const struct setup *setup)
{
    char *program = setup->take_over ? takeover_program (setup->ctx) : NULL;
    int code = 0;

    if (setup->take_over && !program)
        takeover_explain (setup->cli, setup->database);
    if (program)
        code = takeover_dump (setup->cli, program, setup->database);
    if (program && code == 0)
        printf ("The tags of notmuch are in '%s', for '%s new'.\n",
                takeover_dump_file (setup->ctx, setup->database), setup->cli->program);
    return code;
}

static int
load (struct cli *cli)
{
    char *error = NULL;
    enum mail_status status =
        config_load_to_write (cli, cli->names, cli->global.config, &cli->config, &error);

    if (status != MAIL_OK)
        report (cli, "%s", error);
    return status == MAIL_OK ? 0 : names_exit_code (cli->names, status);
}

static int
finish (struct setup *setup)
{
    const char *file = config_change_file (setup->ctx, setup->cli);
    int code = 0;

    if (setup->ended) {
        puts ("\nExiting.");
        return 1;
    }
    setup_drop_needless (setup);
    if (setup->count > 0) {
        code = config_change (setup->cli, setup->values, setup->count, false);
        if (code == 0)
            printf ("The configuration is in '%s'.\n", file);
    } else {
        puts ("There is nothing to write: the configuration says all of it.");
    }
    if (code == 0)
        code = take_over (setup);
    return code == 0 ? load (setup->cli) : code;
}

static void
welcome (const struct setup *setup)
{
    if (setup->yes || config_file (setup->cli->config))
        return;
    printf (
        "Welcome. Some questions come, and their answers are written to\n'%s' at the end. An "
        "empty answer means what\nstands in brackets. '%s setup' can be run again, and '%s help "
        "config' tells of\nfurther settings.\n\n",
        config_usual_file (setup->cli->config), setup->cli->program, setup->cli->program);
}

/* ---- the command ---- */

static void
greeting (struct cli *cli)
{
    void *local = talloc_new (NULL);
    struct mail_open_options options = {.lock_timeout = 0};
    struct config_paths paths;
    struct mail_index *index = NULL;
    char *error = NULL, *name = user_name (local, cli->config);
    bool found = config_paths (local, cli->config, &paths, &error) == MAIL_OK;

    if (!found) {
        puts (error);
    } else {
        options.path = paths.database;
        options.mail_root = paths.mail_root;
        if (mail_index_open (local, &options, &index, &error) != MAIL_OK)
            printf ("The mail in '%s' is not indexed yet: '%s new' does that.\n", paths.mail_root,
                    cli->program);
        else
            printf ("The mail of %s <%s> is in '%s', and indexed (messages: %" PRIu32 ").\n"
                    "'%s search WORD...' finds some, '%s help' tells of all commands.\n",
                    name ? name : "", user_email (local, cli->config), paths.mail_root,
                    mail_index_count (index), cli->program, cli->program);
    }
    talloc_free (local);
}

static int
set_up (struct cli *cli, bool yes)
{
    struct setup setup = {.ctx = talloc_new (NULL), .cli = cli, .yes = yes};
    char *error = NULL;
    int code;

    config_load (setup.ctx, cli->names, "", &setup.blank, &error);
    setup.base = cli->config;
    welcome (&setup);
    code = ask_all (&setup);
    if (code == 0)
        code = finish (&setup);
    talloc_free (setup.ctx);
    if (code == 0) {
        putchar ('\n');
        greeting (cli);
    }
    return code;
}

static int
run_setup (struct cli *cli, void *options_given, int argc, char **argv)
{
    const struct setup_options *options = options_given;
    int code;

    if (argc > 0)
        return report_extra_word (argv[0]);
    if (cli->global.config && *cli->global.config == '\0')
        return report_usage ("there is no configuration file to write (--config is empty)");
    code = load (cli);
    return code == 0 ? set_up (cli, options->yes) : code;
}

int
setup_or_greeting (struct cli *cli)
{
    int code = load (cli);

    cli->command = command_setup.name;
    if (code != 0)
        return code;
    if (!config_file (cli->config) || access (config_file (cli->config), F_OK) != 0)
        return set_up (cli, false);
    greeting (cli);
    return 0;
}

const struct command command_setup = {
    .name = "setup",
    .arguments = "[--yes]",
    .summary = "Ask for the most important settings",
    .options = specs,
    .defaults = &defaults,
    .options_size = sizeof defaults,
    .without_config = true,
    .run = run_setup,
};
