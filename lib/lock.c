/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lock.c - waiting for the right to change state, with a limit and a name to blame. */
#include "lock.h"
#include "clock.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <talloc.h>
#include <time.h>
#include <unistd.h>

#define POLL_MS 10

struct lock {
    int turnstile; /* descriptors; -1 when not held */
    int lock;
};

static int
lock_destroy (struct lock *lock)
{
    if (lock->lock >= 0)
        close (lock->lock);
    if (lock->turnstile >= 0)
        close (lock->turnstile);
    return 0;
}

static bool
try_lock (int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl (fd, F_OFD_SETLK, &whole) == 0;
}

/* Polls until the deadline; Xapian's own wait, and F_OFD_SETLKW, cannot be timed. */
static bool
wait_for (int fd, uint64_t deadline)
{
    while (!try_lock (fd)) {
        if (clock_ms () >= deadline)
            return false;
        g_usleep (POLL_MS * 1000);
    }
    return true;
}

/* Field 22 of /proc/PID/stat: when the process began, in ticks since boot. */
static uint64_t
process_start (const char *pid)
{
    char path[64], text[1024];
    uint64_t start = 0;
    snprintf (path, sizeof path, "/proc/%s/stat", pid);
    FILE *file = fopen (path, "r");
    if (!file)
        return 0;
    size_t length = fread (text, 1, sizeof text - 1, file);
    fclose (file);
    text[length] = '\0';
    char *after_name = strrchr (text, ')');
    if (after_name)
        sscanf (after_name + 1,
                " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d "
                "%" SCNu64,
                &start);
    return start;
}

/* lock.holder: PID START UNIXTIME COMMAND. A help for people, so failures do not matter. */
static void
write_holder (const char *folder, const char *command)
{
    char *path = talloc_asprintf (NULL, "%s/lock.holder", folder);
    int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0) {
        dprintf (fd, "%ld %" PRIu64 " %lld %s\n", (long) getpid (), process_start ("self"),
                 (long long) time (NULL), command);
        close (fd);
    }
    talloc_free (path);
}

static char *
describe_holder (void *ctx, const char *folder)
{
    char line[512] = "", command[400] = "";
    long pid = 0;
    uint64_t start = 0;
    long long since = 0;
    char *path = talloc_asprintf (NULL, "%s/lock.holder", folder);
    FILE *file = fopen (path, "r");
    if (file) {
        if (!fgets (line, sizeof line, file))
            line[0] = '\0';
        fclose (file);
    }
    talloc_free (path);
    if (sscanf (line, "%ld %" SCNu64 " %lld %399[^\n]", &pid, &start, &since, command) < 3)
        return talloc_strdup (ctx, "another program is changing the index");
    return talloc_asprintf (ctx, "'%s' (process %ld) has been changing the index for %lld seconds",
                            command, pid, (long long) time (NULL) - since);
}

static int
open_lock_file (const char *folder, const char *name)
{
    char *path = talloc_asprintf (NULL, "%s/%s", folder, name);
    int fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    int saved = errno;
    talloc_free (path);
    errno = saved;
    return fd;
}

enum mail_status
lock_acquire (void *ctx, const char *folder, int timeout, const char *command,
              struct lock **lock_out, uint64_t *waited_ms, char **error_out)
{
    enum mail_status status = MAIL_OK;
    uint64_t start = clock_ms (), deadline = start + (uint64_t) timeout * 1000;
    struct lock *lock = talloc (ctx, struct lock);
    *lock = (struct lock){-1, -1};
    talloc_set_destructor (lock, lock_destroy);

    lock->turnstile = open_lock_file (folder, "turnstile");
    if (lock->turnstile >= 0)
        lock->lock = open_lock_file (folder, "lock");
    if (lock->turnstile < 0 || lock->lock < 0) {
        status = files_status (errno);
        *error_out = talloc_asprintf (ctx, "cannot lock '%s': %s", folder, strerror (errno));
    } else if (!wait_for (lock->turnstile, deadline) || !wait_for (lock->lock, deadline)) {
        status = MAIL_ERROR_LOCKED;
        *error_out = describe_holder (ctx, folder);
    }
    *waited_ms += clock_ms () - start;
    if (status != MAIL_OK) {
        talloc_free (lock);
        return status;
    }
    write_holder (folder, command);
    *lock_out = lock;
    return MAIL_OK;
}

void
lock_let_next_wait (struct lock *lock)
{
    if (lock->turnstile >= 0)
        close (lock->turnstile);
    lock->turnstile = -1;
}

enum mail_status
lock_file_try (const char *path, int *fd_out)
{
    int fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return files_status (errno);
    if (!try_lock (fd)) {
        close (fd);
        return MAIL_ERROR_LOCKED;
    }
    *fd_out = fd;
    return MAIL_OK;
}

enum mail_status
lock_file_wait (const char *path, int timeout, int *fd_out)
{
    uint64_t end = clock_ms () + (uint64_t) timeout * 1000;
    enum mail_status status = lock_file_try (path, fd_out);
    while (status == MAIL_ERROR_LOCKED && clock_ms () < end) {
        g_usleep (POLL_MS * 1000);
        status = lock_file_try (path, fd_out);
    }
    return status;
}
