/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * atomic-file.c - writes beside a file, then renames: a reader, or who comes after a crash, sees
 * the old one or the new one.
 *
 * The new one has no name while it is written, where the file system can do that, so that who is
 * killed leaves nothing. It is locked, for atomic_sweep() to know that somebody is at it.
 */
#include "atomic-file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <talloc.h>
#include <unistd.h>

#define NAMES 100 /* tried, until there is one that nobody has */

struct atomic_file {
    char *target;
    char *beside; /* NULL: written straight, without a name, or finished */
    bool nameless;
    int fd;
};

static int
destroy (struct atomic_file *file)
{
    if (file->fd >= 0)
        close (file->fd);
    if (file->beside)
        unlink (file->beside);
    return 0;
}

char *
atomic_target (void *ctx, const char *path)
{
    char *found = realpath (path, NULL), *target;
    char link[4096];
    ssize_t length;

    if (found) {
        target = talloc_strdup (ctx, found);
        free (found);
        return target;
    }
    /* a link to what is not there yet */
    length = readlink (path, link, sizeof link - 1);
    if (length <= 0)
        return talloc_strdup (ctx, path);
    link[length] = '\0';
    if (*link == '/' || !strrchr (path, '/'))
        return talloc_strdup (ctx, link);
    return talloc_asprintf (ctx, "%.*s/%s", (int) (strrchr (path, '/') - path), path, link);
}

/* "folder/" of a path, or "./". */
static char *
folder_of (void *ctx, const char *path)
{
    const char *slash = strrchr (path, '/');

    return slash ? talloc_strndup (ctx, path, (size_t) (slash - path) + 1)
                 : talloc_strdup (ctx, "./");
}

/* Without /proc a file could not be given a name afterwards. */
static void
open_beside (struct atomic_file *file)
{
    bool can_be_named = access ("/proc/self/fd", X_OK) == 0;

    file->fd = can_be_named
                   ? open (folder_of (file, file->target), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)
                   : -1;
    file->nameless = file->fd >= 0;
    if (file->nameless)
        return;
    file->beside = talloc_asprintf (file, "%s.XXXXXX", file->target);
    file->fd = mkostemp (file->beside, O_CLOEXEC);
    if (file->fd < 0)
        TALLOC_FREE (file->beside);
}

struct atomic_file *
atomic_open (void *ctx, const char *path)
{
    struct atomic_file *file = talloc_zero (ctx, struct atomic_file);
    struct stat st;
    bool exists;

    file->fd = -1;
    talloc_set_destructor (file, destroy);
    exists = stat (path, &st) == 0;
    if (exists && !S_ISREG (st.st_mode)) {
        file->fd = open (path, O_WRONLY | O_CLOEXEC);
    } else {
        file->target = atomic_target (file, path);
        open_beside (file);
        if (file->fd >= 0 && exists)
            fchmod (file->fd, st.st_mode & 07777);
        if (file->fd >= 0)
            flock (file->fd, LOCK_EX | LOCK_NB);
    }
    if (file->fd < 0) {
        int error = errno;

        talloc_free (file);
        errno = error;
        return NULL;
    }
    return file;
}

int
atomic_fd (struct atomic_file *file)
{
    return fcntl (file->fd, F_DUPFD_CLOEXEC, 0);
}

static int
sync_folder_of (const char *path)
{
    char *folder = folder_of (NULL, path);
    int fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = 0;

    if (fd < 0 || fsync (fd) != 0)
        error = errno;
    if (fd >= 0)
        close (fd);
    talloc_free (folder);
    return error;
}

/* Gives the file a name beside its own. */
static int
name_it (struct atomic_file *file)
{
    char *self = talloc_asprintf (file, "/proc/self/fd/%d", file->fd), *beside;
    int error = EEXIST;

    for (int i = 0; error == EEXIST && i < NAMES; i++) {
        beside = talloc_asprintf (file, "%s.%06x", file->target, g_random_int () & 0xffffff);
        error = linkat (AT_FDCWD, self, AT_FDCWD, beside, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
    }
    if (!error)
        file->beside = beside;
    return error;
}

void
atomic_sweep (const char *path)
{
    char *folder = folder_of (NULL, path);
    const char *name = path + (strrchr (path, '/') ? strlen (folder) : 0);
    size_t length = strlen (name);
    DIR *dir = opendir (folder);

    for (struct dirent *entry; dir && (entry = readdir (dir)) != NULL;) {
        const char *own = entry->d_name;
        int fd;

        if (strncmp (own, name, length) != 0 || own[length] != '.' || strlen (own) != length + 7)
            continue;
        fd = openat (dirfd (dir), own, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) == 0)
            unlinkat (dirfd (dir), own, 0);
        if (fd >= 0)
            close (fd);
    }
    if (dir)
        closedir (dir);
    talloc_free (folder);
}

int
atomic_finish (struct atomic_file *file)
{
    int error = 0;

    if (!file->beside && !file->nameless)
        return 0;
    if (fsync (file->fd) != 0)
        return errno;
    if (file->nameless)
        error = name_it (file);
    if (error)
        return error;
    if (rename (file->beside, file->target) != 0)
        return errno;
    TALLOC_FREE (file->beside);
    return sync_folder_of (file->target);
}
