/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batch.c - writes and reads lines about messages, in the format of notmuch's dump (batch-tag, 3).
 *
 * Work expected: a line for each message that changes, a hundred thousand in a second.
 */
#include "batch.h"

#include <string.h>
#include <talloc.h>

/* ---- writing ---- */

static bool
is_plain (char c)
{
    return g_ascii_isalnum (c) || (c != '\0' && strchr ("+-_@=.,", c));
}

void
batch_append_hex (GString *out, const char *text)
{
    char *encoded = mail_hex_encode (NULL, text);
    g_string_append (out, encoded);
    talloc_free (encoded);
}

void
batch_append_id (GString *out, const char *id)
{
    const char *c = id;
    while (is_plain (*c))
        c++;
    g_string_append (out, " -- id:");
    if (*id && !*c) {
        g_string_append (out, id);
    } else {
        g_string_append_c (out, '"');
        for (c = id; *c; c++) {
            if (*c == '"')
                g_string_append_c (out, '"');
            g_string_append_c (out, *c);
        }
        g_string_append_c (out, '"');
    }
    g_string_append_c (out, '\n');
}

void
batch_append_properties (GString *out, const char *id, const struct mail_property *properties,
                         size_t count)
{
    g_string_append (out, "#= ");
    batch_append_hex (out, id);
    for (size_t i = 0; i < count; i++) {
        g_string_append_c (out, ' ');
        batch_append_hex (out, properties[i].key);
        g_string_append_c (out, '=');
        batch_append_hex (out, properties[i].value);
    }
    g_string_append_c (out, '\n');
}

/* ---- reading ---- */

static bool
parse_id (void *ctx, const char *query, struct batch_line *line)
{
    if (strncmp (query, "id:", 3) != 0)
        return false;
    query += 3;
    if (*query != '"') {
        line->id = talloc_strdup (ctx, query);
        return *query != '\0';
    }
    char *to = line->id = talloc_strdup (ctx, query + 1);
    for (const char *from = query + 1; *from; from++) {
        if (*from == '"' && *++from != '"') {
            *to = '\0';
            return *from == '\0';
        }
        *to++ = *from;
    }
    return false;
}

static bool
parse_tags (void *ctx, char *text, struct batch_line *line)
{
    char *word, *rest = text;
    while ((word = strsep (&rest, " ")) != NULL) {
        if (strcmp (word, "--") == 0)
            return rest && parse_id (ctx, rest, line);
        if (*word == '\0')
            continue;
        if ((*word != '+' && *word != '-') || !mail_hex_decode (word + 1))
            return false;
        line->tags = talloc_realloc (ctx, line->tags, struct mail_tag_change, line->tag_count + 1);
        line->tags[line->tag_count++] =
            (struct mail_tag_change){.tag = word + 1, .add = *word == '+'};
    }
    return false;
}

static bool
parse_properties (void *ctx, char *text, struct batch_line *line)
{
    char *rest = text, *id = strsep (&rest, " "), *word;
    line->is_properties = true;
    line->id = id;
    while ((word = strsep (&rest, " ")) != NULL) {
        char *value = strchr (word, '=');
        if (!value)
            return false;
        *value++ = '\0';
        if (!mail_hex_decode (word) || !mail_hex_decode (value))
            return false;
        line->properties =
            talloc_realloc (ctx, line->properties, struct mail_property, line->property_count + 1);
        line->properties[line->property_count++] = (struct mail_property){word, value};
    }
    return *id != '\0' && mail_hex_decode (id);
}

bool
batch_parse_setting (char *line, struct mail_setting *setting_out)
{
    char *value = strncmp (line, "#@ ", 3) == 0 ? strchr (line + 3, ' ') : NULL;
    if (!value)
        return false;
    *value++ = '\0';
    *setting_out = (struct mail_setting){line + 3, value};
    return mail_hex_decode (line + 3) && mail_hex_decode (value);
}

bool
batch_parse (void *ctx, const char *text, struct batch_line *line_out)
{
    char *copy = talloc_strdup (ctx, text);
    *line_out = (struct batch_line){0};
    if (strncmp (copy, "#= ", 3) == 0)
        return parse_properties (ctx, copy + 3, line_out);
    return parse_tags (ctx, copy, line_out);
}
