/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scan-columns.h - regular expressions on the headers that segments keep in columns. */
#ifndef SCAN_COLUMNS_H
#define SCAN_COLUMNS_H

#include "query/scan-headers.h"

/* Of the messages with these texts (evaluate_with_aliases) those in which a pattern matches, and
 * those of which the columns do not tell (the header is too long, or the segment has no columns):
 * their records must be looked at. Both on ctx. */
enum mail_status scan_columns (void *ctx, struct mail_index *index, struct idset texts,
                               const struct header_pattern *patterns, size_t count,
                               struct idset *found_out, struct idset *unknown_out);

#endif
