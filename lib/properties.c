/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * properties.c - pairs of key and value that a message has besides its tags.
 *
 * They are terms of its document and nothing else, "B" KEY "=" VALUE, among the terms that
 * struct mail_message keeps as they are; so a message without any pays nothing for them.
 */
#include "properties.h"
#include "schema.h"
#include "term.h"

#include <stdlib.h>
#include <string.h>
#include <talloc.h>

#define PREFIX_LENGTH (sizeof PREFIX_PROPERTY - 1)

/* "KEY=VALUE"; NULL for a term of another kind. */
static const char *
pair_of_term (const struct store_term *term)
{
    if (strncmp (term->text, PREFIX_PROPERTY, PREFIX_LENGTH) != 0)
        return NULL;
    return strchr (term->text, '=') ? term->text + PREFIX_LENGTH : NULL;
}

static int
compare (const void *a, const void *b)
{
    const struct mail_property *left = a, *right = b;
    int order = strcmp (left->key, right->key);
    return order ? order : strcmp (left->value, right->value);
}

static void
read_properties (struct mail_message *message)
{
    size_t count = 0;
    message->properties =
        talloc_zero_array (message, struct mail_property, message->other_count + 1);
    for (size_t i = 0; i < message->other_count; i++) {
        const char *pair = pair_of_term (&message->others[i]);
        if (!pair)
            continue;
        const char *sign = strchr (pair, '=');
        message->properties[count++] = (struct mail_property){
            .key = talloc_strndup (message->properties, pair, (size_t) (sign - pair)),
            .value = sign + 1,
        };
    }
    if (count > 1)
        qsort (message->properties, count, sizeof *message->properties, compare);
    message->property_count = count;
}

const struct mail_property *
mail_message_properties (const struct mail_message *constant, size_t *count_out)
{
    struct mail_message *message = (struct mail_message *) constant;
    if (!message->properties)
        read_properties (message);
    *count_out = message->property_count;
    return message->properties;
}

const char *const *
message_session_keys (void *ctx, const struct mail_message *message)
{
    size_t count = 0, found = 0;
    const struct mail_property *properties =
        message ? mail_message_properties (message, &count) : NULL;
    const char **keys = talloc_array (ctx, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        if (strcmp (properties[i].key, PROPERTY_SESSION_KEY) == 0)
            keys[found++] = talloc_strdup (keys, properties[i].value);
    keys[found] = NULL;
    return keys;
}

static struct store_term
make_term (void *ctx, const struct mail_property *property)
{
    char *pair = talloc_asprintf (NULL, "%s=%s", property->key, property->value);
    struct store_term term = term_make_string (ctx, PREFIX_PROPERTY, pair);
    talloc_free (pair);
    return term;
}

bool
property_is_allowed (const struct mail_property *property, const char **reason_out)
{
    const char *reason = NULL;
    if (*property->key == '\0')
        reason = "the key is empty";
    else if (strchr (property->key, '='))
        reason = "there is a '=' in the key";
    else if (PREFIX_LENGTH + strlen (property->key) + 1 + strlen (property->value) > TERM_MAX)
        reason = "key and value are too long (over 238 bytes)";
    if (reason_out)
        *reason_out = reason;
    return !reason;
}

bool
edit_add_property (struct edit *edit, const struct mail_property *property)
{
    struct mail_message *message = edit->message;
    struct store_term term = make_term (message, property);
    for (size_t i = 0; i < message->other_count; i++)
        if (strcmp (message->others[i].text, term.text) == 0)
            return false;
    message->others =
        talloc_realloc (message, message->others, struct store_term, message->other_count + 1);
    message->others[message->other_count++] = term;
    TALLOC_FREE (message->properties);
    return true;
}

bool
edit_remove_properties (struct edit *edit, const char *prefix)
{
    struct mail_message *message = edit->message;
    size_t kept = 0, count = message->other_count;
    for (size_t i = 0; i < count; i++) {
        const char *pair = pair_of_term (&message->others[i]);
        size_t key_length = pair ? (size_t) (strchr (pair, '=') - pair) : 0;
        if (!pair || strlen (prefix) > key_length || strncmp (pair, prefix, strlen (prefix)) != 0)
            message->others[kept++] = message->others[i];
    }
    message->other_count = kept;
    TALLOC_FREE (message->properties);
    return kept < count;
}
