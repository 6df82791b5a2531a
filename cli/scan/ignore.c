/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ignore.c - new.ignore, compiled.
 *
 * Asked for every name of every folder that is listed and for every known folder, so words come
 * first and a path is put together only where there is a regular expression. There are a handful of
 * entries: a list of words needs no more than a loop.
 */
#include "ignore.h"

#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <talloc.h>

struct ignore {
    const char **words;
    size_t word_count;
    regex_t *patterns;
    size_t pattern_count;
};

static int
ignore_destroy (struct ignore *ignore)
{
    for (size_t i = 0; i < ignore->pattern_count; i++)
        regfree (&ignore->patterns[i]);
    return 0;
}

static enum mail_status
ignore_add_pattern (void *ctx, struct ignore *ignore, const char *entry, char **error_out)
{
    enum mail_status status = MAIL_ERROR_ARGUMENT;
    void *local = talloc_new (NULL);
    char reason[256];
    size_t length = strlen (entry);
    char *source;
    int error;

    if (length < 3 || entry[length - 1] != '/') {
        if (error_out)
            *error_out = talloc_asprintf (ctx, "Malformed pattern '%s' in new.ignore", entry);
        goto done;
    }
    source = talloc_strndup (local, entry + 1, length - 2);
    error = regcomp (&ignore->patterns[ignore->pattern_count], source, REG_EXTENDED | REG_NOSUB);
    if (error) {
        regerror (error, &ignore->patterns[ignore->pattern_count], reason, sizeof reason);
        if (error_out)
            *error_out =
                talloc_asprintf (ctx, "Invalid regex '%s' in new.ignore: %s", source, reason);
        goto done;
    }
    ignore->pattern_count++;
    status = MAIL_OK;
done:
    talloc_free (local);
    return status;
}

enum mail_status
ignore_create (void *ctx, const char *const *entries, size_t count, struct ignore **ignore_out,
               char **error_out)
{
    struct ignore *ignore = talloc_zero (ctx, struct ignore);
    enum mail_status status = MAIL_OK;

    talloc_set_destructor (ignore, ignore_destroy);
    ignore->words = talloc_array (ignore, const char *, count);
    ignore->patterns = talloc_array (ignore, regex_t, count);
    for (size_t i = 0; i < count && status == MAIL_OK; i++) {
        if (entries[i][0] == '/')
            status = ignore_add_pattern (ctx, ignore, entries[i], error_out);
        else if (entries[i][0])
            ignore->words[ignore->word_count++] = talloc_strdup (ignore, entries[i]);
    }
    if (status != MAIL_OK)
        talloc_free (ignore);
    else
        *ignore_out = ignore;
    return status;
}

static bool
ignore_match_path (const struct ignore *ignore, const char *folder, const char *name)
{
    char path[PATH_MAX + NAME_MAX + 2];

    snprintf (path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", name);
    for (size_t i = 0; i < ignore->pattern_count; i++)
        if (regexec (&ignore->patterns[i], path, 0, NULL, 0) == 0)
            return true;
    return false;
}

bool
ignore_match (const struct ignore *ignore, const char *folder, const char *name)
{
    for (size_t i = 0; i < ignore->word_count; i++)
        if (strcmp (ignore->words[i], name) == 0)
            return true;
    return ignore->pattern_count > 0 && ignore_match_path (ignore, folder, name);
}
