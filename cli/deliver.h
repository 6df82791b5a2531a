/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * deliver.h - puts a mail into a maildir as a mail server does (maildir(5)): written and synced in
 * "tmp", renamed into "new", and "new" synced. Whoever is told that it is done will find it there
 * after a power cut.
 */
#ifndef DELIVER_H
#define DELIVER_H

#include "command.h"

struct delivery {
    char *folder; /* of the maildir, relative to the mail root */
    char *name;   /* base name */
    char *tmp;    /* absolute path while it is in "tmp" */
    char *path;   /* absolute path in "new" */
    bool done;    /* it is there */
};

/* Makes the maildir where it is missing, with mode 0700 or 0755. 0, or an exit code after a
 * message. */
int deliver_make_folder (const struct cli *cli, const char *mail_root, const char *folder,
                         bool world_readable);
/* Copies stdin into "tmp". Freeing the delivery takes the file away, unless it is done. 0, or an
 * exit code after a message. */
int deliver_read (void *ctx, const struct cli *cli, const char *mail_root, const char *folder,
                  bool world_readable, struct delivery **delivery_out);
/* Renames it into "new". */
int deliver_finish (const struct cli *cli, struct delivery *delivery);
/* Takes it away again. */
void deliver_undo (struct delivery *delivery);

#endif
