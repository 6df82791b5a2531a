/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reindex.c - the list of changes that reads mail again, and how it is carried out. */
#include "decrypt.h"
#include "folder-path.h"
#include "progress.h"
#include "reindex.h"
#include "report.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <talloc.h>

struct reindex {
    struct cli *cli;
    struct mail_index *index;
    struct mail_folders *folders;
    struct mail_changes *changes;
    struct progress *progress;
    bool again; /* a later run may do better */
};

struct reindex *
reindex_create (void *ctx, struct cli *cli, struct mail_index *index)
{
    struct reindex *reindex = talloc_zero (ctx, struct reindex);

    reindex->cli = cli;
    reindex->index = index;
    if (mail_folders_load (reindex, index, &reindex->folders) != MAIL_OK)
        TALLOC_FREE (reindex);
    else
        reindex->changes = mail_changes_create (reindex, index);
    return reindex;
}

static void
tell (struct reindex *reindex, const char *path, const char *text)
{
    char *line = text_line (NULL, path);

    progress_clear (reindex->progress);
    fprintf (stderr, "%s: %s\n", line, text_line (line, text));
    talloc_free (line);
}

static void
add_file (struct reindex *reindex, const struct mail_file *file)
{
    char *path = mail_file_path (NULL, reindex->index, file);
    const struct mail_folder *folder = folder_of_path (reindex->folders, file->folder);
    struct mail_stat file_stat;

    if (folder_file_stat (path, &file_stat)) {
        mail_changes_add (reindex->changes, file->folder, file->name, &file_stat);
    } else if (errno == ENOENT && folder) {
        mail_changes_drop_missing (reindex->changes, folder->id, file->name);
    } else {
        tell (reindex, path, strerror (errno));
        reindex->again = true;
    }
    talloc_free (path);
}

void
reindex_add (struct reindex *reindex, const struct mail_message *message)
{
    size_t count;
    const struct mail_file *files = mail_message_files (message, &count);

    for (size_t i = 0; i < count; i++)
        add_file (reindex, &files[i]);
}

static void
on_problem (void *closure, const char *path, enum mail_status status, const char *text)
{
    struct reindex *reindex = closure;

    reindex->again |= status == MAIL_ERROR_IO;
    tell (reindex, path, text && *text ? text : mail_status_text (status));
}

static bool
on_progress (void *closure, const char *path, uint64_t done, uint64_t total)
{
    struct reindex *reindex = closure;

    (void) path;
    progress_update (reindex->progress, done, total);
    return true;
}

int
reindex_apply (struct reindex *reindex, int decrypt)
{
    const struct config *config = reindex->cli->config;
    struct mail_apply_options options = {
        .reindex = true, .problem = on_problem, .progress = on_progress, .closure = reindex};
    struct mail_apply_counts counts;
    int64_t days, workers, mebibytes;
    char *error = NULL;
    enum mail_status status;

    if (mail_changes_empty (reindex->changes))
        return reindex->again ? EXIT_AGAIN : 0;
    options.new_tags =
        (const char *const *) config_list (reindex, config, "new.tags", &options.new_tags_count);
    reindex->progress = progress_begin (reindex, "files", true);
    if (config_integer (reindex, config, "new.tombstone_days", 0, 36500, &days, &error) !=
            MAIL_OK ||
        config_integer (reindex, config, "new.workers", 0, 256, &workers, &error) != MAIL_OK ||
        config_integer (reindex, config, "new.memory", 16, 1 << 20, &mebibytes, &error) !=
            MAIL_OK) {
        report (reindex->cli, "%s", error);
        return 1;
    }
    options.tombstone_days = (unsigned) days;
    int code = decrypt_settings (reindex->cli, decrypt, &options);
    if (code != 0)
        return code;
    status = mail_workers_start (reindex, (unsigned) workers, (size_t) mebibytes << 20,
                                 &options.workers);
    if (status == MAIL_OK)
        status = mail_changes_apply (reindex->changes, &options, &counts);
    progress_clear (reindex->progress);
    if (status != MAIL_OK)
        return report_status (reindex->cli, status, reindex->index);
    return reindex->again ? EXIT_AGAIN : 0;
}
