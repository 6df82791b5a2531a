/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * show.h - what the files of show (and reply) share: how to show a message, and which.
 *
 * show-threads.c walks; for each message it has show-message.c find and open the file, once, and
 * gives it to one of the forms: show-text.c, show-structured.c, show-raw.c.
 */
#ifndef SHOW_H
#define SHOW_H

#include "command.h"
#include "printer.h"

#include <stdio.h>

enum show_format { SHOW_DEFAULT, SHOW_TEXT, SHOW_JSON, SHOW_SEXP, SHOW_MBOX, SHOW_RAW };

struct show_options {
    int format, sort, decrypt;
    int entire_thread; /* -1: as the format has it */
    int64_t format_version, part, duplicate, offset, limit;
    bool unthreaded, body, exclude, include_html, verify;
};

/* One run. */
struct show {
    struct cli *cli;
    const struct show_options *options;
    struct mail_index *index;
    struct mail_query *query;
    struct mail_results *results;
    FILE *file;
    struct printer *printer; /* of json and sexp; else NULL */
    int64_t now;
    char **excluded;      /* tags of messages that are marked excluded; NULL: none */
    char **extra_headers; /* show.extra_headers */
    void *ctx;            /* of the run */
    struct stash *stash;  /* session keys that are to be kept; NULL: none are */
    bool failed;          /* a message could not be shown */
};

/* A message, its file open. */
struct show_message {
    const struct mail_message *message;
    struct mail_content *content; /* NULL for mbox and raw, which want bytes */
    const char *path;             /* of the file that is shown */
    size_t duplicate;             /* which of the message's files that is, from 1 */
    int depth;                    /* in the thread, among the messages shown */
    bool match, excluded;
};

/* ---- show-message.c ---- */

/* Finds and opens the file of a message that is to be shown: the one asked for, else the first that
 * can be read. False after a message on stderr. depth and match are left alone. */
bool show_message_open (void *ctx, struct show *show, const struct mail_message *message,
                        struct show_message *shown);
/* Shows it in the format of show, with all that comes of it; where its file cannot be opened, null
 * in its place in json and sexp. */
void show_message (struct show *show, const struct mail_message *message, int depth, bool match);
/* The part with this number; NULL where there is none. */
const struct mail_part *show_find_part (const struct show_message *shown, int64_t number);

/* ---- show-crypto.c ---- */

extern const struct option_keyword show_decrypts[];  /* of show, with "stash" */
extern const struct option_keyword reply_decrypts[]; /* values: enum mail_decrypt */
/* Opens what is signed and encrypted in the message, as the options have it; what does not work is
 * told on stderr. */
void show_unlock (struct show *show, struct show_message *shown);
/* Session keys found on the way become properties, and the messages are read again with them.
 * Returns 0, or an exit code after a message. */
int show_keep_session_keys (struct show *show);
/* "encstatus" and "sigstatus" of a part, where there are any. */
void show_put_part_crypto (struct show *show, const struct show_message *shown,
                           const struct mail_part *part);
/* "crypto" of a message. */
void show_put_message_crypto (struct show *show, const struct show_message *shown);

/* ---- show-threads.c ---- */

/* All threads (or, with --unthreaded, all messages) of the results. */
enum mail_status show_threads (void *ctx, struct show *show);

/* ---- the forms ---- */

/* notmuch's text form: each component stands between a line that begins with a form feed,
 * "\fNAME{ ...", and "\fNAME}". No text from mail has a form feed in it, so that none can look like
 * a marker. */
void show_text_message (struct show *show, const struct show_message *shown);
/* One part with all that is in it. */
void show_text_part (struct show *show, const struct show_message *shown,
                     const struct mail_part *part);

/* A map, as notmuch's json and sexp have it. */
void show_structured_message (struct show *show, const struct show_message *shown);
void show_structured_part (struct show *show, const struct show_message *shown,
                           const struct mail_part *part);

/* The bytes of the file; of a part. */
void show_raw_message (struct show *show, const struct show_message *shown);
void show_raw_part (struct show *show, const struct show_message *shown,
                    const struct mail_part *part);
/* The message as an entry of a mailbox (mboxrd). */
void show_mbox_message (struct show *show, const struct show_message *shown);

#endif
