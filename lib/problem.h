/* SPDX-License-Identifier: GPL-3.0-or-later */
/* problem.h - the record of a name that could not be indexed (a document of type TERM_TYPE_BAD). */
#ifndef PROBLEM_H
#define PROBLEM_H

#include "mailindex.h"

/* Bytes talloc'd on ctx: GVariant, little-endian: version, reason word, since, folder, name, inode,
 * size, mtime, ctime. */
char *problem_encode (void *ctx, const struct mail_problem *problem, size_t *length_out);
/* False for what is no such record. The name hangs on ctx. */
bool problem_decode (void *ctx, const char *bytes, size_t length, struct mail_problem *problem_out);
/* mail_problems_load() under the revision the handle has. */
enum mail_status problems_read (void *ctx, struct mail_index *index,
                                struct mail_problem **problems_out, size_t *count_out);

#endif
