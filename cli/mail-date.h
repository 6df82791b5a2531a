/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mail-date.h - Date header fields in one spelling. */
#ifndef MAIL_DATE_H
#define MAIL_DATE_H

#include <stdint.h>

/* A date as in RFC 5322 3.3 and 4.3 (weekday and seconds may be missing, named zones and years of
 * two digits are understood, comments are passed over), and some that are written instead, as
 * "Mon, 01 Jan 2024 12:00:00 +0200" in its own zone. For NULL, for what cannot be read, and for
 * years before 1969: otherwise, in UTC. talloc'd on ctx. */
char *mail_date_text (void *ctx, const char *header, int64_t otherwise);

#endif
