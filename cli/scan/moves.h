/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * moves.h - what is no longer where the index has it, and whether something found elsewhere is it.
 *
 * The same file: device, inode, size and mtime (in ns) agree with its record. The same folder:
 * device, inode and mtime. Times of whole seconds do not tell two files of one size apart, and a
 * name never decides. Device numbers change over reboots: that of a missing thing is the one its
 * folder (or, where that is missing too, the nearest that is not) has in this run, or the stored
 * one.
 */
#ifndef SCAN_MOVES_H
#define SCAN_MOVES_H

#include "problems.h"

#include <mailindex.h>

struct missing_folder {
    const struct mail_folder *folder;
    uint64_t device; /* of the folder it should be in, in this run */
    bool top;        /* missing from a folder that is there */
    bool taken;      /* found elsewhere, or below one that was */
    bool found;      /* found elsewhere by itself */
    bool named;      /* its files are among the missing ones */
    bool withheld;   /* may be somewhere else after all */
    size_t next;     /* of the same inode, from 1; 0 ends */
};

struct missing_file {
    uint32_t folder;
    const char *name;
    uint64_t device;       /* of the folder, in this run */
    size_t below;          /* the missing folder it is in, from 1; 0: its folder was listed */
    struct mail_stat stat; /* inode, size, mtime of the record, once loaded */
    bool loaded;
    bool replaced; /* the name is there, with another file */
    bool taken;
    bool withheld;
    size_t next;
};

struct moves;

/* problems: names that are no mail, so that nothing is to be found elsewhere. */
struct moves *moves_create (void *ctx, struct mail_index *index, const struct mail_folders *folders,
                            const struct problems *problems);

/* The name is copied. device: of the folder, in this run. */
void moves_missing_file (struct moves *moves, uint32_t folder, const char *name, uint64_t device);
/* The file of this record is missing, another has its name. Returns its position, from 1. */
size_t moves_replaced_file (struct moves *moves, uint32_t folder, const char *name, uint64_t device,
                            const struct mail_stat *record);
/* With all below it. device: of the folder it was in, in this run. */
void moves_missing_folder (struct moves *moves, const struct mail_folder *folder, uint64_t device);

bool moves_empty (const struct moves *moves);
/* Whether the folder is missing from the one it is stored in. */
bool moves_is_missing (const struct moves *moves, const struct mail_folder *folder);

/* The missing thing that this is, taken from the missing ones; 0 (a position) or NULL for none.
 * Folders come first: once a file has been asked for, those not taken are gone, and their files are
 * missing. For files, records are read: those of all missing files, once. */
enum mail_status moves_take_file (struct moves *moves, const struct mail_stat *found,
                                  size_t *taken_out);
/* By position; until the next file is missing. */
const struct missing_file *moves_file (const struct moves *moves, size_t position);
const struct mail_folder *moves_take_folder (struct moves *moves, const struct mail_stat *found);

/* What is left: those to be dropped one by one, and the top ones of the missing folders. Each until
 * NULL; *at starts at 0. */
struct missing_file *moves_left_file (struct moves *moves, size_t *at);
struct missing_folder *moves_left_folder (struct moves *moves, size_t *at);

/* Withholds all missing things that have this inode. */
enum mail_status moves_withhold (struct moves *moves, uint64_t inode);

#endif
