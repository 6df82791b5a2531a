/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fields.h - the fields that words of text belong to: those of schema.h, then header fields that
 * the user has given a prefix.
 *
 * A field is a number: enum text_field, or FIELD_COUNT and up. The numbers of the user's go by the
 * names, so the same settings give the same numbers. Sets of fields are bits, 1 << number.
 */
#ifndef FIELDS_H
#define FIELDS_H

#include "mailindex.h"
#include "schema.h"

#define FIELDS_MAX 64
typedef uint64_t field_set;
#define FIELD_BIT(field) ((field_set) 1 << (field))

struct fields {
    const char *stemmer;
    unsigned count;                   /* of all */
    const char *names[FIELDS_MAX];    /* before the colon of a query */
    const char *prefixes[FIELDS_MAX]; /* of terms */
    const char *headers[FIELDS_MAX];  /* NULL for those of schema.h */
};

/* The fields and stemmer of a handle's options; NULL: none of the user's, english. A name that is
 * not allowed, one too many or an unknown stemmer is MAIL_ERROR_ARGUMENT, with a text on ctx. */
enum mail_status fields_create (void *ctx, const char *stemmer,
                                const struct mail_header_prefix *headers,
                                struct fields **fields_out, char **error_out);
/* Those of schema.h. */
struct fields *fields_plain (void *ctx);

/* As bytes, for workers; they come from this library. */
char *fields_encode (void *ctx, const struct fields *fields, size_t *length_out);
struct fields *fields_decode (void *ctx, const char *bytes, size_t length);

#endif
