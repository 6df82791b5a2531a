/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cms.c - takes the content out of a signed CMS object.
 *
 * The words of signed mail are to be found whether or not the signature is good, and in a process
 * that cannot run gpgsm. So the few elements on the way to the content are read here and all else
 * is passed over. Nothing is trusted: lengths end where the bytes do, and nesting is limited.
 */
#include "mime/cms.h"

#include <string.h>

#define NESTING_MAX 8

enum {
    TAG_INTEGER = 0x02,
    TAG_OCTETS = 0x04,
    TAG_OID = 0x06,
    TAG_OCTETS_IN_PIECES = 0x24,
    TAG_SEQUENCE = 0x30,
    TAG_SET = 0x31,
    TAG_EXPLICIT_0 = 0xa0
};

/* What is left to be read of an element's content. */
struct ber {
    const unsigned char *at, *end;
    bool open; /* it ends with two zeros */
};

/* Takes tag and length; content_out is what follows, up to its end or, where that is open, to the
 * end of what is around it. */
static bool
take_header (struct ber *ber, unsigned *tag_out, struct ber *content_out)
{
    size_t length = 0, count;

    if (ber->end - ber->at < 2 || (ber->at[0] & 0x1f) == 0x1f)
        return false;
    *tag_out = *ber->at++;
    count = *ber->at++;
    *content_out = (struct ber){ber->at, ber->end, count == 0x80};
    if (count == 0x80)
        return (*tag_out & 0x20) != 0;
    if (count < 0x80)
        length = count;
    else
        for (count &= 0x7f; count > 0; count--) {
            if (ber->at == ber->end || length > SIZE_MAX >> 9)
                return false;
            length = length << 8 | *ber->at++;
        }
    if (length > (size_t) (ber->end - ber->at))
        return false;
    *content_out = (struct ber){ber->at, ber->at + length, false};
    return true;
}

static bool
is_at_end (const struct ber *ber)
{
    return ber->at >= ber->end ||
           (ber->open && ber->end - ber->at >= 2 && ber->at[0] == 0 && ber->at[1] == 0);
}

/* Passes over one element. */
static bool
skip (struct ber *ber)
{
    size_t open = 0;

    do {
        struct ber content;
        unsigned tag;

        if (open > 0 && ber->end - ber->at >= 2 && ber->at[0] == 0 && ber->at[1] == 0) {
            ber->at += 2;
            open--;
            continue;
        }
        if (!take_header (ber, &tag, &content))
            return false;
        if (content.open)
            open++;
        else
            ber->at = content.end;
    } while (open > 0);
    return true;
}

/* Goes into an element of this tag. */
static bool
enter (struct ber *ber, unsigned tag)
{
    struct ber content;
    unsigned found;

    if (is_at_end (ber) || !take_header (ber, &found, &content) || found != tag)
        return false;
    *ber = content;
    return true;
}

static bool
skip_tag (struct ber *ber, unsigned tag)
{
    return !is_at_end (ber) && *ber->at == tag && skip (ber);
}

/* An octet string, in one piece or in several; ber goes on behind it. */
static bool
write_octets (struct ber *ber, struct mail_sink sink, int nesting)
{
    struct ber content;
    unsigned tag;

    if (nesting > NESTING_MAX || !take_header (ber, &tag, &content))
        return false;
    if (tag == TAG_OCTETS) {
        size_t length = (size_t) (content.end - content.at);

        ber->at = content.end;
        return length == 0 || sink.write (sink.closure, (const char *) content.at, length);
    }
    if (tag != TAG_OCTETS_IN_PIECES)
        return false;
    while (!is_at_end (&content))
        if (!write_octets (&content, sink, nesting + 1))
            return false;
    ber->at = content.at + (content.open && content.at < content.end ? 2 : 0);
    return true;
}

bool
cms_write_content (const char *data, size_t length, struct mail_sink sink)
{
    static const char signed_data[] = "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02";
    struct ber ber = {(const unsigned char *) data, (const unsigned char *) data + length, false};

    if (!enter (&ber, TAG_SEQUENCE) || (size_t) (ber.end - ber.at) < sizeof signed_data - 1 ||
        memcmp (ber.at, signed_data, sizeof signed_data - 1) != 0)
        return false;
    return skip_tag (&ber, TAG_OID) && enter (&ber, TAG_EXPLICIT_0) && enter (&ber, TAG_SEQUENCE) &&
           skip_tag (&ber, TAG_INTEGER) && skip_tag (&ber, TAG_SET) && enter (&ber, TAG_SEQUENCE) &&
           skip_tag (&ber, TAG_OID) && enter (&ber, TAG_EXPLICIT_0) && write_octets (&ber, sink, 0);
}
