/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * calendar.c - owns what of a calendar (RFC 5545) are words: what people wrote into it.
 *
 * Names of properties, rules and numbers are the same in every invitation, so they would find all
 * of them and nothing in particular. The text is compacted in place, in one pass.
 */
#include "mime/mime-private.h"

#include <string.h>

/* Properties whose value is text, and those whose value is a person. */
static const char *const texts[] = {"SUMMARY", "DESCRIPTION", "LOCATION", "COMMENT",
                                    "CONTACT", "CATEGORIES",  "RESOURCES"};
static const char *const people[] = {"ATTENDEE", "ORGANIZER"};

/* Joins folded lines (3.1); returns the new length. */
static size_t
unfold (char *text, size_t length)
{
    size_t used = 0;

    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n' && i + 1 < length && (text[i + 1] == ' ' || text[i + 1] == '\t'))
            i++;
        else
            text[used++] = text[i];
    }
    return used;
}

static bool
is_one_of (const char *const *names, size_t count, const char *line, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen (names[i]) == length && g_ascii_strncasecmp (names[i], line, length) == 0)
            return true;
    return false;
}

/* Where the value begins, after the first colon that is in no quotes; end where there is none. */
static const char *
value_of (const char *line, const char *end)
{
    bool quoted = false;

    for (; line < end; line++) {
        if (*line == '"')
            quoted = !quoted;
        else if (*line == ':' && !quoted)
            return line + 1;
    }
    return end;
}

/* A value without its escapes (3.3.11), and a line end; to is at most from. */
static char *
put_text (char *to, const char *from, const char *end)
{
    for (; from < end; from++) {
        bool escape = *from == '\\' && from + 1 < end;

        if (escape)
            from++;
        *to++ = escape && (*from == 'n' || *from == 'N') ? '\n' : *from;
    }
    *to++ = '\n';
    return to;
}

/* The common name and the address of a person. */
static char *
put_person (char *to, const char *line, const char *value, const char *end)
{
    static const char name[] = ";CN=", scheme[] = "mailto:";
    const char *at = line;

    while (at + strlen (name) < value && g_ascii_strncasecmp (at, name, strlen (name)) != 0)
        at++;
    if (at + strlen (name) < value) {
        const char *from = at += strlen (name);
        bool quoted = *from == '"';

        at += quoted;
        while (at < value - 1 && (quoted ? *at != '"' : *at != ';'))
            at++;
        to = put_text (to, from + quoted, at);
    }
    if ((size_t) (end - value) > strlen (scheme) &&
        g_ascii_strncasecmp (value, scheme, strlen (scheme)) == 0)
        value += strlen (scheme);
    return put_text (to, value, end);
}

size_t
mime_calendar_words (char *text, size_t length)
{
    const char *end = text + unfold (text, length), *line = text;
    char *to = text;

    while (line < end) {
        const char *newline = memchr (line, '\n', (size_t) (end - line));
        const char *stop = newline != NULL ? newline : end;
        const char *value = value_of (line, stop);
        size_t name = 0;

        while (line + name < value && line[name] != ';' && line[name] != ':')
            name++;
        if (newline != NULL && is_one_of (texts, G_N_ELEMENTS (texts), line, name))
            to = put_text (to, value, stop);
        else if (newline != NULL && is_one_of (people, G_N_ELEMENTS (people), line, name))
            to = put_person (to, line, value, stop);
        line = stop + 1;
    }
    *to = '\0';
    return (size_t) (to - text);
}
