/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * overtake.c - loaded before the C library (LD_PRELOAD), runs a command before a read of the index.
 *
 * OVERTAKE_INDEX   the index folder; what is opened for reading or read in its state/ or text/
 *                  (but not in text/tmp/) while nobody has its lock is a read
 * OVERTAKE_COUNT   a file of 8 bytes or more, shared by all processes of a run: the number of reads
 * OVERTAKE_AT      the read, from 1, before which the command is run; 0 or unset: reads are counted
 * OVERTAKE_TIMES   before how many following reads, from that one on, it is run; unset: 1
 * OVERTAKE_RUN     the command, for the shell
 *
 * So a commit comes in between at a place that is chosen, not at one that happens. While the lock
 * is taken nobody can commit: those reads are none.
 */
#include "preload.h"

#include <sys/wait.h>

static const char *folder, *command;
static uint64_t first, times;
static _Atomic uint64_t *reads;
static bool running;

__attribute__ ((constructor)) static void
start (void)
{
    folder = getenv ("OVERTAKE_INDEX");
    command = getenv ("OVERTAKE_RUN");
    first = number_of ("OVERTAKE_AT", 0);
    times = number_of ("OVERTAKE_TIMES", 1);
    reads = folder && command ? shared_number ("OVERTAKE_COUNT") : NULL;
}

static bool
is_locked (void)
{
    char path[4096];
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    snprintf (path, sizeof path, "%s/lock", folder);
    int fd = (int) syscall (SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    bool locked = fd >= 0 && fcntl (fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
    if (fd >= 0)
        close (fd);
    return locked;
}

static bool
is_of_index (const char *path)
{
    size_t length = strlen (folder);
    if (strncmp (path, folder, length) != 0)
        return false;
    path += length;
    return strncmp (path, "/state/", 7) == 0 ||
           (strncmp (path, "/text/", 6) == 0 && strncmp (path, "/text/tmp/", 10) != 0);
}

static void
run (void)
{
    running = true;
    pid_t pid = fork ();
    if (pid == 0) {
        unsetenv ("LD_PRELOAD");
        execl ("/bin/sh", "sh", "-c", command, (char *) NULL);
        _exit (127);
    }
    while (pid > 0 && waitpid (pid, NULL, 0) < 0 && errno == EINTR)
        ;
    running = false;
}

static void
before_path (const char *path)
{
    int saved = errno;
    if (reads && !running && path && is_of_index (path) && !is_locked ()) {
        uint64_t now = atomic_fetch_add (reads, 1) + 1;
        if (first && first <= now && now < first + times)
            run ();
    }
    errno = saved;
}

static void
before_read (int fd)
{
    char path[4096];
    if (!reads || running)
        return;
    int saved = errno;
    bool known = fd_path (fd, path, sizeof path);
    errno = saved;
    if (known)
        before_path (path);
}

#define WRAP_READ(name, parameters, arguments) \
    ssize_t name parameters; \
    ssize_t name parameters \
    { \
        NEXT (ssize_t, #name, parameters); \
        before_read (fd); \
        return next arguments; \
    }

WRAP_READ (read, (int fd, void *p, size_t n), (fd, p, n))
WRAP_READ (pread, (int fd, void *p, size_t n, off_t o), (fd, p, n, o))
WRAP_READ (pread64, (int fd, void *p, size_t n, off64_t o), (fd, p, n, o))

#define WRAP_OPEN(name) \
    int name (const char *path, int flags, ...) \
    { \
        NEXT (int, #name, (const char *, int, ...)); \
        READ_MODE (mode, flags); \
        if ((flags & O_ACCMODE) == O_RDONLY) \
            before_path (path); \
        return next (path, flags, mode); \
    }

WRAP_OPEN (open)
WRAP_OPEN (open64)
