/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hex.c - the encoding of words in batch files, dumps and the journal. */
#include "mailindex.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <talloc.h>

char *
mail_hex_encode (void *ctx, const char *text)
{
    char *encoded = talloc_array (ctx, char, 3 * strlen (text) + 1), *to = encoded;
    for (; *text; text++) {
        if (g_ascii_isalnum (*text) || strchr ("+-_@=.,", *text))
            *to++ = *text;
        else
            to += sprintf (to, "%%%02x", (unsigned char) *text);
    }
    *to = '\0';
    return encoded;
}

bool
mail_hex_decode (char *text)
{
    char *to = text;
    for (; *text; text++) {
        if (*text != '%') {
            *to++ = *text;
            continue;
        }
        int high = g_ascii_xdigit_value (text[1]);
        int low = high < 0 ? -1 : g_ascii_xdigit_value (text[2]);
        if (low < 0 || high + low == 0)
            return false;
        *to++ = (char) (high * 16 + low);
        text += 2;
    }
    *to = '\0';
    return true;
}
