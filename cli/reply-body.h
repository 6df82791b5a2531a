/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reply-body.h - the original, quoted. */
#ifndef REPLY_BODY_H
#define REPLY_BODY_H

#include <mailindex.h>
#include <stdio.h>

/* "On DATE, FROM wrote:" and all parts. */
void reply_write_body (FILE *file, struct mail_content *content);

#endif
