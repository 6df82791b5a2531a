/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * crew.h - the workers of one run, as the process that publishes sees them.
 *
 * Each worker builds one segment at a time: begin, send jobs, end; what it has to say comes as
 * events. Without worker processes the same is done in this one, a job at a time.
 */
#ifndef CREW_H
#define CREW_H

#include "index/build.h"
#include "index/spawner.h"

struct crew;

enum crew_event_kind {
    CREW_NOTHING, /* the time is up */
    CREW_PARSED,  /* a job is done: docid, files */
    CREW_SEGMENT, /* the segment (or merge) is finished: segment, made */
    CREW_FAILED,  /* the segment is lost, by a failure of the machine: status, text */
    CREW_DIED     /* the worker has died, and another has taken its place; the segment is lost.
                     docid: the job it had begun, 0 for none; late: it was at it for longer than a
                     worker may */
};

struct crew_event {
    enum crew_event_kind kind;
    unsigned worker;
    uint32_t docid;
    struct parsed_file *files; /* hang on the ctx of crew_wait; as many as the job had */
    size_t file_count;
    struct segment segment;
    bool made;
    bool late;
    enum mail_status status;
    char *text;
};

/* workers: NULL for none: this process does it all. scratch: folder for the segments' parts;
 * text: folder of segments to merge. fields: must live as long. policy: for encrypted mail. */
enum mail_status crew_create (void *ctx, struct mail_workers *workers, const char *scratch,
                              const char *text, const struct fields *fields,
                              struct decrypt_policy policy, struct crew **crew_out,
                              char **error_out);
unsigned crew_size (const struct crew *crew);

/* folder: existing and empty. */
void crew_begin (struct crew *crew, unsigned worker, const char *folder);
/* Jobs that may be sent to this worker now without waiting for an answer first. */
unsigned crew_room (const struct crew *crew, unsigned worker);
/* The job's descriptors are closed here. */
void crew_job (struct crew *crew, unsigned worker, const struct build_job *job);
void crew_end (struct crew *crew, unsigned worker, const char *path, uint32_t first, uint32_t last);
void crew_merge (struct crew *crew, unsigned worker, const char *path, const char *const *sources,
                 size_t count);

/* The next event, after at most timeout_ms. */
void crew_wait (void *ctx, struct crew *crew, int timeout_ms, struct crew_event *event_out);

#endif
