/* SPDX-License-Identifier: GPL-3.0-or-later */
/* index-private.h - the inside of an index handle, for the modules of lib/ that read its stores. */
#ifndef INDEX_PRIVATE_H
#define INDEX_PRIVATE_H

#include "fields.h"
#include "mailindex.h"
#include "manifest.h"
#include "store/store.h"

struct mail_index {
    char *path;   /* database.path */
    char *folder; /* path/.mailindex */
    char *mail_root;
    char *uuid;
    char *command;
    uint32_t run;    /* a number at random: who opens the index is one command in the journal ... */
    unsigned blocks; /* ... of so many blocks so far */
    int lock_timeout;   /* seconds */
    uint64_t lock_wait; /* milliseconds spent so far */
    struct lock *calm;  /* index_retry() holds it for a read; NULL: not */
    char *error;
    struct fields *fields;

    struct store *state;  /* for reading */
    uint64_t state_inode; /* of its folder: another one is there after compacting */
    bool loaded;          /* what follows is of the revision that state is open at */
    uint64_t revision;    /* of that state */
    uint32_t count;       /* of the messages in it */
    uint64_t generation;  /* grows whenever state was reopened and had changed */
    struct manifest *manifest;
    struct store **segments; /* open for reading, in the order of manifest->segments; opened on
                                first use by index_open_segments() */
    struct idset stale;      /* text ids to be left out; loaded on first use, with: */
    struct idset alias_ids;  /* text ids ... */
    uint32_t *alias_of;      /* ... and the message of each */
    bool aliases_loaded;

    bool repairing; /* changes of tags are allowed while META_RESTORING is set */
    struct maildir_flags *flags;
    bool flags_to_names; /* a change of tags goes into the names of files */

    struct mail_folders *folders; /* as of folders_generation; index_folders() */
    uint64_t folders_generation;
};

/* Keeps the text as the handle's error and returns status. */
enum mail_status index_fail (struct mail_index *index, enum mail_status status, const char *format,
                             ...) __attribute__ ((format (printf, 3, 4)));
/* Keeps the store's own text. */
enum mail_status index_fail_store (struct mail_index *index, struct store *store,
                                   enum mail_status status);

/* Whether to start a read again, called after each try (attempt counts from 0, and is its own):
 *
 *     do
 *         status = ...;
 *     while (index_retry (index, &status, &attempt));
 *
 * After MAIL_ERROR_OVERTAKEN (or CORRUPT, or a segment that is missing) the handle is moved on, and
 * *status is then what is to be given back where that makes no sense. Who is overtaken again and
 * again, since commits come faster than the read can be done, gets the lock for the next tries. */
bool index_retry (struct mail_index *index, enum mail_status *status, unsigned *attempt);

/* A value of state's metadata, "" where it is not set; in whichever revision can be read. */
enum mail_status index_metadata (void *ctx, struct mail_index *index, const char *key,
                                 char **text_out);

/* What is read on first use, below, is read anew: state has moved on. */
void index_forget_text (struct mail_index *index);
/* Opens the text segments; MAIL_ERROR_OVERTAKEN when one is missing. */
enum mail_status index_open_segments (struct mail_index *index);
/* Reads which text is whose: stale, alias_ids, alias_of. */
enum mail_status index_load_aliases (struct mail_index *index);
/* Searches all segments, in order of ids, with aliases applied and stale documents left out: ids of
 * messages. */
enum mail_status index_search_text (void *ctx, struct mail_index *index,
                                    const struct store_query *query, struct idset *set_out);
/* Sum of store_estimate over the segments. */
enum mail_status index_estimate_text (struct mail_index *index, const struct store_query *query,
                                      uint32_t *estimate_out);
/* Searches state. */
enum mail_status index_search_state (void *ctx, struct mail_index *index,
                                     const struct store_query *query, struct idset *set_out);
/* The folders as of the revision the handle has, kept until state moves on; NULL where they cannot
 * be read (the handle has the text). */
const struct mail_folders *index_folders (struct mail_index *index);
/* Turns text ids into message ids: stale ones go, aliases become their messages. Aliases have been
 * loaded. The new set hangs on ctx. */
void index_owners (void *ctx, const struct mail_index *index, struct idset *set);
/* Messages that have a text document with an id between first and last which is not their own id.
 */
enum mail_status index_alias_owners (void *ctx, struct mail_index *index, uint32_t first,
                                     uint32_t last, struct idset *set_out);
/* All mail documents, in the revision that the handle has: a query starts again as a whole. */
enum mail_status index_all_mail (void *ctx, struct mail_index *index, struct idset *set_out);
/* The same, in whichever revision can be read. */
enum mail_status index_list_mail (void *ctx, struct mail_index *index, struct idset *set_out);

#endif
