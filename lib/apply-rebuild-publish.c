/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * apply-rebuild-publish.c - the commit of messages whose words were made anew, and what becomes of
 * those for which that was not possible.
 */
#include "apply-rebuild.h"

#include <string.h>
#include <talloc.h>

/* The files become problems. */
static void
give_up (struct apply *apply, struct rebuild *rebuild, const struct parsed_file *problem)
{
    for (size_t i = 0; i < rebuild->places->len; i++) {
        struct deferred *deferred = rebuild_at (apply, rebuild, i);
        char *path = rebuild_path (NULL, apply, deferred);
        if (problem->status == MAIL_ERROR_IO)
            rebuild_change (apply, deferred)->failed = true;
        apply->counts->processed--;
        apply_note_parsed (apply, path, problem);
        talloc_free (path);
    }
}

/* They are looked at again in the next run. */
static void
put_off (struct apply *apply, struct rebuild *rebuild, const char *reason)
{
    struct parsed_file problem = {.status = MAIL_ERROR_IO, .vanished = true, .problem = reason};
    give_up (apply, rebuild, &problem);
}

static bool
has_lost (const struct rebuild *rebuild)
{
    bool lost = false;
    for (guint i = 0; i < rebuild->others->len; i++)
        lost |= g_array_index (rebuild->others, struct other, i).lost;
    return lost;
}

static void
tell_lost (struct apply *apply, const struct rebuild *rebuild)
{
    for (guint i = 0; i < rebuild->others->len; i++) {
        const struct other *other = &g_array_index (rebuild->others, struct other, i);
        char *path = apply_path (NULL, apply, other->folder, other->name);
        if (other->lost)
            apply_note_lost (apply, path);
        talloc_free (path);
    }
}

/* What is to be known of the only new file: as it was read now, with the message's session keys. */
static const struct parsed_file *
as_read (struct rebuild *rebuild, const struct deferred *deferred)
{
    struct parsed_file *read = (struct parsed_file *) rebuild->read->data;
    if (rebuild->places->len > 1 || rebuild->new_files != 1 || rebuild->read->len == 0 ||
        strcmp (read->id, rebuild->id) != 0)
        return &deferred->file;
    build_set_stat (read, &deferred->file.stat);
    return read;
}

static enum mail_status
publish_words (struct apply *apply, struct publish *publish, struct rebuild *rebuild)
{
    size_t count = rebuild->places->len;
    struct publish_name *names = talloc_array (publish, struct publish_name, count);
    bool done;
    for (size_t i = 0; i < count; i++) {
        struct deferred *deferred = rebuild_at (apply, rebuild, i);
        names[i] =
            (struct publish_name){rebuild_folder (apply, deferred), rebuild_name (apply, deferred),
                                  as_read (rebuild, deferred)};
    }
    const struct publish_words words = {
        .id = rebuild->id,
        .text = rebuild->text,
        .before = rebuild->before,
        .files = names,
        .count = count,
        .read = (const struct parsed_file *) rebuild->read->data,
        .read_count = rebuild->read->len,
        .part = has_lost (rebuild),
    };
    enum mail_status status = publish_rebuilt (publish, &words, &done);
    rebuild->torn = status == MAIL_OK && !done;
    if (rebuild->torn)
        put_off (apply, rebuild, "another program was indexing the same message");
    for (guint i = 0; status == MAIL_OK && done && i < rebuild->others->len; i++) {
        const struct other *other = &g_array_index (rebuild->others, struct other, i);
        if (other->lost)
            status = publish_lose_words (publish, other->folder, other->name);
    }
    return status;
}

/* What took workers down, or is refused, is not read again until it changes. */
static enum mail_status
publish_problems (struct apply *apply, struct publish *publish, struct rebuild *rebuild)
{
    enum mail_status status = MAIL_OK;
    enum mail_reason reason = rebuild->died ? MAIL_REASON_WORKER_DIED : MAIL_REASON_REFUSED;
    for (size_t i = 0; status == MAIL_OK && i < rebuild->places->len; i++) {
        struct deferred *deferred = rebuild_at (apply, rebuild, i);
        status = publish_problem (publish, rebuild_folder (apply, deferred),
                                  rebuild_name (apply, deferred), reason, &deferred->file.stat,
                                  rebuild->died);
    }
    return status;
}

static enum mail_status
publish_rebuild (struct apply *apply, struct publish *publish, struct rebuild *rebuild)
{
    enum mail_status status = MAIL_OK;
    bool useless = rebuild->died || rebuild->torn || rebuild->refused;
    for (size_t i = 0; status == MAIL_OK && i < rebuild->places->len; i++)
        status = apply_doubt_path (apply, publish,
                                   rebuild_folder (apply, rebuild_at (apply, rebuild, i)));
    if (status != MAIL_OK)
        return status;
    if (!useless)
        status = publish_words (apply, publish, rebuild);
    else if (rebuild->made)
        status = publish_waste_text (publish, rebuild->text);
    if (status == MAIL_OK && (rebuild->died || rebuild->refused))
        status = publish_problems (apply, publish, rebuild);
    if (status != MAIL_OK)
        return status;
    for (size_t i = 0; i < rebuild->places->len; i++)
        rebuild_change (apply, rebuild_at (apply, rebuild, i))->adds_left--;
    rebuild->counted = true;
    for (size_t i = 0; status == MAIL_OK && i < rebuild->places->len; i++)
        status = apply_finish_folder (apply, publish,
                                      rebuild_change (apply, rebuild_at (apply, rebuild, i)));
    return status;
}

/* The transaction has failed. */
static void
forget_published (struct apply *apply, GPtrArray *rebuilds)
{
    for (size_t i = 0; i < rebuilds->len; i++) {
        struct rebuild *rebuild = g_ptr_array_index (rebuilds, i);
        for (size_t k = 0; rebuild->counted && k < rebuild->places->len; k++)
            rebuild_change (apply, rebuild_at (apply, rebuild, k))->adds_left++;
        rebuild->counted = false;
    }
}

static enum mail_status
try_to_publish (struct apply *apply, GPtrArray *rebuilds, struct block *block, char **culprit_out)
{
    struct publish *publish;
    enum mail_status status = apply_begin_publish (apply, block, &publish);
    if (status != MAIL_OK)
        return status;
    for (size_t i = 0; status == MAIL_OK && i < rebuilds->len; i++)
        status = publish_rebuild (apply, publish, g_ptr_array_index (rebuilds, i));
    status = apply_end (apply, publish, status, culprit_out);
    if (status != MAIL_OK)
        forget_published (apply, rebuilds);
    return status;
}

/* The store refuses this message. False where it is none of these. */
static bool
refuse (struct apply *apply, GPtrArray *rebuilds, const char *id)
{
    for (size_t i = 0; i < rebuilds->len; i++) {
        struct rebuild *rebuild = g_ptr_array_index (rebuilds, i);
        if (rebuild->refused || strcmp (rebuild->id, id) != 0)
            continue;
        char *text = talloc_strdup (NULL, mail_index_error (apply->index));
        struct parsed_file problem = {.status = MAIL_ERROR_STORE, .problem = text};
        rebuild->refused = true;
        give_up (apply, rebuild, &problem);
        talloc_free (text);
        return true;
    }
    return false;
}

enum mail_status
rebuild_publish (struct apply *apply, GPtrArray *rebuilds, struct block *block)
{
    for (size_t i = 0; i < rebuilds->len; i++) {
        struct rebuild *rebuild = g_ptr_array_index (rebuilds, i);
        struct parsed_file died = apply_worker_died (&(struct mail_stat){0});
        if (rebuild->died)
            give_up (apply, rebuild, &died);
        else if (rebuild->torn)
            put_off (apply, rebuild, "a file of the message changed meanwhile");
        else
            tell_lost (apply, rebuild);
    }
    for (;;) {
        char *culprit = NULL;
        enum mail_status status = try_to_publish (apply, rebuilds, block, &culprit);
        bool again = culprit && refuse (apply, rebuilds, culprit);
        talloc_free (culprit);
        if (!again)
            return status;
    }
}
