/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prefix.c - the table of prefixes, and the guess at a misspelt one.
 *
 * The table is the only place that knows which prefix means what; lexer, parser and leaves ask it.
 */
#include "query/prefix.h"
#include <glib.h>
#include <string.h>
#include <talloc.h>

/* Those whose value is a number range or an exact term are alternatives: a message has one date,
 * and two tags side by side have always meant either. */
const struct prefix prefix_table[PREFIX_COUNT] = {
    {.name = "body", .kind = KIND_WORDS, .fields = FIELD_BIT (FIELD_BODY), .stem = true},
    {.name = "from",
     .kind = KIND_WORDS,
     .fields = FIELD_BIT (FIELD_FROM),
     .one_phrase = true,
     .regex = true,
     .alternatives = true},
    {.name = "to",
     .kind = KIND_WORDS,
     .fields = FIELD_BIT (FIELD_TO) | FIELD_BIT (FIELD_CC) | FIELD_BIT (FIELD_BCC),
     .stem = true},
    {.name = "cc", .kind = KIND_WORDS, .fields = FIELD_BIT (FIELD_CC), .stem = true},
    {.name = "bcc", .kind = KIND_WORDS, .fields = FIELD_BIT (FIELD_BCC), .stem = true},
    {.name = "replyto", .kind = KIND_WORDS, .fields = FIELD_BIT (FIELD_REPLY_TO), .stem = true},
    {.name = "list", .kind = KIND_WORDS, .fields = FIELD_BIT (FIELD_LIST_ID), .stem = true},
    {.name = "subject",
     .kind = KIND_WORDS,
     .fields = FIELD_BIT (FIELD_SUBJECT),
     .one_phrase = true,
     .regex = true,
     .alternatives = true},
    {.name = "attachment",
     .kind = KIND_WORDS,
     .fields = FIELD_BIT (FIELD_ATTACHMENT),
     .stem = true},
    {.name = "mimetype", .kind = KIND_WORDS, .fields = FIELD_BIT (FIELD_MIME_TYPE), .stem = true},
    {.name = "tag",
     .kind = KIND_TERM,
     .term = PREFIX_TAG,
     .alternatives = true,
     .drop_slash = true,
     .regex = true},
    {.name = "is",
     .kind = KIND_TERM,
     .term = PREFIX_TAG,
     .alternatives = true,
     .drop_slash = true,
     .regex = true},
    {.name = "id", .kind = KIND_TERM, .term = PREFIX_MESSAGE_ID, .alternatives = true},
    {.name = "mid",
     .kind = KIND_TERM,
     .term = PREFIX_MESSAGE_ID,
     .alternatives = true,
     .drop_slash = true,
     .regex = true},
    {.name = "thread",
     .kind = KIND_TERM,
     .term = PREFIX_THREAD,
     .alternatives = true,
     .braces = true},
    {.name = "property", .kind = KIND_TERM, .term = PREFIX_PROPERTY, .alternatives = true},
    {.name = "folder",
     .kind = KIND_FOLDER,
     .alternatives = true,
     .drop_slash = true,
     .regex = true},
    {.name = "path", .kind = KIND_PATH, .alternatives = true, .drop_slash = true, .regex = true},
    {.name = "date", .kind = KIND_DATE, .alternatives = true},
    {.name = "lastmod", .kind = KIND_REVISION, .alternatives = true},
    {.name = "size", .kind = KIND_SIZE, .alternatives = true},
    {.name = "since", .kind = KIND_SINCE},
    {.name = "until", .kind = KIND_UNTIL},
    {.name = "has", .kind = KIND_HAS},
    {.name = "file", .kind = KIND_FILE, .alternatives = true},
    {.name = "query", .kind = KIND_SAVED, .alternatives = true},
    {.name = "sexp", .kind = KIND_SEXP},
};

static const field_set own_bare_fields = FIELD_BIT (FIELD_BODY) | FIELD_BIT (FIELD_FROM) |
                                         FIELD_BIT (FIELD_TO) | FIELD_BIT (FIELD_CC) |
                                         FIELD_BIT (FIELD_BCC) | FIELD_BIT (FIELD_SUBJECT) |
                                         FIELD_BIT (FIELD_ATTACHMENT) | FIELD_BIT (FIELD_MIME_TYPE);

const struct prefix *
prefix_find (const char *name, size_t length)
{
    for (size_t i = 0; i < PREFIX_COUNT; i++) {
        const struct prefix *prefix = &prefix_table[i];
        if (strlen (prefix->name) == length && memcmp (prefix->name, name, length) == 0)
            return prefix;
    }
    return NULL;
}

field_set
prefix_bare_fields (const struct fields *fields)
{
    field_set set = own_bare_fields;

    for (unsigned field = FIELD_COUNT; field < fields->count; field++)
        set |= FIELD_BIT (field);
    return set;
}

struct user_prefixes *
prefix_users (void *ctx, const struct fields *fields)
{
    size_t count = fields->count - FIELD_COUNT;
    struct user_prefixes *users =
        talloc_zero_size (ctx, sizeof *users + count * sizeof *users->prefixes);

    for (unsigned field = FIELD_COUNT; field < fields->count; field++)
        users->prefixes[users->count++] = (struct prefix){.name = fields->names[field],
                                                          .kind = KIND_WORDS,
                                                          .fields = FIELD_BIT (field),
                                                          .user = true,
                                                          .stem = true};
    return users;
}

const struct prefix *
prefix_find_user (const struct user_prefixes *users, const char *name, size_t length)
{
    for (size_t i = 0; users && i < users->count; i++)
        if (strlen (users->prefixes[i].name) == length &&
            memcmp (users->prefixes[i].name, name, length) == 0)
            return &users->prefixes[i];
    return NULL;
}

enum { NAME_LIMIT = 16 }; /* bytes; no prefix is nearly as long */

static unsigned
smaller (unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Letters to insert, drop, replace or swap with a neighbour. */
static unsigned
edit_distance (const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned cell[NAME_LIMIT + 1][NAME_LIMIT + 1];

    for (size_t i = 0; i <= a_length; i++)
        cell[i][0] = (unsigned) i;
    for (size_t j = 0; j <= b_length; j++)
        cell[0][j] = (unsigned) j;
    for (size_t i = 1; i <= a_length; i++)
        for (size_t j = 1; j <= b_length; j++) {
            unsigned best = cell[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            best = smaller (best, smaller (cell[i - 1][j], cell[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = smaller (best, cell[i - 2][j - 2] + 1);
            cell[i][j] = best;
        }
    return cell[a_length][b_length];
}

/* How many slips still make it this name. */
static unsigned
slips_allowed (size_t typed, size_t known)
{
    if (typed < 3)
        return 0;
    return known < 6 ? 1 : 2;
}

static size_t
same_letters (const char *a, const char *b, size_t limit)
{
    size_t count = 0;

    while (count < limit && a[count] == b[count])
        count++;
    return count;
}

/* Of equally near names the one that begins alike. */
const struct prefix *
prefix_guess (const char *name, size_t length)
{
    const struct prefix *nearest = NULL;
    unsigned nearest_distance = 3;
    size_t nearest_same = 0;
    char lower[NAME_LIMIT + 1] = {0};

    if (length == 0 || length > NAME_LIMIT)
        return NULL;
    for (size_t i = 0; i < length; i++)
        lower[i] = g_ascii_tolower (name[i]);
    for (size_t i = 0; i < PREFIX_COUNT; i++) {
        const char *known = prefix_table[i].name;
        unsigned distance = edit_distance (lower, length, known, strlen (known));
        size_t same = same_letters (lower, known, length);
        if (distance > slips_allowed (length, strlen (known)) || distance > nearest_distance ||
            (distance == nearest_distance && same <= nearest_same))
            continue;
        nearest = &prefix_table[i];
        nearest_distance = distance;
        nearest_same = same;
    }
    return nearest;
}
