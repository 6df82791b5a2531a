/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz-sexp.c - any bytes as an S-expression. */
#include "test/fuzz/helper.h"

const char *const fuzz_pieces[] = {"(",
                                   ")",
                                   "\"",
                                   "\\",
                                   " ",
                                   "(or ",
                                   "(and ",
                                   "(not ",
                                   "(tag ",
                                   "(from ",
                                   "(of ",
                                   "(date ",
                                   ";",
                                   "'",
                                   ",x",
                                   "foo",
                                   "Bar",
                                   "*",
                                   "\"\"",
                                   "(foo ",
                                   "(bar ",
                                   "(rx ",
                                   "(starts-with ",
                                   "(subject ",
                                   "é",
                                   "\xff",
                                   "日本",
                                   "2009",
                                   "a-b",
                                   "\n",
                                   "(infix \"",
                                   "(query foo)",
                                   "(id ",
                                   "(path ",
                                   "\"a b\"",
                                   "(Label ",
                                   "(_9 ",
                                   "(macro ",
                                   "(matching ",
                                   "(thread ",
                                   "()",
                                   "(body ",
                                   "(size ",
                                   "#",
                                   "[",
                                   "(infix ",
                                   "(lastmod 1 ",
                                   "(has ",
                                   NULL};

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    fuzz_parse (MAIL_SYNTAX_SEXP, (const char *) data, size);
    return 0;
}
