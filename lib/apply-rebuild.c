/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * apply-rebuild.c - messages whose words are made anew, of all their files.
 *
 * It is the rare case: of the files of known messages, most have the words that are indexed
 * already. They are collected and done in blocks of their own.
 */
#include "apply-rebuild.h"

#include <string.h>
#include <talloc.h>

#define WAIT_MS 500 /* for a worker, before it is looked at whether it lives */

static void
free_rebuild (gpointer data)
{
    struct rebuild *rebuild = data;
    g_array_unref (rebuild->places);
    g_array_unref (rebuild->others);
    g_array_unref (rebuild->read);
    talloc_free (rebuild->ctx);
    g_free (rebuild);
}

static GPtrArray *
group_deferred (struct apply *apply)
{
    GPtrArray *rebuilds = g_ptr_array_new_with_free_func (free_rebuild);
    GHashTable *by_id = g_hash_table_new (g_str_hash, g_str_equal);
    for (size_t i = 0; i < apply->deferred->len; i++) {
        struct deferred *deferred = &g_array_index (apply->deferred, struct deferred, i);
        struct rebuild *rebuild = g_hash_table_lookup (by_id, deferred->id);
        if (!rebuild) {
            rebuild = g_new0 (struct rebuild, 1);
            rebuild->id = deferred->id;
            rebuild->places = g_array_new (FALSE, FALSE, sizeof (size_t));
            rebuild->others = g_array_new (FALSE, FALSE, sizeof (struct other));
            rebuild->read = g_array_new (FALSE, FALSE, sizeof (struct parsed_file));
            g_hash_table_insert (by_id, (char *) rebuild->id, rebuild);
            g_ptr_array_add (rebuilds, rebuild);
        }
        g_array_append_val (rebuild->places, i);
    }
    g_hash_table_destroy (by_id);
    return rebuilds;
}

struct deferred *
rebuild_at (struct apply *apply, const struct rebuild *rebuild, size_t i)
{
    size_t place = g_array_index (rebuild->places, size_t, i);
    return &g_array_index (apply->deferred, struct deferred, place);
}

const char *
rebuild_folder (struct apply *apply, const struct deferred *deferred)
{
    return changes_folder_at (apply->changes, apply_add_at (apply, deferred->add)->folder)->path;
}

const char *
rebuild_name (struct apply *apply, const struct deferred *deferred)
{
    return apply_add_at (apply, deferred->add)->name;
}

char *
rebuild_path (void *ctx, struct apply *apply, const struct deferred *deferred)
{
    return apply_path (ctx, apply, rebuild_folder (apply, deferred),
                       rebuild_name (apply, deferred));
}

struct change_folder *
rebuild_change (struct apply *apply, const struct deferred *deferred)
{
    return changes_folder_at (apply->changes, apply_add_at (apply, deferred->add)->folder);
}

/* ---- which files ---- */

/* Whether one of the new files is this one, read again. */
static bool
is_read_again (struct apply *apply, const struct rebuild *rebuild, const char *folder,
               const char *name)
{
    for (size_t i = 0; i < rebuild->places->len; i++) {
        struct deferred *deferred = rebuild_at (apply, rebuild, i);
        if (strcmp (rebuild_name (apply, deferred), name) == 0 &&
            strcmp (rebuild_folder (apply, deferred), folder) == 0)
            return true;
    }
    return false;
}

/* Words of this file, or of others of its message, are left out: told once. */
static void
note_too_many (struct apply *apply, struct deferred *deferred)
{
    struct parsed_file *file = &deferred->file;
    if (file->limit)
        return;
    char *path = rebuild_path (NULL, apply, deferred);
    file->limit = mail_reason_word (MAIL_REASON_TOO_MANY_COPIES);
    apply->counts->processed--;
    apply_note_parsed (apply, path, file);
    talloc_free (path);
}

static void
open_other (struct apply *apply, struct rebuild *rebuild, struct sources *sources,
            const char *folder, const struct record_file *file)
{
    struct other other = {
        talloc_strdup (rebuild->ctx, folder), talloc_strdup (rebuild->ctx, file->name), {0}, false};
    memcpy (other.digest, file->digest, DIGEST_SIZE);
    g_array_append_val (rebuild->others, other);
    if (!sources_open (sources, apply_path (sources, apply, folder, file->name), file->digest,
                       true))
        note_too_many (apply, rebuild_at (apply, rebuild, 0));
}

/* What is the words of all of which nothing is there, as far as the job goes, or, with digest, of
 * all that have these. */
static void
note_lost (struct rebuild *rebuild, const struct sources *sources, const unsigned char *digest)
{
    for (guint i = 0; i < rebuild->others->len; i++) {
        struct other *other = &g_array_index (rebuild->others, struct other, i);
        other->lost |= digest ? memcmp (other->digest, digest, DIGEST_SIZE) == 0
                              : sources_lack (sources, other->digest);
    }
}

static enum mail_status
open_files (struct apply *apply, struct rebuild *rebuild, struct sources *sources)
{
    struct mail_message *message;
    enum mail_status status = mail_message_find (sources, apply->index, rebuild->id, &message);
    if (status != MAIL_OK)
        return status;
    for (size_t i = 0; i < rebuild->places->len; i++) {
        struct deferred *deferred = rebuild_at (apply, rebuild, i);
        if (!sources_open (sources, rebuild_path (sources, apply, deferred),
                           deferred->file.record.files->digest, false))
            note_too_many (apply, deferred);
    }
    rebuild->new_files = sources->count;
    rebuild->before = message ? message->record.text : 0;
    if (apply->options->decrypt != MAIL_DECRYPT_FALSE)
        sources->session_keys = message_session_keys (sources, message);
    const struct mail_folders *folders = message ? index_folders (apply->index) : NULL;
    for (size_t i = 0; folders && i < message->record.file_count; i++) {
        const struct record_file *file = &message->record.files[i];
        char *folder = mail_folders_path (sources, folders, file->folder);
        if (!is_read_again (apply, rebuild, folder, file->name) &&
            !apply_will_drop (apply, folders, file->folder, file->name))
            open_other (apply, rebuild, sources, folder, file);
    }
    note_lost (rebuild, sources, NULL);
    memcpy (rebuild->digests, sources->digests, sizeof rebuild->digests);
    return folders || !message ? MAIL_OK : MAIL_ERROR_STORE;
}

/* Sends the job of one message, unless a file of it has gone: that may have another name by now,
 * and its words must not get lost. */
static enum mail_status
send_rebuild (struct apply *apply, struct rebuild *rebuild)
{
    struct sources *sources = sources_create (NULL);
    talloc_free (rebuild->ctx);
    rebuild->ctx = talloc_new (NULL);
    g_array_set_size (rebuild->others, 0);
    g_array_set_size (rebuild->read, 0);
    enum mail_status status = open_files (apply, rebuild, sources);
    rebuild->torn = status == MAIL_OK && !sources_are_whole (sources);
    if (status == MAIL_OK && !rebuild->torn)
        sources_send (sources, apply->crew, 0, rebuild->text);
    talloc_free (sources);
    return status;
}

/* ---- their words ---- */

static void
take_parsed (GPtrArray *rebuilds, const struct block *block, const struct crew_event *event)
{
    size_t at = event->docid - block->first;
    if (event->docid < block->first || at >= rebuilds->len)
        return;
    struct rebuild *rebuild = g_ptr_array_index (rebuilds, at);
    for (size_t i = 0; i < event->file_count; i++) {
        const struct parsed_file *file = &event->files[i];
        struct parsed_file read = parsed_file_copy (rebuild->ctx, file);
        rebuild->made |= file->status == MAIL_OK;
        rebuild->torn |= i < rebuild->new_files && file->status != MAIL_OK;
        if (file->status == MAIL_OK)
            g_array_append_val (rebuild->read, read);
        else
            note_lost (rebuild, NULL, rebuild->digests[i]);
    }
}

/* The worker died, over the message of this text if there is one. */
static void
note_death (GPtrArray *rebuilds, const struct crew_event *event)
{
    for (size_t i = 0; i < rebuilds->len; i++) {
        struct rebuild *rebuild = g_ptr_array_index (rebuilds, i);
        if (event->docid != 0 && rebuild->text == event->docid)
            rebuild->died = ++rebuild->deaths >= DEATHS_TO_BLAME || event->late;
        rebuild->made = false; /* all that the segment had is lost */
    }
}

/* Waits until the worker has nothing more to answer for; *again_out: it died on the way. */
static enum mail_status
await (struct apply *apply, GPtrArray *rebuilds, struct block *block, size_t answers, bool *again)
{
    enum mail_status status = MAIL_OK;
    while (status == MAIL_OK && answers > 0 && !*again) {
        void *local = talloc_new (apply);
        struct crew_event event;
        do /* the other workers are idle: whether they live does not matter here */
            crew_wait (local, apply->crew, WAIT_MS, &event);
        while (event.worker != 0);
        if (event.kind == CREW_PARSED || event.kind == CREW_SEGMENT)
            answers--;
        if (event.kind == CREW_PARSED) {
            take_parsed (rebuilds, block, &event);
        } else if (event.kind == CREW_SEGMENT) {
            apply_take_segment (block, &event);
        } else if (event.kind == CREW_DIED) {
            note_death (rebuilds, &event);
            *again = true;
        } else if (event.kind == CREW_FAILED) {
            status = index_fail (apply->index, event.status, "cannot index: %s", event.text);
        }
        talloc_free (local);
    }
    return status;
}

static enum mail_status
build_once (struct apply *apply, void *ctx, GPtrArray *rebuilds, struct block *block, bool *again)
{
    *again = false;
    enum mail_status status = apply_begin_segment (apply, ctx, 0, block);
    for (size_t i = 0; status == MAIL_OK && i < rebuilds->len && !*again; i++) {
        struct rebuild *rebuild = g_ptr_array_index (rebuilds, i);
        rebuild->text = block->used = block->first + (uint32_t) i;
        if (rebuild->died || rebuild->torn)
            continue;
        status = send_rebuild (apply, rebuild);
        if (status == MAIL_OK && !rebuild->torn)
            status = await (apply, rebuilds, block, 1, again);
    }
    if (status != MAIL_OK || *again)
        return status;
    apply_end_segment (apply, 0, block);
    return await (apply, rebuilds, block, 1, again);
}

static enum mail_status
build_rebuilds (struct apply *apply, void *ctx, GPtrArray *rebuilds, struct block *block)
{
    bool again = true;
    enum mail_status status = MAIL_OK;
    for (size_t tries = 0; status == MAIL_OK && again; tries++) {
        if (tries > DEATHS_TO_BLAME * rebuilds->len + 3)
            return index_fail (apply->index, MAIL_ERROR_WORKER,
                               "the processes that read mail keep dying");
        status = build_once (apply, ctx, rebuilds, block, &again);
    }
    return status;
}

enum mail_status
apply_deferred (struct apply *apply)
{
    if (apply->deferred->len == 0)
        return MAIL_OK;
    void *local = talloc_new (apply);
    struct block block = {0};
    GPtrArray *rebuilds = group_deferred (apply);
    enum mail_status status = apply_reserve (apply, local, rebuilds->len, &block);
    if (status == MAIL_OK)
        status = build_rebuilds (apply, local, rebuilds, &block);
    if (status == MAIL_OK)
        status = rebuild_publish (apply, rebuilds, &block);
    g_ptr_array_unref (rebuilds);
    g_array_set_size (apply->deferred, 0);
    talloc_free (apply->deferred_ctx);
    apply->deferred_ctx = talloc_new (apply);
    talloc_free (local);
    return status;
}
