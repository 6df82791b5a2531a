/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * apply-sources.c - which files of a message have to be read for all its words.
 *
 * A message in several files usually has the same words in most of them, so one file of each digest
 * is enough; and where that one has gone, which a rename does to what the index knows, another of
 * the same words will do.
 */
#include "apply-private.h"
#include "folders.h"
#include "message.h"
#include "term.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <unistd.h>

static int
sources_destroy (struct sources *sources)
{
    for (size_t i = 0; i < sources->count; i++)
        close (sources->fds[i]);
    g_array_unref (sources->missing);
    return 0;
}

struct sources *
sources_create (void *ctx)
{
    struct sources *sources = talloc_zero (ctx, struct sources);
    sources->missing = g_array_new (FALSE, FALSE, DIGEST_SIZE);
    talloc_set_destructor (sources, sources_destroy);
    return sources;
}

struct mail_message *
apply_message_of (void *ctx, struct apply *apply, const char *folder, const char *name)
{
    struct mail_index *index = apply->index;
    const struct mail_folders *folders = index_folders (index);
    const struct mail_folder *found = folders ? folders_find (folders, folder) : NULL;
    struct mail_message *message = NULL;
    struct idset ids = {NULL, 0};
    unsigned attempt = 0;
    enum mail_status status;
    if (!found)
        return NULL;
    struct store_term file = term_file (ctx, found->id, name);
    do
        status = store_postings (ctx, index->state, file, &ids);
    while (index_retry (index, &status, &attempt));
    if (status != MAIL_OK)
        return NULL;
    for (size_t i = 0; !message && i < ids.count; i++)
        if (message_read (ctx, index, ids.ids[i], &message) != MAIL_OK)
            message = NULL;
    return message;
}

static bool
has_words (const struct sources *sources, const unsigned char *digest)
{
    static const unsigned char none[DIGEST_SIZE]; /* words that nobody knows */
    for (size_t i = 0; memcmp (digest, none, DIGEST_SIZE) != 0 && i < sources->count; i++) {
        if (memcmp (sources->digests[i], digest, DIGEST_SIZE) == 0)
            return true;
    }
    return false;
}

bool
sources_lack (const struct sources *sources, const unsigned char *digest)
{
    return sources->count < WIRE_FILES_MAX && !has_words (sources, digest);
}

/* Whether the name is no more in its folder, as after a rename. What lies behind a link to nothing,
 * or in a folder that is not there, is out of reach instead, and perhaps for long. */
static bool
has_gone (const char *path)
{
    struct stat st;
    if (lstat (path, &st) == 0 || errno != ENOENT)
        return false;
    char *folder = talloc_strndup (NULL, path, (size_t) (strrchr (path, '/') - path));
    bool is_there = stat (folder, &st) == 0;
    talloc_free (folder);
    return is_there;
}

bool
sources_open (struct sources *sources, const char *path, const unsigned char *digest,
              bool dispensable)
{
    struct parsed_file file;
    if (has_words (sources, digest))
        return true;
    sources->part |= sources->count == WIRE_FILES_MAX;
    if (sources->count == WIRE_FILES_MAX)
        return false;
    int fd = build_open (sources, path, &file);
    if (fd >= 0) {
        memcpy (sources->digests[sources->count], digest, DIGEST_SIZE);
        sources->fds[sources->count++] = fd;
        return true;
    }
    sources->part = true;
    if (!dispensable || has_gone (path))
        g_array_append_vals (sources->missing, digest, 1);
    return true;
}

bool
sources_are_whole (const struct sources *sources)
{
    for (guint i = 0; i < sources->missing->len; i++) {
        const unsigned char *digest =
            (const unsigned char *) sources->missing->data + (size_t) i * DIGEST_SIZE;
        if (!has_words (sources, digest))
            return false;
    }
    return sources->count > 0;
}

void
sources_send (struct sources *sources, struct crew *crew, unsigned worker, uint32_t docid)
{
    struct build_job job = {docid, sources->fds, sources->count, sources->session_keys,
                            sources->part};
    crew_job (crew, worker, &job);
    sources->count = 0; /* closed by now */
}
