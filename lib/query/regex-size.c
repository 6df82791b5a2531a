/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * regex-size.c - what the counts of a regular expression multiply.
 *
 * The C library writes a copy of what is repeated for each time: "(a{1,200}){1,200}" is 40,000
 * characters, one more level eight millions, and memory grows with the square. So the copies are
 * counted before. One pass; what is no valid expression is left for regcomp to say.
 */
#include "query/regex-size.h"

#include <glib.h>
#include <stdint.h>
#include <string.h>

#define COPIES_MAX 2500 /* characters besides those that are written; 50 MB at most */

struct sizes {
    GArray *groups; /* uint64_t: of each that is open, without: */
    uint64_t last;  /* what a count would repeat */
};

static uint64_t *
open_group (struct sizes *sizes)
{
    return &g_array_index (sizes->groups, uint64_t, sizes->groups->len - 1);
}

/* What was last is followed by something else. */
static void
begin_atom (struct sizes *sizes, uint64_t size)
{
    *open_group (sizes) += sizes->last;
    sizes->last = size;
}

static void
begin_group (struct sizes *sizes)
{
    const uint64_t none = 0;
    begin_atom (sizes, 0);
    g_array_append_val (sizes->groups, none);
}

static void
end_group (struct sizes *sizes)
{
    if (sizes->groups->len == 1)
        return;
    uint64_t size = *open_group (sizes) + sizes->last;
    g_array_set_size (sizes->groups, sizes->groups->len - 1);
    sizes->last = size;
}

/* Bytes of "[...]". */
static size_t
bracket_length (const char *text)
{
    const char *at = text + 1;
    at += *at == '^';
    at += *at == ']';
    while (*at && *at != ']') {
        const char *end =
            *at == '[' && at[1] && strchr (".:=", at[1]) ? strchr (at + 2, at[1]) : NULL;
        at = end && end[1] == ']' ? end + 2 : at + 1;
    }
    return (size_t) (at - text) + (*at == ']');
}

/* Bytes of "{2}", "{2,}", "{2,5}" or "{,5}", and how many copies that makes; 0 where it is none. */
static size_t
count_length (const char *text, uint64_t *copies_out)
{
    char *end;
    uint64_t low = g_ascii_strtoull (text + 1, &end, 10), high = low;
    bool any = end > text + 1;
    if (*end == ',') {
        const char *from = end + 1;
        high = g_ascii_strtoull (from, &end, 10);
        any |= end > from;
        if (end == from)
            high = low + 1;
    }
    *copies_out = MAX (low, high);
    return any && *end == '}' ? (size_t) (end - text) + 1 : 0;
}

/* Bytes of the count or sign that repeats what was last; 0 for none. */
static size_t
repeat_length (const char *text, uint64_t *copies_out)
{
    *copies_out = *text == '+' ? 2 : 1;
    if (*text && strchr ("*+?", *text))
        return 1;
    return *text == '{' ? count_length (text, copies_out) : 0;
}

static size_t
take (struct sizes *sizes, const char *text)
{
    switch (*text) {
    case '(':
        begin_group (sizes);
        return 1;
    case ')':
        end_group (sizes);
        return 1;
    case '|':
        begin_atom (sizes, 0);
        return 1;
    case '[':
        begin_atom (sizes, 1);
        return bracket_length (text);
    case '\\':
        begin_atom (sizes, 1);
        return text[1] ? 2 : 1;
    default:
        begin_atom (sizes, 1);
        return 1;
    }
}

bool
regex_is_too_large (const char *pattern, size_t *offset_out)
{
    struct sizes sizes = {.groups = g_array_new (FALSE, TRUE, sizeof (uint64_t))};
    uint64_t added = 0, copies;
    g_array_set_size (sizes.groups, 1);
    for (const char *at = pattern; *at && added <= COPIES_MAX;) {
        size_t length = repeat_length (at, &copies);
        if (length > 0 && copies > 1) {
            copies = MIN (copies, COPIES_MAX + 2);
            added += sizes.last * (copies - 1);
            sizes.last *= copies;
            *offset_out = (size_t) (at - pattern);
        }
        at += length > 0 ? length : take (&sizes, at);
    }
    g_array_unref (sizes.groups);
    return added > COPIES_MAX;
}
