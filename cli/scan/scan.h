/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan.h - the walk over the mail root: list, diff, and a list of changes for the library.
 *
 * A run with nothing new makes one stat a known folder and nothing else.
 */
#ifndef SCAN_H
#define SCAN_H

#include <mailindex.h>

enum scan_reason {
    SCAN_DANGLING_LINK, /* a symbolic link to nothing */
    SCAN_UNREADABLE,    /* a folder or file that may not be read */
    SCAN_NAME_TOO_LONG, /* name or path over a limit */
    SCAN_SPECIAL_FILE,  /* fifo, socket, device */
    SCAN_VANISHED       /* was listed, and gone a moment later */
};
/* The words of the list of problems ("dangling-link", ...). Static. */
const char *scan_reason_word (enum scan_reason reason);

/* error: errno, 0 where there is none. path: absolute. */
typedef void (*scan_problem_fn) (void *closure, enum scan_reason reason, const char *path,
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
    uint64_t problems;
    uint64_t again; /* problems after which a later run may do better: vanished, unreadable */
};

/* Compares the mail root with the index. *changes_out is talloc'd on ctx. MAIL_ERROR_ARGUMENT for a
 * bad entry in ignore (error_out names it), MAIL_ERROR_NO_MAIL_ROOT, or what the index gives. */
enum mail_status scan_mail_root (void *ctx, struct mail_index *index,
                                 const struct scan_options *options,
                                 struct mail_changes **changes_out, struct scan_counts *counts_out,
                                 char **error_out);

#endif
