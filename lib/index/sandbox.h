/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sandbox.h - what a process that reads mail from strangers may still do. */
#ifndef SANDBOX_H
#define SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/* From here on, for this process and for good: no new privileges, no program executed, no process
 * or thread begun, no socket made, no other process signalled or looked into, no file read but in
 * the folders of libraries (/usr/lib and the like: character set modules lie there), locales, time
 * zones and writable, nothing written but in writable, no file's mode, owner or times changed; data
 * of at most memory bytes, no core, no files over 16 GiB. readable: a further folder that may be
 * read; NULL for none. Landlock and seccomp are used where the kernel has them; false where it
 * lacks one. */
bool sandbox_enter (const char *writable, const char *readable, size_t memory);

/* Processor time for what comes next: the process is killed by SIGPROF when it takes longer. 0
 * takes the limit away. */
void sandbox_allow_seconds (unsigned seconds);

#endif
