/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * names.c - the one table of what differs under the name notmuch.
 *
 * Programs written for notmuch start us under that name and expect its environment, its
 * configuration, its places and its exit codes. Everything else asks this table and does not look
 * at the name.
 */
#include "names.h"

#include <string.h>
#include <talloc.h>

#ifndef MAIL_PROGRAM_NAME
#define MAIL_PROGRAM_NAME "mail"
#endif

static const struct names_hooks own_hooks[] = {{NULL, NULL}};

static const struct names_hooks notmuch_hooks[] = {
    {"hooks", "xapian"}, /* where the index is apart from the mail */
    {".notmuch/hooks", ".notmuch"},
    {NULL, NULL},
};

static const char *const notmuch_databases[] = {"xapian", ".notmuch/xapian", NULL};

static const struct names_family own_family = {
    .config_env = "MAIL_CONFIG",
    .profile_env = "MAIL_PROFILE",
    .database_env = "MAIL_DATABASE",
    .folder = "mail",
    .mail_places = {"$MAILDIR", "~/Maildir", "~/Mail", "~/mail"},
    .hooks = own_hooks,
};

static const struct names_family notmuch_family = {
    .config_env = "NOTMUCH_CONFIG",
    .profile_env = "NOTMUCH_PROFILE",
    .database_env = "NOTMUCH_DATABASE",
    .folder = "notmuch",
    .no_profile = "default",
    .home_file = ".notmuch-config",
    .data_folder = "notmuch",
    .mail_places = {"$MAILDIR", "~/mail", "~/Maildir", "~/Mail"},
    .hooks = notmuch_hooks,
    .foreign = true,
};

static const struct names table[] = {
    {
        .program = "notmuch",
        .debug_query_env = "NOTMUCH_DEBUG_QUERY",
        .manual = MAIL_PROGRAM_NAME,
        .query_error_exit = 1,
        .lenient_queries = true,
        .quote_ids = false,
        .bare_is_setup = true,
        .takes_over = true,
        .peer_databases = notmuch_databases,
        .families = {&notmuch_family, &own_family},
    },
    /* any other name */
    {
        .program = "mail",
        .query_error_exit = 2,
        .lenient_queries = false,
        .quote_ids = true,
        .bare_is_setup = false,
        .takes_over = false,
        .peer_databases = notmuch_databases,
        .families = {&own_family, &notmuch_family},
    },
};

const struct names *
names_find (void *ctx, const char *argv0)
{
    const char *slash = argv0 ? strrchr (argv0, '/') : NULL;
    const char *base = slash ? slash + 1 : argv0;
    struct names *names = talloc (ctx, struct names);

    *names = table[base && strcmp (base, table[0].program) == 0 ? 0 : 1];
    if (base && *base)
        names->program = talloc_strdup (names, base);
    if (!names->manual)
        names->manual = names->program;
    return names;
}

int
names_exit_code (const struct names *names, enum mail_status status)
{
    return status == MAIL_ERROR_QUERY ? names->query_error_exit : mail_status_exit_code (status);
}
