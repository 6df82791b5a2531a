/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * helper-sync.c - unit tests do not wait for the disk.
 *
 * They make thousands of commits, in folders that are thrown away. The functions of the C library
 * are replaced for the program, Xapian included; what is synced, and in which order, is looked at
 * by test/crash/fsync-order.t.
 */
#include <unistd.h>

int
fsync (int fd)
{
    return lseek (fd, 0, SEEK_CUR) < 0 ? -1 : 0;
}

int
fdatasync (int fd)
{
    return fsync (fd);
}
