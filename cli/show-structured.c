/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * show-structured.c - a message as maps and lists, for programs.
 *
 * Keys and their order are notmuch's, for each version of the format: programs compare.
 */
#include "mail-date.h"
#include "relative-date.h"
#include "show-structured.h"

#include <string.h>
#include <strings.h>
#include <talloc.h>

/* ---- headers ----------------------------------------------------------------------------------
 */

static const char *
header (const struct show_message *shown, const struct mail_part *part, const char *name)
{
    const char *value = mail_content_header (shown->content, part, name);

    return value ? value : "";
}

static void
put_header_if_any (struct printer *printer, const struct show_message *shown,
                   const struct mail_part *part, const char *name)
{
    const char *value = header (shown, part, name);

    if (*value)
        printer_key_string (printer, name, value);
}

static bool
is_printed_anyway (const char *name)
{
    static const char *const names[] = {"Subject", "From", "To", "Cc", "Bcc", "Reply-To", "Date"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp (name, names[i]) == 0)
            return true;
    return false;
}

/* show.extra_headers: each that there is, once. */
static void
put_extra_headers (const struct show *show, const struct show_message *shown,
                   const struct mail_part *part)
{
    for (char **name = show->extra_headers; name && *name; name++) {
        const char *spelled = mail_content_header_name (shown->content, part, *name);
        bool again = false;

        for (char **before = show->extra_headers; before < name; before++)
            again |= strcasecmp (*before, *name) == 0;
        if (spelled && !again && !is_printed_anyway (spelled))
            printer_key_string (show->printer, spelled, header (shown, part, *name));
    }
}

void
show_structured_headers (const struct show *show, const struct show_message *shown,
                         const struct mail_part *part)
{
    static const char *const others[] = {"To", "Cc", "Bcc", "Reply-To"};
    struct printer *printer = show->printer;
    const char *hidden = part ? NULL : mail_content_crypto (shown->content)->subject;
    int64_t known = part ? 0 : mail_message_date (shown->message);
    char *date = mail_date_text (NULL, mail_content_header (shown->content, part, "Date"),
                                 shown->duplicate == 1 ? known : 0);

    printer_begin_map (printer);
    printer_key_string (printer, "Subject", hidden ? hidden : header (shown, part, "Subject"));
    printer_key_string (printer, "From", header (shown, part, "From"));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        put_header_if_any (printer, shown, part, others[i]);
    printer_key_string (printer, "Date", date);
    put_extra_headers (show, shown, part);
    printer_end (printer);
    talloc_free (date);
}

/* ---- parts ------------------------------------------------------------------------------------
 */

static void
put_part_list (struct show *show, const struct show_message *shown, size_t from, size_t to)
{
    const struct mail_part *parts = mail_content_parts (shown->content, NULL);

    printer_begin_list (show->printer);
    for (size_t i = from; i < to; i = parts[i].end)
        show_structured_part (show, shown, &parts[i]);
    printer_end (show->printer);
}

/* Headers and body of an inner message. */
static void
put_inner_message (struct show *show, const struct show_message *shown,
                   const struct mail_part *part)
{
    struct printer *printer = show->printer;

    printer_begin_list (printer);
    printer_begin_map (printer);
    printer_key (printer, "headers");
    show_structured_headers (show, shown, part);
    printer_key (printer, "body");
    put_part_list (show, shown, (size_t) part->number, part->end);
    printer_end (printer);
    printer_end (printer);
}

static void
put_text (struct show *show, const struct show_message *shown, const struct mail_part *part)
{
    char *text;
    size_t length;

    if (mail_part_text (NULL, shown->content, part, &text, &length) != MAIL_OK)
        return;
    printer_key_string (show->printer, "content", text);
    talloc_free (text);
}

/* Of what is left out: how much it is, and how it is to be read. */
static void
put_omitted (struct printer *printer, const struct mail_part *part)
{
    if (part->charset)
        printer_key_string (printer, "content-charset", part->charset);
    if (part->encoding)
        printer_key_string (printer, "content-transfer-encoding", part->encoding);
    printer_key_integer (printer, "content-length", (int64_t) part->length);
}

static void
put_content (struct show *show, const struct show_message *shown, const struct mail_part *part)
{
    bool html = strcmp (part->type, "text/html") == 0;

    if (part->kind == MAIL_PART_MULTIPART || part->kind == MAIL_PART_OPENED) {
        printer_key (show->printer, "content");
        put_part_list (show, shown, (size_t) part->number, part->end);
    } else if (part->kind == MAIL_PART_MESSAGE) {
        printer_key (show->printer, "content");
        put_inner_message (show, shown, part);
    } else if (part->text && (!html || show->options->include_html))
        put_text (show, shown, part);
    else
        put_omitted (show->printer, part);
}

/* Nesting is limited by the library (DEPTH_MAX). */
void
show_structured_part (struct show *show, const struct show_message *shown,
                      const struct mail_part *part)
{
    struct printer *printer = show->printer;

    printer_begin_map (printer);
    printer_key_integer (printer, "id", part->number);
    show_put_part_crypto (show, shown, part);
    printer_key_string (printer, "content-type", part->spelled_type);
    if (part->disposition)
        printer_key_string (printer, "content-disposition", part->disposition);
    if (part->content_id)
        printer_key_string (printer, "content-id", part->content_id);
    if (part->filename && (part->kind == MAIL_PART_LEAF || part->kind == MAIL_PART_OPENED))
        printer_key_string (printer, "filename", part->filename);
    put_content (show, shown, part);
    printer_end (printer);
}

/* ---- messages ---------------------------------------------------------------------------------
 */

static void
put_filenames (const struct show *show, const struct show_message *shown)
{
    size_t count;
    const struct mail_file *files = mail_message_files (shown->message, &count);
    void *local = talloc_new (NULL);

    printer_key (show->printer, "filename");
    if (show->options->format_version < 3) {
        printer_path (show->printer, shown->path);
    } else {
        printer_begin_list (show->printer);
        for (size_t i = 0; i < count; i++)
            printer_path (show->printer, mail_file_path (local, show->index, &files[i]));
        printer_end (show->printer);
    }
    talloc_free (local);
}

static void
put_tags (struct printer *printer, const struct mail_message *message)
{
    printer_key (printer, "tags");
    printer_begin_list (printer);
    for (const char *const *tag = mail_message_tags (message, NULL); *tag; tag++)
        printer_string (printer, *tag);
    printer_end (printer);
}

void
show_structured_message (struct show *show, const struct show_message *shown)
{
    const struct mail_message *message = shown->message;
    struct printer *printer = show->printer;
    char date[RELATIVE_DATE_SIZE];
    size_t count;

    printer_begin_map (printer);
    printer_key_string (printer, "id", mail_message_id (message));
    printer_key (printer, "match");
    printer_boolean (printer, shown->match);
    printer_key (printer, "excluded");
    printer_boolean (printer, shown->excluded);
    put_filenames (show, shown);
    printer_key_integer (printer, "timestamp", mail_message_date (message));
    printer_key_string (printer, "date_relative",
                        relative_date (mail_message_date (message), show->now, date));
    put_tags (printer, message);
    printer_key_integer (printer, "duplicate", (int64_t) shown->duplicate);
    if (show->options->body) {
        mail_content_parts (shown->content, &count);
        printer_key (printer, "body");
        put_part_list (show, shown, 0, count);
    }
    if (show->options->format_version >= 4)
        show_put_message_crypto (show, shown);
    printer_key (printer, "headers");
    show_structured_headers (show, shown, NULL);
    printer_end (printer);
}
