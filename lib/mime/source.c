/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * source.c - a mail file as bytes that can be read anywhere.
 *
 * Most mail is some kilobytes: it is read with one call and stays in memory with its message. Of a
 * large file a duplicate of the descriptor is kept, and what is asked for is read from there. gzip
 * files are unpacked. What stands before the header (byte order mark, mbox "From " line) is passed
 * over here, and CR-only line ends are mended.
 */
#include "mime/mime-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <unistd.h>

#define WINDOW ((size_t) 1 << 20)    /* bytes read together of what is read as a whole */
#define GZIP_MAX ((size_t) 64 << 20) /* bytes unpacked */
#define GZIP_STEP 16384
#define HEAD 16384 /* bytes of a large file that show its line ends */

static int
source_destructor (struct mime_source *source)
{
    if (source->fd >= 0)
        close (source->fd);
    g_free (source->memory);
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

/* ---- CR as line end ---- */

/* A CR that belongs to no CRLF; at the end of what was read it counts as one. */
static bool
is_lone_cr (const char *p, const char *end)
{
    return *p == '\r' && (p + 1 == end || p[1] != '\n');
}

static void
mend_line_ends (char *bytes, size_t length)
{
    char *end = bytes + length;

    for (char *p = bytes; (p = memchr (p, '\r', (size_t) (end - p))) != NULL; p++)
        if (is_lone_cr (p, end))
            *p = '\n';
}

/* Whether CR is the line end: the first one that is known to end the header, or any where there is
 * no LF. (CRCRLF is a CRLF that was made one twice.) */
static bool
ends_lines_with_cr (const char *bytes, size_t length)
{
    const char *newline = memchr (bytes, '\n', length), *empty;

    if (newline == NULL)
        return memchr (bytes, '\r', length) != NULL;
    empty = memmem (bytes, (size_t) (newline - bytes), "\r\r", 2);
    return empty != NULL && empty + 2 != newline;
}

/* ---- reading ---- */

size_t
mime_source_read (const struct mime_source *source, char *to, size_t length, size_t offset)
{
    ssize_t n;

    if (offset >= source->size)
        return 0;
    length = MIN (length, source->size - offset);
    if (source->memory != NULL) {
        memcpy (to, source->memory + offset, length);
        return length;
    }
    n = mime_read_at (source->fd, to, length, offset);
    if (n > 0 && source->lone_cr)
        mend_line_ends (to, (size_t) n);
    return n > 0 ? (size_t) n : 0;
}

/* ---- in memory ---- */

static void
mend_memory (struct mime_source *source)
{
    if (ends_lines_with_cr (source->memory, source->size))
        mend_line_ends (source->memory, source->size);
}

static bool
open_memory (struct mime_source *source, int fd)
{
    ssize_t n;

    source->memory = g_malloc (source->size + 1);
    n = mime_read_at (fd, source->memory, source->size, 0);
    if (n < 0)
        return false;
    source->size = (size_t) n;
    mend_memory (source);
    return true;
}

/* ---- compressed ---- */

static bool
is_gzip (int fd)
{
    char magic[3];

    return mime_read_at (fd, magic, 3, 0) == 3 && memcmp (magic, "\037\213\010", 3) == 0;
}

/* Unpacks a gzip file (RFC 1952); of a damaged one what there is. False with errno, or with 0 where
 * the sink wanted no more. */
static bool
unpack (int fd, struct mail_sink sink)
{
    int own = fcntl (fd, F_DUPFD_CLOEXEC, 0);
    GMimeStream *file, *unpacked;
    GMimeFilter *filter;
    char buffer[GZIP_STEP];
    bool ok = own >= 0;
    ssize_t n;

    if (!ok)
        return false;
    mime_init ();
    file = g_mime_stream_fs_new_with_bounds (own, 0, -1);
    unpacked = g_mime_stream_filter_new (file);
    filter = g_mime_filter_gzip_new (GMIME_FILTER_GZIP_MODE_UNZIP, 0);
    g_mime_stream_filter_add (GMIME_STREAM_FILTER (unpacked), filter);
    while (ok && (n = g_mime_stream_read (unpacked, buffer, sizeof (buffer))) > 0)
        ok = sink.write (sink.closure, buffer, (size_t) n);
    g_object_unref (filter);
    g_object_unref (unpacked);
    g_object_unref (file);
    errno = 0;
    return ok;
}

static bool
append (void *closure, const char *bytes, size_t length)
{
    GByteArray *all = closure;

    g_byte_array_append (all, (const guint8 *) bytes, (guint) length);
    return all->len < GZIP_MAX;
}

/* Up to GZIP_MAX bytes. */
static bool
open_gzip (struct mime_source *source, int fd)
{
    GByteArray *bytes = g_byte_array_sized_new (GZIP_STEP);

    if (!unpack (fd, (struct mail_sink){append, bytes}) && errno != 0) {
        g_byte_array_free (bytes, TRUE);
        return false;
    }
    source->size = bytes->len;
    source->memory = (char *) g_byte_array_free (bytes, FALSE);
    mend_memory (source);
    return true;
}

static bool
copy (int fd, struct mail_sink sink)
{
    char *window = g_malloc (WINDOW);
    size_t offset = 0;
    bool ok = true;
    ssize_t n = 0;
    int error;

    while (ok && (n = mime_read_at (fd, window, WINDOW, offset)) > 0) {
        ok = sink.write (sink.closure, window, (size_t) n);
        offset += (size_t) n;
    }
    error = n < 0 ? errno : 0;
    g_free (window);
    errno = error;
    return ok && n == 0;
}

bool
mime_file_write (int fd, struct mail_sink sink)
{
    return is_gzip (fd) ? unpack (fd, sink) : copy (fd, sink);
}

/* ---- in the file ---- */

static bool
open_file (struct mime_source *source, int fd)
{
    char head[HEAD];
    ssize_t n = mime_read_at (fd, head, sizeof (head), 0);

    source->lone_cr = n > 0 && ends_lines_with_cr (head, (size_t) n);
    source->fd = fcntl (fd, F_DUPFD_CLOEXEC, 0);
    return source->fd >= 0;
}

/* ---- what stands before the header ---- */

static bool
starts_with (const char *bytes, size_t length, const char *prefix)
{
    size_t n = strlen (prefix);

    return length >= n && memcmp (bytes, prefix, n) == 0;
}

/* Bytes of the marks at the front: programs that join files leave several. */
static size_t
skip_marks (const char *bytes, size_t length)
{
    size_t n = 0;

    while (starts_with (bytes + n, length - n, "\357\273\277"))
        n += 3;
    return n;
}

static void
find_start (struct mime_source *source)
{
    char head[4096], *newline;
    size_t length = mime_source_read (source, head, sizeof (head), 0);
    size_t start = skip_marks (head, length);

    source->mailbox = starts_with (head + start, length - start, "From ");
    if (source->mailbox || starts_with (head + start, length - start, ">From ")) {
        newline = memchr (head + start, '\n', length - start);
        start = newline != NULL ? (size_t) (newline + 1 - head) : length;
        start += skip_marks (head + start, length - start);
    }
    source->start = start;
}

enum mail_status
mime_source_open (void *ctx, int fd, size_t memory_limit, struct mime_source **source_out,
                  char **error_out)
{
    struct mime_source *source = talloc_zero (ctx, struct mime_source);
    const char *reason = NULL;
    struct stat st;
    bool done;

    source->fd = -1;
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
    find_start (source);
    *source_out = source;
    return MAIL_OK;
failed:
    if (error_out != NULL)
        *error_out = talloc_asprintf (ctx, "cannot read: %s", reason);
    talloc_free (source);
    return MAIL_ERROR_IO;
}

struct mime_source *
mime_source_entity (void *ctx, int fd)
{
    struct mime_source *source = talloc_zero (ctx, struct mime_source);
    struct stat st;
    bool done = false;

    source->fd = -1;
    talloc_set_destructor (source, source_destructor);
    if (fstat (fd, &st) == 0 && S_ISREG (st.st_mode)) {
        source->size = (size_t) st.st_size;
        done =
            source->size <= MIME_MEMORY_LIMIT ? open_memory (source, fd) : open_file (source, fd);
    }
    if (!done)
        TALLOC_FREE (source);
    return source;
}

struct mime_source *
mime_source_bytes (void *ctx, struct mime_bytes bytes)
{
    struct mime_source *source = talloc_zero (ctx, struct mime_source);

    source->fd = -1;
    talloc_set_destructor (source, source_destructor);
    source->memory = g_memdup2 (bytes.data, bytes.length);
    source->size = bytes.length;
    mend_memory (source);
    return source;
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
