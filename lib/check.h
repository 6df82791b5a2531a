/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check.h - what of an index is damaged, as check.c and repair.c pass it on. */
#ifndef CHECK_H
#define CHECK_H

#include "index-private.h"

struct check {
    struct mail_index *index;
    mail_damage_fn each;
    void *closure;
    size_t found;
    bool overtaken; /* another process has changed the index meanwhile */
};

/* Tells of one; path is relative to the index folder. */
void check_found (struct check *check, enum mail_store store, const char *path, const char *format,
                  ...) __attribute__ ((format (printf, 4, 5)));
/* Documents and metadata of state. */
void check_state (struct check *check);

#endif
