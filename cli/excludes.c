/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * excludes.c - search.exclude_tags, done on the text of a query.
 *
 * Who asks for a tag by name, even by "not tag:x", wants to see it; so an excluded tag that stands
 * in the query is not excluded. Wildcards and tags inside thread:{...} do not count.
 */
#include "excludes.h"
#include "text.h"

#include <regex.h>
#include <string.h>
#include <talloc.h>

/* The end of what begins with a delimiter at text: after the next one (two of them are one inside
 * when doubled), or the end of text. */
static const char *
after_delimited (const char *text, bool doubled)
{
    char delimiter = *text++;

    for (; *text; text++) {
        if (*text != delimiter)
            continue;
        if (!doubled || text[1] != delimiter)
            return text + 1;
        text++;
    }
    return text;
}

static const char *
after_word (const char *text)
{
    return text + strcspn (text, " \t\n\r()\"");
}

static char *
unquote (void *ctx, const char *from, const char *to)
{
    char *value = talloc_array (ctx, char, (size_t) (to - from) + 1), *at = value;

    for (const char *s = from + 1; s < to && !(s == to - 1 && *s == '"'); s++) {
        if (*s == '"' && s[1] == '"')
            s++;
        *at++ = *s;
    }
    *at = '\0';
    return value;
}

static bool
regex_matches (const char *pattern, const char *tag)
{
    regex_t regex;
    bool found;

    if (regcomp (&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    found = regexec (&regex, tag, 0, NULL, 0) == 0;
    regfree (&regex);
    return found;
}

/* One value after "tag:"; *text is moved behind it. */
static bool
value_names_tag (const char **text, const char *tag)
{
    void *local = talloc_new (NULL);
    const char *from = *text;
    bool found;
    char *value;

    if (*from == '/') {
        *text = after_delimited (from, false);
        value = talloc_strndup (local, from + 1, (size_t) (*text - from - 1));
        if (*value && value[strlen (value) - 1] == '/')
            value[strlen (value) - 1] = '\0';
        found = regex_matches (value, tag);
    } else if (*from == '"') {
        *text = after_delimited (from, true);
        found = strcmp (unquote (local, from, *text), tag) == 0;
    } else {
        *text = after_word (from);
        found = strcmp (talloc_strndup (local, from, (size_t) (*text - from)), tag) == 0;
    }
    talloc_free (local);
    return found;
}

static const char *
after_tag_prefix (const char *text)
{
    if (strncmp (text, "tag:", 4) == 0)
        return text + 4;
    return strncmp (text, "is:", 3) == 0 ? text + 3 : NULL;
}

bool
excludes_names_tag (const char *query, const char *tag)
{
    while (*query) {
        const char *value;

        query += strspn (query, " \t\n\r()-+");
        value = after_tag_prefix (query);
        if (value && value_names_tag (&value, tag))
            return true;
        if (value)
            query = value;
        else if (*query == '"')
            query = after_delimited (query, false);
        else if (strncmp (query, "thread:{", 8) == 0)
            query += strcspn (query, "}");
        else
            query = after_word (query);
    }
    return false;
}

char *
excludes_apply (void *ctx, const char *query, char *const *tags)
{
    bool everything = query[strspn (query, " \t\n\r")] == '\0';
    char *text;

    if (!tags || !*tags)
        return talloc_strdup (ctx, query);
    text = talloc_asprintf (ctx, "(%s)", everything ? "*" : query);
    for (; *tags; tags++) {
        char *term = text_term (ctx, "tag", *tags);

        text = talloc_asprintf_append (text, " and not %s", term);
        talloc_free (term);
    }
    return text;
}
