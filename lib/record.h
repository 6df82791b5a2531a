/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * record.h - the data of a mail document in state: one versioned GVariant, little-endian.
 *
 * Byte strings are what the mail or the file system has (header values raw and unfolded). Decoded
 * records point into memory that hangs on their context.
 */
#ifndef RECORD_H
#define RECORD_H

#include "mailindex.h"

#define DIGEST_SIZE 16

struct record_file {
    uint32_t folder; /* document id of the directory record */
    const char *name;
    struct mail_stat stat;                 /* inode, size, mtime; device and ctime are not kept */
    unsigned char digest[DIGEST_SIZE];     /* of the file's words: terms_digest() */
    const char *differs[MAIL_FIELD_COUNT]; /* raw values where they differ from the record's;
                                              NULL where they do not */
};

struct record {
    uint32_t text; /* id of the live text document: the message's own, or an alias */
    int64_t date;
    uint64_t size;
    const char *fields[MAIL_FIELD_COUNT]; /* raw; "" where missing; of the first file indexed that
                                             is still there as it was then */
    const char *parent;                   /* "" for none */
    const char **references;
    size_t reference_count;
    struct record_file *files; /* at least one */
    size_t file_count;
};

/* Bytes talloc'd on ctx. */
char *record_encode (void *ctx, const struct record *record, size_t *length_out);
/* False for what is no record of a version that is known. */
bool record_decode (void *ctx, const char *bytes, size_t length, struct record *record_out);

/* Whether the words that the message is found by have those of the file: not where it could not be
 * read when they were made anew. Its digest is zero then. */
bool record_file_has_words (const struct record_file *file);
/* Position of a file in the record; -1 for none. */
long record_find_file (const struct record *record, uint32_t folder, const char *name);
void record_add_file (void *ctx, struct record *record, const struct record_file *file);
void record_drop_file (struct record *record, size_t at);
/* Where the file that the fields are of is there no longer, or other than it was, they become those
 * of the first that is. */
void record_settle (struct record *record);

/* The folder record, kept whole in SLOT_FOLDER: parent (4 bytes), inode, device, mtime, ctime (8
 * each), all big-endian, then the name. */
char *folder_record_encode (void *ctx, const struct mail_folder *folder, size_t *length_out);
/* id is not part of the record. The name hangs on ctx. */
bool folder_record_decode (void *ctx, const char *bytes, size_t length,
                           struct mail_folder *folder_out);

#endif
