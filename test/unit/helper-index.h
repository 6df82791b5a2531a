/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * helper-index.h - a mail root and an index of it, for tests that look inside.
 *
 * Files come into the index the ordinary way (fixture_sync) or as if they had been parsed
 * (fixture_parsed and publish_file), which tests of threads are faster with. Whatever a test does,
 * fixture_teardown holds the index against the rules of doc/schema.md.
 */
#ifndef HELPER_INDEX_H
#define HELPER_INDEX_H

#include "index-private.h"
#include "index/build.h"
#include "publish.h"

#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <talloc.h>

#include <cmocka.h>

struct fixture {
    void *ctx;
    char *root; /* a fresh folder: mail root and database.path */
    struct mail_index *index;
    struct mail_apply_options options; /* of fixture_sync and fixture_publish */
    struct mail_apply_counts counts;   /* of the last fixture_sync or fixture_commit */
    unsigned published;                /* files that fixture_publish has put in */
    bool damaged;                      /* the test breaks the rules: no check at the end */
};

/* cmocka's set-up and tear-down: an empty index; new.tags are inbox and unread. */
int fixture_setup (void **state);
int fixture_teardown (void **state);
/* Another handle of the same index, on ctx. */
struct mail_index *fixture_open (struct fixture *f);
/* Absolute path of something below the root. */
char *fixture_path (struct fixture *f, const char *path);

/* ---- mail on the disk ---- */

/* Writes a file below the root, with its folders. It gets an inode of its own, also where there
 * was one of this name. */
void fixture_write (struct fixture *f, const char *path, const char *text);
/* A mail: more are further header lines, each with its end of line; or NULL. */
void fixture_mail (struct fixture *f, const char *path, const char *id, const char *more,
                   const char *body);
void fixture_rename (struct fixture *f, const char *from, const char *to);
void fixture_remove (struct fixture *f, const char *path);
struct mail_stat fixture_stat (struct fixture *f, const char *path);

/* The difference between the root and the index, as additions and removals only, names in byte
 * order. */
struct mail_changes *fixture_changes (struct fixture *f);
enum mail_status fixture_apply (struct fixture *f, struct mail_changes *changes);
/* Both; must succeed. */
void fixture_sync (struct fixture *f);
/* Id of a folder's record; 0 for none. */
uint32_t fixture_folder (struct fixture *f, const char *path);

/* ---- mail as if parsed ---- */

/* A parsed file of this message; references: ids with blanks between, or "". Words are a text of
 * which the digest is made. */
struct parsed_file fixture_parsed (void *ctx, const char *id, const char *references,
                                   const char *words);
struct publish *fixture_begin (struct fixture *f);
/* Adds it as "in/cur" NAME, under a new document id. Returns the id. */
uint32_t fixture_publish (struct fixture *f, struct publish *publish, const char *name,
                          const struct parsed_file *file);
void fixture_commit (struct fixture *f, struct publish *publish);
/* One message, in a commit of its own. */
void fixture_add (struct fixture *f, const char *id, const char *references);
void fixture_drop (struct fixture *f, const char *id);

/* ---- segments ---- */

/* Builds a segment in the scratch folder, for the ids first..last, with a document for each that
 * step reaches: all have the word, and each its id in decimal. Returns its path. */
char *fixture_segment (struct fixture *f, struct scratch *scratch, uint32_t first, uint32_t last,
                       uint32_t step, const char *word, struct segment *segment_out);
struct scratch *fixture_scratch (struct fixture *f);

/* ---- looking ---- */

/* Message-ids of the matches in byte order, with blanks between; "" for none. */
char *fixture_find (struct fixture *f, const char *query);
uint64_t fixture_count (struct fixture *f, const char *query);
struct mail_message *fixture_message (struct fixture *f, const char *id);
/* "inbox unread" */
char *fixture_tags (struct fixture *f, const char *id);
/* "in/cur/a in/cur/b" */
char *fixture_files (struct fixture *f, const char *id);
/* The threads as sets of ids, ghosts in parentheses: "(b) a c | d", each and all in byte order. */
char *fixture_threads (struct fixture *f);
/* Documents of state that have this term. */
uint32_t fixture_freq (struct fixture *f, const char *term);
/* The strings in byte order as one; frees the array. */
char *fixture_join (void *ctx, GPtrArray *strings, const char *between);
/* Names in a folder in byte order, with blanks between, but for those that begin with a dot. */
char *fixture_list (struct fixture *f, const char *path);

/* ---- the rules ---- */

/* Fails the test where a document, a segment or the manifest is not as it should be. */
void fixture_check (struct fixture *f);

/* Runs the function in a child process with a handle of its own; its end must be reached. */
void fixture_in_child (struct fixture *f, void (*function) (struct fixture *f));

#endif
