/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload.h - what libraries that are loaded before the C library (LD_PRELOAD) have in common. */
#ifndef PRELOAD_H
#define PRELOAD_H

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A number that all processes of a run share, in the file that the variable names; NULL for none.
 */
static inline _Atomic uint64_t *
shared_number (const char *variable)
{
    const char *file = getenv (variable);
    int fd = file ? (int) syscall (SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0)
        return NULL;
    void *map = mmap (NULL, sizeof (uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close (fd);
    return map == MAP_FAILED ? NULL : map;
}

static inline uint64_t
number_of (const char *variable, uint64_t otherwise)
{
    const char *text = getenv (variable);
    return text ? strtoull (text, NULL, 10) : otherwise;
}

/* Of a descriptor; slow, and always right, also in workers that were sent theirs. */
static inline bool
fd_path (int fd, char *path, size_t size)
{
    char link[64];
    snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink (link, path, size - 1);
    if (length < 0)
        return false;
    path[length] = '\0';
    return true;
}

/* In the function that stands before another one of this name: next is that one. */
#define NEXT(type, name, parameters) \
    static type (*next) parameters; \
    if (!next) \
    next = (type (*) parameters) dlsym (RTLD_NEXT, name)

/* In one that is like open(): mode is what it was given, 0 where that is nothing. */
#define READ_MODE(mode, flags) \
    va_list list; \
    va_start (list, flags); \
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg (list, mode_t) : 0; \
    va_end (list)

#endif
