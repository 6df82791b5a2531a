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
    bool overtaken;          /* another process has changed the index meanwhile */
    enum mail_status failed; /* MAIL_OK, or why it could not be done ... */
    char *failure;           /* ... in words */
};

/* Tells of one; path is relative to the index folder. */
void check_found (struct check *check, enum mail_store store, const char *path, const char *format,
                  ...) __attribute__ ((format (printf, 4, 5)));
/* Takes note of what is no damage, but that files cannot be opened here and now (too many are open,
 * rights are missing); false for any other status. path as above. */
bool check_fails (struct check *check, enum mail_status status, const char *path, const char *text);
/* Documents and metadata of state. */
void check_state (struct check *check);

#endif
