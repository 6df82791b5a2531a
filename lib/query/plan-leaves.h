/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan-leaves.h - what leaves of several kinds are made of. */
#ifndef PLAN_LEAVES_H
#define PLAN_LEAVES_H

#include "query/plan.h"

/* The table of folders, kept on the handle as index_folders() does, but without moving it on. */
enum mail_status plan_load_folders (struct mail_index *index);
/* plan-words.c: the fields that a leaf of words looks at; its words, with a stem, as a phrase or
 * near each other; words of these fields that begin with text; any word at all. */
field_set plan_word_fields (const struct planner *planner, const struct node *leaf);
struct plan *plan_text_words (struct planner *planner, const struct node *leaf);
struct plan *plan_text_starts (struct planner *planner, field_set fields, const char *text,
                               size_t length);
struct plan *plan_text_any (struct planner *planner, field_set fields);
/* Adds prefix and text to what terms of a STARTS plan begin with. */
void plan_starts_add (struct plan *plan, const char *prefix, const char *text, size_t length);
/* "c++" is a word of its own where the mail has it, and else "c": as in notmuch. *leaf is then a
 * copy. */
enum mail_status plan_drop_suffixes (struct planner *planner, const struct node **leaf);

/* Messages with a file in one of these folders. */
struct plan *plan_folders (struct planner *planner, struct idset folders);

#endif
