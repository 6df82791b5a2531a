/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * options.h - the options of a command as a table; the help text comes from the same table.
 *
 * Grammar: "--name=value", "--name:value", "--name value" (not for booleans, and not when the next
 * word begins with "--"). Booleans: "--name", "--no-name", "--name=true|false". Sets of flags can
 * be repeated; "--no-name=word" takes a flag away. Options end at a lone "--" or before the first
 * word that does not begin with "--". Names are matched whole.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum option_kind {
    OPTION_END,
    OPTION_BOOLEAN, /* bool */
    OPTION_MAYBE,   /* a boolean whose default is worked out: int, 0 or 1 where it is given */
    OPTION_KEYWORD, /* int: the value of one of keywords */
    OPTION_FLAGS,   /* int: the values of keywords ORed together */
    OPTION_INTEGER, /* int64_t */
    OPTION_STRING   /* const char *, from argv */
};

struct option_keyword {
    const char *name; /* NULL ends the list */
    int value;
};

struct option_spec {
    enum option_kind kind;
    const char *name;
    size_t offset;                         /* of the value in the struct of values */
    const char *meaning;                   /* one line for help; NULL: not shown there */
    const struct option_keyword *keywords; /* KEYWORD, FLAGS */
    const char *argument;                  /* what help calls the value: "FILE"; STRING, INTEGER */
    int64_t min, max;                      /* INTEGER; any where both are 0 */
    bool may_be_empty;                     /* STRING */
    bool may_be_bare;                      /* KEYWORD: "--name" alone is the first of keywords, with
                                              a warning on stderr */
};

/* Rows of a table: the struct of values, its member (which does not compile with a wrong type), the
 * name, ..., the meaning; then any further members. */
#define OPT_BOOLEAN(type, member, word, text) \
    { \
        .kind = OPTION_BOOLEAN, .name = word, .offset = OPT_AT (type, member, bool), \
        .meaning = text \
    }
#define OPT_MAYBE(type, member, word, text) \
    { \
        .kind = OPTION_MAYBE, .name = word, .offset = OPT_AT (type, member, int), .meaning = text \
    }
#define OPT_KEYWORD(type, member, word, words, text, ...) \
    { \
        .kind = OPTION_KEYWORD, .name = word, .offset = OPT_AT (type, member, int), \
        .keywords = words, .meaning = text, ##__VA_ARGS__ \
    }
#define OPT_FLAGS(type, member, word, words, text) \
    { \
        .kind = OPTION_FLAGS, .name = word, .offset = OPT_AT (type, member, int), \
        .keywords = words, .meaning = text \
    }
#define OPT_INTEGER(type, member, word, value, text, ...) \
    { \
        .kind = OPTION_INTEGER, .name = word, .offset = OPT_AT (type, member, int64_t), \
        .argument = value, .meaning = text, ##__VA_ARGS__ \
    }
#define OPT_STRING(type, member, word, value, text, ...) \
    { \
        .kind = OPTION_STRING, .name = word, .offset = OPT_AT (type, member, const char *), \
        .argument = value, .meaning = text, ##__VA_ARGS__ \
    }
#define OPT_END \
    { \
        .kind = OPTION_END \
    }

#define OPT_AT(type, member, wanted) \
    (offsetof (type, member) + \
     0 * sizeof ( \
             char[__builtin_types_compatible_p (__typeof__ (((type *) 0)->member), wanted) ? 1 \
                                                                                           : -1]))

/* A table, ended by OPTION_END, and the struct that its offsets point into. */
struct option_set {
    const struct option_spec *specs;
    void *values;
};

/* Reads the options that begin at argv[first]; the first set that has a name gets it. Returns the
 * index of the first word that is left, or -1 with the lines to show, ending in a newline, in
 * *error_out (talloc'd on ctx). */
int options_parse (void *ctx, const struct option_set *sets, size_t set_count, int argc,
                   char *const *argv, int first, char **error_out);

/* Among the words that are left, the first one before a lone "--" that would have been an option
 * further in front; NULL for none. */
const char *options_too_late (const struct option_set *sets, size_t set_count, int argc,
                              char *const *argv);

/* Prints two columns: the options with their arguments, and what they mean. defaults: the values
 * without any option. */
void options_help (FILE *file, const struct option_spec *specs, const void *defaults);

#endif
