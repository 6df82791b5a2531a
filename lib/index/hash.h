/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hash.h - the hash of a word for the tables of lib/index/. */
#ifndef HASH_H
#define HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Drawn at random once a process, so that no mail can be written whose words all fall on one
 * place. */
uint64_t hash_seed (void);

static inline uint64_t
hash_mix (uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128) a * b;
    return (uint64_t) product ^ (uint64_t) (product >> 64);
}

static inline uint64_t
hash_load (const char *bytes, size_t length)
{
    uint64_t eight = 0;
    uint32_t first, last;

    if (length >= 8) {
        memcpy (&eight, bytes, 8);
        return eight;
    }
    if (length >= 4) {
        memcpy (&first, bytes, 4);
        memcpy (&last, bytes + length - 4, 4);
        return (uint64_t) first << 32 | last;
    }
    for (size_t i = 0; i < length; i++)
        eight = eight << 8 | (unsigned char) bytes[i];
    return eight;
}

static inline uint64_t
hash_seeded (uint64_t seed, const char *bytes, size_t length)
{
    uint64_t hash = seed ^ length;

    for (; length > 8; length -= 8, bytes += 8)
        hash = hash_mix (hash ^ hash_load (bytes, 8), 0x9e3779b97f4a7c15u);
    return hash_mix (hash ^ hash_load (bytes, length), 0xd6e8feb86659fd93u);
}

static inline uint64_t
hash_bytes (const char *bytes, size_t length)
{
    return hash_seeded (hash_seed (), bytes, length);
}

#endif
