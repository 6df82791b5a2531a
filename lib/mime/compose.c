/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compose.c - header fields of a message that is to be sent: encoded (RFC 2047) and folded.
 *
 * GMime does it, one field at a time, so that the order of fields is the caller's. What is given is
 * decoded text, one line: nothing in it can begin another field.
 */
#include "mime/mime-private.h"

#include <string.h>
#include <talloc.h>

#define WORD_BYTES 45 /* in one encoded word, which may have 75 letters (RFC 2047 2) */

/* The header block of a message that has one field only. */
static char *
take_field (void *ctx, GMimeMessage *message)
{
    char *block = g_mime_object_get_headers (GMIME_OBJECT (message), NULL);
    char *field = talloc_strdup (ctx, block);

    g_free (block);
    g_object_unref (message);
    return field;
}

/* Whether all lines but the first are continued ones. */
static bool
is_folded (const char *field)
{
    for (const char *end = strchr (field, '\n'); end != NULL; end = strchr (end + 1, '\n'))
        if (end[1] != ' ' && end[1] != '\t' && end[1] != '\0')
            return false;
    return true;
}

/* One field, of encoded words only: what looks like an encoded word in the text, GMime may fold in
 * the middle. */
static char *
encode_all (void *ctx, const char *name, const char *line)
{
    char *field = talloc_asprintf (ctx, "%s:", name);

    for (const char *end; *line != '\0'; line = end) {
        end = line + MIN (strlen (line), WORD_BYTES);
        while (end > line + 1 && ((unsigned char) *end & 0xc0) == 0x80)
            end--;
        gchar *word = g_base64_encode ((const guchar *) line, (gsize) (end - line));
        field = talloc_asprintf_append_buffer (
            field, "%s=?utf-8?B?%s?=", field[strlen (name) + 1] == '\0' ? " " : "\n\t", word);
        g_free (word);
    }
    return talloc_strdup_append_buffer (field, "\n");
}

char *
mail_compose_text (void *ctx, const char *name, const char *value)
{
    GMimeMessage *message;
    char *line = mime_line (NULL, value, strlen (value)), *field;

    mime_init ();
    message = g_mime_message_new (FALSE);
    if (g_ascii_strcasecmp (name, "Subject") == 0)
        g_mime_message_set_subject (message, line, NULL);
    else
        g_mime_object_set_header (GMIME_OBJECT (message), name, line, NULL);
    field = take_field (ctx, message);
    if (!is_folded (field)) {
        talloc_free (field);
        field = encode_all (ctx, name, line);
    }
    talloc_free (line);
    return field;
}

static void
append_address (InternetAddressList *list, const struct mail_address *from)
{
    char *name = mime_line (NULL, from->name, strlen (from->name));
    char *address = mime_line (NULL, from->address, strlen (from->address));
    InternetAddress *mailbox = internet_address_mailbox_new (*name != '\0' ? name : NULL, address);

    internet_address_list_add (list, mailbox);
    g_object_unref (mailbox);
    talloc_free (name);
    talloc_free (address);
}

char *
mail_compose_addresses (void *ctx, enum mail_field field, const struct mail_address *addresses,
                        size_t count)
{
    GMimeMessage *message;
    InternetAddressList *list;
    GMimeAddressType type;

    mime_init ();
    message = g_mime_message_new (FALSE);
    type = field == MAIL_FROM  ? GMIME_ADDRESS_TYPE_FROM
           : field == MAIL_CC  ? GMIME_ADDRESS_TYPE_CC
           : field == MAIL_BCC ? GMIME_ADDRESS_TYPE_BCC
                               : GMIME_ADDRESS_TYPE_TO;
    list = internet_address_list_new ();
    for (size_t i = 0; i < count; i++)
        append_address (list, &addresses[i]);
    /* all at once: the message writes its field anew with each change of its list */
    if (count > 0)
        internet_address_list_append (g_mime_message_get_addresses (message, type), list);
    g_object_unref (list);
    return take_field (ctx, message);
}
