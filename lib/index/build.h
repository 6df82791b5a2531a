/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build.h - a block of mail files to one text segment and a parsed record a file.
 *
 * Nothing here needs the state store or a lock. It is the part that worker processes do: what goes
 * in is a list of jobs, what comes out is plain data.
 */
#ifndef BUILD_H
#define BUILD_H

#include "index/terms.h"
#include "manifest.h"
#include "mime/mime.h"
#include "record.h"

/* One text document to make, of one file or, when a message's words are made anew, of all its
 * files. */
struct build_job {
    uint32_t docid;
    const int *fds; /* open regular files, read from their start; the caller closes them */
    size_t count;
    const char *const *session_keys; /* of the message; NULL-terminated; NULL: none */
    bool part;                       /* the message has files with words that are not among these */
};

/* What is known of a file once it is parsed. */
struct parsed_file {
    enum mail_status status; /* MAIL_OK, or why there is nothing else here */
    const char *problem;     /* a line about it, else NULL */
    bool vanished;           /* there is no such file any more */
    struct mail_stat stat;   /* of the opened file */
    const char *id;          /* in the form of term_message_id() */
    const char *const *tags; /* found by content type */
    size_t tag_count;
    struct mail_property *properties; /* what came of decrypting and repairing it */
    size_t property_count;
    const char *limit;    /* mail_reason_word() of why not all of it is indexed, else NULL */
    struct record record; /* with one file entry, its digest set, folder and name not */
};

/* Opens a mail file and takes its stat; -1 where that fails, with *file_out telling why. */
int build_open (void *ctx, const char *path, struct parsed_file *file_out);
/* Puts the stat of an opened file into what was parsed from it elsewhere. */
void build_set_stat (struct parsed_file *file, const struct mail_stat *stat);
/* A copy of all it points to, on ctx. */
struct parsed_file parsed_file_copy (void *ctx, const struct parsed_file *file);

struct builder;

/* Whether encrypted mail is decrypted for its words, and by whom: struct mime_unlock. */
struct build_unlock {
    enum mail_decrypt decrypt;
    bool (*open) (void *closure, void *ctx, const struct crypto_request *request, int input,
                  struct crypto_result *result_out);
    void *closure;
};

/* unlock must live as long. scratch: an empty folder. terms is used again from segment to segment.
 */
enum mail_status builder_create (void *ctx, const char *scratch, struct terms *terms,
                                 const struct build_unlock *unlock, struct builder **builder_out,
                                 char **error_out);
/* Does a job; files_out[i] is about fds[i] and hangs on ctx; its stat is left as it is. A file that
 * cannot be read or is not mail has that as its own status; the function fails for the segment's
 * sake only. */
enum mail_status builder_add (struct builder *builder, void *ctx, const struct build_job *job,
                              struct parsed_file *files_out);
/* Call between two jobs: writes what has been read, if it is much by now. That is the work of no
 * job: what goes wrong with it may come of any of them. */
enum mail_status builder_flush (struct builder *builder);
/* Writes the segment for the ids first..last to path and describes it (name not set). *made_out is
 * false where no document was added: there is no file then. */
enum mail_status builder_finish (struct builder *builder, const char *path, uint32_t first,
                                 uint32_t last, struct segment *segment_out, bool *made_out);
const char *builder_error (const struct builder *builder);

#endif
