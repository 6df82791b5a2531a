/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mime-mail.h - mail written in a test, as a parsed message. */
#ifndef MIME_MAIL_H
#define MIME_MAIL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mime/mime-private.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <talloc.h>
#include <unistd.h>

/* A descriptor of a file in memory with these bytes. */
static inline int
mail_file (const char *bytes, size_t length)
{
    int fd = memfd_create ("mail", MFD_CLOEXEC);

    assert_true (fd >= 0);
    for (size_t done = 0; done < length;) {
        ssize_t n = write (fd, bytes + done, length - done);

        assert_true (n > 0);
        done += (size_t) n;
    }
    return fd;
}

/* Parses from memory (in_file false) or as a large file is. */
static inline enum mail_status
parse_bytes (void *ctx, const char *bytes, size_t length, bool in_file,
             struct mime_message **message_out, char **error_out)
{
    int fd = mail_file (bytes, length);
    enum mail_status status =
        mime_message_parse_with (ctx, fd, in_file ? 0 : SIZE_MAX, message_out, error_out);

    close (fd);
    return status;
}

/* A message that must be one. */
static inline struct mime_message *
parse_mail (void *ctx, const char *text)
{
    struct mime_message *message = NULL;
    char *error = NULL;

    if (parse_bytes (ctx, text, strlen (text), false, &message, &error) != MAIL_OK)
        fail_msg ("not parsed: %s", error);
    return message;
}

/* A message with this body, whose header ends with these lines. */
static inline struct mime_message *
parse_body (void *ctx, const char *header, const char *body, size_t length)
{
    char *mail = talloc_asprintf (ctx, "From: ann@example.org\n%s\n", header);
    size_t start = strlen (mail);
    struct mime_message *message = NULL;

    mail = talloc_realloc (ctx, mail, char, start + length);
    memcpy (mail + start, body, length);
    assert_int_equal (parse_bytes (ctx, mail, start + length, false, &message, NULL), MAIL_OK);
    return message;
}

/* The words of the part with this number. */
static inline char *
words_of (void *ctx, struct mime_message *message, int number)
{
    size_t count, length;
    const struct mail_part *parts = mime_parts (message, &count);
    char *text = NULL;

    assert_in_range (number, 1, count);
    assert_int_equal (mime_part_words (ctx, message, &parts[number - 1], SIZE_MAX, &text, &length),
                      MAIL_OK);
    assert_int_equal (strlen (text), length);
    assert_true (g_utf8_validate (text, (gssize) length, NULL));
    return text;
}

/* All parts as "1 multipart/mixed (2 text/plain, ...)", one line. */
static inline char *
tree_of (void *ctx, struct mime_message *message)
{
    size_t count;
    const struct mail_part *parts = mime_parts (message, &count);
    char *tree = talloc_strdup (ctx, "");

    for (size_t i = 0; i < count; i++) {
        tree = talloc_asprintf_append (tree, "%s%d %s%s", i > 0 ? ", " : "", parts[i].depth,
                                       parts[i].type, parts[i].attachment ? "!" : "");
        assert_int_equal (parts[i].number, i + 1);
        assert_in_range (parts[i].end, i + 1, count);
    }
    return tree;
}

#endif
