/* SPDX-License-Identifier: GPL-3.0-or-later */
/* document.h - which texts of a message are words of which field. */
#ifndef DOCUMENT_H
#define DOCUMENT_H

#include "index/terms.h"
#include "mime/mime.h"

/* Adds the words of one parsed mail file to terms (which the caller has cleared, or which holds
 * those of the message's other files): a text for each address, subject, part, attachment name and
 * content type, in the order of doc/schema.md. */
void document_add (struct terms *terms, struct mime_message *message);

#endif
