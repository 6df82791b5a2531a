/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz.h - the main program of a fuzz target.
 *
 * With libFuzzer: clang -fsanitize=fuzzer,address,undefined -DFUZZ_WITHOUT_MAIN. Without, a target
 * runs over the files it is given, each one input; and with a number alone, over so many inputs of
 * its own making, so that it is of use where there is no clang.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#ifndef FUZZ_WITHOUT_MAIN

/* An exactly sized copy, so that a sanitizer sees every byte too many. */
static void
fuzz_run (const char *text, size_t length)
{
    uint8_t *copy = malloc (length > 0 ? length : 1);

    memcpy (copy, text, length);
    LLVMFuzzerTestOneInput (copy, length);
    free (copy);
}

static int
fuzz_run_file (const char *path)
{
    FILE *file = fopen (path, "rb");
    char *text = NULL;
    size_t length = 0, got;
    char buffer[65536];

    if (file == NULL) {
        perror (path);
        return 1;
    }
    while ((got = fread (buffer, 1, sizeof buffer, file)) > 0) {
        text = realloc (text, length + got);
        memcpy (text + length, buffer, got);
        length += got;
    }
    fclose (file);
    fuzz_run (text != NULL ? text : "", length);
    free (text);
    return 0;
}

/* random: runs so many inputs. */
static int
fuzz_main (int argc, char **argv, void (*random) (unsigned long rounds))
{
    int failures = 0;

    if (argc == 2 && strspn (argv[1], "0123456789") == strlen (argv[1])) {
        random (strtoul (argv[1], NULL, 10));
        return 0;
    }
    for (int i = 1; i < argc; i++)
        failures += fuzz_run_file (argv[i]);
    return failures > 0;
}

#endif
#endif
