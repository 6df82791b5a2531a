/* SPDX-License-Identifier: GPL-3.0-or-later */
/* first-import.h - what is different while the mail of an index is indexed for the first time. */
#ifndef FIRST_IMPORT_H
#define FIRST_IMPORT_H

#include "edit.h"

#define FIRST_IMPORT_UNREAD "unread"
#define FIRST_IMPORT_INBOX "inbox"

/* Whether the index of this folder has been through its first import: there is a snapshot. For an
 * index that is made anew. */
bool first_import_was_done (const char *folder);

/* Whether the message is one that a first import under these options says nothing of. Ask when all
 * its files are known. */
bool first_import_is_quiet (const struct mail_apply_options *options, struct edit *edit,
                            const struct mail_folders *folders);
/* Takes the tags away from such a message: from one not known before both, from another one unread
 * where a further file has just given it that (was_unread: it had it before). Returns whether the
 * message is one not known before that had one of them. */
bool first_import_hush (struct edit *edit, bool was_unread);

#endif
