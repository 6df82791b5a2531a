/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * show-text.c - notmuch's text form of a message.
 *
 * Everything that comes from the mail passes through text_line() or text_write_block().
 */
#include "mail-date.h"
#include "relative-date.h"
#include "show.h"
#include "text.h"

#include <string.h>
#include <talloc.h>

/* One show_text_message() or show_text_part(). */
struct run {
    const struct show *show;
    const struct show_message *shown;
    struct mail_content *content;
    const struct mail_part *parts;
    size_t count;
    void *local;
};

static void
put_header (const struct run *run, const char *name, const char *value)
{
    fprintf (run->show->file, "%s: %s\n", name,
             value ? text_line_with_tabs (run->local, value) : "(null)");
}

static void
put_header_if_any (const struct run *run, const struct mail_part *part, const char *name)
{
    const char *value = mail_content_header (run->content, part, name);

    if (value && *value)
        put_header (run, name, value);
}

/* part: NULL for the message's own. kept: the message, where what the index has of it is of this
 * file; the index keeps From in the sender's own spelling. */
static void
put_headers (const struct run *run, const struct mail_part *part, const struct mail_message *kept)
{
    const char *date = mail_content_header (run->content, part, "Date");
    const char *from_here = mail_content_header (run->content, part, "From");

    put_header (run, "Subject", mail_content_header (run->content, part, "Subject"));
    put_header (run, "From", kept && from_here ? mail_message_field (kept, MAIL_FROM) : from_here);
    put_header_if_any (run, part, "To");
    put_header_if_any (run, part, "Cc");
    put_header (run, "Date",
                mail_date_text (run->local, date, kept ? mail_message_date (kept) : 0));
}

static void
put_leaf (const struct run *run, const struct mail_part *part)
{
    bool html = strcmp (part->type, "text/html") == 0;
    char *text;
    size_t length;

    if (!part->text || (html && !run->show->options->include_html)) {
        fprintf (run->show->file, "Non-text part: %s\n",
                 text_line (run->local, part->spelled_type));
        return;
    }
    if (mail_part_text (run->local, run->content, part, &text, &length) != MAIL_OK)
        return;
    text_write_block (run->show->file, text, length);
    talloc_free (text);
}

static void
put_part_opener (const struct run *run, const struct mail_part *part)
{
    FILE *file = run->show->file;

    fprintf (file, "\f%s{ ID: %d", part->attachment ? "attachment" : "part", part->number);
    if (part->filename && (part->kind == MAIL_PART_LEAF || part->kind == MAIL_PART_OPENED))
        fprintf (file, ", Filename: %s", text_line (run->local, part->filename));
    if (part->content_id)
        fprintf (file, ", Content-id: %s", text_line (run->local, part->content_id));
    fprintf (file, ", Content-type: %s\n", text_line (run->local, part->spelled_type));
}

/* The part with this index and all that is in it. Nesting is limited by the library (DEPTH_MAX). */
static void
put_part (const struct run *run, size_t index)
{
    const struct mail_part *part = &run->parts[index];
    FILE *file = run->show->file;
    bool nested_message = part->kind == MAIL_PART_MESSAGE;

    put_part_opener (run, part);
    if (nested_message) {
        fputs ("\fheader{\n", file);
        put_headers (run, part, NULL);
        fputs ("\fheader}\n\fbody{\n", file);
    }
    if (part->kind == MAIL_PART_LEAF || part->kind == MAIL_PART_OPENED)
        put_leaf (run, part);
    for (size_t child = index + 1; child < part->end; child = run->parts[child].end)
        put_part (run, child);
    if (nested_message)
        fputs ("\fbody}\n", file);
    fprintf (file, "\f%s}\n", part->attachment ? "attachment" : "part");
}

static void
put_summary_line (const struct run *run, const struct mail_message *message)
{
    char date[RELATIVE_DATE_SIZE];
    FILE *file = run->show->file;
    const char *separator = "";

    fprintf (file, "%s (%s) (", text_line (run->local, mail_message_field (message, MAIL_FROM)),
             relative_date (mail_message_date (message), run->show->now, date));
    for (const char *const *tag = mail_message_tags (message, NULL); *tag; tag++) {
        fprintf (file, "%s%s", separator, text_line (run->local, *tag));
        separator = " ";
    }
    fputs (")\n", file);
}

static struct run
begin (const struct show *show, const struct show_message *shown)
{
    struct run run = {.show = show, .shown = shown, .content = shown->content};

    run.local = talloc_new (NULL);
    run.parts = mail_content_parts (run.content, &run.count);
    return run;
}

void
show_text_message (struct show *show, const struct show_message *shown)
{
    const struct mail_message *message = shown->message;
    struct run run = begin (show, shown);
    FILE *file = show->file;

    fprintf (file, "\fmessage{ id:%s depth:%d match:%d excluded:%d filename:%s\n",
             text_line (run.local, mail_message_id (message)), shown->depth, shown->match,
             shown->excluded, text_line (run.local, shown->path));
    fputs ("\fheader{\n", file);
    put_summary_line (&run, message);
    put_headers (&run, NULL, shown->duplicate == 1 ? message : NULL);
    fputs ("\fheader}\n", file);
    if (show->options->body) {
        fputs ("\fbody{\n", file);
        for (size_t i = 0; i < run.count; i = run.parts[i].end)
            put_part (&run, i);
        fputs ("\fbody}\n", file);
    }
    fputs ("\fmessage}\n", file);
    talloc_free (run.local);
}

void
show_text_part (struct show *show, const struct show_message *shown, const struct mail_part *part)
{
    struct run run = begin (show, shown);

    put_part (&run, (size_t) part->number - 1);
    talloc_free (run.local);
}
