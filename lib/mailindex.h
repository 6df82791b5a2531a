/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mailindex.h - an index of the mail that lies on a disk, and the questions one can ask of it.
 *
 * This header is the library's manual. What is not declared here is not interface.
 *
 * Model. An index lives in a folder ".mailindex" and describes the messages below one mail root. It
 * has two stores: "state" (a small record a message: id, thread, tags, files, the headers that
 * listings show) and "text" (the words). State is the only thing that changes; every change is one
 * short commit under a lock. Readers take no lock and are never stopped by a writer.
 *
 * Memory. Every function that returns something new takes a talloc context as first argument, and
 * the result belongs to it (NULL is allowed: then talloc_free it yourself). Objects got through an
 * index handle (messages, results, ...) must be freed before the handle is closed, except where it
 * is their talloc parent. Strings returned by an accessor belong to the object asked. Running out
 * of memory aborts the process, as in GLib.
 *
 * Errors. Functions that can fail return enum mail_status; "found nothing" is a result, not an
 * error. After a failure mail_index_error() has one English line about it, without a final newline;
 * functions that make a handle return the line through char **error_out (talloc'd on ctx; may be
 * NULL). Out-parameters are written on success only, except where said.
 *
 * Text. Strings are NUL-terminated UTF-8 unless said otherwise. Paths are bytes as the file system
 * has them; a "relative path" is relative to the mail root, has no leading, trailing or doubled
 * slash, and is "" for the root itself. Dates are seconds since the epoch, UTC, signed 64 bit.
 *
 * Threads. One handle belongs to one thread at a time. The library installs no signal handler (but
 * one for std::terminate, which passes on what is not its own), prints nothing, never exits and
 * reads no user's settings.
 */
#ifndef MAILINDEX_H
#define MAILINDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- status -------------------------------------------------------------------------------- */

/* Every status with the exit code the command line gives it and its text. The codes are documented
 * in mail(1) and stay. */
#define MAIL_STATUS_LIST(X) \
    X (MAIL_OK, 0, "no error") \
    X (MAIL_ERROR_IO, 1, "cannot read or write a file") \
    X (MAIL_ERROR_ARGUMENT, 1, "argument not allowed") \
    X (MAIL_ERROR_NO_INDEX, 1, "there is no index here") \
    X (MAIL_ERROR_NO_MAIL_ROOT, 1, "there is no mail folder here") \
    X (MAIL_ERROR_READ_ONLY, 1, "the index cannot be written") \
    X (MAIL_ERROR_VERSION, 1, "the index was made by a newer version of this program") \
    X (MAIL_ERROR_CORRUPT, 1, "the index is damaged") \
    X (MAIL_ERROR_STORE, 1, "the database reports an error") \
    X (MAIL_ERROR_NOT_MAIL, 1, "the file is not mail") \
    X (MAIL_ERROR_WORKER, 1, "reading it took a process down") \
    X (MAIL_ERROR_INTERRUPTED, 1, "interrupted") \
    X (MAIL_ERROR_QUERY, 2, "the query has an error") \
    X (MAIL_ERROR_LOCKED, 75, "another program is changing the index") \
    X (MAIL_ERROR_NO_SPACE, 75, "no space left on the disk") \
    X (MAIL_ERROR_OVERTAKEN, 75, "the index changed too often while it was read") \
    X (MAIL_ERROR_RESOURCES, 75, "too many files are open, or too many processes run")

#define MAIL_STATUS_ENUM(name, exit_code, text) name,
enum mail_status { MAIL_STATUS_LIST (MAIL_STATUS_ENUM) MAIL_STATUS_COUNT };
#undef MAIL_STATUS_ENUM

/* The text of the table above; "unknown status" for anything else. Static. */
const char *mail_status_text (enum mail_status status);
/* The exit code of the table above; 1 for anything else. */
int mail_status_exit_code (enum mail_status status);

/* ---- an index ------------------------------------------------------------------------------ */

struct mail_index;

/* A header field that queries can name: "NAME:word". */
struct mail_header_prefix {
    const char *name;   /* see mail_header_prefix_check */
    const char *header; /* "List-Id"; any case */
};
/* Whether a prefix may have this name: up to 64 letters, digits and "_", the first no small letter.
 * *reason_out (static, may be NULL) says why not; MAIL_ERROR_ARGUMENT. An index has 54 at most. */
enum mail_status mail_header_prefix_check (const char *name, const char **reason_out);

enum mail_open_flags {
    MAIL_OPEN_CREATE = 1 << 0, /* make the folder and an empty index where there is none; one that
                                  may not be changed is MAIL_ERROR_IO */
    /* with CREATE: also where an index has been whose tags can be brought back, which is
       MAIL_ERROR_CORRUPT else; mail_repair_begin does it */
    MAIL_OPEN_RESTORE = 1 << 1
};

struct mail_open_options {
    const char *path;      /* the folder that holds (or will hold) ".mailindex"; absolute */
    const char *mail_root; /* the mail; absolute; NULL: the same as path */
    unsigned flags;        /* enum mail_open_flags */
    int lock_timeout;      /* seconds to wait for a lock; 0 tries once; negative: 30 */
    const char *command;   /* who we are, for lock.holder ("mail new"); NULL: "?" */
    /* The next two say how words are indexed from now on through this handle, and how queries read
     * what they ask. What was indexed under other settings stays as it is. */
    const char *stemmer; /* a Snowball stemmer of Xapian's; "none"; NULL: "english" */
    const struct mail_header_prefix *headers; /* ended by a NULL name; NULL: none */
};

/* Opens an index for reading; changing it needs no other handle (each change takes the lock for
 * itself, and moves the handle on to what it has made of the index). MAIL_ERROR_NO_INDEX,
 * _NO_MAIL_ROOT, _VERSION, _CORRUPT, _IO, _RESOURCES, _OVERTAKEN, _ARGUMENT (stemmer, headers),
 * and where it creates _LOCKED, _READ_ONLY, _NO_SPACE. */
enum mail_status mail_index_open (void *ctx, const struct mail_open_options *options,
                                  struct mail_index **index_out, char **error_out);
/* Closes and frees; NULL is allowed. talloc_free does the same. */
void mail_index_close (struct mail_index *index);
/* Moves the handle to the newest revision. */
enum mail_status mail_index_refresh (struct mail_index *index);

/* One line about the last failure on this handle; "" when there was none. */
const char *mail_index_error (const struct mail_index *index);
/* ".../.mailindex"; the mail root; the index's own UUID (36 characters, kept over compaction). */
const char *mail_index_folder (const struct mail_index *index);
const char *mail_index_mail_root (const struct mail_index *index);
const char *mail_index_uuid (const struct mail_index *index);
/* The number of the last change that this handle sees: it grows by one a commit that changes a
 * message. */
uint64_t mail_index_revision (const struct mail_index *index);
/* A letter of maildir(5)'s ":2," and the tag that it stands for (or, inverse, its absence). */
struct mail_flag {
    char letter; /* A to Z, a to z */
    const char *tag;
    bool inverse;
};
/* Which letters this handle knows besides D draft, F flagged, P passed, R replied and S not unread
 * (Dovecot's keywords are a to z), and whether changes of tags go into the names of files
 * (mail_query_edit, mail_edits_apply); without this call they do not. Strings are copied. A letter
 * or tag that is there twice, a tag that may not be added: MAIL_ERROR_ARGUMENT. */
enum mail_status mail_index_set_flags (struct mail_index *index, bool to_names,
                                       const struct mail_flag *more, size_t count);
/* Configuration kept in the index ("config set --database"): keys as "section.item", in byte order;
 * an array of *count_out. What they mean is the caller's affair. */
struct mail_setting {
    const char *key, *value;
};
enum mail_status mail_index_settings (void *ctx, struct mail_index *index,
                                      struct mail_setting **settings_out, size_t *count_out);
/* Sets these keys, in one commit; an empty value removes one. */
enum mail_status mail_index_set_settings (struct mail_index *index,
                                          const struct mail_setting *settings, size_t count);
/* Messages in all, in the revision that this handle sees. */
uint32_t mail_index_count (const struct mail_index *index);
/* Milliseconds that this handle has spent waiting for locks. */
uint64_t mail_index_lock_wait (const struct mail_index *index);

/* ---- messages ------------------------------------------------------------------------------ */

/* A message as state knows it; no mail file is opened. */
struct mail_message;

/* The fields that state keeps. Values are those of the message's first file, unfolded, RFC 2047
 * decoded (invalid bytes replaced), "" where missing; To, Cc, Bcc and Reply-To of all fields of the
 * name. */
#define MAIL_FIELD_LIST(X) \
    X (MAIL_FROM, "From") \
    X (MAIL_TO, "To") \
    X (MAIL_CC, "Cc") \
    X (MAIL_BCC, "Bcc") \
    X (MAIL_SUBJECT, "Subject") \
    X (MAIL_REPLY_TO, "Reply-To") \
    X (MAIL_LIST_ID, "List-Id")
#define MAIL_FIELD_ENUM(name, header) name,
enum mail_field { MAIL_FIELD_LIST (MAIL_FIELD_ENUM) MAIL_FIELD_COUNT };
#undef MAIL_FIELD_ENUM

struct mail_file {
    const char *folder; /* relative path of the folder */
    const char *name;   /* base name */
};

/* The message with this Message-ID (without "<>"; RFC 5322 3.6.4, case kept); *message_out is NULL
 * where there is none. */
enum mail_status mail_message_find (void *ctx, struct mail_index *index, const char *message_id,
                                    struct mail_message **message_out);
uint32_t mail_message_docid (const struct mail_message *message);
const char *mail_message_id (const struct mail_message *message);
uint64_t mail_message_thread (const struct mail_message *message);
/* 0 where it has none, or none that can be read. */
int64_t mail_message_date (const struct mail_message *message);
/* Bytes of the first file. */
uint64_t mail_message_size (const struct mail_message *message);
/* Of the last change. */
uint64_t mail_message_revision (const struct mail_message *message);
const char *mail_message_field (const struct mail_message *message, enum mail_field field);
/* Tags in byte order; NULL-terminated, *count_out may be NULL. */
const char *const *mail_message_tags (const struct mail_message *message, size_t *count_out);
/* What the message has besides tags: pairs, a key can have several values. By key and value, in
 * byte order; an array of *count_out. */
struct mail_property {
    const char *key, *value;
};
const struct mail_property *mail_message_properties (const struct mail_message *message,
                                                     size_t *count_out);
/* Message-IDs named by References and In-Reply-To, in that order, without the message's own;
 * NULL-terminated. */
const char *const *mail_message_references (const struct mail_message *message, size_t *count_out);
/* The message answered: notmuch's rule (In-Reply-To when it is one id and nothing else, else the
 * last of References, else the last id of In-Reply-To); NULL for none. */
const char *mail_message_parent (const struct mail_message *message);
/* Files in the order of (folder, name); at least one. */
const struct mail_file *mail_message_files (const struct mail_message *message, size_t *count_out);
/* Absolute path of a file of this index, talloc'd on ctx. */
char *mail_file_path (void *ctx, const struct mail_index *index, const struct mail_file *file);

/* ---- content of a mail file ---------------------------------------------------------------- */

/* A mail file parsed (RFC 5322, 2045-2049, 2183, 2231). */
struct mail_content;

enum mail_part_kind {
    MAIL_PART_LEAF,      /* has text or bytes */
    MAIL_PART_MULTIPART, /* has parts */
    MAIL_PART_MESSAGE,   /* message/rfc822: has one part, and headers of its own */
    MAIL_PART_OPENED     /* application/pkcs7-mime: has bytes, and one part that was in them */
};

struct mail_part {
    enum mail_part_kind kind;
    int number;             /* depth-first, from 1 (the body) */
    int depth;              /* 0 for the body */
    size_t end;             /* index of the first part after this one's sub-parts */
    const char *type;       /* "text/plain", lower case */
    const char *filename;   /* decoded; NULL for none */
    const char *content_id; /* without "<>"; NULL for none */
    bool attachment;        /* Content-Disposition: attachment */
    bool text;              /* a leaf of type text, of which mail_part_text can be had */
    /* As the mail spells them; NULL for none, but the type, which is never NULL. */
    const char *spelled_type, *disposition, *charset, *encoding;
    uint64_t length; /* of its body, as it lies in the file, in bytes */
};

/* Parses an absolute path. MAIL_ERROR_IO, MAIL_ERROR_NOT_MAIL. */
enum mail_status mail_content_open (void *ctx, const char *path, struct mail_content **content_out,
                                    char **error_out);
/* The Message-ID by which an index knows this mail, a made-up one where it has none of its own;
 * talloc'd on ctx. */
char *mail_content_message_id (void *ctx, const struct mail_content *content);
/* Parts in depth-first order. */
const struct mail_part *mail_content_parts (const struct mail_content *content, size_t *count_out);
/* First header field of this name, any case, decoded; of To, Cc, Bcc and Reply-To all of that name
 * as one list; NULL for none. part: NULL for the message's own, else a MAIL_PART_MESSAGE. */
const char *mail_content_header (struct mail_content *content, const struct mail_part *part,
                                 const char *name);
/* The name of the first such field as the mail spells it; NULL for none. part as above. */
const char *mail_content_header_name (const struct mail_content *content,
                                      const struct mail_part *part, const char *name);
/* All values of the fields of this name, joined with blanks, unfolded but not decoded; NULL for
 * none; talloc'd on ctx. */
char *mail_content_header_raw (void *ctx, const struct mail_content *content, const char *name);
/* Text of a text part as UTF-8 with LF line ends; *text_out is talloc'd on ctx, NUL-terminated. */
enum mail_status mail_part_text (void *ctx, struct mail_content *content,
                                 const struct mail_part *part, char **text_out, size_t *length_out);

/* Takes bytes, in pieces of at most some hundred kilobytes; false: no more are wanted. */
struct mail_sink {
    bool (*write) (void *closure, const char *bytes, size_t length);
    void *closure;
};
/* The bytes of a part, whatever its size, in little memory: of a leaf its content without the
 * transfer encoding (so too of a MAIL_PART_OPENED); of a MAIL_PART_MESSAGE the message; of a
 * MAIL_PART_MULTIPART its header (the fields that describe content only, where that is a message's)
 * and all that is in it. False where the sink wanted no more. */
bool mail_part_write (const struct mail_content *content, const struct mail_part *part,
                      struct mail_sink sink);
/* All bytes of a mail file (absolute path), unpacked where it is packed. MAIL_ERROR_IO, with errno
 * set; MAIL_OK also where the sink wanted no more. */
enum mail_status mail_file_write (const char *path, struct mail_sink sink);

/* ---- signatures and encryption (RFC 3156, 8551) ---- */

enum mail_signature_status {
    MAIL_SIGNATURE_GOOD,
    MAIL_SIGNATURE_BAD,
    MAIL_SIGNATURE_ERROR,
    MAIL_SIGNATURE_UNKNOWN
};
/* What is wrong with a signature or with its key. */
#define MAIL_SIGNATURE_ERROR_LIST(X) \
    X (MAIL_SIGNATURE_KEY_REVOKED, 0x10, "key-revoked") \
    X (MAIL_SIGNATURE_KEY_EXPIRED, 0x20, "key-expired") \
    X (MAIL_SIGNATURE_SIG_EXPIRED, 0x40, "sig-expired") \
    X (MAIL_SIGNATURE_KEY_MISSING, 0x80, "key-missing") \
    X (MAIL_SIGNATURE_CRL_MISSING, 0x100, "crl-missing") \
    X (MAIL_SIGNATURE_CRL_TOO_OLD, 0x200, "crl-too-old") \
    X (MAIL_SIGNATURE_BAD_POLICY, 0x400, "bad-policy") \
    X (MAIL_SIGNATURE_SYS_ERROR, 0x800, "sys-error") \
    X (MAIL_SIGNATURE_TOFU_CONFLICT, 0x1000, "tofu-conflict")
#define MAIL_SIGNATURE_ERROR_ENUM(name, bit, word) name = bit,
enum mail_signature_error { MAIL_SIGNATURE_ERROR_LIST (MAIL_SIGNATURE_ERROR_ENUM) };
#undef MAIL_SIGNATURE_ERROR_ENUM

struct mail_signature {
    enum mail_signature_status status;
    unsigned errors;                  /* enum mail_signature_error */
    const char *fingerprint, *key_id; /* of the key; NULL where not known */
    const char *user_id, *email;      /* of its owner, where that is certain; else NULL */
    int64_t created, expires;         /* of the signature; 0: not known, never */
};

/* Whose keys are used to decrypt. */
enum mail_decrypt {
    MAIL_DECRYPT_FALSE,  /* nobody's */
    MAIL_DECRYPT_TRUE,   /* session keys that the index has, else the user's secret keys; the
                            session keys are to be kept */
    MAIL_DECRYPT_AUTO,   /* session keys that the index has */
    MAIL_DECRYPT_NOSTASH /* as true, but nothing is kept */
};

struct mail_unlock_options {
    enum mail_decrypt decrypt;
    bool verify; /* look at signatures; those inside of what is decrypted, or of a signed
                    application/pkcs7-mime, are looked at anyway */
    int part;    /* the only part that is wanted, by its number; 0: all */
    bool inside; /* with all that is in it */
    /* Told a line about each part that cannot be opened; may be NULL. */
    void (*tell) (void *closure, const char *line);
    void *closure;
};
/* Opens what is signed and encrypted, with gpg and gpgsm, as programs of this process. Parts got
 * before are not valid any more: what was encrypted is in its place among them, and what has to be
 * repaired (RFC 3156 mail turned into multipart/mixed, parts that repeat protected headers) is
 * repaired. May be called once. message: of the index, for its session keys; NULL: none. */
void mail_content_unlock (struct mail_content *content, const struct mail_message *message,
                          const struct mail_unlock_options *options);

/* What has become of one part. */
struct mail_part_security {
    bool decrypt_tried, decrypted;
    bool verify_tried;
    const struct mail_signature *signatures;
    size_t signature_count;
};
/* NULL where the part is none that could be opened. */
const struct mail_part_security *mail_part_crypto (const struct mail_content *content,
                                                   const struct mail_part *part);

/* What the layers around the message's content make of it as a whole. */
struct mail_security {
    const struct mail_signature *signatures; /* of the innermost signature */
    size_t signature_count;
    bool signed_inside; /* that signature was encrypted */
    bool decrypted;     /* something is; all: nothing is shown that was not encrypted */
    bool decrypted_all;
    const char *subject; /* protected, decoded; NULL for none */
};
const struct mail_security *mail_content_crypto (const struct mail_content *content);
/* Session keys found while opening it that the message does not have yet; NULL-terminated. */
const char *const *mail_content_session_keys (const struct mail_content *content,
                                              size_t *count_out);

/* ---- addresses ---- */

/* A mailbox (RFC 5322 3.4). */
struct mail_address {
    const char *name;    /* decoded display name; "" for none */
    const char *address; /* never "" */
};
/* Those of the fields From, To, Cc, Bcc, Reply-To, as state has them; members of groups, without
 * the group; what has no address is left out. What is encoded is never syntax. talloc'd on ctx. */
struct mail_address *mail_message_addresses (void *ctx, const struct mail_message *message,
                                             enum mail_field field, size_t *count_out);
/* Those of all fields of this name in the message's header. */
struct mail_address *mail_content_addresses (void *ctx, const struct mail_content *content,
                                             const char *name, size_t *count_out);
/* "name <address>" as people read it: the name in quotes where it holds one of .,;:@()[]<>, a
 * backslash or half a pair of quotes, so that it can never be taken for an address; the address
 * alone where there is no name; talloc'd on ctx. */
char *mail_address_text (void *ctx, const struct mail_address *address);

/* ---- header fields to send ---- */

/* "Name: value\n", with encoded words (RFC 2047) where needed, folded; value is decoded text.
 * talloc'd on ctx. */
char *mail_compose_text (void *ctx, const char *name, const char *value);
/* The same of From, To, Cc or Bcc. "" for no addresses. */
char *mail_compose_addresses (void *ctx, enum mail_field field,
                              const struct mail_address *addresses, size_t count);

/* ---- queries ------------------------------------------------------------------------------- */

struct mail_query;

/* Where a query is wrong. */
struct mail_query_error {
    size_t offset;       /* in bytes, from the start of the text */
    size_t length;       /* of the faulty piece; at least 1 */
    const char *message; /* what is wrong, talloc'd on ctx */
    const char *hint;    /* what to write instead; NULL for none */
};

/* The language is described in mail-search-terms(7). MAIL_ERROR_QUERY fills *error_out. */
enum mail_status mail_query_parse (void *ctx, struct mail_index *index, const char *text,
                                   struct mail_query **query_out,
                                   struct mail_query_error *error_out);

/* How a query is written: as people type it, or as an S-expression. */
enum mail_query_syntax { MAIL_SYNTAX_INFIX, MAIL_SYNTAX_SEXP };

/* Saved queries. find returns the text behind a name, NULL for none: of infix for query:NAME, of an
 * S-expression for (NAME ...). It is called while parsing only, and the text must stay till the end
 * of that. May be NULL.
 * lenient: what can hardly have been meant is no error, but taken as notmuch takes it: a
 * parenthesis that is never closed (at the end) or closes nothing, a prefix with nothing behind it
 * or nearly a prefix (words), nothing to search for, an unknown saved query, a range that ends
 * before it begins, a value that cannot be (no message). */
struct mail_query_names {
    const char *(*find) (void *closure, enum mail_query_syntax syntax, const char *name);
    void *closure;
    bool lenient;
};

/* mail_query_parse with a choice of the language, saved queries, and how strict to be (names may be
 * NULL). */
enum mail_status mail_query_parse_as (void *ctx, struct mail_index *index,
                                      enum mail_query_syntax syntax,
                                      const struct mail_query_names *names, const char *text,
                                      struct mail_query **query_out,
                                      struct mail_query_error *error_out);

/* What was put right while parsing and is perhaps not what was meant (a quote that is never
 * closed); NULL for nothing. Belongs to the query. */
const struct mail_query_error *mail_query_warning (const struct mail_query *query);

/* Whether the query asks for this tag by name or by a regular expression, be it by "not", or has a
 * word without a prefix that is also looked for among the tags: then it is not to be excluded. What
 * stands inside thread:{...} does not count. */
bool mail_query_names_tag (const struct mail_query *query, const char *tag);
/* From now on the query does not match what has one of these tags; NULL-terminated. */
void mail_query_exclude (struct mail_query *query, const char *const *tags);

enum mail_sort { MAIL_SORT_NEWEST_FIRST, MAIL_SORT_OLDEST_FIRST, MAIL_SORT_UNSORTED };

struct mail_count {
    uint64_t messages, threads, files;
};
/* Counts the messages that match; threads and files are counted only where asked for. */
enum mail_status mail_query_count (struct mail_query *query, bool threads, bool files,
                                   struct mail_count *count_out);

/* The tree and the plan of the last evaluation, for people: lines, each ended; talloc'd on ctx. */
char *mail_query_explain (void *ctx, struct mail_query *query);

/* The matches of one moment. */
struct mail_results;
/* Equal dates come in ascending document id, in either order. */
enum mail_status mail_query_run (void *ctx, struct mail_query *query, enum mail_sort sort,
                                 struct mail_results **results_out);
size_t mail_results_count (const struct mail_results *results);
/* Document ids in the order asked for; belongs to results. */
const uint32_t *mail_results_docids (const struct mail_results *results);

/* Reads messages in the order of results, from match number first on, at most limit of them. */
struct mail_messages;
enum mail_status mail_messages_open (void *ctx, struct mail_results *results, size_t first,
                                     size_t limit, struct mail_messages **messages_out);
/* The same of all matches, but only id, document id, thread, tags and properties are read, and all
 * else is empty: half the work. */
enum mail_status mail_messages_open_tags (void *ctx, struct mail_results *results,
                                          struct mail_messages **messages_out);
/* The same, but id, thread, tags and properties are empty: four fifths of the work. */
enum mail_status mail_messages_open_headers (void *ctx, struct mail_results *results,
                                             struct mail_messages **messages_out);
/* The next message, or NULL at the end. It belongs to the iterator, until the next call. A message
 * that is gone by now is passed over. */
enum mail_status mail_messages_next (struct mail_messages *messages,
                                     struct mail_message **message_out);

/* What the field From of a message says, as mail_message_addresses has it. */
struct mail_sender {
    const struct mail_address *addresses;
    size_t count;
};
/* Whom all matches are from, in the order of results: a tenth of the work of reading the messages.
 */
struct mail_senders;
enum mail_status mail_senders_open (void *ctx, struct mail_results *results,
                                    struct mail_senders **senders_out);
/* That of the next message, or NULL at the end. It lives as long as senders, and messages with the
 * same From have the same one. A message that is gone by now is passed over. */
enum mail_status mail_senders_next (struct mail_senders *senders,
                                    const struct mail_sender **sender_out);

/* Every tag in the index, in byte order, NULL-terminated. */
enum mail_status mail_index_tags (void *ctx, struct mail_index *index, char ***tags_out);
/* The tags of all matches, in byte order, NULL-terminated. */
enum mail_status mail_results_tags (void *ctx, struct mail_results *results, char ***tags_out);

/* ---- threads ------------------------------------------------------------------------------- */

/* Threads of the matches, in the order of their first match, from number first on. */
struct mail_threads;
struct mail_thread;
enum mail_status mail_threads_open (void *ctx, struct mail_results *results, size_t first,
                                    size_t limit, struct mail_threads **threads_out);
/* How many threads the results have in all. */
size_t mail_threads_count (const struct mail_threads *threads);
/* The id only; false at the end. Cheap: reads no message. */
bool mail_threads_next_id (struct mail_threads *threads, uint64_t *thread_out);
/* The next thread with its messages, or NULL at the end; belongs to the iterator, until the next
 * call. */
enum mail_status mail_threads_next (struct mail_threads *threads, struct mail_thread **thread_out);

uint64_t mail_thread_id (const struct mail_thread *thread);
/* All messages, oldest first (equal dates: by document id); matched[i] says which match. */
struct mail_message *const *mail_thread_messages (const struct mail_thread *thread,
                                                  size_t *count_out);
bool mail_thread_message_matched (const struct mail_thread *thread, size_t i);
size_t mail_thread_matched (const struct mail_thread *thread);
size_t mail_thread_files (const struct mail_thread *thread);
/* Dates of the matching messages. */
int64_t mail_thread_oldest (const struct mail_thread *thread);
int64_t mail_thread_newest (const struct mail_thread *thread);
/* Authors of the matching messages in order of date, then after "| " the others. */
const char *mail_thread_authors (const struct mail_thread *thread);
/* The same with other separators than ", " between authors and "| " before the others; talloc'd on
 * ctx. */
char *mail_thread_authors_with (void *ctx, const struct mail_thread *thread, const char *between,
                                const char *before_others);
/* Of the newest (sort newest first) or oldest matching message, without one leading "Re: ",
 * "Aw: ", "Vs: " or "Sv: "; empty subjects are passed over where another exists. */
const char *mail_thread_subject (const struct mail_thread *thread);
/* Union of the tags of all its messages, in byte order, NULL-terminated. */
const char *const *mail_thread_tags (const struct mail_thread *thread, size_t *count_out);

/* ---- tags ---------------------------------------------------------------------------------- */

struct mail_tag_change {
    const char *tag;
    bool add; /* false: remove */
};

#define MAIL_TAG_MAX 200 /* bytes */

/* Says in *reason_out (static, may be NULL) why a tag may not be added; MAIL_ERROR_ARGUMENT. */
enum mail_status mail_tag_check (const char *tag, const char **reason_out);

/* How tags, and keys and values of properties and settings, are written in batch files and dumps:
 * bytes other than ASCII letters, digits and "+-_@=.," as "%xx". */
char *mail_hex_encode (void *ctx, const char *text);
/* Undoes it in place; false, with text spoilt, where two hex digits do not follow a "%", or stand
 * for NUL. */
bool mail_hex_decode (char *text);

/* What is to be done to a message. */
struct mail_edit {
    bool remove_tags; /* first: all of them */
    const struct mail_tag_change *tags;
    size_t tag_count;
    bool rename_files; /* as the tags want it (mail_index_set_flags), even if they do not change */
    bool remove_properties;                 /* first: all of them */
    const struct mail_property *properties; /* to add */
    size_t property_count;
};

/* Does it, in order, to every match. Messages that already are so keep their revision. Works in
 * slices of about a quarter of a second and lets go of the lock in between; *changed_out (may be
 * NULL) counts the messages written, also on failure: what is counted is committed. */
enum mail_status mail_query_edit (struct mail_query *query, const struct mail_edit *edit,
                                  uint64_t *changed_out);
/* The same for tags only. */
enum mail_status mail_query_tag (struct mail_query *query, const struct mail_tag_change *changes,
                                 size_t count, uint64_t *changed_out);

/* What is to be done to many messages, each named by its Message-ID. */
struct mail_edits;
struct mail_edits *mail_edits_create (void *ctx, struct mail_index *index);
/* Adds one; everything is copied. What is not allowed (mail_tag_check; a property without a key,
 * with a "=" in it, or of over 238 bytes): MAIL_ERROR_ARGUMENT, and nothing is added. */
enum mail_status mail_edits_add (struct mail_edits *edits, const char *message_id,
                                 const struct mail_edit *edit);
size_t mail_edits_count (const struct mail_edits *edits);
/* Told, without the lock, of a Message-ID that is none of the index's. */
typedef void (*mail_missing_fn) (void *closure, const char *message_id);
/* Does all of it in order, in slices as mail_query_edit, and empties the list: also on failure,
 * when *changed_out (may be NULL) tells what is committed. missing may be NULL. */
enum mail_status mail_edits_apply (struct mail_edits *edits, mail_missing_fn missing, void *closure,
                                   uint64_t *changed_out);

/* ---- looking for new mail ------------------------------------------------------------------ */

/* What the file system said of a file or folder (st_dev, st_ino, st_size, times in ns since the
 * epoch). */
struct mail_stat {
    uint64_t device, inode, size;
    int64_t mtime, ctime; /* 0: not known or not to be trusted */
};

/* Folders as the index knows them. */
struct mail_folder {
    uint32_t id;      /* document id of the directory record; never 0 */
    uint32_t parent;  /* id of the folder it lies in; 0 for the mail root */
    const char *name; /* base name; "" for the mail root */
    struct mail_stat stat;
};
struct mail_folders;
/* All folders, in one pass over the directory column. */
enum mail_status mail_folders_load (void *ctx, struct mail_index *index,
                                    struct mail_folders **folders_out);
const struct mail_folder *mail_folders_list (const struct mail_folders *folders, size_t *count_out);
/* By id, by (parent, name): NULL where there is none. */
const struct mail_folder *mail_folders_by_id (const struct mail_folders *folders, uint32_t id);
const struct mail_folder *mail_folders_child (const struct mail_folders *folders, uint32_t parent,
                                              const char *name);
/* Relative path, talloc'd on ctx. */
char *mail_folders_path (void *ctx, const struct mail_folders *folders, uint32_t id);
/* Children in byte order of their names: an array of count pointers. */
const struct mail_folder *const *mail_folders_children (const struct mail_folders *folders,
                                                        uint32_t parent, size_t *count_out);

/* Base names of the files stored for a folder, in byte order, those of remembered problems among
 * them; an array of *count_out. */
enum mail_status mail_folder_files (void *ctx, struct mail_index *index, uint32_t folder,
                                    char ***names_out, size_t *count_out);
/* What the record says of one stored file; *found_out tells whether there is such a file. */
enum mail_status mail_folder_file_stat (struct mail_index *index, uint32_t folder, const char *name,
                                        struct mail_stat *stat_out, bool *found_out);

/* ---- what could not be indexed ---- */

/* Reasons, with the words of the list of problems. */
#define MAIL_REASON_LIST(X) \
    X (MAIL_REASON_NOT_MAIL, "not-mail") \
    X (MAIL_REASON_EMPTY, "empty") \
    X (MAIL_REASON_DANGLING_LINK, "dangling-link") \
    X (MAIL_REASON_UNREADABLE, "unreadable") \
    X (MAIL_REASON_VANISHED, "vanished") \
    X (MAIL_REASON_NAME_TOO_LONG, "name-too-long") \
    X (MAIL_REASON_WORKER_DIED, "worker-died") \
    X (MAIL_REASON_TOO_DEEP, "too-deep") \
    X (MAIL_REASON_TOO_BIG, "too-big") \
    X (MAIL_REASON_TRUNCATED, "truncated") \
    X (MAIL_REASON_TOO_MANY_COPIES, "too-many-copies") \
    X (MAIL_REASON_SPECIAL_FILE, "special-file") \
    X (MAIL_REASON_REFUSED, "refused")

#define MAIL_REASON_ENUM(name, word) name,
enum mail_reason { MAIL_REASON_LIST (MAIL_REASON_ENUM) MAIL_REASON_COUNT };
#undef MAIL_REASON_ENUM
/* The word of the table above; "unknown" for anything else. Static. */
const char *mail_reason_word (enum mail_reason reason);

/* A name in a folder that is remembered because it could not be indexed, or not wholly. */
struct mail_problem {
    enum mail_reason reason;
    int64_t since;         /* seconds; when it was first met */
    uint32_t folder;       /* id of the folder it is in */
    const char *name;      /* base name */
    struct mail_stat stat; /* as it was then; zero where it could not be had */
};
/* All of them, by folder and name; an array of *count_out. */
enum mail_status mail_problems_load (void *ctx, struct mail_index *index,
                                     struct mail_problem **problems_out, size_t *count_out);
/* The files of messages that are indexed, but not with all of their words: too deep, too big, or
 * with a header field that is truncated (the property index.limit tells). In the same form; since
 * is when the file was last changed. */
enum mail_status mail_problems_in_part (void *ctx, struct mail_index *index,
                                        struct mail_problem **problems_out, size_t *count_out);

/* ---- changes ---- */

/* A list of changes found by a scan, applied together by mail_changes_apply. Folders and files are
 * named by relative paths; strings are copied. To be created before anything is looked at: where
 * another program has recorded the times of a folder since then, and the list changes something in
 * it, the folder is listed again by the next scan. */
struct mail_changes;
struct mail_changes *mail_changes_create (void *ctx, struct mail_index *index);
/* All folders as the index had them when the list was created; they belong to it. An error is one
 * of mail_folders_load, and mail_changes_apply will return it too. */
enum mail_status mail_changes_folders (const struct mail_changes *changes,
                                       const struct mail_folders **folders_out);
/* The folder was listed. Its record (made where missing, with its parents) gets this stat in the
 * same commit as the last change of the folder itself, and the times only if all of them could be
 * done. stat times of 0 make the next scan list it again. */
void mail_changes_folder (struct mail_changes *changes, const char *folder,
                          const struct mail_stat *stat);
/* The folder was renamed or moved; its contents are as they were. */
void mail_changes_move_folder (struct mail_changes *changes, uint32_t id, const char *to);
/* The folder is gone, with all that the index has below it. */
void mail_changes_drop_folder (struct mail_changes *changes, uint32_t id);
/* A file to index; a file name that is stored already is read again. */
void mail_changes_add (struct mail_changes *changes, const char *folder, const char *name,
                       const struct mail_stat *stat);
/* The same file under another name or in another folder; it is not read. */
void mail_changes_move (struct mail_changes *changes, uint32_t from_folder, const char *from_name,
                        const char *folder, const char *name, const struct mail_stat *stat);
/* The file is gone. */
void mail_changes_drop (struct mail_changes *changes, uint32_t folder, const char *name);
/* The file was not there: for who asks for single files, and not for what their folder has. It is
 * dropped where that is still so under the lock: files are renamed there and back, with their tags.
 */
void mail_changes_drop_missing (struct mail_changes *changes, uint32_t folder, const char *name);
/* The name cannot be indexed, and is to be remembered with its reason: it is among the files of the
 * folder from then on, until it is dropped or can be added. */
void mail_changes_problem (struct mail_changes *changes, const char *folder, const char *name,
                           enum mail_reason reason, const struct mail_stat *stat);
/* Files to add so far. */
size_t mail_changes_count_added (const struct mail_changes *changes);
bool mail_changes_empty (const struct mail_changes *changes);

/* Both are called without the lock, and never while something is committed. */

/* Told about each file of mail_changes_add that could not be indexed; with MAIL_OK and the word of
 * a reason, of one that is indexed up to a limit. */
typedef void (*mail_problem_fn) (void *closure, const char *path, enum mail_status status,
                                 const char *text);
/* Told when a file has been read (path), when a block has been published, and now and then while
 * waiting (path NULL). Returning
 * false publishes what is done and stops with MAIL_ERROR_INTERRUPTED. */
typedef bool (*mail_progress_fn) (void *closure, const char *path, uint64_t done, uint64_t total);

/* Processes that read mail for mail_changes_apply: sandboxed, one message at a time, replaced when
 * one dies. count: 0 for one a processor. memory: bytes that one may use for what it indexes, 0 for
 * 100 MiB. Forks at once, so call it before there are threads; the process uses nothing of an index
 * that is open. A run with nothing to do needs none.
 * Freeing it ends them. MAIL_ERROR_IO. */
struct mail_workers;
enum mail_status mail_workers_start (void *ctx, unsigned count, size_t memory,
                                     struct mail_workers **workers_out);

struct mail_apply_options {
    struct mail_workers *workers; /* NULL: mail is read in this process, without a sandbox */
    const char *const *new_tags;  /* NULL-terminated; for messages not known before */
    size_t new_tags_count;
    unsigned tombstone_days;  /* how long a message that has no file any more keeps its tags for the
                                 case that it comes back (which then counts as a rename); 0: not */
    bool reindex;             /* files that are known already get words, headers, and the tags and
                                 properties (index.*) that follow from their content anew */
    bool maildir_flags;       /* set and clear draft, flagged, passed, replied, unread from names */
    struct mail_edits *known; /* what another index had: a message not known before gets this in
                                 place of new_tags, of tags that follow from its content, and of
                                 what names of files say; its properties index.* stay those of this
                                 index. NULL: nothing. The list stays as it is. */
    int64_t quiet_before;     /* a first import: messages not known before that are seen (by the
                                 name of a file), or older than this moment, get neither inbox nor
                                 unread, whatever else says so; 0: it is none. What has no date is
                                 not old. */
    const char *const *rebuild; /* NULL-terminated names of segments to be made anew from the mail
                                   (mail_index_check); NULL: none */
    enum mail_decrypt decrypt;  /* encrypted mail, for its words; found anew with reindex, where
                                   MAIL_DECRYPT_FALSE also forgets the session keys that there are.
                                   gpg is run outside of the sandbox */
    unsigned
        decrypt_seconds;  /* how long gpg may take for one part, at most 300; 0: 60. A
                             passphrase that   nobody enters is not asked for again in this run */
    uint64_t merge_limit; /* the run merges segments up to so many bytes; 0: to 512 MiB, and makes
                             those anew of which much is stale */
    mail_problem_fn problem;
    mail_progress_fn progress;
    void *closure;
};

struct mail_apply_counts {
    uint64_t processed; /* files tried */
    uint64_t added;     /* messages not known before */
    uint64_t renamed;   /* files that went while their message stayed, and files moved */
    uint64_t removed;   /* messages whose last file went */
    uint64_t not_mail;  /* files that are not mail */
    uint64_t failed;    /* files that could not be read or indexed */
    uint64_t vanished;  /* files that were gone when their turn came */
    uint64_t in_part;   /* files that are indexed up to a limit (mail_problems_in_part) */
    uint64_t known;     /* messages added that known has something for */
    uint64_t quiet;     /* messages added that quiet_before has kept a tag from */
};

/* Does all of it: moves first; then the files to add, in blocks, each published in one commit as it
 * is done; then removals. Segments are merged meanwhile; with merge_limit 0 those of which much is
 * stale are made anew at the end. Counts are valid on failure too: what is counted is committed. A
 * file that cannot be indexed is told to problem() and stops nothing. The list is empty afterwards,
 * also on failure: what is found later needs a new one. */
enum mail_status mail_changes_apply (struct mail_changes *changes,
                                     const struct mail_apply_options *options,
                                     struct mail_apply_counts *counts_out);

/* Whether the mail has still to be indexed for the first time: so from the making of the index,
 * over all runs that are stopped before their end, until somebody says that it is done. An index
 * made anew by mail_repair_begin goes by whether there is a snapshot. */
bool mail_index_first_import (struct mail_index *index);
/* Says that it is done. */
enum mail_status mail_index_end_first_import (struct mail_index *index);

/* Adds to edits, which must be empty, what takes back the last command of this name (as in
 * mail_open_options; a command is what one handle does) that changed tags and has not been taken
 * back wholly. The last is the one with the latest commit. Each tag of each message becomes what it
 * was before the command, where the command changed it in the end; a message with which an earlier
 * call was done that was stopped is left alone. Only what the journal has since the last snapshot
 * is known, and a command that began before it cannot be taken back. mail_edits_apply writes down
 * that it takes that command back. Until edits is freed, nobody else can begin to take back a
 * command: who calls this waits. *time_out: when the command was run; 0 where there is none, and
 * nothing is added. MAIL_ERROR_LOCKED, _IO. */
enum mail_status mail_undo_find (struct mail_edits *edits, struct mail_index *index,
                                 const char *command, int64_t *time_out);

/* ---- looking after an index ---- */

/* Where damage is. */
enum mail_store {
    MAIL_STORE_STATE,
    MAIL_STORE_TEXT,
    MAIL_STORE_JOURNAL,
    MAIL_STORE_SNAPSHOT,
    MAIL_STORE_REPAIR, /* no damage: mail_repair_tags has still to be called */
    MAIL_STORE_COUNT
};
struct mail_damage {
    enum mail_store store;
    const char *path; /* of the file or folder, relative to ".mailindex" */
    const char *text; /* one line */
};
typedef void (*mail_damage_fn) (void *closure, const struct mail_damage *damage);

/* Reads all of the index at options->path and tells of everything that is damaged; *found_out
 * counts. What seems damaged is looked at again under the lock before it is told. An index whose
 * state is missing is damaged; where there never was one: MAIL_ERROR_NO_INDEX. It is read in a
 * child process, since damage can take down whoever reads it. */
enum mail_status mail_index_check (void *ctx, const struct mail_open_options *options,
                                   mail_damage_fn each, void *closure, size_t *found_out,
                                   char **error_out);
/* Mends MAIL_STORE_STATE, first step: moves state and text into a new folder *aside_out (talloc'd)
 * and makes an empty index, which says that it has to be filled (by mail_changes_apply with all
 * mail) and its tags brought back (by mail_repair_tags). */
enum mail_status mail_repair_begin (void *ctx, const struct mail_open_options *options,
                                    char **aside_out, char **error_out);
/* Last step: gives all messages the tags and properties that the newest snapshot and the journals
 * have for them; those that are not there now, when they come back (as tombstones). flags: then
 * what the names of files say holds. May be done again if it was stopped. Until it is done, other
 * changes of tags are refused (MAIL_ERROR_LOCKED), and nothing is written to the journal. */
enum mail_status mail_repair_tags (struct mail_index *index, bool flags);
/* Whether mail_repair_begin was called and mail_repair_tags has not been done since. */
bool mail_repair_is_open (struct mail_index *index);

/* Writes tags and properties of all messages into a new file of ".mailindex/backups", begins a new
 * journal, and removes what is older: journals, damaged snapshots, and those before the newest keep
 * (at least one). */
enum mail_status mail_snapshot_take (struct mail_index *index, unsigned keep);
/* Whether it is time: there is none yet, the newest has been taken away, one was not finished, it
 * is a week old, or the journal is over 16 MiB; and something has changed since. */
bool mail_snapshot_is_due (struct mail_index *index);

/* Writes state anew without the room that changes have left in it, and merges the segments into
 * one. Readers go on; who wants to write waits for the first of the two. backup: NULL, or a folder
 * on the same file system, which is made and then holds the index as it was before (it must not be
 * there yet: MAIL_ERROR_ARGUMENT). workers as in mail_apply_options. tell (may be NULL) is told a
 * line about each step. */
typedef void (*mail_compact_fn) (void *closure, const char *line);
enum mail_status mail_index_compact (struct mail_index *index, struct mail_workers *workers,
                                     const char *backup, mail_compact_fn tell, void *closure);

#ifdef __cplusplus
}
#endif

#endif
