/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * session.c - the beginning that most commands share.
 *
 * Each step prints its own message when it fails and returns the exit code, so that a command reads
 * as a list of steps.
 */
#include "session.h"
#include "report.h"

#include <errno.h>
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>
#include <unistd.h>

#define FORMAT_VERSION_MIN 1
#define EXIT_FORMAT_TOO_OLD 20
#define EXIT_FORMAT_TOO_NEW 21

static bool
exists (const struct config_paths *paths, const char *name)
{
    char *path = talloc_asprintf (NULL, "%s/.mailindex/%s", paths->database, name);
    bool is = access (path, F_OK) == 0;

    talloc_free (path);
    return is;
}

/* Whether somebody can mend that; an index that has never been there, nobody can. */
static bool
is_passing (enum mail_status status, const struct config_paths *paths)
{
    return status == MAIL_ERROR_CORRUPT || status == MAIL_ERROR_STORE || status == MAIL_ERROR_IO ||
           (status == MAIL_ERROR_NO_INDEX && exists (paths, "lock"));
}

static int
open_failed (const struct cli *cli, enum mail_status status, const struct config_paths *paths,
             unsigned flags, const char *error)
{
    bool was = exists (paths, "journal") || exists (paths, "backups");

    if (status == MAIL_ERROR_NO_INDEX && was)
        report (cli, "the index in '%s' is damaged: '%s check' says where", paths->database,
                cli->program);
    else if (status == MAIL_ERROR_NO_INDEX)
        report (cli, "there is no index in '%s' yet: '%s new' makes one", paths->database,
                cli->program);
    else
        report (cli, "%s", error && *error ? error : mail_status_text (status));
    if (status == MAIL_ERROR_CORRUPT)
        report (cli, "'%s check' says what is damaged, '%s check --repair' mends it", cli->program,
                cli->program);
    if (flags & SESSION_DELIVER && is_passing (status, paths))
        return EXIT_AGAIN;
    return names_exit_code (cli->names, status);
}

static int
check_uuid (const struct cli *cli, const struct mail_index *index)
{
    if (!cli->global.uuid || strcmp (cli->global.uuid, mail_index_uuid (index)) == 0)
        return 0;
    return report_usage ("requested database revision %s does not match %s", cli->global.uuid,
                         mail_index_uuid (index));
}

int
session_read_stored (void *ctx, const struct cli *cli, struct mail_index *index)
{
    struct mail_setting *settings;
    size_t count;
    enum mail_status status = mail_index_settings (ctx, index, &settings, &count);

    if (status != MAIL_OK)
        return report_status (cli, status, index);
    for (size_t i = 0; i < count; i++)
        config_add_stored (cli->config, settings[i].key, settings[i].value);
    return 0;
}

/* One entry of maildir.flags: LETTER:TAG. */
static bool
read_flag (const char *entry, struct mail_flag *flag_out)
{
    if (entry[0] == '\0' || entry[1] != ':')
        return false;
    *flag_out = (struct mail_flag){.letter = entry[0], .tag = entry + 2};
    return true;
}

/* maildir.synchronize_flags and maildir.flags, for who changes tags or reads names of files. */
static int
set_flags (void *ctx, const struct cli *cli, struct mail_index *index)
{
    size_t count;
    char *error = NULL, **entries = config_list (ctx, cli->config, "maildir.flags", &count);
    struct mail_flag *flags = talloc_array (ctx, struct mail_flag, count);
    bool to_names;

    if (config_boolean (ctx, cli->config, "maildir.synchronize_flags", &to_names, &error) !=
        MAIL_OK) {
        report (cli, "%s", error);
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (read_flag (entries[i], &flags[i]))
            continue;
        report (cli, "'%s' is not allowed in maildir.flags: it is a letter, ':' and a tag",
                entries[i]);
        return 1;
    }
    if (mail_index_set_flags (index, to_names, flags, count) == MAIL_OK)
        return 0;
    report (cli, "maildir.flags: %s", mail_index_error (index));
    return 1;
}

#define HEADER_KEY "index.header."

/* Header fields that have a prefix. notmuch passes over names that are not allowed, too. */
static const struct mail_header_prefix *
header_prefixes (void *ctx, const struct cli *cli, bool tell)
{
    struct mail_header_prefix *headers = talloc_zero_array (ctx, struct mail_header_prefix, 1);
    char **keys = config_keys (ctx, cli->config);
    size_t count = 0;

    for (; *keys; keys++) {
        const char *name = *keys + strlen (HEADER_KEY), *header, *reason;

        if (strncmp (*keys, HEADER_KEY, strlen (HEADER_KEY)) != 0)
            continue;
        header = config_string (ctx, cli->config, *keys);
        if (mail_header_prefix_check (name, &reason) == MAIL_OK && header && *header) {
            headers = talloc_realloc (ctx, headers, struct mail_header_prefix, count + 2);
            headers[count++] = (struct mail_header_prefix){.name = name, .header = header};
            headers[count] = (struct mail_header_prefix){0};
        } else if (tell && header && *header) {
            report (cli, "warning: %s is passed over: %s", *keys, reason);
        }
    }
    return headers;
}

static int
find_options (void *ctx, const struct cli *cli, unsigned flags, struct config_paths *paths,
              struct mail_open_options *options)
{
    enum mail_status status;
    char *error = NULL;
    int64_t timeout;

    *options = (struct mail_open_options){
        .flags = flags & SESSION_CREATE ? MAIL_OPEN_CREATE : 0,
        .command = talloc_asprintf (ctx, "%s %s", cli->program, cli->command),
    };
    status =
        config_integer (ctx, cli->config, "database.lock_timeout", 0, 1000000, &timeout, &error);
    if (status == MAIL_OK)
        status = config_paths (ctx, cli->config, paths, &error);
    if (status != MAIL_OK) {
        report (cli, "%s", error);
        return names_exit_code (cli->names, status);
    }
    if (paths->assumed && (flags & SESSION_CREATE) && !(flags & SESSION_QUIET))
        report (cli, "%s", paths->assumed);
    options->stemmer = config_string (ctx, cli->config, "index.stemmer");
    options->headers = header_prefixes (ctx, cli, flags & SESSION_CREATE);
    options->path = paths->database;
    options->mail_root = paths->mail_root;
    options->lock_timeout = (int) timeout;
    return 0;
}

int
session_open_options (void *ctx, const struct cli *cli, unsigned flags,
                      struct mail_open_options *options_out)
{
    struct config_paths paths;

    return find_options (ctx, cli, flags, &paths, options_out);
}

int
session_open (void *ctx, const struct cli *cli, unsigned flags, struct mail_index **index_out)
{
    struct mail_open_options options;
    struct config_paths paths;
    char *error = NULL;
    int code = find_options (ctx, cli, flags, &paths, &options);
    enum mail_status status;

    if (code != 0)
        return code;
    status = mail_index_open (ctx, &options, index_out, &error);
    if (status != MAIL_OK)
        return open_failed (cli, status, &paths, flags, error);
    code = check_uuid (cli, *index_out);
    if (code == 0)
        code = session_read_stored (ctx, cli, *index_out);
    return code == 0 && flags & SESSION_CHANGE ? set_flags (ctx, cli, *index_out) : code;
}

void
session_close (const struct cli *cli, struct mail_index *index)
{
    if (!index)
        return;
    if (cli->global.debug)
        report (cli, "waited %" PRIu64 " ms for locks", mail_index_lock_wait (index));
    mail_index_close (index);
}

/* All of a file without blanks at its end; NULL with errno set: EILSEQ for a NUL byte in it. */
static char *
read_query (void *ctx, const char *path)
{
    FILE *file = strcmp (path, "-") == 0 ? stdin : fopen (path, "re");
    GString *all = g_string_new (NULL);
    char buffer[4096], *text = NULL;
    size_t length;
    int error;

    while (file && (length = fread (buffer, 1, sizeof buffer, file)) > 0)
        g_string_append_len (all, buffer, (gssize) length);
    if (file && !ferror (file) && memchr (all->str, 0, all->len))
        errno = EILSEQ;
    else if (file && !ferror (file))
        text = talloc_strdup (ctx, g_strchomp (all->str));
    error = errno;
    if (file && file != stdin)
        fclose (file);
    g_string_free (all, TRUE);
    errno = error;
    return text;
}

int
session_query_text (void *ctx, const struct cli *cli, int argc, char **argv, char **text_out)
{
    const char *file = cli->global.query_file;
    char *joined = argc > 0 ? g_strjoinv (" ", argv) : NULL;

    *text_out = file ? NULL : talloc_strdup (ctx, joined ? joined : "");
    g_free (joined);
    if (!file)
        return 0;
    if (argc > 0)
        return report_usage ("--query-file and a query are not compatible.");
    *text_out = read_query (ctx, file);
    if (*text_out)
        return 0;
    if (errno == EILSEQ) {
        report (cli, "error in the query: there is a NUL byte in '%s'", file);
        return names_exit_code (cli->names, MAIL_ERROR_QUERY);
    }
    report (cli, "cannot read the query from '%s': %s", file, strerror (errno));
    return 1;
}

char **
session_excluded_tags (void *ctx, const struct cli *cli)
{
    return config_list (ctx, cli->config, "search.exclude_tags", NULL);
}

struct saved {
    void *ctx;
    const struct config *config;
};

static const char *
find_saved (void *closure, enum mail_query_syntax syntax, const char *name)
{
    struct saved *saved = closure;
    const char *section = syntax == MAIL_SYNTAX_SEXP ? "squery" : "query";

    return config_string (saved->ctx, saved->config,
                          talloc_asprintf (saved->ctx, "%s.%s", section, name));
}

static int
parse (void *ctx, const struct cli *cli, struct mail_index *index, const char *text,
       struct mail_query **query_out)
{
    struct saved saved = {.ctx = ctx, .config = cli->config};
    struct mail_query_names names = {
        .find = find_saved, .closure = &saved, .lenient = cli->names->lenient_queries};
    struct mail_query_error error = {0};
    enum mail_status status = mail_query_parse_as (
        ctx, index, (enum mail_query_syntax) cli->global.query, &names, text, query_out, &error);

    if (status == MAIL_ERROR_QUERY)
        return report_query_error (cli, text, &error);
    if (status == MAIL_OK && mail_query_warning (*query_out))
        report_query_warning (cli, text, mail_query_warning (*query_out));
    return status == MAIL_OK ? 0 : report_status (cli, status, index);
}

void
session_drop_named (const struct mail_query *query, char **excluded)
{
    size_t kept = 0;

    for (size_t i = 0; excluded && excluded[i]; i++)
        if (!mail_query_names_tag (query, excluded[i]))
            excluded[kept++] = excluded[i];
    if (excluded)
        excluded[kept] = NULL;
}

/* Under the name notmuch, for who looks into a query. */
static void
debug_query (const struct cli *cli, struct mail_query *query, const char *text, char **excluded)
{
    const char *wanted = cli->names->debug_query_env ? getenv (cli->names->debug_query_env) : NULL;
    char *explained, *tree, *end;

    if (!wanted || !*wanted)
        return;
    explained = mail_query_explain (NULL, query);
    tree = strstr (explained, "\ntree:\n");
    end = tree ? strstr (tree, "\nplan:") : NULL;
    fprintf (stderr, "Query string is:\n%s\nExclude query is:\n", text);
    for (size_t i = 0; excluded && excluded[i]; i++)
        fprintf (stderr, "%s(tag \"%s\")", i ? " " : "", excluded[i]);
    if (end)
        fprintf (stderr, "\nFinal query is:\n%.*s\n", (int) (end - tree - 7), tree + 7);
    talloc_free (explained);
}

int
session_parse (void *ctx, const struct cli *cli, struct mail_index *index, const char *text,
               char **excluded, struct mail_query **query_out)
{
    int code = parse (ctx, cli, index, text, query_out);

    if (code != 0)
        return code;
    if (excluded) {
        session_drop_named (*query_out, excluded);
        mail_query_exclude (*query_out, (const char *const *) excluded);
    }
    debug_query (cli, *query_out, text, excluded);
    return 0;
}

int
session_format_version (const struct cli *cli, int64_t version)
{
    if (version < FORMAT_VERSION_MIN) {
        fprintf (stderr,
                 "A caller requested output format version %" PRId64
                 ", which is no longer supported\n"
                 "by the %s CLI (it requires at least version %d).  You may need to\n"
                 "upgrade your %s front-end.\n",
                 version, cli->program, FORMAT_VERSION_MIN, cli->program);
        return EXIT_FORMAT_TOO_OLD;
    }
    if (version > FORMAT_VERSION) {
        fprintf (stderr,
                 "A caller requested output format version %" PRId64 ", but the installed %s\n"
                 "CLI only supports up to format version %d.  You may need to upgrade your\n"
                 "%s CLI.\n",
                 version, cli->program, FORMAT_VERSION, cli->program);
        return EXIT_FORMAT_TOO_NEW;
    }
    return 0;
}
