/* SPDX-License-Identifier: GPL-3.0-or-later */
/* variant.h - GVariants as records of the index: little-endian on every machine. */
#ifndef VARIANT_H
#define VARIANT_H

#include <glib.h>
#include <stddef.h>

/* The serialised form, talloc'd on ctx. Takes the (floating) value. */
char *variant_to_bytes (void *ctx, GVariant *value, size_t *length_out);
/* A value of this type made of bytes that outlive it; what is damaged reads as defaults. Unref it.
 */
GVariant *variant_from_bytes (const char *type, const char *bytes, size_t length);

#endif
