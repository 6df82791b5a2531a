/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan-private.h - one scan, as its parts see it.
 *
 *   scan.c      the order of things, and what is handed to the library at the end
 *   walk.c      known folders: one stat each, and which of them are to be listed
 *   look.c      one folder listed, each name judged
 *   diff.c      a listed known folder against what the index has of it
 *   fresh.c     folders that the index does not have
 *   again.c     a last look, before anything is given up for lost
 *   moves.c     what is missing, and whether something found elsewhere is it
 *   tell.c      what cannot be indexed: told once
 *   recheck.c   what could not be indexed, looked at again
 *   problems.c  what is remembered as such
 *   ahead.c     threads that fetch what the walk will ask for, where the disk is waited for
 *   listing.c, ignore.c, times.c, visited.c    know nothing of the index
 */
#ifndef SCAN_PRIVATE_H
#define SCAN_PRIVATE_H

#include "ahead.h"
#include "ignore.h"
#include "listing.h"
#include "moves.h"
#include "problems.h"
#include "scan.h"
#include "times.h"
#include "visited.h"

#include <limits.h>

/* A folder that was listed in this run. */
struct listed {
    const struct mail_folder *known; /* NULL: the index did not have it */
    const char *path;
    struct mail_stat stat;   /* before it was listed */
    struct mail_stat stored; /* to be stored: times 0 where they cannot be relied on */
};

/* A file that the index does not have. */
struct found_file {
    const char *folder; /* relative path */
    const char *name;
    struct mail_stat stat;
    size_t replaced; /* position of the missing file that had this name; 0: it was free */
    size_t missing;  /* position of the missing file that this is; 0: none */
};

/* A folder still to be looked at. */
struct task {
    char *path;
    const struct mail_folder *known; /* NULL: the index does not have it */
    struct mail_stat stat;
};

struct scan {
    struct mail_index *index;
    const struct scan_options *options;
    struct scan_counts *counts;
    struct mail_changes *changes;
    const struct mail_folders *folders;
    struct ignore *ignore;
    struct visited *visited;
    struct ahead *ahead; /* of the walk of known folders */
    struct moves *moves;
    struct problems *problems;

    const char *root; /* the mail root */
    size_t root_length;
    char *root_real; /* without symbolic links; once there was a link to compare it with */
    int root_fd;
    int bases;         /* descriptors open for the walk */
    bool walking;      /* known folders: more may turn out to be missing */
    bool index_hidden; /* the index folder is among the visited ones */

    char path[PATH_MAX]; /* of the folder at hand, relative */
    size_t path_length;

    struct listed *listed; /* in the order of their listing */
    size_t listed_count;
    struct found_file *found;
    size_t found_count;
    struct task *fresh; /* unknown folders; a stack */
    size_t fresh_count;
    struct task *links; /* links to folders; a queue */
    size_t links_count, links_done;
    struct task *renamed; /* known folders found under another path */
    size_t renamed_count;
};

/* ---- scan.c ---- */

/* Makes room for one more in an array of count items of this size, which belongs to the scan; NULL
 * is an empty one. */
void *scan_grow (struct scan *scan, void *array, size_t count, size_t size);
/* A file that the index does not have. folder stays as long as the scan, name is copied. Whether it
 * is one that is missing elsewhere is asked when all folders have been looked at: until then what
 * looks like a file out of a missing folder may still be in it, under the folder's new name.
 * replaced: position of the missing file that had the name, or 0. */
void scan_found_file (struct scan *scan, const char *folder, const char *name,
                      const struct mail_stat *stat, size_t replaced);
/* If this is a missing folder, tells the library and returns it. path: relative. */
const struct mail_folder *scan_found_folder (struct scan *scan, const char *path,
                                             const struct mail_stat *stat);

/* ---- tell.c ---- */

/* Counts, and where it is not remembered yet, tells the caller and the library. path: relative;
 * name: below it, or NULL for the folder itself. */
void scan_problem (struct scan *scan, enum mail_reason reason, const char *path, const char *name,
                   int error);
/* Where the folder is in this run, talloc'd on ctx; NULL where it is missing. */
char *tell_folder_path (void *ctx, struct scan *scan, uint32_t id);

/* ---- recheck.c ---- */

/* Looks at remembered problems. New folders found by that are noted. */
void recheck_all (struct scan *scan);
/* Forgets those that stand for a folder, unless it has been met as a problem again. All folders
 * have been looked at. */
void recheck_end (struct scan *scan);

/* ---- walk.c ---- */

/* A descriptor to start from: that of the folder whose path is so many bytes of scan->path. */
struct base {
    int fd;
    size_t skip;
    int levels; /* folders between it and the one at hand */
};

struct base walk_root (const struct scan *scan);
/* The path of the folder at hand as seen from the base. */
const char *walk_relative (const struct scan *scan, const struct base *base);
/* Goes down into a name and back up. False, and nothing done, where the path becomes too long. */
bool walk_down (struct scan *scan, const char *name, size_t *length_out);
void walk_up (struct scan *scan, size_t length);
/* The base for going down into so many folders of the one at hand; a new one where that pays. */
struct base walk_enter (struct scan *scan, const struct base *base, size_t count);
void walk_leave (struct scan *scan, const struct base *outer, struct base *inner);

/* Whether the folder is as it was when this stat was stored. */
bool walk_unchanged (const struct mail_stat *stored, const struct mail_stat *stat);
/* Looks at a known folder, which is the one at hand, and at all below it. */
enum mail_status walk_known (struct scan *scan, const struct mail_folder *folder,
                             const struct base *base);
/* The same for one that lies at a path. */
enum mail_status walk_known_at (struct scan *scan, const struct mail_folder *folder,
                                const char *path);

/* ---- look.c ---- */

struct look {
    int fd;
    struct mail_stat stat;    /* before the listing */
    struct mail_stat trusted; /* the same to be stored */
    struct listing *listing;
    bool torn; /* the folder changed while it was listed: a name that is not there proves nothing */
};

/* Lists the folder at hand and sets the kind of each name. Freeing the look (talloc'd on ctx)
 * closes the descriptor. Where it cannot be read: the errno, with the problem told. */
int look_at (void *ctx, struct scan *scan, const struct base *base, struct look **look_out);
/* Stats a name of it, links followed. Returns 0 or an errno; EINVAL for what is no regular file. */
int look_file (const struct look *look, const char *name, struct mail_stat *stat_out);
/* Tells of a link in the folder at hand that cannot be followed. */
void look_bad_link (struct scan *scan, const char *name, int error);
/* Whether the path of a name in the folder at hand is over the limit. */
bool look_is_too_long (const struct scan *scan, const char *name);
/* Notes the folder at hand as listed. What is returned stays until the next call; its path stays.
 */
struct listed *look_listed (struct scan *scan, const struct look *look,
                            const struct mail_folder *known);

/* ---- diff.c ---- */

/* Lists a known folder that has changed and notes all differences. *below_out (talloc'd on ctx) are
 * those of its known folders that are still there, to be walked. */
enum mail_status diff_known (void *ctx, struct scan *scan, const struct mail_folder *folder,
                             const struct base *base, const struct mail_folder ***below_out,
                             size_t *count_out);

/* ---- fresh.c ---- */

/* Notes a folder, or a link to one, that the index does not have. */
void fresh_folder (struct scan *scan, const struct look *look, const char *name);
void fresh_link (struct scan *scan, const struct look *look, const char *name,
                 const struct mail_folder *known);
/* The mail root itself, on the first run. */
void fresh_root (struct scan *scan);
/* Among the unknown folders noted so far finds those that are missing elsewhere, and walks them. */
enum mail_status fresh_renamed (struct scan *scan);
/* Looks at all unknown folders, then at all links. */
enum mail_status fresh_all (struct scan *scan);

/* ---- again.c ---- */

/* Withholds what is missing and may have gone to a folder that was looked at before it did. */
enum mail_status again_look (struct scan *scan);

#endif
