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
#include <iconv.h>
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

/* "iso8859-1", "ISO_8859-1:1987", "ISO88591", "8859_1": what stands behind the 8859; NULL where it
 * is no such name. */
static const char *
label_iso_8859 (const char *label)
{
    static const char *const starts[] = {"iso-8859", "iso_8859", "iso8859", "8859_"};

    for (size_t i = 0; i < G_N_ELEMENTS (starts); i++) {
        size_t n = strlen (starts[i]);

        if (g_ascii_strncasecmp (label, starts[i], n) == 0)
            return label + n + strspn (label + n, "-_");
    }
    return NULL;
}

/* Lower case, without what cannot stand in a name, up to a comment or another parameter; line
 * stands for "_". The sets of ISO 8859 have one spelling. */
static void
label_normalise (const char *label, char line, char out[CHARSET_LABEL_MAX])
{
    const char *part = label_iso_8859 (label);
    size_t n = 0;

    if (part != NULL) {
        memcpy (out, "iso-8859-", n = 9);
        label = part;
    }
    for (; (part == NULL || *label != ':') && *label != '\0' && strchr ("*;,", *label) == NULL &&
           strncmp (label, " (", 2) != 0 && n < CHARSET_LABEL_MAX - 1;
         label++) {
        if (g_ascii_isalnum (*label) || strchr ("-.:+", *label) != NULL)
            out[n++] = g_ascii_tolower (*label);
        else if (*label == '_')
            out[n++] = line;
    }
    out[n] = '\0';
}

static bool
is_known (const char *name)
{
    iconv_t handle = iconv_open ("UTF-8", name);

    if (handle == (iconv_t) -1)
        return false;
    iconv_close (handle);
    return true;
}

/* Some names are known to iconv with "_" only. */
static void
label_underscores (const char *label, char out[CHARSET_LABEL_MAX])
{
    if (strchr (label, '_') != NULL && !is_known (out))
        label_normalise (label, '_', out);
}

const char *
charset_label_name (const char *label, char buffer[CHARSET_LABEL_MAX])
{
    const struct alias *alias;

    if (label == NULL)
        return NULL;
    label_normalise (label, '-', buffer);
    alias = bsearch (buffer, aliases, G_N_ELEMENTS (aliases), sizeof (aliases[0]), alias_compare);
    if (alias != NULL)
        return alias->name;
    label_underscores (label, buffer);
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
charset_name_single_byte (const char *name)
{
    static const char *const usual[] = {"iso-8859-", "windows-125", "cp125", "koi8-"};

    for (size_t i = 0; i < G_N_ELEMENTS (usual); i++)
        if (g_ascii_strncasecmp (name, usual[i], strlen (usual[i])) == 0)
            return true;
    return false;
}

bool
charset_name_ascii_compatible (const char *name)
{
    static const char japanese[] = "\033$B!!\033(B";
    char all[0x7f + sizeof japanese], read[4 * sizeof all], *in = all, *out = read;
    size_t left = sizeof all, room = sizeof read;
    iconv_t handle;

    if (charset_name_single_byte (name))
        return true;
    handle = iconv_open ("UTF-8", name);
    if (handle == (iconv_t) -1)
        return true;
    /* control characters among them: they begin what is not ASCII in many sets */
    for (size_t i = 0; i < 0x7f; i++)
        all[i] = (char) (i + 1);
    memcpy (all + 0x7f, japanese, sizeof japanese);
    left = iconv (handle, &in, &left, &out, &room) == 0 ? left : 1;
    iconv_close (handle);
    return left == 0 && out - read == sizeof all && memcmp (read, all, sizeof all) == 0;
}
