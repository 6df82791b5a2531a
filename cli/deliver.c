/* SPDX-License-Identifier: GPL-3.0-or-later */
/* deliver.c - delivery into a maildir. */
#include "deliver.h"
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <talloc.h>
#include <unistd.h>

#define MODE_OWN 0600
#define MODE_WORLD 0644
#define TRIES 100 /* names that somebody has already */

/* What cannot be written for want of room may be tried again. */
static int
failed (const struct cli *cli, const char *what, const char *path, int error)
{
    (void) cli;
    report_message ("Error: %s '%s': %s\n", what, path, strerror (error));
    return error == ENOSPC || error == EDQUOT || error == EIO || error == ENFILE || error == EMFILE
               ? EXIT_AGAIN
               : 1;
}

static int
sync_folder (const char *path)
{
    int fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = 0;

    if (fd < 0)
        return errno;
    if (fsync (fd) != 0)
        error = errno;
    close (fd);
    return error;
}

/* ---- folders ---- */

static int
make_one (const struct cli *cli, const char *path, unsigned mode)
{
    char *above;
    int error;

    if (mkdir (path, mode) != 0)
        return errno == EEXIST ? 0 : failed (cli, "mkdir", path, errno);
    chmod (path, mode & ~cli->umask);
    above = talloc_strndup (NULL, path, (size_t) (strrchr (path, '/') - path));
    error = sync_folder (above);
    talloc_free (above);
    return error ? failed (cli, "sync", path, error) : 0;
}

int
deliver_make_folder (const struct cli *cli, const char *mail_root, const char *folder,
                     bool world_readable)
{
    static const char *const parts[] = {"cur", "new", "tmp"};
    unsigned mode = world_readable ? 0755 : 0700;
    char *path = talloc_asprintf (NULL, "%s/%s", mail_root, folder);
    int code = 0;

    for (char *at = path + strlen (mail_root) + 1; code == 0 && at; at = strchr (at, '/')) {
        if (*at == '/')
            at++;
        char *slash = strchr (at, '/');

        if (slash)
            *slash = '\0';
        if (*at)
            code = make_one (cli, path, mode);
        if (slash)
            *slash = '/';
    }
    for (size_t i = 0; code == 0 && i < 3; i++)
        code = make_one (cli, talloc_asprintf (path, "%s%s%s", path, *folder ? "/" : "", parts[i]),
                         mode);
    talloc_free (path);
    return code;
}

/* ---- the file ---- */

static int
destroy (struct delivery *delivery)
{
    if (delivery->tmp)
        unlink (delivery->tmp);
    return 0;
}

/* SECONDS.MMICROSECONDSPPROCESS.HOST: unique, as far as clocks go; O_EXCL sees to the rest. */
static char *
make_name (void *ctx)
{
    struct timeval now;
    char host[256] = "localhost";

    gethostname (host, sizeof host - 1);
    for (char *c = host; *c; c++)
        if (*c == '/' || *c == ':')
            *c = '_';
    gettimeofday (&now, NULL);
    return talloc_asprintf (ctx, "%ld.M%ldP%d.%s", (long) now.tv_sec, (long) now.tv_usec,
                            (int) getpid (), host);
}

static int
make_tmp (const struct cli *cli, const char *mail_root, struct delivery *delivery, mode_t mode,
          int *fd_out)
{
    const char *slash = *delivery->folder ? "/" : "";
    char *path = NULL;

    for (int i = 0; i < TRIES; i++) {
        talloc_free (path);
        delivery->name = make_name (delivery);
        path = talloc_asprintf (delivery, "%s/%s%stmp/%s", mail_root, delivery->folder, slash,
                                delivery->name);
        *fd_out = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, MODE_OWN);
        if (*fd_out >= 0 || errno != EEXIST)
            break;
    }
    if (*fd_out < 0)
        return failed (cli, "open", path, errno);
    delivery->tmp = path;
    delivery->path = talloc_asprintf (delivery, "%s/%s%snew/%s", mail_root, delivery->folder, slash,
                                      delivery->name);
    fchmod (*fd_out, mode);
    return 0;
}

static bool
write_all (int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write (fd, bytes, length);

        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            bytes += written;
            length -= (size_t) written;
        }
    }
    return true;
}

/* All of stdin; a line that an mbox begins a mail with becomes a header field. *empty_out: there
 * was nothing. */
static bool
copy_stdin (int fd, bool *empty_out, bool *reading_out)
{
    static const char envelope[] = "X-Envelope-From: ";
    char buffer[1 << 16];
    size_t length = 0;
    bool first = true;

    for (*reading_out = true;;) {
        ssize_t got = read (STDIN_FILENO, buffer + length, sizeof buffer - length);
        size_t skip = 0;

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        length += (size_t) got;
        if (first && got > 0 && length < 5) /* "From " may come in pieces */
            continue;
        *reading_out = false;
        if (first && length >= 5 && memcmp (buffer, "From ", 5) == 0) {
            if (!write_all (fd, envelope, sizeof envelope - 1))
                return false;
            skip = 5;
        }
        *empty_out = first && length == 0;
        if (!write_all (fd, buffer + skip, length - skip))
            return false;
        if (got == 0)
            return true;
        first = false;
        length = 0;
        *reading_out = true;
    }
}

static int
fill (const struct cli *cli, const struct delivery *delivery, int fd)
{
    bool empty = true, reading;
    int error = 0;

    if (!copy_stdin (fd, &empty, &reading))
        return failed (cli, reading ? "read" : "write", reading ? "stdin" : delivery->tmp, errno);
    if (empty)
        return report_usage ("there is no mail: the input is empty");
    if (fsync (fd) != 0)
        error = errno;
    return error ? failed (cli, "sync", delivery->tmp, error) : 0;
}

int
deliver_read (void *ctx, const struct cli *cli, const char *mail_root, const char *folder,
              bool world_readable, struct delivery **delivery_out)
{
    struct delivery *delivery = talloc_zero (ctx, struct delivery);
    mode_t mode = world_readable ? MODE_WORLD & ~cli->umask : MODE_OWN;
    int code, fd = -1;

    delivery->folder = talloc_strdup (delivery, folder);
    talloc_set_destructor (delivery, destroy);
    code = make_tmp (cli, mail_root, delivery, mode, &fd);
    if (code == 0)
        code = fill (cli, delivery, fd);
    if (fd >= 0 && close (fd) != 0 && code == 0)
        code = failed (cli, "close", delivery->tmp, errno);
    if (code == 0)
        *delivery_out = delivery;
    else
        talloc_free (delivery);
    return code;
}

int
deliver_finish (const struct cli *cli, struct delivery *delivery)
{
    char *folder = talloc_strndup (delivery, delivery->path,
                                   (size_t) (strrchr (delivery->path, '/') - delivery->path));
    int error;

    if (rename (delivery->tmp, delivery->path) != 0)
        return failed (cli, "rename", delivery->path, errno);
    TALLOC_FREE (delivery->tmp);
    error = sync_folder (folder);
    if (error) {
        unlink (delivery->path);
        return failed (cli, "sync", folder, error);
    }
    delivery->done = true;
    return 0;
}

void
deliver_undo (struct delivery *delivery)
{
    if (delivery->done)
        unlink (delivery->path);
    delivery->done = false;
}
