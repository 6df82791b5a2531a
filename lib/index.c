/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * index.c - handles: opening, making, refreshing, and reading both stores.
 *
 * A handle reads one revision of state and the segments that its manifest names. When a commit
 * overtakes it, index_retry() moves everything to the newest revision; the caller then starts
 * its read again. Opening must stay cheap: the segments, aliases and stale ids come on first use.
 */
#include "index-private.h"
#include "lock.h"
#include "maildir.h"
#include "schema.h"
#include "term.h"
#include "writer.h"

#include <dirent.h>
#include <errno.h>
#include <glib.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <unistd.h>

#define MAX_ATTEMPTS 50         /* reopenings of one read before giving up */
#define CALM_ATTEMPTS 5         /* ... before taking the lock */
#define DEFAULT_LOCK_TIMEOUT 30 /* seconds */
#define DAMAGE_WAIT_MS 10       /* before what seems damaged is read again */

enum mail_status
index_fail (struct mail_index *index, enum mail_status status, const char *format, ...)
{
    va_list arguments;
    va_start (arguments, format);
    char *text = talloc_vasprintf (index, format, arguments);
    va_end (arguments);
    talloc_free (index->error);
    index->error = text;
    return status;
}

enum mail_status
index_fail_store (struct mail_index *index, struct store *store, enum mail_status status)
{
    return index_fail (index, status, "%s", store_error (store));
}

/* ---- reading state's metadata ---- */

static enum mail_status
read_number (struct mail_index *index, const char *key, uint64_t *number_out)
{
    char *text;
    enum mail_status status = store_metadata (index, index->state, key, &text, NULL);
    if (status != MAIL_OK)
        return index_fail_store (index, index->state, status);
    *number_out = strtoull (text, NULL, 10);
    talloc_free (text);
    return MAIL_OK;
}

static enum mail_status
check_schema (struct mail_index *index)
{
    uint64_t version;
    enum mail_status status = read_number (index, META_SCHEMA, &version);
    if (status != MAIL_OK)
        return status;
    if (version > SCHEMA_VERSION)
        return index_fail (index, MAIL_ERROR_VERSION,
                           "the index has schema %" PRIu64 ", this program knows up to %d", version,
                           SCHEMA_VERSION);
    /* to be made anew, as a damaged one is: tags are in the snapshot and the journal */
    if (version != 0 && version < SCHEMA_VERSION)
        return index_fail (index, MAIL_ERROR_CORRUPT,
                           "the index is of an older version of this program (schema %" PRIu64
                           "); 'check --repair' makes it anew, with all tags",
                           version);
    if (version == 0 && store_last_docid (index->state) == 0) /* whoever made it was stopped */
        return index_fail (index, MAIL_ERROR_NO_INDEX, "there is no index in '%s' yet",
                           index->path);
    if (version == 0)
        return index_fail (index, MAIL_ERROR_CORRUPT, "'%s/state' is not an index of mail",
                           index->folder);
    return MAIL_OK;
}

/* Xapian takes a table that is not there for an empty one. */
static enum mail_status
check_tables (struct mail_index *index)
{
    static const char *const tables[] = {"postlist", "docdata", "termlist"};
    enum mail_status status = MAIL_OK;
    if (index->count == 0) /* tables are made when something is put into them */
        return MAIL_OK;
    for (size_t i = 0; status == MAIL_OK && i < G_N_ELEMENTS (tables); i++) {
        char *path = talloc_asprintf (index, "%s/state/%s.glass", index->folder, tables[i]);
        if (access (path, F_OK) != 0)
            status = index_fail (index, MAIL_ERROR_CORRUPT, "the index is damaged: '%s' is missing",
                                 path);
        talloc_free (path);
    }
    return status;
}

/* All that is read at once when state is opened or has moved on. */
static enum mail_status
load_state (struct mail_index *index)
{
    char *text, *error = NULL;
    struct store_term mail = {TERM_TYPE_MAIL, strlen (TERM_TYPE_MAIL)};
    index->loaded = false;
    enum mail_status status = check_schema (index);
    if (status == MAIL_OK)
        status = read_number (index, META_REVISION, &index->revision);
    if (status != MAIL_OK)
        return status;
    status = store_term_freq (index->state, mail, &index->count);
    if (status == MAIL_OK)
        status = store_metadata (index, index->state, META_MANIFEST, &text, NULL);
    if (status != MAIL_OK)
        return index_fail_store (index, index->state, status);
    struct manifest *manifest = manifest_decode (index, text, &error);
    talloc_free (text);
    if (!manifest)
        return index_fail (index, MAIL_ERROR_CORRUPT, "%s", error);
    talloc_free (index->manifest);
    index->manifest = manifest;
    index->generation++;
    index->loaded = true;
    index_forget_text (index);
    return MAIL_OK;
}

/* ---- opening ---- */

static bool
is_folder (const char *path)
{
    struct stat st;
    return stat (path, &st) == 0 && S_ISDIR (st.st_mode);
}

static char *
clean_path (void *ctx, const char *path)
{
    char *copy = talloc_strdup (ctx, path);
    size_t length = strlen (copy);
    while (length > 1 && copy[length - 1] == '/')
        copy[--length] = '\0';
    return copy;
}

static struct mail_index *
new_handle (void *ctx, const struct mail_open_options *options)
{
    struct mail_index *index = talloc_zero (ctx, struct mail_index);
    index->path = clean_path (index, options->path);
    index->folder = talloc_asprintf (index, "%s/.mailindex", index->path);
    index->mail_root = clean_path (index, options->mail_root ? options->mail_root : options->path);
    index->command = talloc_strdup (index, options->command ? options->command : "?");
    index->run = g_random_int ();
    index->flags = maildir_flags_create (index);
    index->lock_timeout = options->lock_timeout < 0 ? DEFAULT_LOCK_TIMEOUT : options->lock_timeout;
    return index;
}

/* Of the folder that is state now; 0 where there is none. */
static uint64_t
state_inode (const struct mail_index *index)
{
    struct stat st;
    char *path = talloc_asprintf (NULL, "%s/state", index->folder);
    uint64_t inode = stat (path, &st) == 0 ? st.st_ino : 0;
    talloc_free (path);
    return inode;
}

/* Whether a folder has a file that is not empty. Whoever makes state may be stopped before that. */
static bool
has_content (const char *folder)
{
    bool has = false;
    struct stat st;
    DIR *dir = opendir (folder);
    for (struct dirent *entry; dir && !has && (entry = readdir (dir)) != NULL;)
        has = entry->d_name[0] != '.' && fstatat (dirfd (dir), entry->d_name, &st, 0) == 0 &&
              st.st_size > 0;
    if (dir)
        closedir (dir);
    return has;
}

static enum mail_status
open_state (struct mail_index *index)
{
    char *error = NULL, *path = talloc_asprintf (index, "%s/state", index->folder);
    struct store *state;
    uint64_t inode = state_inode (index); /* before: if it is replaced meanwhile, that is seen */
    enum mail_status status = store_open (index, path, STORE_READ, &state, &error);
    if (status == MAIL_ERROR_CORRUPT && !has_content (path))
        status = MAIL_ERROR_NO_INDEX;
    talloc_free (path);
    if (status == MAIL_ERROR_NO_INDEX)
        return index_fail (index, status, "there is no index in '%s'", index->path);
    if (status != MAIL_OK)
        return index_fail (index, status, "cannot open the index '%s': %s", index->folder, error);
    talloc_free (index->state);
    index->state = state;
    index->state_inode = inode;
    return MAIL_OK;
}

static enum mail_status
read_uuid (struct mail_index *index)
{
    enum mail_status status = store_metadata (index, index->state, META_UUID, &index->uuid, NULL);
    return status == MAIL_OK ? status : index_fail_store (index, index->state, status);
}

/* Who may not write goes on without. */
static void
calm (struct mail_index *index)
{
    char *error = NULL;
    if (lock_acquire (index, index->folder, index->lock_timeout, index->command, &index->calm,
                      &index->lock_wait, &error) == MAIL_OK)
        lock_let_next_wait (index->calm);
    talloc_free (error);
}

/* Lets others change the index again, where the read that ends took that from them. */
static void
end_calm (struct mail_index *index, unsigned attempt)
{
    if (attempt >= CALM_ATTEMPTS)
        TALLOC_FREE (index->calm);
}

/* Whether to try again what has failed. A commit that comes in between can look like damage, which
 * nothing here can tell apart yet: so that is believed only when it stays, and nobody can commit.
 */
static bool
perhaps_overtaken (struct mail_index *index, enum mail_status status, unsigned *attempt)
{
    unsigned most = status == MAIL_ERROR_OVERTAKEN                 ? MAX_ATTEMPTS
                    : status == MAIL_ERROR_CORRUPT && !index->calm ? CALM_ATTEMPTS
                                                                   : 0;
    if (*attempt >= most) {
        end_calm (index, *attempt);
        return false;
    }
    if (status == MAIL_ERROR_CORRUPT)
        g_usleep (DAMAGE_WAIT_MS * 1000);
    if (++*attempt == CALM_ATTEMPTS && !index->calm)
        calm (index);
    return true;
}

static enum mail_status
open_existing (struct mail_index *index)
{
    enum mail_status status;
    unsigned attempt = 0;
    do {
        status = open_state (index);
        if (status == MAIL_OK)
            status = load_state (index);
        if (status == MAIL_OK)
            status = check_tables (index);
        if (status == MAIL_OK)
            status = read_uuid (index);
    } while (perhaps_overtaken (index, status, &attempt));
    return status;
}

enum mail_status
mail_index_open (void *ctx, const struct mail_open_options *options, struct mail_index **index_out,
                 char **error_out)
{
    struct mail_index *index = new_handle (ctx, options);
    enum mail_status status = MAIL_OK;
    if (!is_folder (index->mail_root))
        status = index_fail (index, MAIL_ERROR_NO_MAIL_ROOT, "there is no mail folder '%s'",
                             index->mail_root);
    if (status == MAIL_OK)
        status = fields_create (index, options->stemmer, options->headers, &index->fields,
                                &index->error);
    if (status == MAIL_OK)
        status = open_existing (index);
    /* damage may be an index that another process is just making: the lock tells */
    if (options->flags & MAIL_OPEN_CREATE &&
        (status == MAIL_ERROR_NO_INDEX || status == MAIL_ERROR_CORRUPT)) {
        status = writer_create_index (index, options->flags & MAIL_OPEN_RESTORE);
        if (status == MAIL_OK)
            status = open_existing (index);
    }
    if (status == MAIL_OK && options->flags & MAIL_OPEN_CREATE && access (index->folder, W_OK) != 0)
        status = index_fail (index, MAIL_ERROR_IO, "cannot change the index '%s': %s",
                             index->folder, strerror (errno));
    if (status == MAIL_OK) {
        TALLOC_FREE (index->error); /* of looking before creating */
        *index_out = index;
        return MAIL_OK;
    }
    if (error_out)
        *error_out = talloc_strdup (ctx, index->error);
    talloc_free (index);
    return status;
}

void
mail_index_close (struct mail_index *index)
{
    talloc_free (index);
}

enum mail_status
mail_index_refresh (struct mail_index *index)
{
    unsigned attempt = 0;
    enum mail_status status;
    do {
        bool replaced = state_inode (index) != index->state_inode, changed = replaced;
        status = replaced ? open_state (index) : store_reopen (index->state, &changed);
        if (status == MAIL_OK && (changed || !index->loaded))
            status = load_state (index);
        else if (status != MAIL_OK && !replaced)
            status = index_fail_store (index, index->state, status);
    } while (perhaps_overtaken (index, status, &attempt));
    return status;
}

/* Moves the handle on; MAIL_OK when it makes sense to start the read again. */
static enum mail_status
move_on (struct mail_index *index, enum mail_status status)
{
    uint64_t before = index->generation;
    enum mail_status refreshed = mail_index_refresh (index);
    if (refreshed != MAIL_OK)
        return refreshed;
    /* damage is damage unless state has moved on under the reader */
    if (status == MAIL_ERROR_CORRUPT && index->generation == before)
        return status;
    index_forget_text (index);
    return MAIL_OK;
}

bool
index_retry (struct mail_index *index, enum mail_status *status, unsigned *attempt)
{
    bool overtaken = *status == MAIL_ERROR_OVERTAKEN || *status == MAIL_ERROR_CORRUPT;
    bool again = overtaken && *attempt < MAX_ATTEMPTS;
    if (again && ++*attempt == CALM_ATTEMPTS && !index->calm)
        calm (index);
    if (again) {
        *status = move_on (index, *status);
        again = *status == MAIL_OK;
    }
    if (!again)
        end_calm (index, *attempt);
    return again;
}

enum mail_status
index_metadata (void *ctx, struct mail_index *index, const char *key, char **text_out)
{
    unsigned attempt = 0;
    enum mail_status status;
    do {
        status = store_metadata (ctx, index->state, key, text_out, NULL);
        if (status != MAIL_OK)
            index_fail_store (index, index->state, status);
    } while (index_retry (index, &status, &attempt));
    return status;
}

/* ---- accessors ---- */

const char *
mail_index_error (const struct mail_index *index)
{
    return index->error ? index->error : "";
}

const char *
mail_index_folder (const struct mail_index *index)
{
    return index->folder;
}

const char *
mail_index_mail_root (const struct mail_index *index)
{
    return index->mail_root;
}

const char *
mail_index_uuid (const struct mail_index *index)
{
    return index->uuid;
}

uint64_t
mail_index_revision (const struct mail_index *index)
{
    return index->revision;
}

uint32_t
mail_index_count (const struct mail_index *index)
{
    return index->count;
}

uint64_t
mail_index_lock_wait (const struct mail_index *index)
{
    return index->lock_wait;
}
