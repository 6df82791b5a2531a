/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batch.h - lines of the journal and of snapshots: what is done to one message.
 *
 *   +TAG -TAG -- id:ID        tags added and removed, as "tag --batch" reads it
 *   #= ID KEY=VALUE ...       all properties that the message has
 *
 * Tags, keys, values, and the ID of the second form are hex-encoded (%20); an ID that is not plain
 * is quoted in the first form, as in a query.
 */
#ifndef BATCH_H
#define BATCH_H

#include "mailindex.h"

#include <glib.h>

/* Appends the text as mail_hex_encode() writes it. */
void batch_append_hex (GString *out, const char *text);
/* " -- id:ID" and the end of the line, behind tags that the caller has written. */
void batch_append_id (GString *out, const char *id);
/* A line of properties. */
void batch_append_properties (GString *out, const char *id, const struct mail_property *properties,
                              size_t count);

/* A setting, in place: "#@ KEY VALUE", both hex-encoded. False for another line. */
bool batch_parse_setting (char *line, struct mail_setting *setting_out);

struct batch_line {
    char *id;
    bool is_properties; /* else tags */
    struct mail_tag_change *tags;
    size_t tag_count;
    struct mail_property *properties;
    size_t property_count;
};
/* Reads one line without its end; false for what is neither form. What it points to hangs on ctx.
 */
bool batch_parse (void *ctx, const char *line, struct batch_line *line_out);

#endif
