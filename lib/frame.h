/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frame.h - reads serialised GVariants (their documented format, little-endian) where they lie.
 *
 * Nothing is copied or allocated. What is damaged reads as empty or as zero, and never outside of
 * the bytes.
 */
#ifndef FRAME_H
#define FRAME_H

#include <stddef.h>
#include <stdint.h>

/* The bytes of a value. */
struct frame {
    const char *bytes;
    size_t length;
};

/* A number of size (1, 4 or 8) bytes at this offset. */
uint64_t frame_number (struct frame frame, size_t offset, size_t size);
/* Of a tuple: where its nth (from 0) member that has a framing offset ends. */
size_t frame_member_end (struct frame tuple, size_t nth);
/* Of a tuple with so many framing offsets: where these begin, and its last member ends. */
size_t frame_members_end (struct frame tuple, size_t offsets);
/* Members of an array of values of variable size. */
size_t frame_count (struct frame array);
/* The nth member; alignment: of its type. n is less than frame_count(). */
struct frame frame_element (struct frame array, size_t n, size_t alignment);
/* The bytes from one offset to another. */
struct frame frame_slice (struct frame frame, size_t from, size_t to);
/* A bytestring as text: the bytes themselves where they end in their NUL, else "". */
const char *frame_text (struct frame bytestring);

#endif
