/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * address-split.c - where one address of a list ends and the next begins, by punctuation alone.
 *
 * GMime passes over what it cannot parse. Counting the pieces shows that it did, and lets each be
 * tried by itself. ";" separates too where it ends no group: people write lists so. Groups inside
 * groups are no mail, but GMime follows them until the stack is used up.
 */
#include "mime/address-private.h"

#include <string.h>

#define GROUPS_MAX 1000 /* groups inside each other */

/* The place after a quoted string or comment, which may hold escapes; the end where it has none. */
static const char *
skip_enclosed (const char *p)
{
    char open = *p, close = open == '(' ? ')' : open;
    int depth = 0;

    for (; *p != '\0'; p++) {
        if (*p == '\\' && p[1] != '\0')
            p++;
        else if (*p == close && depth > 0 && --depth == 0)
            return p + 1;
        else if (*p == open)
            depth++;
    }
    return p;
}

/* Up to the separator, or to the end of the group. */
static size_t
piece_length (const char *text)
{
    const char *p = text;
    bool angle = false, group = false;

    while (*p != '\0') {
        if (*p == '"' || *p == '(') {
            p = skip_enclosed (p);
            continue;
        }
        if (!angle && !group && (*p == ',' || *p == ';'))
            return (size_t) (p - text);
        if (group && *p == ';')
            return (size_t) (p + 1 - text);
        if (*p == '<' || *p == '>')
            angle = *p == '<';
        else if (*p == ':' && !angle)
            group = true;
        p++;
    }
    return (size_t) (p - text);
}

bool
address_next_piece (const char **text, struct piece *piece_out)
{
    const char *p = *text + strspn (*text, " \t,;");

    *piece_out = (struct piece){p, piece_length (p)};
    *text = p + piece_out->length;
    return piece_out->length > 0;
}

/* The place after a quoted string; just after the quote where it has no end. */
static const char *
skip_quoted (const char *p)
{
    const char *end = skip_enclosed (p);

    return end[-1] == '"' && end > p + 1 ? end : p + 1;
}

bool
address_nests_deep (const char *text)
{
    size_t depth = 0;

    for (const char *p = text; *p != '\0';) {
        if (*p == '"') {
            p = skip_quoted (p);
            continue;
        }
        if (*p == ':' && ++depth > GROUPS_MAX)
            return true;
        if (*p == ';' && depth > 0)
            depth--;
        p++;
    }
    return false;
}
