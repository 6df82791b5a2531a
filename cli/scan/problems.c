/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * problems.c - the remembered problems, in the order in which the index gives them.
 *
 * Usually there are none or a few; a folder of junk may have thousands, each asked for by name.
 */
#include "problems.h"

#include <stdlib.h>
#include <string.h>
#include <talloc.h>

enum mail_status
problems_load (void *ctx, struct mail_index *index, struct problems **problems_out)
{
    struct problems *problems = talloc_zero (ctx, struct problems);
    struct mail_problem *list;
    enum mail_status status = mail_problems_load (problems, index, &list, &problems->count);

    if (status != MAIL_OK) {
        talloc_free (problems);
        return status;
    }
    problems->list = talloc_zero_array (problems, struct remembered, problems->count);
    for (size_t i = 0; i < problems->count; i++)
        problems->list[i].problem = &list[i];
    *problems_out = problems;
    return MAIL_OK;
}

static int
problems_compare (const void *key, const void *item)
{
    const struct mail_problem *wanted = key;
    const struct mail_problem *problem = ((const struct remembered *) item)->problem;

    if (wanted->folder != problem->folder)
        return wanted->folder < problem->folder ? -1 : 1;
    return strcmp (wanted->name, problem->name);
}

struct remembered *
problems_find (const struct problems *problems, uint32_t folder, const char *name)
{
    const struct mail_problem wanted = {.folder = folder, .name = name};

    if (!problems->count || !folder)
        return NULL;
    return bsearch (&wanted, problems->list, problems->count, sizeof *problems->list,
                    problems_compare);
}
