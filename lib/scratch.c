/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scratch.c - folders for building segments, and the removal of those left over. */
#include "scratch.h"
#include "files.h"
#include "lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <time.h>
#include <unistd.h>

static int
scratch_destroy (struct scratch *scratch)
{
    files_remove_tree (scratch->path);
    if (scratch->lock >= 0)
        close (scratch->lock);
    return 0;
}

enum mail_status
scratch_create (void *ctx, const char *index_folder, struct scratch **scratch_out, char **error_out)
{
    struct scratch *scratch = talloc_zero (ctx, struct scratch);
    char *parent = talloc_asprintf (scratch, "%s/text/tmp", index_folder);
    scratch->lock = -1;
    scratch->name =
        talloc_asprintf (scratch, "%ld-%08x", (long) getpid (), (unsigned) g_random_int ());
    scratch->path = talloc_asprintf (scratch, "%s/%s", parent, scratch->name);
    *strrchr (parent, '/') = '\0'; /* a damaged index may lack text/ */
    mkdir (parent, 0700);
    parent[strlen (parent)] = '/';
    mkdir (parent, 0700);
    if (mkdir (scratch->path, 0700) != 0) {
        enum mail_status status = files_status (errno);
        *error_out = talloc_asprintf (ctx, "cannot make '%s': %s", scratch->path, strerror (errno));
        talloc_free (scratch);
        return status;
    }
    talloc_set_destructor (scratch, scratch_destroy);
    char *lock = talloc_asprintf (scratch, "%s/lock", scratch->path);
    enum mail_status status = lock_file_try (lock, &scratch->lock);
    if (status != MAIL_OK) {
        *error_out = talloc_asprintf (ctx, "cannot lock '%s': %s", lock, strerror (errno));
        talloc_free (scratch);
        return status;
    }
    *scratch_out = scratch;
    return MAIL_OK;
}

enum mail_status
scratch_subfolder (void *ctx, struct scratch *scratch, const char *name, char **path_out)
{
    char *path = talloc_asprintf (ctx, "%s/%s", scratch->path, name);
    if (mkdir (path, 0700) != 0 && errno != EEXIST) {
        enum mail_status status = files_status (errno);
        talloc_free (path);
        return status;
    }
    *path_out = path;
    return MAIL_OK;
}

/* The lock is looked at and not taken: its owner might be about to take it. Where it cannot be
 * looked at, there may be one. */
bool
scratch_is_owned (const char *index_folder, const char *name)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char *path = talloc_asprintf (NULL, "%s/text/tmp/%s/lock", index_folder, name);
    int fd = open (path, O_RDWR | O_CLOEXEC);
    bool owned = fd < 0 ? errno != ENOENT && errno != ENOTDIR
                        : fcntl (fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
    if (fd >= 0)
        close (fd);
    talloc_free (path);
    return owned;
}

/* A folder made a moment ago may not have its lock yet: only what is older goes. */
static bool
is_young (const char *path)
{
    struct stat st;
    return stat (path, &st) != 0 || st.st_mtime > time (NULL) - 10;
}

void
scratch_remove_left_over (const char *index_folder)
{
    char *parent = talloc_asprintf (NULL, "%s/text/tmp", index_folder);
    DIR *dir = opendir (parent);
    for (struct dirent *entry; dir && (entry = readdir (dir)) != NULL;) {
        char *owner = talloc_strndup (parent, entry->d_name, strcspn (entry->d_name, "."));
        if (*owner == '\0' || scratch_is_owned (index_folder, owner))
            continue;
        char *path = talloc_asprintf (parent, "%s/%s", parent, entry->d_name);
        if (!is_young (path))
            files_remove_tree (path);
    }
    if (dir)
        closedir (dir);
    talloc_free (parent);
}
