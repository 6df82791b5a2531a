/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parse.c - owns the parsed message: the steps of parsing, and what is known of it as a whole.
 *
 * A file goes through here once when it is indexed and once when it is shown; everything but the
 * bodies is read at once. GMime's tree and its streams live until the message is freed.
 */
#include "mime/mime-private.h"

#include <libxml/parser.h>
#include <talloc.h>

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
    xmlInitParser ();
    g_once_init_leave (&done, 1);
}

GMimeParserOptions *
mime_parser_options (void)
{
    return parser_options;
}

static int
message_destructor (struct mime_message *message)
{
    if (message->body != NULL)
        g_object_unref (message->body);
    return 0;
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

static enum mail_status
read_headers (struct mime_message *message, void *ctx, const struct mime_source *source,
              char **error_out)
{
    struct mime_headers *headers;

    if (source->several)
        return not_mail (ctx, "not mail: a mailbox of several messages", error_out);
    headers = mime_headers_parse (message, source->head + source->start,
                                  source->head_length - source->start);
    if (headers == NULL || !(has_value (headers, "from") || has_value (headers, "subject") ||
                             has_value (headers, "to")))
        return not_mail (ctx, "not mail: no From, Subject or To", error_out);
    headers->body += source->start;
    message->headers = headers;
    return MAIL_OK;
}

/* GMime keeps what stands before the first boundary in memory. Of a large file it is not given
 * that; a multipart without a boundary in sight is plain text. */
static void
skip_prologue (struct mime_message *message, const struct mime_source *source, int fd)
{
    struct mime_headers *headers = message->headers;
    const char *raw = mime_headers_get (headers, "content-type", 0);
    GMimeContentType *type = g_mime_content_type_parse (parser_options, raw);
    const char *boundary = g_mime_content_type_get_parameter (type, "boundary");
    size_t first = SIZE_MAX;

    if (g_mime_content_type_is_type (type, "multipart", "*")) {
        if (boundary != NULL && *boundary != '\0')
            first = mime_scan_boundary (source, fd, headers->body, boundary);
        if (first != SIZE_MAX)
            headers->body = first;
        else
            headers->content_length = 0;
    }
    g_object_unref (type);
}

static void
read_body (struct mime_message *message, struct mime_source *source, int fd)
{
    const struct mime_headers *headers = message->headers;
    const char *type = mime_headers_get (headers, "content-type", 0);
    GMimeStream *stream;
    GMimeParser *parser;

    if (type != NULL && g_ascii_strncasecmp (type, "text/", 5) != 0) {
        if (!source->memory)
            skip_prologue (message, source, fd);
        mime_source_limit (source, fd, headers->body);
    }
    stream = mime_source_part (source, headers->content, headers->content_length, headers->body);
    parser = g_mime_parser_new_with_stream (stream);
    message->body = g_mime_parser_construct_part (parser, parser_options);
    g_object_unref (parser);
    g_object_unref (stream);
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

static int64_t
read_date (const char *raw)
{
    GDateTime *date = raw != NULL ? g_mime_utils_header_decode_date (raw) : NULL;
    int64_t seconds = 0;

    if (date != NULL) {
        seconds = g_date_time_to_unix (date);
        g_date_time_unref (date);
    }
    return seconds;
}

enum mail_status
mime_message_parse_with (void *ctx, int fd, size_t memory_limit, struct mime_message **message_out,
                         char **error_out)
{
    struct mime_message *message = talloc_zero (ctx, struct mime_message);
    struct mime_source *source = NULL;
    enum mail_status status;

    talloc_set_destructor (message, message_destructor);
    mime_init ();
    status = mime_source_open (ctx, fd, memory_limit, &source, error_out);
    if (status != MAIL_OK)
        goto done;
    status = read_headers (message, ctx, source, error_out);
    if (status != MAIL_OK)
        goto done;
    status = read_id (message, ctx, fd, error_out);
    if (status != MAIL_OK)
        goto done;
    read_body (message, source, fd);
    message->date = read_date (mime_headers_get (message->headers, "date", 0));
    mime_references_scan (message, mime_headers_get (message->headers, "references", 0),
                          mime_headers_get (message->headers, "in-reply-to", 0), message->id,
                          &message->references);
    mime_parts_walk (message);
    *message_out = message;
done:
    talloc_free (source);
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
