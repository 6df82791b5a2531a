/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * document.c - from a parsed message to texts of fields.
 *
 * Which text is a word of which field is decided here and nowhere else; how texts become words is
 * the tokenizer's. Every value of a repeated header counts, since any of them may be the one that
 * another program shows. Temporary strings live as long as the header or part they come from.
 */
#include "index/document.h"

#include <string.h>
#include <talloc.h>

#define ENCLOSED_MAX 16

struct adding {
    struct terms *terms;
    struct mime_message *message;
    size_t bytes; /* of text so far */
    int enclosed; /* messages behind a transfer encoding that are open */
};

static const struct {
    const char *name;
    enum text_field field;
    bool addresses;
} headers[] = {
    {"From", FIELD_FROM, true},
    {"To", FIELD_TO, true},
    {"Cc", FIELD_CC, true},
    {"Bcc", FIELD_BCC, true},
    {"Reply-To", FIELD_REPLY_TO, true},
    {"List-Id", FIELD_LIST_ID, false},
    {"Subject", FIELD_SUBJECT, false},
};

/* Of a forwarded message: found as words of the body, since from: and subject: ask for those of the
 * message itself. */
static const char *const inner_headers[] = {"From", "To", "Cc", "Subject"};

static void
add_text (struct adding *adding, unsigned field, const char *text, size_t length)
{
    if (length == 0)
        return;
    terms_add_text (adding->terms, field, text, length);
    adding->bytes += length;
}

static void
add_string (struct adding *adding, unsigned field, const char *string)
{
    if (string)
        add_text (adding, field, string, strlen (string));
}

/* A mailbox is one text, so that a phrase can name both parts of it but no two mailboxes; so is the
 * name of a group. What has no address in it is at least words. */
static void
add_addresses (struct adding *adding, enum text_field field, const char *raw)
{
    void *scratch = talloc_new (NULL);
    size_t count;
    const struct mime_address *addresses = mime_decode_addresses (scratch, raw, &count);

    for (size_t i = 0; i < count; i++) {
        const char *name = addresses[i].name, *address = addresses[i].address;
        const char *between = *name && *address ? " " : "";
        char *text = talloc_asprintf (scratch, "%s%s%s", name, between, address);
        add_string (adding, field, text);
        talloc_free (text);
    }
    if (count == 0)
        add_string (adding, field, mime_decode_text (scratch, raw));
    talloc_free (scratch);
}

static void
add_header (struct adding *adding, unsigned field, bool addresses, const char *raw)
{
    if (addresses) {
        add_addresses (adding, field, raw);
        return;
    }
    char *text = mime_decode_text (NULL, raw);
    add_string (adding, field, text);
    talloc_free (text);
}

static void
add_every (struct adding *adding, unsigned field, bool addresses, const char *name)
{
    const char *raw;

    for (unsigned nth = 0; (raw = mime_header_raw (adding->message, name, nth)); nth++)
        add_header (adding, field, addresses, raw);
}

/* What records have of it, too: the first. */
static const char *
first_value (const struct adding *adding, const char *name)
{
    const char *raw = mime_header_raw (adding->message, name, 0);

    return raw ? raw : "";
}

/* People are read from what is encoded, as in records. */
static void
add_from_column (struct adding *adding, const char *raw)
{
    char *text = mime_decode_text (NULL, raw);

    if (strcmp (text, raw) != 0)
        text = talloc_asprintf_append (text, "%c%s", TEXT_VALUE_RAW, raw);
    terms_add_header (adding->terms, TEXT_SLOT_FROM, text);
    talloc_free (text);
}

static void
add_headers (struct adding *adding)
{
    const struct fields *fields = terms_fields (adding->terms);
    const char *hidden = mime_message_hidden_subject (adding->message);

    char *subject = mime_decode_text (NULL, hidden ? hidden : first_value (adding, "Subject"));

    add_from_column (adding, first_value (adding, "From"));
    terms_add_header (adding->terms, TEXT_SLOT_SUBJECT, subject);
    talloc_free (subject);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        add_every (adding, headers[i].field, headers[i].addresses, headers[i].name);
    if (hidden)
        add_header (adding, FIELD_SUBJECT, false, hidden);
    for (unsigned field = FIELD_COUNT; field < fields->count; field++)
        add_every (adding, field, false, fields->headers[field]);
}

static void
add_inner_headers (struct adding *adding, const struct mail_part *part)
{
    for (size_t i = 0; i < sizeof inner_headers / sizeof *inner_headers; i++)
        add_string (adding, FIELD_BODY, mime_part_header (adding->message, part, inner_headers[i]));
}

static void
add_words (struct adding *adding, const struct mail_part *part)
{
    void *scratch = talloc_new (NULL);
    char *text;
    size_t length;

    /* One character more than there is room for, so that its lack is noticed. */
    if (adding->bytes <= TEXT_MAX &&
        mime_part_words (scratch, adding->message, part, TEXT_MAX - adding->bytes + 4, &text,
                         &length) == MAIL_OK)
        add_text (adding, FIELD_BODY, text, length);
    talloc_free (scratch);
}

static void add_part (struct adding *adding, const struct mail_part *part);

/* A message that is one behind a transfer encoding; false where the part is something else. */
static bool
add_enclosed (struct adding *adding, const struct mail_part *part)
{
    struct mime_message *outer = adding->message, *inner = NULL;
    const struct mail_part *parts;
    size_t count;

    if (adding->enclosed < ENCLOSED_MAX)
        inner = mime_part_message (NULL, outer, part);
    if (inner == NULL)
        return false;
    adding->message = inner;
    adding->enclosed++;
    for (size_t i = 0; i < sizeof inner_headers / sizeof *inner_headers; i++)
        add_every (adding, FIELD_BODY, mime_field_is_addresses (inner_headers[i]),
                   inner_headers[i]);
    parts = mime_parts (inner, &count);
    for (size_t i = 0; i < count; i++)
        add_part (adding, &parts[i]);
    adding->enclosed--;
    adding->message = outer;
    talloc_free (inner);
    return true;
}

static void
add_part (struct adding *adding, const struct mail_part *part)
{
    add_string (adding, FIELD_MIME_TYPE, part->type);
    if (mime_part_was_sealed (adding->message, part))
        add_string (adding, FIELD_MIME_TYPE, "application/octet-stream");
    if (part->attachment && !mime_part_is_wrapping (adding->message, part))
        add_string (adding, FIELD_ATTACHMENT, part->filename);
    if (part->kind == MAIL_PART_MESSAGE)
        add_inner_headers (adding, part);
    if (part->kind == MAIL_PART_LEAF && !add_enclosed (adding, part))
        add_words (adding, part);
}

void
document_add (struct terms *terms, struct mime_message *message)
{
    struct adding adding = {.terms = terms, .message = message};
    size_t count;
    const struct mail_part *parts = mime_parts (message, &count);

    add_headers (&adding);
    for (size_t i = 0; i < count; i++)
        add_part (&adding, &parts[i]);
}
