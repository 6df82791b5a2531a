/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * references.c - message ids in Message-ID, References and In-Reply-To (RFC 5322 3.6.4).
 *
 * What stands between "<" and ">" is an id; blanks inside it come from folding and go. A long
 * thread names thousands of ids in one field: one pass, and a hash set to take each once.
 */
#include "mime/mime-private.h"
#include "schema.h"

#include <string.h>
#include <talloc.h>

/* The place after a comment, which may hold others; the end where it is not closed. */
static const char *
skip_comment (const char *p)
{
    int depth = 0;

    for (; *p != '\0'; p++) {
        if (*p == '\\' && p[1] != '\0')
            p++;
        else if (*p == '(')
            depth++;
        else if (*p == ')' && --depth == 0)
            return p + 1;
    }
    return p;
}

/* The next "<" that does not stand in a comment. */
static const char *
find_open (const char *p)
{
    while (*p != '\0' && *p != '<')
        p = *p == '(' ? skip_comment (p) : p + 1;
    return *p == '<' ? p : NULL;
}

/* Takes blanks out, which come from folding. Of several in a row every second stays: notmuch makes
 * it so, and tags are carried over from it by these ids. */
static size_t
strip_blanks (char *id, size_t length)
{
    size_t n = 0;
    bool stripped = false;

    for (size_t i = 0; i < length; i++) {
        stripped = !stripped && g_ascii_isspace (id[i]);
        if (!stripped)
            id[n++] = id[i];
    }
    return n;
}

/* The id that begins at "<"; it ends at ">" or with the text. NULL where it is empty. */
static char *
take_id (void *ctx, const char *open, const char **end_out)
{
    size_t length = strcspn (open + 1, ">");
    char *id = talloc_strndup (ctx, open + 1, length);

    *end_out = open + 1 + length + (open[1 + length] == '>');
    id[strip_blanks (id, length)] = '\0';
    if (id[strspn (id, " \t")] != '\0')
        return id;
    talloc_free (id);
    return NULL;
}

char *
mime_message_id_scan (void *ctx, const char *raw)
{
    char *text = mime_decode_text (ctx, raw), *id = NULL;
    const char *open = find_open (text), *end;

    if (open != NULL)
        id = take_id (ctx, open, &end);
    if (id == NULL && text[strspn (text, "<> \t")] != '\0')
        id = talloc_strdup (ctx, g_strstrip (text));
    talloc_free (text);
    return id;
}

/* ---- lists ---- */

struct scan {
    void *ctx;
    const char *own;
    GPtrArray *ids;
    GHashTable *seen; /* of the strings in ids */
    const char *last; /* id read, whether seen before or not */
};

static void
scan_add (struct scan *scan, char *id)
{
    if (strcmp (id, scan->own) == 0) {
        talloc_free (id);
        return;
    }
    if (!g_hash_table_contains (scan->seen, id)) {
        g_hash_table_add (scan->seen, id);
        g_ptr_array_add (scan->ids, id);
        scan->last = id;
        return;
    }
    scan->last = g_hash_table_lookup (scan->seen, id);
    talloc_free (id);
}

/* Adds all ids of a value; scan->last is the last of them, NULL where there are none. */
static void
scan_value (struct scan *scan, const char *raw)
{
    char *text = mime_decode_text (scan->ctx, raw);
    const char *p = text;

    scan->last = NULL;
    while ((p = find_open (p)) != NULL) {
        char *id = take_id (scan->ctx, p, &p);

        if (id != NULL)
            scan_add (scan, id);
    }
    talloc_free (text);
}

/* Whether the value is one "<id>" and nothing else. */
static bool
is_one_id (const char *raw)
{
    size_t n = strlen (raw);

    return n > 2 && raw[0] == '<' && raw[n - 1] == '>' && strcspn (raw + 1, "<> \t") == n - 2;
}

/* The ids as an array; of too many the first and the last. */
static void
keep_ids (struct scan *scan, struct mime_references *out)
{
    size_t count = scan->ids->len, kept = MIN (count, (size_t) REFERENCES_MAX);

    out->ids = talloc_array (scan->ctx, const char *, kept + 1);
    for (size_t i = 0; i < kept; i++)
        out->ids[i] = scan->ids->pdata[i == 0 ? 0 : count - kept + i];
    out->ids[kept] = NULL;
    out->count = kept;
}

void
mime_references_scan (void *ctx, const char *references, const char *in_reply_to, const char *own,
                      struct mime_references *out)
{
    struct scan scan = {ctx, own, g_ptr_array_new (), g_hash_table_new (g_str_hash, g_str_equal),
                        NULL};

    *out = (struct mime_references){0};
    if (references != NULL)
        scan_value (&scan, references);
    out->parent = scan.last;
    if (in_reply_to != NULL) {
        scan_value (&scan, in_reply_to);
        if (scan.last != NULL && (out->parent == NULL || is_one_id (in_reply_to)))
            out->parent = scan.last;
    }
    keep_ids (&scan, out);
    g_hash_table_destroy (scan.seen);
    g_ptr_array_free (scan.ids, TRUE);
}
