/* SPDX-License-Identifier: GPL-3.0-or-later */
/* atomic-file.c - writes beside a file, then renames: a reader, or who comes after a crash, sees
 * the old one or the new one. */
#include "atomic-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <unistd.h>

struct atomic_file {
    char *target;
    char *beside; /* NULL: written straight, or finished */
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
        file->beside = talloc_asprintf (file, "%s.XXXXXX", file->target);
        file->fd = mkostemp (file->beside, O_CLOEXEC);
        if (file->fd < 0)
            TALLOC_FREE (file->beside);
        else if (exists)
            fchmod (file->fd, st.st_mode & 07777);
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
    const char *slash = strrchr (path, '/');
    char *folder = slash ? talloc_strndup (NULL, path, (size_t) (slash - path) + 1)
                         : talloc_strdup (NULL, ".");
    int fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = 0;

    if (fd < 0 || fsync (fd) != 0)
        error = errno;
    if (fd >= 0)
        close (fd);
    talloc_free (folder);
    return error;
}

int
atomic_finish (struct atomic_file *file)
{
    if (!file->beside)
        return 0;
    if (fsync (file->fd) != 0 || rename (file->beside, file->target) != 0)
        return errno;
    TALLOC_FREE (file->beside);
    return sync_folder_of (file->target);
}
