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
#include "metadata.h"
#include "schema.h"
#include "snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <talloc.h>
#include <unistd.h>

#define DESCRIPTORS 12 /* that the check of a database has open at once, and some */

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

/* That there is no damage to tell of: it is not the file's fault. */
static bool
is_passing (enum mail_status status)
{
    return status == MAIL_ERROR_RESOURCES || status == MAIL_ERROR_READ_ONLY;
}

bool
check_fails (struct check *check, enum mail_status status, const char *path, const char *text)
{
    if (!is_passing (status))
        return false;
    if (check->failed == MAIL_OK) {
        check->failed = status;
        check->failure = talloc_asprintf (check->index, "cannot read '%s/%s': %s",
                                          check->index->folder, path, text);
    }
    return true;
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
    bool failed = error && check_fails (check, files_status (error), name, strerror (error));
    if (error && !failed)
        check_found (check, MAIL_STORE_TEXT, name, "%s", strerror (error));
    else if (!error && (bytes != segment->bytes || strcmp (sum, segment->sha256) != 0))
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
    struct stat st = {0};
    enum mail_status status = journal_read (path, length, pass_over, NULL, &bad);
    if (check_fails (check, status, relative (check, path), mail_status_text (status)))
        return;
    if (status != MAIL_OK)
        check_found (check, MAIL_STORE_JOURNAL, relative (check, path), "%s",
                     mail_status_text (status));
    else if (bad)
        check_found (check, MAIL_STORE_JOURNAL, relative (check, path), "a block is damaged");
    else if (length != UINT64_MAX && length > 0 &&
             (stat (path, &st) != 0 || (uint64_t) st.st_size < length) &&
             !(st.st_size == 0 && journal_is_renamed (check->index->folder, length)))
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
    for (char **path = paths; *path; path++) {
        enum mail_status status = snapshot_check (*path);
        const char *name = relative (check, *path);
        if (status != MAIL_OK && !check_fails (check, status, name, mail_status_text (status)))
            check_found (check, MAIL_STORE_SNAPSHOT, name, "it is damaged");
    }
    talloc_free (paths);
}

static void
check_newest_snapshot (struct check *check)
{
    char *path = snapshot_newest (NULL, check->index);
    if (path && access (path, F_OK) != 0 && errno == ENOENT)
        check_found (check, MAIL_STORE_SNAPSHOT, relative (check, path), "%s", strerror (errno));
    talloc_free (path);
}

/* ---- all ---- */

/* Whether there is something that an index has left: words, or what tags can be made of. */
static bool
has_remains (const char *folder)
{
    bool has = snapshot_has_history (folder);
    char *text = talloc_asprintf (NULL, "%s/text", folder);
    DIR *dir = opendir (text);
    for (struct dirent *entry; dir && !has && (entry = readdir (dir)) != NULL;)
        has = entry->d_name[0] != '.' && strcmp (entry->d_name, "tmp") != 0;
    if (dir)
        closedir (dir);
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
    check_newest_snapshot (check);
    if (mark_is_set (index, META_JOURNAL_LOST))
        check_found (check, MAIL_STORE_JOURNAL, "journal",
                     "some of it has been lost; a new snapshot makes up for it");
}

/* Whether Xapian reads state, so that a version that is not right is that of our schema. */
static bool
is_database (const char *folder)
{
    void *local = talloc_new (NULL);
    struct store *store;
    char *path = talloc_asprintf (local, "%s/state", folder);
    bool is = store_open (local, path, STORE_READ, &store, NULL) == MAIL_OK;
    talloc_free (local);
    return is;
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
        status = check->failed;
        if (error_out && status != MAIL_OK)
            *error_out = talloc_strdup (ctx, check->failure);
        mail_index_close (index);
        return status;
    }
    char *folder = talloc_asprintf (ctx, "%s/.mailindex", options->path);
    bool damaged = status == MAIL_ERROR_CORRUPT || status == MAIL_ERROR_STORE ||
                   (status == MAIL_ERROR_VERSION && !is_database (folder)) ||
                   (status == MAIL_ERROR_NO_INDEX && has_remains (folder));
    if (damaged) {
        struct mail_index closed = {.folder = folder};
        check_found (check, MAIL_STORE_STATE, "state", "%s", error);
        check->index = &closed;
        check_journals (check, UINT64_MAX);
        check_snapshots (check);
        if (!snapshot_has_history (folder))
            check_found (check, MAIL_STORE_SNAPSHOT, "backups",
                         "there is neither snapshot nor journal: tags cannot be brought back");
        check->index = NULL;
    }
    if (!damaged && error_out)
        *error_out = talloc_strdup (ctx, error);
    talloc_free (folder);
    return damaged ? MAIL_OK : status;
}

/* ---- in a child ---- */

/* Xapian's check takes a table that it cannot open for a damaged one: so there must be room for all
 * that it opens. */
static enum mail_status
spare_descriptors (void)
{
    int fds[DESCRIPTORS], count = 0, error = 0;
    while (count < DESCRIPTORS && (fds[count] = open ("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
        count++;
    if (count < DESCRIPTORS)
        error = errno;
    while (count > 0)
        close (fds[--count]);
    return error ? files_status (error) : MAIL_OK;
}

/* What a child says, a line each: "D STORE PATH TEXT" of damage, "E STATUS OVERTAKEN ERROR" at its
 * end; separated by tabs, texts escaped. */
static void
say_damage (void *closure, const struct mail_damage *damage)
{
    FILE *file = closure;
    gchar *path = g_strescape (damage->path, NULL), *text = g_strescape (damage->text, NULL);
    fprintf (file, "D\t%d\t%s\t%s\n", (int) damage->store, path, text);
    g_free (path);
    g_free (text);
}

static void __attribute__ ((noreturn)) be_child (const struct mail_open_options *options, int fd)
{
    FILE *file = fdopen (fd, "w");
    struct check check = {.each = say_damage, .closure = file};
    char *error = NULL;
    enum mail_status status = spare_descriptors ();
    if (status == MAIL_OK)
        status = check_once (NULL, options, &check, &error);
    else
        error = talloc_asprintf (NULL, "cannot check '%s/.mailindex': %s", options->path,
                                 mail_status_text (status));
    gchar *text = g_strescape (error ? error : "", NULL);
    fprintf (file, "E\t%d\t%d\t%s\n", (int) status, check.overtaken, text);
    fflush (file);
    _exit (0);
}

/* False for a line that is neither. */
static bool
hear_line (struct check *check, void *ctx, const char *line, enum mail_status *status, char **error)
{
    char **words = g_strsplit (line, "\t", 4);
    bool good = g_strv_length (words) == 4 && strlen (words[0]) == 1;
    int number = good ? atoi (words[1]) : 0;
    gchar *text = good ? g_strcompress (words[3]) : NULL;
    if (good && words[0][0] == 'D' && number >= 0 && number < MAIL_STORE_COUNT) {
        gchar *path = g_strcompress (words[2]);
        check_found (check, (enum mail_store) number, path, "%s", text);
        g_free (path);
    } else if (good && words[0][0] == 'E') {
        *status = (enum mail_status) number;
        check->overtaken = atoi (words[2]) != 0;
        if (error)
            *error = *text ? talloc_strdup (ctx, text) : NULL;
    } else {
        good = false;
    }
    g_free (text);
    g_strfreev (words);
    return good;
}

/* MAIL_STATUS_COUNT where the child has not come to its end. */
static enum mail_status
hear (struct check *check, void *ctx, int fd, char **error_out)
{
    FILE *file = fdopen (fd, "r");
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    enum mail_status status = MAIL_STATUS_COUNT;
    while ((length = getline (&line, &room, file)) > 0 && line[length - 1] == '\n') {
        line[length - 1] = '\0';
        if (!hear_line (check, ctx, line, &status, error_out))
            break;
    }
    free (line);
    fclose (file);
    return status;
}

/* A damaged database can take Xapian down, and must not take the caller with it. */
static enum mail_status
check_apart (void *ctx, const struct mail_open_options *options, struct check *check,
             char **error_out)
{
    int fds[2], how = 0;
    pid_t pid = pipe2 (fds, O_CLOEXEC) == 0 ? fork () : -1;
    int error = errno;
    if (pid < 0) {
        if (error_out)
            *error_out = talloc_asprintf (ctx, "cannot start a process: %s", strerror (error));
        return files_status (error);
    }
    if (pid == 0) {
        close (fds[0]);
        be_child (options, fds[1]);
    }
    close (fds[1]);
    enum mail_status status = hear (check, ctx, fds[0], error_out);
    while (waitpid (pid, &how, 0) < 0 && errno == EINTR)
        ;
    if (status != MAIL_STATUS_COUNT)
        return status;
    check_found (check, MAIL_STORE_STATE, "state", "reading it took a process down");
    return MAIL_OK;
}

enum mail_status
mail_index_check (void *ctx, const struct mail_open_options *options, mail_damage_fn each,
                  void *closure, size_t *found_out, char **error_out)
{
    struct check check = {0};
    struct mail_open_options locked = *options; /* the child must not wait for our lock */
    void *local = talloc_new (ctx);
    struct lock *lock;
    uint64_t waited = 0;
    locked.lock_timeout = 0;
    *found_out = 0;
    if (error_out)
        *error_out = NULL;
    enum mail_status status = check_apart (local, options, &check, error_out);
    if (status == MAIL_ERROR_OVERTAKEN ||
        (status == MAIL_OK && (check.found > 0 || check.overtaken))) {
        char *folder = talloc_asprintf (local, "%s/.mailindex", options->path);
        int timeout = options->lock_timeout < 0 ? 30 : options->lock_timeout;
        check = (struct check){.each = each, .closure = closure};
        status = lock_acquire (local, folder, timeout, options->command, &lock, &waited, error_out);
        if (status == MAIL_OK)
            status = check_apart (local, &locked, &check, error_out);
        /* nobody can have overtaken it now */
        if (status == MAIL_ERROR_OVERTAKEN ||
            (status == MAIL_OK && check.overtaken && check.found == 0)) {
            check_found (&check, MAIL_STORE_STATE, "state", "a block is of another revision");
            status = MAIL_OK;
            if (error_out)
                *error_out = NULL;
        }
        *found_out = check.found;
    }
    if (error_out && *error_out)
        talloc_steal (ctx, *error_out);
    talloc_free (local);
    return status;
}
