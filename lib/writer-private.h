/* SPDX-License-Identifier: GPL-3.0-or-later */
/* writer-private.h - shared by the parts of the writer (writer*.c). */
#ifndef WRITER_PRIVATE_H
#define WRITER_PRIVATE_H

#include "writer.h"

/* fsyncs a folder of the index. */
enum mail_status writer_sync_folder (struct mail_index *index, const char *name);
/* A writer that holds nothing yet, and the steps of writer_begin() for it. */
struct writer *writer_new (void *ctx, struct mail_index *index);
enum mail_status writer_take_lock (struct writer *writer);
/* No transaction is begun with STORE_READ. */
enum mail_status writer_open_state (struct writer *writer, enum store_open_mode mode);

/* As writer_begin(), but nothing can be changed or committed, and so nothing is synced. */
enum mail_status writer_look (void *ctx, struct mail_index *index, struct writer **writer_out);
/* The counters and the manifest, as the writer has them. */
enum mail_status writer_write_metadata (struct writer *writer);

#endif
