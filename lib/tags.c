/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tags.c - tags (and properties) of every match of a query.
 *
 * The matches are found without the lock; then slices of about a quarter of a second are written,
 * with the lock let go of in between, so that nobody waits long. Where somebody else has changed a
 * match since it was found, the query is asked again under the lock, and the message is left alone
 * unless it still matches.
 */
#include "clock.h"
#include "edits.h"
#include "query/query.h"
#include "schema.h"
#include "slice.h"
#include "term.h"

#include <string.h>
#include <talloc.h>
#include <time.h>

enum mail_status
mail_tag_check (const char *tag, const char **reason_out)
{
    const char *reason = NULL;
    if (*tag == '\0')
        reason = "empty tag forbidden";
    else if (*tag == '-')
        reason = "tag starting with '-' forbidden";
    else if (strlen (tag) > MAIL_TAG_MAX)
        reason = "tag is too long (over 200 bytes)";
    if (reason_out)
        *reason_out = reason;
    return reason ? MAIL_ERROR_ARGUMENT : MAIL_OK;
}

struct tagging {
    struct mail_query *query;
    struct mail_index *index;
    const struct mail_edit *edit;
    struct idset ids;  /* that match */
    uint64_t found;    /* revision as of which they do */
    uint64_t revision; /* up to which nobody else has changed any of them */
    size_t next, slice;
    uint64_t changed; /* committed */
};

/* The ids that are still to be done. */
static struct idset
left_of (const struct tagging *tagging)
{
    return (struct idset){tagging->ids.ids + tagging->next, tagging->ids.count - tagging->next};
}

/* Those of them that somebody has changed since they were found. */
static enum mail_status
changed_since (struct tagging *tagging, void *ctx, struct idset *changed_out)
{
    struct store *state = tagging->index->state;
    struct idset left = left_of (tagging);
    uint64_t *revisions = talloc_array (ctx, uint64_t, left.count + 1);
    struct idset changed = {talloc_array (ctx, uint32_t, left.count + 1), 0};
    enum mail_status status = store_values (state, SLOT_REVISION, left.ids, left.count, revisions);
    if (status != MAIL_OK)
        return index_fail_store (tagging->index, state, status);
    for (size_t i = 0; i < left.count; i++) {
        if (revisions[i] > tagging->found)
            changed.ids[changed.count++] = left.ids[i];
    }
    *changed_out = changed;
    return MAIL_OK;
}

/* Under the lock, the handle reads what the writer will change: of the messages that somebody else
 * has changed, those that no longer match are left out. The others stay, even where a query of
 * whole threads would miss them by now for what has been done to their neighbours. */
static enum mail_status
match_again (struct tagging *tagging)
{
    struct idset changed, now;
    enum mail_status status = mail_index_refresh (tagging->index);
    if (status != MAIL_OK || tagging->index->revision == tagging->revision)
        return status;
    void *local = talloc_new (NULL);
    status = changed_since (tagging, local, &changed);
    if (status == MAIL_OK && changed.count > 0) {
        status = query_evaluate (local, tagging->query, &now);
        if (status == MAIL_OK) {
            struct idset gone = idset_subtract (local, changed, now);
            struct idset still = idset_subtract (tagging->query, left_of (tagging), gone);
            talloc_free (tagging->ids.ids);
            tagging->ids = still;
            tagging->next = 0;
        }
    }
    tagging->revision = tagging->index->revision;
    talloc_free (local);
    return status;
}

static enum mail_status
alter (struct tagging *tagging, struct slice *slice)
{
    struct idset left = left_of (tagging);
    enum mail_status status = MAIL_OK;
    for (size_t i = 0; status == MAIL_OK && i < left.count && i < tagging->slice; i++) {
        struct edit *edit;
        status = edit_open (tagging->query, slice_writer (slice), left.ids[i], &edit);
        if (edit) {
            edit_apply (edit, tagging->edit);
            status = slice_write (slice, edit);
        }
        tagging->next++;
    }
    return status;
}

static enum mail_status
do_slice (struct tagging *tagging)
{
    struct slice *slice;
    uint64_t written = 0;
    enum mail_status status = slice_begin (tagging->query, tagging->index, &slice);
    if (status != MAIL_OK)
        return status;
    uint64_t start = clock_ms (); /* waiting for the lock is no reason to do less */
    uint64_t revision = slice_writer (slice)->revision;
    status = match_again (tagging);
    if (status == MAIL_OK)
        status = alter (tagging, slice);
    if (status == MAIL_OK)
        status = slice_commit (slice, &written);
    else
        slice_cancel (slice);
    if (status != MAIL_OK)
        return status;
    tagging->changed += written;
    /* after the commit the handle may read what somebody else has committed since */
    if (written > 0)
        tagging->revision = revision;
    tagging->slice = slice_next (tagging->slice, start);
    return MAIL_OK;
}

/* Leaves only the ids that some change would alter, from the posting lists of the tags. */
static enum mail_status
narrow_once (struct tagging *tagging, struct idset *narrowed_out)
{
    void *local = talloc_new (NULL);
    struct idset needed = {NULL, 0};
    enum mail_status status = MAIL_OK;
    for (size_t i = 0; status == MAIL_OK && i < tagging->edit->tag_count; i++) {
        const struct mail_tag_change *change = &tagging->edit->tags[i];
        struct idset with, part;
        struct store_term term = term_make_string (local, PREFIX_TAG, change->tag);
        status = store_postings (local, tagging->index->state, term, &with);
        if (status != MAIL_OK)
            break;
        part = change->add ? idset_subtract (local, tagging->ids, with)
                           : idset_intersect (local, tagging->ids, with);
        needed = idset_union (local, needed, part);
    }
    *narrowed_out = needed;
    if (status == MAIL_OK)
        talloc_steal (tagging->query, needed.ids);
    else
        index_fail_store (tagging->index, tagging->index->state, status);
    talloc_free (local);
    return status;
}

static enum mail_status
narrow (struct tagging *tagging)
{
    struct idset narrowed = {NULL, 0};
    unsigned attempt = 0;
    enum mail_status status;
    const struct mail_edit *edit = tagging->edit;
    if (edit->rename_files || edit->remove_tags || edit->remove_properties ||
        edit->property_count > 0)
        return MAIL_OK; /* any of them may have to change */
    do
        status = narrow_once (tagging, &narrowed);
    while (index_retry (tagging->index, &status, &attempt));
    if (status == MAIL_OK) {
        talloc_free (tagging->ids.ids);
        tagging->ids = narrowed;
    }
    return status;
}

enum mail_status
mail_query_edit (struct mail_query *query, const struct mail_edit *edit, uint64_t *changed_out)
{
    struct tagging tagging = {
        .query = query, .index = query_index (query), .edit = edit, .slice = SLICE_FIRST};
    enum mail_status status = edit_check (tagging.index, edit);
    if (status == MAIL_OK)
        status = query_evaluate (query, query, &tagging.ids);
    tagging.found = tagging.revision = tagging.index->revision;
    if (status == MAIL_OK)
        status = narrow (&tagging);
    while (status == MAIL_OK && tagging.next < tagging.ids.count)
        status = do_slice (&tagging);
    talloc_free (tagging.ids.ids);
    if (changed_out)
        *changed_out = tagging.changed;
    return status;
}

enum mail_status
mail_query_tag (struct mail_query *query, const struct mail_tag_change *changes, size_t count,
                uint64_t *changed_out)
{
    const struct mail_edit edit = {.tags = changes, .tag_count = count};
    return mail_query_edit (query, &edit, changed_out);
}
