/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * setup-answers.c - asks a question at a time, and collects what is to be written.
 *
 * Of a file that is there, lines whose answer is what they say stay as they are, default or not.
 */
#include "setup-answers.h"
#include "config-edit.h"

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <talloc.h>

/* ---- asking ---- */

char *
setup_read (struct setup *setup)
{
    char *line = NULL, *answer;
    size_t size = 0;

    fflush (stdout);
    if (setup->ended || getline (&line, &size, stdin) < 0)
        setup->ended = true;
    answer = talloc_strdup (setup->ctx, setup->ended ? "" : line);
    free (line);
    return g_strstrip (answer);
}

char *
setup_ask (struct setup *setup, const char *question, const char *present)
{
    char *answer;

    if (setup->yes) {
        printf ("%s: %s\n", question, present);
        return talloc_strdup (setup->ctx, present);
    }
    if (!setup->ended)
        printf ("%s [%s]: ", question, present);
    answer = setup_read (setup);
    return *answer ? answer : talloc_strdup (setup->ctx, present);
}

bool
setup_ask_yes (struct setup *setup, const char *question)
{
    const char *answer = setup_ask (setup, question, "yes");

    return strcasecmp (answer, "yes") == 0 || strcasecmp (answer, "y") == 0;
}

/* ---- values ---- */

void
setup_put (struct setup *setup, const char *key, const char *raw)
{
    struct config_value value = {talloc_strdup (setup->ctx, key),
                                 raw ? talloc_strdup (setup->ctx, raw) : NULL};

    for (size_t i = 0; i < setup->count; i++)
        if (strcmp (setup->values[i].key, key) == 0) {
            setup->values[i] = value;
            return;
        }
    setup->values =
        talloc_realloc (setup->ctx, setup->values, struct config_value, setup->count + 1);
    setup->values[setup->count++] = value;
}

/* Whether the file that will be written has the key: then it stays as it is unless the answer is
 * another one. */
static bool
is_in_file (const struct setup *setup, const char *key)
{
    const struct config *config = setup->cli->config;

    return !config_file_is_foreign (config) && config_is_set (config, key);
}

void
setup_put_text (struct setup *setup, const char *key, char *value, const char *without)
{
    const char *present = config_string (setup->ctx, setup->base, key);

    if (is_in_file (setup, key) && present && strcmp (value, present) == 0)
        return;
    if (without && strcmp (value, without) == 0)
        setup_put (setup, key, NULL);
    else
        setup_put (setup, key, config_join (setup->ctx, &value, 1));
}

static bool
is_list (const struct setup *setup, const struct config *config, const char *key, char **values)
{
    char **list = config_list (setup->ctx, config, key, NULL);

    return g_strv_equal ((const char *const *) values, (const char *const *) list);
}

void
setup_put_list (struct setup *setup, const char *key, char **values)
{
    if (is_in_file (setup, key) && is_list (setup, setup->base, key, values))
        return;
    if (is_list (setup, setup->blank, key, values))
        setup_put (setup, key, NULL);
    else
        setup_put (setup, key, config_join (setup->ctx, values, (int) g_strv_length (values)));
}

void
setup_put_all (struct setup *setup)
{
    struct config *config = setup->cli->config;

    for (char **key = config_keys (setup->ctx, config); *key; key++) {
        const char *raw = config_raw (config, *key), *without = config_raw (setup->blank, *key);

        if (config_is_set (config, *key) && *raw && (!without || strcmp (raw, without) != 0))
            setup_put (setup, *key, raw);
    }
}

void
setup_drop_needless (struct setup *setup)
{
    size_t kept = 0;

    for (size_t i = 0; i < setup->count; i++)
        if (setup->values[i].value || is_in_file (setup, setup->values[i].key))
            setup->values[kept++] = setup->values[i];
    setup->count = kept;
}
