/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * decode.c - the bytes of a part: a leaf's without their transfer encoding, anything else as it
 * lies in the file.
 *
 * All goes chunk by chunk, so that an attachment of a gigabyte takes no more memory than one of a
 * kilobyte. Decoders take what they can read and pass over the rest; nothing here fails.
 */
#include "mime/mime-private.h"

#include <string.h>
#include <talloc.h>

#define CHUNK ((size_t) 64 << 10)

/* ---- transfer encoding ---- */

struct decoder {
    GMimeContentEncoding encoding;
    GMimeEncoding state;
    gint base64_state; /* GLib's decoder can tell what a missing "=" leaves over */
    guint base64_save;
    struct mime_quoted quoted;
    char *out; /* talloc'd */
    size_t length, room;
};

static void
decoder_step (void *ctx, struct decoder *decoder, const char *in, size_t length)
{
    size_t most = g_mime_encoding_outlen (&decoder->state, length) + MIME_QUOTED_HELD;
    char *to;

    if (decoder->length + most > decoder->room) {
        decoder->room = 2 * decoder->room + most;
        decoder->out = talloc_realloc (ctx, decoder->out, char, decoder->room);
    }
    to = decoder->out + decoder->length;
    if (decoder->encoding == GMIME_CONTENT_ENCODING_BASE64)
        decoder->length += g_base64_decode_step (in, length, (guchar *) to, &decoder->base64_state,
                                                 &decoder->base64_save);
    else if (decoder->encoding == GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE)
        decoder->length += mime_quoted_step (&decoder->quoted, in, length, to);
    else
        decoder->length += g_mime_encoding_step (&decoder->state, in, length, to);
}

static void
decoder_end (void *ctx, struct decoder *decoder)
{
    if (decoder->base64_state > 0)
        decoder_step (ctx, decoder, "==", 2);
    if (decoder->quoted.count > 0) {
        decoder_step (ctx, decoder, "", 0); /* for the room */
        decoder->length += mime_quoted_end (&decoder->quoted, decoder->out + decoder->length);
    }
}

/* What stands before the first line of uuencoded data is not data. */
static size_t
uuencode_start (struct mime_bytes bytes)
{
    const char *begin = memmem (bytes.data, bytes.length, "begin ", 6), *newline;

    if (begin == NULL)
        return 0;
    newline = memchr (begin, '\n', bytes.length - (size_t) (begin - bytes.data));
    return newline != NULL ? (size_t) (newline + 1 - bytes.data) : bytes.length;
}

/* ---- chunks ---- */

/* A stretch of the file, from front to back. */
struct reader {
    const struct mime_source *source;
    size_t offset, end;
    char *buffer; /* NULL where the file lies in memory */
};

static struct reader
reader_begin (void *ctx, const struct mime_source *source, size_t offset, size_t end)
{
    return (struct reader){
        .source = source,
        .offset = offset,
        .end = MIN (end, source->size),
        .buffer = source->memory == NULL ? talloc_array (ctx, char, CHUNK) : NULL,
    };
}

/* The next chunk: where it lies in memory, or read into the buffer. Empty at the end. */
static struct mime_bytes
reader_next (struct reader *reader)
{
    size_t left = reader->offset < reader->end ? reader->end - reader->offset : 0;
    struct mime_bytes chunk = {reader->buffer, MIN (left, CHUNK)};

    if (reader->buffer == NULL)
        chunk.data = reader->source->memory + reader->offset;
    else
        chunk.length =
            mime_source_read (reader->source, reader->buffer, chunk.length, reader->offset);
    reader->offset += chunk.length;
    return chunk;
}

/* Decodes the next chunk, behind what the decoder has; false at the end. */
static bool
decode_next (void *ctx, struct reader *reader, struct decoder *decoder, bool first)
{
    struct mime_bytes in = reader_next (reader);
    size_t skip = 0;

    if (in.length == 0) {
        decoder_end (ctx, decoder);
        return false;
    }
    if (first && decoder->encoding == GMIME_CONTENT_ENCODING_UUENCODE)
        skip = uuencode_start (in);
    decoder_step (ctx, decoder, in.data + skip, in.length - skip);
    return true;
}

/* ---- bytes in memory ---- */

struct mime_bytes
mime_part_bytes (void *ctx, const struct mime_part *part, size_t cap)
{
    const struct mime_source *source = part->file;
    struct decoder decoder = {.encoding = part->encoding};
    struct reader reader;
    bool more = true, first = true;

    if (source->memory != NULL && part->end > source->size)
        return (struct mime_bytes){"", 0};
    if (source->memory != NULL && mime_encoding_is_identity (part->encoding))
        return (struct mime_bytes){source->memory + part->body, part->end - part->body};
    g_mime_encoding_init_decode (&decoder.state, part->encoding);
    for (reader = reader_begin (ctx, source, part->body, part->end); more && decoder.length < cap;
         first = false)
        more = decode_next (ctx, &reader, &decoder, first);
    if (more)
        decoder_end (ctx, &decoder);
    talloc_free (reader.buffer);
    return (struct mime_bytes){decoder.out != NULL ? decoder.out : "", decoder.length};
}

/* ---- bytes to somebody ---- */

static bool
write_decoded (void *ctx, const struct mime_part *part, struct mail_sink sink)
{
    struct decoder decoder = {.encoding = part->encoding};
    struct reader reader = reader_begin (ctx, part->file, part->body, part->end);
    bool more = true, first = true;

    g_mime_encoding_init_decode (&decoder.state, part->encoding);
    for (; more; first = false) {
        more = decode_next (ctx, &reader, &decoder, first);
        if (decoder.length > 0 && !sink.write (sink.closure, decoder.out, decoder.length))
            return false;
        decoder.length = 0;
    }
    return true;
}

static bool
write_stretch (void *ctx, const struct mime_source *source, size_t from, size_t to,
               struct mail_sink sink)
{
    struct reader reader = reader_begin (ctx, source, from, to);
    struct mime_bytes chunk;

    while ((chunk = reader_next (&reader)).length > 0)
        if (!sink.write (sink.closure, chunk.data, chunk.length))
            return false;
    return true;
}

static bool
is_blank (char c)
{
    return c == ' ' || c == '\t';
}

/* Of a message's header the fields that describe its body (RFC 2045 3), and the empty line. */
static bool
write_content_fields (void *ctx, const struct mime_source *source, const struct mime_part *part,
                      struct mail_sink sink)
{
    size_t length = part->body - part->header;
    char *block = talloc_array (ctx, char, length + 1), *line = block, *end;
    bool ok = true, wanted = false;

    length = mime_source_read (source, block, length, part->header);
    for (end = block + length; ok && line < end;) {
        char *newline = memchr (line, '\n', (size_t) (end - line));
        char *next = newline != NULL ? newline + 1 : end;

        if (!is_blank (*line))
            wanted = *line == '\n' || *line == '\r' ||
                     (end - line > 8 && g_ascii_strncasecmp (line, "content-", 8) == 0);
        if (wanted)
            ok = sink.write (sink.closure, line, (size_t) (next - line));
        line = next;
    }
    talloc_free (block);
    return ok;
}

static bool
is_body_of_message (const struct mime_message *message, const struct mime_part *part)
{
    return part->parent == SIZE_MAX || message->parts[part->parent].kind == MAIL_PART_MESSAGE;
}

bool
mime_part_write (const struct mime_message *message, const struct mail_part *part,
                 struct mail_sink sink)
{
    const struct mime_part *source = &message->sources[part->number - 1];
    void *local = talloc_new (NULL);
    size_t from = source->body;
    bool ok = true;

    if (part->kind == MAIL_PART_LEAF || part->kind == MAIL_PART_OPENED)
        ok = write_decoded (local, source, sink);
    else {
        if (part->kind == MAIL_PART_MULTIPART && is_body_of_message (message, source))
            ok = write_content_fields (local, source->file, source, sink);
        else if (part->kind == MAIL_PART_MULTIPART)
            from = source->header;
        ok = ok && write_stretch (local, source->file, from, source->end, sink);
    }
    talloc_free (local);
    return ok;
}
