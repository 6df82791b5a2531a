/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frame.c - reads serialised GVariants where they lie.
 *
 * GLib's own reader makes an object, with a lock and a count, for every value it touches: of a
 * listing of all mail that was the larger part. The format: values of variable size in a container
 * are followed, at its end, by offsets of where they end, each of as many bytes as the size of the
 * container needs; an array has one for each member, a tuple one for each such member but the last,
 * the first one at the very end.
 */
#include "frame.h"

#include <string.h>

static size_t
offset_size (size_t length)
{
    return length <= 0xff ? 1 : length <= 0xffff ? 2 : length <= 0xffffffff ? 4 : 8;
}

uint64_t
frame_number (struct frame frame, size_t offset, size_t size)
{
    uint64_t number = 0;
    if (offset > frame.length || frame.length - offset < size)
        return 0;
    for (size_t i = size; i-- > 0;)
        number = number << 8 | (unsigned char) frame.bytes[offset + i];
    return number;
}

size_t
frame_member_end (struct frame tuple, size_t nth)
{
    size_t size = offset_size (tuple.length), back = (nth + 1) * size;
    return back <= tuple.length ? (size_t) frame_number (tuple, tuple.length - back, size) : 0;
}

size_t
frame_members_end (struct frame tuple, size_t offsets)
{
    size_t back = offsets * offset_size (tuple.length);
    return back <= tuple.length ? tuple.length - back : 0;
}

/* Where the offsets of an array begin. */
static size_t
array_end (struct frame array, size_t size)
{
    size_t end = array.length >= size ? (size_t) frame_number (array, array.length - size, size)
                                      : array.length;
    return end <= array.length ? end : array.length;
}

size_t
frame_count (struct frame array)
{
    size_t size = offset_size (array.length);
    size_t offsets = array.length - array_end (array, size);
    return offsets % size == 0 ? offsets / size : 0;
}

struct frame
frame_element (struct frame array, size_t n, size_t alignment)
{
    size_t size = offset_size (array.length), offsets = array_end (array, size);
    size_t from = 0, to = (size_t) frame_number (array, offsets + n * size, size);
    if (n > 0) {
        from = (size_t) frame_number (array, offsets + (n - 1) * size, size);
        from = from > array.length ? array.length : from;
        from = (from + alignment - 1) / alignment * alignment;
    }
    return frame_slice ((struct frame){array.bytes, offsets}, from, to);
}

struct frame
frame_slice (struct frame frame, size_t from, size_t to)
{
    if (from >= to || to > frame.length)
        return (struct frame){"", 0};
    return (struct frame){frame.bytes + from, to - from};
}

const char *
frame_text (struct frame bytestring)
{
    if (bytestring.length == 0 || bytestring.bytes[bytestring.length - 1] != '\0')
        return "";
    return bytestring.bytes;
}
