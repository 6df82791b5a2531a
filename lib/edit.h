/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * edit.h - mail documents under change: read within a transaction, altered in memory, written back
 * as the difference.
 */
#ifndef EDIT_H
#define EDIT_H

#include "folders.h"
#include "message.h"
#include "writer.h"

struct edit {
    struct mail_message *message; /* alter its thread, record, tags through the functions below */
    struct store_document before; /* terms as they were; none for a new document */
    bool is_new;
    bool record_changed;
    bool rename_files;                     /* the names are to follow the tags: edits.c */
    bool first_tags;                       /* of a message not known before: its tags are those
                                              that all such messages get */
    bool keep_tags;                        /* whatever the names of files say */
    bool files_changed;                    /* names came or went: flags have to be looked at */
    unsigned char (*dropped)[DIGEST_SIZE]; /* of the words of files that it has no more */
    size_t dropped_count;
};

/* Reads a mail document; *edit_out is NULL where docid is none. */
enum mail_status edit_open (void *ctx, struct writer *writer, uint32_t docid,
                            struct edit **edit_out);
/* A document that does not exist yet. */
struct edit *edit_create (void *ctx, struct writer *writer, uint32_t docid, const char *id);
/* Writes what differs, with a new revision; nothing at all where nothing differs. *written_out may
 * be NULL. */
enum mail_status edit_save (struct writer *writer, struct edit *edit, bool *written_out);

bool edit_has_tag (const struct edit *edit, const char *tag);
/* Whether the tags are others than those that were read. */
bool edit_tags_changed (const struct edit *edit);
/* Each says whether it changed anything. */
bool edit_add_tag (struct edit *edit, const char *tag);
bool edit_remove_tag (struct edit *edit, const char *tag);
bool edit_remove_all_tags (struct edit *edit);
/* The name and differs of file are not copied. */
void edit_add_file (struct edit *edit, const struct record_file *file);
void edit_drop_file (struct edit *edit, size_t at);
/* Of files with the same name only the last stays. */
void edit_drop_doubles (struct edit *edit);
/* The files say draft, flagged, passed, replied, unread (maildir(5), ":2,") and what else the
 * handle's table of flags has: sets and removes these tags, where any file of a cur or new folder
 * has such an info. */
void edit_tags_from_flags (struct edit *edit, const struct mail_folders *folders);
/* Whether a file in cur or new has the flag S. */
bool edit_is_seen (struct edit *edit, const struct mail_folders *folders);

#endif
