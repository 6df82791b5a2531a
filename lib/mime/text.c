/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * text.c - the text of a leaf: its bytes (decode.c), character set, line ends; and its words.
 *
 * A part of a gigabyte costs what the caller's limit allows; nothing here fails.
 */
#include "mime/charset.h"
#include "mime/html.h"
#include "mime/mime-private.h"

#include <string.h>
#include <talloc.h>

#define SNIFF ((size_t) 2 << 10) /* bytes of HTML in which a charset is looked for */

/* ---- character set ---- */

/* The value of the first "charset=" in the head of an HTML document; NULL for none. */
static char *
html_charset (void *ctx, struct mime_bytes html)
{
    size_t length = MIN (html.length, SNIFF);
    char *head = talloc_strndup (ctx, html.data, length), *label = NULL;
    const char *at = strcasestr (head, "charset=");

    if (at != NULL) {
        at += strlen ("charset=");
        at += strspn (at, "\"' ");
        label = talloc_strndup (ctx, at, strcspn (at, "\"' ;/>"));
    }
    talloc_free (head);
    return label;
}

static char *
to_utf8 (void *ctx, struct mime_bytes bytes, const char *label, bool html, size_t *length_out)
{
    char *own = NULL, *text;

    if (html && !charset_label_known (label) && !charset_is_ascii (bytes.data, bytes.length))
        label = own = html_charset (ctx, bytes);
    text = charset_to_utf8 (ctx, bytes.data, bytes.length, label, length_out);
    talloc_free (own);
    return text;
}

/* ---- line ends and limit ---- */

/* CRLF to LF, in place; the new length. */
static size_t
unify_line_ends (char *text, size_t length)
{
    char *from = memmem (text, length, "\r\n", 2), *to = from, *end = text + length;

    if (from == NULL)
        return length;
    for (; from < end; from++)
        if (*from != '\r' || from[1] != '\n')
            *to++ = *from;
    *to = '\0';
    return (size_t) (to - text);
}

/* At most limit bytes, of whole characters. */
static size_t
cut (char *text, size_t length, size_t limit)
{
    if (length <= limit)
        return length;
    while (limit > 0 && ((unsigned char) text[limit] & 0xc0) == 0x80)
        limit--;
    text[limit] = '\0';
    return limit;
}

static bool
is_html (const struct mail_part *part)
{
    return strcmp (part->type, "text/html") == 0;
}

static char *
leaf_text (void *ctx, struct mime_message *message, const struct mail_part *part, size_t limit,
           size_t *length_out)
{
    const struct mime_part *source = &message->sources[part->number - 1];
    size_t cap = MIN (limit, SIZE_MAX / 8) + 8; /* a character cut in two is beyond the limit */
    void *temporary = talloc_new (ctx);
    const char *label = source->charset;
    struct mime_bytes bytes;
    size_t length;
    char *text;

    if (label != NULL && (g_ascii_strncasecmp (label, "utf-16", 6) == 0 ||
                          g_ascii_strncasecmp (label, "utf-32", 6) == 0))
        cap *= 4;
    bytes = mime_part_bytes (temporary, source, cap);
    bytes.length = MIN (bytes.length, cap);
    text = to_utf8 (ctx, bytes, label, is_html (part), &length);
    length = unify_line_ends (text, length);
    *length_out = cut (text, length, limit);
    talloc_free (temporary);
    return text;
}

enum mail_status
mime_part_text (void *ctx, struct mime_message *message, const struct mail_part *part, size_t limit,
                char **text_out, size_t *length_out)
{
    if (!part->text)
        return MAIL_ERROR_ARGUMENT;
    *text_out = leaf_text (ctx, message, part, limit, length_out);
    return MAIL_OK;
}

/* ---- words ---- */

/* Text that was sent under the type of anything at all: its name tells. */
static bool
is_named_text (const struct mail_part *part)
{
    static const char *const endings[] = {".txt",   ".text", ".log", ".csv", ".tsv", ".md",
                                          ".patch", ".diff", ".ics", ".org", ".rst"};
    const char *dot = part->filename != NULL ? strrchr (part->filename, '.') : NULL;

    if (dot == NULL || strcmp (part->type, "application/octet-stream") != 0)
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS (endings); i++)
        if (g_ascii_strcasecmp (dot, endings[i]) == 0)
            return true;
    return false;
}

/* What has a NUL near its beginning is no text, whatever its name says. */
static bool
is_binary (const struct mime_part *source)
{
    enum { LOOKED_AT = 4096 };
    void *temporary = talloc_new (NULL);
    struct mime_bytes bytes = mime_part_bytes (temporary, source, LOOKED_AT);
    bool found = memchr (bytes.data, 0, MIN (bytes.length, LOOKED_AT)) != NULL;

    talloc_free (temporary);
    return found;
}

/* Text, and what programs wrote for people: delivery reports and the like. */
static bool
has_words (const struct mail_part *part)
{
    return part->kind == MAIL_PART_LEAF &&
           (part->text || g_str_has_prefix (part->type, "message/") || is_named_text (part));
}

static bool
is_calendar (const struct mail_part *part, const char *text)
{
    static const char begin[] = "BEGIN:VCALENDAR";

    text += strspn (text, " \t\n");
    return (strcmp (part->type, "text/calendar") == 0 || is_named_text (part)) &&
           g_ascii_strncasecmp (text, begin, strlen (begin)) == 0;
}

static size_t
plain_words (const struct mime_part *source, char *text, size_t length)
{
    length = mime_skip_blocks (text, length);
    return source->delsp ? mime_join_delsp (text, length) : length;
}

enum mail_status
mime_part_words (void *ctx, struct mime_message *message, const struct mail_part *part,
                 size_t limit, char **text_out, size_t *length_out)
{
    char *text, *source;
    size_t length;

    if (!has_words (part) ||
        (is_named_text (part) && is_binary (&message->sources[part->number - 1]))) {
        *text_out = talloc_strdup (ctx, "");
        *length_out = 0;
        return MAIL_OK;
    }
    text = leaf_text (ctx, message, part, limit, &length);
    if (is_html (part)) {
        source = text;
        text = html_to_text (ctx, source, length, &length);
        talloc_free (source);
    } else if (is_calendar (part, text)) {
        length = mime_calendar_words (text, length);
    } else
        length = plain_words (&message->sources[part->number - 1], text, length);
    *text_out = text;
    *length_out = cut (text, length, limit);
    return MAIL_OK;
}
