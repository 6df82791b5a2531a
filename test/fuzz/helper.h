/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * helper.h - what the programs of test/fuzz share.
 *
 * Each of them defines LLVMFuzzerTestOneInput, which aborts where a promise is broken, and the
 * pieces that inputs are made of. With libFuzzer (make fuzz FUZZER=1 CC=clang CXX=clang++) it finds
 * its own inputs; without, helper-run.c runs it over files, or over so many inputs made of pieces.
 */
#ifndef FUZZ_HELPER_H
#define FUZZ_HELPER_H

#include "mailindex.h"

#define FUZZ_NOW 1796059730

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);
/* Ended by NULL. */
extern const char *const fuzz_pieces[];

/* Parses and prints; an error lies within the text and says something. */
void fuzz_parse (enum mail_query_syntax syntax, const char *text, size_t size);

#endif
