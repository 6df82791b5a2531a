/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hooks.c - finds and runs hooks.
 *
 * They may use this program themselves, to read and to write: who runs one holds no lock and has no
 * writer open. The places: database.hook_dir; "hooks" beside the configuration file's usual place;
 * where the other program has them beside its index, under its name; "hooks" in the folder of ours.
 */
#include "hooks.h"
#include "report.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <talloc.h>
#include <unistd.h>

extern char **environ;

static bool
is_there (const char *path)
{
    struct stat st;

    return stat (path, &st) == 0 && S_ISDIR (st.st_mode);
}

/* Where the program has hooks beside its index; that of our own index where there are none. */
static char *
beside_index (void *ctx, const struct cli *cli, const char *database)
{
    for (const struct names_hooks *h = cli->names->families[0]->hooks; h->folder; h++) {
        char *folder = talloc_asprintf (ctx, "%s/%s", database, h->folder);

        if (is_there (folder) && is_there (talloc_asprintf (ctx, "%s/%s", database, h->with)))
            return folder;
    }
    return talloc_asprintf (ctx, "%s/.mailindex/hooks", database);
}

/* The folder of hooks, or NULL after a message. */
static char *
hook_folder (void *ctx, const struct cli *cli)
{
    char *folder = config_path (ctx, cli->config, "database.hook_dir"), *error = NULL, *usual;
    struct config_paths paths;

    if (folder)
        return folder;
    usual = talloc_strdup (ctx, config_usual_file (cli->config));
    folder = talloc_asprintf (ctx, "%.*s/hooks", (int) (strrchr (usual, '/') - usual), usual);
    if (is_there (folder))
        return folder;
    if (config_paths (ctx, cli->config, &paths, &error) == MAIL_OK)
        return beside_index (ctx, cli, paths.database);
    report (cli, "%s", error);
    return NULL;
}

void
hook_export_config (const struct cli *cli)
{
    const char *file = cli->config ? config_file (cli->config) : cli->global.config;

    for (size_t i = 0; file && *file && i < 2; i++)
        setenv (cli->names->families[i]->config_env, file, 1);
}

/* The signals that this program treats in its own way are as usual for what it starts. */
static void
default_signals (posix_spawnattr_t *attributes)
{
    sigset_t set;

    sigemptyset (&set);
    sigaddset (&set, SIGPIPE);
    sigaddset (&set, SIGXFSZ);
    sigaddset (&set, SIGINT);
    sigaddset (&set, SIGTERM);
    posix_spawnattr_init (attributes);
    posix_spawnattr_setsigdefault (attributes, &set);
    posix_spawnattr_setflags (attributes, POSIX_SPAWN_SETSIGDEF);
}

static int
run_program (const char *name, char *path)
{
    char *argv[] = {path, NULL};
    posix_spawnattr_t attributes;
    int error, status = 0;
    pid_t pid;

    fflush (NULL);
    default_signals (&attributes);
    error = posix_spawn (&pid, path, NULL, &attributes, argv, environ);
    posix_spawnattr_destroy (&attributes);
    if (error)
        return report_usage ("%s hook execution failed: %s", name, strerror (error));
    while (waitpid (pid, &status, 0) < 0)
        if (errno != EINTR)
            return report_usage ("%s hook execution failed: %s", name, strerror (errno));
    if (WIFSIGNALED (status))
        return report_usage ("%s hook terminated with signal %d", name, WTERMSIG (status));
    if (WEXITSTATUS (status) != 0)
        return report_usage ("%s hook failed with status %d", name, WEXITSTATUS (status));
    return 0;
}

int
hook_run (const struct cli *cli, const char *name)
{
    void *local = talloc_new (NULL);
    char *folder = hook_folder (local, cli), *path;
    int code = 1;

    if (folder) {
        path = talloc_asprintf (local, "%s/%s", folder, name);
        hook_export_config (cli);
        if (access (path, X_OK) == 0)
            code = run_program (name, path);
        else if (errno == ENOENT || errno == ENOTDIR)
            code = 0;
        else
            code = report_usage ("%s hook access failed: %s: %s", name, path, strerror (errno));
    }
    talloc_free (local);
    return code;
}
