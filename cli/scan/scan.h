/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan.h - the walk over the mail root: list, diff, and a list of changes for the library.
 *
 * A run with nothing new makes one stat a known folder, and one or two for each remembered problem,
 * and nothing else.
 */
#ifndef SCAN_H
#define SCAN_H

#include <mailindex.h>

/* Told of what is not remembered yet, and of what vanishes, which never is. error: errno, 0 where
 * there is none. path: absolute. */
typedef void (*scan_problem_fn) (void *closure, enum mail_reason reason, const char *path,
                                 int error);

struct scan_options {
    bool full;                 /* trust no folder time, and compare every file with its record */
    const char *const *ignore; /* new.ignore: names, or /POSIX extended regex/ on relative paths */
    size_t ignore_count;
    scan_problem_fn problem;
    void *closure;
};

struct scan_counts {
    uint64_t folders_known, folders_stated, folders_listed;
    uint64_t files_listed;
    unsigned threads;  /* that made stats ahead of the walk */
    uint64_t problems; /* met */
    uint64_t told;     /* of them not remembered before, and now to be */
    uint64_t again;    /* after which a later run may do better: vanished, unreadable for the first
                          time, unreadable folders */
};

/* Compares the mail root with the index. *changes_out is talloc'd on ctx. MAIL_ERROR_ARGUMENT for a
 * bad entry in ignore (error_out names it), MAIL_ERROR_NO_MAIL_ROOT, or what the index gives. */
enum mail_status scan_mail_root (void *ctx, struct mail_index *index,
                                 const struct scan_options *options,
                                 struct mail_changes **changes_out, struct scan_counts *counts_out,
                                 char **error_out);

#endif
