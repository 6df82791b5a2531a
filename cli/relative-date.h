/* SPDX-License-Identifier: GPL-3.0-or-later */
/* relative-date.h - a date as listings show it: "5 mins. ago", "Today 10:20", "March 06". */
#ifndef RELATIVE_DATE_H
#define RELATIVE_DATE_H

#include <stddef.h>
#include <stdint.h>

#define RELATIVE_DATE_SIZE 40

/* In local time, in English. text: RELATIVE_DATE_SIZE bytes; returns it. */
const char *relative_date (int64_t then, int64_t now, char *text);

#endif
