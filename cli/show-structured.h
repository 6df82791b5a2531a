/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show-structured.h - pieces of a message that others show too. */
#ifndef SHOW_STRUCTURED_H
#define SHOW_STRUCTURED_H

#include "show.h"

/* The map of headers: of the message, or of the inner message part. */
void show_structured_headers (const struct show *show, const struct show_message *shown,
                              const struct mail_part *part);

#endif
