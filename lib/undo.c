/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * undo.c - what takes the last command back that changed tags.
 *
 * The journal has what every commit really did, and of which command it is one: commits of several
 * commands that ran at the same time lie mixed. So it is read twice: for the commands, of which one
 * is chosen, then for what that one did. What takes a command back says so in its own blocks, and
 * in the last that it is the last; so it can be stopped anywhere, and the next one goes on with the
 * messages that are left. Of those that run at the same time, one is at it: the next chooses when
 * that has come to its end, or it would take back the same command.
 */
#include "batch.h"
#include "edits.h"
#include "journal.h"

#include <string.h>
#include <talloc.h>

/* One command. */
struct deed {
    const char *who;
    int64_t time;   /* of its first block */
    uint64_t place; /* of its last block among all */
    bool whole;     /* the journal has its first block */
    bool taken_back;
};

struct deeds {
    const char *command;
    GHashTable *by_who;
    uint64_t blocks;
};

/* What the chosen one did to a message. */
struct touched {
    char *id;
    GHashTable *tags; /* tag -> struct touch */
    bool done;        /* taken back already */
};

struct touch {
    bool first, last; /* whether it was added */
};

struct reversal {
    const struct deed *deed;
    GHashTable *by_id;
    GPtrArray *messages; /* in the order in which they were come to */
};

/* The command that a block takes back; NULL for none. */
static char *
undone_by (void *ctx, const struct journal_block *block, bool *done_out)
{
    char *who = NULL;
    *done_out = false;
    if (block->line_count > 0)
        journal_is_undo (ctx, block->lines[0], &who, done_out);
    return who;
}

/* ---- the commands ---- */

static bool
note_deed (void *closure, const struct journal_block *block)
{
    struct deeds *deeds = closure;
    void *local = talloc_new (NULL);
    bool done;
    char *undone = undone_by (local, block, &done);
    struct deed *deed = g_hash_table_lookup (deeds->by_who, undone ? undone : block->who);
    deeds->blocks++;
    if (undone) {
        if (deed)
            deed->taken_back |= done;
    } else if (strcmp (block->command, deeds->command) == 0) {
        if (!deed) {
            deed = g_new0 (struct deed, 1);
            *deed = (struct deed){
                .who = g_strdup (block->who), .time = block->time, .whole = block->number == 1};
            g_hash_table_insert (deeds->by_who, (gpointer) deed->who, deed);
        }
        deed->place = deeds->blocks;
    }
    talloc_free (local);
    return true;
}

static const struct deed *
choose (const struct deeds *deeds)
{
    GHashTableIter iter;
    gpointer value;
    const struct deed *last = NULL;
    g_hash_table_iter_init (&iter, deeds->by_who);
    while (g_hash_table_iter_next (&iter, NULL, &value)) {
        const struct deed *deed = value;
        if (!deed->taken_back && (!last || deed->place > last->place))
            last = deed;
    }
    return last && last->whole ? last : NULL;
}

/* ---- what it did ---- */

static void
free_touched (gpointer pointer)
{
    struct touched *touched = pointer;
    g_hash_table_destroy (touched->tags);
    g_free (touched->id);
    g_free (touched);
}

static struct touched *
touched_message (struct reversal *reversal, const char *id)
{
    struct touched *touched = g_hash_table_lookup (reversal->by_id, id);
    if (touched)
        return touched;
    touched = g_new0 (struct touched, 1);
    touched->id = g_strdup (id);
    touched->tags = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    g_hash_table_insert (reversal->by_id, touched->id, touched);
    g_ptr_array_add (reversal->messages, touched);
    return touched;
}

static void
note_line (struct reversal *reversal, const struct batch_line *line, bool undone)
{
    struct touched *touched = touched_message (reversal, line->id);
    if (undone)
        touched->done = true;
    for (size_t i = 0; !undone && i < line->tag_count; i++) {
        const struct mail_tag_change *change = &line->tags[i];
        struct touch *touch = g_hash_table_lookup (touched->tags, change->tag);
        if (!touch) {
            touch = g_new0 (struct touch, 1);
            touch->first = change->add;
            g_hash_table_insert (touched->tags, g_strdup (change->tag), touch);
        }
        touch->last = change->add;
    }
}

static bool
note_block (void *closure, const struct journal_block *block)
{
    struct reversal *reversal = closure;
    void *local = talloc_new (NULL);
    bool done;
    char *undone = undone_by (local, block, &done);
    const char *who = undone ? undone : block->who;
    for (size_t i = 0; strcmp (who, reversal->deed->who) == 0 && i < block->line_count; i++) {
        struct batch_line line;
        if (batch_parse (local, block->lines[i], &line) && !line.is_properties)
            note_line (reversal, &line, undone != NULL);
    }
    talloc_free (local);
    return true;
}

/* ---- the opposite ---- */

/* Nothing for a tag that the command has itself put back. */
static enum mail_status
add_opposite (struct mail_edits *edits, const struct touched *touched)
{
    GHashTableIter iter;
    gpointer tag, value;
    void *local = talloc_new (NULL);
    size_t count = 0;
    struct mail_tag_change *changes =
        talloc_array (local, struct mail_tag_change, g_hash_table_size (touched->tags) + 1);
    g_hash_table_iter_init (&iter, touched->tags);
    while (g_hash_table_iter_next (&iter, &tag, &value)) {
        const struct touch *touch = value;
        if (touch->first == touch->last)
            changes[count++] = (struct mail_tag_change){tag, !touch->first};
    }
    struct mail_edit edit = {.tags = changes, .tag_count = count};
    enum mail_status status = count ? mail_edits_add (edits, touched->id, &edit) : MAIL_OK;
    talloc_free (local);
    return status;
}

static enum mail_status
add_opposites (struct mail_edits *edits, const struct reversal *reversal)
{
    enum mail_status status = MAIL_OK;
    for (guint i = 0; status == MAIL_OK && i < reversal->messages->len; i++) {
        const struct touched *touched = g_ptr_array_index (reversal->messages, i);
        if (!touched->done)
            status = add_opposite (edits, touched);
    }
    return status;
}

/* ---- reading ---- */

static enum mail_status
read_journals (struct writer *writer, journal_block_fn each, void *closure)
{
    struct mail_index *index = writer->index;
    enum mail_status status = MAIL_OK;
    for (char **path = journal_files (writer, index->folder); status == MAIL_OK && *path; path++)
        status = journal_read (*path, path[1] ? UINT64_MAX : writer->journal_length, each, closure,
                               NULL);
    if (status != MAIL_OK)
        index_fail (index, status, "cannot read the journal of '%s'", index->folder);
    return status;
}

static enum mail_status
add_reversal (struct writer *writer, struct mail_edits *edits, const struct deed *deed)
{
    struct reversal reversal = {.deed = deed,
                                .by_id = g_hash_table_new (g_str_hash, g_str_equal),
                                .messages = g_ptr_array_new_with_free_func (free_touched)};
    enum mail_status status = read_journals (writer, note_block, &reversal);
    if (status == MAIL_OK)
        status = add_opposites (edits, &reversal);
    if (status == MAIL_OK)
        edits_set_undo (edits, deed->who);
    g_hash_table_destroy (reversal.by_id);
    g_ptr_array_unref (reversal.messages);
    return status;
}

static void
free_deed (gpointer pointer)
{
    struct deed *deed = pointer;
    g_free ((gpointer) deed->who);
    g_free (deed);
}

/* Under the lock the journal does not change. */
enum mail_status
mail_undo_find (struct mail_edits *edits, struct mail_index *index, const char *command,
                int64_t *time_out)
{
    struct writer *writer;
    struct deeds deeds = {.command = command};
    *time_out = 0;
    enum mail_status status = edits_claim_undo (edits);
    if (status == MAIL_OK)
        status = writer_begin (edits, index, &writer);
    if (status != MAIL_OK)
        return status;
    deeds.by_who = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, free_deed);
    status = read_journals (writer, note_deed, &deeds);
    const struct deed *deed = status == MAIL_OK ? choose (&deeds) : NULL;
    if (deed)
        status = add_reversal (writer, edits, deed);
    if (deed && status == MAIL_OK)
        *time_out = deed->time;
    g_hash_table_destroy (deeds.by_who);
    talloc_free (writer);
    return status;
}
