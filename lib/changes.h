/* SPDX-License-Identifier: GPL-3.0-or-later */
/* changes.h - the inside of a list of changes, for the modules that apply it. */
#ifndef CHANGES_H
#define CHANGES_H

#include "mailindex.h"

#include <glib.h>

struct change_folder {
    const char *path;      /* relative */
    struct mail_stat stat; /* as it was listed */
    bool listed;           /* stat counts */
    bool failed;           /* something in it has to be looked at again: times are not kept */
    bool later; /* has removals or problems: its times are kept with them, in the last commit */
    size_t adds_left; /* not yet published */
    bool done;        /* its times are in state, or in the transaction under way */
};

struct change_add {
    size_t folder; /* in folders */
    const char *name;
    struct mail_stat stat;
};

struct change_move {
    uint32_t from_folder; /* id of the folder record */
    const char *from_name;
    size_t folder;
    const char *name;
    struct mail_stat stat;
};

struct change_drop {
    uint32_t folder;
    const char *name; /* NULL: the folder itself, with all below it */
    bool if_missing;  /* only where the file is not there when its turn comes */
};

struct change_problem {
    size_t folder; /* in folders */
    const char *name;
    enum mail_reason reason;
    struct mail_stat stat;
};

struct change_folder_move {
    uint32_t id;
    const char *to; /* relative path */
};

struct mail_changes {
    struct mail_index *index;
    struct mail_folders *known; /* when the list was begun; NULL where they could not be read: */
    enum mail_status status;    /* ... why */
    GStringChunk *strings;      /* one block for a million names */
    GHashTable *by_path;        /* path -> place in folders + 1 */
    GArray *folders, *adds, *moves, *drops, *folder_moves, *problems;
};

struct change_folder *changes_folder_at (struct mail_changes *changes, size_t at);
void changes_clear (struct mail_changes *changes);
/* The folder of a relative path, where the list has it; else NULL. */
struct change_folder *changes_folder (struct mail_changes *changes, const char *path);

#endif
