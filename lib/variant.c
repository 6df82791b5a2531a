/* SPDX-License-Identifier: GPL-3.0-or-later */
/* variant.c - GVariants to bytes and back. */
#include "variant.h"

#include <string.h>
#include <talloc.h>
#include <zlib.h>

static guint32
sum_of (const char *bytes, size_t length)
{
    return GUINT32_TO_LE ((guint32) crc32_z (0, (const Bytef *) bytes, length));
}

void
sum_append (char *bytes, size_t length)
{
    guint32 sum = sum_of (bytes, length);
    memcpy (bytes + length, &sum, SUM_SIZE);
}

bool
sum_is_right (const char *bytes, size_t length)
{
    if (length < SUM_SIZE)
        return false;
    guint32 sum = sum_of (bytes, length - SUM_SIZE);
    return memcmp (bytes + length - SUM_SIZE, &sum, SUM_SIZE) == 0;
}

static GVariant *
swap_if_big_endian (GVariant *value)
{
    if (G_BYTE_ORDER == G_LITTLE_ENDIAN)
        return value;
    GVariant *swapped = g_variant_byteswap (value);
    g_variant_unref (value);
    return swapped;
}

char *
variant_to_bytes (void *ctx, GVariant *value, size_t *length_out)
{
    GVariant *stored = swap_if_big_endian (g_variant_ref_sink (value));
    size_t length = g_variant_get_size (stored);
    char *bytes = talloc_size (ctx, length + SUM_SIZE);
    g_variant_store (stored, bytes);
    sum_append (bytes, length);
    *length_out = length + SUM_SIZE;
    g_variant_unref (stored);
    return bytes;
}

GVariant *
variant_from_bytes (const char *type, const char *bytes, size_t length)
{
    length -= MIN (length, SUM_SIZE);
    /* GVariant copies what is not aligned as the type wants it */
    return swap_if_big_endian (g_variant_ref_sink (
        g_variant_new_from_data (G_VARIANT_TYPE (type), bytes, length, FALSE, NULL, NULL)));
}
