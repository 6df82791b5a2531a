/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scan-headers.h - regular expressions on the headers of records. */
#ifndef SCAN_HEADERS_H
#define SCAN_HEADERS_H

#include "index-private.h"
#include <regex.h>

struct header_pattern {
    enum mail_field field; /* MAIL_FROM or MAIL_SUBJECT */
    regex_t *regex;
    const char *literal; /* all of the pattern, where no character in it means anything else */
};

/* Reads the record of each. Those of the messages in which one of the patterns matches the decoded
 * header of any file; *set_out on ctx. */
enum mail_status scan_headers (void *ctx, struct mail_index *index, struct idset messages,
                               const struct header_pattern *patterns, size_t count,
                               struct idset *set_out);

#endif
