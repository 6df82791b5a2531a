/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mime-private.h - the inside of a parsed message, for the files of lib/mime. */
#ifndef MIME_PRIVATE_H
#define MIME_PRIVATE_H

#include "mime/mime.h"
#include <gmime/gmime.h>
#include <sys/types.h>

/* Files up to this size are read into memory; larger ones stay where they are. */
#define MIME_MEMORY_LIMIT ((size_t) 1 << 20)
/* A message's header that is longer ends here: what follows is body. Headers of parts are kept up
 * to as much together. */
#define MIME_HEADER_BLOCK_MAX ((size_t) 64 << 20)

/* ---- source.c: a descriptor as bytes ---- */

/* Bytes, in memory of their own or in that of a source. */
struct mime_bytes {
    const char *data;
    size_t length;
};

/* A mail file, open for reading. */
struct mime_source {
    char *memory; /* all of it; NULL: it is read from fd */
    int fd;       /* our own, or -1 */
    size_t size;
    size_t start; /* of the header: after a byte order mark and a "From " line */
    bool mailbox; /* has that line: mbox */
    bool lone_cr; /* what is read from fd has CR as line end: it is mended */
};

/* The destructor closes. MAIL_ERROR_IO. */
enum mail_status mime_source_open (void *ctx, int fd, size_t memory_limit,
                                   struct mime_source **source_out, char **error_out);
/* The same of bytes that are no mail file but an entity (RFC 2045 2.4): as they are, and nothing
 * stands before the header. NULL where it cannot be read. */
struct mime_source *mime_source_entity (void *ctx, int fd);
/* The same of bytes, which are copied. */
struct mime_source *mime_source_bytes (void *ctx, struct mime_bytes bytes);
/* Copies up to length bytes; less, or 0, at the end or where the file cannot be read. */
size_t mime_source_read (const struct mime_source *source, char *to, size_t length, size_t offset);
/* SHA-1 of a file's bytes in lower-case hex, talloc'd; NULL where it cannot be read. */
char *mime_file_sha1 (void *ctx, int fd);
/* Reads up to length bytes; less only at the end of the file. -1 with errno. */
ssize_t mime_read_at (int fd, char *to, size_t length, size_t offset);

/* ---- mailbox.c ---- */

/* Whether an mbox file has a second message. */
bool mime_mailbox_has_more (const struct mime_source *source);

/* ---- headers.c: a header block ---- */

struct mime_field {
    const char *name;  /* as the mail spells it */
    const char *value; /* as mime_header_raw */
};
struct mime_headers {
    struct mime_field *fields; /* by name in any case, equal names in the order of the file */
    size_t count;
    size_t body; /* offset in data after the empty line */
    bool cut;    /* a value was longer than HEADER_MAX */
};
/* Whether data begins with a field. */
bool mime_headers_begin (const char *data, size_t length);
/* Data need not end in a NUL. */
struct mime_headers *mime_headers_parse (void *ctx, const char *data, size_t length);
/* NULL where there is none. */
const struct mime_field *mime_headers_find (const struct mime_headers *headers, const char *name,
                                            unsigned nth);
const char *mime_headers_get (const struct mime_headers *headers, const char *name, unsigned nth);
/* The Date; where that is missing or cannot be read, when the mail was received last, as the trace
 * fields say behind their last ";" (RFC 5321 4.4). Seconds since 1970, 0 for none. */
int64_t mime_headers_date (const struct mime_headers *headers);

/* ---- headers-mend.c ---- */

/* Values of the message's header, and of inner ones, that are neither ASCII nor UTF-8 are read in
 * the character set of the text they stand over. The parts must be known. */
void mime_headers_mend (struct mime_message *message);

/* ---- calendar.c ---- */

/* Makes the source of a calendar, with LF line ends and a NUL behind it, the words that people
 * wrote into it; returns their length. What is no property is dropped. */
size_t mime_calendar_words (char *text, size_t length);

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

/* ---- parts.c, structure.c ---- */

/* What a part is beside its struct mail_part. Strings are "" nowhere: NULL for none. */
struct mime_part {
    const struct mime_source *file; /* that the offsets are in: the mail file, or what was
                                       decrypted */
    size_t header;                  /* where its header begins */
    size_t body, end;               /* after the header, after the body */
    size_t parent;                  /* index; SIZE_MAX for the first */
    GMimeContentEncoding encoding;
    const char *charset, *boundary, *smime_type; /* parameters of Content-Type */
    bool digest;                                 /* multipart/digest */
    bool delsp;                                  /* format=flowed; delsp=yes */
    struct mime_headers *inner;                  /* of a MAIL_PART_MESSAGE */
    const char *protocol;                        /* parameter of Content-Type */
    bool protects;       /* its header repeats protected fields: protected-headers=v1 */
    bool not_forwarded;  /* forwarded=no: a message/rfc822 with protected fields */
    const char *subject; /* raw Subject of a header that protects */
    struct mail_part_security *crypto; /* what came of opening it; NULL: nothing to open */
    bool clear;                        /* it was encrypted, and stands where the ciphertext was */
};

/* Fills the array of parts. */
void mime_structure (struct mime_message *message);
/* Where a part stands, and what is known of it when its header has been read. */
struct mime_place {
    const struct mime_headers *headers; /* NULL for none */
    size_t header, body;                /* offsets in the file */
    size_t parent;                      /* index; SIZE_MAX for none */
    size_t depth;
    bool digest; /* a message by default */
};
/* Appends a part; its index. */
size_t mime_part_open (struct mime_message *message, const struct mime_place *place);
/* The part's body ends here; all of its sub-parts are closed. */
void mime_part_close (struct mime_message *message, size_t index, size_t end);
/* Its body goes on to here. */
void mime_part_extend (struct mime_message *message, size_t index, size_t end);
void mime_find_tags (struct mime_message *message);
/* multipart/encrypted (RFC 3156) that a gateway has turned into multipart/mixed with an empty text
 * before. */
bool mime_is_mixed_up (const struct mime_message *message, size_t index);
/* application/pkcs7-mime (RFC 8551 3.2), with this smime-type. */
bool mime_is_smime (const struct mime_message *message, size_t index, const char *smime_type);
bool mime_type_is (const struct mime_message *message, size_t index, const char *type);
/* Room for one part more, all zero; its index. */
size_t mime_part_append (struct mime_message *message);
/* message/rfc822 and its kin. */
bool mime_type_is_message (const char *type);
/* Whether bodies in this encoding are read as they are. */
bool mime_encoding_is_identity (GMimeContentEncoding encoding);

/* ---- quoted.c: quoted-printable ---- */

#define MIME_QUOTED_HELD 80

/* Between two steps; all zero at first. */
struct mime_quoted {
    char held[MIME_QUOTED_HELD]; /* "=" and what may still belong to it */
    size_t count;
    bool row; /* the last byte was one of several "=" */
};
/* Decodes a piece; out has room for it and for MIME_QUOTED_HELD bytes more. Returns the length. */
size_t mime_quoted_step (struct mime_quoted *quoted, const char *in, size_t length, char *out);
/* What the end leaves over, at most MIME_QUOTED_HELD bytes. */
size_t mime_quoted_end (struct mime_quoted *quoted, char *out);

/* ---- decode.c ---- */

/* The decoded content of a part, at least cap bytes of it if there are as many. */
struct mime_bytes mime_part_bytes (void *ctx, const struct mime_part *part, size_t cap);

/* ---- skip.c ---- */

/* Takes uuencoded and ASCII-armoured PGP blocks out of a text, in place; returns its new length. */
size_t mime_skip_blocks (char *text, size_t length);
/* Joins the lines of a format=flowed; delsp=yes text (RFC 3676), in which a break may stand inside
 * a word, in place; returns its new length. */
size_t mime_join_delsp (char *text, size_t length);

/* ---- parse.c ---- */

struct mime_message {
    struct mime_source *source;
    struct mime_headers *headers;
    char *id;
    int64_t date;
    struct mime_references references;
    const char *tags[4];
    size_t tag_count;
    struct mail_part *parts;
    struct mime_part *sources; /* one for each of parts */
    size_t part_count;
    struct mime_cached *cached; /* decoded headers of parts */
    const char *charset;        /* of the first text that names one, so far */
    bool too_deep, too_many_parts, cut_header;
    struct mime_crypto crypto;
};

/* The parts of an entity, with none of what belongs to a whole message; NULL where it cannot be
 * read. */
struct mime_message *mime_entity_parse (void *ctx, int fd);

/* mime_message_parse with another MIME_MEMORY_LIMIT. */
enum mail_status mime_message_parse_with (void *ctx, int fd, size_t memory_limit,
                                          struct mime_message **message_out, char **error_out);
GMimeParserOptions *mime_parser_options (void);

#endif
