/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * maildir.h - the letters at the end of a mail file's name (maildir(5): ":2,FS") and the tags they
 * stand for.
 */
#ifndef MAILDIR_H
#define MAILDIR_H

#include "mailindex.h"

/* The five of notmuch, and what the user has added (mail_index_set_flags). */
struct maildir_flags {
    struct mail_flag *list;
    size_t count;
};

/* The five; hangs on ctx. */
struct maildir_flags *maildir_flags_create (void *ctx);

/* The letters behind the first ":2," of a file in a folder of this base name: "" for one in "new"
 * without any; NULL where the name says nothing (there is no info, or it is no maildir). */
const char *maildir_letters (const char *folder, const char *name);

/* Whether a message has the tag. */
typedef bool (*maildir_tag_fn) (void *closure, const char *tag);

/* The name that a file of this folder ("cur" or "new") gets for the tags; talloc'd on ctx. NULL
 * where it stays as it is: its letters are not in ascending order, or (in "new", without an info)
 * there is nothing to say. All of the name before the ":2," stays, so that what mbsync and Dovecot
 * keep there (",U=17", ",S=2048,W=2100") goes with it; letters that stand for no tag stay too. */
char *maildir_name (void *ctx, const struct maildir_flags *flags, const char *folder,
                    const char *name, maildir_tag_fn has_tag, void *closure);

#endif
