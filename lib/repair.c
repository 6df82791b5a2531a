/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * repair.c - makes room for a state that is made anew.
 *
 * What is damaged is moved aside and never removed: who knows what somebody can still read in it.
 * The order is such that a crash anywhere leaves either the damaged index or a new one that says
 * that its tags are still to come.
 */
#include "journal.h"
#include "files.h"
#include "lock.h"
#include "schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <unistd.h>

static enum mail_status
failed (void *ctx, const char *what, const char *path, int error, char **error_out)
{
    *error_out = talloc_asprintf (ctx, "cannot %s '%s': %s", what, path, strerror (error));
    return files_status (error);
}

/* A new folder damaged.N. */
static enum mail_status
make_place (void *ctx, const char *folder, char **place_out, char **error_out)
{
    for (unsigned n = 1;; n++) {
        char *place = talloc_asprintf (ctx, "%s/damaged.%u", folder, n);
        if (mkdir (place, 0700) == 0) {
            *place_out = place;
            return MAIL_OK;
        }
        if (errno != EEXIST)
            return failed (ctx, "make", place, errno, error_out);
        talloc_free (place);
    }
}

static enum mail_status
move (void *ctx, const char *folder, const char *name, const char *to, char **error_out)
{
    char *from = talloc_asprintf (ctx, "%s/%s", folder, name);
    if (rename (from, to) == 0 || errno == ENOENT)
        return MAIL_OK;
    return failed (ctx, "move", from, errno, error_out);
}

/* The journal becomes the last journal.N: a new state writes its own. */
static enum mail_status
number_journal (void *ctx, const char *folder, char **error_out)
{
    char **paths = journal_files (ctx, folder);
    size_t count = 0;
    unsigned long last = 0;
    for (; paths[count + 1]; count++)
        last = strtoul (strrchr (paths[count], '.') + 1, NULL, 10);
    return move (ctx, folder, "journal", talloc_asprintf (ctx, "%s.%lu", paths[count], last + 1),
                 error_out);
}

static enum mail_status
move_aside (void *ctx, const char *folder, char **aside_out, char **error_out)
{
    char *place = NULL;
    enum mail_status status = make_place (ctx, folder, &place, error_out);
    if (status == MAIL_OK)
        status = number_journal (ctx, folder, error_out);
    /* text first: a state without it is still a state */
    if (status == MAIL_OK)
        status = move (ctx, folder, "text", talloc_asprintf (ctx, "%s/text", place), error_out);
    if (status == MAIL_OK)
        status = move (ctx, folder, "state", talloc_asprintf (ctx, "%s/state", place), error_out);
    if (status == MAIL_OK) {
        int error = files_sync_folder (folder);
        if (error)
            status = failed (ctx, "sync", folder, error, error_out);
    }
    *aside_out = place;
    return status;
}

enum mail_status
mail_repair_begin (void *ctx, const struct mail_open_options *options, char **aside_out,
                   char **error_out)
{
    void *local = talloc_new (ctx);
    char *folder = talloc_asprintf (local, "%s/.mailindex", options->path), *error = NULL;
    struct lock *lock = NULL;
    uint64_t waited = 0;
    int timeout = options->lock_timeout < 0 ? 30 : options->lock_timeout;
    enum mail_status status =
        lock_acquire (local, folder, timeout, options->command, &lock, &waited, &error);
    if (status == MAIL_OK)
        status = move_aside (ctx, folder, aside_out, &error);
    talloc_free (lock);
    if (status == MAIL_OK) {
        struct mail_open_options anew = *options;
        struct mail_index *index;
        anew.flags |= MAIL_OPEN_CREATE | MAIL_OPEN_RESTORE;
        status = mail_index_open (local, &anew, &index, &error);
    }
    if (status != MAIL_OK)
        *error_out = talloc_strdup (ctx, error ? error : mail_status_text (status));
    talloc_free (local);
    return status;
}
