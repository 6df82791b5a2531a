/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fields.c - the table of fields of one handle.
 *
 * Terms of the user's fields begin with PREFIX_USER, the name and a colon, which no word has in it:
 * so they collide with no other field, and stay what they are when other fields come and go.
 */
#include "fields.h"
#include "store/store.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

#define NAME_MAX_LENGTH 64 /* a term is at most this, a word and three bytes */

static const char *const own_prefixes[] = {
#define FIELD_PREFIX(name, prefix, query) prefix,
    TEXT_FIELD_LIST (FIELD_PREFIX)
#undef FIELD_PREFIX
};

static const char *const own_names[] = {
#define FIELD_NAME(name, prefix, query) query,
    TEXT_FIELD_LIST (FIELD_NAME)
#undef FIELD_NAME
};

_Static_assert(FIELD_COUNT < FIELDS_MAX, "a bit for each field");

struct fields *
fields_plain (void *ctx)
{
    struct fields *fields = talloc_zero (ctx, struct fields);

    fields->stemmer = "english";
    fields->count = FIELD_COUNT;
    memcpy (fields->prefixes, own_prefixes, sizeof own_prefixes);
    memcpy (fields->names, own_names, sizeof own_names);
    return fields;
}

enum mail_status
mail_header_prefix_check (const char *name, const char **reason_out)
{
    const char *reason = NULL;

    if (*name == '\0')
        reason = "it has no name";
    else if (strlen (name) > NAME_MAX_LENGTH)
        reason = "the name is too long";
    else if (g_ascii_islower (*name))
        reason = "names that begin with a small letter are reserved";
    for (const char *at = name; *at && !reason; at++)
        if (!g_ascii_isalnum (*at) && *at != '_')
            reason = "names are made of letters, digits and \"_\"";
    if (reason_out)
        *reason_out = reason;
    return reason ? MAIL_ERROR_ARGUMENT : MAIL_OK;
}

static void
add (struct fields *fields, const char *name, const char *header)
{
    unsigned field = fields->count++;

    fields->names[field] = talloc_strdup (fields, name);
    fields->headers[field] = talloc_strdup (fields, header);
    fields->prefixes[field] = talloc_asprintf (fields, PREFIX_USER "%s:", name);
}

static int
by_name (const void *a, const void *b)
{
    const struct mail_header_prefix *left = a, *right = b;

    return strcmp (left->name, right->name);
}

static enum mail_status
add_all (void *ctx, struct fields *fields, const struct mail_header_prefix *headers,
         char **error_out)
{
    size_t count = 0;
    struct mail_header_prefix *sorted;
    const char *reason;

    while (headers[count].name)
        count++;
    if (count > FIELDS_MAX - FIELD_COUNT) {
        *error_out = talloc_asprintf (ctx, "there are more than %d prefixes for header fields",
                                      FIELDS_MAX - FIELD_COUNT);
        return MAIL_ERROR_ARGUMENT;
    }
    sorted = talloc_memdup (fields, headers, count * sizeof *headers);
    if (count > 0)
        qsort (sorted, count, sizeof *sorted, by_name);
    for (size_t i = 0; i < count; i++) {
        if (mail_header_prefix_check (sorted[i].name, &reason) != MAIL_OK) {
            *error_out =
                talloc_asprintf (ctx, "the prefix '%s' is not allowed: %s", sorted[i].name, reason);
            return MAIL_ERROR_ARGUMENT;
        }
        add (fields, sorted[i].name, sorted[i].header);
    }
    talloc_free (sorted);
    return MAIL_OK;
}

enum mail_status
fields_create (void *ctx, const char *stemmer, const struct mail_header_prefix *headers,
               struct fields **fields_out, char **error_out)
{
    struct fields *fields = fields_plain (ctx);
    struct store_stemmer *made;
    enum mail_status status = MAIL_OK;

    if (stemmer) {
        fields->stemmer = talloc_strdup (fields, stemmer);
        if (store_stemmer_create (fields, stemmer, &made, NULL) != MAIL_OK) {
            *error_out = talloc_asprintf (ctx, "there is no stemmer '%s'", stemmer);
            status = MAIL_ERROR_ARGUMENT;
        }
    }
    if (status == MAIL_OK && headers)
        status = add_all (ctx, fields, headers, error_out);
    if (status == MAIL_OK)
        *fields_out = fields;
    else
        talloc_free (fields);
    return status;
}

char *
fields_encode (void *ctx, const struct fields *fields, size_t *length_out)
{
    GString *bytes = g_string_new (fields->stemmer);
    char *copy;

    g_string_append_c (bytes, '\0');
    for (unsigned i = FIELD_COUNT; i < fields->count; i++) {
        g_string_append_len (bytes, fields->names[i], (gssize) strlen (fields->names[i]) + 1);
        g_string_append_len (bytes, fields->headers[i], (gssize) strlen (fields->headers[i]) + 1);
    }
    *length_out = bytes->len;
    copy = talloc_memdup (ctx, bytes->str, bytes->len);
    g_string_free (bytes, TRUE);
    return copy;
}

struct fields *
fields_decode (void *ctx, const char *bytes, size_t length)
{
    struct fields *fields = fields_plain (ctx);
    const char *end = bytes + length, *at = bytes;

    fields->stemmer = talloc_strdup (fields, bytes);
    at += strlen (at) + 1;
    while (at < end) {
        const char *header = at + strlen (at) + 1;
        add (fields, at, header);
        at = header + strlen (header) + 1;
    }
    return fields;
}
