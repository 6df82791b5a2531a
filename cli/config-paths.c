/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * config-paths.c - where the index and the mail lie.
 *
 * Without a word about it in the configuration the usual places are tried, and what was assumed is
 * put in words, so that "new" can say which folder it is about to index and how to name another.
 */
#include "config-private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>

/* A path as configured: "~/" and relative ones are below the home folder; no slash at the end. */
static char *
absolute (void *ctx, const char *path)
{
    char *result;
    size_t length;

    if (*path == '/')
        result = talloc_strdup (ctx, path);
    else if (strcmp (path, "~") == 0)
        result = talloc_strdup (ctx, config_home ());
    else
        result = talloc_asprintf (ctx, "%s/%s", config_home (),
                                  strncmp (path, "~/", 2) == 0 ? path + 2 : path);
    for (length = strlen (result); length > 1 && result[length - 1] == '/'; length--)
        result[length - 1] = '\0';
    return result;
}

char *
config_path (void *ctx, const struct config *config, const char *key)
{
    char *value = config_string (ctx, config, key);

    return value && *value ? absolute (ctx, value) : NULL;
}

/* The variable of the program as it is called; the other's counts where its file is used. */
static char *
from_environment (void *ctx, const struct config *config)
{
    const struct names_family *families[] = {config->names->families[0], config->family};

    for (size_t i = 0; i < G_N_ELEMENTS (families); i++) {
        const char *value = getenv (families[i]->database_env);

        if (value && *value)
            return absolute (ctx, value);
    }
    return NULL;
}

static bool
is_folder (const char *path)
{
    struct stat st;

    return stat (path, &st) == 0 && S_ISDIR (st.st_mode);
}

/* Where notmuch keeps its database apart from the mail; NULL where there is no such folder. */
static char *
data_folder (void *ctx, const struct config *config)
{
    const struct names_family *family = config->family;
    char *folder = family->data_folder
                       ? config_family_folder (ctx, config->names, family, "XDG_DATA_HOME",
                                               ".local/share", family->data_folder)
                       : NULL;

    return folder && is_folder (folder) ? folder : NULL;
}

/* The places tried without configuration, in order, and how they are called. */
struct place {
    char *path;
    const char *label;
};

static size_t
usual_places (void *ctx, const struct config *config, struct place places[NAMES_PLACES])
{
    size_t count = 0;

    for (size_t i = 0; i < NAMES_PLACES; i++) {
        const char *label = config->family->mail_places[i];
        const char *path = *label == '$' ? getenv (label + 1) : label;

        if (path && *path)
            places[count++] = (struct place){absolute (ctx, path), label};
    }
    return count;
}

static char *
labels (void *ctx, const struct place *places, size_t count, size_t without)
{
    char *text = talloc_strdup (ctx, "");

    for (size_t i = 0; i < count; i++)
        if (i != without)
            text = talloc_asprintf_append (text, "%s%s", *text ? ", " : "", places[i].label);
    return text;
}

static enum mail_status
assume (void *ctx, const struct config *config, struct config_paths *paths, char **error_out)
{
    const char *file = config->file ? config->file : config_usual_file (config);
    struct place places[NAMES_PLACES];
    size_t count = usual_places (ctx, config, places);

    for (size_t i = 0; i < count; i++) {
        if (!is_folder (places[i].path))
            continue;
        paths->database = paths->mail_root = places[i].path;
        paths->assumed = talloc_asprintf (
            ctx,
            "no mail folder is configured: taking '%s' (%s; the others looked for are %s). "
            "To use another, set path in the section [database] of '%s'.",
            places[i].path, places[i].label, labels (ctx, places, count, i), file);
        return MAIL_OK;
    }
    *error_out = talloc_asprintf (ctx,
                                  "no mail folder is configured, and there is none of %s. Set path "
                                  "in the section [database] of '%s'.",
                                  labels (ctx, places, count, count), file);
    return MAIL_ERROR_NO_MAIL_ROOT;
}

enum mail_status
config_paths (void *ctx, const struct config *config, struct config_paths *paths_out,
              char **error_out)
{
    struct config_paths paths = {0};
    enum mail_status status = MAIL_OK;

    paths.database = from_environment (ctx, config);
    if (!paths.database)
        paths.database = config_path (ctx, config, "database.path");
    paths.mail_root = config_path (ctx, config, "database.mail_root");
    if (!paths.database && (paths.database = data_folder (ctx, config)) && !paths.mail_root) {
        *error_out = talloc_asprintf (
            ctx,
            "the index is to be in '%s', but no mail folder is "
            "configured. Set mail_root in the section [database] of '%s'.",
            paths.database, config->file ? config->file : config_usual_file (config));
        return MAIL_ERROR_NO_MAIL_ROOT;
    }
    if (!paths.mail_root)
        paths.mail_root = paths.database;
    if (!paths.database)
        paths.database = paths.mail_root;
    if (!paths.database)
        status = assume (ctx, config, &paths, error_out);
    if (status == MAIL_OK)
        *paths_out = paths;
    return status;
}
