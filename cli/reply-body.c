/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reply-body.c - the original as a quotation: its texts with "> " before each line, a line for what
 * is no text. What comes from the mail is made harmless: it will be looked at in an editor.
 */
#include "reply-body.h"
#include "mail-date.h"
#include "text.h"

#include <string.h>
#include <talloc.h>

struct quotation {
    FILE *file;
    struct mail_content *content;
    const struct mail_part *parts;
    void *local;
};

static void
quote_text (const struct quotation *quotation, const struct mail_part *part)
{
    char *text, *line, *rest;
    size_t length;

    if (mail_part_text (quotation->local, quotation->content, part, &text, &length) != MAIL_OK)
        return;
    for (line = text; *line; line = rest) {
        size_t line_length = strcspn (line, "\n");

        fputs ("> ", quotation->file);
        text_write_block (quotation->file, line, line_length);
        putc ('\n', quotation->file);
        rest = line + line_length + (line[line_length] == '\n');
    }
    talloc_free (text);
}

static bool
is_left_out (const char *type)
{
    static const char *const types[] = {"application/pgp-encrypted", "application/pgp-signature",
                                        "application/pkcs7-mime"};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp (type, types[i]) == 0)
            return true;
    return false;
}

static void
quote_leaf (const struct quotation *quotation, const struct mail_part *part)
{
    const char *type = text_line (quotation->local, part->spelled_type);

    if (is_left_out (part->type))
        return;
    if (part->text && strcmp (part->type, "text/html") != 0)
        quote_text (quotation, part);
    else if (part->attachment && part->filename)
        fprintf (quotation->file, "Attachment: %s (%s)\n",
                 text_line (quotation->local, part->filename), type);
    else
        fprintf (quotation->file, "Non-text part: %s\n", type);
}

/* Headers of an inner message. */
static void
quote_headers (const struct quotation *quotation, const struct mail_part *part)
{
    static const char *const names[] = {"From", "To", "Cc", "Subject"};
    const char *date = mail_content_header (quotation->content, part, "Date");

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = mail_content_header (quotation->content, part, names[i]);

        if (value && *value)
            fprintf (quotation->file, "> %s: %s\n", names[i], text_line (quotation->local, value));
    }
    fprintf (quotation->file, "> Date: %s\n>\n", mail_date_text (quotation->local, date, 0));
}

/* Nesting is limited by the library (DEPTH_MAX). */
static void
quote_part (const struct quotation *quotation, size_t index)
{
    const struct mail_part *part = &quotation->parts[index];

    if (part->kind == MAIL_PART_MESSAGE)
        quote_headers (quotation, part);
    if (part->kind == MAIL_PART_LEAF || part->kind == MAIL_PART_OPENED)
        quote_leaf (quotation, part);
    for (size_t i = index + 1; i < part->end; i = quotation->parts[i].end)
        quote_part (quotation, i);
}

void
reply_write_body (FILE *file, struct mail_content *content)
{
    struct quotation quotation = {.file = file, .content = content};
    const char *from = mail_content_header (content, NULL, "From");
    char *date;
    size_t count;

    quotation.local = talloc_new (NULL);
    quotation.parts = mail_content_parts (content, &count);
    date = mail_content_header_raw (quotation.local, content, "Date");
    fprintf (file, "On %s, %s wrote:\n", text_line (quotation.local, date ? date : ""),
             text_line (quotation.local, from ? from : ""));
    for (size_t i = 0; i < count; i = quotation.parts[i].end)
        quote_part (&quotation, i);
    talloc_free (quotation.local);
}
