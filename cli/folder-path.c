/* SPDX-License-Identifier: GPL-3.0-or-later */
/* folder-path.c - from paths to what the library knows folders and files by. */
#include "folder-path.h"

#include <string.h>
#include <sys/stat.h>
#include <talloc.h>

const struct mail_folder *
folder_of_path (const struct mail_folders *folders, const char *path)
{
    const struct mail_folder *folder = mail_folders_child (folders, 0, "");
    char *copy = talloc_strdup (NULL, path), *rest = *path ? copy : NULL, *part;

    while (folder && (part = strsep (&rest, "/")) != NULL)
        folder = mail_folders_child (folders, folder->id, part);
    talloc_free (copy);
    return folder;
}

static int64_t
nanoseconds (const struct timespec *time)
{
    return time->tv_sec * INT64_C (1000000000) + time->tv_nsec;
}

bool
folder_file_stat (const char *path, struct mail_stat *stat_out)
{
    struct stat st;

    if (lstat (path, &st) != 0)
        return false;
    *stat_out = (struct mail_stat){
        .device = st.st_dev,
        .inode = st.st_ino,
        .size = (uint64_t) st.st_size,
        .mtime = nanoseconds (&st.st_mtim),
        .ctime = nanoseconds (&st.st_ctim),
    };
    return true;
}
