/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command-config.c - config: shows the settings that are in force, and changes them.
 *
 * What scripts and editors ask for is the merged view: the file, the defaults, and what follows
 * from the system (where the mail is, who the user is).
 */
#include "config-change.h"
#include "config-edit.h"
#include "report.h"
#include "session.h"
#include "user.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <talloc.h>

/* What this program can do, under the names that notmuch has for it. */
static const struct {
    const char *key;
    bool value;
    bool hidden; /* not in the list */
} built_with[] = {
    {"built_with.compact", true, false},    {"built_with.field_processor", true, false},
    {"built_with.mailindex", true, true}, /* that it is not notmuch: takeover.c */
    {"built_with.retry_lock", true, false}, {"built_with.sexp_queries", true, false},
};

static const char *const computed_keys[] = {"database.mail_root", "database.path", "user.name",
                                            "user.primary_email"};

static const char *
path (void *ctx, const struct config *config, bool mail_root)
{
    struct config_paths paths;
    char *error;

    if (config_paths (ctx, config, &paths, &error) != MAIL_OK)
        return NULL;
    return mail_root ? paths.mail_root : paths.database;
}

/* The value of a key that follows from more than the file; NULL for none. */
static const char *
computed (void *ctx, const struct config *config, const char *key)
{
    if (strcmp (key, "database.path") == 0)
        return path (ctx, config, false);
    if (strcmp (key, "database.mail_root") == 0)
        return path (ctx, config, true);
    if (config_raw (config, key))
        return NULL;
    if (strcmp (key, "user.name") == 0)
        return user_name (ctx, config);
    if (strcmp (key, "user.primary_email") == 0)
        return user_email (ctx, config);
    return NULL;
}

static void
print_built_with (const char *key)
{
    bool value = false;

    for (size_t i = 0; i < G_N_ELEMENTS (built_with); i++)
        if (strcmp (built_with[i].key, key) == 0)
            value = built_with[i].value;
    puts (value ? "true" : "false");
}

static int
get (const struct cli *cli, int argc, char **argv)
{
    void *local;
    const char *value;

    if (argc != 1)
        return report_usage ("%s config get requires exactly one argument.", cli->program);
    if (g_str_has_prefix (argv[0], "built_with.")) {
        print_built_with (argv[0]);
        return 0;
    }
    local = talloc_new (NULL);
    value = computed (local, cli->config, argv[0]);
    if (value)
        puts (value);
    else
        for (char **part = config_list (local, cli->config, argv[0], NULL); *part; part++)
            puts (*part);
    talloc_free (local);
    return 0;
}

static bool
is_in (char *const *keys, const char *key)
{
    for (; *keys; keys++)
        if (strcmp (*keys, key) == 0)
            return true;
    return false;
}

/* All keys, those that are computed among them, in byte order. */
static char **
all_keys (void *ctx, const struct config *config, size_t *count_out)
{
    char **keys = config_keys (ctx, config);
    size_t count = 0;

    while (keys[count])
        count++;
    for (size_t i = 0; i < G_N_ELEMENTS (computed_keys); i++) {
        if (is_in (keys, computed_keys[i]) || !computed (ctx, config, computed_keys[i]))
            continue;
        keys = talloc_realloc (ctx, keys, char *, count + 2);
        keys[count++] = talloc_strdup (ctx, computed_keys[i]);
        keys[count] = NULL;
    }
    *count_out = count;
    return keys;
}

static int
compare_strings (const void *a, const void *b)
{
    return strcmp (*(char *const *) a, *(char *const *) b);
}

static int
list (const struct cli *cli)
{
    void *local = talloc_new (NULL);
    size_t count;
    char **keys = all_keys (local, cli->config, &count);

    for (size_t i = 0; i < G_N_ELEMENTS (built_with); i++)
        if (!built_with[i].hidden)
            printf ("%s=%s\n", built_with[i].key, built_with[i].value ? "true" : "false");
    qsort (keys, count, sizeof *keys, compare_strings);
    for (size_t i = 0; i < count; i++) {
        const char *value = computed (local, cli->config, keys[i]);

        printf ("%s=%s\n", keys[i], value ? value : config_raw (cli->config, keys[i]));
    }
    talloc_free (local);
    return 0;
}

/* ---- set ---- */

static bool
is_key (const char *key)
{
    const char *dot = strchr (key, '.');

    return dot && dot > key && dot[1] && !strpbrk (key, "=[]\n\r") && dot[1] != '#' &&
           !g_ascii_isspace (*key) && !g_ascii_isspace (dot[1]) &&
           !g_ascii_isspace (key[strlen (key) - 1]);
}

/* Names that are words of a query: those of headers and of saved queries. */
static int
check_word (const char *key, const char *name)
{
    if (!g_utf8_validate (name, -1, NULL))
        return report_message ("Invalid utf8: %s\n", name);
    if (*name == '\0')
        return report_message ("Empty prefix name: %s\n", key);
    for (const char *at = name; *at; at = g_utf8_next_char (at))
        if (!g_unichar_isalnum (g_utf8_get_char (at)) && *at != '_')
            return report_message ("Non-word character in prefix name: %s\n", name);
    if (*name >= 'a' && *name <= 'z')
        return report_message ("Prefix names starting with lower case letters are reserved: %s\n",
                               name);
    return 0;
}

static int
check_key (const char *key)
{
    static const char *const of_words[] = {"index.header.", "squery."};

    for (size_t i = 0; i < G_N_ELEMENTS (of_words); i++)
        if (g_str_has_prefix (key, of_words[i]))
            return check_word (key, key + strlen (of_words[i]));
    if (!is_key (key))
        return report_message ("Invalid configuration name: %s\n"
                               "(Should be of the form <section>.<item>)\n",
                               key);
    return g_str_has_prefix (key, "built_with.") ? report_usage ("read only option: %s", key) : 0;
}

static int
set_in_index (struct cli *cli, const char *key, char **values, int count)
{
    void *local = talloc_new (NULL);
    struct mail_index *index = NULL;
    int code;

    if (count > 1) {
        report_message ("%s config set: at most one value expected for %s\n", cli->program, key);
        talloc_free (local);
        return 1;
    }
    code = session_open (local, cli, 0, &index);
    if (code == 0) {
        const struct mail_setting setting = {key, count ? values[0] : ""};
        enum mail_status status = mail_index_set_settings (index, &setting, 1);

        code = status == MAIL_OK ? 0 : report_status (cli, status, index);
    }
    session_close (cli, index);
    talloc_free (local);
    return code;
}

static int
set (struct cli *cli, int argc, char **argv)
{
    bool in_index = argc > 0 && strcmp (argv[0], "--database") == 0;
    int code;

    argc -= in_index;
    argv += in_index;
    if (argc < 1)
        return report_usage ("%s config set requires at least one argument.", cli->program);
    code = check_key (argv[0]);
    if (code != 0)
        return code;
    if (in_index)
        return set_in_index (cli, argv[0], argv + 1, argc - 1);
    if (cli->global.config && *cli->global.config == '\0')
        return report_usage ("there is no configuration file to change (--config is empty)");

    char *joined = argc > 1 ? config_join (NULL, argv + 1, argc - 1) : NULL;
    const struct config_value value = {argv[0], joined};

    code = config_change (cli, &value, 1, true);
    talloc_free (joined);
    return code;
}

/* The index, if there is one, has some of the settings; what is wrong with it is not our affair. */
static void
read_stored (struct cli *cli)
{
    void *local = talloc_new (NULL);
    struct mail_open_options options = {.lock_timeout = 0};
    struct config_paths paths;
    struct mail_index *index;
    char *error = NULL;

    if (config_paths (local, cli->config, &paths, &error) == MAIL_OK) {
        options.path = paths.database;
        options.mail_root = paths.mail_root;
        if (mail_index_open (local, &options, &index, &error) == MAIL_OK)
            session_read_stored (local, cli, index);
    }
    talloc_free (local);
}

static int
run_config (struct cli *cli, void *options, int argc, char **argv)
{
    (void) options;
    if (argc == 0)
        return report_usage ("%s config requires at least one argument.", cli->program);
    if (strcmp (argv[0], "set") == 0)
        return set (cli, argc - 1, argv + 1);
    if (strcmp (argv[0], "get") == 0 || strcmp (argv[0], "list") == 0)
        read_stored (cli);
    if (strcmp (argv[0], "get") == 0)
        return get (cli, argc - 1, argv + 1);
    if (strcmp (argv[0], "list") == 0)
        return argc > 1 ? report_extra_word (argv[1]) : list (cli);
    fprintf (stderr, "Unrecognized argument for %s config: %s\n", cli->program, argv[0]);
    return 1;
}

static const struct option_spec specs[] = {OPT_END};

const struct command command_config = {
    .name = "config",
    .arguments = "get SECTION.ITEM | set [--database] SECTION.ITEM [VALUE...] | list",
    .summary = "Show and change settings",
    .options = specs,
    .defaults = "",
    .options_size = 0,
    .run = run_config,
};
