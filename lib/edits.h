/* SPDX-License-Identifier: GPL-3.0-or-later */
/* edits.h - what mail_query_edit and mail_edits_apply have in common. */
#ifndef EDITS_H
#define EDITS_H

#include "edit.h"

/* Alters the message in memory. */
void edit_apply (struct edit *edit, const struct mail_edit *what);
/* What of it is not allowed: MAIL_ERROR_ARGUMENT, with the handle's text. What is only to be
 * removed may be odd: it came from elsewhere. */
enum mail_status edit_check (struct mail_index *index, const struct mail_edit *what);

/* The list takes a command of the journal back (journal_note_undo): applied to its end, or again
 * for what is left. */
void edits_set_undo (struct mail_edits *edits, const char *who);
/* Makes the list the one of all processes that takes a command back, until it is freed: waits until
 * no other is. MAIL_ERROR_LOCKED. */
enum mail_status edits_claim_undo (struct mail_edits *edits);
/* Whether the list has anything for a message, by its id in state; and doing all that it has, in
 * order, to the message in memory. The list stays as it is. */
bool edits_know (struct mail_edits *edits, const char *id);
void edits_alter (struct mail_edits *edits, struct edit *edit);

#endif
