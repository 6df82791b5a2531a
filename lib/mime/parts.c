/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parts.c - GMime's tree as a flat array of parts, numbered depth-first.
 *
 * The walk happens once, while parsing: it also finds the tags that depend on content types. Depth
 * and number of parts are limited; GMime itself goes no deeper than 1,024.
 */
#include "mime/mime-private.h"
#include "schema.h"

#include <string.h>
#include <talloc.h>

enum found { FOUND_ATTACHMENT = 1, FOUND_ENCRYPTED = 2, FOUND_SIGNED = 4 };

struct walk {
    struct mime_message *message;
    unsigned found;
};

static bool
is_type (GMimeObject *object, const char *type, const char *subtype)
{
    GMimeContentType *content_type = g_mime_object_get_content_type (object);

    return content_type != NULL && g_mime_content_type_is_type (content_type, type, subtype);
}

/* ---- one part ---- */

/* The value of the first header field of this name; NULL for none. */
static const char *
find_raw (GMimeHeaderList *headers, const char *name)
{
    int count = headers != NULL ? g_mime_header_list_get_count (headers) : 0;

    for (int i = 0; i < count; i++) {
        GMimeHeader *header = g_mime_header_list_get_header_at (headers, i);

        if (g_ascii_strcasecmp (g_mime_header_get_name (header), name) == 0)
            return g_mime_header_get_raw_value (header);
    }
    return NULL;
}

/* GMime takes a Content-Type without a slash ("text") for application/octet-stream; it is to be
 * read as if it were not there (RFC 2045 5.2). */
static bool
is_no_type (GMimeObject *object)
{
    const char *raw;

    if (!is_type (object, "application", "octet-stream"))
        return false;
    raw = find_raw (g_mime_object_get_header_list (object), "Content-Type");
    return raw != NULL && strchr (raw, '/') == NULL;
}

static const char *
part_type (void *ctx, GMimeObject *object)
{
    GMimeContentType *type = g_mime_object_get_content_type (object);
    const char *major = type != NULL ? g_mime_content_type_get_media_type (type) : NULL;
    const char *minor = type != NULL ? g_mime_content_type_get_media_subtype (type) : NULL;
    char *both;

    if (major == NULL || minor == NULL || is_no_type (object))
        return "text/plain";
    both = talloc_asprintf (ctx, "%s/%s", major, minor);
    for (char *p = both; *p != '\0'; p++)
        *p = g_ascii_tolower (*p);
    if (g_utf8_validate (both, -1, NULL))
        return both;
    talloc_free (both);
    return "application/octet-stream";
}

/* A parameter of Content-Disposition, else of Content-Type; NULL for none. GMime has decoded it. */
static const char *
part_filename (void *ctx, GMimeObject *object)
{
    const char *name = g_mime_object_get_content_disposition_parameter (object, "filename");

    if (name == NULL || *name == '\0')
        name = g_mime_object_get_content_type_parameter (object, "name");
    if (name == NULL || *name == '\0')
        return NULL;
    return mime_decode_text (ctx, name);
}

static const char *
part_content_id (void *ctx, GMimeObject *object)
{
    const char *id = g_mime_object_get_content_id (object);
    size_t length;

    if (id == NULL)
        return NULL;
    length = strlen (id);
    if (length > 1 && id[0] == '<' && id[length - 1] == '>')
        id++, length -= 2;
    return length > 0 ? mime_line (ctx, id, length) : NULL;
}

static bool
is_attachment (GMimeObject *object)
{
    const char *disposition = g_mime_object_get_disposition (object);

    return disposition != NULL && g_ascii_strcasecmp (disposition, "attachment") == 0;
}

static enum mail_part_kind
part_kind (GMimeObject *object)
{
    if (GMIME_IS_MESSAGE_PART (object))
        return MAIL_PART_MESSAGE;
    if (GMIME_IS_MULTIPART (object) && g_mime_multipart_get_count (GMIME_MULTIPART (object)) > 0)
        return MAIL_PART_MULTIPART;
    return MAIL_PART_LEAF;
}

/* Appends a part; its index. */
static size_t
add_part (struct mime_message *message, GMimeObject *object, int depth, bool wrapping)
{
    size_t index = message->part_count++;
    struct mime_part source = {object, NULL, wrapping};
    struct mail_part *part;

    if ((index & (index + 1)) == 0) {
        message->parts =
            talloc_realloc (message, message->parts, struct mail_part, 2 * (index + 1));
        message->sources =
            talloc_realloc (message, message->sources, struct mime_part, 2 * (index + 1));
    }
    part = &message->parts[index];
    *part = (struct mail_part){.kind = part_kind (object),
                               .number = (int) index + 1,
                               .depth = depth,
                               .type = part_type (message, object),
                               .filename = part_filename (message, object),
                               .content_id = part_content_id (message, object),
                               .attachment = is_attachment (object)};
    if (part->kind == MAIL_PART_LEAF && GMIME_IS_MULTIPART (object)) {
        /* Its boundary never came: all there is stands before the first one. */
        source.fallback = g_mime_multipart_get_prologue (GMIME_MULTIPART (object));
        if (source.fallback == NULL)
            source.fallback = "";
        part->type = "text/plain";
    }
    part->text = part->kind == MAIL_PART_LEAF && g_str_has_prefix (part->type, "text/");
    message->sources[index] = source;
    return index;
}

/* ---- what types say ---- */

/* multipart/encrypted (RFC 3156) that a gateway has turned into multipart/mixed. */
static bool
is_mixed_up (GMimeObject *object)
{
    GMimeMultipart *multipart;

    if (!is_type (object, "multipart", "mixed") || !GMIME_IS_MULTIPART (object))
        return false;
    multipart = GMIME_MULTIPART (object);
    return g_mime_multipart_get_count (multipart) == 3 &&
           is_type (g_mime_multipart_get_part (multipart, 0), "text", "plain") &&
           is_type (g_mime_multipart_get_part (multipart, 1), "application", "pgp-encrypted") &&
           is_type (g_mime_multipart_get_part (multipart, 2), "application", "octet-stream");
}

static bool
is_encrypted (GMimeObject *object)
{
    return is_type (object, "multipart", "encrypted") || is_mixed_up (object);
}

/* application/pkcs7-mime (RFC 8551 3.2). */
static unsigned
find_smime (GMimeObject *object)
{
    const char *type;

    if (!is_type (object, "application", "pkcs7-mime") &&
        !is_type (object, "application", "x-pkcs7-mime"))
        return 0;
    type = g_mime_object_get_content_type_parameter (object, "smime-type");
    if (type == NULL)
        return 0;
    if (g_ascii_strcasecmp (type, "signed-data") == 0)
        return FOUND_SIGNED;
    return g_ascii_strcasecmp (type, "enveloped-data") == 0 ||
                   g_ascii_strcasecmp (type, "authEnveloped-data") == 0
               ? FOUND_ENCRYPTED
               : 0;
}

/* wrapping: this is a signature, or a part of an encrypted container. */
static void
find_tags (struct walk *walk, GMimeObject *object, bool attachment, bool wrapping)
{
    if (attachment && !wrapping)
        walk->found |= FOUND_ATTACHMENT;
    if (is_encrypted (object))
        walk->found |= FOUND_ENCRYPTED;
    if (is_type (object, "multipart", "signed"))
        walk->found |= FOUND_SIGNED;
    walk->found |= find_smime (object);
}

static void
keep_tags (struct mime_message *message, unsigned found)
{
    static const char *const tags[] = {"attachment", "encrypted", "signed"};

    for (unsigned i = 0; i < G_N_ELEMENTS (tags); i++)
        if ((found & 1U << i) != 0)
            message->tags[message->tag_count++] = tags[i];
}

/* ---- the walk ---- */

static void
walk_object (struct walk *walk, GMimeObject *object, int depth, bool wrapping)
{
    struct mime_message *message = walk->message;
    size_t index;

    if (object == NULL || depth > DEPTH_MAX || message->part_count >= PARTS_MAX)
        return;
    index = add_part (message, object, depth, wrapping);
    find_tags (walk, object, message->parts[index].attachment, wrapping);
    if (message->parts[index].kind == MAIL_PART_MULTIPART) {
        GMimeMultipart *multipart = GMIME_MULTIPART (object);
        bool encrypted = is_encrypted (object);
        bool is_signed = is_type (object, "multipart", "signed");
        int count = g_mime_multipart_get_count (multipart);

        for (int i = 0; i < count; i++)
            walk_object (walk, g_mime_multipart_get_part (multipart, i), depth + 1,
                         encrypted || (is_signed && i > 0));
    } else if (message->parts[index].kind == MAIL_PART_MESSAGE) {
        GMimeMessage *inner = g_mime_message_part_get_message (GMIME_MESSAGE_PART (object));

        if (inner != NULL)
            walk_object (walk, g_mime_message_get_mime_part (inner), depth + 1, false);
    }
    message->parts[index].end = message->part_count;
}

void
mime_parts_walk (struct mime_message *message)
{
    struct walk walk = {message, 0};

    walk_object (&walk, message->body, 0, false);
    keep_tags (message, walk.found);
}

const struct mail_part *
mime_parts (struct mime_message *message, size_t *count_out)
{
    if (count_out != NULL)
        *count_out = message->part_count;
    return message->parts;
}

bool
mime_part_is_wrapping (const struct mime_message *message, const struct mail_part *part)
{
    return message->sources[part->number - 1].wrapping;
}

/* ---- headers of inner messages ---- */

struct mime_cached {
    struct mime_cached *next;
    int number;
    const char *name, *value;
};

/* The raw value in the inner message, or in its body part, which has the Content- fields. */
static const char *
inner_raw (GMimeObject *object, const char *name)
{
    GMimeMessage *inner = g_mime_message_part_get_message (GMIME_MESSAGE_PART (object));
    GMimeObject *body;
    const char *raw;

    if (inner == NULL)
        return NULL;
    raw = find_raw (g_mime_object_get_header_list (GMIME_OBJECT (inner)), name);
    body = g_mime_message_get_mime_part (inner);
    if (raw == NULL && body != NULL)
        raw = find_raw (g_mime_object_get_header_list (body), name);
    return raw;
}

const char *
mime_part_header (struct mime_message *message, const struct mail_part *part, const char *name)
{
    struct mime_cached *cached;
    const char *raw;
    char *value;

    if (part->kind != MAIL_PART_MESSAGE)
        return NULL;
    for (cached = message->cached; cached != NULL; cached = cached->next)
        if (cached->number == part->number && g_ascii_strcasecmp (cached->name, name) == 0)
            return cached->value;
    raw = inner_raw (message->sources[part->number - 1].object, name);
    if (raw == NULL)
        return NULL;
    cached = talloc_zero (message, struct mime_cached);
    value = mime_unfold (cached, raw, strlen (raw));
    *cached = (struct mime_cached){message->cached, part->number, talloc_strdup (cached, name),
                                   mime_decode_field (cached, name, value)};
    message->cached = cached;
    talloc_free (value);
    return cached->value;
}
