/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * text.c - makes text from mail safe to print, and writes terms of queries.
 *
 * A sender chooses subjects, names and ids. What he writes must not move the cursor, and must not
 * look like another line of our output.
 */
#include "text.h"
#include "output.h"

#include <glib.h>
#include <string.h>
#include <talloc.h>

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

/* One character of text: its length in bytes, and what is printed in its place (NULL: itself).
 * kept: the control characters that stay. */
static size_t
next_character (const char *text, size_t length, const char *kept, const char **instead_out)
{
    gunichar c = g_utf8_get_char_validated (text, (gssize) MIN (length, 6));
    bool layout = *text == '\t' || *text == '\n';

    *instead_out = NULL;
    if (c == (gunichar) -1 || c == (gunichar) -2) {
        bool nul = *text == '\0';

        *instead_out = nul ? "?" : REPLACEMENT;
        return 1;
    }
    if (layout)
        *instead_out = strchr (kept, *text) ? NULL : " ";
    else if (c == 0x2028 || c == 0x2029) /* line and paragraph separator */
        *instead_out = strchr (kept, '\n') ? NULL : " ";
    else if (c < 0x20 || (c >= 0x7F && c < 0xA0))
        *instead_out = "?";
    return (size_t) g_unichar_to_utf8 (c, NULL);
}

static char *
replace (void *ctx, const char *text, const char *kept)
{
    size_t length = strlen (text);
    char *line = talloc_array (ctx, char, length * 3 + 1), *to = line;

    for (size_t i = 0, step; i < length; i += step) {
        const char *instead;

        step = next_character (text + i, length - i, kept, &instead);
        if (instead)
            to = stpcpy (to, instead);
        else
            to = mempcpy (to, text + i, step);
    }
    *to = '\0';
    return talloc_realloc (ctx, line, char, (size_t) (to - line) + 1);
}

char *
text_line (void *ctx, const char *text)
{
    return replace (ctx, text, "");
}

char *
text_line_with_tabs (void *ctx, const char *text)
{
    return replace (ctx, text, "\t");
}

void
text_write_block (FILE *file, const char *text, size_t length)
{
    size_t written = 0; /* all before this has been written */

    for (size_t i = 0, step; i < length; i += step) {
        const char *instead;

        step = next_character (text + i, length - i, "\t\n", &instead);
        if (!instead)
            continue;
        output_write (file, text + written, i - written);
        fputs (instead, file);
        written = i + step;
    }
    output_write (file, text + written, length - written);
}

static bool
needs_quotes (const char *value)
{
    if (*value == '\0')
        return true;
    for (; *value; value++)
        if ((unsigned char) *value <= ' ' || (unsigned char) *value > 127 ||
            strchr ("()\"", *value))
            return true;
    return false;
}

char *
text_term (void *ctx, const char *prefix, const char *value)
{
    size_t prefix_length = strlen (prefix);
    char *term, *to;

    if (!needs_quotes (value))
        return talloc_asprintf (ctx, "%s:%s", prefix, value);
    term = talloc_array (ctx, char, prefix_length + 2 * strlen (value) + 4);
    to = mempcpy (term, prefix, prefix_length);
    *to++ = ':';
    *to++ = '"';
    for (; *value; value++) {
        if (*value == '"')
            *to++ = '"';
        *to++ = *value;
    }
    *to++ = '"';
    *to = '\0';
    return term;
}

char *
text_printable_term (void *ctx, const char *prefix, const char *value)
{
    char *plain = text_line (NULL, value), *term, *to;
    bool same = strcmp (plain, value) == 0;
    size_t length = strlen (value);

    talloc_free (plain);
    if (same)
        return text_term (ctx, prefix, value);
    term = talloc_array (ctx, char, strlen (prefix) + 3 * length + 5);
    to = stpcpy (stpcpy (term, prefix), ":%\"");
    for (size_t i = 0, step; i < length; i += step) {
        const char *instead;

        step = next_character (value + i, length - i, "", &instead);
        if (!instead && !strchr ("%\"", value[i]))
            to = mempcpy (to, value + i, step);
        else
            for (size_t k = 0; k < step; k++)
                to += sprintf (to, "%%%02x", (unsigned char) value[i + k]);
    }
    strcpy (to, "\"");
    return term;
}

/* A value up to a byte that could mean something else in a query. */
static char *
bare_id (void *ctx, const char *value)
{
    for (const char *at = value; *at; at++)
        if ((unsigned char) *at <= ' ' || strchr ("()\"", *at))
            return NULL;
    return talloc_strdup (ctx, value);
}

char *
text_id_of_term (void *ctx, const char *query)
{
    const char *from = query + 3;
    char *id, *to;

    if (strncmp (query, "id:", 3) != 0 || *from == '\0')
        return NULL;
    if (*from != '"')
        return bare_id (ctx, from);
    id = to = talloc_array (ctx, char, strlen (from));
    for (from++; *from && (*from != '"' || from[1] == '"'); from++) {
        *to++ = *from;
        from += *from == '"';
    }
    *to = '\0';
    if (*from == '"' && from[1] == '\0' && *id)
        return id;
    talloc_free (id);
    return NULL;
}

size_t
text_columns (const char *text, size_t length)
{
    size_t columns = 0;

    for (size_t i = 0, step; i < length; i += step) {
        const char *instead;
        gunichar c;

        step = next_character (text + i, length - i, "", &instead);
        c = instead ? g_utf8_get_char (instead) : g_utf8_get_char (text + i);
        if (!g_unichar_iszerowidth (c))
            columns += g_unichar_iswide (c) ? 2 : 1;
    }
    return columns;
}
