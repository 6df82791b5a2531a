/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * config-change.c - reads, changes and writes the configuration file under a lock.
 *
 * The lock is a file beside the one that is written (behind all links, so that two names of it are
 * one), locked as the index is, and taken away afterwards. So who has got a lock looks whether the
 * file still has its name. Whoever finds it left over after a crash takes it as it is.
 */
#include "config-change.h"
#include "atomic-file.h"
#include "config-edit.h"
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <unistd.h>

#define POLL_US 10000

struct config_lock {
    char *path;
    int fd; /* -1: not held */
};

static int
destroy (struct config_lock *lock)
{
    if (lock->fd >= 0) {
        unlink (lock->path); /* while it is held: nobody else can have it */
        close (lock->fd);
    }
    return 0;
}

static bool
has_its_name (int fd, const char *path)
{
    struct stat opened, named;

    return fstat (fd, &opened) == 0 && stat (path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

/* 0, EAGAIN where another process has it, or another error. */
static int
try_lock (struct config_lock *lock)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open (lock->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), error = 0;

    if (fd < 0)
        return errno;
    if (fcntl (fd, F_OFD_SETLK, &whole) != 0)
        error = errno == EACCES ? EAGAIN : errno;
    else if (!has_its_name (fd, lock->path))
        error = EAGAIN;
    if (error)
        close (fd);
    else
        lock->fd = fd;
    return error;
}

/* Who has it, for people. */
static int
locked (const struct cli *cli, const struct config_lock *lock, const char *target)
{
    char line[512] = "", *command = NULL;
    FILE *file = fopen (lock->path, "re");

    if (file) {
        if (fgets (line, sizeof line, file))
            line[strcspn (line, "\n")] = '\0';
        fclose (file);
    }
    command = strchr (line, ' ');
    if (command)
        report (cli, "'%s' (process %.*s) is changing '%s'", command + 1, (int) (command - line),
                line, target);
    else
        report (cli, "another program is changing '%s'", target);
    return EXIT_AGAIN;
}

static int
take_lock (void *ctx, const struct cli *cli, const char *target)
{
    struct config_lock *lock = talloc (ctx, struct config_lock);
    char *error = NULL;
    int64_t seconds, deadline;
    int failure;

    if (config_integer (ctx, cli->config, "database.lock_timeout", 0, 1000000, &seconds, &error) !=
        MAIL_OK) {
        report (cli, "%s", error);
        return 1;
    }
    *lock = (struct config_lock){talloc_asprintf (lock, "%s.lock", target), -1};
    talloc_set_destructor (lock, destroy);
    deadline = g_get_monotonic_time () + seconds * G_USEC_PER_SEC;
    while ((failure = try_lock (lock)) == EAGAIN && g_get_monotonic_time () < deadline)
        g_usleep (POLL_US);
    if (failure == EAGAIN)
        return locked (cli, lock, target);
    if (failure) {
        report (cli, "cannot lock the configuration file '%s': %s", target, strerror (failure));
        return 1;
    }
    if (ftruncate (lock->fd, 0) == 0)
        dprintf (lock->fd, "%ld %s %s\n", (long) getpid (), cli->program, cli->command);
    return 0;
}

/* All of the file; "" where there is none yet. NULL after a message. */
static char *
read_text (void *ctx, const struct cli *cli, const char *file)
{
    GError *error = NULL;
    char *text, *copy;

    if (access (file, F_OK) != 0 && errno == ENOENT)
        return talloc_strdup (ctx, "");
    if (!g_file_get_contents (file, &text, NULL, &error)) {
        report (cli, "%s", error->message);
        g_clear_error (&error);
        return NULL;
    }
    copy = talloc_strdup (ctx, text);
    g_free (text);
    return copy;
}

static int
write_text (const struct cli *cli, const char *path, const char *text)
{
    struct atomic_file *file = atomic_open (NULL, path);
    FILE *stream = file ? fdopen (atomic_fd (file), "w") : NULL;
    int error = 0;

    if (!stream || fputs (text, stream) == EOF)
        error = errno;
    if (stream && fclose (stream) != 0 && !error)
        error = errno;
    if (!error)
        error = atomic_finish (file);
    talloc_free (file);
    if (error)
        report (cli, "cannot write the configuration file '%s': %s", path, strerror (error));
    return error ? 1 : 0;
}

const char *
config_change_file (void *ctx, const struct cli *cli)
{
    const char *file = config_file (cli->config);

    if (!file || config_file_is_foreign (cli->config))
        file = config_usual_file (cli->config);
    return talloc_strdup (ctx, file);
}

/* Under the lock. Another process may have made the file by now. */
static int
change (void *ctx, const struct cli *cli, const char *to, const struct config_value *values,
        size_t count, bool copy)
{
    const char *foreign = config_file_is_foreign (cli->config) ? config_file (cli->config) : NULL;
    char *text;
    int code;

    copy = copy && foreign && access (to, F_OK) != 0;
    text = read_text (ctx, cli, copy ? foreign : to);
    code = text ? 0 : 1;

    for (size_t i = 0; text && i < count; i++)
        text = config_edit (ctx, text, values[i].key, values[i].value);
    if (text)
        code = write_text (cli, to, text);
    if (code == 0 && copy)
        report (cli, "the configuration of notmuch, '%s', was copied to '%s' and changed there",
                foreign, to);
    return code;
}

int
config_change (const struct cli *cli, const struct config_value *values, size_t count, bool copy)
{
    void *local = talloc_new (NULL);
    const char *to = config_change_file (local, cli), *target;
    char *folder = g_path_get_dirname (to);
    struct stat st;
    int code = 0;

    g_mkdir_with_parents (folder, 0700); /* if that fails, so does what follows */
    target = atomic_target (local, to);
    if (stat (target, &st) != 0 || S_ISREG (st.st_mode))
        code = take_lock (local, cli, target);
    if (code == 0)
        code = change (local, cli, to, values, count, copy);
    g_free (folder);
    talloc_free (local);
    return code;
}
