/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compact.c - an index in as little room as it can do with.
 *
 * State is copied under the lock (a second for a gigabyte) and exchanged in one rename; readers
 * have the old one open and find the new one when they look for changes (mail_index_refresh).
 * Segments are merged without the lock, as in any run.
 */
#include "files.h"
#include "journal.h"
#include "merge.h"
#include "snapshot.h"
#include "writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <unistd.h>

#define WAIT_MS 500 /* for a worker, before it is looked at whether it lives */

struct compact {
    struct mail_index *index;
    const char *backup;
    mail_compact_fn tell;
    void *closure;
};

static void __attribute__ ((format (printf, 2, 3)))
tell (struct compact *compact, const char *format, ...)
{
    va_list arguments;
    if (!compact->tell)
        return;
    va_start (arguments, format);
    char *line = talloc_vasprintf (NULL, format, arguments);
    va_end (arguments);
    compact->tell (compact->closure, line);
    talloc_free (line);
}

static enum mail_status
fail (struct compact *compact, const char *what, const char *path)
{
    int error = errno;
    return index_fail (compact->index, files_status (error), "cannot %s '%s': %s", what, path,
                       strerror (error));
}

/* ---- the backup ---- */

static enum mail_status
make_backup_folder (struct compact *compact)
{
    struct stat st, above;
    char *parent = talloc_strdup (compact, compact->backup), *slash = strrchr (parent, '/');
    if (lstat (compact->backup, &st) == 0)
        return index_fail (compact->index, MAIL_ERROR_ARGUMENT, "path already exists: %s",
                           compact->backup);
    if (slash)
        slash[slash == parent] = '\0';
    if (stat (slash ? parent : ".", &above) != 0)
        return fail (compact, "look at", parent);
    if (stat (compact->index->folder, &st) != 0 || st.st_dev != above.st_dev)
        return index_fail (compact->index, MAIL_ERROR_ARGUMENT,
                           "'%s' is on another file system than the index", compact->backup);
    char *text = talloc_asprintf (compact, "%s/text", compact->backup);
    return mkdir (compact->backup, 0700) == 0 && mkdir (text, 0700) == 0
               ? MAIL_OK
               : fail (compact, "make", compact->backup);
}

/* The segments that the old state names, under the lock. */
static enum mail_status
link_segments (struct compact *compact, const struct manifest *manifest)
{
    for (size_t i = 0; i < manifest->count; i++) {
        const char *name = manifest->segments[i].name;
        char *from = talloc_asprintf (compact, "%s/text/%s", compact->index->folder, name);
        char *to = talloc_asprintf (compact, "%s/text/%s", compact->backup, name);
        if (link (from, to) != 0)
            return fail (compact, "link", to);
    }
    return MAIL_OK;
}

static enum mail_status
link_files (struct compact *compact, char *const *paths, const char *place)
{
    for (; *paths; paths++) {
        char *to = talloc_asprintf (compact, "%s/%s", place, strrchr (*paths, '/') + 1);
        if (link (*paths, to) != 0)
            return fail (compact, "link", to);
    }
    return MAIL_OK;
}

/* Snapshots and journals, without which the backup could not be repaired. The newest journal goes
 * on being written, so it is copied. */
static enum mail_status
link_history (struct compact *compact)
{
    char **journals = journal_files (compact, compact->index->folder), **last = journals;
    char *snapshots = talloc_asprintf (compact, "%s/backups", compact->backup);
    char *copy = talloc_asprintf (compact, "%s/journal", compact->backup), *bytes;
    gsize length;
    while (last[1])
        last++;
    if (g_file_get_contents (*last, &bytes, &length, NULL)) {
        bool written = g_file_set_contents (copy, bytes, (gssize) length, NULL);
        g_free (bytes);
        if (!written || chmod (copy, 0600) != 0)
            return fail (compact, "write", copy);
    }
    *last = NULL;
    if (mkdir (snapshots, 0700) != 0)
        return fail (compact, "make", snapshots);
    enum mail_status status = link_files (compact, journals, compact->backup);
    if (status == MAIL_OK)
        status = link_files (compact, snapshot_files (compact, compact->index->folder), snapshots);
    return status;
}

/* ---- state ---- */

static uint64_t
bytes_of (struct compact *compact, const char *folder)
{
    static const char *const tables[] = {"postlist.glass", "docdata.glass", "termlist.glass"};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct stat st;
        char *path = talloc_asprintf (compact, "%s/%s", folder, tables[i]);
        if (stat (path, &st) == 0)
            sum += (uint64_t) st.st_size;
    }
    return sum;
}

static enum mail_status
exchange (struct compact *compact, const char *state, const char *made)
{
    int error = files_sync_folder (made);
    if (error)
        return index_fail (compact->index, files_status (error), "cannot sync '%s': %s", made,
                           strerror (error));
    if (renameat2 (AT_FDCWD, made, AT_FDCWD, state, RENAME_EXCHANGE) != 0)
        return fail (compact, "put in place", made);
    error = files_sync_folder (compact->index->folder);
    return error ? index_fail (compact->index, files_status (error), "cannot sync '%s': %s",
                               compact->index->folder, strerror (error))
                 : MAIL_OK;
}

static enum mail_status
compact_locked (struct compact *compact, struct writer *writer)
{
    struct mail_index *index = compact->index;
    char *error = NULL, *state = talloc_asprintf (compact, "%s/state", index->folder);
    char *made = talloc_asprintf (compact, "%s/state.compact", index->folder);
    uint64_t before = bytes_of (compact, state);
    files_remove_tree (made); /* of a run that was stopped */
    enum mail_status status = store_compact (compact, state, made, &error);
    if (status != MAIL_OK)
        return index_fail (index, status, "cannot compact '%s': %s", state, error);
    uint64_t after = bytes_of (compact, made);
    if (compact->backup)
        status = link_segments (compact, writer->manifest);
    if (compact->backup && status == MAIL_OK)
        status = link_history (compact);
    if (status == MAIL_OK)
        status = exchange (compact, state, made);
    if (status != MAIL_OK)
        return status;
    tell (compact, "state: %llu K instead of %llu K", (unsigned long long) after / 1024,
          (unsigned long long) before / 1024);
    if (!compact->backup) {
        files_remove_tree (made);
        return MAIL_OK;
    }
    char *kept = talloc_asprintf (compact, "%s/state", compact->backup);
    return rename (made, kept) == 0 ? MAIL_OK : fail (compact, "move the old state to", kept);
}

static enum mail_status
compact_state (struct compact *compact)
{
    struct writer *writer;
    enum mail_status status = writer_begin (compact, compact->index, &writer);
    if (status != MAIL_OK)
        return status;
    status = compact_locked (compact, writer);
    talloc_free (writer);
    return status == MAIL_OK ? mail_index_refresh (compact->index) : status;
}

/* ---- text ---- */

/* Waits for the merge that worker 0 is at; a merge that fails is thrown away. */
static enum mail_status
await_merge (struct compact *compact, struct crew *crew, struct merge *merge)
{
    struct crew_event event;
    do
        crew_wait (compact, crew, WAIT_MS, &event);
    while (event.kind == CREW_NOTHING || event.worker != 0);
    if (event.kind == CREW_SEGMENT)
        return merge_end (merge, &event.segment);
    if (merge_lacks_source (merge))
        return mail_index_refresh (compact->index);
    return index_fail (compact->index, event.kind == CREW_FAILED ? event.status : MAIL_ERROR_WORKER,
                       "cannot merge segments: %s",
                       event.kind == CREW_FAILED ? event.text : "died");
}

static enum mail_status
merge_all (struct compact *compact, struct scratch *scratch, struct mail_workers *workers)
{
    struct mail_index *index = compact->index;
    struct crew *crew;
    char *error = NULL, *text = talloc_asprintf (compact, "%s/text", index->folder);
    size_t count = index->manifest->count;
    struct merge *merge = merge_begin_all (compact, index, scratch);
    if (!merge && index->manifest->count < 2) /* somebody was quicker */
        return MAIL_OK;
    if (!merge) {
        tell (compact, "text: left as it is: another program is at it, or the disk is too full");
        return MAIL_OK;
    }
    enum mail_status status = crew_create (compact, workers, scratch->path, text, index->fields,
                                           (struct decrypt_policy){0}, &crew, &error);
    if (status != MAIL_OK)
        return index_fail (index, status, "%s", error);
    merge_send (merge, crew, 0);
    status = await_merge (compact, crew, merge);
    if (status == MAIL_OK) {
        size_t now = index->manifest->count;
        tell (compact, "text: %zu segment%s instead of %zu", now, now == 1 ? "" : "s", count);
    }
    talloc_free (merge);
    talloc_free (crew);
    return status;
}

static enum mail_status
compact_text (struct compact *compact, struct mail_workers *workers)
{
    struct scratch *scratch;
    char *error = NULL;
    if (compact->index->manifest->count < 2)
        return MAIL_OK;
    scratch_remove_left_over (compact->index->folder);
    enum mail_status status = scratch_create (compact, compact->index->folder, &scratch, &error);
    if (status != MAIL_OK)
        return index_fail (compact->index, status, "%s", error);
    status = merge_all (compact, scratch, workers);
    talloc_free (scratch);
    return status;
}

enum mail_status
mail_index_compact (struct mail_index *index, struct mail_workers *workers, const char *backup,
                    mail_compact_fn tell_fn, void *closure)
{
    struct compact *compact = talloc_zero (index, struct compact);
    compact->index = index;
    compact->backup = backup;
    compact->tell = tell_fn;
    compact->closure = closure;
    enum mail_status status = backup ? make_backup_folder (compact) : MAIL_OK;
    if (status == MAIL_OK)
        status = compact_state (compact);
    if (status == MAIL_OK)
        status = compact_text (compact, workers);
    talloc_free (compact);
    return status;
}
