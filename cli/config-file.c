/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * config-file.c - which configuration file is read.
 *
 * The places of one program after those of the other, so that who comes from notmuch needs no new
 * file, and who has both gets our own. A file that was named (by an option or a variable) must be
 * there: silence would mean another mail root than the one asked for. So must a named profile.
 */
#include "config-private.h"

#include <stdlib.h>
#include <string.h>
#include <talloc.h>
#include <unistd.h>

/* The variable's value; NULL where it is not set or empty. */
static const char *
environment (const char *name)
{
    const char *value = getenv (name);

    return value && *value ? value : NULL;
}

const char *
config_home (void)
{
    const char *home = environment ("HOME");

    return home ? home : g_get_home_dir ();
}

/* A profile named for the program as it is called counts for the other's places too. */
static const char *
profile (const struct names *names, const struct names_family *family)
{
    const char *own = environment (names->families[0]->profile_env);

    return own ? own : environment (family->profile_env);
}

char *
config_family_folder (void *ctx, const struct names *names, const struct names_family *family,
                      const char *variable, const char *otherwise, const char *folder)
{
    const char *base = environment (variable);
    const char *named = profile (names, family);
    const char *last = named ? named : family->no_profile;

    return talloc_asprintf (ctx, "%s%s%s/%s%s%s", base ? base : config_home (), base ? "" : "/",
                            base ? "" : otherwise, folder, last ? "/" : "", last ? last : "");
}

char *
config_family_file (void *ctx, const struct names *names, const struct names_family *family)
{
    char *folder =
        config_family_folder (ctx, names, family, "XDG_CONFIG_HOME", ".config", family->folder);

    return talloc_asprintf (ctx, "%s/config", folder);
}

static char *
home_file (void *ctx, const struct names *names, const struct names_family *family)
{
    const char *named = profile (names, family);

    if (!family->home_file)
        return NULL;
    return talloc_asprintf (ctx, "%s/%s%s%s", config_home (), family->home_file, named ? "." : "",
                            named ? named : "");
}

static char *
first_of_family (void *ctx, const struct names *names, const struct names_family *family)
{
    char *place;

    place = config_family_file (ctx, names, family);
    if (access (place, F_OK) == 0)
        return place;
    place = home_file (ctx, names, family);
    return place && access (place, F_OK) == 0 ? place : NULL;
}

static enum mail_status
find_by_place (void *ctx, const struct names *names, char **file_out,
               const struct names_family **family_out, char **error_out)
{
    const struct names_family *own = names->families[0];
    const char *named;

    for (size_t i = 0; i < G_N_ELEMENTS (names->families); i++) {
        const struct names_family *family = names->families[i];

        named = environment (family->config_env);
        /* What the other program's variable names need not be there. */
        if (named && (i == 0 || access (named, F_OK) == 0))
            *file_out = talloc_strdup (ctx, named);
        else
            *file_out = first_of_family (ctx, names, family);
        *family_out = family;
        if (*file_out)
            return MAIL_OK;
    }
    *family_out = own;
    named = environment (own->profile_env);
    if (!named)
        return MAIL_OK;
    *error_out =
        talloc_asprintf (ctx, "no configuration for the profile '%s' (%s): there is no '%s'", named,
                         own->profile_env, config_family_file (ctx, names, own));
    return MAIL_ERROR_IO;
}

enum mail_status
config_find_file (void *ctx, const struct names *names, const char *given, char **file_out,
                  const struct names_family **family_out, char **error_out)
{
    *file_out = NULL;
    if (!given)
        return find_by_place (ctx, names, file_out, family_out, error_out);
    *family_out = names->families[0];
    if (*given)
        *file_out = talloc_strdup (ctx, given);
    return MAIL_OK;
}
