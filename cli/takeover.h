/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * takeover.h - what notmuch knows of the mail, for the first import of somebody who comes from it.
 *
 * notmuch itself is asked for a dump, which is kept as "notmuch.dump.gz" in the folder of our
 * index. Its own database is not changed.
 */
#ifndef TAKEOVER_H
#define TAKEOVER_H

#include "command.h"

/* Whether there is a database of notmuch's in the folder that holds (or will hold) our index. */
bool takeover_is_there (const struct cli *cli, const char *database);

/* Path of the first notmuch in $PATH that is not this program; NULL for none. */
char *takeover_program (void *ctx);

/* The dump below the folder that holds (or will hold) our index; talloc'd on ctx. */
char *takeover_dump_file (void *ctx, const char *database);

/* Has program write the dump of the database of that folder. Returns 0, or an exit code after a
 * message. */
int takeover_dump (const struct cli *cli, const char *program, const char *database);

/* How somebody does it who has notmuch elsewhere, on stderr. */
void takeover_explain (const struct cli *cli, const char *database);

/* For a first import: has a dump made, where the configuration in force is notmuch's or there is
 * none of our own; reads it, or one from before, for mail_apply_options.known; and puts settings
 * that notmuch kept in its database into the index, where it has none of the name. *known_out:
 * NULL for nothing. Says what it does on stderr, unless quiet. Returns 0, or an exit code after a
 * message. */
int takeover_load (void *ctx, struct cli *cli, struct mail_index *index, bool quiet,
                   struct mail_edits **known_out);

#endif
