/* SPDX-License-Identifier: GPL-3.0-or-later */
/* visited.h - the set of folders that a scan has met, by device and inode. */
#ifndef SCAN_VISITED_H
#define SCAN_VISITED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct visited;

struct visited *visited_create (void *ctx, size_t expected);
/* False when it was there already. */
bool visited_add (struct visited *visited, uint64_t device, uint64_t inode);
bool visited_has (const struct visited *visited, uint64_t device, uint64_t inode);

#endif
