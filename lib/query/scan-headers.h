/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scan-headers.h - regular expressions on the headers of records. */
#ifndef SCAN_HEADERS_H
#define SCAN_HEADERS_H

#include "index-private.h"
#include <regex.h>

/* Those of the messages in which the decoded header of any file matches; *set_out on ctx. */
enum mail_status scan_headers (void *ctx, struct mail_index *index, struct idset messages,
                               enum mail_field field, const regex_t *regex, struct idset *set_out);

#endif
