/* SPDX-License-Identifier: GPL-3.0-or-later */
/* junk.h - runs of base64 in text, whose pieces are no words. */
#ifndef JUNK_H
#define JUNK_H

#define JUNK_LINE 60 /* base64 characters, and nothing else, of each of two lines or more */
#define JUNK_RUN 200 /* ... or of one run without a break */
#define JUNK_HINT 20 /* words as long as this are worth a look */

/* text to end is the text, word the start of a word in it. Returns the end of the run of base64
 * that the word begins, NULL where it begins none. *seen_out: as far as this has looked; words
 * before it need not be asked about. */
const char *junk_end (const char *text, const char *end, const char *word, const char **seen_out);

#endif
