/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * undo.c - what takes the last command back that changed tags.
 *
 * The journal has what every commit really did, so the opposite of its lines, in the opposite
 * order, is right whatever the command was. A command is a run of commits of one process; a command
 * that took another one back counts against it, so that undoing twice goes two commands back.
 */
#include "batch.h"
#include "journal.h"

#include <string.h>
#include <talloc.h>

/* One command. */
struct deed {
    long pid;
    char *command;
    int64_t time;     /* of its first commit */
    GPtrArray *lines; /* in the order in which they were done */
};

struct deeds {
    const char *command;
    char *undo; /* the command that takes one back */
    GPtrArray *done;
};

static void
free_deed (void *pointer)
{
    struct deed *deed = pointer;
    g_ptr_array_unref (deed->lines);
    talloc_free (deed);
}

static struct deed *
last_deed (struct deeds *deeds)
{
    return deeds->done->len ? g_ptr_array_index (deeds->done, deeds->done->len - 1) : NULL;
}

static bool
take_block (void *closure, const struct journal_block *block)
{
    struct deeds *deeds = closure;
    bool is_undo = strcmp (block->command, deeds->undo) == 0;
    struct deed *deed = last_deed (deeds);
    if (!is_undo && strcmp (block->command, deeds->command) != 0)
        return true;
    if (!deed || deed->pid != block->pid || strcmp (deed->command, block->command) != 0) {
        deed = talloc_zero (NULL, struct deed);
        *deed = (struct deed){block->pid, talloc_strdup (deed, block->command), block->time,
                              g_ptr_array_new_with_free_func (g_free)};
        g_ptr_array_add (deeds->done, deed);
    }
    for (size_t i = 0; i < block->line_count; i++)
        g_ptr_array_add (deed->lines, g_strdup (block->lines[i]));
    return true;
}

/* The last deed that no later one has taken back. */
static struct deed *
choose (struct deeds *deeds)
{
    size_t taken_back = 0;
    for (guint i = deeds->done->len; i > 0; i--) {
        struct deed *deed = g_ptr_array_index (deeds->done, i - 1);
        if (strcmp (deed->command, deeds->undo) == 0)
            taken_back++;
        else if (taken_back > 0)
            taken_back--;
        else
            return deed;
    }
    return NULL;
}

static enum mail_status
add_opposite (struct mail_edits *edits, const char *text)
{
    struct batch_line line;
    void *local = talloc_new (NULL);
    enum mail_status status = MAIL_OK;
    if (batch_parse (local, text, &line) && !line.is_properties) {
        struct mail_edit edit = {.tags = line.tags, .tag_count = line.tag_count};
        for (size_t i = 0; i < line.tag_count; i++)
            line.tags[i].add = !line.tags[i].add;
        status = mail_edits_add (edits, line.id, &edit);
    }
    talloc_free (local);
    return status;
}

enum mail_status
mail_undo_find (struct mail_edits *edits, struct mail_index *index, const char *command,
                int64_t *time_out)
{
    void *local = talloc_new (NULL);
    struct deeds deeds = {.command = command,
                          .undo = talloc_asprintf (local, "%s --undo", command),
                          .done = g_ptr_array_new_with_free_func (free_deed)};
    enum mail_status status = MAIL_OK;
    *time_out = 0;
    for (char **path = journal_files (local, index->folder); status == MAIL_OK && *path; path++)
        status = journal_read (*path, UINT64_MAX, take_block, &deeds, NULL);
    if (status != MAIL_OK)
        index_fail (index, status, "cannot read the journal of '%s'", index->folder);
    struct deed *deed = status == MAIL_OK ? choose (&deeds) : NULL;
    for (guint i = deed ? deed->lines->len : 0; status == MAIL_OK && i > 0; i--)
        status = add_opposite (edits, g_ptr_array_index (deed->lines, i - 1));
    if (deed)
        *time_out = deed->time;
    g_ptr_array_unref (deeds.done);
    talloc_free (local);
    return status;
}
