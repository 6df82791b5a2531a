/* SPDX-License-Identifier: GPL-3.0-or-later */
/* apply-private.h - shared by the stages of applying a list of changes (apply*.c). */
#ifndef APPLY_PRIVATE_H
#define APPLY_PRIVATE_H

#include "changes.h"
#include "index-private.h"
#include "index/crew.h"
#include "index/wire.h"
#include "publish.h"
#include "reservations.h"
#include "scratch.h"

/* A file whose message has other files with other words. */
struct deferred {
    const char *id;
    size_t add; /* in changes->adds */
    struct parsed_file file;
};

struct notice {
    char *path, *text;
    bool is_problem;
    enum mail_status status;
    uint64_t done; /* files, when it was noted */
};

struct apply {
    struct mail_changes *changes;
    struct mail_index *index;
    const struct mail_apply_options *options;
    struct mail_apply_counts *counts;
    struct scratch *scratch;
    struct crew *crew;
    GArray *deferred; /* of struct deferred, whose memory hangs on deferred_ctx */
    void *deferred_ctx;
    GHashTable *dropped; /* names to be dropped, and folders: apply_will_drop() */
    unsigned segments;   /* built so far: names of scratch folders */
    GPtrArray *ending;   /* of struct change_folder: done with the transaction under way */
    bool ended;          /* apply_last() has been done, or is in the transaction under way */
    bool publishing;     /* a transaction is under way, and with it the lock is taken */
    GArray *notices;     /* of struct notice: what the caller will be told when it has ended */
    bool stopped;
};

/* The ids reserved for a segment, and what came of it. */
struct block {
    struct reservation *ids;
    uint32_t first; /* of them */
    uint32_t used;  /* last id that has a job */
    char *path;     /* where the segment will be */
    struct segment segment;
    bool made; /* there is one */
};

struct change_add *apply_add_at (struct apply *apply, size_t at);
/* Absolute path of a file. */
char *apply_path (void *ctx, struct apply *apply, const char *folder, const char *name);
/* What the caller is told: at once, or when the transaction under way has ended, since a caller may
 * take its time (a terminal, a pipe) and the lock must not. progress(); false when the caller wants
 * to stop: */
bool apply_tell (struct apply *apply, const char *path);
/* problem() */
void apply_tell_problem (struct apply *apply, const char *path, enum mail_status status,
                         const char *text);

/* ---- a block's ids and segment ---- */

/* Starts the workers, where that has not been done. */
enum mail_status apply_start_crew (struct apply *apply);
/* Reserves count ids for the block; the reservation hangs on ctx. */
enum mail_status apply_reserve (struct apply *apply, void *ctx, uint32_t count,
                                struct block *block);
/* Gives the worker a new segment to build; block->path hangs on ctx. */
enum mail_status apply_begin_segment (struct apply *apply, void *ctx, unsigned worker,
                                      struct block *block);
void apply_end_segment (struct apply *apply, unsigned worker, const struct block *block);
/* A CREW_SEGMENT event about the block. */
void apply_take_segment (struct block *block, const struct crew_event *event);
/* Puts the block's ids and segment into the transaction. */
enum mail_status apply_begin_publish (struct apply *apply, const struct block *block,
                                      struct publish **publish_out);
/* Counts a file that was tried, and tells of one that could not be indexed. */
void apply_note_parsed (struct apply *apply, const char *path, const struct parsed_file *file);
/* Counts a file that a message has, and whose words it loses, as it cannot be read; tells of it. */
void apply_note_lost (struct apply *apply, const char *path);
/* What a file is that took workers down with it. */
struct parsed_file apply_worker_died (const struct mail_stat *stat);

/* A worker's death is laid to the message that it was at when it has happened so often: the first
 * time somebody else may have ended it. */
#define DEATHS_TO_BLAME 2

/* ---- the end of a transaction, and of all (apply-end.c) ---- */

/* The times of a folder, when its last file has been done. */
enum mail_status apply_finish_folder (struct apply *apply, struct publish *publish,
                                      struct change_folder *folder);
enum mail_status apply_begin (struct apply *apply, struct publish **publish_out);
/* What is done in the folder comes of a listing or a file that may be older than the folder's times
 * in state: see apply-end.c. Before it is done. folder: as of publish_folders(), may be NULL. */
enum mail_status apply_doubt (struct apply *apply, struct publish *publish,
                              const struct mail_folder *folder);
enum mail_status apply_doubt_path (struct apply *apply, struct publish *publish, const char *path);
enum mail_status apply_doubt_parent (struct apply *apply, struct publish *publish, uint32_t id);
/* Commits, or if status is an error gives up and returns it; frees publish. culprit_out (may be
 * NULL): as of publish_commit(). */
enum mail_status apply_end (struct apply *apply, struct publish *publish, enum mail_status status,
                            char **culprit_out);
/* What concerns no single file: folders that are gone, problems, times of folders, tombstones. In
 * the last transaction, after all else. */
enum mail_status apply_last (struct apply *apply, struct publish *publish);
/* Whether the block that is the last one may be the last transaction too. */
bool apply_block_is_last (const struct apply *apply);
/* Whether there is nothing left for a last transaction. */
bool apply_has_ended (const struct apply *apply);

/* ---- files with words of their own ---- */

/* Files of one message, opened to be read together: one for each digest, at most as many as a
 * worker is given at once. Freeing closes them. */
struct sources {
    int fds[WIRE_FILES_MAX];
    unsigned char digests[WIRE_FILES_MAX][DIGEST_SIZE];
    size_t count;
    const char *const *session_keys; /* of the message; hang on this */
    bool decrypted;                  /* words of it are of what was encrypted */
    GArray *missing;                 /* digests of files that could not be opened */
    bool part;                       /* a file was left out whose words may be none of these */
};
struct sources *sources_create (void *ctx);
/* Opens a file, unless one with its words is open. Without a dispensable one that cannot be read
 * (but is there), the others do. False where there is no room for its words. */
bool sources_open (struct sources *sources, const char *path, const unsigned char *digest,
                   bool dispensable);
/* Whether words are not there, though there would be room for them. */
bool sources_lack (const struct sources *sources, const unsigned char *digest);
/* Whether all words are there. */
bool sources_are_whole (const struct sources *sources);
/* As a job. */
void sources_send (struct sources *sources, struct crew *crew, unsigned worker, uint32_t docid);

/* The message that has this file now; NULL for none. */
struct mail_message *apply_message_of (void *ctx, struct apply *apply, const char *folder,
                                       const char *name);

/* ---- the stages, in order ---- */

enum mail_status apply_moves (struct apply *apply);
/* Files to add; those of messages that have other files with other words go to deferred. */
enum mail_status apply_adds (struct apply *apply);
enum mail_status apply_deferred (struct apply *apply); /* and forgets them */
enum mail_status apply_drops (struct apply *apply);
/* Whether apply_drops() will drop this file, by itself or with a folder it lies in. */
bool apply_will_drop (struct apply *apply, const struct mail_folders *folders, uint32_t folder,
                      const char *name);
/* Segments that are stale in large part. */
enum mail_status apply_refresh (struct apply *apply);

#endif
