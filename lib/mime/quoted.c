/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * quoted.c - owns the decoding of quoted-printable (RFC 2045 6.7).
 *
 * Not GMime's, because servers add blanks at the end of lines: RFC 2045 has a decoder take them
 * away, and where that is not done a "=" before them joins nothing, and a word stays in two pieces.
 * What is no escape stays as it is, and so does a row of "=", which people draw as a line.
 */
#include "mime/mime-private.h"

#include <string.h>

static bool
is_blank (char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Whether the byte goes on with what is held; if it ends it, that is decoded. */
static bool
hold (struct mime_quoted *quoted, char c, char **out)
{
    char *held = quoted->held;

    if (quoted->count == 1 && g_ascii_isxdigit (c)) {
        held[quoted->count++] = c;
        return true;
    }
    if (quoted->count == 2 && g_ascii_isxdigit (held[1])) {
        if (!g_ascii_isxdigit (c))
            return false;
        *(*out)++ = (char) (g_ascii_xdigit_value (held[1]) * 16 + g_ascii_xdigit_value (c));
        quoted->count = 0;
        return true;
    }
    if (c == '\n')
        quoted->count = 0;
    else if (is_blank (c) && quoted->count < sizeof (quoted->held))
        held[quoted->count++] = c;
    else
        return false;
    return true;
}

size_t
mime_quoted_step (struct mime_quoted *quoted, const char *in, size_t length, char *out)
{
    char *start = out;

    for (const char *end = in + length; in < end; in++) {
        if (quoted->count > 0 && hold (quoted, *in, &out))
            continue;
        quoted->row = *in == '=' && (quoted->row || quoted->count == 1);
        out = mempcpy (out, quoted->held, quoted->count);
        quoted->count = 0;
        if (*in == '=' && !quoted->row)
            quoted->held[quoted->count++] = '=';
        else
            *out++ = *in;
    }
    return (size_t) (out - start);
}

size_t
mime_quoted_end (struct mime_quoted *quoted, char *out)
{
    size_t n = quoted->count;

    while (n > 1 && is_blank (quoted->held[n - 1]))
        n--;
    if (n == 1)
        return 0; /* a line that goes on beyond the end */
    memcpy (out, quoted->held, quoted->count);
    return quoted->count;
}
