/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tag-operations.h - "+tag" and "-tag" words, and what they do to the matches of a query. */
#ifndef TAG_OPERATIONS_H
#define TAG_OPERATIONS_H

#include "command.h"

struct tag_operations {
    struct mail_tag_change *changes; /* in the order given; tags are talloc'd on this array */
    size_t count;
    bool remove_all; /* first */
};

/* Whether a word is an operation ("--" is none). */
bool tag_is_operation (const char *word);
/* Adds a word that is one. Returns NULL, or why the tag is not allowed (static). ctx owns the
 * array. */
const char *tag_operations_add (void *ctx, struct tag_operations *operations, const char *word);
/* Takes a line of a list (tag --batch, dump) apart into operations and a query, which hang on ctx.
 * Returns NULL, or what is wrong with the line. */
const char *tag_operations_read (void *ctx, const char *line, struct tag_operations *operations,
                                 const char **query_out);
/* What the library is to do; points into operations. */
struct mail_edit tag_operations_edit (const struct tag_operations *operations);

/* Does the operations to all that matches. Returns 0, or an exit code after a message. */
int tag_operations_apply (const struct cli *cli, struct mail_index *index, const char *text,
                          const struct tag_operations *operations);

#endif
