/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * junk.c - finds base64 in the middle of prose.
 *
 * Encoded data that is not declared as such (a certificate, a picture pasted into the text) would
 * give a segment thousands of words that nobody looks for. What is left out must be certain not to
 * be prose: a long run of the base64 alphabet without any blank, dot or dash, that has capitals,
 * small letters and digits. Lines broken elsewhere do not matter to it, since no line of words is
 * one word.
 */
#include "index/junk.h"
#include "index/chars.h"

#include <stdbool.h>
#include <stddef.h>

struct run {
    unsigned lines;
    size_t longest;
    bool capitals, small, digits;
};

static const char *
skip_base64 (struct run *run, const char *p, const char *end)
{
    const char *start = p;

    for (; p < end; p++) {
        unsigned class = byte_classes[(unsigned char) *p];
        if (!(class & CHAR_BASE64))
            break;
        run->capitals |= (class & CHAR_CAPITAL) != 0;
        run->small |= (class & CHAR_LETTER) != 0;
        run->digits |= (class & CHAR_DIGIT) != 0;
    }
    if ((size_t) (p - start) > run->longest)
        run->longest = (size_t) (p - start);
    run->lines++;
    return p;
}

/* The next line without its marks of quotation; NULL where p is not at the end of a line. */
static const char *
next_line (const char *p, const char *end)
{
    if (p < end && *p == '\r')
        p++;
    if (p == end || *p != '\n')
        return NULL;
    p++;
    while (p < end && (*p == '>' || *p == ' ' || *p == '\t'))
        p++;
    return p;
}

static bool
ends_line (const char *p, const char *end)
{
    return p == end || *p == '\n' || *p == '\r';
}

static bool
is_junk (const struct run *run)
{
    return (run->lines > 1 || run->longest >= JUNK_RUN) && run->capitals && run->small &&
           run->digits;
}

const char *
junk_end (const char *text, const char *end, const char *word, const char **seen_out)
{
    struct run run = {0};
    const char *start = word, *stop, *line;

    while (start > text && (start[-1] == '+' || start[-1] == '/' || start[-1] == '='))
        start--;
    stop = skip_base64 (&run, start, end);
    *seen_out = stop;
    if (stop - start < JUNK_LINE)
        return NULL;
    while ((line = next_line (stop, end))) {
        struct run longer = run;
        const char *line_end = skip_base64 (&longer, line, end);
        if (line_end - line < JUNK_LINE || !ends_line (line_end, end))
            break;
        run = longer;
        stop = line_end;
    }
    *seen_out = stop;
    return is_junk (&run) ? stop : NULL;
}
