/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command-insert.c - insert: delivers one mail and indexes it.
 *
 * Order: all that can be known to fail is looked at first (tags, index, folder, whether it is
 * mail); then the mail is delivered, so that it is safe; then it is indexed, in a small segment of
 * its own and without waiting for another run; then its tags are put into its name. What fails on
 * the way takes the mail away again, and a mail server is told to keep it, unless --keep says
 * otherwise.
 */
#include "decrypt.h"
#include "deliver.h"
#include "folder-path.h"
#include "hooks.h"
#include "report.h"
#include "session.h"
#include "tag-operations.h"

#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <talloc.h>

#define MERGE_LIMIT (4 << 20) /* bytes: a mail should not wait for more */

struct insert_options {
    const char *folder;
    bool create_folder, keep, hooks, world_readable;
    int decrypt;
};

#define T struct insert_options
/* clang-format off */
static const struct option_spec specs[] = {
    OPT_STRING (T, folder, "folder", "FOLDER", "deliver into this maildir below the mail folder",
                .may_be_empty = true),
    OPT_BOOLEAN (T, create_folder, "create-folder", "make the maildir where it is missing"),
    OPT_BOOLEAN (T, keep, "keep", "keep the mail when it cannot be indexed"),
    OPT_BOOLEAN (T, hooks, "hooks", "run post-insert"),
    OPT_BOOLEAN (T, world_readable, "world-readable", "for everybody to read"),
    OPT_KEYWORD (T, decrypt, "decrypt", index_decrypts, "decrypt encrypted mail to index it"),
    OPT_END
};
/* clang-format on */

static const struct insert_options defaults = {
    .folder = "", .hooks = true, .decrypt = DECRYPT_AS_CONFIGURED};

struct insert {
    struct cli *cli;
    const struct insert_options *options;
    struct tag_operations operations;
    struct mail_index *index;
    const char *mail_root;
    char *folder;
    struct delivery *delivery;
    char *id;
    bool known; /* there was a message with this id before */
    char **tags;
    size_t tag_count;
    int64_t tombstone_days;
    struct mail_apply_options decrypt; /* only what is about that */
};

/* ---- what is asked for ---- */

static int
read_tags (void *ctx, struct insert *insert, int argc, char **argv)
{
    int at = 0;

    for (; at < argc; at++) {
        const char *reason;

        if (strcmp (argv[at], "--") == 0)
            continue;
        if (!tag_is_operation (argv[at]))
            return report_usage ("unexpected query string: %s", argv[at]);
        reason = tag_operations_add (ctx, &insert->operations, argv[at]);
        if (reason)
            return report_usage ("%s", reason);
    }
    return 0;
}

/* What "new" never looks into. */
static bool
is_hidden_place (const char *name)
{
    return strcmp (name, ".mailindex") == 0 || strcmp (name, ".notmuch") == 0;
}

/* The folder as a relative path: without doubled slashes and "."; NULL where ".." or an index is in
 * it. */
static char *
clean_folder (void *ctx, const char *given)
{
    char **parts = g_strsplit (given, "/", -1), *folder = talloc_strdup (ctx, "");

    for (char **part = parts; folder && *part; part++) {
        if (strcmp (*part, "..") == 0 || is_hidden_place (*part))
            TALLOC_FREE (folder);
        else if (**part && strcmp (*part, ".") != 0)
            folder = talloc_asprintf_append (folder, "%s%s", *folder ? "/" : "", *part);
    }
    g_strfreev (parts);
    return folder;
}

static bool
is_removed (const struct tag_operations *operations, const char *tag)
{
    bool removed = false;

    for (size_t i = 0; i < operations->count; i++)
        if (strcmp (operations->changes[i].tag, tag) == 0)
            removed = !operations->changes[i].add;
    return removed;
}

/* Tags of a new message: those of new.tags, then what the command line says. */
static int
read_settings (void *ctx, struct insert *insert)
{
    size_t count;
    char *error = NULL, **tags = config_list (ctx, insert->cli->config, "new.tags", &count);

    if (config_integer (ctx, insert->cli->config, "new.tombstone_days", 0, 36500,
                        &insert->tombstone_days, &error) != MAIL_OK) {
        report (insert->cli, "%s", error);
        return 1;
    }
    insert->tags = talloc_zero_array (ctx, char *, count + insert->operations.count + 1);
    for (size_t i = 0; i < count; i++) {
        const char *reason = NULL;

        if (mail_tag_check (tags[i], &reason) != MAIL_OK)
            return report_usage ("tag '%s' in new.tags: %s", tags[i],
                                 reason ? reason : "not allowed");
        if (!is_removed (&insert->operations, tags[i]))
            insert->tags[insert->tag_count++] = tags[i];
    }
    for (size_t i = 0; i < insert->operations.count; i++) {
        const struct mail_tag_change *change = &insert->operations.changes[i];

        if (change->add && !is_removed (&insert->operations, change->tag))
            insert->tags[insert->tag_count++] = talloc_strdup (ctx, change->tag);
    }
    return 0;
}

/* ---- the index ---- */

/* What a mail server should try again. */
static int
exit_code (enum mail_status status)
{
    bool again = status == MAIL_ERROR_IO || status == MAIL_ERROR_STORE ||
                 status == MAIL_ERROR_WORKER || status == MAIL_ERROR_CORRUPT ||
                 status == MAIL_ERROR_NO_INDEX; /* taken away, or aside, since it was opened */

    return again ? EXIT_AGAIN : mail_status_exit_code (status);
}

static int
index_failed (const struct insert *insert, enum mail_status status)
{
    report_status (insert->cli, status, insert->index);
    return exit_code (status);
}

static void
on_problem (void *closure, const char *path, enum mail_status status, const char *text)
{
    const struct insert *insert = closure;

    report (insert->cli, "'%s' was delivered, but cannot be indexed: %s", path,
            text && *text ? text : mail_status_text (status));
}

static char *
folder_of_new (void *ctx, const struct insert *insert)
{
    return talloc_asprintf (ctx, "%s%snew", insert->folder, *insert->folder ? "/" : "");
}

static enum mail_status
add_to_index (struct insert *insert)
{
    struct mail_changes *changes = mail_changes_create (NULL, insert->index);
    struct mail_stat file_stat = {0};
    struct mail_apply_options options = {
        .new_tags = (const char *const *) insert->tags,
        .new_tags_count = insert->tag_count,
        .tombstone_days = (unsigned) insert->tombstone_days,
        .merge_limit = MERGE_LIMIT,
        .decrypt = insert->decrypt.decrypt,
        .decrypt_seconds = insert->decrypt.decrypt_seconds,
        .problem = on_problem,
        .closure = insert,
    };
    struct mail_apply_counts counts;
    enum mail_status status = mail_workers_start (changes, 1, 0, &options.workers);

    folder_file_stat (insert->delivery->path, &file_stat);
    mail_changes_add (changes, folder_of_new (changes, insert), insert->delivery->name, &file_stat);
    if (status == MAIL_OK)
        status = mail_changes_apply (changes, &options, &counts);
    talloc_free (changes);
    return status;
}

/* The command line's tags for a message that is new, also where another run has been quicker; and
 * the letters in the name. */
static enum mail_status
give_tags (struct insert *insert)
{
    struct mail_edits *edits = mail_edits_create (NULL, insert->index);
    struct mail_edit edit = {.rename_files = true};
    enum mail_status status;

    if (!insert->known)
        edit = tag_operations_edit (&insert->operations);
    edit.rename_files = true;
    status = mail_edits_add (edits, insert->id, &edit);
    if (status == MAIL_OK)
        status = mail_edits_apply (edits, NULL, NULL, NULL);
    talloc_free (edits);
    return status;
}

/* ---- the command ---- */

/* Whether the file in "tmp" is mail, and whose; known: of a message that is there already. */
static int
look_at_mail (void *ctx, struct insert *insert)
{
    struct mail_content *content;
    struct mail_message *message = NULL;
    char *error = NULL;
    enum mail_status status = mail_content_open (ctx, insert->delivery->tmp, &content, &error);

    if (status == MAIL_ERROR_NOT_MAIL) {
        report_message ("Error: delivery of non-mail file: '%s'\n", insert->delivery->path);
        return 1;
    }
    if (status != MAIL_OK) {
        report (insert->cli, "%s", error);
        return exit_code (status);
    }
    insert->id = mail_content_message_id (ctx, content);
    talloc_free (content);
    if (!insert->index)
        return 0;
    status = mail_message_find (ctx, insert->index, insert->id, &message);
    insert->known = message != NULL;
    talloc_free (message);
    return status == MAIL_OK ? 0 : index_failed (insert, status);
}

static void
take_away (struct insert *insert)
{
    struct mail_changes *changes = mail_changes_create (NULL, insert->index);
    const struct mail_apply_options options = {.merge_limit = MERGE_LIMIT};
    struct mail_apply_counts counts;
    const struct mail_folder *folder = NULL;
    struct mail_folders *folders;

    deliver_undo (insert->delivery);
    if (mail_folders_load (changes, insert->index, &folders) == MAIL_OK)
        folder = folder_of_path (folders, folder_of_new (changes, insert));
    if (folder) {
        mail_changes_drop (changes, folder->id, insert->delivery->name);
        mail_changes_apply (changes, &options, &counts);
    }
    talloc_free (changes);
}

static int
index_mail (struct insert *insert)
{
    enum mail_status status = add_to_index (insert);

    if (status == MAIL_OK)
        status = give_tags (insert);
    if (status == MAIL_OK)
        return 0;
    index_failed (insert, status);
    if (!insert->options->keep)
        take_away (insert);
    return exit_code (status);
}

static int
deliver (void *ctx, struct insert *insert)
{
    bool keep = insert->options->keep;
    int code = deliver_read (ctx, insert->cli, insert->mail_root, insert->folder,
                             insert->options->world_readable, &insert->delivery);
    bool indexable = insert->index != NULL;

    if (code != 0)
        return code;
    code = look_at_mail (ctx, insert);
    if (code != 0 && !keep)
        return code;
    indexable &= code == 0;
    code = deliver_finish (insert->cli, insert->delivery);
    if (code == 0 && indexable)
        code = index_mail (insert);
    return keep && insert->delivery->done ? 0 : code;
}

/* While an index is being repaired it takes no tags. */
static int
open_index (void *ctx, struct insert *insert)
{
    int code = session_open (ctx, insert->cli, SESSION_CHANGE | SESSION_DELIVER, &insert->index);

    if (code != 0 || !mail_repair_is_open (insert->index))
        return code;
    report (insert->cli, "the index is being repaired; '%s check --repair' finishes it",
            insert->cli->program);
    session_close (insert->cli, insert->index);
    insert->index = NULL;
    return EXIT_AGAIN;
}

/* Opens the index; with --keep the mail is delivered also where that fails. */
static int
prepare (void *ctx, struct insert *insert)
{
    struct config_paths paths;
    char *error = NULL;
    int code;

    if (config_paths (ctx, insert->cli->config, &paths, &error) != MAIL_OK) {
        report (insert->cli, "%s", error);
        return 1;
    }
    insert->mail_root = paths.mail_root;
    insert->folder = clean_folder (ctx, insert->options->folder);
    if (!insert->folder)
        return report_usage ("invalid folder name: '%s'", insert->options->folder);
    code = open_index (ctx, insert);
    if (code == 0)
        code = read_settings (ctx, insert);
    if (code == 0)
        code = decrypt_settings (insert->cli, insert->options->decrypt, &insert->decrypt);
    if (code != 0 && (!insert->options->keep || insert->index))
        return code;
    return insert->options->create_folder
               ? deliver_make_folder (insert->cli, insert->mail_root, insert->folder,
                                      insert->options->world_readable)
               : 0;
}

static int
run_insert (struct cli *cli, void *options, int argc, char **argv)
{
    void *local = talloc_new (NULL), *working = talloc_new (local);
    struct insert insert = {.cli = cli, .options = options};
    int code = read_tags (local, &insert, argc, argv);

    if (code == 0)
        code = prepare (local, &insert);
    if (code == 0)
        code = deliver (working, &insert);
    talloc_free (working);
    session_close (cli, insert.index);
    if (code == 0 && insert.options->hooks)
        hook_run (cli, "post-insert"); /* the mail is there, whatever it says */
    talloc_free (local);
    return code;
}

const struct command command_insert = {
    .name = "insert",
    .arguments = "[OPTION...] [--] [+TAG|-TAG...]",
    .summary = "Deliver a mail and index it",
    .options = specs,
    .defaults = &defaults,
    .options_size = sizeof defaults,
    .run = run_insert,
};
