/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * content.c - the public view of a mail file's content; all of the work is done in mime/.
 */
#include "mailindex.h"
#include "mime/mime.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <talloc.h>
#include <unistd.h>

/* A decoded header that was asked for. */
struct header {
    struct header *next;
    const char *name, *value;
};

struct mail_content {
    struct mime_message *message;
    struct header *headers;
};

enum mail_status
mail_content_open (void *ctx, const char *path, struct mail_content **content_out, char **error_out)
{
    struct mail_content *content = talloc_zero (ctx, struct mail_content);
    enum mail_status status = MAIL_ERROR_IO;
    char *reason = NULL;
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd < 0)
        reason = talloc_strdup (content, strerror (errno));
    else
        status = mime_message_parse (content, fd, &content->message, &reason);
    if (status == MAIL_OK) {
        *content_out = content;
        content = NULL;
    } else if (error_out != NULL)
        *error_out = talloc_asprintf (ctx, "cannot open '%s': %s", path, reason);
    if (fd >= 0)
        close (fd);
    talloc_free (content);
    return status;
}

const struct mail_part *
mail_content_parts (const struct mail_content *content, size_t *count_out)
{
    return mime_parts (content->message, count_out);
}

const char *
mail_content_header (struct mail_content *content, const struct mail_part *part, const char *name)
{
    struct header *header;
    const char *raw;

    if (part != NULL)
        return mime_part_header (content->message, part, name);
    for (header = content->headers; header != NULL; header = header->next)
        if (strcasecmp (header->name, name) == 0)
            return header->value;
    raw = mime_header_raw (content->message, name, 0);
    if (raw == NULL)
        return NULL;
    header = talloc_zero (content, struct header);
    header->name = talloc_strdup (header, name);
    header->value = mime_decode_field (header, name, raw);
    header->next = content->headers;
    content->headers = header;
    return header->value;
}

enum mail_status
mail_part_text (void *ctx, struct mail_content *content, const struct mail_part *part,
                char **text_out, size_t *length_out)
{
    return mime_part_text (ctx, content->message, part, SIZE_MAX, text_out, length_out);
}
