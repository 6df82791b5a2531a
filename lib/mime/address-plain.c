/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * address-plain.c - address fields in their plain forms: a@b, Some Name <a@b>, "Some Name" <a@b>,
 * and lists of them, in ASCII and with marks for encoded words in names.
 *
 * That is nearly all fields, and listings read one for each message they show: without GMime, which
 * takes longer to load than the rest of a listing. Whatever is not plain to the last character is
 * left to address.c, so that both give the same.
 */
#include "mime/address-private.h"

#include <glib.h>
#include <string.h>
#include <talloc.h>

static bool
is_atom (char c)
{
    return g_ascii_isalnum (c) || (c != '\0' && strchr ("!#$%&'*+-/=^_`{|}~", c) != NULL);
}

/* The place after a mark; NULL where this is none. */
static const char *
skip_mark (const char *p)
{
    if (*p != MARK_OPEN[0] || strncmp (p, MARK_OPEN, strlen (MARK_OPEN)) != 0)
        return NULL;
    p += strlen (MARK_OPEN);
    while (g_ascii_isdigit (*p))
        p++;
    return strncmp (p, MARK_CLOSE, strlen (MARK_CLOSE)) == 0 ? p + strlen (MARK_CLOSE) : NULL;
}

static const char *
skip_blanks (const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

/* Atoms with single dots between them; NULL where there are none. */
static const char *
skip_dot_atom (const char *p)
{
    for (;; p++) {
        if (!is_atom (*p))
            return NULL;
        while (is_atom (*p))
            p++;
        if (*p != '.')
            return p;
    }
}

const char *
address_plain_spec (const char *p, struct piece *address)
{
    address->start = p;
    p = skip_dot_atom (p);
    if (p == NULL || *p != '@')
        return NULL;
    p = skip_dot_atom (p + 1);
    if (p != NULL)
        address->length = (size_t) (p - address->start);
    return p;
}

/* One character of a quoted string that stands for itself, or a mark; NULL for anything else. */
static const char *
skip_quoted (const char *p)
{
    return *p >= ' ' && *p < 0x7f && *p != '"' && *p != '\\' ? p + 1 : skip_mark (p);
}

/* One character of words with single blanks between them, or a mark; NULL for anything else. */
static const char *
skip_word (const char *p, bool first)
{
    if (is_atom (*p) || (*p == '.' && !first) ||
        (*p == ' ' && (is_atom (p[1]) || p[1] == '<' || skip_mark (p + 1) != NULL)))
        return p + 1;
    return skip_mark (p);
}

/* Words with single blanks between them, or one quoted string without escapes. */
static const char *
plain_name (const char *p, struct piece *name)
{
    const char *next;

    if (*p == '"') {
        name->start = ++p;
        while ((next = skip_quoted (p)) != NULL)
            p = next;
        name->length = (size_t) (p - name->start);
        return *p == '"' && name->length > 0 && name->start[0] != ' ' && p[-1] != ' ' ? p + 1
                                                                                      : NULL;
    }
    name->start = p;
    while ((next = skip_word (p, p == name->start)) != NULL)
        p = next;
    name->length = (size_t) (p - name->start);
    while (name->length > 0 && name->start[name->length - 1] == ' ')
        name->length--;
    return name->length > 0 ? p : NULL;
}

/* One address in a plain form; the place after it, NULL where it is no such. */
static const char *
plain_address (const char *p, struct piece *name, struct piece *address)
{
    const char *end = address_plain_spec (p, address);

    *name = (struct piece){"", 0};
    if (end != NULL)
        return end;
    if (*p != '<')
        p = plain_name (p, name);
    if (p == NULL)
        return NULL;
    p = skip_blanks (p);
    if (*p != '<')
        return NULL;
    end = address_plain_spec (p + 1, address);
    return end != NULL && *end == '>' ? end + 1 : NULL;
}

static void
add_mailbox (void *ctx, struct entries *entries, const struct piece *name,
             const struct piece *address)
{
    struct entry *entry = entries_add (ctx, entries, ENTRY_MAILBOX);

    entry->name = talloc_strndup (entries->list, name->start, name->length);
    entry->address = talloc_strndup (entries->list, address->start, address->length);
}

bool
address_plain_list (void *ctx, const char *text, struct entries *entries)
{
    struct piece name, address;
    const char *p = skip_blanks (text);

    for (;; p = skip_blanks (p + 1)) {
        p = plain_address (p, &name, &address);
        if (p == NULL)
            break;
        p = skip_blanks (p);
        if (*p != ',' && *p != '\0')
            break;
        add_mailbox (ctx, entries, &name, &address);
        if (*p == '\0')
            return true;
    }
    TALLOC_FREE (entries->list);
    entries->count = 0;
    return false;
}
