/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * charset-wide.c - tells text in UTF-16 and UTF-32 from text that is only called so.
 *
 * Its blanks and line ends have a NUL byte in them, and no other text has: that shows what it is,
 * and in which order the bytes stand, whatever the label says.
 */
#include "mime/charset-private.h"

#include <glib.h>
#include <string.h>

static bool
has_mark (const char *bytes, size_t length)
{
    return length >= 2 &&
           (memcmp (bytes, "\377\376", 2) == 0 || memcmp (bytes, "\376\377", 2) == 0);
}

static bool
is_wide (const char *name)
{
    return g_ascii_strncasecmp (name, "utf-16", 6) == 0 ||
           g_ascii_strncasecmp (name, "utf-32", 6) == 0 ||
           g_ascii_strncasecmp (name, "ucs-", 4) == 0;
}

/* UTF-16 without a mark: the half of the ASCII characters that is NUL comes first, or second. */
static const char *
utf16_order (const char *bytes, size_t length)
{
    size_t nul[2] = {0, 0};

    for (size_t i = 0; i < length; i++)
        nul[i & 1] += bytes[i] == '\0';
    return nul[0] > nul[1] ? "UTF-16BE" : nul[1] > nul[0] ? "UTF-16LE" : "UTF-16";
}

/* Text called wide that is not: it has line ends or, if it is UTF-8, blanks, and no NUL. */
static bool
is_narrow (const char *bytes, size_t length)
{
    return memchr (bytes, '\n', length) != NULL ||
           (memchr (bytes, ' ', length) != NULL && g_utf8_validate (bytes, (gssize) length, NULL));
}

const char *
charset_settle_wide (const char *name, const char *bytes, size_t length)
{
    bool nul;

    if ((name == NULL || !is_wide (name)) && !has_mark (bytes, length))
        return name;
    nul = memchr (bytes, '\0', length) != NULL;
    if (name == NULL || !is_wide (name))
        return !nul                                                ? name
               : length >= 4 && memcmp (bytes + 2, "\0\0", 2) == 0 ? "UTF-32"
                                                                   : "UTF-16";
    if (has_mark (bytes, length))
        return name;
    if (!nul && is_narrow (bytes, length))
        return NULL;
    return g_ascii_strcasecmp (name, "utf-16") == 0 && nul ? utf16_order (bytes, length) : name;
}
