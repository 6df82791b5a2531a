/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * output.c - buffering of stdout, and its errors.
 *
 * Work expected: up to a million short lines, mostly into a pipe. A reader that shows the first
 * lines (a pager, an editor) should have them at once, so the first result is flushed by itself and
 * later ones at most every tenth of a second.
 */
#include "output.h"
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BUFFER_SIZE (256 << 10)
#define FLUSH_MS 100

static char buffer[BUFFER_SIZE];
static int write_error; /* errno of the first failure */

/* A database must not be opened under the number of a standard stream. What stands in for stdout
 * and stderr cannot be written, so that the loss is noticed. */
static void
reserve_descriptors (void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl (fd, F_GETFD) < 0 && errno == EBADF)
            (void) !open ("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

void
output_init (void)
{
    reserve_descriptors ();
    signal (SIGPIPE, SIG_IGN);
    setvbuf (stdout, buffer, _IOFBF, sizeof buffer);
}

static int64_t
now_ms (void)
{
    struct timespec ts;

    clock_gettime (CLOCK_MONOTONIC_COARSE, &ts);
    return (int64_t) ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void
flush (void)
{
    errno = 0;
    if (fflush (stdout) != 0 && write_error == 0)
        write_error = errno ? errno : EIO;
}

void
output_result (void)
{
    static int64_t flushed;
    int64_t now = now_ms ();

    if (flushed != 0 && now - flushed < FLUSH_MS)
        return;
    flush ();
    flushed = now;
}

void
output_write (FILE *file, const char *bytes, size_t length)
{
    errno = 0;
    if (fwrite (bytes, 1, length, file) < length && write_error == 0 && file == stdout)
        write_error = errno ? errno : EIO;
}

bool
output_broken (void)
{
    return write_error != 0 || ferror (stdout);
}

/* stdio does not keep the reason of a failure: what is wrong with stdout now. */
static int
ask_again (void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

    if (poll (&out, 1, 0) == 1 && out.revents & POLLERR)
        return EPIPE;
    return write (STDOUT_FILENO, "", 0) < 0 ? errno : EIO;
}

int
output_exit_code (int error)
{
    return error == ENOSPC || error == EDQUOT ? EXIT_AGAIN : 1;
}

int
output_finish (const char *program, int code)
{
    bool had_error = ferror (stdout);

    flush ();
    if (had_error && write_error == 0)
        write_error = ask_again ();
    if (close (STDOUT_FILENO) != 0 && write_error == 0)
        write_error = errno;
    if (write_error != 0 && write_error != EPIPE)
        fprintf (stderr, "%s: cannot write to the standard output: %s\n", program,
                 strerror (write_error));
    if (write_error == 0 || code != 0)
        return code;
    return output_exit_code (write_error);
}
