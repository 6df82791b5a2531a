/* SPDX-License-Identifier: GPL-3.0-or-later */
/* excludes.h - which excluded tags a query asks for. */
#ifndef EXCLUDES_H
#define EXCLUDES_H

#include <stdbool.h>

/* Whether a query names a tag: "tag:x" or "is:x" outside of quotes, or a regex tag:/x/ that
 * matches it. */
bool excludes_names_tag (const char *query, const char *tag);
/* The query without what has one of the tags (NULL-terminated); talloc'd on ctx. */
char *excludes_apply (void *ctx, const char *query, char *const *tags);

#endif
