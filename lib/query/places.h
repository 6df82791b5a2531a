/* SPDX-License-Identifier: GPL-3.0-or-later */
/* places.h - what folder: and path: name, as ids of folders. */
#ifndef PLACES_H
#define PLACES_H

#include "idset.h"
#include "index-private.h"
#include <regex.h>

/* Folders of this relative path: "a/b", "a/b/" + "**" for it and all below, "" for the mail root.
 */
struct idset places_by_path (void *ctx, const struct mail_folders *folders, const char *path);
/* Folders whose path is this one, once a last "cur" or "new" has been taken off. */
struct idset places_by_folder (void *ctx, const struct mail_folders *folders, const char *path);
/* Folders whose path, as it is or without a last "cur" or "new", begins with start. */
struct idset places_by_start (void *ctx, const struct mail_folders *folders, const char *start);
/* Folders whose path, without a last "cur" or "new" if without is set, begins with start. */
struct idset places_by_start_of (void *ctx, const struct mail_folders *folders, const char *start,
                                 bool without);
/* Folders whose path matches; without: a last "cur" or "new" is taken off before. */
struct idset places_by_regex (void *ctx, const struct mail_folders *folders, const regex_t *regex,
                              bool without);

#endif
