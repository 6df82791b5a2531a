/* SPDX-License-Identifier: GPL-3.0-or-later */
/* term.c - terms of state and the code of its number slots. */
#include "term.h"
#include "schema.h"

#include <glib.h>
#include <inttypes.h>
#include <string.h>
#include <talloc.h>

#define TERM_KEPT 200 /* bytes of a term that is hashed */

static size_t
key_length (const char *bytes, size_t length)
{
    size_t sum = length;
    for (size_t i = 0; i < length; i++)
        sum += bytes[i] == '\0';
    return sum;
}

struct store_term
term_make (void *ctx, const char *prefix, const char *value, size_t length)
{
    size_t prefix_length = strlen (prefix), total = prefix_length + length;
    char *text = talloc_size (ctx, total + 1);
    memcpy (text, prefix, prefix_length);
    memcpy (text + prefix_length, value, length);
    text[total] = '\0';
    if (key_length (text, total) <= TERM_MAX)
        return (struct store_term){text, total};

    gchar *hash = g_compute_checksum_for_data (G_CHECKSUM_SHA1, (const guchar *) text, total);
    size_t kept = total < TERM_KEPT ? total : TERM_KEPT;
    while (key_length (text, kept) > TERM_KEPT)
        kept--;
    char *hashed = talloc_size (ctx, kept + 1 + strlen (hash) + 1);
    memcpy (hashed, text, kept);
    hashed[kept] = '#';
    strcpy (hashed + kept + 1, hash);
    total = kept + 1 + strlen (hash);
    g_free (hash);
    talloc_free (text);
    return (struct store_term){hashed, total};
}

struct store_term
term_make_string (void *ctx, const char *prefix, const char *value)
{
    return term_make (ctx, prefix, value, strlen (value));
}

char *
term_message_id (void *ctx, const char *id)
{
    size_t length = strlen (id);
    if (length <= MESSAGE_ID_MAX)
        return talloc_strndup (ctx, id, length);
    gchar *hash = g_compute_checksum_for_data (G_CHECKSUM_SHA1, (const guchar *) id, length + 1);
    char *shortened = talloc_asprintf (ctx, "notmuch-sha1-%s", hash);
    g_free (hash);
    return shortened;
}

struct store_term
term_thread (void *ctx, uint64_t thread)
{
    char *text = talloc_asprintf (ctx, PREFIX_THREAD "%016" PRIx64, thread);
    return (struct store_term){text, strlen (text)};
}

struct store_term
term_folder (void *ctx, uint32_t folder)
{
    char *text = talloc_asprintf (ctx, PREFIX_FOLDER "%" PRIu32, folder);
    return (struct store_term){text, strlen (text)};
}

struct store_term
term_file (void *ctx, uint32_t folder, const char *name)
{
    char *value = talloc_asprintf (ctx, "%" PRIu32 ":%s", folder, name);
    struct store_term term = term_make_string (ctx, PREFIX_FILE, value);
    talloc_free (value);
    return term;
}

void
value_encode (uint64_t number, char bytes_out[8])
{
    for (int i = 7; i >= 0; i--) {
        bytes_out[i] = (char) (number & 0xff);
        number >>= 8;
    }
}

uint64_t
value_decode (const char *bytes, size_t length)
{
    uint64_t number = 0;
    for (size_t i = 0; i < length && i < 8; i++)
        number = number << 8 | (unsigned char) bytes[i];
    return number;
}

uint64_t
date_to_value (int64_t date)
{
    return (uint64_t) date ^ (UINT64_C (1) << 63);
}

int64_t
value_to_date (uint64_t value)
{
    return (int64_t) (value ^ (UINT64_C (1) << 63));
}
