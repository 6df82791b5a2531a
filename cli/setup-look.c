/* SPDX-License-Identifier: GPL-3.0-or-later */
/* setup-look.c - counts folders and files, by their directory entries alone. */
#include "setup-look.h"

#include <fts.h>
#include <string.h>

struct setup_look
setup_look_at (const char *folder)
{
    char *const roots[] = {(char *) folder, NULL};
    FTS *walk = fts_open (roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
    struct setup_look look = {0};
    FTSENT *entry;

    while (walk && (entry = fts_read (walk)) != NULL) {
        if (entry->fts_level == 0)
            continue;
        if (entry->fts_info == FTS_D && (strcmp (entry->fts_name, ".mailindex") == 0 ||
                                         strcmp (entry->fts_name, ".notmuch") == 0))
            fts_set (walk, entry, FTS_SKIP);
        else if (entry->fts_info == FTS_D)
            look.folders++;
        else if (entry->fts_info == FTS_F || entry->fts_info == FTS_NSOK)
            look.files++;
    }
    if (walk)
        fts_close (walk);
    return look;
}
