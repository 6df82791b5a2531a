/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hash.c - the seed of the hashes. */
#include "index/hash.h"

#include <glib.h>
#include <stdbool.h>
#include <sys/random.h>

uint64_t
hash_seed (void)
{
    static uint64_t kept;
    uint64_t seed = __atomic_load_n (&kept, __ATOMIC_RELAXED), none = 0;

    if (seed != 0)
        return seed;
    if (getrandom (&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
        seed = (uint64_t) g_get_monotonic_time ();
    seed |= 1;
    if (!__atomic_compare_exchange_n (&kept, &none, seed, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED))
        return none;
    return seed;
}
