/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sexp-private.h - what the files of the parser of S-expressions share. */
#ifndef SEXP_PRIVATE_H
#define SEXP_PRIVATE_H

#include "query/parser.h"
#include "query/sexp-read.h"
#include "query/sexp.h"

/* What may stand in a field, and how several things in it are joined. */
struct field {
    const char *name;
    bool alternatives; /* by OR */
    bool matching, starts, regex;
};

/* Where an element is read. */
struct place {
    const struct field *field; /* NULL outside */
    const struct prefix *prefix;
    const struct scope *scope; /* the macro whose body it is in; NULL for none */
};

/* The parameters of a macro's call. */
struct scope {
    const struct sexp *names;  /* a list of atoms */
    const struct sexp *values; /* as many */
    const struct scope *outer; /* what the values are read in */
};

/* Fills the error; returns NULL. */
struct node *sexp_fail (struct parsing *all, const struct sexp *at, const char *hint,
                        const char *format, ...) __attribute__ ((format (printf, 4, 5)));
/* What ",name" stands for, else the element itself; *scope is moved to where that is read. NULL is
 * an error. */
const struct sexp *sexp_resolve (struct parsing *all, const struct sexp *at,
                                 const struct scope **scope);
/* The one atom behind an operator. NULL is an error. */
const struct sexp *sexp_only_atom (struct parsing *all, const struct sexp *list,
                                   struct place place);
/* Counts a term against its limit. */
bool sexp_count_term (struct parsing *all, const struct sexp *at);

/* Leaves; NULL is an error. The text of an element as a value in infix; a word, string or "*";
 * (starts-with ...); (regex ...). */
struct node *sexp_value (struct parsing *all, const struct sexp *at, const struct prefix *prefix,
                         const char *text);
struct node *sexp_atom (struct parsing *all, const struct sexp *at, struct place place);
struct node *sexp_starts (struct parsing *all, const struct sexp *list, struct place place);
struct node *sexp_regex (struct parsing *all, const struct sexp *list, struct place place);

#endif
