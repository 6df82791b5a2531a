/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * snapshot.c - writing snapshots of tags and properties, and the journal's turn that goes with it.
 *
 * The lock is held only while the journal is renamed: what changes while the messages are read is
 * in the new journal, and lines done twice do no harm. The old journals go when the snapshot is
 * durable. Work expected: a hundred thousand messages in half a second, once a week.
 */
#include "snapshot.h"
#include "batch.h"
#include "files.h"
#include "journal.h"
#include "lock.h"
#include "message.h"
#include "metadata.h"
#include "schema.h"
#include "tombstone.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#define SUFFIX ".tags"
#define TMP "tmp-" /* and the process */
#define HEAD "#notmuch-dump batch-tag:3 config,properties,tags\n"
#define FLUSH_BYTES ((size_t) 256 << 10)
#define DUE_BYTES (16 << 20)
#define DUE_SECONDS (7 * 86400)

/* ---- the files ---- */

static int
compare_paths (const void *a, const void *b)
{
    return strcmp (*(char *const *) a, *(char *const *) b);
}

char **
snapshot_files (void *ctx, const char *folder)
{
    size_t count = 0;
    char **paths = talloc_zero_array (ctx, char *, 1);
    char *place = talloc_asprintf (paths, "%s/backups", folder);
    DIR *dir = opendir (place);
    for (struct dirent *entry; dir && (entry = readdir (dir)) != NULL;) {
        if (!g_ascii_isdigit (entry->d_name[0]) || !g_str_has_suffix (entry->d_name, SUFFIX))
            continue;
        paths = talloc_realloc (ctx, paths, char *, count + 2);
        paths[count++] = talloc_asprintf (paths, "%s/%s", place, entry->d_name);
        paths[count] = NULL;
    }
    if (dir)
        closedir (dir);
    qsort (paths, count, sizeof *paths, compare_paths); /* times have ten digits */
    return paths;
}

/* The time in the name of the next: later than that of all others, whatever the clock says, since
 * their order is that of their names. */
static int64_t
next_time (struct mail_index *index)
{
    int64_t now = time (NULL);
    char **paths = snapshot_files (NULL, index->folder);
    for (char **path = paths; *path; path++)
        now = MAX (now, strtoll (strrchr (*path, '/') + 1, NULL, 10) + 1);
    talloc_free (paths);
    return now;
}

bool
snapshot_has_history (const char *folder)
{
    char **journals = journal_files (NULL, folder), **snapshots = snapshot_files (journals, folder);
    bool has = *snapshots != NULL;
    for (char **path = journals; *path; path++)
        has |= access (*path, F_OK) == 0;
    talloc_free (journals);
    return has;
}

/* Reads line by line; each may be NULL. False where the file is not whole; *status says also that
 * it could not be read. */
static bool
read_lines (const char *path, snapshot_line_fn each, void *closure, enum mail_status *status)
{
    FILE *file = fopen (path, "re");
    if (!file && errno != ENOENT)
        *status = files_status (errno);
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    uLong sum = crc32_z (0, NULL, 0), written = 0;
    bool first = true, ended = false, good = file != NULL;
    while (good && *status == MAIL_OK && (length = getline (&line, &room, file)) > 0) {
        char *end;
        good = !ended && line[length - 1] == '\n' && (!first || strcmp (line, HEAD) == 0);
        ended = strncmp (line, "#e ", 3) == 0;
        if (ended)
            written = strtoul (line + 3, &end, 16);
        else
            sum = crc32_z (sum, (const Bytef *) line, (size_t) length);
        if (good && each && !first && !ended) {
            line[length - 1] = '\0';
            *status = each (closure, line);
        }
        first = false;
    }
    good = good && !ferror (file);
    if (file)
        fclose (file);
    free (line);
    return good && ended && sum == written;
}

enum mail_status
snapshot_check (const char *path)
{
    enum mail_status status = MAIL_OK;
    bool whole = read_lines (path, NULL, NULL, &status);
    return status == MAIL_OK && !whole ? MAIL_ERROR_CORRUPT : status;
}

enum mail_status
snapshot_read (const char *path, snapshot_line_fn each, void *closure)
{
    enum mail_status status = MAIL_OK;
    read_lines (path, each, closure, &status);
    return status;
}

/* ---- writing ---- */

struct output {
    FILE *file;
    GString *pending;
    uLong sum;
};

static void
flush (struct output *output)
{
    output->sum = crc32_z (output->sum, (const Bytef *) output->pending->str, output->pending->len);
    fwrite (output->pending->str, 1, output->pending->len, output->file);
    g_string_truncate (output->pending, 0);
}

static void
append_message (struct output *output, const struct mail_message *message)
{
    size_t count;
    const struct mail_property *properties = mail_message_properties (message, &count);
    for (size_t i = 0; i < message->tag_count; i++) {
        g_string_append (output->pending, i ? " +" : "+");
        batch_append_hex (output->pending, message->tags[i]);
    }
    batch_append_id (output->pending, message->id);
    if (count > 0)
        batch_append_properties (output->pending, message->id, properties, count);
    if (output->pending->len >= FLUSH_BYTES)
        flush (output);
}

static enum mail_status
append_settings (void *ctx, struct mail_index *index, struct output *output)
{
    struct mail_setting *settings;
    size_t count;
    enum mail_status status = mail_index_settings (ctx, index, &settings, &count);
    for (size_t i = 0; status == MAIL_OK && i < count; i++) {
        g_string_append (output->pending, "#@ ");
        batch_append_hex (output->pending, settings[i].key);
        g_string_append_c (output->pending, ' ');
        batch_append_hex (output->pending, settings[i].value);
        g_string_append_c (output->pending, '\n');
    }
    return status;
}

/* Messages whose files are away: they may be back tomorrow. */
static enum mail_status
append_gone (void *ctx, struct mail_index *index, struct output *output)
{
    struct idset ids = {NULL, 0};
    enum mail_status status = tombstone_list (ctx, index, &ids);
    for (size_t i = 0; status == MAIL_OK && i < ids.count; i++) {
        struct mail_message *message;
        void *local = talloc_new (ctx);
        status = tombstone_read (local, index, ids.ids[i], &message);
        if (status == MAIL_OK && message)
            append_message (output, message);
        talloc_free (local);
    }
    return status;
}

static enum mail_status
write_messages (struct mail_index *index, struct output *output)
{
    struct idset ids = {NULL, 0};
    void *local = talloc_new (NULL);
    enum mail_status status = index_list_mail (local, index, &ids);
    g_string_append (output->pending, HEAD);
    if (status == MAIL_OK)
        status = append_settings (local, index, output);
    for (size_t i = 0; status == MAIL_OK && i < ids.count; i++) {
        struct mail_message *message = NULL;
        status = message_read_parts (local, index, ids.ids[i], STORE_TERMS, &message);
        if (status == MAIL_OK && message)
            append_message (output, message);
        talloc_free (message);
    }
    if (status == MAIL_OK)
        status = append_gone (local, index, output);
    flush (output);
    fprintf (output->file, "#e %08lx\n", output->sum);
    talloc_free (local);
    return status;
}

static enum mail_status
failed (struct mail_index *index, const char *path, int error)
{
    return index_fail (index, files_status (error), "cannot write '%s': %s", path,
                       strerror (error));
}

static enum mail_status
write_file (struct mail_index *index, const char *path)
{
    struct output output = {.file = fopen (path, "wxe"), .sum = crc32_z (0, NULL, 0)};
    if (!output.file)
        return failed (index, path, errno);
    output.pending = g_string_new (NULL);
    enum mail_status status = write_messages (index, &output);
    int error = 0;
    if (fflush (output.file) != 0 || ferror (output.file) || fsync (fileno (output.file)) != 0)
        error = errno ? errno : EIO;
    fclose (output.file);
    g_string_free (output.pending, TRUE);
    if (status == MAIL_OK && error)
        status = failed (index, path, error);
    if (status != MAIL_OK)
        unlink (path);
    return status;
}

/* So that it is missed when somebody takes it away. */
static enum mail_status
note_newest (void *ctx, struct mail_index *index, const char *name)
{
    struct writer *writer;
    enum mail_status status = writer_begin (ctx, index, &writer);
    if (status != MAIL_OK)
        return status;
    status = writer_set_text (writer, META_SNAPSHOT, name);
    if (status == MAIL_OK)
        return writer_commit (writer);
    talloc_free (writer);
    return status;
}

static enum mail_status
put_in_place (void *ctx, struct mail_index *index, const char *place, const char *from)
{
    char *path = talloc_asprintf (ctx, "%s/%010" PRId64 "-%" PRIu64 SUFFIX, place,
                                  next_time (index), mail_index_revision (index));
    int error = rename (from, path) == 0 ? files_sync_folder (place) : errno;
    return error ? failed (index, path, error) : note_newest (ctx, index, strrchr (path, '/') + 1);
}

char *
snapshot_newest (void *ctx, struct mail_index *index)
{
    char *name = NULL, *path = NULL;
    if (index_metadata (ctx, index, META_SNAPSHOT, &name) == MAIL_OK && *name)
        path = talloc_asprintf (ctx, "%s/backups/%s", index->folder, name);
    talloc_free (name);
    return path;
}

/* ---- the journal's turn ---- */

/* Begins a new journal. *old_out: paths of the ones before. */
static enum mail_status
turn_journal (void *ctx, struct mail_index *index, char ***old_out)
{
    struct writer *writer;
    bool rotated;
    enum mail_status status = writer_begin (ctx, index, &writer);
    if (status != MAIL_OK)
        return status;
    if (writer->restoring)
        status = index_fail (index, MAIL_ERROR_CORRUPT,
                             "the index is being repaired, and that is not finished yet");
    if (status == MAIL_OK)
        status = journal_rotate (writer, &rotated);
    if (status == MAIL_OK)
        status = writer_set_text (writer, META_JOURNAL_LOST, "");
    if (status == MAIL_OK) {
        char **all = journal_files (ctx, index->folder);
        size_t count = 0;
        while (all[count + 1])
            count++;
        all[count] = NULL; /* without the one that is written from now on */
        *old_out = all;
        return writer_commit (writer);
    }
    talloc_free (writer);
    return status;
}

static void
remove_all (char **paths)
{
    for (; *paths; paths++)
        unlink (*paths);
}

/* What a process was writing that does not live any more. */
static void
remove_unfinished (const char *place)
{
    DIR *dir = opendir (place);
    for (struct dirent *entry; dir && (entry = readdir (dir)) != NULL;) {
        long pid = strncmp (entry->d_name, TMP, strlen (TMP)) == 0
                       ? strtol (entry->d_name + strlen (TMP), NULL, 10)
                       : 0;
        if (pid > 0 && kill ((pid_t) pid, 0) != 0 && errno == ESRCH)
            unlinkat (dirfd (dir), entry->d_name, 0);
    }
    if (dir)
        closedir (dir);
}

/* The newest of those that are whole stay, and none that is damaged. What cannot be read may be as
 * good as the others. */
static void
remove_old (struct mail_index *index, unsigned keep)
{
    char **paths = snapshot_files (index, index->folder);
    size_t count = 0;
    while (paths[count])
        count++;
    for (size_t left = keep; count > 0; count--) {
        enum mail_status status = snapshot_check (paths[count - 1]);
        if (left > 0 && status == MAIL_OK)
            left--;
        else if (status == MAIL_OK || status == MAIL_ERROR_CORRUPT)
            unlink (paths[count - 1]);
    }
    talloc_free (paths);
}

/* One process at a time: the journals that another one's snapshot stands for must not go before
 * that is there. */
static enum mail_status
take_turn (struct mail_index *index, int *lock_out)
{
    char *path = talloc_asprintf (NULL, "%s/snapshot", index->folder);
    enum mail_status status = lock_file_wait (path, index->lock_timeout, lock_out);
    talloc_free (path);
    return status == MAIL_OK ? status
                             : index_fail (index, status, "another program is writing a snapshot");
}

enum mail_status
mail_snapshot_take (struct mail_index *index, unsigned keep)
{
    void *local = talloc_new (index);
    char **old = NULL;
    int lock = -1;
    char *place = talloc_asprintf (local, "%s/backups", index->folder);
    char *path = talloc_asprintf (local, "%s/" TMP "%ld", place, (long) getpid ());
    enum mail_status status = take_turn (index, &lock);
    if (status == MAIL_OK && mkdir (place, 0700) != 0 && errno != EEXIST)
        status = failed (index, place, errno);
    unlink (path);
    if (status == MAIL_OK)
        status = turn_journal (local, index, &old);
    if (status == MAIL_OK)
        status = write_file (index, path);
    if (status == MAIL_OK)
        status = put_in_place (local, index, place, path);
    if (status == MAIL_OK) {
        remove_all (old);
        remove_old (index, keep ? keep : 1);
        remove_unfinished (place);
    }
    if (lock >= 0)
        close (lock);
    talloc_free (local);
    return status;
}

static bool
newest_is_missing (void *ctx, struct mail_index *index)
{
    char *path = snapshot_newest (ctx, index);
    return path && access (path, F_OK) != 0 && errno == ENOENT;
}

/* One that was begun has not come to its end. */
static bool
is_unfinished (void *ctx, const struct mail_index *index)
{
    return access (talloc_asprintf (ctx, "%s/journal.1", index->folder), F_OK) == 0;
}

/* Four stats, no listing: a run of "new" that finds nothing new asks this, too. The folder's own
 * time is that of the last snapshot. */
bool
mail_snapshot_is_due (struct mail_index *index)
{
    void *local = talloc_new (NULL);
    struct stat journal, backups;
    bool changed = stat (talloc_asprintf (local, "%s/journal", index->folder), &journal) == 0 &&
                   journal.st_size > 0;
    bool due =
        mark_is_set (index, META_JOURNAL_LOST) || newest_is_missing (local, index) ||
        is_unfinished (local, index) ||
        (changed && (journal.st_size > DUE_BYTES ||
                     stat (talloc_asprintf (local, "%s/backups", index->folder), &backups) != 0 ||
                     backups.st_mtime < time (NULL) - DUE_SECONDS));
    talloc_free (local);
    return due;
}
