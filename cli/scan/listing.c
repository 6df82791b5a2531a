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
    const struct entry *left = a, *right = b;

    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return strcmp (left->name, right->name);
}

/* Eight bytes from a place on, so that numbers are in the order of the texts. */
static uint64_t
sort_key (const char *text)
{
    uint64_t key = 0;

    for (int i = 0; i < 8; i++)
        key = key << 8 | (unsigned char) (*text ? *text++ : 0);
    return key;
}

/* How many bytes all names begin with. */
static size_t
common_start (const struct listing *listing)
{
    const char *first = listing->count ? listing->entries[0].name : "";
    size_t common = strlen (first);

    for (size_t i = 1; i < listing->count && common; i++) {
        const char *name = listing->entries[i].name;
        size_t same = 0;

        while (same < common && name[same] == first[same])
            same++;
        common = same;
    }
    return common;
}

/* The names of a maildir begin alike, and to compare two of them is to fetch both from memory: what
 * tells most of them apart is kept beside them. */
static void
listing_sort (struct listing *listing)
{
    size_t common = common_start (listing);

    for (size_t i = 0; i < listing->count; i++)
        listing->entries[i].key = sort_key (listing->entries[i].name + common);
    qsort (listing->entries, listing->count, sizeof *listing->entries, by_name);
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
    listing_sort (listing);
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

static int
find_name (const void *key, const void *entry)
{
    return strcmp (key, ((const struct entry *) entry)->name);
}

struct entry *
listing_find (const struct listing *listing, const char *name)
{
    return bsearch (name, listing->entries, listing->count, sizeof *listing->entries, find_name);
}
