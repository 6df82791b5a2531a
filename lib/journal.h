/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * journal.h - what every commit does to tags and properties, written before the commit.
 *
 * The file "journal" of the index folder:
 *
 *   #mail-journal 1 UUID                     once
 *   #c REVISION UNIXTIME PID.RUN.N COMMAND   a block for each commit that changes some
 *   #u PID.RUN [done]                        it takes that command back; done: to the end
 *   (lines of batch.h)
 *   #e REVISION CRC32                        of the block without this line, in hex
 *
 * PID.RUN (hex, at random) is one opening of the index, which is what a command is; N counts its
 * blocks from 1, so that one whose first blocks went with an older journal is known.
 *
 * State names the length up to which it holds (META_JOURNAL); what stands behind is of a commit
 * that did not come about. journal.N, N counting, are older ones that a snapshot was to replace.
 */
#ifndef JOURNAL_H
#define JOURNAL_H

#include "edit.h"

#include <glib.h>

/* Takes note of what saving the edit changes; nothing where that is no tag or property. */
void journal_note (struct writer *writer, const struct edit *edit);
/* The block takes back the command named by journal_block.who; done: wholly. Before any note. */
void journal_note_undo (struct writer *writer, const char *who, bool done);
/* Appends what was noted, durably, and puts the new length into the transaction. */
enum mail_status journal_write (struct writer *writer);
/* After a commit that failed: what journal_write has appended goes. */
void journal_take_back (struct writer *writer);

/* A block that is whole. Lines are NUL-terminated, without their ends. */
struct journal_block {
    uint64_t revision;
    int64_t time;
    const char *who; /* PID.RUN */
    unsigned number; /* of its blocks, from 1 */
    const char *command;
    const char *const *lines;
    size_t line_count;
};
/* Return false to stop. */
typedef bool (*journal_block_fn) (void *closure, const struct journal_block *block);
/* Calls back with each block up to a length, in order, and says in *bad_out (may be NULL) whether
 * there was anything else. A file that is not there has no block. MAIL_ERROR_IO. */
enum mail_status journal_read (const char *path, uint64_t length, journal_block_fn each,
                               void *closure, bool *bad_out);

/* Whether the line is the "#u" of a block: *who_out is a part of it. */
bool journal_is_undo (void *ctx, const char *line, char **who_out, bool *done_out);

/* Whether the last journal.N is the journal of this length that state knows: whoever renamed it was
 * stopped before he could tell state so. */
bool journal_is_renamed (const char *folder, uint64_t length);
/* Paths of journal.N in order, then of journal; NULL-terminated, talloc'd on ctx. */
char **journal_files (void *ctx, const char *folder);
/* Under the lock: journal becomes the journal.N after the last. *rotated_out: there was one. */
enum mail_status journal_rotate (struct writer *writer, bool *rotated_out);

#endif
