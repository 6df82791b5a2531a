/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * worker.c - a worker process.
 *
 * It announces each job before it touches the mail, so that whoever waits for it knows which
 * message took it down. Everything that loads files later (character sets, locale, time zone) is
 * touched once before the sandbox closes.
 */
#include "index/worker.h"
#include "files.h"
#include "index/opener.h"
#include "index/sandbox.h"
#include "index/wire.h"
#include "mime/mime.h"

#include <glib.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <time.h>
#include <unistd.h>

struct worker {
    int fd;
    struct terms *terms;
    struct builder *builder; /* of the segment that is being built, or NULL */
    int opener;
    struct build_unlock unlock;
};

static void
prepare (void)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGPIPE, SIGTSTP};
    for (size_t i = 0; i < G_N_ELEMENTS (ignored); i++)
        signal (ignored[i], SIG_IGN);
    /* whoever started the program may have ignored or blocked what ends a message's time */
    sigset_t none;
    sigemptyset (&none);
    sigprocmask (SIG_SETMASK, &none, NULL);
    signal (SIGPROF, SIG_DFL);
    setlocale (LC_ALL, "");
    tzset ();
    mime_prepare ();
    talloc_free (mime_decode_text (NULL, "=?iso-2022-jp?B?GyRCRnxLXBsoQg==?="));
}

/* A failure of the machine, not of a message: said, and the segment is given up. */
static void
fail (struct worker *worker, enum mail_status status, const char *text)
{
    TALLOC_FREE (worker->builder);
    wire_send (worker->fd, WIRE_FAILED, status, text, strlen (text), NULL, 0);
}

static void
set_fields (struct worker *worker, const char *payload, size_t length)
{
    if (!worker->terms)
        worker->terms = terms_create (NULL, fields_decode (NULL, payload, length));
}

static void
begin_block (struct worker *worker, const char *folder)
{
    char *error = NULL;
    TALLOC_FREE (worker->builder);
    enum mail_status status =
        builder_create (NULL, folder, worker->terms, &worker->unlock, &worker->builder, &error);
    if (status != MAIL_OK)
        fail (worker, status, error ? error : mail_status_text (status));
    talloc_free (error);
}

static void
do_job (struct worker *worker, const struct wire_header *header, const char *payload,
        const int *fds, size_t count)
{
    void *local = talloc_new (NULL);
    size_t length;
    uint32_t docid = (uint32_t) header->number;
    struct build_job job = {docid, fds, count, wire_strings (local, payload, header->length),
                            (header->number & WIRE_JOB_PART) != 0};
    struct parsed_file *files = talloc_zero_array (local, struct parsed_file, count);
    if (worker->builder) {
        wire_send (worker->fd, WIRE_BEGIN, docid, NULL, 0, NULL, 0);
        sandbox_allow_seconds (WORKER_SECONDS);
        enum mail_status status = builder_add (worker->builder, local, &job, files);
        sandbox_allow_seconds (0);
        if (status == MAIL_OK) {
            char *bytes = wire_encode_parsed (local, files, count, &length);
            wire_send (worker->fd, WIRE_PARSED, docid, bytes, length, NULL, 0);
            status = builder_flush (worker->builder);
        }
        if (status != MAIL_OK) {
            char *text = talloc_strdup (local, builder_error (worker->builder));
            fail (worker, status, text);
        }
    }
    for (size_t i = 0; i < count; i++)
        close (fds[i]);
    talloc_free (local);
}

static void
send_segment (struct worker *worker, const struct segment *segment, bool made)
{
    struct wire_segment answer = {made, segment->documents, segment->bytes, {0}};
    memcpy (answer.sha256, segment->sha256, sizeof answer.sha256);
    wire_send (worker->fd, WIRE_SEGMENT, 0, &answer, sizeof answer, NULL, 0);
}

static void
end_block (struct worker *worker, uint64_t range, const char *path)
{
    struct segment segment = {0};
    bool made = false;
    if (!worker->builder)
        return;
    enum mail_status status = builder_finish (worker->builder, path, (uint32_t) (range >> 32),
                                              (uint32_t) range, &segment, &made);
    if (status != MAIL_OK) {
        char *text = talloc_strdup (NULL, builder_error (worker->builder));
        fail (worker, status, text);
        talloc_free (text);
        return;
    }
    TALLOC_FREE (worker->builder);
    send_segment (worker, &segment, made);
}

/* payload: result NUL source NUL source NUL ... */
static void
merge (struct worker *worker, const char *payload, size_t length)
{
    void *local = talloc_new (NULL);
    char *error = NULL;
    struct segment segment = {0};
    const char **sources = NULL;
    size_t count = 0;
    size_t result_length = strlen (payload) + 1;
    if (result_length < length)
        sources = wire_strings (local, payload + result_length, length - result_length);
    while (sources && sources[count])
        count++;
    sandbox_allow_seconds (MERGE_SECONDS);
    enum mail_status status = store_merge (local, sources, count, payload, &error);
    sandbox_allow_seconds (0);
    if (status == MAIL_OK && files_sha256 (payload, segment.sha256, &segment.bytes) != 0)
        status = MAIL_ERROR_IO;
    if (status == MAIL_OK)
        send_segment (worker, &segment, true);
    else
        fail (worker, status, error ? error : mail_status_text (status));
    talloc_free (local);
}

static bool
ask (void *closure, void *ctx, const struct crypto_request *request, int input,
     struct crypto_result *result_out)
{
    return opener_ask (*(int *) closure, ctx, request, input, result_out);
}

static void
answer (struct worker *worker, const struct wire_header *header, const char *payload,
        const int *fds, size_t fd_count)
{
    switch ((enum wire_type) header->type) {
    case WIRE_FIELDS:
        set_fields (worker, payload, header->length);
        worker->unlock.decrypt = (enum mail_decrypt) header->number;
        break;
    case WIRE_BLOCK:
        begin_block (worker, payload);
        break;
    case WIRE_JOB:
        do_job (worker, header, payload, fds, fd_count);
        break;
    case WIRE_END:
        end_block (worker, header->number, payload);
        break;
    case WIRE_MERGE:
        merge (worker, payload, header->length);
        break;
    default:
        break;
    }
}

void
worker_run (int fd, int opener, const char *scratch, const char *text, size_t memory)
{
    struct worker worker = {.fd = fd, .opener = opener};
    struct wire_header header;
    int fds[WIRE_FILES_MAX];
    size_t fd_count;
    worker.unlock = (struct build_unlock){.open = ask, .closure = &worker.opener};
    prepare ();
    umask (0077);
    store_abort_without_memory ();
    sandbox_enter (scratch, text, memory);
    for (;;) {
        void *local = talloc_new (NULL);
        char *payload;
        if (!wire_receive (local, fd, &header, &payload, fds, &fd_count))
            _exit (0);
        answer (&worker, &header, payload, fds, fd_count);
        talloc_free (local);
    }
}
