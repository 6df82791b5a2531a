/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gzip.c - zlib behind stdio, so that who reads and writes lines need not know. */
#include "gzip.h"

#include <errno.h>
#include <unistd.h>
#include <zlib.h>

/* The errno of what went wrong. */
static int
error_of (gzFile file)
{
    int code;

    gzerror (file, &code);
    return code == Z_ERRNO ? errno : EBADMSG;
}

static ssize_t
read_some (void *cookie, char *buffer, size_t size)
{
    int got = gzread (cookie, buffer, size > 1 << 20 ? 1 << 20 : (unsigned) size), code;

    gzerror (cookie, &code);
    if (got >= 0 && code != Z_BUF_ERROR) /* which is an early end */
        return got;
    errno = error_of (cookie);
    return -1;
}

static ssize_t
write_some (void *cookie, const char *buffer, size_t size)
{
    int written = gzwrite (cookie, buffer, size > 1 << 20 ? 1 << 20 : (unsigned) size);

    if (written > 0)
        return written;
    errno = error_of (cookie);
    return 0;
}

static int
close_file (void *cookie)
{
    int code = gzclose (cookie);

    if (code == Z_OK || code == Z_BUF_ERROR)
        return 0;
    if (code != Z_ERRNO)
        errno = EBADMSG;
    return -1;
}

static FILE *
open_with (int fd, const char *mode)
{
    const cookie_io_functions_t functions = {
        .read = read_some, .write = write_some, .close = close_file};
    gzFile file = gzdopen (fd, mode);
    FILE *stream = file ? fopencookie (file, mode, functions) : NULL;

    if (!stream)
        close (fd);
    return stream;
}

FILE *
gzip_read (int fd)
{
    return open_with (fd, "r");
}

FILE *
gzip_write (int fd)
{
    return open_with (fd, "w");
}
