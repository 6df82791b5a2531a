/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spawner.c - forks workers on demand; they and it end when the sockets to them are closed. */
#include "index/spawner.h"
#include "index/wire.h"
#include "index/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <talloc.h>
#include <unistd.h>

#define DEFAULT_MEMORY ((size_t) 100 << 20)
#define MEMORY_SLACK \
    ((size_t) 400 << 20) /* libraries' own data, and what a large message takes \
                          */

/* Everything but the standard streams and keep. */
static void
close_others (int keep)
{
    syscall (SYS_close_range, 3U, (unsigned) keep - 1, 0);
    syscall (SYS_close_range, (unsigned) keep + 1, ~0U, 0);
}

/* The workers that live; the spawner's own. */
struct children {
    pid_t *pids;
    size_t count;
};

/* Takes note of those that have ended, and so of the processor time they have used. */
static void
reap (struct children *children, int how)
{
    for (size_t i = 0; i < children->count;) {
        if (waitpid (children->pids[i], NULL, how) == 0)
            i++;
        else
            children->pids[i] = children->pids[--children->count];
    }
}

/* payload: scratch NUL text NUL */
static void
start (struct children *children, int worker_socket, const struct wire_header *header,
       const char *payload)
{
    const char *text = payload + strlen (payload) + 1;
    pid_t pid = fork ();
    if (pid > 0) {
        children->pids = talloc_realloc (NULL, children->pids, pid_t, children->count + 1);
        children->pids[children->count++] = pid;
    }
    if (pid != 0)
        return;
    prctl (PR_SET_NAME, "mail worker");
    close_others (worker_socket);
    worker_run (worker_socket, payload, text, header->number);
}

static void
spawner_run (int fd)
{
    struct wire_header header;
    struct children children = {NULL, 0};
    int fds[WIRE_FILES_MAX];
    size_t fd_count;
    close_others (fd);
    signal (SIGCHLD, SIG_DFL);
    signal (SIGINT, SIG_IGN);
    signal (SIGTERM, SIG_IGN);
    signal (SIGQUIT, SIG_IGN);
    signal (SIGHUP, SIG_IGN);
    prctl (PR_SET_NAME, "mail spawner");
    for (;;) {
        char *payload;
        if (!wire_receive (NULL, fd, &header, &payload, fds, &fd_count))
            break;
        reap (&children, WNOHANG);
        if (header.type == WIRE_SPAWN && fd_count == 1)
            start (&children, fds[0], &header, payload);
        for (size_t i = 0; i < fd_count; i++)
            close (fds[i]);
        talloc_free (payload);
    }
    for (size_t i = 0; i < children.count; i++)
        kill (children.pids[i], SIGKILL);
    reap (&children, 0);
    _exit (0);
}

static int
workers_destroy (struct mail_workers *workers)
{
    close (workers->spawner);
    while (waitpid (workers->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    return 0;
}

enum mail_status
mail_workers_start (void *ctx, unsigned count, size_t memory, struct mail_workers **workers_out)
{
    int pair[2];
    if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return MAIL_ERROR_IO;
    pid_t pid = fork ();
    if (pid == 0)
        spawner_run (pair[1]);
    close (pair[1]);
    if (pid < 0) {
        close (pair[0]);
        return MAIL_ERROR_IO;
    }
    struct mail_workers *workers = talloc (ctx, struct mail_workers);
    long cores = sysconf (_SC_NPROCESSORS_ONLN);
    workers->spawner = pair[0];
    workers->pid = pid;
    workers->count = count ? count : cores > 0 ? (unsigned) cores : 1;
    workers->memory = (memory ? memory : DEFAULT_MEMORY) + MEMORY_SLACK;
    talloc_set_destructor (workers, workers_destroy);
    *workers_out = workers;
    return MAIL_OK;
}

int
spawner_start_worker (struct mail_workers *workers, const char *scratch, const char *text)
{
    int pair[2];
    if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return -1;
    size_t scratch_length = strlen (scratch) + 1, text_length = strlen (text) + 1;
    char *payload = talloc_size (NULL, scratch_length + text_length);
    memcpy (payload, scratch, scratch_length);
    memcpy (payload + scratch_length, text, text_length);
    bool sent = wire_send (workers->spawner, WIRE_SPAWN, workers->memory, payload,
                           scratch_length + text_length, &pair[1], 1);
    talloc_free (payload);
    close (pair[1]);
    if (!sent) {
        close (pair[0]);
        errno = ECHILD;
        return -1;
    }
    return pair[0];
}
