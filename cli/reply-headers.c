/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reply-headers.c - owns the rules by which a reply finds its sender and its recipients.
 *
 * They are notmuch's: a Reply-To that only names the list again does not count; the user's own
 * addresses are left out; the address that the mail was sent to is the one that answers.
 */
#include "reply-headers.h"
#include "printer.h"
#include "text.h"
#include "user.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>
#include <talloc.h>

/* What recipients are looked for in, in this order. */
enum { SENDER, TO, CC, BCC, SOURCES };

struct finding {
    void *ctx;
    const struct mail_message *message;
    struct mail_content *content;
    char **own;                        /* the user's addresses */
    struct reply_list source[SOURCES]; /* all that stands there */
    const char *answering;             /* own address, as the mail spells it; NULL: not found */
};

/* ---- sender and recipients --------------------------------------------------------------------
 */

static struct reply_list
addresses (const struct finding *finding, const char *name)
{
    struct reply_list list;

    list.list = mail_content_addresses (finding->ctx, finding->content, name, &list.count);
    return list;
}

static bool
contains (const struct reply_list *list, const char *address)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp (list->list[i].address, address) == 0)
            return true;
    return false;
}

/* One address that the mail went to anyway: set by a list, and not by the sender. */
static bool
is_munged (const struct finding *finding, const struct reply_list *reply_to)
{
    const char *address = reply_to->count == 1 ? reply_to->list[0].address : NULL;

    return address &&
           (contains (&finding->source[TO], address) || contains (&finding->source[CC], address) ||
            contains (&finding->source[BCC], address));
}

static struct reply_list
sender (const struct finding *finding)
{
    const char *header = mail_content_header (finding->content, NULL, "Reply-To");
    struct reply_list reply_to = addresses (finding, "Reply-To");

    if (header && *header && !is_munged (finding, &reply_to))
        return reply_to;
    return addresses (finding, "From");
}

/* Adds those of a source that are not the user's own. */
static void
add_others (struct finding *finding, struct reply_list *to, const struct reply_list *source)
{
    size_t room = to->count + source->count;

    if (room == 0)
        return;
    to->list = talloc_realloc (finding->ctx, to->list, struct mail_address, room);
    for (size_t i = 0; i < source->count; i++)
        if (!user_find_address (finding->own, source->list[i].address))
            to->list[to->count++] = source->list[i];
        else if (!finding->answering)
            finding->answering = source->list[i].address;
}

static void
find_recipients (struct finding *finding, struct reply *reply, bool to_all)
{
    struct reply_list *targets[SOURCES] = {&reply->to, &reply->to, &reply->cc, &reply->bcc};
    struct reply_list ignored = {0};
    bool done = false;

    for (int i = 0; i < SOURCES; i++) {
        struct reply_list *target = done ? &ignored : targets[i];

        add_others (finding, target, &finding->source[i]);
        done |= !to_all && target->count > 0;
    }
}

/* ---- the address that answers -----------------------------------------------------------------
 */

static const char *
own_in_header (const struct finding *finding, const char *name)
{
    char *value = mail_content_header_raw (finding->ctx, finding->content, name);

    return value ? user_address_in (finding->own, value) : NULL;
}

/* "... by mx.example.org ...": the user's address in example.org. */
static const char *
own_at_host (const struct finding *finding, const char *host)
{
    size_t length = 0, labels = 0, start;
    char *domain;

    while (isalnum ((unsigned char) host[length]) || (host[length] && strchr ("-.", host[length])))
        length++;
    for (start = length; start > 0; start--)
        if (host[start - 1] == '.' && ++labels == 2)
            break;
    if (labels == 0)
        return NULL;
    domain = talloc_strndup (finding->ctx, host + start, length - start);
    for (char **own = finding->own; *own; own++)
        if (strcasestr (*own, domain))
            return *own;
    return NULL;
}

static const char *
own_in_received (const struct finding *finding)
{
    char *received = mail_content_header_raw (finding->ctx, finding->content, "Received");
    const char *own = NULL;

    for (char *at = received; at && !own && (at = strcasestr (at, " for ")); at++)
        own = user_address_in (finding->own,
                               talloc_strndup (finding->ctx, at + 5, strcspn (at + 5, " ;")));
    for (char *at = received; at && !own && (at = strcasestr (at, " by ")); at++)
        own = own_at_host (finding, at + 4);
    return own;
}

static const char *
answering_address (const struct finding *finding)
{
    static const char *const headers[] = {"Envelope-To", "X-Original-To", "Delivered-To"};
    const char *own = finding->answering;

    for (size_t i = 0; !own && i < sizeof headers / sizeof *headers; i++)
        own = own_in_header (finding, headers[i]);
    if (!own)
        own = own_in_received (finding);
    if (!own)
        own = finding->own[0];
    return own ? own : "";
}

/* ---- all of it --------------------------------------------------------------------------------
 */

static const char *
reply_subject (void *ctx, struct mail_content *content)
{
    const char *subject = mail_content_header (content, NULL, "Subject");

    if (!subject || strncasecmp (subject, "re:", 3) == 0)
        return subject;
    return *subject ? talloc_asprintf (ctx, "Re: %s", subject) : "Re:";
}

struct reply *
reply_create (void *ctx, const struct config *config, const struct mail_message *message,
              struct mail_content *content, bool to_all)
{
    struct reply *reply = talloc_zero (ctx, struct reply);
    struct finding finding = {
        .ctx = reply,
        .message = message,
        .content = content,
        .own = user_addresses (reply, config),
    };
    const char *name = user_name (reply, config), *before;

    finding.source[TO] = addresses (&finding, "To");
    finding.source[CC] = addresses (&finding, "Cc");
    finding.source[BCC] = addresses (&finding, "Bcc");
    finding.source[SENDER] = sender (&finding);
    find_recipients (&finding, reply, to_all);
    reply->from =
        (struct mail_address){.name = name ? name : "", .address = answering_address (&finding)};
    if (reply->to.count + reply->cc.count + reply->bcc.count == 0) {
        reply->to.list = talloc_zero_array (reply, struct mail_address, 1);
        reply->to.list[reply->to.count++] = (struct mail_address){"", reply->from.address};
    }
    reply->subject = reply_subject (reply, content);
    reply->in_reply_to = talloc_asprintf (reply, "<%s>", mail_message_id (message));
    before = mail_content_header (content, NULL, "References");
    reply->before = before ? before : "";
    return reply;
}

/* ---- output -----------------------------------------------------------------------------------
 */

static void
write_text (FILE *file, const char *name, const char *value)
{
    char *field = value ? mail_compose_text (NULL, name, value) : NULL;

    fputs (field ? field : "", file);
    talloc_free (field);
}

static void
write_addresses (FILE *file, enum mail_field name, const struct mail_address *list, size_t count)
{
    char *field = mail_compose_addresses (NULL, name, list, count);

    fputs (field, file);
    talloc_free (field);
}

/* The ids in a text. What else stands there, a comma or junk, would take ids with it when the field
 * is encoded. */
static char *
only_ids (void *ctx, const char *text)
{
    char *ids = talloc_strdup (ctx, "");

    while ((text = strchr (text, '<'))) {
        size_t length = 1;

        while (text[length] > ' ' && text[length] < 0x7f && !strchr ("<>", text[length]))
            length++;
        if (text[length] == '>' && length > 1)
            ids = talloc_asprintf_append_buffer (ids, "%s%.*s", *ids ? " " : "", (int) length + 1,
                                                 text);
        text += length;
    }
    return ids;
}

/* An id with control characters in it is none that a mail may have: the reply names it no more than
 * others of the kind. */
static bool
is_printable (const char *id)
{
    char *line = text_line (NULL, id);
    bool same = strcmp (line, id) == 0;

    talloc_free (line);
    return same;
}

static void
write_ids (FILE *file, const struct reply *reply)
{
    char *ids = only_ids (NULL, reply->before);

    if (is_printable (reply->in_reply_to)) {
        write_text (file, "In-Reply-To", reply->in_reply_to);
        ids = talloc_asprintf_append_buffer (ids, "%s%s", *ids ? " " : "", reply->in_reply_to);
    }
    if (*ids)
        write_text (file, "References", ids);
    talloc_free (ids);
}

void
reply_write_header (FILE *file, const struct reply *reply, bool only_new)
{
    if (only_new) {
        write_ids (file, reply);
    } else {
        write_addresses (file, MAIL_FROM, &reply->from, 1);
        write_text (file, "Subject", reply->subject);
    }
    write_addresses (file, MAIL_TO, reply->to.list, reply->to.count);
    write_addresses (file, MAIL_CC, reply->cc.list, reply->cc.count);
    if (!only_new)
        write_ids (file, reply);
    write_addresses (file, MAIL_BCC, reply->bcc.list, reply->bcc.count);
    putc ('\n', file);
}

static void
print_list (struct printer *printer, const char *key, const struct reply_list *list)
{
    char *all = talloc_strdup (NULL, "");

    for (size_t i = 0; i < list->count; i++)
        all = talloc_asprintf_append_buffer (all, "%s%s", i ? ", " : "",
                                             mail_address_text (all, &list->list[i]));
    if (*all)
        printer_key_string (printer, key, all);
    talloc_free (all);
}

void
reply_print_headers (struct printer *printer, const struct reply *reply)
{
    char *from = mail_address_text (NULL, &reply->from), *references;

    printer_begin_map (printer);
    printer_key_string (printer, "Subject", reply->subject ? reply->subject : "");
    printer_key_string (printer, "From", from);
    print_list (printer, "To", &reply->to);
    print_list (printer, "Cc", &reply->cc);
    print_list (printer, "Bcc", &reply->bcc);
    printer_key_string (printer, "In-reply-to", reply->in_reply_to);
    references = talloc_asprintf (from, "%s%s%s", reply->before, *reply->before ? " " : "",
                                  reply->in_reply_to);
    printer_key_string (printer, "References", references);
    printer_end (printer);
    talloc_free (from);
}
