/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * config.c - reads the key file and gives out its values.
 *
 * GLib parses groups and keys; values are taken raw and taken apart here, because GLib refuses a
 * value with an unknown escape as a whole, and a pattern such as /\.bak$/ has one.
 */
#include "config-private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>
#include <unistd.h>

static const struct {
    const char *key;
    const char *value;
} defaults[] = {
    {"database.lock_timeout", "30"},
    {"database.snapshots", "4"},
    {"maildir.synchronize_flags", "true"},
    {"new.ignore", ""},
    {"new.tags", "unread;inbox"},
    {"new.first_import", "auto"},
    {"new.recent", "14"},
    {"new.takeover", "true"},
    {"search.exclude_tags", ""},
    {"new.workers", "0"},
    {"new.memory", "100"},
    {"new.tombstone_days", "30"},
    {"index.stemmer", "english"},
    {"index.decrypt_timeout", "60"},
};

static int
destroy (struct config *config)
{
    g_key_file_unref (config->keys);
    g_hash_table_unref (config->stored);
    return 0;
}

/* The first line that GLib cannot parse, from 1: the shortest text of whole lines that fails ends
 * with it. */
static unsigned
bad_line (const char *text, size_t length)
{
    unsigned line = 0;
    size_t end = 0;

    while (end < length) {
        const char *newline = memchr (text + end, '\n', length - end);
        GKeyFile *keys = g_key_file_new ();
        bool good;

        end = newline ? (size_t) (newline - text) + 1 : length;
        line++;
        good = g_key_file_load_from_data (keys, text, end, G_KEY_FILE_NONE, NULL);
        g_key_file_unref (keys);
        if (!good)
            break;
    }
    return line;
}

static enum mail_status
read_file (void *ctx, struct config *config, char **error_out)
{
    enum mail_status status = MAIL_OK;
    GError *error = NULL;
    char *text = NULL;
    size_t length;

    if (!g_file_get_contents (config->file, &text, &length, &error)) {
        bool access_fails = access (config->file, R_OK) != 0;

        *error_out =
            talloc_asprintf (ctx, "cannot read the configuration file '%s': %s", config->file,
                             access_fails ? strerror (errno) : error->message);
        status = MAIL_ERROR_IO;
    } else if (!g_key_file_load_from_data (config->keys, text, length, G_KEY_FILE_NONE, &error)) {
        *error_out = talloc_asprintf (ctx, "%s:%u: bad line in the configuration file: %s",
                                      config->file, bad_line (text, length), error->message);
        status = MAIL_ERROR_ARGUMENT;
    }
    g_clear_error (&error);
    g_free (text);
    return status;
}

static bool
is_missing (const char *path)
{
    return access (path, F_OK) != 0 && errno == ENOENT;
}

static enum mail_status
load (void *ctx, const struct names *names, const char *file, bool to_write,
      struct config **config_out, char **error_out)
{
    struct config *config = talloc_zero (ctx, struct config);
    enum mail_status status;

    config->names = names;
    config->keys = g_key_file_new ();
    config->stored = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    talloc_set_destructor (config, destroy);
    status = config_find_file (config, names, file, &config->file, &config->family, error_out);
    if (status != MAIL_OK && to_write) /* what a new file is for */
        status = MAIL_OK;
    if (status == MAIL_OK && config->file && !(to_write && is_missing (config->file)))
        status = read_file (config, config, error_out);
    if (status != MAIL_OK) {
        talloc_steal (ctx, *error_out);
        talloc_free (config);
        return status;
    }
    *config_out = config;
    return MAIL_OK;
}

enum mail_status
config_load (void *ctx, const struct names *names, const char *file, struct config **config_out,
             char **error_out)
{
    return load (ctx, names, file, false, config_out, error_out);
}

enum mail_status
config_load_to_write (void *ctx, const struct names *names, const char *file,
                      struct config **config_out, char **error_out)
{
    return load (ctx, names, file, true, config_out, error_out);
}

const char *
config_file (const struct config *config)
{
    return config->file;
}

const char *
config_usual_file (const struct config *config)
{
    return config_family_file ((void *) config, config->names, config->names->families[0]);
}

bool
config_file_is_foreign (const struct config *config)
{
    return config->file && config->family->foreign && config->family != config->names->families[0];
}

void
config_add_stored (struct config *config, const char *key, const char *value)
{
    g_hash_table_replace (config->stored, g_strdup (key), g_strdup (value));
}

bool
config_is_stored (const struct config *config, const char *key)
{
    return g_hash_table_contains (config->stored, key);
}

static const char *
default_value (const char *key)
{
    for (size_t i = 0; i < G_N_ELEMENTS (defaults); i++)
        if (strcmp (defaults[i].key, key) == 0)
            return defaults[i].value;
    return NULL;
}

/* A string of GLib's becomes one that belongs to config. */
static const char *
keep (const struct config *config, char *value)
{
    char *kept = value ? talloc_strdup (config, value) : NULL;

    g_free (value);
    return kept;
}

/* As it is written in the file, or the index has it; NULL for none. */
static const char *
given_value (const struct config *config, const char *key)
{
    const char *dot = strchr (key, '.');
    const char *value = NULL;

    if (dot) {
        char *group = g_strndup (key, (size_t) (dot - key));

        if (g_key_file_has_group (config->keys, group))
            value = keep (config, g_key_file_get_value (config->keys, group, dot + 1, NULL));
        g_free (group);
    }
    return value ? value : g_hash_table_lookup (config->stored, key);
}

bool
config_is_set (const struct config *config, const char *key)
{
    return given_value (config, key) != NULL;
}

const char *
config_raw (const struct config *config, const char *key)
{
    const char *value = given_value (config, key);

    return value ? value : default_value (key);
}

/* The byte that "\c" stands for; 0 for an unknown one. */
static char
escaped (char c)
{
    static const char from[] = "sntr\\;", to[] = " \n\t\r\\;";
    const char *found = c ? strchr (from, c) : NULL;

    return found ? to[found - from] : 0;
}

/* Reads up to an end byte that is not escaped into part_out (long enough for all of text); returns
 * what comes after it, or NULL at the end of text. */
static const char *
next_part (const char *text, char end, char *part_out)
{
    while (*text && *text != end) {
        char byte = *text == '\\' ? escaped (text[1]) : 0;

        *part_out++ = byte ? byte : *text;
        text += byte ? 2 : 1;
    }
    *part_out = '\0';
    return *text ? text + 1 : NULL;
}

char *
config_text (void *ctx, const struct config *config, const char *key)
{
    const char *raw = config_raw (config, key);
    char *value;

    if (!raw)
        return NULL;
    value = talloc_array (ctx, char, strlen (raw) + 1);
    next_part (raw, '\0', value);
    return value;
}

char *
config_string (void *ctx, const struct config *config, const char *key)
{
    char *value = config_text (ctx, config, key);

    return value ? g_strstrip (value) : NULL;
}

char **
config_list (void *ctx, const struct config *config, const char *key, size_t *count_out)
{
    const char *raw = config_raw (config, key);
    char **list = talloc_zero_array (ctx, char *, 1);
    size_t count = 0;
    char *part = talloc_array (list, char, raw ? strlen (raw) + 1 : 1);

    while (raw) {
        raw = next_part (raw, ';', part);
        g_strstrip (part);
        if (*part == '\0')
            continue;
        list = talloc_realloc (ctx, list, char *, count + 2);
        list[count++] = talloc_strdup (list, part);
        list[count] = NULL;
    }
    talloc_free (part);
    if (count_out)
        *count_out = count;
    return list;
}

static enum mail_status
bad_value (void *ctx, const struct config *config, const char *key, const char *wanted,
           char **error_out)
{
    *error_out = talloc_asprintf (ctx, "%s: '%s' is not allowed for %s: %s",
                                  config->file ? config->file : "configuration",
                                  config_raw (config, key), key, wanted);
    return MAIL_ERROR_ARGUMENT;
}

enum mail_status
config_boolean (void *ctx, const struct config *config, const char *key, bool *value_out,
                char **error_out)
{
    const char *raw = config_raw (config, key);
    char *value = talloc_strdup (ctx, raw ? raw : "");

    g_strstrip (value);
    if (g_ascii_strcasecmp (value, "true") == 0 || g_ascii_strcasecmp (value, "yes") == 0)
        *value_out = true;
    else if (g_ascii_strcasecmp (value, "false") == 0 || g_ascii_strcasecmp (value, "no") == 0)
        *value_out = false;
    else
        return bad_value (ctx, config, key, "it is true, yes, false or no", error_out);
    return MAIL_OK;
}

enum mail_status
config_integer (void *ctx, const struct config *config, const char *key, int64_t min, int64_t max,
                int64_t *value_out, char **error_out)
{
    const char *raw = config_raw (config, key);
    char *value = g_strstrip (talloc_strdup (ctx, raw ? raw : ""));

    if (!g_ascii_string_to_signed (value, 10, min, max, value_out, NULL))
        return bad_value (
            ctx, config, key,
            talloc_asprintf (ctx, "it is a number from %" PRId64 " to %" PRId64, min, max),
            error_out);
    return MAIL_OK;
}

static int
compare_strings (const void *a, const void *b)
{
    return strcmp (*(char *const *) a, *(char *const *) b);
}

static void
add_key (char ***keys, size_t *count, const char *key)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp ((*keys)[i], key) == 0)
            return;
    *keys = talloc_realloc (NULL, *keys, char *, *count + 2);
    (*keys)[(*count)++] = talloc_strdup (*keys, key);
    (*keys)[*count] = NULL;
}

char **
config_keys (void *ctx, const struct config *config)
{
    char **groups = g_key_file_get_groups (config->keys, NULL);
    char **keys = talloc_zero_array (ctx, char *, 1);
    size_t count = 0;
    GHashTableIter iter;
    gpointer stored;

    for (char **group = groups; *group; group++) {
        char **items = g_key_file_get_keys (config->keys, *group, NULL, NULL);

        for (char **item = items; item && *item; item++) {
            char *key = g_strdup_printf ("%s.%s", *group, *item);

            add_key (&keys, &count, key);
            g_free (key);
        }
        g_strfreev (items);
    }
    g_hash_table_iter_init (&iter, config->stored);
    while (g_hash_table_iter_next (&iter, &stored, NULL))
        add_key (&keys, &count, stored);
    for (size_t i = 0; i < G_N_ELEMENTS (defaults); i++)
        add_key (&keys, &count, defaults[i].key);
    qsort (keys, count, sizeof *keys, compare_strings);
    g_strfreev (groups);
    return keys;
}
