/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * address.c - address fields (RFC 5322 3.4) as names and addresses, or as one line to read.
 *
 * Plain forms are read by address-plain.c; GMime gets the rest: groups, comments, escapes, routes,
 * anything odd. What is encoded is taken out before it parses and put back, decoded, into names
 * only: so no decoded "," or "<a@b>" is ever syntax.
 */
#include "mime/address-private.h"
#include "mime/mime-private.h"
#include "mime/rfc2047.h"

#include <stdlib.h>
#include <string.h>
#include <talloc.h>

/* ---- what is encoded ---- */

struct protected
{
    GString *text; /* valid UTF-8 */
    GArray *runs;  /* struct encoded_run */
};

static void
protect (const char *raw, struct protected *out)
{
    struct encoded_run run;

    out->text = g_string_new (NULL);
    out->runs = g_array_new (FALSE, FALSE, sizeof (run));
    while (rfc2047_next (raw, &run)) {
        rfc2047_plain (raw, (size_t) (run.start - raw), out->text);
        g_string_append_printf (out->text, MARK_OPEN "%u" MARK_CLOSE, out->runs->len);
        g_array_append_val (out->runs, run);
        raw = run.end;
    }
    rfc2047_plain (raw, strlen (raw), out->text);
}

static void
unprotect (struct protected *protected)
{
    g_string_free (protected->text, TRUE);
    g_array_free (protected->runs, TRUE);
}

/* The run that a mark stands for; NULL where this is no mark. */
static const struct encoded_run *
marked_run (const struct protected *protected, const char *mark, const char **end_out)
{
    char *end;
    unsigned long n = strtoul (mark + strlen (MARK_OPEN), &end, 10);

    if (strncmp (end, MARK_CLOSE, strlen (MARK_CLOSE)) != 0 || n >= protected->runs->len)
        return NULL;
    *end_out = end + strlen (MARK_CLOSE);
    return &g_array_index (protected->runs, struct encoded_run, n);
}

static const char *
find_mark (const char *text)
{
    for (; *text != '\0'; text++)
        if (*text == MARK_OPEN[0] && strncmp (text, MARK_OPEN, strlen (MARK_OPEN)) == 0)
            return text;
    return NULL;
}

/* Puts back what marks stand for: decoded, or as it was. */
static char *
restore (void *ctx, const struct protected *protected, const char *text, bool decode)
{
    GString *out = g_string_new (NULL);
    const char *mark, *end;
    char *result;

    while ((mark = find_mark (text)) != NULL) {
        const struct encoded_run *run = marked_run (protected, mark, &end);

        g_string_append_len (out, text, mark - text);
        if (run == NULL)
            g_string_append_len (out, mark, (gssize) strlen (MARK_OPEN));
        else if (decode)
            rfc2047_decode (run, out);
        else
            g_string_append_len (out, run->start, run->end - run->start);
        text = run != NULL ? end : mark + strlen (MARK_OPEN);
    }
    g_string_append (out, text);
    g_strstrip (out->str);
    result = mime_line (ctx, out->str, strlen (out->str));
    g_string_free (out, TRUE);
    return result;
}

/* ---- lists ---- */

struct entry *
entries_add (void *ctx, struct entries *entries, enum entry_kind kind)
{
    if ((entries->count & (entries->count + 1)) == 0)
        entries->list = talloc_realloc (ctx, entries->list, struct entry, 2 * (entries->count + 1));
    entries->list[entries->count] = (struct entry){kind, "", ""};
    return &entries->list[entries->count++];
}

/* "Some [odd] name <a@b>": one address in whose name GMime finds a fault. */
static bool
loose_address (const char *text, struct piece *name, struct piece *address)
{
    const char *open = strchr (text, '<'), *end;

    if (open == NULL)
        return false;
    end = address_plain_spec (open + 1, address);
    if (end == NULL || *end != '>' || end[1 + strspn (end + 1, " \t")] != '\0')
        return false;
    *name = (struct piece){text, (size_t) (open - text)};
    return true;
}

/* A piece that GMime cannot parse. */
static void
add_unparsable (void *ctx, struct entries *entries, const struct protected *protected,
                const char *text)
{
    struct piece name = {text, strlen (text)}, address = {"", 0};
    enum entry_kind kind = loose_address (text, &name, &address) ? ENTRY_MAILBOX : ENTRY_TEXT;
    struct entry *entry = entries_add (ctx, entries, kind);
    char *copy = talloc_strndup (entries->list, name.start, name.length);

    entry->name = restore (entries->list, protected, copy, true);
    entry->address = talloc_strndup (entries->list, address.start, address.length);
    talloc_free (copy);
}

static void
add_mailbox (void *ctx, struct entries *entries, const struct protected *protected,
             InternetAddress *parsed)
{
    struct entry *entry = entries_add (ctx, entries, ENTRY_MAILBOX);
    const char *name = internet_address_get_name (parsed);
    const char *address = internet_address_mailbox_get_addr (INTERNET_ADDRESS_MAILBOX (parsed));

    if (address == NULL)
        address = "";
    if (strchr (address, '@') == NULL && find_mark (address) != NULL) {
        /* A display name alone, encoded. */
        entry->name = restore (entries->list, protected, address, true);
        return;
    }
    entry->name = restore (entries->list, protected, name != NULL ? name : "", true);
    entry->address = restore (entries->list, protected, address, false);
}

static void
add_parsed (void *ctx, struct entries *entries, const struct protected *protected,
            InternetAddressList *parsed)
{
    int count = parsed != NULL ? internet_address_list_length (parsed) : 0;

    for (int i = 0; i < count; i++) {
        InternetAddress *one = internet_address_list_get_address (parsed, i);

        if (INTERNET_ADDRESS_IS_GROUP (one)) {
            struct entry *entry = entries_add (ctx, entries, ENTRY_GROUP);
            const char *name = internet_address_get_name (one);

            entry->name = restore (entries->list, protected, name != NULL ? name : "", true);
            add_parsed (ctx, entries, protected,
                        internet_address_group_get_members (INTERNET_ADDRESS_GROUP (one)));
            entries_add (ctx, entries, ENTRY_GROUP_END);
        } else
            add_mailbox (ctx, entries, protected, one);
    }
}

/* NULL where GMime finds no address. */
static InternetAddressList *
parse_list (const char *text)
{
    return address_nests_deep (text) ? NULL
                                     : internet_address_list_parse (mime_parser_options (), text);
}

/* Each piece by itself, so that one that cannot be parsed takes nothing else with it. */
static void
add_pieces (void *ctx, struct entries *entries, const struct protected *protected)
{
    const char *text = protected->text->str;
    struct piece piece;

    while (address_next_piece (&text, &piece)) {
        char *one = g_strstrip (g_strndup (piece.start, piece.length));
        InternetAddressList *parsed = parse_list (one);

        if (parsed != NULL && internet_address_list_length (parsed) > 0)
            add_parsed (ctx, entries, protected, parsed);
        else
            add_unparsable (ctx, entries, protected, one);
        g_clear_object (&parsed);
        g_free (one);
    }
}

static int
count_pieces (const char *text)
{
    struct piece piece;
    int count = 0;

    while (address_next_piece (&text, &piece))
        count++;
    return count;
}

static void
restore_names (const struct protected *protected, struct entries *entries)
{
    for (size_t i = 0; i < entries->count; i++)
        entries->list[i].name = restore (entries->list, protected, entries->list[i].name, true);
}

static void
read_list (void *ctx, const char *raw, struct entries *entries)
{
    struct protected protected;
    InternetAddressList *parsed;

    *entries = (struct entries){0};
    if (strstr (raw, "=?") == NULL && address_plain_list (ctx, raw, entries))
        return;
    protect (raw, &protected);
    if (protected.runs->len > 0 && address_plain_list (ctx, protected.text->str, entries)) {
        restore_names (&protected, entries);
        unprotect (&protected);
        return;
    }
    parsed = parse_list (protected.text->str);
    if (parsed != NULL &&
        internet_address_list_length (parsed) == count_pieces (protected.text->str))
        add_parsed (ctx, entries, &protected, parsed);
    else
        add_pieces (ctx, entries, &protected);
    g_clear_object (&parsed);
    unprotect (&protected);
}

struct mime_address *
mime_decode_addresses (void *ctx, const char *raw, size_t *count_out)
{
    struct mime_address *addresses;
    struct entries entries;
    size_t n = 0;

    read_list (ctx, raw, &entries);
    addresses = talloc_array (ctx, struct mime_address, entries.count + 1);
    for (size_t i = 0; i < entries.count; i++)
        if (entries.list[i].kind != ENTRY_GROUP_END)
            addresses[n++] = (struct mime_address){entries.list[i].name, entries.list[i].address};
    if (entries.list != NULL)
        talloc_steal (addresses, entries.list);
    *count_out = n;
    return addresses;
}

/* ---- as text ---- */

/* Whether a name would be something else if it stood there as it is. Pairs of quotation marks in it
 * do no harm: Jane "Jay" Doe. */
static bool
needs_quotes (const char *name)
{
    bool inside = false;

    if (strpbrk (name, ".,;:@()[]<>") != NULL)
        return true;
    for (; *name != '\0'; name++) {
        if (*name == '\\')
            return true;
        inside ^= *name == '"';
    }
    return inside;
}

static void
append_name (GString *out, const char *name)
{
    if (!needs_quotes (name)) {
        g_string_append (out, name);
        return;
    }
    g_string_append_c (out, '"');
    for (; *name != '\0'; name++) {
        if (*name == '"' || *name == '\\')
            g_string_append_c (out, '\\');
        g_string_append_c (out, *name);
    }
    g_string_append_c (out, '"');
}

static void
append_mailbox (GString *out, const char *name, const char *address)
{
    if (*name == '\0') {
        g_string_append (out, address);
        return;
    }
    append_name (out, name);
    if (*address != '\0')
        g_string_append_printf (out, " <%s>", address);
}

static void
append_entry (GString *out, const struct entry *entry)
{
    switch (entry->kind) {
    case ENTRY_MAILBOX:
        append_mailbox (out, entry->name, entry->address);
        break;
    case ENTRY_GROUP:
        append_name (out, entry->name);
        g_string_append (out, ": ");
        break;
    case ENTRY_GROUP_END:
        g_string_append_c (out, ';');
        break;
    case ENTRY_TEXT:
        g_string_append (out, entry->name);
        break;
    }
}

char *
mime_decode_address_text (void *ctx, const char *raw)
{
    GString *out = g_string_new (NULL);
    struct entries entries;
    char *text;

    read_list (ctx, raw, &entries);
    for (size_t i = 0; i < entries.count; i++) {
        const struct entry *entry = &entries.list[i];

        if (i > 0 && entry->kind != ENTRY_GROUP_END && entry[-1].kind != ENTRY_GROUP)
            g_string_append (out, ", ");
        append_entry (out, entry);
    }
    text = talloc_strndup (ctx, out->str, out->len);
    g_string_free (out, TRUE);
    talloc_free (entries.list);
    return text;
}

char *
mime_address_text (void *ctx, const char *name, const char *address)
{
    GString *out = g_string_new (NULL);
    char *text;

    append_mailbox (out, name, address);
    text = talloc_strndup (ctx, out->str, out->len);
    g_string_free (out, TRUE);
    return text;
}
