/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * structure.c - owns the way from lines to parts: boundaries, part headers, inner messages.
 *
 * One pass over the file, with a stack of what is open: multiparts, with their boundaries, and
 * inner messages. Nothing is kept but offsets, and nothing recurses, so depth and size of a message
 * cost what the limits allow. (GMime's parser keeps what stands before and after the parts in
 * memory, makes objects of a kilobyte and a half for parts of five bytes, and overflows the stack
 * on addresses in inner messages.) Where mail is sound the parts are those that GMime finds; its
 * rules for boundaries are followed: blanks may stand after them, the innermost of equal ones
 * counts.
 */
#include "mime/lines.h"
#include "schema.h"

#include <string.h>
#include <talloc.h>

#define NONE SIZE_MAX
#define BOUNDARY_MAX ((size_t) LINE_KEPT - 8)

/* A multipart or an inner message that is open. */
struct level {
    size_t part;
    char *boundary;  /* NULL: an inner message */
    size_t shadowed; /* the level that had the same boundary before; NONE */
    bool digest;     /* parts are messages by default */
};

struct structure {
    struct mime_message *message;
    struct lines *lines;
    struct level *levels;
    size_t depth, room;
    GHashTable *boundaries; /* of open levels → level + 1 */
    size_t leaf;            /* the part whose body is being read; NONE */
    size_t closed;          /* the multipart whose last boundary was last; NONE */
    size_t header_bytes;    /* kept so far */
};

/* ---- levels ---- */

static void
push (struct structure *s, size_t part, const char *boundary, bool digest)
{
    struct level *level;

    if (s->depth == s->room) {
        s->room = 2 * s->room + 8;
        s->levels = talloc_realloc (s, s->levels, struct level, s->room);
    }
    level = &s->levels[s->depth++];
    *level = (struct level){part, NULL, NONE, digest};
    if (boundary == NULL)
        return;
    level->boundary = talloc_strdup (s->lines, boundary);
    g_strchomp (level->boundary);
    level->shadowed = GPOINTER_TO_SIZE (g_hash_table_lookup (s->boundaries, level->boundary)) - 1;
    g_hash_table_replace (s->boundaries, level->boundary, GSIZE_TO_POINTER (s->depth));
}

static void
pop (struct structure *s, size_t end)
{
    struct level *level = &s->levels[--s->depth];

    mime_part_close (s->message, level->part, end);
    if (level->boundary == NULL)
        return;
    if (level->shadowed != NONE)
        g_hash_table_replace (s->boundaries, s->levels[level->shadowed].boundary,
                              GSIZE_TO_POINTER (level->shadowed + 1));
    else
        g_hash_table_remove (s->boundaries, level->boundary);
    talloc_free (level->boundary);
}

/* Closes the leaf, and all levels above this depth; their bodies end here. */
static void
close_down_to (struct structure *s, size_t depth, size_t end)
{
    if (s->leaf != NONE)
        mime_part_close (s->message, s->leaf, end);
    s->leaf = NONE;
    while (s->depth > depth)
        pop (s, end);
}

/* ---- boundaries ---- */

/* The level whose boundary the line is; NONE for no boundary. */
static size_t
find_level (const struct structure *s, const struct line *line, bool *final_out)
{
    char key[BOUNDARY_MAX + 8];
    size_t length = line->length, found;

    while (length > 0 && g_ascii_isspace (line->text[length - 1]))
        length--;
    if (length < 3 || line->text[0] != '-' || line->text[1] != '-' || s->depth == 0 ||
        length - 2 > sizeof (key) - 1)
        return NONE;
    length -= 2;
    memcpy (key, line->text + 2, length);
    key[length] = '\0';
    *final_out = false;
    found = GPOINTER_TO_SIZE (g_hash_table_lookup (s->boundaries, key));
    if (found == 0 && length > 2 && key[length - 1] == '-' && key[length - 2] == '-') {
        key[length - 2] = '\0';
        *final_out = true;
        found = GPOINTER_TO_SIZE (g_hash_table_lookup (s->boundaries, key));
    }
    return found - 1;
}

/* Where the body before a boundary line ends: the line break belongs to the boundary. */
static size_t
end_before (const struct structure *s, size_t line_start, size_t body)
{
    char before[2];
    size_t end = line_start;

    if (end > body)
        end--;
    if (end > body && mime_source_read (s->lines->source, before, 1, end - 1) == 1 &&
        before[0] == '\r')
        end--;
    return end;
}

/* ---- headers ---- */

/* The header that begins here; NULL for none. The lines go on after it: after its empty line, or at
 * the boundary that ends it early, or, where there is no field in it, at its beginning. */
static struct mime_headers *
read_header (struct structure *s, void *ctx)
{
    size_t start = s->lines->offset, end = start, length;
    struct mime_headers *headers = NULL;
    struct line line;
    bool final, empty = false;
    char *copy = NULL;

    while (!empty && lines_next (s->lines, &line)) {
        empty = line_is_empty (&line);
        if (!empty && find_level (s, &line, &final) != NONE) {
            s->lines->offset = line.start;
            break;
        }
        end = line.end;
    }
    length = end - start;
    if (length == 0 || s->header_bytes + length > MIME_HEADER_BLOCK_MAX)
        return NULL;
    copy = talloc_array (ctx, char, length);
    length = mime_source_read (s->lines->source, copy, length, start);
    headers = mime_headers_parse (ctx, copy, length);
    talloc_free (copy);
    if (headers->count == 0 && !(empty && line.start == start))
        s->lines->offset = start;
    else if (headers->count > 0 && headers->body < length)
        s->lines->offset = start + headers->body;
    s->header_bytes += headers->count > 0 ? length : 0;
    return headers;
}

/* ---- parts ---- */

/* Opens the part whose header, at this offset, has been read, and what begins with its body. */
static void
open_part (struct structure *s, struct mime_headers *headers, size_t header)
{
    struct mime_place place = {
        .headers = headers,
        .header = header,
        .digest = s->depth > 0 && s->levels[s->depth - 1].digest,
    };

    for (;;) {
        const struct mime_part *source;
        size_t part;

        place.parent = s->depth > 0 ? s->levels[s->depth - 1].part : NONE;
        place.body = s->lines->offset;
        place.depth = s->depth;
        part = mime_part_open (s->message, &place);
        source = &s->message->sources[part];
        if (s->message->parts[part].kind == MAIL_PART_LEAF) {
            s->leaf = part;
            return;
        }
        if (s->message->parts[part].kind == MAIL_PART_MULTIPART) {
            push (s, part, source->boundary, source->digest);
            return;
        }
        push (s, part, NULL, false);
        place.header = s->lines->offset;
        place.digest = false;
        place.headers = s->message->sources[part].inner = read_header (s, s->message);
        if (s->message->part_count >= PARTS_MAX)
            return;
    }
}

/* What follows a multipart's last boundary, up to here, is the multipart's. */
static void
end_epilogue (struct structure *s, size_t end)
{
    if (s->closed != NONE)
        mime_part_extend (s->message, s->closed, end);
    s->closed = NONE;
}

/* A boundary line: closes what it closes; opens a part, unless it is the last or nothing follows.
 */
static void
on_boundary (struct structure *s, const struct line *line, size_t level, bool final)
{
    size_t last = s->leaf != NONE ? s->leaf : s->message->part_count - 1;
    size_t after =
        s->closed != NONE ? end_before (s, line->start, s->message->sources[s->closed].end) : 0;
    size_t end = end_before (s, line->start, s->message->sources[last].body);
    struct mime_headers *headers;
    size_t header = s->lines->offset;

    end_epilogue (s, after);
    close_down_to (s, level + 1, end);
    if (final || s->lines->offset >= s->lines->source->size) {
        size_t part = s->levels[level].part;
        bool empty = part + 1 == s->message->part_count;

        pop (s, empty ? end : line->end);
        s->closed = empty ? NONE : part;
        return;
    }
    headers = read_header (s, s->lines);
    open_part (s, headers, header);
    talloc_free (headers);
}

void
mime_structure (struct mime_message *message)
{
    struct structure *s = talloc_zero (NULL, struct structure);
    struct line line;
    size_t level, end;
    bool final;

    s->message = message;
    s->leaf = s->closed = NONE;
    s->boundaries = g_hash_table_new (g_str_hash, g_str_equal);
    s->lines = talloc (s, struct lines);
    lines_start (s->lines, s, message->source, message->headers->body);
    open_part (s, message->headers, message->source->start);
    while (g_hash_table_size (s->boundaries) > 0 && message->part_count < PARTS_MAX &&
           lines_next (s->lines, &line)) {
        level = find_level (s, &line, &final);
        if (level != NONE)
            on_boundary (s, &line, level, final);
    }
    end = message->part_count < PARTS_MAX ? message->source->size : s->lines->offset;
    message->too_many_parts = end < message->source->size;
    end_epilogue (s, end);
    close_down_to (s, 0, end);
    g_hash_table_destroy (s->boundaries);
    talloc_free (s);
}
