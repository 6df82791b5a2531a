/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * takeover-dump.c - has notmuch write a dump of its database, and waits for it.
 *
 * notmuch waits without limit where somebody has its database locked, so whoever does nothing for
 * as long as we would wait for a lock is ended, and who has the lock is told.
 */
#include "takeover.h"
#include "atomic-file.h"
#include "report.h"

#include <dirent.h>
#include <errno.h>
#include <glib.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <talloc.h>
#include <unistd.h>

#define DUMP_POLL_MS 20

char *
takeover_dump_file (void *ctx, const char *database)
{
    return talloc_asprintf (ctx, "%s/.mailindex/notmuch.dump.gz", database);
}

/* What changes while a process is at work: the time that it has used, and what it has written. */
struct work {
    unsigned long long user, system;
    off_t written;
};

static struct work
work_of (GPid child, int to)
{
    struct work work = {0};
    struct stat st;
    char path[64], text[1024] = "", *name_end;
    FILE *file;

    snprintf (path, sizeof path, "/proc/%d/stat", (int) child);
    file = fopen (path, "re");
    if (file && fread (text, 1, sizeof text - 1, file) > 0 && (name_end = strrchr (text, ')')))
        sscanf (name_end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &work.user,
                &work.system);
    if (file)
        fclose (file);
    if (fstat (to, &st) == 0)
        work.written = st.st_size;
    return work;
}

/* Waits for the dump; false where it has done nothing for so many seconds: it is ended then.
 * notmuch waits without limit for whoever has locked its database. */
static bool
wait_for (GPid child, int to, int64_t seconds, int *status_out)
{
    struct work before = work_of (child, to);
    int64_t idle = 0;

    for (;;) {
        pid_t got = waitpid (child, status_out, WNOHANG);

        if (got == child || (got < 0 && errno != EINTR))
            return true;
        g_usleep (DUMP_POLL_MS * 1000);

        struct work now = work_of (child, to);

        idle = memcmp (&now, &before, sizeof now) == 0 ? idle + DUMP_POLL_MS : 0;
        before = now;
        if (idle < seconds * 1000)
            continue;
        kill (child, SIGKILL);
        while (waitpid (child, status_out, 0) < 0 && errno == EINTR)
            ;
        return false;
    }
}

static bool
has_open (const char *process, const char *file)
{
    char *folder = talloc_asprintf (NULL, "/proc/%s/fd", process), link[4096];
    DIR *dir = opendir (folder);
    bool has = false;

    for (struct dirent *entry; dir && !has && (entry = readdir (dir)) != NULL;) {
        ssize_t length = readlinkat (dirfd (dir), entry->d_name, link, sizeof link - 1);

        has = length > 0 && strlen (file) == (size_t) length &&
              strncmp (link, file, (size_t) length) == 0;
    }
    if (dir)
        closedir (dir);
    talloc_free (folder);
    return has;
}

/* Words about a process that has the lock file of notmuch's database open. */
static char *
holder_of_lock (void *ctx, const struct cli *cli, const char *database)
{
    DIR *dir = opendir ("/proc");
    char *found = NULL;

    for (const char *const *p = cli->names->peer_databases; *p && dir && !found; p++) {
        char *path = talloc_asprintf (ctx, "%s/%s/flintlock", database, *p);
        char *real = realpath (path, NULL);

        rewinddir (dir);
        for (struct dirent *entry; real && !found && (entry = readdir (dir)) != NULL;)
            if (g_ascii_isdigit (*entry->d_name) && has_open (entry->d_name, real))
                found = talloc_asprintf (ctx, "process %s", entry->d_name);
        free (real);
    }
    if (dir)
        closedir (dir);
    return found ? found : talloc_strdup (ctx, "another program");
}

static int
dump_waits (const struct cli *cli, const char *program, const char *database, int64_t seconds)
{
    char *holder = holder_of_lock (NULL, cli, database);

    report (cli,
            "'%s dump' has done nothing for %" PRId64 " s: %s has the database of notmuch locked. "
            "Wait until it is done, or end it, and try again",
            program, seconds, holder);
    talloc_free (holder);
    return EXIT_AGAIN;
}

/* Its standard output goes to a descriptor, which is closed. Returns 0, or an exit code after a
 * message. */
static int
run_dump (const struct cli *cli, const char *program, const char *database, int64_t seconds, int to)
{
    char *const argv[] = {(char *) program, "--config=", "dump", "--gzip", NULL};
    char **environment = g_environ_setenv (g_get_environ (), "NOTMUCH_DATABASE", database, TRUE);
    GError *error = NULL;
    GPid child;
    int status, code = 0;
    bool begun =
        g_spawn_async_with_fds (NULL, (char **) argv, environment, G_SPAWN_DO_NOT_REAP_CHILD, NULL,
                                NULL, &child, -1, to, -1, &error);

    if (begun && !wait_for (child, to, seconds, &status)) {
        code = dump_waits (cli, program, database, seconds);
    } else if (!begun || !g_spawn_check_wait_status (status, &error)) {
        report (cli, "'%s dump' failed: %s", program, error->message);
        code = 1;
    }
    close (to);
    g_clear_error (&error);
    g_strfreev (environment);
    return code;
}

int
takeover_dump (const struct cli *cli, const char *program, const char *database)
{
    void *local = talloc_new (NULL);
    char *path = takeover_dump_file (local, database), *folder = g_path_get_dirname (path);
    char *wrong = NULL;
    struct atomic_file *file;
    int64_t seconds;
    int to, code = 1, error;

    if (config_integer (local, cli->config, "database.lock_timeout", 0, 1000000, &seconds,
                        &wrong) != MAIL_OK) {
        report (cli, "%s", wrong);
        g_free (folder);
        talloc_free (local);
        return 1;
    }
    g_mkdir_with_parents (folder, 0700);
    g_free (folder);
    atomic_sweep (path);
    file = atomic_open (local, path);
    to = file ? atomic_fd (file) : -1;
    error = to < 0 ? errno : 0;
    if (!error)
        code = run_dump (cli, program, database, MAX (seconds, 1), to);
    if (!error && code == 0)
        error = atomic_finish (file);
    if (error) {
        report (cli, "cannot write '%s': %s", path, strerror (error));
        code = 1;
    }
    talloc_free (local);
    return code;
}
