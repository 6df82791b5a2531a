/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * output.h - the program's standard output.
 *
 * Results go through stdio's stdout, buffered in large pieces. That something could not be written
 * is noticed here, once, at the end; a command asks output_broken() in its loops so as not to work
 * for nobody.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* Before anything is opened or printed: descriptors 0 to 2 exist, a closed pipe is an error and not
 * a signal, stdout has a large buffer. */
void output_init (void);
/* A result is complete. Flushes so that the first results are seen early, and slow ones as they
 * come. */
void output_result (void);
/* fwrite, for what may be larger than the buffer; the reason of a failure is kept. */
void output_write (FILE *file, const char *bytes, size_t length);
/* Writing has failed: what follows is lost. */
bool output_broken (void);
/* Exit code of a failure to write (errno): EXIT_AGAIN for a full disk. */
int output_exit_code (int error);
/* Flushes and closes stdout. Returns code, or output_exit_code() where code is 0 and something was
 * not written; says why on stderr, but for a closed pipe. */
int output_finish (const char *program, int code);

#endif
