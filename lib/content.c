/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * content.c - the public view of a mail file's content; all of the work is done in mime/.
 */
#include "addresses.h"
#include "message.h"
#include "mime/crypto.h"
#include "mime/mime.h"
#include "term.h"

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
    struct mail_security crypto;
};

/* Without waiting for what is no regular file; -1 with errno. */
static int
open_mail (const char *path)
{
    return open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

enum mail_status
mail_content_open (void *ctx, const char *path, struct mail_content **content_out, char **error_out)
{
    struct mail_content *content = talloc_zero (ctx, struct mail_content);
    enum mail_status status = MAIL_ERROR_IO;
    char *reason = NULL;
    int fd = open_mail (path);

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

char *
mail_content_message_id (void *ctx, const struct mail_content *content)
{
    return term_message_id (ctx, mime_message_id (content->message));
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
    header = talloc_zero (content, struct header);
    raw = mime_header_joined (header, content->message, NULL, name);
    if (raw == NULL) {
        talloc_free (header);
        return NULL;
    }
    header->name = talloc_strdup (header, name);
    header->value = mime_decode_field (header, name, raw);
    header->next = content->headers;
    content->headers = header;
    return header->value;
}

const char *
mail_content_header_name (const struct mail_content *content, const struct mail_part *part,
                          const char *name)
{
    return mime_header_name (content->message, part, name);
}

char *
mail_content_header_raw (void *ctx, const struct mail_content *content, const char *name)
{
    const char *value = mime_header_raw (content->message, name, 0);
    char *all = talloc_strdup (ctx, value);

    for (unsigned i = 1; (value = mime_header_raw (content->message, name, i)) != NULL; i++)
        all = talloc_asprintf_append_buffer (all, " %s", value);
    return all;
}

enum mail_status
mail_part_text (void *ctx, struct mail_content *content, const struct mail_part *part,
                char **text_out, size_t *length_out)
{
    return mime_part_text (ctx, content->message, part, SIZE_MAX, text_out, length_out);
}

bool
mail_part_write (const struct mail_content *content, const struct mail_part *part,
                 struct mail_sink sink)
{
    return mime_part_write (content->message, part, sink);
}

enum mail_status
mail_file_write (const char *path, struct mail_sink sink)
{
    int fd = open_mail (path), error;
    bool ok;

    if (fd < 0)
        return MAIL_ERROR_IO;
    ok = mime_file_write (fd, sink);
    error = errno;
    close (fd);
    errno = error;
    return ok || error == 0 ? MAIL_OK : MAIL_ERROR_IO;
}

/* ---- signatures and encryption ---- */

static bool
open_layer (void *closure, void *ctx, const struct crypto_request *request, int input,
            struct crypto_result *result_out)
{
    (void) closure;
    return crypto_open (ctx, request, input, result_out);
}

void
mail_content_unlock (struct mail_content *content, const struct mail_message *message,
                     const struct mail_unlock_options *options)
{
    enum mail_decrypt decrypt = options->decrypt;
    struct mime_unlock how = {
        .decrypt = decrypt != MAIL_DECRYPT_FALSE,
        .secret_keys = crypto_has_secret_keys (decrypt),
        .export_key = decrypt == MAIL_DECRYPT_TRUE,
        .verify = options->verify,
        .part = options->part > 0 ? (size_t) options->part : 0,
        .inside = options->inside,
        .open = open_layer,
        .tell = options->tell,
        .closure = options->closure,
    };

    if (!mime_is_locked (content->message, options->verify))
        return;
    how.session_keys = message_session_keys (content, message);
    mime_unlock (content->message, &how);
    content->crypto = mime_message_crypto (content->message)->content;
    if (content->crypto.subject)
        content->crypto.subject = mime_decode_text (content, content->crypto.subject);
}

const struct mail_part_security *
mail_part_crypto (const struct mail_content *content, const struct mail_part *part)
{
    return mime_part_crypto (content->message, part);
}

const struct mail_security *
mail_content_crypto (const struct mail_content *content)
{
    return &content->crypto;
}

const char *const *
mail_content_session_keys (const struct mail_content *content, size_t *count_out)
{
    static const char *const none[] = {NULL};
    const struct mime_crypto *crypto = mime_message_crypto (content->message);

    *count_out = crypto->session_key_count;
    return crypto->session_keys ? crypto->session_keys : none;
}

struct mail_address *
mail_content_addresses (void *ctx, const struct mail_content *content, const char *name,
                        size_t *count_out)
{
    void *local = talloc_new (ctx);
    const char *raw = mime_header_joined (local, content->message, NULL, name);
    struct mail_address *addresses = addresses_read (ctx, raw != NULL ? raw : "", count_out);

    talloc_free (local);
    return addresses;
}
