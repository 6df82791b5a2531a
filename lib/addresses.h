/* SPDX-License-Identifier: GPL-3.0-or-later */
/* addresses.h - mailboxes of header fields. */
#ifndef ADDRESSES_H
#define ADDRESSES_H

#include "mailindex.h"

/* Those of a raw value that have an address; talloc'd on ctx. */
struct mail_address *addresses_read (void *ctx, const char *raw, size_t *count_out);

#endif
