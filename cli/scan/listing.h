/* SPDX-License-Identifier: GPL-3.0-or-later */
/* listing.h - all names of one folder. */
#ifndef SCAN_LISTING_H
#define SCAN_LISTING_H

#include <stddef.h>
#include <stdint.h>

/* What a name is to the scan. */
enum entry_kind {
    ENTRY_NONE,        /* nothing: ignored, special, never entered */
    ENTRY_FILE,        /* a regular file, or a link to one */
    ENTRY_FOLDER,      /* a folder */
    ENTRY_FOLDER_LINK, /* a link to a folder */
    ENTRY_KEPT         /* cannot be told: what the index has under this name stays as it is */
};

struct entry {
    const char *name;
    uint64_t key;   /* for sorting */
    uint64_t inode; /* of the name itself (d_ino) */
    uint8_t type;   /* DT_REG, DT_UNKNOWN, ... */
    uint8_t kind;   /* enum entry_kind; ENTRY_NONE until somebody sets it */
};

struct listing {
    struct entry *entries; /* in byte order of the names; without "." and ".." */
    size_t count;
};

/* Reads the folder open as fd from where it stands to its end. Returns 0, or an errno (and no
 * listing). The listing is talloc'd on ctx; about 90 bytes a name. */
int listing_read (void *ctx, int fd, struct listing **listing_out);

/* Sorts pointers to entries by inode: on a spinning disk that is about the order of their places.
 */
void listing_sort_by_inode (struct entry **entries, size_t count);

/* By name; NULL where there is none. */
struct entry *listing_find (const struct listing *listing, const char *name);

#endif
