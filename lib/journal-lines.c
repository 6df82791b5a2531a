/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * journal-lines.c - what a commit does to tags and properties, in lines.
 *
 * Only what really changes is noted, by comparing the document as it was read with the one that is
 * written, so that the journal tells what happened and not what was asked for.
 */
#include "batch.h"
#include "journal.h"
#include "schema.h"

#include <string.h>
#include <talloc.h>

static size_t
skip_prefix (const struct store_term *term, const char *prefix)
{
    size_t length = strlen (prefix);
    return strncmp (term->text, prefix, length) == 0 ? length : 0;
}

/* The next tag of a sorted list of terms, from *at on; NULL behind the last. */
static const char *
next_tag (const struct store_document *document, size_t *at)
{
    for (; *at < document->term_count; ++*at) {
        size_t length = skip_prefix (&document->terms[*at], PREFIX_TAG);
        if (length)
            return document->terms[(*at)++].text + length;
    }
    return NULL;
}

static void
append_tag (GString *lines, const char *sign, const char *tag)
{
    if (lines->len && lines->str[lines->len - 1] != '\n')
        g_string_append_c (lines, ' ');
    g_string_append (lines, sign);
    batch_append_hex (lines, tag);
}

/* Both lists are in byte order. */
static void
note_tags (GString *lines, const struct edit *edit)
{
    const struct mail_message *message = edit->message;
    size_t begin = lines->len, at = 0, now = 0;
    const char *before = next_tag (&edit->before, &at);
    while (before || now < message->tag_count) {
        const char *tag = now < message->tag_count ? message->tags[now] : NULL;
        int order = !before ? 1 : !tag ? -1 : strcmp (before, tag);
        if (order < 0)
            append_tag (lines, "-", before);
        if (order > 0)
            append_tag (lines, "+", tag);
        if (order <= 0)
            before = next_tag (&edit->before, &at);
        if (order >= 0)
            now++;
    }
    bool untagged = edit->is_new && message->tag_count == 0; /* for a repair: not in the inbox */
    if (lines->len > begin || untagged)
        batch_append_id (lines, message->id);
}

static bool
has_term (const struct store_term *terms, size_t count, const struct store_term *wanted)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp (terms[i].text, wanted->text) == 0)
            return true;
    return false;
}

/* Whether each property of a list is in the other. */
static bool
has_properties (const struct store_term *a, size_t a_count, const struct store_term *b,
                size_t b_count)
{
    for (size_t i = 0; i < a_count; i++)
        if (skip_prefix (&a[i], PREFIX_PROPERTY) && !has_term (b, b_count, &a[i]))
            return false;
    return true;
}

static void
note_properties (GString *lines, const struct edit *edit)
{
    const struct mail_message *message = edit->message;
    const struct store_document *before = &edit->before;
    size_t count;
    if (has_properties (before->terms, before->term_count, message->others, message->other_count) &&
        has_properties (message->others, message->other_count, before->terms, before->term_count))
        return;
    const struct mail_property *properties = mail_message_properties (message, &count);
    batch_append_properties (lines, message->id, properties, count);
}

static int
free_lines (GString **lines)
{
    g_string_free (*lines, TRUE);
    return 0;
}

static GString *
lines_of (struct writer *writer)
{
    if (!writer->journal) {
        GString **holder = talloc (writer, GString *);
        writer->journal = *holder = g_string_new (NULL);
        talloc_set_destructor (holder, free_lines);
    }
    return writer->journal;
}

void
journal_note (struct writer *writer, const struct edit *edit)
{
    note_tags (lines_of (writer), edit);
    note_properties (lines_of (writer), edit);
}

void
journal_note_undo (struct writer *writer, const char *who, bool done)
{
    g_string_append_printf (lines_of (writer), "#u %s%s\n", who, done ? " done" : "");
}

bool
journal_is_undo (void *ctx, const char *line, char **who_out, bool *done_out)
{
    if (strncmp (line, "#u ", 3) != 0)
        return false;
    const char *end = strchrnul (line + 3, ' ');
    *who_out = talloc_strndup (ctx, line + 3, (size_t) (end - line - 3));
    *done_out = strcmp (end, " done") == 0;
    return true;
}
