/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * show-text.h - a message as plain text between markers.
 *
 * Each component stands between a line that begins with a form feed, "\fNAME{ ...", and "\fNAME}".
 * No text from mail has a form feed in it, so that none can look like a marker.
 */
#ifndef SHOW_TEXT_H
#define SHOW_TEXT_H

#include <mailindex.h>
#include <stdbool.h>
#include <stdio.h>

struct show_text {
    FILE *file;
    int64_t now;
    bool body;         /* with the parts */
    bool include_html; /* with the source of text/html parts */
};

/* What a message has beside itself. */
struct show_place {
    const char *path; /* of the file that is shown */
    int depth;        /* in the thread, among the messages shown */
    bool match, excluded;
    bool first_file; /* what the index keeps is of this file */
};

void show_text_message (const struct show_text *show, const struct mail_message *message,
                        struct mail_content *content, const struct show_place *place);
/* One part with all that is in it; nothing where there is no part of this number. */
void show_text_part (const struct show_text *show, struct mail_content *content, int number);

#endif
