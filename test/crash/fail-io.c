/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fail-io.c - loaded before the C library (LD_PRELOAD), makes calls that write below a path fail.
 *
 * FAIL_PATH   a piece of path: only files and folders whose absolute path has it are concerned
 * FAIL_COUNT  a file of 8 bytes or more, shared by all processes of a run: the number of such calls
 * FAIL_FROM   the call, from 1, from which on all of them fail; 0 or unset: none, calls are counted
 * FAIL_ERRNO  the error given (a number)
 * FAIL_READ   set: opening for reading and listing folders fail as well
 * FAIL_STOP   set: the call does not fail but never comes back, nor does any after it, of any
 * process: "before" it is made, or, "torn", when half of what it writes is written. Whoever runs
 * this ends the processes then. Files that are removed are calls then, too.
 *
 * A descriptor's path is read from /proc/self/fd at each call, which is slow and always right, also
 * in forked workers that were sent their descriptors.
 */
#include "preload.h"

#include <poll.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

static const char *fail_path;
static uint64_t fail_from;
static int fail_errno;
static bool fail_read;
static bool fail_stop, fail_torn;
static _Atomic uint64_t *calls;

__attribute__ ((constructor)) static void
start (void)
{
    const char *stop = getenv ("FAIL_STOP");
    fail_path = getenv ("FAIL_PATH");
    fail_from = number_of ("FAIL_FROM", 0);
    fail_errno = (int) number_of ("FAIL_ERRNO", ENOSPC);
    fail_read = getenv ("FAIL_READ") != NULL;
    fail_stop = stop != NULL;
    fail_torn = stop && strcmp (stop, "torn") == 0;
    calls = fail_path ? shared_number ("FAIL_COUNT") : NULL;
}

/* A sandboxed worker may kill nobody. */
static void
stop_here (void)
{
    for (;;)
        poll (NULL, 0, 1000);
}

/* Counts the call and says whether it is to fail. */
static bool
due (void)
{
    if (!calls)
        return false;
    uint64_t number = atomic_fetch_add (calls, 1) + 1;
    if (!fail_from || number < fail_from)
        return false;
    if (fail_stop && !fail_torn)
        stop_here ();
    errno = fail_errno;
    return true;
}

static bool
concerned (const char *path)
{
    return calls && path && strstr (path, fail_path) != NULL;
}

static bool
fd_fails (int fd)
{
    char path[8192];
    int saved = errno;
    bool ours = calls && fd_path (fd, path, sizeof path) && concerned (path);
    errno = saved;
    return ours && due ();
}

/* A path relative to dir, or to the working folder. */
static bool
path_fails (int dir, const char *path)
{
    char base[8192];
    int saved = errno;
    bool ours = concerned (path);
    if (calls && !ours && path && path[0] != '/' && dir != AT_FDCWD &&
        fd_path (dir, base, sizeof base - 2)) {
        strcat (base, "/");
        ours = concerned (base);
    }
    errno = saved;
    return ours && due ();
}

/* After a call that is due to be torn has been made in part, or for one that has no parts. */
static bool
fails (bool is_due)
{
    if (is_due && fail_stop)
        stop_here ();
    return is_due;
}

#define WRAP_FD(type, name, parameters, fd, arguments) \
    type name parameters; \
    type name parameters \
    { \
        NEXT (type, #name, parameters); \
        return fails (fd_fails (fd)) ? -1 : next arguments; \
    }

#define WRAP_PATH(type, name, parameters, dir, path, arguments) \
    type name parameters; \
    type name parameters \
    { \
        NEXT (type, #name, parameters); \
        return fails (path_fails (dir, path)) ? -1 : next arguments; \
    }

/* n: of the bytes; half: the arguments with n / 2 for it. */
#define WRAP_WRITE(name, parameters, fd, n, half, arguments) \
    ssize_t name parameters; \
    ssize_t name parameters \
    { \
        NEXT (ssize_t, #name, parameters); \
        bool is_due = fd_fails (fd); \
        if (is_due && fail_torn && n > 1) \
            next half; \
        return fails (is_due) ? -1 : next arguments; \
    }

WRAP_WRITE (write, (int fd, const void *p, size_t n), fd, n, (fd, p, n / 2), (fd, p, n))
WRAP_WRITE (pwrite, (int fd, const void *p, size_t n, off_t o), fd, n, (fd, p, n / 2, o),
            (fd, p, n, o))
WRAP_WRITE (pwrite64, (int fd, const void *p, size_t n, off64_t o), fd, n, (fd, p, n / 2, o),
            (fd, p, n, o))
WRAP_FD (ssize_t, writev, (int fd, const struct iovec *v, int n), fd, (fd, v, n))
WRAP_FD (ssize_t, pwritev, (int fd, const struct iovec *v, int n, off_t o), fd, (fd, v, n, o))
WRAP_FD (ssize_t, pwritev64, (int fd, const struct iovec *v, int n, off64_t o), fd, (fd, v, n, o))
WRAP_FD (int, ftruncate, (int fd, off_t n), fd, (fd, n))
WRAP_FD (int, ftruncate64, (int fd, off64_t n), fd, (fd, n))
WRAP_FD (int, fsync, (int fd), fd, (fd))
WRAP_FD (int, fdatasync, (int fd), fd, (fd))
WRAP_PATH (int, mkdir, (const char *p, mode_t m), AT_FDCWD, p, (p, m))
WRAP_PATH (int, mkdirat, (int d, const char *p, mode_t m), d, p, (d, p, m))
WRAP_PATH (int, rename, (const char *a, const char *b), AT_FDCWD, b, (a, b))
WRAP_PATH (int, renameat, (int c, const char *a, int d, const char *b), d, b, (c, a, d, b))
WRAP_PATH (int, renameat2, (int c, const char *a, int d, const char *b, unsigned f), d, b,
           (c, a, d, b, f))

WRAP_PATH (int, linkat, (int c, const char *a, int d, const char *b, int f), d, b, (c, a, d, b, f))

#define WRAP_REMOVE(name, parameters, dir, path, arguments) \
    int name parameters; \
    int name parameters \
    { \
        NEXT (int, #name, parameters); \
        return fail_stop && fails (path_fails (dir, path)) ? -1 : next arguments; \
    }

WRAP_REMOVE (unlink, (const char *p), AT_FDCWD, p, (p))
WRAP_REMOVE (unlinkat, (int d, const char *p, int f), d, p, (d, p, f))
WRAP_REMOVE (rmdir, (const char *p), AT_FDCWD, p, (p))
WRAP_REMOVE (remove, (const char *p), AT_FDCWD, p, (p))

/* posix_fallocate returns the error. */
int
posix_fallocate (int fd, off_t offset, off_t length)
{
    NEXT (int, "posix_fallocate", (int, off_t, off_t));
    return fails (fd_fails (fd)) ? fail_errno : next (fd, offset, length);
}

static bool
open_fails (int dir, const char *path, int flags)
{
    bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT);
    return (writes || fail_read) && path_fails (dir, path);
}

#define WRAP_OPEN(name) \
    int name (const char *path, int flags, ...) \
    { \
        NEXT (int, #name, (const char *, int, ...)); \
        READ_MODE (mode, flags); \
        return fails (open_fails (AT_FDCWD, path, flags)) ? -1 : next (path, flags, mode); \
    }

#define WRAP_OPENAT(name) \
    int name (int dir, const char *path, int flags, ...) \
    { \
        NEXT (int, #name, (int, const char *, int, ...)); \
        READ_MODE (mode, flags); \
        return fails (open_fails (dir, path, flags)) ? -1 : next (dir, path, flags, mode); \
    }

WRAP_OPEN (open)
WRAP_OPEN (open64)
WRAP_OPENAT (openat)
WRAP_OPENAT (openat64)

#define WRAP_FOPEN(name) \
    FILE *name (const char *path, const char *mode) \
    { \
        NEXT (FILE *, #name, (const char *, const char *) ); \
        bool reads = mode[0] == 'r' && !strchr (mode, '+'); \
        return reads && fail_read && fails (path_fails (AT_FDCWD, path)) ? NULL \
                                                                         : next (path, mode); \
    }

WRAP_FOPEN (fopen)
WRAP_FOPEN (fopen64)
