/* SPDX-License-Identifier: GPL-3.0-or-later */
/* new-problems.h - new --problems: the list of what could not be indexed. */
#ifndef NEW_PROBLEMS_H
#define NEW_PROBLEMS_H

#include "command.h"
#include "printer.h"

/* Prints it and changes nothing. Returns the exit code. */
int new_problems (struct cli *cli, enum printer_format format);

#endif
