/* SPDX-License-Identifier: GPL-3.0-or-later */
/* atomic-file.h - files that are there as a whole or not at all. */
#ifndef ATOMIC_FILE_H
#define ATOMIC_FILE_H

#include <stdio.h>

/* A file being written beside the one it will replace, or (a pipe, a device) straight to it.
 * Freeing it takes away what is not finished. */
struct atomic_file;

/* Where the links lead that path consists of; path itself where there is nothing yet. talloc'd on
 * ctx. */
char *atomic_target (void *ctx, const char *path);
/* Where path is a symbolic link, the file that it leads to is meant. A new file has mode 0600, one
 * that is replaced gives its mode to the new one. NULL with errno set. */
struct atomic_file *atomic_open (void *ctx, const char *path);
/* A descriptor to write to, which belongs to the caller (to be closed before atomic_finish); -1
 * with errno set. */
int atomic_fd (struct atomic_file *file);
/* fsync, rename, fsync of the folder. 0 or errno. */
int atomic_finish (struct atomic_file *file);
/* Removes what runs that were killed have left beside path ("path.XXXXXX"): only where nobody else
 * has files with such names. */
void atomic_sweep (const char *path);

#endif
