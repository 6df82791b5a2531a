/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * source-scan.c - looks a mail file through for lines that decide how it is parsed.
 *
 * A file in memory is one window. A larger one is read window by window, which overlap, so that a
 * line is whole in one of them; only mailboxes and large multiparts come to that.
 */
#include "mime/mime-private.h"
#include "schema.h"

#include <string.h>

#define WINDOW ((size_t) 1 << 20)
#define OVERLAP ((size_t) 4 << 10)
#define DASHES_MAX ((size_t) 5 * PARTS_MAX) /* lines that may be boundaries */

/* Told of each window; where it stands in the file, and whether what comes in its last OVERLAP
 * bytes will come again. True stops. */
typedef bool (*window_fn) (void *closure, const char *bytes, size_t length, size_t offset,
                           bool again);

static bool
each_window (const struct mime_source *source, int fd, size_t from, window_fn each, void *closure)
{
    char *window;
    bool stopped = false;
    ssize_t n;

    if (source->memory)
        return each (closure, source->head + from, source->size - from, from, false);
    window = g_malloc (WINDOW);
    do {
        n = mime_read_at (fd, window, WINDOW, from);
        stopped = n > 0 && each (closure, window, (size_t) n, from, n == (ssize_t) WINDOW);
        from += WINDOW - OVERLAP;
    } while (!stopped && n == (ssize_t) WINDOW);
    g_free (window);
    return stopped;
}

/* ---- mailboxes ---- */

/* A field name and its colon. */
static bool
is_field (const char *line, size_t length)
{
    size_t n = 0;

    while (n < length && line[n] > ' ' && line[n] < 0x7f && line[n] != ':')
        n++;
    return n > 0 && n < length && line[n] == ':';
}

/* A "From " line with a time of day, and a header field after it. */
static bool
is_separator (const char *line, size_t length)
{
    const char *end = memchr (line, '\n', length), *colon = line;

    if (end == NULL)
        return false;
    while ((colon = memchr (colon, ':', (size_t) (end - colon))) != NULL) {
        if (g_ascii_isdigit (colon[-1]) && g_ascii_isdigit (colon[1]))
            return is_field (end + 1, length - (size_t) (end + 1 - line));
        colon++;
    }
    return false;
}

/* A separator after an empty line. */
static bool
has_separator (const char *bytes, size_t length)
{
    const char *at = bytes, *end = bytes + length;

    while ((at = memmem (at, (size_t) (end - at), "\nFrom ", 6)) != NULL) {
        const char *before = at > bytes && at[-1] == '\r' ? at - 1 : at;

        if (before > bytes && before[-1] == '\n' && is_separator (at + 1, (size_t) (end - at - 1)))
            return true;
        at++;
    }
    return false;
}

static bool
on_separator (void *closure, const char *bytes, size_t length, size_t offset, bool again)
{
    (void) closure;
    (void) offset;
    (void) again;
    return has_separator (bytes, length);
}

bool
mime_scan_separator (const struct mime_source *source, int fd)
{
    return each_window (source, fd, 0, on_separator, NULL);
}

/* ---- boundaries ---- */

struct search {
    const char *line; /* how it begins, with the newline before it */
    size_t nth;       /* how many more there are to pass over */
    size_t found;
};

static bool
on_line (void *closure, const char *bytes, size_t length, size_t offset, bool again)
{
    struct search *search = closure;
    size_t n = strlen (search->line);
    const char *at = bytes, *end = bytes + length - (again ? OVERLAP - (n - 1) : 0);

    while (at < end && (at = memmem (at, (size_t) (end - at), search->line, n)) != NULL) {
        search->found = offset + (size_t) (at + 1 - bytes);
        if (search->nth-- == 0)
            return true;
        at++;
    }
    return false;
}

/* Where a line that begins so stands, the nth (from 0) of them; SIZE_MAX where there are less. */
static size_t
find_line (const struct mime_source *source, int fd, size_t from, const char *line, size_t nth)
{
    struct search search = {line, nth, 0};

    return each_window (source, fd, from, on_line, &search) ? search.found : SIZE_MAX;
}

void
mime_source_limit (struct mime_source *source, int fd, size_t body)
{
    size_t excess;

    if (body == 0 || source->size - body < 4 * DASHES_MAX)
        return;
    excess = find_line (source, fd, body - 1, "\n--", DASHES_MAX);
    source->size = MIN (source->size, excess);
}

size_t
mime_scan_boundary (const struct mime_source *source, int fd, size_t body, const char *boundary)
{
    char *line = g_strdup_printf ("\n--%.1000s", boundary); /* shorter than OVERLAP */
    size_t found = body > 0 ? find_line (source, fd, body - 1, line, 0) : SIZE_MAX;

    g_free (line);
    return found;
}
