/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gzip.h - compressed files as streams of stdio. */
#ifndef GZIP_H
#define GZIP_H

#include <stdio.h>

/* Reads what fd has, compressed or not. fd belongs to the stream. errno is EBADMSG where the
 * compressed data are damaged or end early. */
FILE *gzip_read (int fd);
/* Writes compressed data to fd, which belongs to the stream. */
FILE *gzip_write (int fd);

#endif
