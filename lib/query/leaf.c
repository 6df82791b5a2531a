/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * leaf.c - makes the leaves that state answers: terms, folders and ranges of columns.
 *
 * Values are taken as they are written. Numbers become codes of their column here, so that a plan
 * compares codes only.
 */
#include "query/leaf.h"
#include "query/dates.h"
#include "query/regex-size.h"
#include "term.h"
#include <glib.h>
#include <regex.h>
#include <string.h>
#include <talloc.h>

static struct node *
range_create (void *ctx, const struct prefix *prefix, uint64_t low, uint64_t high)
{
    struct node *node = node_create (ctx, low <= high ? NODE_RANGE : NODE_NOTHING);

    node->prefix = prefix;
    node->low = low;
    node->high = high;
    return node;
}

/* ---- dates --------------------------------------------------------------------------------- */

/* An open start of date: leaves out messages without a date, which have the number 0. */
static struct node *
date_range (void *ctx, const struct date_range *range)
{
    uint64_t low = range->open_low ? 1 : date_to_value (range->low);
    uint64_t high = range->open_high ? UINT64_MAX : date_to_value (range->high);
    struct node *node = range_create (ctx, prefix_find ("date", 4), low, high);

    node->but_zero = range->open_low;
    return node;
}

struct node *
leaf_fail_backwards (void *ctx, const struct lexeme *piece, struct mail_query_error *error)
{
    query_error_set (ctx, error, piece->offset, piece->length,
                     "write what is earlier or less before the \"..\"",
                     "this range ends before it begins");
    return NULL;
}

/* What to write instead of what is no date. */
static const char *
date_hint (const char *text, size_t length)
{
    static const char *const future[] = {"tomorrow", "next"};

    for (size_t i = 0; i < G_N_ELEMENTS (future); i++)
        if (length >= strlen (future[i]) &&
            g_ascii_strncasecmp (text, future[i], strlen (future[i])) == 0)
            return "words are for days that have been; of those to come write the date, like "
                   "2024-03-05";
    return "dates are written like 2024, 2024-03, 2024-03-05, yesterday, 2_weeks_ago; ranges like "
           "2024-03..2024-06";
}

static struct node *
date_leaf (void *ctx, const struct lexeme *piece, int64_t now, bool lenient,
           struct mail_query_error *error)
{
    struct date_range range;
    size_t offset, length, start;

    if (!date_range_parse (piece->value, piece->value_length, now, &range, &offset, &length)) {
        start = piece->offset + strlen (piece->prefix->name) + 1 + piece->quoted;
        query_error_set (ctx, error, start + offset, length,
                         date_hint (piece->value + offset, length), "\"%.*s\" is no date",
                         (int) MIN (length, 100), piece->value + offset);
        return NULL;
    }
    if (!lenient && !range.open_low && !range.open_high && range.low > range.high)
        return leaf_fail_backwards (ctx, piece, error);
    return date_range (ctx, &range);
}

/* since:X is date:X.., until:X is date:..X */
static struct node *
open_date_leaf (void *ctx, const struct lexeme *piece, int64_t now, struct mail_query_error *error)
{
    bool since = piece->prefix->kind == KIND_SINCE;
    struct date_range range = {.open_low = !since, .open_high = since};

    if (date_parse (piece->value, piece->value_length, now, &range.low, &range.high))
        return date_range (ctx, &range);
    query_error_set (ctx, error, piece->offset, piece->length,
                     date_hint (piece->value, piece->value_length), "\"%.*s\" is no date",
                     (int) MIN (piece->value_length, 100), piece->value);
    return NULL;
}

/* ---- numbers ------------------------------------------------------------------------------- */

/* One end of a range, digits only; an empty one leaves *number_out as it is. */
static bool
read_number (const char *text, size_t length, uint64_t *number_out)
{
    uint64_t number = 0;

    if (length == 0)
        return true;
    for (size_t i = 0; i < length; i++)
        if (!g_ascii_isdigit (text[i]) || number > UINT64_MAX / 10 - 1)
            return false;
        else
            number = number * 10 + (uint64_t) (text[i] - '0');
    *number_out = number;
    return true;
}

/* A number of bytes, with k, M or G behind it for powers of 1024; B and iB may follow. span: one
 * less than the unit, so that "10k" ends with the last byte that rounds down to it. */
static bool
read_size (const char *text, size_t length, uint64_t *number_out, uint64_t *span_out)
{
    static const char units[] = "kmg";
    const char *unit;

    *span_out = 0;
    if (length > 1 && g_ascii_tolower (text[length - 1]) == 'b')
        length--;
    if (length > 2 && g_ascii_tolower (text[length - 1]) == 'i')
        length--;
    unit = length > 0 ? strchr (units, g_ascii_tolower (text[length - 1])) : NULL;
    if (unit == NULL || *unit == '\0')
        return read_number (text, length, number_out);
    if (length < 2 || !read_number (text, length - 1, number_out) || *number_out >> 33 != 0)
        return false;
    *number_out <<= 10 * (unit - units + 1);
    *span_out = (UINT64_C (1) << (10 * (unit - units + 1))) - 1;
    return true;
}

/* One end of a range. */
struct bound {
    uint64_t number, span;
    bool back;
};

static bool
read_bound (const struct prefix *prefix, const char *text, size_t length, struct bound *bound)
{
    if (prefix->kind == KIND_SIZE)
        return read_size (text, length, &bound->number, &bound->span);
    bound->back = length > 1 && text[0] == '-';
    return read_number (text + bound->back, length - bound->back, &bound->number);
}

/* "A..B" with either end missing, or "A" alone. A revision with a minus before it is counted back
 * from the one of the moment. A range of revisions may end before it begins: scripts ask for what
 * came after the last one that they know. */
static struct node *
number_leaf (void *ctx, const struct lexeme *piece, bool lenient, struct mail_query_error *error)
{
    const char *text = piece->value;
    size_t length = piece->value_length;
    const char *dots = length > 0 ? memmem (text, length, "..", 2) : NULL;
    size_t left = dots != NULL ? (size_t) (dots - text) : length;
    struct bound low = {0}, high = {.number = UINT64_MAX};
    bool good = length > 0 && read_bound (piece->prefix, text, left, &low);
    struct node *node;

    if (good && dots == NULL) {
        high = low;
        high.number += low.span;
    } else if (good) {
        good = read_bound (piece->prefix, dots + 2, length - left - 2, &high);
        high.number += high.number == UINT64_MAX ? 0 : high.span;
    }
    if (good && !lenient && piece->prefix->kind == KIND_SIZE && low.number > high.number)
        return leaf_fail_backwards (ctx, piece, error);
    if (good) {
        node = range_create (ctx, piece->prefix, low.number, high.number);
        node->kind = low.back || high.back ? NODE_RANGE : node->kind;
        node->low_back = low.back;
        node->high_back = high.back;
        return node;
    }
    query_error_set (ctx, error, piece->offset, piece->length,
                     piece->prefix->kind == KIND_SIZE
                         ? "sizes are written like size:10k..2M"
                         : "revisions are written like lastmod:10..20 or lastmod:-5..",
                     "this is no number, and no range of numbers");
    return NULL;
}

/* Seconds, with decimals as Xapian takes them: the next whole second above or below. */
static bool
read_seconds (const char *text, size_t length, bool up, uint64_t *seconds_out)
{
    const char *dot = length > 0 ? memchr (text, '.', length) : NULL;
    size_t whole = dot != NULL ? (size_t) (dot - text) : length;
    bool more = false;

    for (size_t i = whole + 1; dot != NULL && i < length; i++) {
        if (!g_ascii_isdigit (text[i]))
            return false;
        more |= text[i] != '0';
    }
    if ((dot != NULL && length == 1) || !read_number (text, whole, seconds_out) ||
        *seconds_out >= INT64_MAX)
        return false;
    *seconds_out += more && up;
    return true;
}

struct node *
leaf_create_seconds (void *ctx, const struct lexeme *piece)
{
    struct date_range range = {.open_low = true, .open_high = true};
    const char *text = piece->value;
    size_t length = piece->value_length;
    const char *dots = length > 2 && !piece->quoted ? memmem (text, length, "..", 2) : NULL;
    uint64_t low = 0, high = 0;
    struct node *node;
    size_t left;

    if (dots == NULL)
        return NULL;
    left = (size_t) (dots - text);
    if (!read_seconds (text, left, true, &low) ||
        !read_seconds (dots + 2, length - left - 2, false, &high))
        return NULL;
    range.low = (int64_t) low;
    range.high = (int64_t) high;
    range.open_low = left == 0;
    range.open_high = length - left - 2 == 0;
    node = date_range (ctx, &range);
    node->but_zero = false;
    return node;
}

/* ---- terms --------------------------------------------------------------------------------- */

static struct node *
term_create (void *ctx, const struct prefix *prefix, const char *value, size_t length)
{
    struct node *node = node_create (ctx, NODE_TERM);
    char *copy;

    node->prefix = prefix;
    copy = talloc_array (node, char, length + 1);
    memcpy (copy, value, length);
    copy[length] = '\0';
    node->value = copy;
    node->value_length = length;
    return node;
}

/* A Message-ID pasted with its "<>" is the one without, unless there is one that has them. */
static struct node *
id_leaf (void *ctx, const struct prefix *prefix, const char *value, size_t length)
{
    struct node *nodes[2];

    nodes[0] = term_create (ctx, prefix, value, length);
    if (length < 3 || value[0] != '<' || value[length - 1] != '>')
        return nodes[0];
    nodes[1] = term_create (ctx, prefix, value + 1, length - 2);
    return node_join (ctx, NODE_OR, nodes, 2);
}

struct node *
leaf_create_value (void *ctx, const struct prefix *prefix, const char *value, size_t length)
{
    bool folder = prefix->kind == KIND_FOLDER || prefix->kind == KIND_PATH;

    if (folder && length > 0 && value[length - 1] == '/')
        length--;
    if (prefix->kind == KIND_PATH && length == 2 && memcmp (value, "**", 2) == 0)
        return node_create (ctx, NODE_ALL);
    if (prefix->term != NULL && strcmp (prefix->term, PREFIX_MESSAGE_ID) == 0)
        return id_leaf (ctx, prefix, value, length);
    return term_create (ctx, prefix, value, length);
}

static struct node *
term_leaf (void *ctx, const struct lexeme *piece)
{
    const struct prefix *prefix = piece->prefix;
    size_t length = piece->value_length;
    bool folder = prefix->kind == KIND_FOLDER || prefix->kind == KIND_PATH;

    if (prefix->drop_slash && !folder && length > 0 && piece->value[length - 1] == '/')
        length--;
    return leaf_create_value (ctx, prefix, piece->value, length);
}

static bool
is_thing (const struct lexeme *piece, const char *thing)
{
    return piece->value_length == strlen (thing) &&
           memcmp (piece->value, thing, strlen (thing)) == 0;
}

/* has:attachment is all with a word in attachment:; has:problem, the plan looks up. */
static struct node *
has_leaf (void *ctx, const struct lexeme *piece, struct mail_query_error *error)
{
    static const char attachment[] = "attachment";
    struct node *node;

    if (is_thing (piece, "problem"))
        return term_create (ctx, piece->prefix, piece->value, piece->value_length);
    if (!is_thing (piece, attachment)) {
        query_error_set (ctx, error, piece->offset, piece->length,
                         "there are has:attachment and has:problem",
                         "\"%.*s\" is nothing that \"has:\" knows",
                         (int) MIN (piece->value_length, 100), piece->value);
        return NULL;
    }
    node = node_create (ctx, NODE_ANY);
    node->prefix = prefix_find (attachment, strlen (attachment));
    return node;
}

/* No property is without "=", and no name of a file has a slash. */
static bool
can_be (void *ctx, const struct lexeme *piece, struct mail_query_error *error)
{
    const struct prefix *prefix = piece->prefix;

    if (prefix->kind == KIND_FILE && memchr (piece->value, '/', piece->value_length) != NULL)
        return query_error_set (ctx, error, piece->offset, piece->length,
                                "write the last part only; folder: and path: are for the others",
                                "the name of a file has no slash in it");
    if (prefix->kind == KIND_TERM && strcmp (prefix->term, PREFIX_PROPERTY) == 0 &&
        memchr (piece->value, '=', piece->value_length) == NULL)
        return query_error_set (ctx, error, piece->offset, piece->length,
                                "write property:NAME=VALUE; property:* is any",
                                "a property is a name, \"=\" and a value");
    return true;
}

/* ---- regular expressions ------------------------------------------------------------------- */

bool
leaf_is_regex (const struct lexeme *piece, const struct prefix *prefix)
{
    return prefix != NULL && prefix->regex && piece->value_length > 0 && piece->value[0] == '/';
}

struct node *
leaf_create_regex (void *ctx, const struct lexeme *piece, struct mail_query_error *error)
{
    size_t length = piece->value_length;
    struct node *node = node_create (ctx, NODE_REGEX);
    char text[128];
    regex_t regex;
    size_t offset;
    int status;

    if (length < 2 || piece->value[length - 1] != '/') {
        query_error_set (
            ctx, error, piece->offset, piece->length,
            "a regular expression ends with a slash; put quotes around it all where it "
            "has blanks",
            "this regular expression has no end");
        return NULL;
    }
    node->prefix = piece->prefix;
    node->value = talloc_strndup (node, piece->value + 1, length - 2);
    node->value_length = strlen (node->value);
    if (regex_is_too_large (node->value, &offset)) {
        query_error_set (ctx, error, piece->value_offset + 1 + offset, 1,
                         "counts within counts are multiplied, and \"+\" counts twice",
                         "this count makes the regular expression too large");
        return NULL;
    }
    status = regcomp (&regex, node->value, REG_EXTENDED | REG_NOSUB);
    if (status != 0) {
        regerror (status, &regex, text, sizeof text);
        query_error_set (ctx, error, piece->value_offset, piece->value_length,
                         "it is a POSIX extended regular expression: regex(7)",
                         "this regular expression is wrong: %s", text);
        return NULL;
    }
    regfree (&regex);
    return node;
}

/* ---- all of them --------------------------------------------------------------------------- */

struct node *
leaf_create (void *ctx, const struct lexeme *piece, int64_t now, bool lenient,
             struct mail_query_error *error)
{
    if (leaf_is_regex (piece, piece->prefix))
        return leaf_create_regex (ctx, piece, error);
    switch (piece->prefix->kind) {
    case KIND_HAS:
        return has_leaf (ctx, piece, error);
    case KIND_SINCE:
    case KIND_UNTIL:
        return open_date_leaf (ctx, piece, now, error);
    case KIND_DATE:
        return date_leaf (ctx, piece, now, lenient, error);
    case KIND_REVISION:
    case KIND_SIZE:
        return number_leaf (ctx, piece, lenient, error);
    default:
        return lenient || can_be (ctx, piece, error) ? term_leaf (ctx, piece) : NULL;
    }
}

struct node *
leaf_create_any (void *ctx, const struct prefix *prefix)
{
    bool some = prefix->kind == KIND_WORDS ||
                (prefix->kind == KIND_TERM && (strcmp (prefix->term, PREFIX_TAG) == 0 ||
                                               strcmp (prefix->term, PREFIX_PROPERTY) == 0));
    struct node *any = node_create (ctx, some ? NODE_ANY : NODE_ALL);

    any->prefix = some ? prefix : NULL;
    return any;
}
