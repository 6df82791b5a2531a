/* SPDX-License-Identifier: GPL-3.0-or-later */
/* apply-rebuild.h - messages whose words are made anew: shared by apply-rebuild.c (building) and
 * apply-rebuild-publish.c. */
#ifndef APPLY_REBUILD_H
#define APPLY_REBUILD_H

#include "apply-private.h"

/* One message of the deferred files: places in the array that belong to it. */
struct rebuild {
    const char *id;
    GArray *places;   /* size_t */
    uint32_t text;    /* id of the new text document */
    uint32_t before;  /* and of the one that the message has */
    size_t new_files; /* so many of the files in the job are new ones */
    bool made;        /* there are words in the new document */
    bool torn;        /* but not all: left for the next run */
    bool died;        /* it took workers down */
    unsigned deaths;  /* so many */
    bool refused;     /* by the store */
    bool counted;     /* its folders know that it is done */
    void *ctx;        /* of what is new with each try: */
    GArray *others;   /* struct other: files of the message besides the new ones */
    GArray *read;     /* struct parsed_file: what the text was made of */

    unsigned char digests[WIRE_FILES_MAX][DIGEST_SIZE]; /* of the files in the job */
};

/* A file that the message has had before. */
struct other {
    const char *folder, *name;
    unsigned char digest[DIGEST_SIZE];
    bool lost; /* it cannot be read */
};

/* The file at this place of rebuild->places, and what the list of changes has of it. */
struct deferred *rebuild_at (struct apply *apply, const struct rebuild *rebuild, size_t i);
const char *rebuild_folder (struct apply *apply, const struct deferred *deferred);
const char *rebuild_name (struct apply *apply, const struct deferred *deferred);
char *rebuild_path (void *ctx, struct apply *apply, const struct deferred *deferred);
struct change_folder *rebuild_change (struct apply *apply, const struct deferred *deferred);

/* One commit of all (struct rebuild), with their segment. */
enum mail_status rebuild_publish (struct apply *apply, GPtrArray *rebuilds, struct block *block);

#endif
