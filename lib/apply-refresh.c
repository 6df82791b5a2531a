/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * apply-refresh.c - a segment of which much belongs to nothing any more is made anew.
 *
 * Nothing can be deleted inside a segment, so what is stale is only left out when it is read. When
 * it is more than a quarter, the words of the rest are taken from the mail files again, under the
 * same ids, and the segments are exchanged: no document of a message changes. When a file cannot be
 * read any more the old segment stays: its words are better than none.
 */
#include "apply-private.h"
#include "folders.h"
#include "message.h"
#include "mime/crypto.h"
#include "schema.h"

#include <string.h>
#include <talloc.h>
#include <unistd.h>

#define WAIT_MS 500 /* for a worker, before it is looked at whether it lives */
#define STALE_DIVISOR 4
#define LIVE_MAX 8192 /* documents made anew by one run; a larger segment stays as it is */

/* Whether the caller wants this one made anew. */
static bool
is_wanted (const struct apply *apply, const char *name)
{
    const char *const *names = apply->options->rebuild;
    while (names && *names && strcmp (*names, name) != 0)
        names++;
    return names && *names;
}

/* The segment that is worth it, of those from an id on; NULL for none. */
static const struct segment *
choose (const struct apply *apply, uint32_t from)
{
    const struct manifest *manifest = apply->index->manifest;
    for (size_t i = 0; i < manifest->count; i++) {
        const struct segment *segment = &manifest->segments[i];
        if (segment->first >= from && is_wanted (apply, segment->name))
            return segment;
        if (segment->first >= from &&
            (uint64_t) segment->stale * STALE_DIVISOR > segment->documents &&
            segment->documents - MIN (segment->stale, segment->documents) <= LIVE_MAX)
            return segment;
    }
    return NULL;
}

struct refresh {
    struct apply *apply;
    struct segment old;
    struct block block;
    bool wanted;  /* is_wanted(): what cannot be read is left out */
    GArray *lost; /* struct lost: that */
};

struct lost {
    const char *folder, *name;
};

/* A text document of the segment and its message. */
struct live {
    uint32_t text, message;
};

static int
compare_live (const void *a, const void *b)
{
    const struct live *left = a, *right = b;
    return left->text < right->text ? -1 : left->text > right->text;
}

/* Messages that may have their words in the segment: by their own id, or by an alias. */
static enum mail_status
candidates (struct refresh *refresh, struct idset *set_out)
{
    struct mail_index *index = refresh->apply->index;
    struct idset all, owners;
    uint32_t first = refresh->old.first, last = refresh->old.last;
    unsigned attempt = 0;
    enum mail_status status;
    do {
        status = index_all_mail (refresh, index, &all);
        if (status == MAIL_OK)
            status = index_alias_owners (refresh, index, first, last, &owners);
    } while (index_retry (index, &status, &attempt));
    if (status != MAIL_OK)
        return status;
    size_t count = 0;
    for (size_t i = 0; i < all.count; i++) {
        if (first <= all.ids[i] && all.ids[i] <= last)
            all.ids[count++] = all.ids[i];
    }
    all.count = count;
    *set_out = idset_union (refresh, all, owners);
    return MAIL_OK;
}

/* The documents of the segment that are alive, in order of ids. */
static enum mail_status
find_live (struct refresh *refresh, GArray *lives)
{
    struct idset set = {NULL, 0};
    enum mail_status status = candidates (refresh, &set);
    for (size_t i = 0; status == MAIL_OK && i < set.count; i++) {
        struct mail_message *message;
        status = message_read (refresh, refresh->apply->index, set.ids[i], &message);
        if (status != MAIL_OK || !message)
            continue;
        struct live live = {message->record.text, set.ids[i]};
        if (live.text >= refresh->old.first && live.text <= refresh->old.last)
            g_array_append_val (lives, live);
        talloc_free (message);
    }
    g_array_sort (lives, compare_live);
    return status;
}

static void
take_keys (struct refresh *refresh, struct sources *sources, const struct mail_message *message)
{
    size_t count;
    const struct mail_property *properties = mail_message_properties (message, &count);
    for (size_t i = 0; i < count; i++)
        sources->decrypted |= strcmp (properties[i].key, PROPERTY_DECRYPTION) == 0 &&
                              strcmp (properties[i].value, "success") == 0;
    if (refresh->apply->options->decrypt != MAIL_DECRYPT_FALSE)
        sources->session_keys = message_session_keys (sources, message);
}

/* Whether what was decrypted once can be decrypted now. */
static bool
has_keys (const struct refresh *refresh, const struct sources *sources)
{
    enum mail_decrypt decrypt = refresh->apply->options->decrypt;
    return crypto_has_secret_keys (decrypt) || (sources->session_keys && *sources->session_keys);
}

/* Whether something was decrypted now. */
static bool
has_decrypted (const struct crew_event *event)
{
    for (size_t i = 0; i < event->file_count; i++)
        for (size_t k = 0; k < event->files[i].property_count; k++)
            if (strcmp (event->files[i].properties[k].value, "success") == 0)
                return true;
    return false;
}

/* The files of the message whose words (or these words) are not there. */
static void
note_lost (struct refresh *refresh, const struct mail_message *message,
           const struct sources *sources, const unsigned char *digest)
{
    const struct mail_folders *folders = index_folders (refresh->apply->index);
    for (size_t i = 0; folders && i < message->record.file_count; i++) {
        const struct record_file *file = &message->record.files[i];
        bool is = digest ? memcmp (digest, file->digest, DIGEST_SIZE) == 0
                         : sources_lack (sources, file->digest);
        struct lost lost = {mail_folders_path (refresh, folders, file->folder),
                            talloc_strdup (refresh, file->name)};
        if (is)
            g_array_append_val (refresh->lost, lost);
    }
}

/* Opens the files of a message; NULL where not all of its words are there, or, if the segment is
 * wanted, none. *message_out is where the sources are. */
static struct sources *
open_files (struct refresh *refresh, uint32_t docid, struct mail_message **message_out)
{
    struct mail_index *index = refresh->apply->index;
    struct sources *sources = sources_create (refresh);
    struct mail_message *message = NULL;
    const struct mail_folders *folders = index_folders (index);
    if (message_read (sources, index, docid, &message) != MAIL_OK || !folders)
        message = NULL;
    for (size_t i = 0; message && i < message->record.file_count; i++) {
        const struct record_file *file = &message->record.files[i];
        char *folder = mail_folders_path (sources, folders, file->folder);
        char *path = apply_path (sources, refresh->apply, folder, file->name);
        sources_open (sources, path, file->digest, refresh->wanted);
    }
    if (message && refresh->wanted)
        note_lost (refresh, message, sources, NULL);
    if (message)
        take_keys (refresh, sources, message);
    bool shut = sources->decrypted && !refresh->wanted && !has_keys (refresh, sources);
    if (shut || (refresh->wanted ? sources->count == 0 : !sources_are_whole (sources)))
        TALLOC_FREE (sources);
    *message_out = message;
    return sources;
}

/* Before anything is read: a segment that cannot be made anew must not cost every run its time. */
static bool
all_can_be_opened (struct refresh *refresh, const GArray *lives)
{
    for (guint i = 0; i < lives->len; i++) {
        struct mail_message *message;
        struct sources *sources =
            open_files (refresh, g_array_index (lives, struct live, i).message, &message);
        if (!sources)
            return false;
        talloc_free (sources);
    }
    return true;
}

/* One answer of the worker; false when the segment will not come. digests: of the files that it is
 * about, of the message. */
static bool
await (struct refresh *refresh, struct crew_event *event, const struct mail_message *message,
       unsigned char digests[][DIGEST_SIZE])
{
    struct crew *crew = refresh->apply->crew;
    do
        crew_wait (refresh, crew, WAIT_MS, event);
    while (event->kind == CREW_NOTHING || event->worker != 0);
    if (event->kind != CREW_PARSED)
        return event->kind == CREW_SEGMENT;
    for (size_t i = 0; i < event->file_count; i++) {
        if (event->files[i].status == MAIL_OK)
            continue;
        if (!refresh->wanted || !message)
            return false;
        note_lost (refresh, message, NULL, digests[i]);
    }
    return true;
}

static bool
build (struct refresh *refresh, const GArray *lives)
{
    struct apply *apply = refresh->apply;
    struct crew_event event;
    if ((!refresh->wanted && !all_can_be_opened (refresh, lives)) ||
        apply_begin_segment (apply, refresh, 0, &refresh->block) != MAIL_OK)
        return false;
    for (guint i = 0; i < lives->len && !apply->stopped; i++) {
        struct live *live = &g_array_index (lives, struct live, i);
        struct mail_message *message;
        struct sources *sources = open_files (refresh, live->message, &message);
        if (!sources && refresh->wanted)
            continue;
        if (!sources)
            return false;
        bool decrypted = sources->decrypted;
        sources_send (sources, apply->crew, 0, live->text);
        bool good = await (refresh, &event, message, sources->digests);
        talloc_free (sources);
        if (!good || (decrypted && !refresh->wanted && !has_decrypted (&event)))
            return false;
        talloc_free (event.files);
        apply_tell (apply, NULL);
    }
    refresh->block.first = refresh->old.first;
    refresh->block.used = refresh->old.last;
    apply_end_segment (apply, 0, &refresh->block);
    if (apply->stopped || !await (refresh, &event, NULL, NULL) || event.kind != CREW_SEGMENT)
        return false;
    apply_take_segment (&refresh->block, &event);
    return true;
}

/* The documents that only said "stale" of ids in the segment: there is nothing left to say it of.
 */
static enum mail_status
forget_stale (struct refresh *refresh, struct writer *writer)
{
    struct idset stale = {NULL, 0};
    struct store_term term = {TERM_TYPE_STALE, strlen (TERM_TYPE_STALE)};
    enum mail_status status = store_postings (writer, writer->state, term, &stale);
    for (size_t i = 0; status == MAIL_OK && i < stale.count; i++) {
        struct store_document document;
        bool found;
        if (stale.ids[i] < refresh->old.first || stale.ids[i] > refresh->old.last)
            continue;
        status = store_read (writer, writer->state, stale.ids[i], STORE_TERMS, &document, &found);
        if (status == MAIL_OK && found && document.term_count == 1)
            status = store_delete (writer->state, stale.ids[i]);
    }
    return status == MAIL_OK ? status : writer_fail (writer, status);
}

/* A damaged segment made anew may have the name that it had. */
static bool
is_named (const struct manifest *manifest, const char *name)
{
    for (size_t i = 0; i < manifest->count; i++)
        if (strcmp (manifest->segments[i].name, name) == 0)
            return true;
    return false;
}

/* Before the segments are exchanged, so that nothing is lost without a word if this ends in
 * between.
 */
static enum mail_status
publish_lost (struct refresh *refresh)
{
    struct publish *publish;
    struct mail_apply_counts counts = {0};
    if (refresh->lost->len == 0)
        return MAIL_OK;
    enum mail_status status =
        publish_begin (refresh, refresh->apply->index, refresh->apply->options, &publish);
    if (status != MAIL_OK)
        return status;
    for (guint i = 0; status == MAIL_OK && i < refresh->lost->len; i++) {
        const struct lost *lost = &g_array_index (refresh->lost, struct lost, i);
        status = publish_lose_words (publish, lost->folder, lost->name);
    }
    if (status == MAIL_OK)
        status = publish_commit (publish, &counts, NULL);
    else
        talloc_free (publish);
    for (guint i = 0; i < refresh->lost->len; i++) {
        const struct lost *lost = &g_array_index (refresh->lost, struct lost, i);
        apply_note_lost (refresh->apply,
                         apply_path (refresh, refresh->apply, lost->folder, lost->name));
    }
    return status;
}

/* Puts the new segment in place of the old one, unless that has gone meanwhile. What has become
 * stale since the new one was begun is stale in it. */
static enum mail_status
exchange (struct refresh *refresh)
{
    struct writer *writer;
    const char *name = refresh->old.name;
    uint32_t stale;
    enum mail_status status = writer_begin (refresh, refresh->apply->index, &writer);
    if (status != MAIL_OK)
        return status;
    if (!writer_take_segments (writer, &name, 1, &stale)) {
        talloc_free (writer);
        return mail_index_refresh (refresh->apply->index); /* or it would be chosen again */
    }
    refresh->block.segment.stale = stale - MIN (stale, refresh->old.stale);
    if (refresh->block.segment.stale == 0)
        status = forget_stale (refresh, writer);
    if (status == MAIL_OK && refresh->block.made)
        status = writer_add_segment (writer, refresh->block.path, &refresh->block.segment);
    if (status != MAIL_OK) {
        talloc_free (writer);
        return status;
    }
    status = writer_commit (writer);
    if (status == MAIL_OK && !is_named (refresh->apply->index->manifest, name)) {
        char *path = talloc_asprintf (refresh, "%s/text/%s", refresh->apply->index->folder, name);
        unlink (path);
    }
    return status;
}

static enum mail_status
refresh_segment (struct apply *apply, const struct segment *segment, bool *done_out)
{
    struct refresh *refresh = talloc_zero (apply, struct refresh);
    GArray *lives = g_array_new (FALSE, FALSE, sizeof (struct live));
    refresh->apply = apply;
    refresh->old = *segment;
    refresh->old.name = talloc_strdup (refresh, segment->name);
    refresh->lost = g_array_new (FALSE, FALSE, sizeof (struct lost));
    refresh->wanted = is_wanted (apply, segment->name);
    *done_out = false;
    enum mail_status status = find_live (refresh, lives);
    if (status == MAIL_OK && build (refresh, lives)) {
        status = publish_lost (refresh);
        if (status == MAIL_OK)
            status = exchange (refresh);
        *done_out = true;
    }
    g_array_unref (lives);
    g_array_unref (refresh->lost);
    talloc_free (refresh);
    return status;
}

enum mail_status
apply_refresh (struct apply *apply)
{
    const struct segment *segment;
    uint32_t from = 0;
    enum mail_status status = MAIL_OK;
    while (status == MAIL_OK && !apply->stopped && (segment = choose (apply, from)) != NULL) {
        bool done;
        uint32_t last = segment->last;
        status = apply_start_crew (apply);
        if (status == MAIL_OK)
            status = refresh_segment (apply, segment, &done);
        if (status == MAIL_OK && !done) /* on with the others */
            from = last + 1;
    }
    return status;
}
