/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parts.c - what a part's header says of it, and the flat array of parts, numbered depth-first.
 *
 * GMime reads Content-Type and Content-Disposition (RFC 2045, 2183, 2231); what is asked for later
 * is copied out of its objects, which are let go at once. The tags that depend on types are found
 * when all parts are known.
 */
#include "mime/charset.h"
#include "mime/mime-private.h"
#include "schema.h"

#include <string.h>
#include <talloc.h>

/* ---- one part ---- */

static const char *
field (const struct mime_headers *headers, const char *name)
{
    return headers != NULL ? mime_headers_get (headers, name, 0) : NULL;
}

/* As UTF-8: GMime loses a raw 8-bit letter at the end of a value. Such letters are in the set of
 * the texts before. */
static char *
repaired (void *ctx, const struct mime_message *message, const char *raw)
{
    size_t length = strlen (raw);
    bool utf8 = charset_is_mostly_utf8 (raw, length);

    return charset_to_utf8 (ctx, raw, length, utf8 ? NULL : message->charset, &length);
}

/* Where a parameter is there in its plain and its extended form (RFC 2231), the extended one
 * counts, as RFC 6266 4.3 has it: the other is often all question marks. Its name is spoiled. */
static void
prefer_extended (char *value, const char *name)
{
    size_t n = strlen (name);
    char *plain = NULL;
    bool extended = false, quoted = false;

    for (char *p = value; *p != '\0'; p++) {
        if (*p == '\\' && p[1] != '\0')
            p++;
        else if (*p == '"')
            quoted = !quoted;
        else if (!quoted && strchr ("; \t", *p) != NULL &&
                 g_ascii_strncasecmp (p + 1, name, n) == 0) {
            extended |= p[1 + n] == '*';
            plain = p[1 + n] == '=' ? p + 1 : plain;
        }
    }
    if (extended && plain != NULL)
        *plain = 'x';
}

/* "major/minor" in lower case. What has no slash is to be read as if it were not there (RFC 2045
 * 5.2). */
static const char *
type_name (void *ctx, GMimeContentType *type, bool digest)
{
    const char *major = type != NULL ? g_mime_content_type_get_media_type (type) : NULL;
    const char *minor = type != NULL ? g_mime_content_type_get_media_subtype (type) : NULL;
    char *both;

    if (major == NULL || minor == NULL)
        return type == NULL && digest ? "message/rfc822" : "text/plain";
    both = talloc_asprintf (ctx, "%s/%s", major, minor);
    for (char *p = both; *p != '\0'; p++)
        *p = g_ascii_tolower (*p);
    return g_utf8_validate (both, -1, NULL) ? both : "application/octet-stream";
}

/* The same as the mail spells it. */
static const char *
spelled_type (void *ctx, GMimeContentType *type, const char *name)
{
    char *spelled = type != NULL ? g_mime_content_type_get_mime_type (type) : NULL;
    const char *result = name;

    if (spelled != NULL && strcmp (spelled, name) != 0 && g_ascii_strcasecmp (spelled, name) == 0)
        result = talloc_strdup (ctx, spelled);
    g_free (spelled);
    return result;
}

static const char *
parameter (void *ctx, GMimeContentType *type, const char *name)
{
    const char *value = type != NULL ? g_mime_content_type_get_parameter (type, name) : NULL;

    return value != NULL && *value != '\0' ? talloc_strdup (ctx, value) : NULL;
}

static bool
parameter_is (GMimeContentType *type, const char *name, const char *value)
{
    const char *given = type != NULL ? g_mime_content_type_get_parameter (type, name) : NULL;

    return given != NULL && g_ascii_strcasecmp (given, value) == 0;
}

/* A type in quotes, and one that lacks its second half, as they are meant. */
static char *
mended_type (void *ctx, char *value)
{
    static const char *const meant[][2] = {{"text/", "plain"}, {"multipart/", "mixed"}};
    size_t quoted = *value == '"' ? strcspn (value + 1, "\"") : 0, n;

    if (quoted > 0 && value[quoted + 1] == '"')
        value = talloc_asprintf (ctx, "%.*s%s", (int) quoted, value + 1, value + quoted + 2);
    for (size_t i = 0; i < G_N_ELEMENTS (meant); i++) {
        n = strlen (meant[i][0]);
        if (g_ascii_strncasecmp (value, meant[i][0], n) == 0 && strchr ("; \t", value[n]) != NULL)
            return talloc_asprintf (ctx, "%.*s%s%s", (int) n, value, meant[i][1], value + n);
    }
    return value;
}

/* NULL where there is none that can be read: then it is as if it were not there (RFC 2045 5.2).
 * GMime has application/octet-stream for such. */
static GMimeContentType *
parse_type (void *ctx, char *value)
{
    GMimeContentType *type;

    if (strchr (value, '/') == NULL || *value == '/')
        return NULL;
    prefer_extended (value, "name");
    value = mended_type (ctx, value);
    type = g_mime_content_type_parse (mime_parser_options (), value);
    if (g_mime_content_type_is_type (type, "application", "octet-stream") &&
        strcasestr (value, "octet-stream") == NULL)
        g_clear_object (&type);
    return type;
}

static void
read_type (struct mime_message *message, struct mail_part *part, struct mime_part *source,
           const char *raw, bool digest)
{
    void *temporary = talloc_new (message);
    GMimeContentType *type =
        raw != NULL ? parse_type (temporary, repaired (temporary, message, raw)) : NULL;

    part->type = type_name (message, type, digest && (raw == NULL || *raw == '\0'));
    part->spelled_type = spelled_type (message, type, part->type);
    part->filename = parameter (message, type, "name");
    part->charset = source->charset = parameter (message, type, "charset");
    source->boundary = parameter (message, type, "boundary");
    source->smime_type = parameter (message, type, "smime-type");
    source->protocol = parameter (message, type, "protocol");
    source->protects = parameter_is (type, "protected-headers", "v1");
    source->not_forwarded = parameter_is (type, "forwarded", "no");
    source->digest = type != NULL && g_mime_content_type_is_type (type, "multipart", "digest");
    source->delsp = parameter_is (type, "format", "flowed") && parameter_is (type, "delsp", "yes");
    g_clear_object (&type);
    talloc_free (temporary);
}

static void
read_disposition (struct mime_message *message, struct mail_part *part, const char *raw)
{
    GMimeContentDisposition *disposition;
    const char *kind, *name;
    char *value;

    if (raw == NULL)
        return;
    value = repaired (message, message, raw);
    prefer_extended (value, "filename");
    disposition = g_mime_content_disposition_parse (mime_parser_options (), value);
    kind = g_mime_content_disposition_get_disposition (disposition);
    name = g_mime_content_disposition_get_parameter (disposition, "filename");
    part->attachment = kind != NULL && g_ascii_strcasecmp (kind, "attachment") == 0;
    part->disposition = kind != NULL && *kind != '\0' ? mime_decode_text (message, kind) : NULL;
    if (name != NULL && *name != '\0')
        part->filename = talloc_strdup (message, name);
    g_object_unref (disposition);
    talloc_free (value);
}

/* Content-Transfer-Encoding is one word; what stands around it ("8bit;", quotes, a comment) is
 * passed over. */
static GMimeContentEncoding
read_encoding (const char *raw)
{
    char word[32];
    size_t length;

    if (raw == NULL)
        return GMIME_CONTENT_ENCODING_DEFAULT;
    while (*raw == '(') {
        raw += strcspn (raw, ")");
        raw += strspn (raw, ") \t");
    }
    raw += strspn (raw, "\"'");
    length = strcspn (raw, "; \t,\"'(");
    if (length >= sizeof (word))
        return GMIME_CONTENT_ENCODING_DEFAULT;
    memcpy (word, raw, length);
    word[length] = '\0';
    return g_mime_content_encoding_from_string (word);
}

bool
mime_encoding_is_identity (GMimeContentEncoding encoding)
{
    return encoding != GMIME_CONTENT_ENCODING_BASE64 &&
           encoding != GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE &&
           encoding != GMIME_CONTENT_ENCODING_UUENCODE;
}

bool
mime_type_is_message (const char *type)
{
    return strcmp (type, "message/rfc822") == 0 || strcmp (type, "message/rfc2822") == 0 ||
           strcmp (type, "message/global") == 0 || strcmp (type, "message/news") == 0;
}

/* What a part is, however deep it lies. */
static enum mail_part_kind
part_kind (const struct mail_part *part, const struct mime_part *source)
{
    if (g_str_has_prefix (part->type, "multipart/"))
        return source->boundary != NULL ? MAIL_PART_MULTIPART : MAIL_PART_LEAF;
    return mime_type_is_message (part->type) && mime_encoding_is_identity (source->encoding)
               ? MAIL_PART_MESSAGE
               : MAIL_PART_LEAF;
}

/* A container that contains nothing is text: a person sees what stands there. */
static void
make_leaf (struct mail_part *part)
{
    part->kind = MAIL_PART_LEAF;
    if (g_str_has_prefix (part->type, "multipart/"))
        part->type = part->spelled_type = "text/plain";
    part->text = g_str_has_prefix (part->type, "text/");
}

size_t
mime_part_append (struct mime_message *message)
{
    size_t count = message->part_count++, room = 2 * (count + 1);

    if ((count & (count + 1)) == 0) {
        message->parts = talloc_realloc (message, message->parts, struct mail_part, room);
        message->sources = talloc_realloc (message, message->sources, struct mime_part, room);
    }
    message->parts[count] = (struct mail_part){.number = (int) count + 1};
    message->sources[count] = (struct mime_part){.parent = SIZE_MAX};
    return count;
}

size_t
mime_part_open (struct mime_message *message, const struct mime_place *place)
{
    const struct mime_headers *headers = place->headers;
    const char *id = field (headers, "content-id");
    const char *encoding = field (headers, "content-transfer-encoding");
    size_t index = mime_part_append (message);
    struct mime_part *source = &message->sources[index];
    struct mail_part *part = &message->parts[index];

    part->depth = (int) place->depth;
    *source = (struct mime_part){
        .file = message->source,
        .header = place->header,
        .body = place->body,
        .end = place->body,
        .parent = place->parent,
    };
    read_type (message, part, source, field (headers, "content-type"), place->digest);
    read_disposition (message, part, field (headers, "content-disposition"));
    source->encoding = read_encoding (encoding);
    if (encoding != NULL && *encoding != '\0')
        part->encoding = mime_decode_text (message, encoding);
    if (part->filename != NULL)
        part->filename = mime_decode_text (message, part->filename);
    if (id != NULL)
        part->content_id = mime_message_id_scan (message, id);
    part->kind = part_kind (part, source);
    if (part->depth >= DEPTH_MAX && part->kind != MAIL_PART_LEAF) {
        message->too_deep = true;
        part->kind = MAIL_PART_LEAF;
    }
    if (part->kind == MAIL_PART_LEAF)
        make_leaf (part);
    if (message->charset == NULL && part->text && charset_label_known (source->charset))
        message->charset = source->charset;
    if (source->protects && field (headers, "subject") != NULL)
        source->subject = talloc_strdup (message, field (headers, "subject"));
    return index;
}

void
mime_part_extend (struct mime_message *message, size_t index, size_t end)
{
    struct mime_part *source = &message->sources[index];

    source->end = MAX (end, source->end);
    message->parts[index].length = source->end - source->body;
}

void
mime_part_close (struct mime_message *message, size_t index, size_t end)
{
    struct mail_part *part = &message->parts[index];

    part->end = message->part_count;
    mime_part_extend (message, index, end);
    if (part->kind == MAIL_PART_MULTIPART && part->end == index + 1)
        make_leaf (part);
}

/* ---- what types say ---- */

bool
mime_type_is (const struct mime_message *message, size_t index, const char *type)
{
    return index < message->part_count && strcmp (message->parts[index].type, type) == 0;
}

bool
mime_is_mixed_up (const struct mime_message *message, size_t index)
{
    return mime_type_is (message, index, "multipart/mixed") &&
           message->parts[index].end == index + 4 &&
           mime_type_is (message, index + 1, "text/plain") &&
           message->parts[index + 1].length == 0 &&
           mime_type_is (message, index + 2, "application/pgp-encrypted") &&
           mime_type_is (message, index + 3, "application/octet-stream");
}

static bool
is_encrypted (const struct mime_message *message, size_t index)
{
    return mime_type_is (message, index, "multipart/encrypted") ||
           mime_is_mixed_up (message, index);
}

bool
mime_is_smime (const struct mime_message *message, size_t index, const char *smime_type)
{
    const char *given = message->sources[index].smime_type;

    return given != NULL && g_ascii_strcasecmp (given, smime_type) == 0 &&
           (mime_type_is (message, index, "application/pkcs7-mime") ||
            mime_type_is (message, index, "application/x-pkcs7-mime"));
}

static bool
is_wrapping (const struct mime_message *message, size_t index)
{
    size_t parent = message->sources[index].parent;

    return parent != SIZE_MAX && !message->sources[index].clear &&
           (is_encrypted (message, parent) ||
            (mime_type_is (message, parent, "multipart/signed") && index != parent + 1));
}

bool
mime_message_limit (const struct mime_message *message, enum mail_reason *reason_out)
{
    *reason_out = message->too_deep         ? MAIL_REASON_TOO_DEEP
                  : message->too_many_parts ? MAIL_REASON_TOO_BIG
                                            : MAIL_REASON_TRUNCATED;
    return message->too_deep || message->too_many_parts || message->cut_header;
}

bool
mime_part_was_sealed (const struct mime_message *message, const struct mail_part *part)
{
    const struct mime_part *source = &message->sources[part->number - 1];

    return source->clear && is_encrypted (message, source->parent);
}

bool
mime_part_is_wrapping (const struct mime_message *message, const struct mail_part *part)
{
    return is_wrapping (message, (size_t) part->number - 1);
}

/* Signed, with the content inside; what turned out to be none is none. */
static bool
is_opaque (const struct mime_message *message, size_t index)
{
    return mime_is_smime (message, index, "signed-data") &&
           (message->sources[index].crypto == NULL ||
            message->parts[index].kind == MAIL_PART_OPENED);
}

void
mime_find_tags (struct mime_message *message)
{
    bool attachment = false, encrypted = false, is_signed = false;

    message->tag_count = 0;
    memset (message->tags, 0, sizeof (message->tags));

    for (size_t i = 0; i < message->part_count; i++) {
        if (message->parts[i].attachment && !is_wrapping (message, i))
            attachment = true;
        if (is_encrypted (message, i) || mime_is_smime (message, i, "enveloped-data") ||
            mime_is_smime (message, i, "authEnveloped-data"))
            encrypted = true;
        if (mime_type_is (message, i, "multipart/signed") || is_opaque (message, i))
            is_signed = true;
    }
    if (attachment)
        message->tags[message->tag_count++] = "attachment";
    if (encrypted)
        message->tags[message->tag_count++] = "encrypted";
    if (is_signed)
        message->tags[message->tag_count++] = "signed";
}

const struct mail_part *
mime_parts (struct mime_message *message, size_t *count_out)
{
    if (count_out != NULL)
        *count_out = message->part_count;
    return message->parts;
}

/* ---- headers of inner messages ---- */

struct mime_cached {
    struct mime_cached *next;
    int number;
    const char *name, *value;
};

const char *
mime_part_header (struct mime_message *message, const struct mail_part *part, const char *name)
{
    void *local;
    const char *raw;
    struct mime_cached *cached;

    for (cached = message->cached; cached != NULL; cached = cached->next)
        if (cached->number == part->number && g_ascii_strcasecmp (cached->name, name) == 0)
            return cached->value;
    local = talloc_new (message);
    raw = mime_header_joined (local, message, part, name);
    if (raw != NULL) {
        cached = talloc_zero (message, struct mime_cached);
        *cached = (struct mime_cached){message->cached, part->number, talloc_strdup (cached, name),
                                       mime_decode_field (cached, name, raw)};
        message->cached = cached;
    }
    talloc_free (local);
    return raw != NULL ? cached->value : NULL;
}
