/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scratch.h - folders text/tmp/PID-RANDOM in which a run builds segments.
 *
 * The owner holds a lock on the file "lock" in it for as long as it lives; a folder whose lock is
 * free belongs to nobody and may be removed by any writer, and so may its reservations
 * (reservations.h), whose names begin with that of the folder and a dot.
 */
#ifndef SCRATCH_H
#define SCRATCH_H

#include "mailindex.h"

struct scratch {
    char *path; /* absolute */
    char *name; /* "PID-RANDOM" */
    int lock;   /* descriptor */
};

/* Freeing it removes the folder. */
enum mail_status scratch_create (void *ctx, const char *index_folder, struct scratch **scratch_out,
                                 char **error_out);
/* A new folder below the scratch folder. */
enum mail_status scratch_subfolder (void *ctx, struct scratch *scratch, const char *name,
                                    char **path_out);
/* Whether the owner of text/tmp/NAME lives. */
bool scratch_is_owned (const char *index_folder, const char *name);
/* Removes the folders whose owners are gone, and their reservations. */
void scratch_remove_left_over (const char *index_folder);

#endif
