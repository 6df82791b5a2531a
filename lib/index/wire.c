/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wire.c - framing, descriptors, and parsed files as bytes. */
#include "index/wire.h"
#include "schema.h"

#include <errno.h>
#include <glib.h>
#include <string.h>
#include <sys/socket.h>
#include <talloc.h>
#include <unistd.h>

#define READ_SIZE (64 << 10)
#define PAYLOAD_MAX (64 << 20) /* more is no message of ours */
#define FINDINGS_MAX 200       /* properties of one file */
#define FINDING_MAX 200        /* bytes of a value */
#define RETRY_MS 10
#define RETRIES 3000
#define PARSED_TYPE "a(uayayayaaya(ayay)ay)"

/* ---- sending ---- */

static bool
send_rest (int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t sent = send (fd, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        bytes += sent;
        length -= (size_t) sent;
    }
    return true;
}

/* Other programs of the user may have so many descriptors on their way that there is no room for
 * ours: that passes. */
static ssize_t
send_first (int fd, const struct msghdr *message)
{
    for (int tries = 0;; tries++) {
        ssize_t sent = sendmsg (fd, message, MSG_NOSIGNAL);
        if (sent >= 0 || (errno != EINTR && errno != ETOOMANYREFS) || tries == RETRIES)
            return sent;
        if (errno == ETOOMANYREFS)
            g_usleep (RETRY_MS * 1000);
    }
}

bool
wire_send (int fd, enum wire_type type, uint64_t number, const void *payload, size_t length,
           const int *fds, size_t fd_count)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE (WIRE_FILES_MAX * sizeof (int))];
    } control = {.bytes = {0}};
    struct wire_header header = {type, (uint32_t) length, number};
    struct iovec parts[2] = {{&header, sizeof header}, {(void *) payload, length}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    if (fd_count > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE (fd_count * sizeof (int));
        struct cmsghdr *item = CMSG_FIRSTHDR (&message);
        item->cmsg_level = SOL_SOCKET;
        item->cmsg_type = SCM_RIGHTS;
        item->cmsg_len = CMSG_LEN (fd_count * sizeof (int));
        memcpy (CMSG_DATA (item), fds, fd_count * sizeof (int));
    }
    ssize_t sent = send_first (fd, &message);
    if (sent < 0)
        return false;
    size_t done = (size_t) sent;
    if (done < sizeof header) {
        if (!send_rest (fd, (char *) &header + done, sizeof header - done))
            return false;
        done = sizeof header;
    }
    return send_rest (fd, (const char *) payload + (done - sizeof header),
                      length - (done - sizeof header));
}

/* ---- receiving, waiting ---- */

static bool
receive_rest (int fd, char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t got = recv (fd, bytes, length, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        bytes += got;
        length -= (size_t) got;
    }
    return true;
}

static void
take_descriptors (struct msghdr *message, int *fds_out, size_t *count)
{
    for (struct cmsghdr *item = CMSG_FIRSTHDR (message); item; item = CMSG_NXTHDR (message, item)) {
        if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS)
            continue;
        size_t got = (item->cmsg_len - CMSG_LEN (0)) / sizeof (int);
        memcpy (fds_out + *count, CMSG_DATA (item), got * sizeof (int));
        *count += got;
    }
}

bool
wire_receive (void *ctx, int fd, struct wire_header *header_out, char **payload_out, int *fds_out,
              size_t *fd_count_out)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE (WIRE_FILES_MAX * sizeof (int))];
    } control;
    struct iovec part = {header_out, sizeof *header_out};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t got;
    *fd_count_out = 0;
    do
        got = recvmsg (fd, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        return false;
    take_descriptors (&message, fds_out, fd_count_out);
    if (!receive_rest (fd, (char *) header_out + got, sizeof *header_out - (size_t) got) ||
        header_out->length > PAYLOAD_MAX)
        return false;
    *payload_out = talloc_size (ctx, header_out->length + 1);
    (*payload_out)[header_out->length] = '\0';
    return receive_rest (fd, *payload_out, header_out->length);
}

/* ---- receiving, not waiting ---- */

struct wire_reader {
    int fd;
    char *bytes;
    size_t start, end, room;
    bool ended;
};

struct wire_reader *
wire_reader_create (void *ctx, int fd)
{
    struct wire_reader *reader = talloc_zero (ctx, struct wire_reader);
    reader->fd = fd;
    return reader;
}

static bool
has_message (const struct wire_reader *reader)
{
    struct wire_header header;
    size_t have = reader->end - reader->start;
    if (have < sizeof header)
        return false;
    memcpy (&header, reader->bytes + reader->start, sizeof header);
    return header.length > PAYLOAD_MAX || have - sizeof header >= header.length;
}

bool
wire_reader_fill (struct wire_reader *reader)
{
    if (reader->start > 0) {
        memmove (reader->bytes, reader->bytes + reader->start, reader->end - reader->start);
        reader->end -= reader->start;
        reader->start = 0;
    }
    while (!reader->ended && !has_message (reader)) {
        if (reader->room - reader->end < READ_SIZE) {
            reader->room = reader->room * 2 + READ_SIZE;
            reader->bytes = talloc_realloc (reader, reader->bytes, char, reader->room);
        }
        ssize_t got = recv (reader->fd, reader->bytes + reader->end, READ_SIZE, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return true;
        if (got <= 0)
            reader->ended = true;
        else
            reader->end += (size_t) got;
    }
    return !reader->ended;
}

bool
wire_reader_next (struct wire_reader *reader, struct wire_header *header_out,
                  const char **payload_out)
{
    size_t have = reader->end - reader->start;
    if (have < sizeof *header_out)
        return false;
    memcpy (header_out, reader->bytes + reader->start, sizeof *header_out);
    if (header_out->length > PAYLOAD_MAX) {
        reader->start = reader->end;
        reader->ended = true;
        return false;
    }
    if (have < sizeof *header_out + header_out->length)
        return false;
    *payload_out = reader->bytes + reader->start + sizeof *header_out;
    reader->start += sizeof *header_out + header_out->length;
    return true;
}

const char **
wire_strings (void *ctx, const char *payload, size_t length)
{
    size_t count = 0;
    const char **strings = talloc_array (ctx, const char *, 1);
    for (const char *at = payload; at < payload + length; at += strlen (at) + 1) {
        strings = talloc_realloc (ctx, strings, const char *, count + 2);
        strings[count++] = at;
    }
    strings[count] = NULL;
    return strings;
}

/* ---- parsed files ---- */

static GVariant *
bytes_variant (const void *bytes, size_t length)
{
    return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, bytes, length, 1);
}

static GVariant *
encode_file (void *ctx, const struct parsed_file *file)
{
    GVariantBuilder tags, properties;
    char *record = NULL;
    size_t length = 0;
    g_variant_builder_init (&tags, G_VARIANT_TYPE ("aay"));
    for (size_t i = 0; i < file->tag_count; i++)
        g_variant_builder_add_value (&tags, g_variant_new_bytestring (file->tags[i]));
    g_variant_builder_init (&properties, G_VARIANT_TYPE ("a(ayay)"));
    for (size_t i = 0; i < file->property_count; i++)
        g_variant_builder_add (&properties, "(@ay@ay)",
                               g_variant_new_bytestring (file->properties[i].key),
                               g_variant_new_bytestring (file->properties[i].value));
    if (file->status == MAIL_OK) {
        file->record.files->name = "";
        record = record_encode (ctx, &file->record, &length);
    }
    return g_variant_new ("(u@ay@ay@ay@aay@a(ayay)@ay)", (guint32) file->status,
                          g_variant_new_bytestring (file->problem ? file->problem : ""),
                          g_variant_new_bytestring (file->limit ? file->limit : ""),
                          g_variant_new_bytestring (file->id ? file->id : ""),
                          g_variant_builder_end (&tags), g_variant_builder_end (&properties),
                          bytes_variant (record, length));
}

char *
wire_encode_parsed (void *ctx, const struct parsed_file *files, size_t count, size_t *length_out)
{
    void *local = talloc_new (ctx);
    GVariantBuilder list;
    g_variant_builder_init (&list, G_VARIANT_TYPE (PARSED_TYPE));
    for (size_t i = 0; i < count; i++)
        g_variant_builder_add_value (&list, encode_file (local, &files[i]));
    GVariant *whole = g_variant_ref_sink (g_variant_builder_end (&list));
    *length_out = g_variant_get_size (whole);
    char *bytes = talloc_size (ctx, *length_out + 1);
    g_variant_store (whole, bytes);
    g_variant_unref (whole);
    talloc_free (local);
    return bytes;
}

static void
decode_tags (void *ctx, GVariant *tags, struct parsed_file *file)
{
    file->tag_count = g_variant_n_children (tags);
    char **copy = talloc_array (ctx, char *, file->tag_count + 1);
    for (size_t i = 0; i < file->tag_count; i++) {
        GVariant *tag = g_variant_get_child_value (tags, i);
        copy[i] = talloc_strdup (copy, g_variant_get_bytestring (tag));
        g_variant_unref (tag);
    }
    copy[file->tag_count] = NULL;
    file->tags = (const char *const *) copy;
}

/* Whether a worker may say so: it is a finding about mail, and has the form of one. */
static bool
is_finding (const struct mail_property *property)
{
    static const char digits[] = "0123456789ABCDEFabcdef:";
    const char *value = property->value;
    if (strlen (value) > FINDING_MAX)
        return false;
    if (strcmp (property->key, PROPERTY_SESSION_KEY) == 0)
        return value[strspn (value, digits)] == '\0';
    if (strcmp (property->key, PROPERTY_DECRYPTION) == 0)
        return strcmp (value, "success") == 0 || strcmp (value, "failure") == 0;
    return strcmp (property->key, PROPERTY_REPAIRED) == 0 &&
           value[strspn (value, "abcdefghijklmnopqrstuvwxyz-")] == '\0';
}

static bool
decode_properties (void *ctx, GVariant *properties, struct parsed_file *file)
{
    size_t count = g_variant_n_children (properties);
    bool good = count <= FINDINGS_MAX;
    file->properties = talloc_zero_array (ctx, struct mail_property, good ? count : 0);
    for (size_t i = 0; good && i < count; i++) {
        GVariant *key, *value;
        struct mail_property *property = &file->properties[i];
        g_variant_get_child (properties, i, "(@ay@ay)", &key, &value);
        property->key = talloc_strdup (ctx, g_variant_get_bytestring (key));
        property->value = talloc_strdup (ctx, g_variant_get_bytestring (value));
        good = is_finding (property);
        file->property_count += good;
        g_variant_unref (key);
        g_variant_unref (value);
    }
    return good;
}

static bool
decode_file (void *ctx, GVariant *variant, struct parsed_file *file)
{
    guint32 status;
    GVariant *problem, *limit, *id, *tags, *properties, *record;
    gsize length;
    g_variant_get (variant, "(u@ay@ay@ay@aay@a(ayay)@ay)", &status, &problem, &limit, &id, &tags,
                   &properties, &record);
    *file = (struct parsed_file){.status = status};
    if (*g_variant_get_bytestring (problem))
        file->problem = talloc_strdup (ctx, g_variant_get_bytestring (problem));
    if (*g_variant_get_bytestring (limit))
        file->limit = talloc_strdup (ctx, g_variant_get_bytestring (limit));
    file->id = talloc_strdup (ctx, g_variant_get_bytestring (id));
    decode_tags (ctx, tags, file);
    const char *bytes = g_variant_get_fixed_array (record, &length, 1);
    bool good = decode_properties (ctx, properties, file) && status < MAIL_STATUS_COUNT &&
                (status != MAIL_OK || (record_decode (ctx, bytes, length, &file->record) &&
                                       file->record.file_count == 1));
    g_variant_unref (problem);
    g_variant_unref (limit);
    g_variant_unref (id);
    g_variant_unref (tags);
    g_variant_unref (properties);
    g_variant_unref (record);
    return good;
}

bool
wire_decode_parsed (void *ctx, const char *bytes, size_t length, struct parsed_file *files_out,
                    size_t count)
{
    char *copy = talloc_memdup (ctx, bytes, length ? length : 1); /* aligned */
    GVariant *list = g_variant_ref_sink (
        g_variant_new_from_data (G_VARIANT_TYPE (PARSED_TYPE), copy, length, FALSE, NULL, NULL));
    bool good = g_variant_n_children (list) == count;
    for (size_t i = 0; good && i < count; i++) {
        GVariant *file = g_variant_get_child_value (list, i);
        good = decode_file (ctx, file, &files_out[i]);
        g_variant_unref (file);
    }
    g_variant_unref (list);
    talloc_free (copy);
    return good;
}
