/* SPDX-License-Identifier: GPL-3.0-or-later */
/* files.c - small things about files. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

#define OPEN_FOLDERS 8 /* descriptors nftw may use */

enum mail_status
files_status (int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return MAIL_ERROR_NO_SPACE;
    case EACCES:
    case EPERM:
    case EROFS:
        return MAIL_ERROR_READ_ONLY;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN:
        return MAIL_ERROR_RESOURCES;
    default:
        return MAIL_ERROR_IO;
    }
}

int
files_sync_folder (const char *path)
{
    int fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    int error = fsync (fd) == 0 ? 0 : errno;
    close (fd);
    return error;
}

static int
remove_entry (const char *path, const struct stat *stat_buffer, int type, struct FTW *ftw)
{
    (void) stat_buffer;
    (void) type;
    (void) ftw;
    remove (path);
    return 0;
}

void
files_remove_tree (const char *path)
{
    nftw (path, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

int
files_sha256 (const char *path, char hex_out[65], uint64_t *bytes_out)
{
    int error = 0;
    unsigned char buffer[1 << 16];
    int fd = open (path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    GChecksum *sum = g_checksum_new (G_CHECKSUM_SHA256);
    *bytes_out = 0;
    for (;;) {
        ssize_t got = read (fd, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            error = errno;
        if (got <= 0)
            break;
        g_checksum_update (sum, buffer, got);
        *bytes_out += (uint64_t) got;
    }
    close (fd);
    g_strlcpy (hex_out, g_checksum_get_string (sum), 65);
    g_checksum_free (sum);
    return error;
}

static int
copy_all (int from, int to)
{
    off_t at = 0;
    for (;;) {
        ssize_t sent = sendfile (to, from, &at, 1 << 30);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return errno;
        if (sent == 0)
            return fdatasync (to) == 0 ? 0 : errno;
    }
}

int
files_copy_synced (int from, const char *path)
{
    int to = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (to < 0)
        return errno;
    int error = copy_all (from, to);
    if (close (to) != 0 && error == 0)
        error = errno;
    if (error)
        unlink (path);
    return error;
}
