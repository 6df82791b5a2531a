/* SPDX-License-Identifier: GPL-3.0-or-later */
/* helper.h - a small mail root and an index of it, made through the public header only. */
#ifndef HELPER_H
#define HELPER_H

#include <mailindex.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <talloc.h>

#include <cmocka.h>

struct fixture {
    void *ctx;
    char *root; /* a fresh folder; the mail lies in root/in/cur */
    struct mail_index *index;
};

/* cmocka set-up and tear-down: an index of the standard mail (helper_standard_mail). */
int helper_setup (void **state);
/* The same without any mail in it. */
int helper_setup_empty (void **state);
int helper_teardown (void **state);

/* Writes a file below the root, with its folders; returns its absolute path. */
const char *helper_write (struct fixture *f, const char *path, const char *text);
/* A mail file in in/cur: id, subject, second of the date after 2024-03-05 10:00:00, further header
 * lines (NULL: none), body. */
void helper_mail (struct fixture *f, const char *name, const char *id, const char *subject,
                  int second, const char *more, const char *body);
/* What lstat says of a path below the root. */
struct mail_stat helper_stat (struct fixture *f, const char *path);

/* Adds the named files (folder and name, NULL-terminated pairs) with tags inbox and unread. */
struct mail_apply_counts helper_index (struct fixture *f, const char *const (*files)[2]);
struct mail_apply_options helper_options (void);

/* The query's results; fails the test where it does not parse. */
struct mail_results *helper_run (struct fixture *f, const char *query, enum mail_sort sort);
uint64_t helper_count (struct fixture *f, const char *query);
struct mail_message *helper_find (struct fixture *f, const char *id);

/* Five messages, ids a to e @example.org:
 *   a  "Apples", 1 s, from Ann; body "green apples"
 *   b  "Re: Apples", 2 s, answers a; body "red apples"
 *   c  "Cherries", 3 s, two files (in/cur/c, in/cur/c2); body "red cherries"
 *   d  "Re: Apples", 4 s, answers b, from Dan; flagged by its name; body "rotten"
 *   e  "", 5 s, an HTML part and an attachment "list.txt" */
extern const char *const helper_standard_files[][2];
void helper_standard_mail (struct fixture *f);

#endif
