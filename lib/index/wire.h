/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * wire.h - messages between the process that publishes and the workers that read mail.
 *
 * A stream socket; each message is a header and a payload; descriptors of mail files travel with
 * the header. Both ends are this library, so the layout is the machine's own.
 */
#ifndef WIRE_H
#define WIRE_H

#include "index/build.h"

enum wire_type {
    /* to the spawner */
    WIRE_SPAWN = 1, /* with the worker's end of its socket; payload: struct wire_spawn, then the
                       scratch folder and the folder of segments, each ended by a NUL */
    /* to a worker */
    WIRE_FIELDS, /* once, before all else; payload: fields_encode; number: enum mail_decrypt */
    WIRE_BLOCK,  /* begins a segment; payload: an empty folder for its parts */
    WIRE_JOB, /* number: docid, | WIRE_JOB_PART; with the files' descriptors; payload: session keys
                 of the message, each ended by a NUL */
    WIRE_END, /* no more jobs: finish the segment; payload: its path; number: first docid << 32 |
                 last */
    WIRE_MERGE, /* payload: path of the result, then the sources, each ended by a NUL */
    /* from a worker */
    WIRE_BEGIN,   /* number: docid of the job that is begun */
    WIRE_PARSED,  /* number: docid; payload: wire_encode_parsed of its files */
    WIRE_SEGMENT, /* payload: struct wire_segment; an answer to END and MERGE */
    WIRE_FAILED,  /* payload: a line about it; number: the status. The segment is lost. */
    /* from a worker to its opener, and back: opener.c */
    WIRE_OPEN,
    WIRE_OPENED
};

#define WIRE_JOB_PART (UINT64_C (1) << 32) /* build_job.part */
#define WIRE_FILES_MAX 250 /* descriptors of one job; Linux lets 253 through at once */

struct wire_header {
    uint32_t type;   /* enum wire_type */
    uint32_t length; /* of the payload */
    uint64_t number;
};

struct wire_spawn {
    uint64_t memory;  /* bytes the worker may use */
    uint32_t decrypt; /* enum mail_decrypt */
    uint32_t seconds; /* for the decryption of one part */
};

struct wire_segment {
    uint32_t made; /* 0: no document was added, there is no file */
    uint32_t documents;
    uint64_t bytes;
    char sha256[65];
};

/* Sends one message; false with errno when the other end is gone. SIGPIPE is not raised. */
bool wire_send (int fd, enum wire_type type, uint64_t number, const void *payload, size_t length,
                const int *fds, size_t fd_count);

/* Waits for one message; false at the end of the stream or on an error. The payload is talloc'd on
 * ctx with a NUL behind it; fds_out has room for WIRE_FILES_MAX. */
bool wire_receive (void *ctx, int fd, struct wire_header *header_out, char **payload_out,
                   int *fds_out, size_t *fd_count_out);

/* Takes messages out of a stream without waiting. */
struct wire_reader;
struct wire_reader *wire_reader_create (void *ctx, int fd);
/* Reads until there is a message to take, or nothing more for now; false when the other end is gone
 * (what it said before can still be taken). */
bool wire_reader_fill (struct wire_reader *reader);
/* The next complete message; false when there is none yet. The payload is valid until the next
 * call of either function. */
bool wire_reader_next (struct wire_reader *reader, struct wire_header *header_out,
                       const char **payload_out);

/* The strings in a payload, each ended by a NUL; NULL-terminated, talloc'd on ctx; they are not
 * copied. The byte after the payload is a NUL. */
const char **wire_strings (void *ctx, const char *payload, size_t length);

/* Parsed files as bytes; their stat does not travel. */
char *wire_encode_parsed (void *ctx, const struct parsed_file *files, size_t count,
                          size_t *length_out);
/* False for what is no such thing, or not count files. */
bool wire_decode_parsed (void *ctx, const char *bytes, size_t length, struct parsed_file *files_out,
                         size_t count);

#endif
