/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check.c - reads all of an index and tells what is damaged.
 *
 * First without the lock, so that nobody waits for a check of an index that is well; what seems
 * damaged then may be another process's commit, so it is looked at again under the lock. Work
 * expected: every byte once, a few seconds for a gigabyte.
 */
#include "check.h"
#include "files.h"
#include "journal.h"
#include "lock.h"
#include "schema.h"
#include "snapshot.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <unistd.h>

void
check_found (struct check *check, enum mail_store store, const char *path, const char *format, ...)
{
    va_list arguments;
    va_start (arguments, format);
    char *text = talloc_vasprintf (NULL, format, arguments);
    va_end (arguments);
    const struct mail_damage damage = {store, path, text};
    check->found++;
    if (check->each)
        check->each (check->closure, &damage);
    talloc_free (text);
}

static const char *
relative (const struct check *check, const char *path)
{
    return path + strlen (check->index->folder) + 1;
}

/* ---- text ---- */

static void
check_segment (struct check *check, const struct segment *segment)
{
    char sum[65], *name = talloc_asprintf (NULL, "text/%s", segment->name);
    char *path = talloc_asprintf (name, "%s/%s", check->index->folder, name);
    uint64_t bytes = 0;
    int error = files_sha256 (path, sum, &bytes);
    if (error)
        check_found (check, MAIL_STORE_TEXT, name, "%s", strerror (error));
    else if (bytes != segment->bytes || strcmp (sum, segment->sha256) != 0)
        check_found (check, MAIL_STORE_TEXT, name, "its content has changed");
    talloc_free (name);
}

/* ---- journals and snapshots ---- */

static bool
pass_over (void *closure, const struct journal_block *block)
{
    (void) closure;
    (void) block;
    return true;
}

/* length: of what belongs to it, UINT64_MAX for all. */
static void
check_journal (struct check *check, const char *path, uint64_t length)
{
    bool bad = false;
    struct stat st;
    enum mail_status status = journal_read (path, length, pass_over, NULL, &bad);
    if (status != MAIL_OK)
        check_found (check, MAIL_STORE_JOURNAL, relative (check, path), "%s",
                     mail_status_text (status));
    else if (bad)
        check_found (check, MAIL_STORE_JOURNAL, relative (check, path), "a block is damaged");
    else if (length != UINT64_MAX && length > 0 &&
             (stat (path, &st) != 0 || (uint64_t) st.st_size < length))
        check_found (check, MAIL_STORE_JOURNAL, relative (check, path), "its end is missing");
}

static void
check_journals (struct check *check, uint64_t length)
{
    char **paths = journal_files (NULL, check->index->folder);
    for (char **path = paths; *path; path++)
        check_journal (check, *path, path[1] ? UINT64_MAX : length);
    talloc_free (paths);
}

static void
check_snapshots (struct check *check)
{
    char **paths = snapshot_files (NULL, check->index->folder);
    for (char **path = paths; *path; path++)
        if (!snapshot_is_whole (*path))
            check_found (check, MAIL_STORE_SNAPSHOT, relative (check, *path), "it is damaged");
    talloc_free (paths);
}

/* ---- all ---- */

/* Whether there is something that an index has left. */
static bool
has_remains (const char *folder)
{
    char *text = talloc_asprintf (NULL, "%s/text", folder);
    bool has = access (text, F_OK) == 0 || snapshot_has_history (folder);
    talloc_free (text);
    return has;
}

static void
check_opened (struct check *check)
{
    struct mail_index *index = check->index;
    char *text = NULL;
    enum mail_status status = store_metadata (index, index->state, META_JOURNAL, &text, NULL);
    check_state (check);
    for (size_t i = 0; i < index->manifest->count; i++)
        check_segment (check, &index->manifest->segments[i]);
    if (status == MAIL_OK)
        check_journals (check, strtoull (text, NULL, 10));
    check_snapshots (check);
}

/* Reads it once; what is found goes to check->each. */
static enum mail_status
check_once (void *ctx, const struct mail_open_options *options, struct check *check,
            char **error_out)
{
    char *error = NULL;
    struct mail_index *index = NULL;
    struct mail_open_options existing = *options;
    existing.flags &= ~(unsigned) MAIL_OPEN_CREATE;
    enum mail_status status = mail_index_open (ctx, &existing, &index, &error);
    if (status == MAIL_OK) {
        check->index = index;
        check_opened (check);
        mail_index_close (index);
        return MAIL_OK;
    }
    char *folder = talloc_asprintf (ctx, "%s/.mailindex", options->path);
    bool damaged = status == MAIL_ERROR_CORRUPT || status == MAIL_ERROR_STORE ||
                   (status == MAIL_ERROR_NO_INDEX && has_remains (folder));
    if (damaged)
        check_found (check, MAIL_STORE_STATE, "state", "%s", error);
    else if (error_out)
        *error_out = talloc_strdup (ctx, error);
    talloc_free (folder);
    return damaged ? MAIL_OK : status;
}

enum mail_status
mail_index_check (void *ctx, const struct mail_open_options *options, mail_damage_fn each,
                  void *closure, size_t *found_out, char **error_out)
{
    struct check check = {0};
    void *local = talloc_new (ctx);
    struct lock *lock;
    uint64_t waited = 0;
    *found_out = 0;
    enum mail_status status = check_once (local, options, &check, error_out);
    if (status == MAIL_OK && (check.found > 0 || check.overtaken)) {
        char *folder = talloc_asprintf (local, "%s/.mailindex", options->path);
        int timeout = options->lock_timeout < 0 ? 30 : options->lock_timeout;
        check = (struct check){.each = each, .closure = closure};
        status = lock_acquire (local, folder, timeout, options->command, &lock, &waited, error_out);
        if (status == MAIL_OK)
            status = check_once (local, options, &check, error_out);
        *found_out = check.found;
    }
    if (error_out && *error_out)
        talloc_steal (ctx, *error_out);
    talloc_free (local);
    return status;
}
