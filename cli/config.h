/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * config.h - the settings: one key file (mail-config(5)), over those kept in the index, over
 * built-in defaults.
 *
 * A key is written "section.item". Lists are separated by ";". In values "\s", "\n", "\t", "\r",
 * "\\" and "\;" stand for a blank, newline, tab, return, backslash and a ";" that separates
 * nothing; a backslash before anything else stands for itself.
 */
#ifndef CONFIG_H
#define CONFIG_H

#include "names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct config;

/* Reads the file given ("" for none at all; NULL: the first that exists in the places of names).
 * No file anywhere is no error. MAIL_ERROR_IO, MAIL_ERROR_ARGUMENT (malformed; the message has the
 * line). */
enum mail_status config_load (void *ctx, const struct names *names, const char *file,
                              struct config **config_out, char **error_out);

/* The same for who is going to write it: a file that was named, or the one of a named profile, need
 * not be there. */
enum mail_status config_load_to_write (void *ctx, const struct names *names, const char *file,
                                       struct config **config_out, char **error_out);

/* The file that was read (or is to be written); NULL for none. */
const char *config_file (const struct config *config);
/* Where a new configuration file would be looked for first. */
const char *config_usual_file (const struct config *config);

/* Whether that file belongs to the other program, and is only read. */
bool config_file_is_foreign (const struct config *config);
/* A setting kept in the index: it counts where the file has none of the key. */
void config_add_stored (struct config *config, const char *key, const char *value);

/* Whether the index has the key. */
bool config_is_stored (const struct config *config, const char *key);
/* Whether the file or the index has the key, be it with an empty value. */
bool config_is_set (const struct config *config, const char *key);
/* The value as it is written, or the default; NULL where there is neither. */
const char *config_raw (const struct config *config, const char *key);
/* The value, not as a list: escapes undone, blanks around it cut; NULL as above; talloc'd on ctx.
 */
char *config_string (void *ctx, const struct config *config, const char *key);
/* The same with the blanks around it, where they are written "\s". */
char *config_text (void *ctx, const struct config *config, const char *key);
/* The parts of the value, blanks around them cut, empty ones left out; talloc'd on ctx,
 * NULL-terminated; count_out may be NULL. */
char **config_list (void *ctx, const struct config *config, const char *key, size_t *count_out);
/* true, yes, false or no, in any case. MAIL_ERROR_ARGUMENT. */
enum mail_status config_boolean (void *ctx, const struct config *config, const char *key,
                                 bool *value_out, char **error_out);
enum mail_status config_integer (void *ctx, const struct config *config, const char *key,
                                 int64_t min, int64_t max, int64_t *value_out, char **error_out);
/* All keys that have a value, in byte order, NULL-terminated, talloc'd on ctx. */
char **config_keys (void *ctx, const struct config *config);

/* A path as configured, absolute: "~/" and relative ones are below the home folder. NULL where
 * there is none; talloc'd on ctx. */
char *config_path (void *ctx, const struct config *config, const char *key);

/* Where the index and the mail lie; absolute. */
struct config_paths {
    const char *database;
    const char *mail_root;
    const char *assumed; /* a sentence about what was assumed; NULL where it was configured */
};
/* database.path (overridden by the environment) and database.mail_root, each standing in for the
 * other; where neither is set, the first that exists of the places of the family whose file is in
 * force (names.h).
 * MAIL_ERROR_NO_MAIL_ROOT. */
enum mail_status config_paths (void *ctx, const struct config *config,
                               struct config_paths *paths_out, char **error_out);

#endif
