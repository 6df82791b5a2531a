/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * config-edit.c - changes one value in the text of a key file.
 *
 * Line by line and not through GLib, which writes the whole file anew in its own way: the file is
 * its owner's, with comments and habits.
 */
#include "config-edit.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>
#include <talloc.h>

/* Whether the line (without its end) is "[section]". */
static bool
is_section (const char *line, size_t length, const char *section, size_t section_length)
{
    while (length > 0 && g_ascii_isspace (line[length - 1]))
        length--;
    return length == section_length + 2 && line[0] == '[' && line[length - 1] == ']' &&
           strncmp (line + 1, section, section_length) == 0;
}

/* Whether the line is "item=...", with blanks or without. */
static bool
is_item (const char *line, size_t length, const char *item)
{
    size_t item_length = strlen (item);

    while (length > 0 && g_ascii_isspace (*line)) {
        line++;
        length--;
    }
    if (length < item_length || strncmp (line, item, item_length) != 0)
        return false;
    line += item_length;
    length -= item_length;
    while (length > 0 && (*line == ' ' || *line == '\t')) {
        line++;
        length--;
    }
    return length > 0 && *line == '=';
}

static bool
is_blank (const char *line, size_t length)
{
    while (length > 0 && g_ascii_isspace (*line)) {
        line++;
        length--;
    }
    return length == 0;
}

struct edited {
    GString *text;
    const char *key, *item, *value;
    size_t section_length;
    bool inside; /* the section */
    bool done;
    size_t end; /* of the last line of the section that is not blank; 0: there is no section */
};

static void
insert_line (struct edited *edited, size_t at)
{
    char *line = g_strdup_printf ("%s=%s\n", edited->item, edited->value);

    g_string_insert (edited->text, (gssize) at, line);
    g_free (line);
}

static void
edit_line (struct edited *edited, const char *line, size_t length)
{
    if (*line == '[')
        edited->inside = is_section (line, length, edited->key, edited->section_length);
    if (edited->inside && is_item (line, length, edited->item)) {
        if (edited->value && !edited->done) /* once: the last of several would count */
            insert_line (edited, edited->text->len);
        edited->done = true;
    } else {
        g_string_append_len (edited->text, line, (gssize) length);
        if (length > 0 && line[length - 1] != '\n')
            g_string_append_c (edited->text, '\n');
    }
    if (edited->inside && !is_blank (line, length))
        edited->end = edited->text->len;
}

static void
add_key (struct edited *edited)
{
    if (edited->end > 0) {
        insert_line (edited, edited->end);
        return;
    }
    g_string_append_printf (edited->text, "%s[%.*s]\n", edited->text->len ? "\n" : "",
                            (int) edited->section_length, edited->key);
    insert_line (edited, edited->text->len);
}

char *
config_edit (void *ctx, const char *text, const char *key, const char *value)
{
    const char *dot = strchr (key, '.');
    struct edited edited = {
        .text = g_string_new (NULL),
        .key = key,
        .item = dot + 1,
        .value = value,
        .section_length = (size_t) (dot - key),
    };
    char *result;

    while (*text) {
        const char *newline = strchr (text, '\n');
        size_t length = newline ? (size_t) (newline - text) + 1 : strlen (text);

        edit_line (&edited, text, length);
        text += length;
    }
    if (value && !edited.done)
        add_key (&edited);
    result = talloc_strdup (ctx, edited.text->str);
    g_string_free (edited.text, TRUE);
    return result;
}

/* alone: of a value that is not part of a list. */
static void
append_escaped (GString *all, const char *value, bool alone)
{
    size_t length = strlen (value);

    for (size_t i = 0; i < length; i++) {
        char c = value[i];

        if (c == '\n')
            g_string_append (all, "\\n");
        else if (c == '\r')
            g_string_append (all, "\\r");
        else if ((c == ' ' || c == '\t') && (i == 0 || i + 1 == length))
            g_string_append (all, c == ' ' ? "\\s" : "\\t");
        else if (c == '\\' && (!alone || (value[i + 1] && strchr ("sntr\\", value[i + 1]))))
            g_string_append (all, "\\\\");
        else if (c == ';' && !alone)
            g_string_append (all, "\\;");
        else
            g_string_append_c (all, c);
    }
}

char *
config_join (void *ctx, char *const *values, int count)
{
    GString *all = g_string_new (NULL);
    char *joined;

    for (int i = 0; i < count; i++) {
        append_escaped (all, values[i], count == 1);
        if (count > 1)
            g_string_append_c (all, ';');
    }
    joined = talloc_strdup (ctx, all->str);
    g_string_free (all, TRUE);
    return joined;
}
