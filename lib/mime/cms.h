/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cms.h - the content of a signed CMS object (RFC 5652 5), without a look at the signature. */
#ifndef CMS_H
#define CMS_H

#include "mailindex.h"

/* Gives the content that lies in data (BER, X.690 8) to the sink, in pieces; false where there is
 * none, or the sink wanted no more. */
bool cms_write_content (const char *data, size_t length, struct mail_sink sink);

#endif
