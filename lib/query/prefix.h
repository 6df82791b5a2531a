/* SPDX-License-Identifier: GPL-3.0-or-later */
/* prefix.h - the table of what may stand before a colon in a query. */
#ifndef PREFIX_H
#define PREFIX_H

#include "fields.h"
#include <stdbool.h>
#include <stddef.h>

enum prefix_kind {
    KIND_WORDS,    /* words of some fields of text */
    KIND_TERM,     /* one exact term of state */
    KIND_FOLDER,   /* a folder without its last cur or new */
    KIND_PATH,     /* a folder as it is, or all below it */
    KIND_DATE,     /* a range of the date column */
    KIND_REVISION, /* a range of the revision column */
    KIND_SIZE,     /* a range of the size column */
    KIND_SINCE,    /* date:X.. */
    KIND_UNTIL,    /* date:..X */
    KIND_HAS,      /* what a message has, by name */
    KIND_FILE,     /* the base name of a mail file */
    KIND_SAVED,    /* a saved query */
    KIND_SEXP      /* a query as an S-expression */
};

struct prefix {
    const char *name;
    enum prefix_kind kind;
    field_set fields;  /* KIND_WORDS */
    const char *term;  /* KIND_TERM: prefix of schema.h */
    bool user;         /* of a header field that the user added
                        */
    bool stem;         /* KIND_WORDS: words may be stemmed */
    bool one_phrase;   /* KIND_WORDS: all words of an unquoted value make one phrase */
    bool alternatives; /* values side by side are joined by OR */
    bool drop_slash;   /* one slash at the end of a value is dropped */
    bool braces;       /* {query} is all that belongs to the matches of a query */
    bool regex;        /* a value between slashes is a regular expression */
};

#define PREFIX_COUNT 27
extern const struct prefix prefix_table[PREFIX_COUNT];

/* The fields that a word without a prefix looks at. */
field_set prefix_bare_fields (const struct fields *fields);

/* The prefix of exactly this name; NULL for none. */
const struct prefix *prefix_find (const char *name, size_t length);

/* The prefixes of header fields that the user added. */
struct user_prefixes {
    size_t count;
    struct prefix prefixes[]; /* their names are those of fields */
};
struct user_prefixes *prefix_users (void *ctx, const struct fields *fields);
/* As prefix_find; users may be NULL. */
const struct prefix *prefix_find_user (const struct user_prefixes *users, const char *name,
                                       size_t length);
/* What was probably meant by a name that is none: one of six letters and more with at most two
 * slips of the pen, a shorter one with one slip, or any written in capitals. NULL for none: "std",
 * "http" and "state" are words. */
const struct prefix *prefix_guess (const char *name, size_t length);

#endif
