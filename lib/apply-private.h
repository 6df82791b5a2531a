/* SPDX-License-Identifier: GPL-3.0-or-later */
/* apply-private.h - shared by the stages of applying a list of changes (apply*.c). */
#ifndef APPLY_PRIVATE_H
#define APPLY_PRIVATE_H

#include "changes.h"
#include "index-private.h"
#include "publish.h"
#include "scratch.h"

/* A file whose message has other files with other words. */
struct deferred {
    const char *id;
    size_t add; /* in changes->adds */
    struct parsed_file file;
};

struct apply {
    struct mail_changes *changes;
    struct mail_index *index;
    const struct mail_apply_options *options;
    struct mail_apply_counts *counts;
    struct scratch *scratch;
    struct terms *terms;
    GArray *deferred; /* of struct deferred, whose memory hangs on deferred_ctx */
    void *deferred_ctx;
    unsigned segments; /* built so far: names of scratch folders */
    bool stopped;
};

/* What was built of adds[from..to): for the publish. */
struct block {
    size_t from, to;
    uint32_t first, last; /* the reservation */
    uint32_t used;        /* last id that has a job */
    struct parsed_file *files;
    struct segment segment;
    char *path; /* of the segment; NULL when there is none */
};

struct change_add *apply_add_at (struct apply *apply, size_t at);
/* Absolute path of a file. */
char *apply_path (void *ctx, struct apply *apply, const char *folder, const char *name);
/* Tells the caller's progress(); false when it wants to stop. */
bool apply_tell (struct apply *apply, const char *path);

/* ---- a block's ids and segment ---- */

enum mail_status apply_reserve (struct apply *apply, uint32_t count, struct block *block);
enum mail_status apply_begin_segment (struct apply *apply, void *ctx, struct builder **builder_out,
                                      char **path_out);
enum mail_status apply_finish_segment (struct apply *apply, struct builder *builder,
                                       struct block *block, char *path);
/* Puts the block's ids and segment into the transaction. */
enum mail_status apply_begin_publish (struct apply *apply, const struct block *block,
                                      struct publish **publish_out);
/* The times of a folder whose last file has just been done. */
enum mail_status apply_finish_folder (struct publish *publish, struct change_folder *folder);

/* ---- the stages, in order ---- */

enum mail_status apply_moves (struct apply *apply);
/* Files to add; those of messages that have other files with other words go to deferred. */
enum mail_status apply_adds (struct apply *apply);
enum mail_status apply_deferred (struct apply *apply); /* and forgets them */
enum mail_status apply_drops (struct apply *apply);

#endif
