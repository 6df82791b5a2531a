/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * charset-label.c - owns the names of character sets: what stands in labels, and what it stands
 * for.
 *
 * Labels are spelled in many ways, and some are used for a larger set than they name (gb2312 for
 * gb18030, ...): a table says which.
 */
#include "mime/charset.h"
#include "mime/charset-private.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

/* What stands in labels, normalised, and the set to read it in. NULL: the label says nothing. */
static const struct alias {
    const char *label, *name;
} aliases[] = {
    {"", NULL},
    {"646", NULL},
    {"8bit", NULL},
    {"ansi-x3.4-1968", NULL},
    {"ascii", NULL},
    {"big5", "BIG5-HKSCS"},
    {"default", NULL},
    {"euc-jp", "EUC-JP-MS"},
    {"euc-kr", "CP949"},
    {"gb-2312-80", "GB18030"},
    {"gb2312", "GB18030"},
    {"gbk", "GB18030"},
    {"iso-646", NULL},
    {"iso-8859-11", "CP874"},
    {"iso-8859-8-i", "ISO-8859-8"},
    {"ks-c-5601", "CP949"},
    {"ks-c-5601-1987", "CP949"},
    {"latin1", "ISO-8859-1"},
    {"none", NULL},
    {"shift-jis", "CP932"},
    {"sjis", "CP932"},
    {"tis-620", "CP874"},
    {"unicode-1-1-utf-7", "UTF-7"},
    {"unknown", NULL},
    {"unknown-8bit", NULL},
    {"us-ascii", NULL},
    {"utf8", "UTF-8"},
    {"x-gbk", "GB18030"},
    {"x-mac-roman", "MACINTOSH"},
    {"x-sjis", "CP932"},
    {"x-unknown", NULL},
    {"x-user-defined", NULL},
};

/* iso-8859-N and the windows set that its mail is in when it has bytes at 0x80-0x9F. */
static const char *const windows_of_iso[16] = {
    [1] = "CP1252", [2] = "CP1250", [4] = "CP1257", [5] = "CP1251",  [6] = "CP1256",
    [7] = "CP1253", [8] = "CP1255", [9] = "CP1254", [13] = "CP1257", [15] = "CP1252",
};

static int
alias_compare (const void *key, const void *element)
{
    return strcmp (key, ((const struct alias *) element)->label);
}

/* Lower case, "-" for "_", without what cannot stand in a name; "iso8859" as "iso-8859". */
static void
label_normalise (const char *label, char out[CHARSET_LABEL_MAX])
{
    size_t n = 0;

    if (g_ascii_strncasecmp (label, "iso8859", 7) == 0) {
        memcpy (out, "iso-8859", n = 8);
        label += 7;
    }
    for (; *label != '\0' && *label != '*' && n < CHARSET_LABEL_MAX - 1; label++) {
        if (g_ascii_isalnum (*label) || strchr ("-.:+", *label) != NULL)
            out[n++] = g_ascii_tolower (*label);
        else if (*label == '_')
            out[n++] = '-';
    }
    out[n] = '\0';
}

const char *
charset_label_name (const char *label, char buffer[CHARSET_LABEL_MAX])
{
    const struct alias *alias;

    if (label == NULL)
        return NULL;
    label_normalise (label, buffer);
    alias = bsearch (buffer, aliases, G_N_ELEMENTS (aliases), sizeof (aliases[0]), alias_compare);
    if (alias != NULL)
        return alias->name;
    return strcmp (buffer, "utf-8") == 0 ? "UTF-8" : buffer;
}

bool
charset_label_known (const char *label)
{
    char buffer[CHARSET_LABEL_MAX];

    return charset_label_name (label, buffer) != NULL;
}

const char *
charset_name_windows (const char *name)
{
    unsigned long n;

    if (g_ascii_strncasecmp (name, "iso-8859-", 9) != 0)
        return NULL;
    n = strtoul (name + 9, NULL, 10);
    return n < G_N_ELEMENTS (windows_of_iso) ? windows_of_iso[n] : NULL;
}

bool
charset_name_ascii_compatible (const char *name)
{
    return g_ascii_strncasecmp (name, "iso-2022", 8) != 0 &&
           g_ascii_strncasecmp (name, "utf-7", 5) != 0 &&
           g_ascii_strncasecmp (name, "utf-16", 6) != 0 &&
           g_ascii_strncasecmp (name, "utf-32", 6) != 0 &&
           g_ascii_strncasecmp (name, "hz", 2) != 0 && g_ascii_strncasecmp (name, "ucs", 3) != 0 &&
           g_ascii_strncasecmp (name, "ibm", 3) != 0 &&
           g_ascii_strncasecmp (name, "ebcdic", 6) != 0;
}
