/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mime-private.h - the inside of a parsed message, for the files of lib/mime. */
#ifndef MIME_PRIVATE_H
#define MIME_PRIVATE_H

#include "mime/mime.h"
#include <gmime/gmime.h>

/* Files up to this size are read into memory; of larger ones only the header is. */
#define MIME_MEMORY_LIMIT ((size_t) 1 << 20)
/* A header longer than this ends here: what follows is body. */
#define MIME_HEADER_BLOCK_MAX ((size_t) 64 << 20)

/* ---- source.c: a descriptor as bytes ---- */

/* A mail file, open for reading. */
struct mime_source {
    GMimeStream *stream; /* the whole file, or its copy in memory */
    char *head;          /* the file's first bytes: at least the header, if in memory all of it */
    size_t head_length;
    size_t size;  /* bytes of stream */
    bool memory;  /* head is the whole file */
    bool mailbox; /* begins with an mbox "From " line */
    bool several; /* a mailbox with more than one message */
    size_t start; /* of the header: after a byte order mark and a "From " line */
};

/* The destructor lets go of the stream. MAIL_ERROR_IO. */
enum mail_status mime_source_open (void *ctx, int fd, size_t memory_limit,
                                   struct mime_source **source_out, char **error_out);
/* A new stream of these header lines, an empty line, and the body from this offset on. Head must
 * not be used any more. */
GMimeStream *mime_source_part (struct mime_source *source, const char *header, size_t length,
                               size_t body);
/* SHA-1 of a file's bytes in lower-case hex, talloc'd; NULL where it cannot be read. */
char *mime_file_sha1 (void *ctx, int fd);

/* Reads up to length bytes; less only at the end of the file. -1 with errno. */
ssize_t mime_read_at (int fd, char *to, size_t length, size_t offset);

/* ---- source-scan.c ---- */

/* Whether a mailbox has a second message. */
bool mime_scan_separator (const struct mime_source *source, int fd);
/* Ends the file early where it has very many lines that may be boundaries: GMime makes an object of
 * a kilobyte and a half for each part, of which there may be one in five bytes. */
void mime_source_limit (struct mime_source *source, int fd, size_t body);
/* Where the first line stands that begins like this boundary; SIZE_MAX for nowhere. */
size_t mime_scan_boundary (const struct mime_source *source, int fd, size_t body,
                           const char *boundary);

/* ---- headers.c: the header block of the message itself ---- */

struct mime_field {
    const char *name;  /* lower case */
    const char *value; /* as mime_header_raw */
};
struct mime_headers {
    struct mime_field *fields; /* by name, equal names in the order of the file */
    size_t count;
    char *content; /* the lines of the first Content-Type, -Transfer-Encoding, -Disposition, -ID */
    size_t content_length;
    size_t body; /* offset in data where the body begins */
};
/* Data need not end in a NUL. NULL where it does not begin like a header. */
struct mime_headers *mime_headers_parse (void *ctx, const char *data, size_t length);
const char *mime_headers_get (const struct mime_headers *headers, const char *name, unsigned nth);
/* Line breaks taken out, blanks trimmed, NUL bytes dropped; talloc'd. */
char *mime_unfold (void *ctx, const char *value, size_t length);

/* ---- rfc2047.c ---- */

/* A copy that is valid UTF-8 and one line, whatever the text is. */
char *mime_line (void *ctx, const char *text, size_t length);

/* ---- references.c ---- */

/* The id in a Message-ID value; NULL where there is none. */
char *mime_message_id_scan (void *ctx, const char *raw);

struct mime_references {
    const char **ids; /* NULL-terminated */
    size_t count;
    const char *parent;
};
/* own: the message's id. The values may be NULL. */
void mime_references_scan (void *ctx, const char *references, const char *in_reply_to,
                           const char *own, struct mime_references *out);

/* ---- parts.c ---- */

struct mime_part {
    GMimeObject *object;  /* belongs to the tree */
    const char *fallback; /* text of a multipart without parts; NULL for others */
    bool wrapping;        /* mime_part_is_wrapping() */
};
void mime_parts_walk (struct mime_message *message);

/* ---- skip.c ---- */

/* Takes uuencoded and ASCII-armoured PGP blocks out of a text, in place; returns its new length. */
size_t mime_skip_blocks (char *text, size_t length);
/* Joins the lines of a format=flowed; delsp=yes text (RFC 3676), in which a break may stand inside
 * a word, in place; returns its new length. */
size_t mime_join_delsp (char *text, size_t length);

/* ---- parse.c ---- */

struct mime_message {
    struct mime_headers *headers;
    GMimeObject *body;
    char *id;
    int64_t date;
    struct mime_references references;
    const char *tags[4];
    size_t tag_count;
    struct mail_part *parts;
    struct mime_part *sources; /* one for each of parts */
    size_t part_count;
    struct mime_cached *cached; /* decoded headers of parts */
};

/* mime_message_parse with another MIME_MEMORY_LIMIT. */
enum mail_status mime_message_parse_with (void *ctx, int fd, size_t memory_limit,
                                          struct mime_message **message_out, char **error_out);
GMimeParserOptions *mime_parser_options (void);

#endif
