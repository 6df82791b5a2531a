/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * source.c - a mail file's descriptor as bytes for the parser.
 *
 * Most mail is some kilobytes: it is read with one call, and lies in memory while it is parsed. Of
 * a large file only the header is read; its bodies stay in the file, of which a duplicate of the
 * descriptor is kept. gzip files are unpacked. What stands before the header (byte order mark, mbox
 * "From " line) is passed over here, and CR-only line ends are mended, as far as the file is in
 * memory.
 */
#include "mime/mime-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <unistd.h>

#define WINDOW ((size_t) 1 << 20)    /* bytes read together for a checksum */
#define GZIP_MAX ((size_t) 64 << 20) /* bytes unpacked */
#define GZIP_STEP 16384

static int
source_destructor (struct mime_source *source)
{
    if (source->stream != NULL)
        g_object_unref (source->stream);
    if (!source->memory)
        g_free (source->head);
    return 0;
}

ssize_t
mime_read_at (int fd, char *to, size_t length, size_t offset)
{
    size_t done = 0;

    while (done < length) {
        ssize_t n = pread (fd, to + done, length - done, (off_t) (offset + done));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        done += (size_t) n;
    }
    return (ssize_t) done;
}

/* ---- in memory ---- */

/* A file that knows CR only as line end. */
static void
mend_line_ends (char *bytes, size_t length)
{
    if (memchr (bytes, '\r', length) == NULL || memchr (bytes, '\n', length) != NULL)
        return;
    for (size_t i = 0; i < length; i++)
        if (bytes[i] == '\r')
            bytes[i] = '\n';
}

static void
use_memory (struct mime_source *source, GByteArray *bytes)
{
    source->head = (char *) bytes->data;
    source->size = source->head_length = bytes->len;
    mend_line_ends (source->head, source->size);
}

static bool
open_memory (struct mime_source *source, int fd)
{
    GByteArray *bytes = g_byte_array_sized_new ((guint) source->size + 1);
    ssize_t n;

    g_byte_array_set_size (bytes, (guint) source->size);
    source->stream = g_mime_stream_mem_new_with_byte_array (bytes);
    g_mime_stream_mem_set_owner (GMIME_STREAM_MEM (source->stream), TRUE);
    source->memory = true;
    n = mime_read_at (fd, (char *) bytes->data, source->size, 0);
    if (n < 0)
        return false;
    g_byte_array_set_size (bytes, (guint) n);
    use_memory (source, bytes);
    return true;
}

/* ---- compressed ---- */

static bool
is_gzip (int fd)
{
    char magic[3];

    return mime_read_at (fd, magic, 3, 0) == 3 && memcmp (magic, "\037\213\010", 3) == 0;
}

/* Unpacks a gzip file (RFC 1952) into memory, up to GZIP_MAX bytes. */
static bool
open_gzip (struct mime_source *source, int fd)
{
    int own = fcntl (fd, F_DUPFD_CLOEXEC, 0);
    GByteArray *bytes = g_byte_array_sized_new (GZIP_STEP);
    GMimeStream *file, *unpacked;
    GMimeFilter *filter;
    char buffer[GZIP_STEP];
    ssize_t n;

    source->stream = g_mime_stream_mem_new_with_byte_array (bytes);
    g_mime_stream_mem_set_owner (GMIME_STREAM_MEM (source->stream), TRUE);
    source->memory = true;
    if (own < 0)
        return false;
    file = g_mime_stream_fs_new_with_bounds (own, 0, (gint64) source->size);
    unpacked = g_mime_stream_filter_new (file);
    filter = g_mime_filter_gzip_new (GMIME_FILTER_GZIP_MODE_UNZIP, 0);
    g_mime_stream_filter_add (GMIME_STREAM_FILTER (unpacked), filter);
    while (bytes->len < GZIP_MAX &&
           (n = g_mime_stream_read (unpacked, buffer, sizeof (buffer))) > 0)
        g_byte_array_append (bytes, (guint8 *) buffer, (guint) n);
    g_object_unref (filter);
    g_object_unref (unpacked);
    g_object_unref (file);
    use_memory (source, bytes);
    return true;
}

/* ---- in the file ---- */

/* Whether the header ends within these bytes. */
static bool
has_header_end (const char *bytes, size_t length)
{
    return memmem (bytes, length, "\n\n", 2) != NULL || memmem (bytes, length, "\n\r\n", 3) != NULL;
}

static bool
read_head (struct mime_source *source, int fd)
{
    size_t room = (size_t) 64 << 10;

    for (;; room *= 2) {
        ssize_t n;

        source->head = g_realloc (source->head, room);
        n = mime_read_at (fd, source->head, room, 0);
        if (n < 0)
            return false;
        source->head_length = (size_t) n;
        if ((size_t) n < room || room >= MIME_HEADER_BLOCK_MAX ||
            has_header_end (source->head, (size_t) n))
            return true;
    }
}

static bool
open_file (struct mime_source *source, int fd)
{
    int own = fcntl (fd, F_DUPFD_CLOEXEC, 0);

    if (own < 0)
        return false;
    source->stream = g_mime_stream_fs_new_with_bounds (own, 0, (gint64) source->size);
    return read_head (source, fd);
}

/* ---- what stands before the header ---- */

static bool
starts_with (const char *bytes, size_t length, const char *prefix)
{
    size_t n = strlen (prefix);

    return length >= n && memcmp (bytes, prefix, n) == 0;
}

static void
find_start (struct mime_source *source, int fd)
{
    const char *head = source->head, *newline;
    size_t length = source->head_length;

    if (starts_with (head, length, "\357\273\277"))
        source->start = 3;
    head += source->start;
    length -= source->start;
    source->mailbox = starts_with (head, length, "From ");
    if (!source->mailbox && !starts_with (head, length, ">From "))
        return;
    newline = memchr (head, '\n', length);
    source->start += newline != NULL ? (size_t) (newline + 1 - head) : length;
    if (source->mailbox)
        source->several = mime_scan_separator (source, fd);
}

enum mail_status
mime_source_open (void *ctx, int fd, size_t memory_limit, struct mime_source **source_out,
                  char **error_out)
{
    struct mime_source *source = talloc_zero (ctx, struct mime_source);
    const char *reason = NULL;
    struct stat st;
    bool done;

    talloc_set_destructor (source, source_destructor);
    if (fstat (fd, &st) != 0)
        reason = strerror (errno);
    else if (!S_ISREG (st.st_mode))
        reason = "not a regular file";
    if (reason != NULL)
        goto failed;
    source->size = (size_t) st.st_size;
    if (is_gzip (fd))
        done = open_gzip (source, fd);
    else
        done = source->size <= memory_limit ? open_memory (source, fd) : open_file (source, fd);
    if (!done) {
        reason = strerror (errno);
        goto failed;
    }
    find_start (source, fd);
    *source_out = source;
    return MAIL_OK;
failed:
    if (error_out != NULL)
        *error_out = talloc_asprintf (ctx, "cannot read: %s", reason);
    talloc_free (source);
    return MAIL_ERROR_IO;
}

/* ---- for the parser ---- */

static GMimeStream *
join (GMimeStream *first, GMimeStream *second)
{
    GMimeStream *both = g_mime_stream_cat_new ();

    g_mime_stream_cat_add_source (GMIME_STREAM_CAT (both), first);
    g_mime_stream_cat_add_source (GMIME_STREAM_CAT (both), second);
    g_object_unref (first);
    g_object_unref (second);
    return both;
}

GMimeStream *
mime_source_part (struct mime_source *source, const char *header, size_t length, size_t body)
{
    GMimeStream *first;

    if (source->memory && body < source->size && length < body) {
        /* The lines come from before the body: there is room for them just in front of it. */
        memmove (source->head + body - length - 1, header, length);
        source->head[body - 1] = '\n';
        return g_mime_stream_substream (source->stream, (gint64) (body - length - 1),
                                        (gint64) source->size);
    }
    first = g_mime_stream_mem_new_with_buffer (header, length);
    g_mime_stream_seek (first, 0, GMIME_STREAM_SEEK_END);
    g_mime_stream_write (first, "\n", 1);
    g_mime_stream_reset (first);
    if (body >= source->size)
        return first;
    return join (first,
                 g_mime_stream_substream (source->stream, (gint64) body, (gint64) source->size));
}

char *
mime_file_sha1 (void *ctx, int fd)
{
    GChecksum *sum = g_checksum_new (G_CHECKSUM_SHA1);
    char *window = g_malloc (WINDOW), *hex = NULL;
    size_t offset = 0;
    ssize_t n;

    while ((n = mime_read_at (fd, window, WINDOW, offset)) > 0) {
        g_checksum_update (sum, (guchar *) window, n);
        offset += (size_t) n;
    }
    if (n == 0)
        hex = talloc_strdup (ctx, g_checksum_get_string (sum));
    g_free (window);
    g_checksum_free (sum);
    return hex;
}
