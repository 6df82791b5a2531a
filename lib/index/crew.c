/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * crew.c - talking to worker processes without ever waiting for a single one.
 *
 * A few jobs are on their way to each worker at any time, so that it has something to do while this
 * process publishes. All descriptors on their way in all sockets of a user count together against
 * the limit of open files, hence JOBS_ON_THE_WAY.
 *
 * A worker reads what strangers have sent, so what it says is checked as theirs would be: one that
 * answers what it was not asked is given up like one that died.
 */
#include "index/crew.h"
#include "clock.h"
#include "files.h"
#include "index/opener.h"
#include "index/spawner.h"
#include "index/wire.h"
#include "index/worker.h"

#include <errno.h>
#include <glib.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <talloc.h>
#include <unistd.h>

#define JOBS_AHEAD 256      /* of one worker */
#define JOBS_ON_THE_WAY 512 /* of all workers: half of the usual limit of open files */
/* A worker that says nothing for so long while it has work is dead. */
#define SILENCE_MS (UINT64_C (1000) * SILENCE_SECONDS)
#define MERGE_MS (UINT64_C (1000) * MERGE_SILENCE_SECONDS)

struct sent_job {
    uint32_t docid;
    size_t count; /* of files */
};

struct member {
    struct crew *crew;
    int fd; /* -1: in this process */
    struct wire_reader *reader;
    GArray *sent;       /* jobs without an answer, in order */
    uint32_t announced; /* docid of the job it has begun; 0 for none */
    uint64_t heard;     /* when it last said something, or got work after a pause */
    bool busy;          /* has been asked for something and not answered all */
    bool ending;        /* has been asked for a segment (END, MERGE) */
    bool merging;       /* by MERGE: until it is done, it says nothing */
};

struct crew {
    struct mail_workers *workers;
    char *scratch, *text;
    const struct fields *fields;
    struct decrypt_policy policy;
    struct opener opener;       /* in this process */
    struct build_unlock unlock; /* the same */
    struct member *members;
    unsigned count;
    unsigned next;       /* member to look at first: fairness */
    struct terms *terms; /* in this process */
    struct builder *builder;
    GQueue *events; /* of this process's own work: struct crew_event, talloc'd */
};

static int
crew_destroy (struct crew *crew)
{
    for (unsigned i = 0; i < crew->count; i++) {
        if (crew->members[i].fd >= 0)
            close (crew->members[i].fd);
        if (crew->members[i].sent)
            g_array_unref (crew->members[i].sent);
    }
    g_queue_free (crew->events);
    return 0;
}

/* What it does not get, it does not miss: then it is gone, and that shows when it is waited for. */
static void
send_fields (struct member *member)
{
    size_t length;
    char *bytes = fields_encode (NULL, member->crew->fields, &length);
    wire_send (member->fd, WIRE_FIELDS, member->crew->policy.decrypt, bytes, length, NULL, 0);
    talloc_free (bytes);
}

static bool
start_member (struct member *member)
{
    struct crew *crew = member->crew;
    if (member->fd >= 0)
        close (member->fd);
    TALLOC_FREE (member->reader);
    g_array_set_size (member->sent, 0);
    member->announced = 0;
    member->busy = member->ending = false;
    member->fd = spawner_start_worker (crew->workers, crew->scratch, crew->text, crew->policy);
    if (member->fd >= 0) {
        member->reader = wire_reader_create (crew, member->fd);
        send_fields (member);
    }
    return member->fd >= 0;
}

/* Of a member that could not be started. Where the spawner was killed, a later run may do better.
 */
static enum mail_status
start_failed (void *ctx, int error, char **text_out)
{
    bool killed = error == ECHILD;
    *text_out =
        talloc_asprintf (ctx, "cannot start a worker: %s",
                         killed ? "the process that starts them was killed" : strerror (error));
    return killed ? MAIL_ERROR_RESOURCES : files_status (error);
}

static bool
own_open (void *closure, void *ctx, const struct crypto_request *request, int input,
          struct crypto_result *result_out)
{
    return opener_open (closure, -1, ctx, request, input, result_out);
}

static void
prepare_own (struct crew *crew)
{
    enum mail_decrypt decrypt = crew->policy.decrypt;
    crew->terms = terms_create (crew, crew->fields);
    crew->opener = (struct opener){
        .secret_keys = crypto_has_secret_keys (decrypt),
        .seconds = crew->policy.seconds,
    };
    crew->unlock = (struct build_unlock){decrypt, own_open, &crew->opener};
}

enum mail_status
crew_create (void *ctx, struct mail_workers *workers, const char *scratch, const char *text,
             const struct fields *fields, struct decrypt_policy policy, struct crew **crew_out,
             char **error_out)
{
    struct crew *crew = talloc_zero (ctx, struct crew);
    crew->workers = workers;
    crew->scratch = talloc_strdup (crew, scratch);
    crew->text = talloc_strdup (crew, text);
    crew->fields = fields;
    crew->events = g_queue_new ();
    crew->count = workers ? workers->count : 1;
    crew->members = talloc_zero_array (crew, struct member, crew->count);
    talloc_set_destructor (crew, crew_destroy);
    for (unsigned i = 0; i < crew->count; i++) {
        crew->members[i].crew = crew;
        crew->members[i].fd = -1;
        crew->members[i].sent = g_array_new (FALSE, FALSE, sizeof (struct sent_job));
    }
    crew->policy = policy;
    if (!workers)
        prepare_own (crew);
    for (unsigned i = 0; workers && i < crew->count; i++) {
        if (!start_member (&crew->members[i])) {
            enum mail_status status = start_failed (ctx, errno, error_out);
            talloc_free (crew);
            return status;
        }
    }
    *crew_out = crew;
    return MAIL_OK;
}

unsigned
crew_size (const struct crew *crew)
{
    return crew->count;
}

/* ---- in this process ---- */

static struct crew_event *
own_event (struct crew *crew, enum crew_event_kind kind)
{
    struct crew_event *event = talloc_zero (crew, struct crew_event);
    event->kind = kind;
    g_queue_push_tail (crew->events, event);
    return event;
}

static void
own_failure (struct crew *crew, enum mail_status status, const char *text)
{
    struct crew_event *event = own_event (crew, CREW_FAILED);
    event->status = status;
    event->text = talloc_strdup (event, text);
    TALLOC_FREE (crew->builder);
}

static void
own_begin (struct crew *crew, const char *folder)
{
    char *error = NULL;
    TALLOC_FREE (crew->builder);
    enum mail_status status =
        builder_create (crew, folder, crew->terms, &crew->unlock, &crew->builder, &error);
    if (status != MAIL_OK)
        own_failure (crew, status, error ? error : mail_status_text (status));
    talloc_free (error);
}

static void
own_job (struct crew *crew, const struct build_job *job)
{
    size_t count = job->count;
    if (crew->builder) {
        struct crew_event *event = own_event (crew, CREW_PARSED);
        event->docid = job->docid;
        event->files = talloc_zero_array (event, struct parsed_file, count);
        event->file_count = count;
        enum mail_status status = builder_add (crew->builder, event->files, job, event->files);
        if (status == MAIL_OK)
            status = builder_flush (crew->builder);
        if (status != MAIL_OK)
            own_failure (crew, status, builder_error (crew->builder));
    }
    for (size_t i = 0; i < count; i++)
        close (job->fds[i]);
}

static void
own_end (struct crew *crew, const char *path, uint32_t first, uint32_t last)
{
    struct segment segment = {0};
    bool made = false;
    if (!crew->builder)
        return;
    enum mail_status status = builder_finish (crew->builder, path, first, last, &segment, &made);
    if (status != MAIL_OK) {
        own_failure (crew, status, builder_error (crew->builder));
        return;
    }
    struct crew_event *event = own_event (crew, CREW_SEGMENT);
    event->segment = segment;
    event->made = made;
    TALLOC_FREE (crew->builder);
}

static void
own_merge (struct crew *crew, const char *path, const char *const *sources, size_t count)
{
    char *error = NULL;
    struct segment segment = {0};
    enum mail_status status = store_merge (crew, sources, count, path, &error);
    if (status == MAIL_OK && files_sha256 (path, segment.sha256, &segment.bytes) != 0)
        status = MAIL_ERROR_IO;
    if (status != MAIL_OK) {
        own_failure (crew, status, error ? error : mail_status_text (status));
    } else {
        struct crew_event *event = own_event (crew, CREW_SEGMENT);
        event->segment = segment;
        event->made = true;
    }
    talloc_free (error);
}

/* ---- asking ---- */

/* A failed send shows as the end of the stream, which crew_wait() sees. */
static void
ask (struct member *member, enum wire_type type, uint64_t number, const void *payload,
     size_t length, const int *fds, size_t fd_count)
{
    if (!member->busy)
        member->heard = clock_ms ();
    member->busy = true;
    member->ending = type != WIRE_JOB;
    member->merging = type == WIRE_MERGE;
    wire_send (member->fd, type, number, payload, length, fds, fd_count);
}

void
crew_begin (struct crew *crew, unsigned worker, const char *folder)
{
    struct member *member = &crew->members[worker];
    if (!crew->workers)
        own_begin (crew, folder);
    else
        wire_send (member->fd, WIRE_BLOCK, 0, folder, strlen (folder), NULL, 0);
}

unsigned
crew_room (const struct crew *crew, unsigned worker)
{
    unsigned sent = crew->members[worker].sent->len;
    unsigned most = CLAMP (JOBS_ON_THE_WAY / crew->count, 2, JOBS_AHEAD);
    if (!crew->workers)
        return g_queue_is_empty (crew->events) ? 1 : 0;
    return sent < most ? most - sent : 0;
}

void
crew_job (struct crew *crew, unsigned worker, const struct build_job *job)
{
    struct member *member = &crew->members[worker];
    struct sent_job sent = {job->docid, job->count};
    uint64_t number = job->docid | (job->part ? WIRE_JOB_PART : 0);
    if (!crew->workers) {
        own_job (crew, job);
        return;
    }
    GByteArray *keys = g_byte_array_new ();
    for (const char *const *key = job->session_keys; key && *key; key++)
        g_byte_array_append (keys, (const guint8 *) *key, strlen (*key) + 1);
    g_array_append_val (member->sent, sent);
    ask (member, WIRE_JOB, number, keys->data, keys->len, job->fds, job->count);
    g_byte_array_unref (keys);
    for (size_t i = 0; i < job->count; i++)
        close (job->fds[i]);
}

void
crew_end (struct crew *crew, unsigned worker, const char *path, uint32_t first, uint32_t last)
{
    if (!crew->workers)
        own_end (crew, path, first, last);
    else
        ask (&crew->members[worker], WIRE_END, (uint64_t) first << 32 | last, path, strlen (path),
             NULL, 0);
}

void
crew_merge (struct crew *crew, unsigned worker, const char *path, const char *const *sources,
            size_t count)
{
    if (!crew->workers) {
        own_merge (crew, path, sources, count);
        return;
    }
    GByteArray *payload = g_byte_array_new ();
    g_byte_array_append (payload, (const guint8 *) path, strlen (path) + 1);
    for (size_t i = 0; i < count; i++)
        g_byte_array_append (payload, (const guint8 *) sources[i], strlen (sources[i]) + 1);
    ask (&crew->members[worker], WIRE_MERGE, 0, payload->data, payload->len, NULL, 0);
    g_byte_array_unref (payload);
}

/* ---- listening ---- */

static bool
take_parsed (void *ctx, struct member *member, const struct wire_header *header,
             const char *payload, struct crew_event *event)
{
    if (member->sent->len == 0)
        return false;
    struct sent_job job = g_array_index (member->sent, struct sent_job, 0);
    event->kind = CREW_PARSED;
    event->docid = job.docid;
    event->file_count = job.count;
    event->files = talloc_zero_array (ctx, struct parsed_file, job.count);
    if (member->announced != job.docid || job.docid != header->number ||
        !wire_decode_parsed (event->files, payload, header->length, event->files, job.count))
        return false;
    g_array_remove_index (member->sent, 0);
    member->announced = 0;
    return true;
}

/* The job that is begun is the first that has no answer yet. */
static bool
take_begin (struct member *member, const struct wire_header *header)
{
    if (member->announced != 0 || member->sent->len == 0 ||
        g_array_index (member->sent, struct sent_job, 0).docid != header->number)
        return false;
    member->announced = (uint32_t) header->number;
    return true;
}

static bool
take_segment (struct member *member, const struct wire_header *header, const char *payload,
              struct crew_event *event)
{
    struct wire_segment answer;
    if (!member->ending || member->sent->len > 0 || header->length != sizeof answer)
        return false;
    memcpy (&answer, payload, sizeof answer);
    answer.sha256[sizeof answer.sha256 - 1] = '\0';
    event->kind = CREW_SEGMENT;
    event->made = answer.made;
    event->segment.documents = answer.documents;
    event->segment.bytes = answer.bytes;
    memcpy (event->segment.sha256, answer.sha256, sizeof answer.sha256);
    member->busy = member->ending = false;
    return true;
}

static bool
take_failure (void *ctx, struct member *member, const struct wire_header *header,
              const char *payload, struct crew_event *event)
{
    if (header->number == MAIL_OK || header->number >= MAIL_STATUS_COUNT)
        return false;
    event->kind = CREW_FAILED;
    event->status = (enum mail_status) header->number;
    event->text = talloc_strndup (ctx, payload, header->length);
    g_array_set_size (member->sent, 0);
    member->busy = member->ending = false;
    return true;
}

/* Turns what a worker says into an event; false where there is nothing for the caller in it, or
 * only nonsense. */
static bool
take_message (void *ctx, struct member *member, const struct wire_header *header,
              const char *payload, struct crew_event *event, bool *nonsense)
{
    member->heard = clock_ms ();
    switch ((enum wire_type) header->type) {
    case WIRE_BEGIN:
        *nonsense = !take_begin (member, header);
        return false;
    case WIRE_PARSED:
        *nonsense = !take_parsed (ctx, member, header, payload, event);
        return !*nonsense;
    case WIRE_SEGMENT:
        *nonsense = !take_segment (member, header, payload, event);
        return !*nonsense;
    case WIRE_FAILED:
        *nonsense = !take_failure (ctx, member, header, payload, event);
        return !*nonsense;
    default:
        *nonsense = true;
        return false;
    }
}

static void
bury (void *ctx, struct member *member, struct crew_event *event)
{
    event->kind = CREW_DIED;
    event->docid = member->announced;
    event->late = clock_ms () - member->heard >= WORKER_SECONDS * 1000;
    if (!start_member (member)) {
        event->kind = CREW_FAILED;
        event->status = start_failed (ctx, errno, &event->text);
    }
}

/* What this member has to say, if anything. Whether it has been silent for too long is asked only
 * when there is nothing to read: this process may have been stopped for a while. */
static bool
listen_to (void *ctx, struct member *member, short heard, bool polled, struct crew_event *event)
{
    struct wire_header header;
    const char *payload;
    bool nonsense = false, alive = true;
    if (member->fd < 0 && !member->busy)
        return false;
    if (member->fd < 0) { /* it could not be started, and was asked for something */
        bury (ctx, member, event);
        return true;
    }
    if (heard)
        alive = wire_reader_fill (member->reader);
    while (!nonsense && wire_reader_next (member->reader, &header, &payload)) {
        if (take_message (ctx, member, &header, payload, event, &nonsense))
            return true;
    }
    uint64_t patience = member->merging ? MERGE_MS : SILENCE_MS;
    bool silent = polled && !heard && member->busy && clock_ms () - member->heard > patience;
    if (alive && !nonsense && !silent)
        return false;
    bury (ctx, member, event);
    return true;
}

static bool
own_event_out (void *ctx, struct crew *crew, struct crew_event *event_out)
{
    struct crew_event *event = g_queue_pop_head (crew->events);
    if (!event)
        return false;
    *event_out = *event;
    talloc_steal (ctx, event);
    return true;
}

void
crew_wait (void *ctx, struct crew *crew, int timeout_ms, struct crew_event *event_out)
{
    *event_out = (struct crew_event){.kind = CREW_NOTHING};
    if (own_event_out (ctx, crew, event_out) || !crew->workers)
        return;
    struct pollfd *polls = talloc_zero_array (ctx, struct pollfd, crew->count);
    for (int pass = 0; pass < 2; pass++) {
        /* first what has been read already, then what comes */
        if (pass == 1) {
            for (unsigned i = 0; i < crew->count; i++)
                polls[i] = (struct pollfd){.fd = crew->members[i].fd, .events = POLLIN};
            poll (polls, crew->count, timeout_ms);
        }
        for (unsigned k = 0; k < crew->count; k++) {
            unsigned i = (crew->next + k) % crew->count;
            event_out->worker = i;
            if (listen_to (ctx, &crew->members[i], polls[i].revents, pass == 1, event_out)) {
                crew->next = (i + 1) % crew->count;
                talloc_free (polls);
                return;
            }
        }
    }
    talloc_free (polls);
}
