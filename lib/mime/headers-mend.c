/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * headers-mend.c - values of header fields that are in a character set and do not say in which.
 *
 * Programs that put raw letters into a header put them in the set of the body. So what is not UTF-8
 * is read in the set of the message's first text that names one, once, when the parts are known;
 * from there on a value is UTF-8 or ASCII. A value in ISO-2022-JP looks like ASCII, and shows
 * itself.
 */
#include "mime/charset.h"
#include "mime/mime-private.h"
#include "schema.h"

#include <string.h>
#include <talloc.h>

static bool
needs_mending (const char *value, size_t length)
{
    if (charset_is_ascii (value, length))
        return strstr (value, "\033$") != NULL;
    return !g_utf8_validate (value, (gssize) length, NULL);
}

static void
mend_field (struct mime_headers *headers, struct mime_field *field, const char *label)
{
    size_t length = strlen (field->value);
    char *text;

    if (!needs_mending (field->value, length))
        return;
    if (charset_is_mostly_utf8 (field->value, length))
        label = NULL;
    text = charset_to_utf8 (headers, field->value, length, label, &length);
    if (length > HEADER_MAX) {
        headers->cut = true;
        length = (size_t) (g_utf8_find_prev_char (text, text + HEADER_MAX + 1) - text);
        text[length] = '\0';
    }
    for (char *p = text; *p != '\0'; p++)
        if (*p == '\r' || *p == '\n')
            *p = ' ';
    field->value = text;
}

/* The set of the first text among these parts that names one. */
static const char *
find_label (const struct mime_message *message, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (message->parts[i].text && charset_label_known (message->sources[i].charset))
            return message->sources[i].charset;
    return NULL;
}

static bool
is_any_broken (const struct mime_headers *headers)
{
    for (size_t i = 0; i < headers->count; i++)
        if (needs_mending (headers->fields[i].value, strlen (headers->fields[i].value)))
            return true;
    return false;
}

static void
mend (const struct mime_message *message, struct mime_headers *headers, size_t from, size_t to)
{
    const char *label;

    if (headers == NULL || !is_any_broken (headers))
        return;
    label = find_label (message, from, to);
    for (size_t i = 0; i < headers->count; i++)
        mend_field (headers, &headers->fields[i], label);
}

void
mime_headers_mend (struct mime_message *message)
{
    mend (message, message->headers, 0, message->part_count);
    message->cut_header |= message->headers->cut;
    for (size_t i = 0; i < message->part_count; i++)
        mend (message, message->sources[i].inner, i + 1, message->parts[i].end);
}
