/* SPDX-License-Identifier: GPL-3.0-or-later */
/* files.h - small things about files that several modules of lib/ need. */
#ifndef FILES_H
#define FILES_H

#include "mailindex.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The status for an errno: NO_SPACE, READ_ONLY, RESOURCES or IO. */
enum mail_status files_status (int error);
/* fsync of a folder, so that what was made or renamed in it stays. 0 or errno. */
int files_sync_folder (const char *path);
/* Removes a tree, without following links; errors are passed over. */
void files_remove_tree (const char *path);
/* SHA-256 of a file in hex, and its size. 0 or errno. */
int files_sha256 (const char *path, char hex_out[65], uint64_t *bytes_out);
/* Writes all of the file open as from into the new file path, fdatasynced. 0 or errno; then nothing
 * is left at path. */
int files_copy_synced (int from, const char *path);

#ifdef __cplusplus
}
#endif

#endif
