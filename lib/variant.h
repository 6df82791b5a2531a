/* SPDX-License-Identifier: GPL-3.0-or-later */
/* variant.h - GVariants as records of the index: little-endian on every machine, with a sum. */
#ifndef VARIANT_H
#define VARIANT_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/* Bytes at the end of every record: CRC-32 (as in RFC 1952) of what stands before, little-endian.
 */
#define SUM_SIZE 4
void sum_append (char *bytes, size_t length);
/* Whether the last four of these bytes are the sum of the others. */
bool sum_is_right (const char *bytes, size_t length);

/* The serialised form and its sum, talloc'd on ctx. Takes the (floating) value. */
char *variant_to_bytes (void *ctx, GVariant *value, size_t *length_out);
/* A value of this type made of such bytes, which outlive it; what is damaged reads as defaults (the
 * sum is not looked at: "mail check" does). Unref it. */
GVariant *variant_from_bytes (const char *type, const char *bytes, size_t length);

#endif
