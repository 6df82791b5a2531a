/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * writer.h - one change of the index: from taking the lock to the durable commit.
 *
 * writer_begin takes the lock, opens state for writing and begins a transaction; writer_commit
 * follows the commit protocol of doc/design/commit.md; freeing an uncommitted writer leaves the
 * index as it was. Nothing else in the library writes state.
 */
#ifndef WRITER_H
#define WRITER_H

#include "index-private.h"
#include "record.h"
#include "reservations.h"
#include "scratch.h"

#include <glib.h>

struct lock;

struct writer {
    struct mail_index *index;
    struct lock *lock;
    struct store *state; /* open for writing, in a transaction */
    struct manifest *manifest;
    uint64_t revision;             /* that the messages changed now get */
    struct reservations *reserved; /* by runs that live */
    uint64_t stored_docid;         /* next_docid as state has it, which reservations may pass */
    uint64_t next_docid, next_thread;
    bool changed;        /* a message has been changed: the revision counts */
    bool moved_manifest; /* segments came, went, or have other counts */
    char **incoming;     /* scratch paths of segments to move into text/ ... */
    char **names;        /* ... and their names there */
    size_t incoming_count;
    GString *journal;        /* lines for it (journal.h); NULL: none yet */
    uint64_t journal_length; /* that state knows */
    uint64_t journal_before; /* its length before journal_write() ... */
    bool journal_written;    /* ... which has been */
    bool restoring;          /* META_RESTORING: nothing is journalled */
};

/* Waits for the lock. The errors of lock_acquire and store_open, with the handle's text set. */
enum mail_status writer_begin (void *ctx, struct mail_index *index, struct writer **writer_out);
/* Makes the change durable and lets go of the lock; the index handle then reads the new revision.
 * On failure nothing has changed, unless it comes of what is done after the commit: the last sync
 * (the change stands, but perhaps not over a power cut) or the refresh of the handle. The writer is
 * freed in any case. */
enum mail_status writer_commit (struct writer *writer);

/* Makes the folder and an empty state; harmless where another process was quicker. restore: as of
 * MAIL_OPEN_RESTORE. */
enum mail_status writer_create_index (struct mail_index *index, bool restore);

/* Keeps the writer's store error on the index handle. */
enum mail_status writer_fail (struct writer *writer, enum mail_status status);

uint32_t writer_new_docid (struct writer *writer);
uint64_t writer_new_thread (struct writer *writer);

/* Reserves count ids for text that the owner of scratch builds. Takes the lock and changes nothing
 * in state; removes what a run that was stopped has left in text/. */
enum mail_status writer_reserve (struct mail_index *index, void *ctx, const struct scratch *scratch,
                                 uint32_t count, struct reservation **reservation_out);
/* This change uses the ids of the reservation up to used: those after it are handed out again, if
 * no later ones have been. The reservation is to be freed after the commit. */
void writer_use_reserved (struct writer *writer, const struct reservation *reservation,
                          uint32_t used);
/* Whether no segment and no living reservation has ids from first to last. */
bool writer_range_is_free (const struct writer *writer, uint32_t first, uint32_t last);

/* Adds a finished segment, still at path in the scratch folder, to the manifest; it moves into
 * text/ at commit under a name that is made here. */
enum mail_status writer_add_segment (struct writer *writer, const char *path,
                                     const struct segment *segment);
/* Takes these segments out of the manifest; false, and nothing is done, where one of them is not in
 * it. *stale_out: the sum of their stale documents. */
bool writer_take_segments (struct writer *writer, const char *const *names, size_t count,
                           uint32_t *stale_out);
/* The text document id belongs to nothing any more (counted in the manifest). Writes no document:
 * writer_put_stale does, where state has none at id or one to be replaced. */
void writer_count_stale (struct writer *writer, uint32_t id);
enum mail_status writer_put_stale (struct writer *writer, uint32_t id);

/* The four number slots of a mail document (or, with date NULL, the two of a ghost). */
struct message_values {
    struct store_value slots[4];
    size_t count;
    char bytes[4][8];
};
void writer_values (struct writer *writer, const int64_t *date, uint64_t thread, uint64_t size,
                    struct message_values *values_out);

#endif
