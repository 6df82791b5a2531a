/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * opener.c - gpg at arm's length: in a process of its own, which is killed with all it has started
 * when it takes too long.
 *
 * What comes from the asker is as little to be trusted as mail is: ciphertext, and the session key
 * that it says is right. What it gets is what gpg makes of these. Whether the user's secret keys
 * may be used is decided by whoever started the opener.
 */
#include "index/opener.h"
#include "clock.h"
#include "index/wire.h"
#include "mime/mime.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <talloc.h>
#include <unistd.h>

enum { FLAG_SIGNED = 1, FLAG_EXPORT = 2 };

/* ---- questions and answers ---- */

/* payload: protocol NUL session key NUL */
static bool
send_request (int fd, const struct crypto_request *request, int input)
{
    const char *key = request->session_key ? request->session_key : "";
    size_t first = strlen (request->protocol) + 1, second = strlen (key) + 1;
    uint64_t flags =
        (request->is_signed ? FLAG_SIGNED : 0) | (request->export_key ? FLAG_EXPORT : 0);
    char *payload = talloc_size (NULL, first + second);
    memcpy (payload, request->protocol, first);
    memcpy (payload + first, key, second);
    bool sent = wire_send (fd, WIRE_OPEN, flags, payload, first + second, &input, 1);
    talloc_free (payload);
    return sent;
}

static bool
read_request (const struct wire_header *header, const char *payload,
              struct crypto_request *request_out)
{
    size_t first = strlen (payload) + 1;
    if (header->type != WIRE_OPEN || first >= header->length)
        return false;
    *request_out = (struct crypto_request){
        .protocol = payload,
        .is_signed = (header->number & FLAG_SIGNED) != 0,
        .export_key = (header->number & FLAG_EXPORT) != 0,
    };
    if (payload[first] != '\0')
        request_out->session_key = payload + first;
    return true;
}

/* With the file of cleartext; payload: session key, or what went wrong. */
static bool
send_result (int fd, const struct crypto_result *result)
{
    bool opened = result->clear >= 0;
    const char *text = opened ? result->session_key : result->error;
    size_t length = text ? strlen (text) : 0;
    return wire_send (fd, WIRE_OPENED, opened, text, length, &result->clear, opened ? 1 : 0);
}

static bool
receive_result (void *ctx, int fd, struct crypto_result *result_out)
{
    struct wire_header header;
    int fds[WIRE_FILES_MAX];
    size_t count = 0;
    char *payload = NULL;
    *result_out = (struct crypto_result){.clear = -1};
    bool good = wire_receive (ctx, fd, &header, &payload, fds, &count) &&
                header.type == WIRE_OPENED && count == (header.number ? 1 : 0);
    for (size_t i = good ? 1 : 0; i < count; i++)
        close (fds[i]);
    if (!good)
        result_out->error = talloc_strdup (ctx, "nobody is there to decrypt it");
    else if (count == 0)
        result_out->error = payload;
    else
        result_out->clear = fds[0];
    if (good && count == 1 && header.length > 0)
        result_out->session_key = payload;
    return good && count == 1;
}

bool
opener_ask (int fd, void *ctx, const struct crypto_request *request, int input,
            struct crypto_result *result_out)
{
    *result_out = (struct crypto_result){.clear = -1};
    if (fd < 0 || !send_request (fd, request, input)) {
        result_out->error = talloc_strdup (ctx, "nobody is there to decrypt it");
        return false;
    }
    return receive_result (ctx, fd, result_out);
}

/* ---- one part ---- */

/* The process that has gpg do it: head of a process group, so that gpg goes with it; and with the
 * usual signals, which gpg inherits. */
static void __attribute__ ((noreturn))
run_child (int fd, const struct crypto_request *request, int input)
{
    static const int usual[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGPIPE, SIGTSTP, SIGCHLD};
    struct crypto_result result;
    sigset_t none;
    int null = open ("/dev/null", O_RDWR);
    setpgid (0, 0);
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    prctl (PR_SET_NAME, "mail opener");
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        signal (usual[i], SIG_DFL);
    sigemptyset (&none);
    sigprocmask (SIG_SETMASK, &none, NULL);
    for (int i = 0; null >= 0 && i < 2; i++)
        dup2 (null, i);
    crypto_open (NULL, request, input, &result);
    send_result (fd, &result);
    _exit (0);
}

/* Whether there is something to receive from fd before the time is up. */
static bool
await (int fd, int watched, unsigned seconds, bool *late_out)
{
    uint64_t end = clock_ms () + seconds * 1000ULL, now;
    *late_out = false;
    while ((now = clock_ms ()) < end) {
        struct pollfd polls[2] = {{.fd = fd, .events = POLLIN}, {.fd = watched}};
        int count = poll (polls, 2, (int) (end - now));
        if (count < 0 && errno != EINTR)
            return false;
        if (count > 0 && polls[0].revents)
            return true;
        if (count > 0) /* whoever asked has gone */
            return false;
    }
    *late_out = true;
    return false;
}

static bool
refuse (void *ctx, struct crypto_result *result_out, const char *why)
{
    *result_out = (struct crypto_result){.clear = -1, .error = talloc_strdup (ctx, why)};
    return false;
}

static bool
await_result (struct opener *opener, int watched, void *ctx, const struct crypto_request *request,
              int fd, struct crypto_result *result_out)
{
    bool late;
    if (await (fd, watched, opener->seconds, &late))
        return receive_result (ctx, fd, result_out);
    opener->given_up |= late && !request->session_key;
    return refuse (ctx, result_out, "gpg does not answer");
}

bool
opener_open (struct opener *opener, int watched, void *ctx, const struct crypto_request *request,
             int input, struct crypto_result *result_out)
{
    int pair[2];
    if (!request->session_key && !opener->secret_keys)
        return refuse (ctx, result_out, "secret keys are not to be used");
    if (!request->session_key && opener->given_up)
        return refuse (ctx, result_out, "gpg has not answered before");
    if (!crypto_knows (request->protocol) ||
        socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return refuse (ctx, result_out, "it cannot be decrypted here");
    pid_t pid = fork ();
    if (pid == 0) {
        close (pair[0]);
        run_child (pair[1], request, input);
    }
    close (pair[1]);
    bool opened = pid > 0 ? await_result (opener, watched, ctx, request, pair[0], result_out)
                          : refuse (ctx, result_out, strerror (errno));
    close (pair[0]);
    if (pid > 0) {
        setpgid (pid, pid); /* it may not have come so far */
        kill (-pid, SIGKILL);
        while (waitpid (pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    return opened;
}

/* ---- the process ---- */

static void
serve_one (int fd, struct opener *opener, const struct wire_header *header, const char *payload,
           const int *fds, size_t count)
{
    void *local = talloc_new (NULL);
    struct crypto_request request;
    struct crypto_result result;
    if (count != 1 || !read_request (header, payload, &request) || request.is_signed)
        refuse (local, &result, "this is no question");
    else
        opener_open (opener, fd, local, &request, fds[0], &result);
    send_result (fd, &result);
    if (result.clear >= 0)
        close (result.clear);
    talloc_free (local);
}

void
opener_serve (int fd, struct opener opener)
{
    struct wire_header header;
    int fds[WIRE_FILES_MAX];
    size_t count;
    char *payload;
    prctl (PR_SET_NAME, "mail opener");
    mime_init ();
    while (wire_receive (NULL, fd, &header, &payload, fds, &count)) {
        serve_one (fd, &opener, &header, payload, fds, count);
        for (size_t i = 0; i < count; i++)
            close (fds[i]);
        talloc_free (payload);
    }
    _exit (0);
}
