/* SPDX-License-Identifier: GPL-3.0-or-later */
/* new-settings.h - what the configuration says about looking for new mail. */
#ifndef NEW_SETTINGS_H
#define NEW_SETTINGS_H

#include "command.h"

struct new_settings {
    char **tags, **ignore;
    size_t tag_count, ignore_count;
    bool maildir_flags;
    unsigned tombstone_days;
    unsigned snapshots;
    unsigned workers; /* 0: one a processor */
    size_t memory;    /* bytes for each of them */
    int64_t recent;   /* days; a first import is quiet about what is older; -1: about nothing */
    struct mail_apply_options decrypt; /* only what is about that */
};

/* decrypt: as --decrypt was given. What it fills in hangs on ctx. Returns 0, or an exit code after
 * a message. */
int new_settings_read (void *ctx, const struct cli *cli, int decrypt,
                       struct new_settings *settings);

#endif
