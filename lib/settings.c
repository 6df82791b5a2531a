/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * settings.c - configuration kept in the index.
 *
 * A handful of short texts that every command may ask for, so they are one metadata entry: a line
 * each, KEY <TAB> VALUE, both escaped (g_strescape), in byte order of the keys.
 */
#include "metadata.h"
#include "schema.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

static char *
unescape (void *ctx, const char *text)
{
    char *plain = g_strcompress (text), *copy = talloc_strdup (ctx, plain);
    g_free (plain);
    return copy;
}

static struct mail_setting *
decode (void *ctx, const char *text, size_t *count_out)
{
    struct mail_setting *settings = talloc_array (ctx, struct mail_setting, 0);
    char **lines = g_strsplit (text, "\n", -1);
    size_t count = 0;
    for (char **line = lines; *line; line++) {
        char *tab = strchr (*line, '\t');
        if (!tab)
            continue;
        *tab = '\0';
        settings = talloc_realloc (ctx, settings, struct mail_setting, count + 1);
        settings[count++] =
            (struct mail_setting){unescape (settings, *line), unescape (settings, tab + 1)};
    }
    g_strfreev (lines);
    *count_out = count;
    return settings;
}

static char *
encode (void *ctx, const struct mail_setting *settings, size_t count)
{
    char *text = talloc_strdup (ctx, "");
    for (size_t i = 0; i < count; i++) {
        char *key = g_strescape (settings[i].key, NULL);
        char *value = g_strescape (settings[i].value, NULL);
        text = talloc_asprintf_append_buffer (text, "%s\t%s\n", key, value);
        g_free (key);
        g_free (value);
    }
    return text;
}

enum mail_status
mail_index_settings (void *ctx, struct mail_index *index, struct mail_setting **settings_out,
                     size_t *count_out)
{
    char *text;
    unsigned attempt = 0;
    enum mail_status status;
    do {
        status = store_metadata (ctx, index->state, META_SETTINGS, &text, NULL);
        if (status != MAIL_OK)
            index_fail_store (index, index->state, status);
    } while (index_retry (index, &status, &attempt));
    if (status != MAIL_OK)
        return status;
    *settings_out = decode (ctx, text, count_out);
    talloc_free (text);
    return MAIL_OK;
}

static int
compare (const void *a, const void *b)
{
    const struct mail_setting *left = a, *right = b;
    return strcmp (left->key, right->key);
}

/* One key set, or with an empty value removed. */
static struct mail_setting *
set_one (struct mail_setting *settings, size_t *count, const struct mail_setting *new)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++)
        if (strcmp (settings[i].key, new->key) != 0)
            settings[kept++] = settings[i];
    if (*new->value) {
        settings = talloc_realloc (NULL, settings, struct mail_setting, kept + 1);
        settings[kept++] = *new;
    }
    *count = kept;
    return settings;
}

enum mail_status
mail_index_set_settings (struct mail_index *index, const struct mail_setting *settings,
                         size_t count)
{
    struct writer *writer;
    struct mail_setting *all;
    size_t all_count;
    char *before, *after;
    enum mail_status status = writer_begin (index, index, &writer);
    if (status != MAIL_OK)
        return status;
    status = writer_get_text (writer, META_SETTINGS, &before);
    if (status != MAIL_OK) {
        talloc_free (writer);
        return status;
    }
    all = decode (writer, before, &all_count);
    for (size_t i = 0; i < count; i++)
        all = talloc_steal (writer, set_one (all, &all_count, &settings[i]));
    qsort (all, all_count, sizeof *all, compare);
    after = encode (writer, all, all_count);
    if (strcmp (before, after) == 0) {
        talloc_free (writer);
        return MAIL_OK;
    }
    status = writer_set_text (writer, META_SETTINGS, after);
    if (status == MAIL_OK)
        return writer_commit (writer);
    talloc_free (writer);
    return status;
}
