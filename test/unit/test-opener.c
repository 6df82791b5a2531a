/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-opener.c - what an opener does not do, whoever asks. gpg is not run here. */
#include "mime-mail.h"

#include "index/opener.h"
#include "index/wire.h"

#include <sys/socket.h>
#include <sys/wait.h>

struct running {
    int fd;
    pid_t pid;
};

static struct running
start (struct opener opener)
{
    int pair[2];
    struct running running;

    assert_int_equal (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    running.pid = fork ();
    if (running.pid == 0) {
        close (pair[0]);
        opener_serve (pair[1], opener);
    }
    close (pair[1]);
    running.fd = pair[0];
    return running;
}

/* It ends when nobody can ask any more. */
static void
stop (struct running running)
{
    int status;

    close (running.fd);
    assert_int_equal (waitpid (running.pid, &status, 0), running.pid);
    assert_int_equal (status, 0);
}

static void
assert_refused (struct running running, const struct crypto_request *request, const char *why)
{
    void *ctx = talloc_new (NULL);
    struct crypto_result result;
    int input = mail_file ("x", 1);

    assert_false (opener_ask (running.fd, ctx, request, input, &result));
    assert_int_equal (result.clear, -1);
    assert_string_equal (result.error, why);
    close (input);
    talloc_free (ctx);
}

/* The policy is not the asker's affair. */
static void
test_secret_keys (void **state)
{
    struct running running = start ((struct opener){.secret_keys = false, .seconds = 60});

    (void) state;
    assert_refused (running, &(struct crypto_request){.protocol = "application/pgp-encrypted"},
                    "secret keys are not to be used");
    stop (running);
    running = start ((struct opener){.secret_keys = true, .seconds = 60, .given_up = true});
    assert_refused (running, &(struct crypto_request){.protocol = "application/pgp-encrypted"},
                    "gpg has not answered before");
    stop (running);
}

static void
test_nonsense (void **state)
{
    struct running running = start ((struct opener){.secret_keys = true, .seconds = 60});
    struct wire_header header;
    int fds[WIRE_FILES_MAX];
    size_t count;
    char *payload;

    (void) state;
    assert_refused (running, &(struct crypto_request){.protocol = "application/x-odd"},
                    "it cannot be decrypted here");
    assert_refused (
        running, &(struct crypto_request){.protocol = "application/pkcs7-mime", .is_signed = true},
        "this is no question");
    /* no file, no strings */
    assert_true (wire_send (running.fd, WIRE_OPEN, 0, "a\0b", 4, NULL, 0));
    assert_true (wire_receive (NULL, running.fd, &header, &payload, fds, &count));
    assert_int_equal (header.number, 0);
    assert_int_equal (count, 0);
    talloc_free (payload);
    assert_true (wire_send (running.fd, WIRE_OPEN, 0, "a", 1, &running.fd, 1));
    assert_true (wire_receive (NULL, running.fd, &header, &payload, fds, &count));
    assert_string_equal (payload, "this is no question");
    talloc_free (payload);
    /* half a question */
    assert_int_equal (send (running.fd, "\x0b", 1, 0), 1);
    stop (running);
}

static void
test_nobody (void **state)
{
    const struct crypto_request request = {.protocol = "application/pgp-encrypted"};
    struct crypto_result result;

    (void) state;
    assert_false (opener_ask (-1, NULL, &request, 0, &result));
    assert_int_equal (result.clear, -1);
    talloc_free (result.error);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_secret_keys),
        cmocka_unit_test (test_nonsense),
        cmocka_unit_test (test_nobody),
    };

    return cmocka_run_group_tests_name ("opener", tests, NULL, NULL);
}
