/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slice.c - slices: their sizes, the messages that one changes, and the names of their files.
 *
 * A commit stays under 10,000 documents, so that Xapian writes nothing before it is told to.
 */
#include "slice.h"
#include "clock.h"
#include "file-flags.h"
#include "journal.h"

#include <glib.h>
#include <talloc.h>

#define SLICE_MS 250
#define SLICE_MAX 8000

struct slice {
    struct mail_index *index;
    struct writer *writer;
    struct renames *renames;
    GHashTable *by_docid; /* -> struct edit */
    GPtrArray *edits;
    uint64_t written; /* messages */
    bool needed;      /* to be committed also where no message is changed */
};

static int
slice_destroy (struct slice *slice)
{
    g_hash_table_destroy (slice->by_docid);
    g_ptr_array_unref (slice->edits);
    return 0;
}

enum mail_status
slice_begin (void *ctx, struct mail_index *index, struct slice **slice_out)
{
    struct slice *slice = talloc_zero (ctx, struct slice);
    slice->index = index;
    slice->by_docid = g_hash_table_new (NULL, NULL);
    slice->edits = g_ptr_array_new ();
    talloc_set_destructor (slice, slice_destroy);
    enum mail_status status = writer_begin (slice, index, &slice->writer);
    if (status != MAIL_OK) {
        talloc_free (slice);
        return status;
    }
    if (slice->writer->restoring && !index->repairing) {
        talloc_free (slice);
        return index_fail (index, MAIL_ERROR_LOCKED,
                           "the index is being repaired; 'check --repair' finishes it");
    }
    slice->renames = renames_create (slice, slice->writer);
    *slice_out = slice;
    return MAIL_OK;
}

struct writer *
slice_writer (struct slice *slice)
{
    return slice->writer;
}

/* The last block counts as a change, so that it has a revision of its own. */
void
slice_note_undo (struct slice *slice, const char *who, bool done)
{
    journal_note_undo (slice->writer, who, done);
    slice->needed = done;
    slice->writer->changed |= done;
}

enum mail_status
slice_edit (struct slice *slice, uint32_t docid, struct edit **edit_out)
{
    *edit_out = g_hash_table_lookup (slice->by_docid, GUINT_TO_POINTER (docid));
    if (*edit_out)
        return MAIL_OK;
    enum mail_status status = edit_open (slice, slice->writer, docid, edit_out);
    if (status == MAIL_OK && *edit_out) {
        g_hash_table_insert (slice->by_docid, GUINT_TO_POINTER (docid), *edit_out);
        g_ptr_array_add (slice->edits, *edit_out);
    }
    return status;
}

static int
compare_edits (const void *a, const void *b)
{
    const struct edit *left = *(struct edit *const *) a, *right = *(struct edit *const *) b;
    uint32_t first = left->message->docid, second = right->message->docid;
    return first < second ? -1 : first > second;
}

enum mail_status
slice_write (struct slice *slice, struct edit *edit)
{
    bool written = false;
    enum mail_status status = MAIL_OK;
    if (edit->rename_files || edit_tags_changed (edit))
        status = renames_follow_tags (slice->renames, edit);
    if (status == MAIL_OK)
        status = edit_save (slice->writer, edit, &written);
    slice->written += written;
    talloc_free (edit);
    return status;
}

enum mail_status
slice_commit (struct slice *slice, uint64_t *written_out)
{
    enum mail_status status = MAIL_OK;
    g_ptr_array_sort (slice->edits, compare_edits);
    for (guint i = 0; status == MAIL_OK && i < slice->edits->len; i++)
        status = slice_write (slice, g_ptr_array_index (slice->edits, i));
    if (status == MAIL_OK && (slice->written > 0 || slice->needed)) {
        status = renames_sync (slice->renames);
        if (status == MAIL_OK)
            status = writer_commit (slice->writer); /* which frees it */
    }
    if (status == MAIL_OK) {
        *written_out = slice->written;
        talloc_free (slice);
    } else {
        slice_cancel (slice);
    }
    return status;
}

void
slice_cancel (struct slice *slice)
{
    renames_undo (slice->renames);
    talloc_free (slice);
}

size_t
slice_next (size_t size, uint64_t start)
{
    if (clock_ms () - start > SLICE_MS)
        return size / 2 + 1;
    return size < SLICE_MAX / 2 ? 2 * size : SLICE_MAX;
}
