/* SPDX-License-Identifier: GPL-3.0-or-later */
/* metadata.c - named texts and numbers of the index as a whole: each is one metadata entry of
 * state. */
#include "metadata.h"

#include <inttypes.h>
#include <string.h>
#include <talloc.h>

enum mail_status
writer_get_text (struct writer *writer, const char *key, char **text_out)
{
    enum mail_status status = store_metadata (writer, writer->state, key, text_out, NULL);
    return status == MAIL_OK ? status : writer_fail (writer, status);
}

enum mail_status
writer_get_number (struct writer *writer, const char *key, uint64_t *number_out)
{
    char *text;
    enum mail_status status = writer_get_text (writer, key, &text);
    if (status != MAIL_OK)
        return status;
    *number_out = strtoull (text, NULL, 10);
    talloc_free (text);
    return MAIL_OK;
}

enum mail_status
writer_set_text (struct writer *writer, const char *key, const char *text)
{
    enum mail_status status = store_set_metadata (writer->state, key, text, strlen (text));
    return status == MAIL_OK ? status : writer_fail (writer, status);
}

enum mail_status
writer_set_number (struct writer *writer, const char *key, uint64_t number)
{
    char text[24];
    snprintf (text, sizeof text, "%" PRIu64, number);
    return writer_set_text (writer, key, text);
}

bool
mark_is_set (struct mail_index *index, const char *key)
{
    char *text = NULL;
    bool set = index_metadata (index, index, key, &text) == MAIL_OK && *text;
    talloc_free (text);
    return set;
}

enum mail_status
mark_end (struct mail_index *index, const char *key)
{
    struct writer *writer;
    enum mail_status status = writer_begin (index, index, &writer);
    if (status != MAIL_OK)
        return status;
    status = writer_set_text (writer, key, "");
    if (status == MAIL_OK)
        return writer_commit (writer);
    talloc_free (writer);
    return status;
}
