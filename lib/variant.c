/* SPDX-License-Identifier: GPL-3.0-or-later */
/* variant.c - GVariants to bytes and back. */
#include "variant.h"

#include <talloc.h>

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
    *length_out = g_variant_get_size (stored);
    char *bytes = talloc_size (ctx, *length_out);
    g_variant_store (stored, bytes);
    g_variant_unref (stored);
    return bytes;
}

GVariant *
variant_from_bytes (const char *type, const char *bytes, size_t length)
{
    /* GVariant copies what is not aligned as the type wants it */
    return swap_if_big_endian (g_variant_ref_sink (
        g_variant_new_from_data (G_VARIANT_TYPE (type), bytes, length, FALSE, NULL, NULL)));
}
