/* SPDX-License-Identifier: GPL-3.0-or-later */
/* config-private.h - shared by the config-*.c. */
#ifndef CONFIG_PRIVATE_H
#define CONFIG_PRIVATE_H

#include "config.h"

#include <glib.h>

struct config {
    const struct names *names;
    const struct names_family *family; /* whose file was read; the program's own where none was */
    char *file;
    GKeyFile *keys;
    GHashTable *stored; /* key -> value, kept in the index */
};

/* Path of the configuration file, talloc'd on ctx: the one given, or the first that exists; NULL
 * for none. *family_out: whose it is. */
enum mail_status config_find_file (void *ctx, const struct names *names, const char *given,
                                   char **file_out, const struct names_family **family_out,
                                   char **error_out);
/* $HOME, or what the system knows. */
const char *config_home (void);
/* FOLDER/[PROFILE] of the family below an XDG base: the variable's value, otherwise that folder
 * below the home folder. */
char *config_family_folder (void *ctx, const struct names *names, const struct names_family *family,
                            const char *variable, const char *otherwise, const char *folder);
/* FOLDER/[PROFILE/]config below $XDG_CONFIG_HOME. */
char *config_family_file (void *ctx, const struct names *names, const struct names_family *family);

#endif
