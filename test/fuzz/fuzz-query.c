/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz-query.c - any bytes as a query in infix. */
#include "test/fuzz/helper.h"

const char *const fuzz_pieces[] = {
    "(",     ")",           "\"",      "\"\"",     " and ",    " or ",   " not ",    " xor ",
    " ",     "tag:",        "from:",   "date:",    "2009",     "..",     "*",        "-",
    "+",     "foo",         "Bar",     "/",        "thread:{", "}",      " near/3 ", "\xc3",
    "日本",  "id:<a>",      "size:",   "lastmod:", "[",        "\\",     "form:",    "to:(",
    ",",     "é",           "\x01",    "\n",       "!",        "@5",     "path:",    "**",
    "12",    "subject:\"(", "folder:", "5pm",      "c++",      "Label:", "_9:",      "adj",
    ":",     ".",           "\xff",    "1k",       "",         "a_b",    "sexp:\"",  "query:foo",
    "(foo ", "1.5..2",      "has:",    "since:",   "file:",    "\"/",    "/\"",      NULL};

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    fuzz_parse (MAIL_SYNTAX_INFIX, (const char *) data, size);
    return 0;
}
