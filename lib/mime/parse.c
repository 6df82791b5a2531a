/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parse.c - owns the parsed message: the steps of parsing, and what is known of it as a whole.
 *
 * A file goes through here once when it is indexed and once when it is shown; everything but the
 * bodies is read at once.
 */
#include "mime/charset.h"
#include "mime/html.h"
#include "mime/mime-private.h"
#include "schema.h"

#include <string.h>
#include <talloc.h>

#define HEADER_STEP ((size_t) 64 << 10) /* bytes read of a large file to find the header's end */

static GMimeParserOptions *parser_options;

void
mime_init (void)
{
    static const char *charsets[] = {"utf-8", "windows-1252", NULL};
    static gsize done;

    if (!g_once_init_enter (&done))
        return;
    g_mime_init ();
    parser_options = g_mime_parser_options_new ();
    g_mime_parser_options_set_fallback_charsets (parser_options, charsets);
    g_once_init_leave (&done, 1);
}

void
mime_prepare (void)
{
    mime_init ();
    html_prepare ();
    charset_prepare ();
}

GMimeParserOptions *
mime_parser_options (void)
{
    mime_init ();
    return parser_options;
}

/* ---- steps ---- */

static enum mail_status
not_mail (void *ctx, const char *reason, char **error_out)
{
    if (error_out != NULL)
        *error_out = talloc_strdup (ctx, reason);
    return MAIL_ERROR_NOT_MAIL;
}

static bool
has_value (const struct mime_headers *headers, const char *name)
{
    const char *value;

    for (unsigned i = 0; (value = mime_headers_get (headers, name, i)) != NULL; i++)
        if (*value != '\0')
            return true;
    return false;
}

/* The bytes that begin with the header and hold all of it, if it is not longer than the limit. */
static const char *
read_block (void *ctx, const struct mime_source *source, size_t *length_out)
{
    size_t room = HEADER_STEP, length = 0;
    char *block = NULL;

    if (source->memory != NULL) {
        *length_out = source->size - source->start;
        return source->memory + source->start;
    }
    for (; length == room / 2 || block == NULL; room *= 2) {
        block = talloc_realloc (ctx, block, char, room);
        length = mime_source_read (source, block, room, source->start);
        if (length < room || room >= MIME_HEADER_BLOCK_MAX ||
            memmem (block, length, "\n\n", 2) != NULL ||
            memmem (block, length, "\n\r\n", 3) != NULL)
            break;
    }
    *length_out = length;
    return block;
}

static enum mail_status
read_headers (struct mime_message *message, void *ctx, char **error_out)
{
    const struct mime_source *source = message->source;
    void *temporary = talloc_new (message);
    struct mime_headers *headers = NULL;
    size_t length;
    const char *block = read_block (temporary, source, &length);

    if (mime_headers_begin (block, length)) {
        headers = mime_headers_parse (message, block, MIN (length, MIME_HEADER_BLOCK_MAX));
        headers->body += source->start;
        message->cut_header = headers->cut || length > MIME_HEADER_BLOCK_MAX;
    }
    talloc_free (temporary);
    message->headers = headers;
    if (headers == NULL || !(has_value (headers, "from") || has_value (headers, "subject") ||
                             has_value (headers, "to")))
        return not_mail (ctx, "not mail: no From, Subject or To", error_out);
    if (source->mailbox && mime_mailbox_has_more (source))
        return not_mail (ctx, "not mail: a mailbox of several messages", error_out);
    return MAIL_OK;
}

static enum mail_status
read_id (struct mime_message *message, void *ctx, int fd, char **error_out)
{
    const char *raw = mime_headers_get (message->headers, "message-id", 0);
    char *sum;

    if (raw != NULL)
        message->id = mime_message_id_scan (message, raw);
    if (message->id != NULL)
        return MAIL_OK;
    sum = mime_file_sha1 (message, fd);
    if (sum == NULL) {
        if (error_out != NULL)
            *error_out = talloc_strdup (ctx, "cannot read the file");
        return MAIL_ERROR_IO;
    }
    message->id = talloc_asprintf (message, "notmuch-sha1-%s", sum);
    talloc_free (sum);
    return MAIL_OK;
}

/* Of a message that has a source. */
static void
parse_entity (struct mime_message *message)
{
    void *temporary = talloc_new (message);
    const char *block = "";
    size_t length = 0;

    if (message->source->size > 0)
        block = read_block (temporary, message->source, &length);
    if (length > 0 && !mime_headers_begin (block, length) && *block != '\n' && *block != '\r')
        length = 0; /* no header at all: it is body from the start */
    message->headers = mime_headers_parse (message, block, MIN (length, MIME_HEADER_BLOCK_MAX));
    talloc_free (temporary);
    mime_structure (message);
    mime_headers_mend (message);
}

struct mime_message *
mime_entity_parse (void *ctx, int fd)
{
    struct mime_message *message = talloc_zero (ctx, struct mime_message);

    message->source = mime_source_entity (message, fd);
    if (message->source != NULL)
        parse_entity (message);
    else
        TALLOC_FREE (message);
    return message;
}

struct mime_message *
mime_part_message (void *ctx, const struct mime_message *message, const struct mail_part *part)
{
    const struct mime_part *source = &message->sources[part->number - 1];
    struct mime_message *inner = talloc_zero (ctx, struct mime_message);
    void *temporary = talloc_new (ctx);
    struct mime_bytes bytes = {"", 0};

    if (part->kind == MAIL_PART_LEAF && mime_type_is_message (part->type) &&
        !mime_encoding_is_identity (source->encoding))
        bytes = mime_part_bytes (temporary, source, TEXT_MAX);
    if (mime_headers_begin (bytes.data, bytes.length))
        inner->source = mime_source_bytes (inner, bytes);
    talloc_free (temporary);
    if (inner->source != NULL)
        parse_entity (inner);
    else
        TALLOC_FREE (inner);
    return inner;
}

enum mail_status
mime_message_parse_with (void *ctx, int fd, size_t memory_limit, struct mime_message **message_out,
                         char **error_out)
{
    struct mime_message *message = talloc_zero (ctx, struct mime_message);
    enum mail_status status;

    mime_init ();
    status = mime_source_open (ctx, fd, memory_limit, &message->source, error_out);
    if (status != MAIL_OK)
        goto done;
    talloc_steal (message, message->source);
    status = read_headers (message, ctx, error_out);
    if (status != MAIL_OK)
        goto done;
    status = read_id (message, ctx, fd, error_out);
    if (status != MAIL_OK)
        goto done;
    message->date = mime_headers_date (message->headers);
    mime_references_scan (message, mime_headers_get (message->headers, "references", 0),
                          mime_headers_get (message->headers, "in-reply-to", 0), message->id,
                          &message->references);
    mime_structure (message);
    mime_headers_mend (message);
    mime_find_tags (message);
    *message_out = message;
done:
    if (status != MAIL_OK)
        talloc_free (message);
    return status;
}

enum mail_status
mime_message_parse (void *ctx, int fd, struct mime_message **message_out, char **error_out)
{
    return mime_message_parse_with (ctx, fd, MIME_MEMORY_LIMIT, message_out, error_out);
}

/* ---- what was found ---- */

const char *
mime_message_id (const struct mime_message *message)
{
    return message->id;
}

int64_t
mime_message_date (const struct mime_message *message)
{
    return message->date;
}

const char *const *
mime_message_references (const struct mime_message *message, size_t *count_out)
{
    if (count_out != NULL)
        *count_out = message->references.count;
    return message->references.ids;
}

const char *
mime_message_parent (const struct mime_message *message)
{
    return message->references.parent;
}

const char *const *
mime_message_tags (const struct mime_message *message, size_t *count_out)
{
    if (count_out != NULL)
        *count_out = message->tag_count;
    return message->tags;
}

const char *
mime_header_raw (const struct mime_message *message, const char *name, unsigned nth)
{
    return mime_headers_get (message->headers, name, nth);
}

static const struct mime_headers *
headers_of (const struct mime_message *message, const struct mail_part *part)
{
    return part != NULL ? message->sources[part->number - 1].inner : message->headers;
}

const char *
mime_header_name (const struct mime_message *message, const struct mail_part *part,
                  const char *name)
{
    const struct mime_headers *headers = headers_of (message, part);
    const struct mime_field *field = headers != NULL ? mime_headers_find (headers, name, 0) : NULL;

    return field != NULL ? field->name : NULL;
}

const char *
mime_header_joined (void *ctx, const struct mime_message *message, const struct mail_part *part,
                    const char *name)
{
    const struct mime_headers *headers = headers_of (message, part);
    const char *first = headers != NULL ? mime_headers_get (headers, name, 0) : NULL, *next;
    GString *all;
    char *joined;

    if (first == NULL || !mime_field_is_addresses (name) ||
        mime_headers_get (headers, name, 1) == NULL)
        return first;
    all = g_string_new (first);
    for (unsigned i = 1; (next = mime_headers_get (headers, name, i)) != NULL; i++) {
        if (all->len + strlen (next) > HEADER_MAX)
            break;
        g_string_append_printf (all, "%s%s", all->len > 0 && *next != '\0' ? ", " : "", next);
    }
    joined = talloc_strndup (ctx, all->str, all->len);
    g_string_free (all, TRUE);
    return joined;
}
