/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * helper-run.c - runs a program of test/fuzz without libFuzzer.
 *
 * usage: PROGRAM NUMBER | FILE...
 *
 * NUMBER: so many inputs made of its pieces. FILE: one input; if its name ends in ".corpus", one a
 * line, in which \xHH stands for a byte and \\ for a backslash.
 */
#ifndef FUZZ_WITHOUT_MAIN

#include "test/fuzz/helper.h"

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An exactly sized copy, so that a sanitizer sees every byte too many. */
static void
run (const char *text, size_t length)
{
    uint8_t *copy = malloc (length > 0 ? length : 1);

    memcpy (copy, text, length);
    LLVMFuzzerTestOneInput (copy, length);
    free (copy);
}

static void
run_line (char *line)
{
    char *to = line;

    for (const char *from = line; *from != '\0'; from++) {
        if (from[0] == '\\' && from[1] == 'x' && from[2] != '\0' && from[3] != '\0') {
            *to++ = (char) (g_ascii_xdigit_value (from[2]) << 4 | g_ascii_xdigit_value (from[3]));
            from += 3;
        } else {
            from += from[0] == '\\' && from[1] == '\\';
            *to++ = *from;
        }
    }
    run (line, (size_t) (to - line));
}

static int
run_file (const char *path)
{
    char *text;
    size_t length;

    if (!g_file_get_contents (path, &text, &length, NULL)) {
        perror (path);
        return 1;
    }
    if (g_str_has_suffix (path, ".corpus")) {
        char **lines = g_strsplit (text, "\n", -1);
        for (size_t i = 0; lines[i] != NULL && lines[i + 1] != NULL; i++)
            run_line (lines[i]);
        g_strfreev (lines);
    } else {
        run (text, length);
    }
    g_free (text);
    return 0;
}

static void
run_random (unsigned long rounds)
{
    size_t pieces = 0;
    char text[8192]; /* 23 pieces */
    unsigned seed = 1;

    while (fuzz_pieces[pieces] != NULL)
        pieces++;
    for (unsigned long round = 0; round < rounds; round++) {
        size_t length = 0;
        for (int i = rand_r (&seed) % 24; i > 0; i--) {
            const char *piece = fuzz_pieces[(size_t) rand_r (&seed) % pieces];
            memcpy (text + length, piece, strlen (piece));
            length += strlen (piece);
        }
        if (length > 0 && rand_r (&seed) % 4 == 0)
            text[(size_t) rand_r (&seed) % length] = (char) rand_r (&seed);
        run (text, length);
    }
}

int
main (int argc, char **argv)
{
    int failures = 0;

    if (argc == 2 && strspn (argv[1], "0123456789") == strlen (argv[1])) {
        run_random (strtoul (argv[1], NULL, 10));
        return 0;
    }
    for (int i = 1; i < argc; i++)
        failures += run_file (argv[i]);
    return failures > 0;
}

#endif
