/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz-unlock.c - any bytes as a signed or encrypted mail, opened as for the index.
 *
 * In place of gpg somebody takes each ciphertext for its own cleartext, so that what is in it is
 * odd, too. The tree that comes of it must be a tree, and every part of it must be readable.
 */
#include "test/fuzz/helper.h"

#include "mime/cms.h"
#include "mime/crypto.h"
#include "mime/mime-private.h"
#include "schema.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <talloc.h>
#include <unistd.h>

static bool
open_as_it_is (void *closure, void *ctx, const struct crypto_request *request, int input,
               struct crypto_result *result_out)
{
    unsigned *opened = closure;

    *result_out = (struct crypto_result){.clear = -1};
    if (request->is_signed)
        return crypto_take_apart (ctx, input, result_out);
    if (++*opened > 100)
        abort ();
    if (*opened % 5 == 4)
        return false;
    result_out->clear = dup (input);
    return result_out->clear >= 0;
}

static bool
count_bytes (void *closure, const char *bytes, size_t length)
{
    size_t *sum = closure;

    for (size_t i = 0; i < length; i++)
        *sum += (unsigned char) bytes[i];
    return true;
}

static void
check_part (struct mime_message *message, size_t index)
{
    const struct mail_part *part = &message->parts[index];
    const struct mime_part *source = &message->sources[index];
    size_t sum = 0, length;
    char *text;

    if (part->number != (int) index + 1 || part->end <= index || part->end > message->part_count ||
        part->depth > DEPTH_MAX || source->end < source->body || source->end > source->file->size)
        abort ();
    if (source->parent != SIZE_MAX &&
        (source->parent >= index || message->parts[source->parent].end < part->end ||
         message->parts[source->parent].depth != part->depth - 1))
        abort ();
    mime_part_is_wrapping (message, part);
    mime_part_was_sealed (message, part);
    mime_part_write (message, part, (struct mail_sink){count_bytes, &sum});
    if (mime_part_words (NULL, message, part, TEXT_MAX, &text, &length) == MAIL_OK)
        talloc_free (text);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    static const char from[] = "From: a@b\n";
    void *ctx = talloc_new (NULL);
    int fd = memfd_create ("mail", MFD_CLOEXEC);
    struct mime_message *message;
    unsigned opened = 0;
    size_t sum = 0;
    struct mime_unlock how = {
        .decrypt = true,
        .secret_keys = true,
        .open = open_as_it_is,
        .closure = &opened,
    };

    cms_write_content ((const char *) data, size, (struct mail_sink){count_bytes, &sum});
    if (write (fd, from, strlen (from)) > 0 && write (fd, data, size) == (ssize_t) size &&
        mime_message_parse (ctx, fd, &message, NULL) == MAIL_OK) {
        mime_unlock (message, &how);
        for (size_t i = 0; i < message->part_count; i++)
            check_part (message, i);
    }
    close (fd);
    talloc_free (ctx);
    return 0;
}

#define PGP "application/pgp-encrypted"

const char *const fuzz_pieces[] = {
    "\n",
    "\n\n",
    "--b\n",
    "--b--\n",
    "--c\n",
    "--c--\n",
    "Content-Type: multipart/encrypted; protocol=\"" PGP "\"; boundary=b\n\n--b\nContent-Type: " PGP
    "\n\nVersion: 1\n--b\nContent-Type: application/octet-stream\n\n",
    "Content-Type: multipart/encrypted; protocol=\"" PGP "\"; boundary=c\n",
    "Content-Type: multipart/signed; protocol=\"application/pgp-signature\"; boundary=c\n",
    "Content-Type: multipart/mixed; boundary=b; protected-headers=v1\n",
    "Content-Type: multipart/mixed; boundary=c\n",
    "Content-Type: text/plain; protected-headers=v1\nSubject: x\n\n",
    "Content-Type: text/plain\n\n",
    "Content-Type: " PGP "\n\nVersion: 1\n",
    "Content-Type: application/octet-stream\n\n",
    "Content-Type: message/rfc822; forwarded=no\n\n",
    "Content-Type: application/pkcs7-mime; smime-type=signed-data\n\n",
    "Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n\n",
    "Content-Transfer-Encoding: base64\n",
    "Content-Disposition: attachment; filename=x\n",
    "\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x80\x30\x80\x02\x01\x01\x31",
    "\x30\x80\x06\x01\x01\xa0\x80\x24\x80\x04\x05words",
    "\x31\x80",
    "\x04\x84\xff\xff",
    "words",
    NULL};
