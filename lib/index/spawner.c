/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spawner.c - forks workers on demand; they and it end when the sockets to them are closed.
 *
 * A worker has a second socket, at the other end of which there is nobody at first. When it says
 * something there, it has met encrypted mail that may be decrypted, and an opener is forked to
 * listen to it: outside of the sandbox, with what the user's environment has for gpg.
 */
#include "index/spawner.h"
#include "files.h"
#include "index/opener.h"
#include "index/wire.h"
#include "index/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <poll.h>
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

/* Everything but the standard streams and these two, of which the second may be -1. */
static void
close_others (int keep, int too)
{
    unsigned first = (unsigned) MIN (keep, too), second = (unsigned) MAX (keep, too);
    if (too < 0)
        first = second;
    syscall (SYS_close_range, 3U, first - 1, 0);
    if (first + 1 < second)
        syscall (SYS_close_range, first + 1, second - 1, 0);
    syscall (SYS_close_range, second + 1, ~0U, 0);
}

/* The processes that live; the spawner's own. */
struct child {
    pid_t pid;
    int unanswered; /* of a worker that has no opener yet: the socket to it; else -1 */
    bool is_opener;
    struct opener opener;
};
struct children {
    struct child *list;
    size_t count;
};

static struct child *
add_child (struct children *children, pid_t pid)
{
    children->list = talloc_realloc (NULL, children->list, struct child, children->count + 1);
    children->list[children->count] = (struct child){.pid = pid, .unanswered = -1};
    return &children->list[children->count++];
}

/* Takes note of those that have ended, and so of the processor time they have used. */
static void
reap (struct children *children, int how)
{
    for (size_t i = 0; i < children->count;) {
        if (waitpid (children->list[i].pid, NULL, how) == 0) {
            i++;
            continue;
        }
        if (children->list[i].unanswered >= 0)
            close (children->list[i].unanswered);
        children->list[i] = children->list[--children->count];
    }
}

static void
start (struct children *children, int worker_socket, const char *payload)
{
    struct wire_spawn spawn;
    memcpy (&spawn, payload, sizeof spawn);
    const char *scratch = payload + sizeof spawn, *text = scratch + strlen (scratch) + 1;
    int pair[2] = {-1, -1};
    /* without it all mail stays as it is, which is no reason not to read it */
    if (spawn.decrypt != MAIL_DECRYPT_FALSE &&
        socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        pair[0] = pair[1] = -1;
    pid_t pid = fork ();
    if (pid == 0) {
        prctl (PR_SET_NAME, "mail worker");
        close_others (worker_socket, pair[1]);
        worker_run (worker_socket, pair[1], scratch, text, spawn.memory);
    }
    if (pair[1] >= 0)
        close (pair[1]);
    if (pid < 0) {
        if (pair[0] >= 0)
            close (pair[0]);
        return;
    }
    struct child *child = add_child (children, pid);
    child->unanswered = pair[0];
    child->opener = (struct opener){
        .secret_keys = crypto_has_secret_keys (spawn.decrypt),
        .seconds = spawn.seconds,
    };
}

/* The worker says something on its second socket, or has gone. */
static void
answer (struct children *children, size_t at)
{
    struct child worker = children->list[at];
    children->list[at].unanswered = -1;
    pid_t pid = fork ();
    if (pid == 0) {
        close_others (worker.unanswered, -1);
        opener_serve (worker.unanswered, worker.opener);
    }
    close (worker.unanswered);
    if (pid > 0)
        add_child (children, pid)->is_opener = true;
}

/* Waits until there is an order to receive, and answers workers meanwhile. */
static void
await_order (int fd, struct children *children)
{
    for (;;) {
        struct pollfd *polls = talloc_array (NULL, struct pollfd, children->count + 1);
        size_t count = children->count;
        for (size_t i = 0; i < count; i++)
            polls[i] = (struct pollfd){.fd = children->list[i].unanswered, .events = POLLIN};
        polls[count] = (struct pollfd){.fd = fd, .events = POLLIN};
        bool good = poll (polls, count + 1, -1) > 0, order = !good || polls[count].revents;
        if (!good && errno == EINTR)
            order = false;
        for (size_t i = 0; good && i < count; i++) {
            if (polls[i].revents == POLLIN)
                answer (children, i);
            else if (polls[i].revents) { /* it has gone */
                close (children->list[i].unanswered);
                children->list[i].unanswered = -1;
            }
        }
        talloc_free (polls);
        if (order)
            return;
    }
}

static void
spawner_run (int fd)
{
    struct wire_header header;
    struct children children = {NULL, 0};
    int fds[WIRE_FILES_MAX];
    size_t fd_count;
    close_others (fd, -1);
    signal (SIGCHLD, SIG_DFL);
    signal (SIGINT, SIG_IGN);
    signal (SIGTERM, SIG_IGN);
    signal (SIGQUIT, SIG_IGN);
    signal (SIGHUP, SIG_IGN);
    prctl (PR_SET_NAME, "mail spawner");
    for (;;) {
        char *payload;
        await_order (fd, &children);
        if (!wire_receive (NULL, fd, &header, &payload, fds, &fd_count))
            break;
        reap (&children, WNOHANG);
        if (header.type == WIRE_SPAWN && fd_count == 1)
            start (&children, fds[0], payload);
        for (size_t i = 0; i < fd_count; i++)
            close (fds[i]);
        talloc_free (payload);
    }
    /* openers end by themselves, and what they have started with them */
    for (size_t i = 0; i < children.count; i++) {
        if (!children.list[i].is_opener)
            kill (children.list[i].pid, SIGKILL);
        if (children.list[i].unanswered >= 0)
            close (children.list[i].unanswered);
        children.list[i].unanswered = -1;
    }
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
        return files_status (errno);
    pid_t pid = fork ();
    int error = errno;
    if (pid == 0)
        spawner_run (pair[1]);
    close (pair[1]);
    if (pid < 0) {
        close (pair[0]);
        return files_status (error);
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
spawner_start_worker (struct mail_workers *workers, const char *scratch, const char *text,
                      struct decrypt_policy policy)
{
    int pair[2];
    if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return -1;
    struct wire_spawn spawn = {workers->memory, policy.decrypt, policy.seconds};
    size_t scratch_length = strlen (scratch) + 1, text_length = strlen (text) + 1;
    size_t length = sizeof spawn + scratch_length + text_length;
    char *payload = talloc_size (NULL, length);
    memcpy (payload, &spawn, sizeof spawn);
    memcpy (payload + sizeof spawn, scratch, scratch_length);
    memcpy (payload + sizeof spawn + scratch_length, text, text_length);
    bool sent = wire_send (workers->spawner, WIRE_SPAWN, 0, payload, length, &pair[1], 1);
    talloc_free (payload);
    close (pair[1]);
    int error = errno;
    if (!sent) {
        close (pair[0]);
        errno = error == EPIPE || error == ECONNRESET ? ECHILD : error;
        return -1;
    }
    return pair[0];
}
