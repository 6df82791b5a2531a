/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mime.h - a mail file as headers, parts and UTF-8 text. Knows no database.
 *
 * The structure is found by structure.c; GMime reads what is inside fields (types, parameters,
 * addresses, dates). What the code does with malformed mail is listed in doc/design/odd-mail.md,
 * each with its test.
 */
#ifndef MIME_H
#define MIME_H

#include "mailindex.h"
#include <stdio.h>

struct mime_message;

/* Once a process, before GMime is used, which it loads. Cheap to call again; all that is below does
 * so itself where it has to. */
void mime_init (void);
/* Loads all that may be needed, for a process that will not be able to. */
void mime_prepare (void);

/* Parses the mail in an open regular file, from its start; the descriptor is not closed, its offset
 * is not moved, and it may be closed after the call. Files over 1 MiB are not read into memory as a
 * whole. MAIL_ERROR_NOT_MAIL: none of From, Subject, To has a value, or the file is an mbox of
 * several messages. MAIL_ERROR_IO. error_out as in mailindex.h; the line does not name the file. */
enum mail_status mime_message_parse (void *ctx, int fd, struct mime_message **message_out,
                                     char **error_out);

/* ---- the message as a whole ---------------------------------------------------------------- */

/* Message-ID by the rules of doc/design/odd-mail.md: first field, first "<...>", blanks inside
 * removed; verbatim without "<>"; where there is none "notmuch-sha1-" and the SHA-1 (lower-case
 * hex) of the file's bytes, as programs around notmuch expect it. Never empty. Valid UTF-8, may be
 * any length: term_message_id() shortens. */
const char *mime_message_id (const struct mime_message *message);
/* Date in seconds; where there is none that can be read, when the mail was received; else 0. */
int64_t mime_message_date (const struct mime_message *message);
/* Ids of References, then of In-Reply-To, each once, without the message's own; at most
 * REFERENCES_MAX. NULL-terminated. */
const char *const *mime_message_references (const struct mime_message *message, size_t *count_out);
/* The message answered (mail_message_parent()); NULL for none. */
const char *mime_message_parent (const struct mime_message *message);
/* Tags found by content type: "attachment", "encrypted", "signed", in byte order,
 * NULL-terminated. */
const char *const *mime_message_tags (const struct mime_message *message, size_t *count_out);

/* ---- header fields ------------------------------------------------------------------------- */

/* Raw value of the nth (from 0) field of this name (any case), unfolded, without leading or
 * trailing blanks, cut at HEADER_MAX; NULL where there is none. Bytes. */
const char *mime_header_raw (const struct mime_message *message, const char *name, unsigned nth);
/* Decoded as unstructured text (RFC 2047, raw 8-bit repaired); valid UTF-8, talloc'd on ctx. */
char *mime_decode_text (void *ctx, const char *raw);

struct mime_address {
    const char *name;    /* decoded display name, "" for none; for a group its name */
    const char *address; /* "" for a group (its members follow) */
};
/* Addresses of a raw From, To, Cc, ... value (RFC 5322 3.4); talloc'd on ctx. Works on raw values
 * as stored in a record too. */
struct mime_address *mime_decode_addresses (void *ctx, const char *raw, size_t *count_out);
/* mail_address_text() */
char *mime_address_text (void *ctx, const char *name, const char *address);
/* A raw address header as one decoded line, the way a person reads it. */
char *mime_decode_address_text (void *ctx, const char *raw);
/* To, Cc, Bcc or Reply-To, in any case. */
bool mime_field_is_addresses (const char *name);
/* To, Cc, Bcc and Reply-To (any case) as addresses, other fields (From too: notmuch shows it as it
 * was written) as text. */
char *mime_decode_field (void *ctx, const char *name, const char *raw);

/* ---- parts --------------------------------------------------------------------------------- */

/* Parts in depth-first order, the body first; at most PARTS_MAX, to DEPTH_MAX. */
const struct mail_part *mime_parts (struct mime_message *message, size_t *count_out);
/* Whether there is more in the file than limits let through, and which: DEPTH_MAX, PARTS_MAX, or
 * HEADER_MAX for the message's own header. */
bool mime_message_limit (const struct mime_message *message, enum mail_reason *reason_out);
/* A header of a MAIL_PART_MESSAGE's message; decoded; NULL for none; talloc'd on message. */
const char *mime_part_header (struct mime_message *message, const struct mail_part *part,
                              const char *name);
/* The message in a leaf that is one behind a transfer encoding, which RFC 2046 5.2.1 forbids:
 * it has headers and parts, no id and no date. Up to TEXT_MAX bytes of it. NULL where the part is
 * something else. */
struct mime_message *mime_part_message (void *ctx, const struct mime_message *message,
                                        const struct mail_part *part);

/* ---- what is signed and encrypted: unlock.c ---- */

struct crypto_request;
struct crypto_result;

/* What mime_unlock() may do, and who does it. */
struct mime_unlock {
    bool decrypt;                    /* at all */
    bool secret_keys;                /* with the user's, where no session key is right */
    bool export_key;                 /* the session keys are wanted */
    bool verify;                     /* detached signatures */
    size_t part;                     /* the only part that is wanted, by its number; 0: all */
    bool inside;                     /* with all that is in it */
    const char *const *session_keys; /* NULL-terminated; may be NULL */
    /* crypto_open(), or what stands in for it. */
    bool (*open) (void *closure, void *ctx, const struct crypto_request *request, int input,
                  struct crypto_result *result_out);
    /* Told a line about each part that is not opened; may be NULL. */
    void (*tell) (void *closure, const char *line);
    void *closure;
};

/* What was found out. */
struct mime_crypto {
    struct mail_security content;  /* its subject is raw */
    bool payload;                  /* a part that is no layer has been met */
    bool succeeded, failed;        /* some part could (not) be decrypted */
    bool mixed_up, legacy_display; /* so much was repaired */
    const char **session_keys;     /* found; those that were given are not among them */
    size_t session_key_count;
    unsigned opened; /* parts, so far */
};

/* Opens what is signed and encrypted: then the parts, and the tags, are those of what is in it.
 * Once a message. */
void mime_unlock (struct mime_message *message, const struct mime_unlock *how);
/* Whether there is anything to open; verify: detached signatures are to be looked at. */
bool mime_is_locked (const struct mime_message *message, bool verify);
const struct mime_crypto *mime_message_crypto (const struct mime_message *message);
/* The raw subject that was encrypted with all of the message, and stands for it in the index; NULL
 * for none. */
const char *mime_message_hidden_subject (const struct mime_message *message);
/* NULL where there was nothing to open in the part. */
const struct mail_part_security *mime_part_crypto (const struct mime_message *message,
                                                   const struct mail_part *part);

/* Whether a part stands where the application/octet-stream of a multipart/encrypted was. */
bool mime_part_was_sealed (const struct mime_message *message, const struct mail_part *part);
/* Whether a part is no content by itself: the signature of a multipart/signed, or a part of a
 * multipart/encrypted. It does not make a message one with attachments. */
bool mime_part_is_wrapping (const struct mime_message *message, const struct mail_part *part);
/* The bytes of a part, as mail_part_write() has it. False where the sink wanted no more. */
bool mime_part_write (const struct mime_message *message, const struct mail_part *part,
                      struct mail_sink sink);
/* All bytes of a mail file, from its start, unpacked where it is packed. False with errno where it
 * cannot be read, with errno 0 where the sink wanted no more. */
bool mime_file_write (int fd, struct mail_sink sink);
/* Of the message's own header (part: NULL) or that of a MAIL_PART_MESSAGE: the name of a field as
 * the mail spells it; its raw value, or all of them joined with commas, up to HEADER_MAX,
 * where it is one of addresses. NULL where there is no such field. */
const char *mime_header_name (const struct mime_message *message, const struct mail_part *part,
                              const char *name);
const char *mime_header_joined (void *ctx, const struct mime_message *message,
                                const struct mail_part *part, const char *name);
/* Decoded text of a text leaf: UTF-8, LF line ends, NUL-terminated, at most limit bytes (cut at a
 * character). For text/html this is the source. Talloc'd on ctx. */
enum mail_status mime_part_text (void *ctx, struct mime_message *message,
                                 const struct mail_part *part, size_t limit, char **text_out,
                                 size_t *length_out);
/* The words of a leaf for the index: as mime_part_text, with HTML turned into text (libxml2),
 * uuencoded and ASCII-armoured PGP blocks left out. Of a calendar, what people
 * wrote into it. Empty for what has no words: anything but leaves of type text and message
 * (delivery reports), and application/octet-stream with the name of a text. Whether attachments are
 * asked for is the caller's choice. */
enum mail_status mime_part_words (void *ctx, struct mime_message *message,
                                  const struct mail_part *part, size_t limit, char **text_out,
                                  size_t *length_out);

#endif
