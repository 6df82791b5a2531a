/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * options.c - reads options by a table.
 *
 * Not getopt_long: the grammar is the one that scripts written for notmuch use ("--name:value",
 * "--no-name=word", "+tag -tag" after the options), and so are the words of the messages.
 */
#include "options.h"

#include <errno.h>
#include <glib.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

/* One option as it stands on the command line. */
struct given {
    const struct option_spec *spec;
    void *value;      /* where the result goes */
    const char *text; /* after "=" or ":", or the next word; NULL for none */
    bool negated;     /* --no-name */
    bool took_next;   /* text is the next word */
};

static bool
fail (void *ctx, char **error_out, const char *format, ...)
{
    va_list args;

    va_start (args, format);
    *error_out = talloc_vasprintf (ctx, format, args);
    va_end (args);
    return false;
}

static const struct option_keyword *
find_keyword (const struct option_spec *spec, const char *name)
{
    for (const struct option_keyword *k = spec->keywords; k->name; k++)
        if (strcmp (k->name, name) == 0)
            return k;
    return NULL;
}

static bool
set_boolean (void *ctx, const struct given *given, char **error_out)
{
    bool value = true;

    if (given->text && strcmp (given->text, "false") == 0)
        value = false;
    else if (given->text && strcmp (given->text, "true") != 0)
        return fail (ctx, error_out, "Unknown argument \"%s\" for (boolean) option \"%s\".\n",
                     given->text, given->spec->name);
    if (given->spec->kind == OPTION_MAYBE)
        *(int *) given->value = value != given->negated;
    else
        *(bool *) given->value = value != given->negated;
    return true;
}

static char *
keyword_names (void *ctx, const struct option_spec *spec, const char *separator)
{
    char *names = talloc_strdup (ctx, "");

    for (const struct option_keyword *k = spec->keywords; k->name; k++)
        names =
            talloc_asprintf_append (names, "%s%s", k == spec->keywords ? "" : separator, k->name);
    return names;
}

static bool
set_keyword (void *ctx, struct given *given, char **error_out)
{
    const struct option_spec *spec = given->spec;
    const struct option_keyword *keyword = given->text ? find_keyword (spec, given->text) : NULL;

    if (!keyword && spec->may_be_bare && (!given->text || given->took_next)) {
        keyword = spec->keywords;
        given->took_next = false;
        fprintf (
            stderr,
            "Warning: No known keyword option given for \"%s\", choosing value \"%s\".  Please "
            "specify the argument explicitly!\n",
            spec->name, keyword->name);
    }
    if (!keyword && !given->text)
        return fail (ctx, error_out, "Option \"%s\" needs a keyword argument.\n", spec->name);
    if (!keyword)
        return fail (ctx, error_out, "Unknown keyword argument \"%s\" for option \"%s\".\n",
                     given->text, spec->name);

    if (spec->kind == OPTION_KEYWORD)
        *(int *) given->value = keyword->value;
    else if (given->negated)
        *(int *) given->value &= ~keyword->value;
    else
        *(int *) given->value |= keyword->value;
    return true;
}

static bool
set_integer (void *ctx, const struct given *given, char **error_out)
{
    const struct option_spec *spec = given->spec;
    bool limited = spec->min != 0 || spec->max != 0;
    char *end;
    intmax_t value;

    if (!given->text || !*given->text)
        return fail (ctx, error_out, "Option \"%s\" needs an integer argument.\n", spec->name);
    errno = 0;
    value = strtoimax (given->text, &end, 10);
    if (*end || end == given->text)
        return fail (ctx, error_out,
                     "Unable to parse argument \"%s\" for option \"%s\" as an integer.\n",
                     given->text, spec->name);
    if (errno == ERANGE || (limited && (value < spec->min || value > spec->max)))
        return fail (ctx, error_out, "Argument \"%s\" for option \"%s\" is out of range.\n",
                     given->text, spec->name);
    *(int64_t *) given->value = value;
    return true;
}

static bool
set_string (void *ctx, const struct given *given, char **error_out)
{
    const struct option_spec *spec = given->spec;

    if (!given->text)
        return fail (ctx, error_out, "Option \"%s\" needs a string argument.\n", spec->name);
    if (!*given->text && !spec->may_be_empty)
        return fail (ctx, error_out, "String argument for option \"%s\" must be non-empty.\n",
                     spec->name);
    *(const char **) given->value = given->text;
    return true;
}

static bool
set_value (void *ctx, struct given *given, char **error_out)
{
    switch (given->spec->kind) {
    case OPTION_BOOLEAN:
    case OPTION_MAYBE:
        return set_boolean (ctx, given, error_out);
    case OPTION_KEYWORD:
    case OPTION_FLAGS:
        return set_keyword (ctx, given, error_out);
    case OPTION_INTEGER:
        return set_integer (ctx, given, error_out);
    case OPTION_STRING:
        return set_string (ctx, given, error_out);
    case OPTION_END:
        break;
    }
    return false;
}

static bool
is_boolean (const struct option_spec *spec)
{
    return spec->kind == OPTION_BOOLEAN || spec->kind == OPTION_MAYBE;
}

/* What follows the name in an argument without its "--"; NULL when it is another name. */
static const char *
after_name (const char *argument, const char *name)
{
    size_t length = strlen (name);

    if (strncmp (argument, name, length) != 0)
        return NULL;
    argument += length;
    return *argument == '\0' || *argument == '=' || *argument == ':' ? argument : NULL;
}

/* word: an argument without its "--". */
static bool
match (const struct option_spec *spec, const char *word, struct given *given)
{
    bool has_inverse = is_boolean (spec) || spec->kind == OPTION_FLAGS;
    const char *rest = after_name (word, spec->name);

    given->negated = !rest && has_inverse && g_str_has_prefix (word, "no-");
    if (given->negated)
        rest = after_name (word + 3, spec->name);
    if (!rest)
        return false;
    given->spec = spec;
    given->text = *rest ? rest + 1 : NULL;
    return true;
}

static bool
find (const struct option_set *sets, size_t set_count, const char *word, struct given *given)
{
    for (size_t i = 0; i < set_count; i++)
        for (const struct option_spec *spec = sets[i].specs; spec->kind != OPTION_END; spec++)
            if (match (spec, word, given)) {
                given->value = (char *) sets[i].values + spec->offset;
                return true;
            }
    return false;
}

int
options_parse (void *ctx, const struct option_set *sets, size_t set_count, int argc,
               char *const *argv, int first, char **error_out)
{
    int i = first;

    while (i < argc && g_str_has_prefix (argv[i], "--")) {
        struct given given = {0};
        char *error = NULL;

        if (argv[i][2] == '\0')
            return i + 1;
        if (!find (sets, set_count, argv[i] + 2, &given)) {
            fail (ctx, error_out, "Unrecognized option: %s\n", argv[i]);
            return -1;
        }
        if (!given.text && !is_boolean (given.spec) && i + 1 < argc &&
            !g_str_has_prefix (argv[i + 1], "--")) {
            given.text = argv[i + 1];
            given.took_next = true;
        }
        if (!set_value (ctx, &given, &error)) {
            fail (ctx, error_out, "%sUnrecognized option: %s\n", error, argv[i]);
            return -1;
        }
        i += given.took_next ? 2 : 1;
    }
    return i;
}

const char *
options_too_late (const struct option_set *sets, size_t set_count, int argc, char *const *argv)
{
    struct given given;

    for (int i = 0; i < argc && strcmp (argv[i], "--") != 0; i++)
        if (g_str_has_prefix (argv[i], "--") && find (sets, set_count, argv[i] + 2, &given))
            return argv[i];
    return NULL;
}

static char *
synopsis (void *ctx, const struct option_spec *spec, const void *defaults)
{
    switch (spec->kind) {
    case OPTION_BOOLEAN:
        return talloc_asprintf (
            ctx, *(const bool *) ((const char *) defaults + spec->offset) ? "--[no-]%s" : "--%s",
            spec->name);
    case OPTION_MAYBE:
        return talloc_asprintf (ctx, "--[no-]%s", spec->name);
    case OPTION_KEYWORD:
    case OPTION_FLAGS:
        return talloc_asprintf (ctx, "--%s=%s", spec->name, keyword_names (ctx, spec, "|"));
    default:
        return talloc_asprintf (ctx, "--%s=%s", spec->name, spec->argument ? spec->argument : "N");
    }
}

void
options_help (FILE *file, const struct option_spec *specs, const void *defaults)
{
    void *local = talloc_new (NULL);

    for (const struct option_spec *spec = specs; spec->kind != OPTION_END; spec++) {
        char *left = synopsis (local, spec, defaults);

        if (!spec->meaning)
            continue;
        if (strlen (left) > 24)
            fprintf (file, "  %s\n%28s%s\n", left, "", spec->meaning);
        else
            fprintf (file, "  %-24s  %s\n", left, spec->meaning);
    }
    talloc_free (local);
}
