/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slice.h - what is changed in one commit: so many messages that nobody waits long for the lock. */
#ifndef SLICE_H
#define SLICE_H

#include "edit.h"

#define SLICE_FIRST 200

/* The size of the next slice, when one of size has taken from start (clock_ms()) until now: it is
 * doubled while that is under a quarter of a second, else halved. */
size_t slice_next (size_t size, uint64_t start);

/* One slice: messages altered, their files renamed where the handle wants it, one commit. */
struct slice;
enum mail_status slice_begin (void *ctx, struct mail_index *index, struct slice **slice_out);
struct writer *slice_writer (struct slice *slice);
/* The message, opened once a slice; *edit_out is NULL where docid is none. */
enum mail_status slice_edit (struct slice *slice, uint32_t docid, struct edit **edit_out);
/* The slice takes a command of the journal back; done: to its end. Before any edit. */
void slice_note_undo (struct slice *slice, const char *who, bool done);
/* Writes a message opened by edit_open, which is freed: cheaper than slice_edit for who comes to
 * each message once, in order of ids. After a failure the slice is only good for slice_cancel. */
enum mail_status slice_write (struct slice *slice, struct edit *edit);
/* Writes what slice_edit has opened, and commits if anything is different; *written_out (on
 * success): messages. The slice is freed in either case; if it fails nothing has changed. */
enum mail_status slice_commit (struct slice *slice, uint64_t *written_out);
/* Nothing has changed; files have their old names again. */
void slice_cancel (struct slice *slice);

#endif
