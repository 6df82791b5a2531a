/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sexp.h - queries written as S-expressions; parse_sexp_text() is in parser.h. */
#ifndef QUERY_SEXP_H
#define QUERY_SEXP_H

#include "query/parser.h"

#define SEXP_STEPS_MAX 2000000 /* elements looked at, those of macros each time */

#endif
