/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * takeover.c - finds notmuch, its database and what it knows of the mail.
 *
 * notmuch can be this program by now, under its name: so all that are found are asked something
 * that only we say yes to. The dump is made anew for each run of a first import, since notmuch may
 * still be in use; it is kept, so that a run can go on when notmuch is gone. The tags of a message
 * go with the commit that adds it (mail_apply_options.known): there is no moment at which a later
 * change of them could be lost, and nothing to be done again.
 */
#include "takeover.h"
#include "dump-read.h"
#include "report.h"
#include "session.h"

#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <unistd.h>

bool
takeover_is_there (const struct cli *cli, const char *database)
{
    bool found = false;

    for (const char *const *p = cli->names->peer_databases; *p && !found; p++) {
        char *path = talloc_asprintf (NULL, "%s/%s/iamglass", database, *p);

        found = access (path, F_OK) == 0;
        talloc_free (path);
    }
    return found;
}

/* ---- the program ---- */

static bool
is_this_program (const char *path)
{
    struct stat ours, other;

    return stat ("/proc/self/exe", &ours) == 0 && stat (path, &other) == 0 &&
           ours.st_dev == other.st_dev && ours.st_ino == other.st_ino;
}

/* Whether a program says that it is notmuch, and does not say that it is another copy of this. */
static bool
is_notmuch (const char *path)
{
    char *ask_name[] = {(char *) path, "--version", NULL};
    char *ask_kind[] = {(char *) path, "--config=", "config", "get", "built_with.mailindex", NULL};
    char *name = NULL, *kind = NULL;
    GSpawnFlags flags = G_SPAWN_STDERR_TO_DEV_NULL;
    bool is = g_spawn_sync (NULL, ask_name, NULL, flags, NULL, NULL, &name, NULL, NULL, NULL) &&
              g_str_has_prefix (name, "notmuch ") &&
              g_spawn_sync (NULL, ask_kind, NULL, flags, NULL, NULL, &kind, NULL, NULL, NULL) &&
              !g_str_has_prefix (kind, "true");

    g_free (name);
    g_free (kind);
    return is;
}

char *
takeover_program (void *ctx)
{
    const char *path = getenv ("PATH");
    char **folders = g_strsplit (path ? path : "", ":", -1), *found = NULL;

    for (char **folder = folders; *folder && !found; folder++) {
        char *file = talloc_asprintf (ctx, "%s/notmuch", *folder);

        if (**folder == '/' && access (file, X_OK) == 0 && !is_this_program (file) &&
            is_notmuch (file))
            found = file;
        else
            talloc_free (file);
    }
    g_strfreev (folders);
    return found;
}

void
takeover_explain (const struct cli *cli, const char *database)
{
    report (
        cli,
        "'%s' has an index of notmuch, whose tags could be taken over, but no program notmuch "
        "was found to ask for them. Where there is one: 'notmuch dump >FILE', and then here '%s "
        "restore <FILE', before tags are changed here",
        database, cli->program);
}

/* ---- reading it ---- */

struct taken {
    struct mail_index *index;
    struct dump_reader reader;
    struct mail_edits *edits;
    struct cli *cli;
    struct mail_setting *settings; /* those that the index does not have */
    size_t setting_count;
};

static enum mail_status
add_edit (void *closure, const char *id, const struct mail_edit *edit)
{
    struct taken *taken = closure;

    if (mail_edits_add (taken->edits, id, edit) != MAIL_OK)
        dump_warn (&taken->reader, mail_index_error (taken->index), "");
    return MAIL_OK;
}

static void
add_setting (void *closure, const char *key, const char *value)
{
    struct taken *taken = closure;
    size_t count = taken->setting_count;

    if (config_is_stored (taken->cli->config, key))
        return;
    taken->settings =
        talloc_realloc (taken->edits, taken->settings, struct mail_setting, count + 1);
    taken->settings[count] = (struct mail_setting){talloc_strdup (taken->edits, key),
                                                   talloc_strdup (taken->edits, value)};
    taken->setting_count++;
}

static int
keep_settings (struct taken *taken)
{
    enum mail_status status;

    if (taken->setting_count == 0)
        return 0;
    status = mail_index_set_settings (taken->index, taken->settings, taken->setting_count);
    if (status != MAIL_OK)
        return report_status (taken->cli, status, taken->index);
    return session_read_stored (taken->edits, taken->cli, taken->index);
}

static int
read_dump (void *ctx, struct cli *cli, struct mail_index *index, const char *path,
           struct mail_edits **known_out)
{
    struct taken taken = {.index = index, .cli = cli, .edits = mail_edits_create (ctx, index)};
    int code = lines_open_gzip (taken.edits, path, &taken.reader.lines);

    if (code != 0)
        return code;
    taken.reader.progress = progress_begin (taken.edits, "messages", false);
    taken.reader.format = DUMP_BATCH_TAG;
    taken.reader.edit = add_edit;
    taken.reader.setting = add_setting;
    taken.reader.closure = &taken;
    dump_read (&taken.reader);
    code = lines_status (cli, taken.reader.lines);
    if (code != 0)
        report (cli, "that was '%s', the dump of notmuch's tags", path);
    if (code == 0)
        code = keep_settings (&taken);
    *known_out = taken.edits;
    return code;
}

/* A new dump in place of the one that there is perhaps. */
static int
renew_dump (void *ctx, const struct cli *cli, const char *database, bool have, bool quiet)
{
    const char *program = takeover_program (ctx);

    if (!program && !have)
        takeover_explain (cli, database);
    if (!program)
        return 0;
    if (!quiet)
        report (cli,
                "'%s' has an index of notmuch: its tags are taken over ('%s dump'), and it "
                "stays as it is",
                database, program);
    int code = takeover_dump (cli, program, database);

    if (code == 0)
        return 0;
    if (have) {
        report (cli, "going on with the tags that notmuch gave before");
        return 0;
    }
    report (cli, "nothing was indexed. To go on without the tags of notmuch, set takeover=false in "
                 "the section [new] of the configuration");
    return code;
}

/* Whether somebody comes from notmuch: there is nothing that was written for this program. */
static bool
comes_from_notmuch (const struct cli *cli)
{
    return cli->names->takes_over || !config_file (cli->config) ||
           config_file_is_foreign (cli->config);
}

int
takeover_load (void *ctx, struct cli *cli, struct mail_index *index, bool quiet,
               struct mail_edits **known_out)
{
    void *local = talloc_new (NULL);
    char *error = NULL, *folder = g_path_get_dirname (mail_index_folder (index));
    const char *path = takeover_dump_file (local, folder);
    bool wanted = false, have = access (path, F_OK) == 0;
    int code = 0;

    if (config_boolean (local, cli->config, "new.takeover", &wanted, &error) != MAIL_OK) {
        report (cli, "%s", error);
        code = 1;
    }
    if (wanted && comes_from_notmuch (cli) && takeover_is_there (cli, folder)) {
        code = renew_dump (local, cli, folder, have, quiet);
        have = access (path, F_OK) == 0;
    }
    if (code == 0 && wanted && have)
        code = read_dump (ctx, cli, index, path, known_out);
    g_free (folder);
    talloc_free (local);
    return code;
}
