/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * listing.c - getdents64 and a sort.
 *
 * readdir's 32 KiB buffer costs a system call every 500 names and hands out one name at a time;
 * here the kernel writes straight into the memory that keeps the names. The first block is small,
 * as most folders are; a folder of 400,000 files fills some hundred of the large ones.
 */
#include "listing.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

#define FIRST_BLOCK (16 << 10)
#define NEXT_BLOCK (256 << 10)
/* Under this much room the rest of a block is not worth a call; getdents64 needs room for one
 * entry, at most 19 + 256 bytes and padding. */
#define LEAST_ROOM 1024

static void
listing_add (struct listing *listing, const struct dirent64 *found)
{
    const char *name = found->d_name;
    size_t size = talloc_array_length (listing->entries);
    struct entry *entry;

    if (name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2])))
        return;
    if (listing->count == size)
        listing->entries = talloc_realloc (listing, listing->entries, struct entry, size * 2);
    entry = &listing->entries[listing->count++];
    entry->name = name;
    entry->inode = found->d_ino;
    entry->type = found->d_type;
    entry->kind = ENTRY_NONE;
}

static int
by_name (const void *a, const void *b)
{
    return strcmp (((const struct entry *) a)->name, ((const struct entry *) b)->name);
}

int
listing_read (void *ctx, int fd, struct listing **listing_out)
{
    struct listing *listing = talloc_zero (ctx, struct listing);
    size_t room = FIRST_BLOCK;
    char *block = talloc_size (listing, room);
    ssize_t got;

    listing->entries = talloc_array (listing, struct entry, 32);
    while ((got = getdents64 (fd, block, room)) > 0) {
        for (char *at = block; at < block + got; at += ((struct dirent64 *) at)->d_reclen)
            listing_add (listing, (struct dirent64 *) at);
        block += got;
        room -= (size_t) got;
        if (room < LEAST_ROOM) {
            room = NEXT_BLOCK;
            block = talloc_size (listing, room);
        }
    }
    if (got < 0) {
        int error = errno;

        talloc_free (listing);
        return error;
    }
    qsort (listing->entries, listing->count, sizeof *listing->entries, by_name);
    *listing_out = listing;
    return 0;
}

static int
by_inode (const void *a, const void *b)
{
    uint64_t x = (*(struct entry *const *) a)->inode, y = (*(struct entry *const *) b)->inode;

    return (x > y) - (x < y);
}

void
listing_sort_by_inode (struct entry **entries, size_t count)
{
    qsort (entries, count, sizeof *entries, by_inode);
}

struct entry *
listing_find (const struct listing *listing, const char *name)
{
    struct entry key = {.name = name};

    return bsearch (&key, listing->entries, listing->count, sizeof key, by_name);
}
