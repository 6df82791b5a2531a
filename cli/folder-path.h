/* SPDX-License-Identifier: GPL-3.0-or-later */
/* folder-path.h - folders of the index by their paths. */
#ifndef FOLDER_PATH_H
#define FOLDER_PATH_H

#include <mailindex.h>

/* The folder with this relative path; NULL where the index has none. */
const struct mail_folder *folder_of_path (const struct mail_folders *folders, const char *path);
/* What lstat says of a path, in the form of the index; false with errno set. */
bool folder_file_stat (const char *path, struct mail_stat *stat_out);

#endif
