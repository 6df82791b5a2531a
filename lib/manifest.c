/* SPDX-License-Identifier: GPL-3.0-or-later */
/* manifest.c - the list of text segments as text, and its order. */
#include "manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <talloc.h>

#define VERSION_LINE "mail-manifest 1\n"

struct manifest *
manifest_create (void *ctx)
{
    return talloc_zero (ctx, struct manifest);
}

char *
manifest_encode (void *ctx, const struct manifest *manifest)
{
    char *text = talloc_strdup (ctx, VERSION_LINE);
    for (size_t i = 0; i < manifest->count; i++) {
        const struct segment *s = &manifest->segments[i];
        text = talloc_asprintf_append (
            text, "%s %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu64 " %s\n", s->name,
            s->first, s->last, s->documents, s->stale, s->bytes, s->sha256);
    }
    return text;
}

static bool
decode_line (void *ctx, const char *line, struct segment *out)
{
    char name[128], sha256[65];
    int end = 0;
    int fields = sscanf (
        line, "%127s %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu64 " %64s%n", name,
        &out->first, &out->last, &out->documents, &out->stale, &out->bytes, sha256, &end);
    if (fields != 7 || line[end] != '\0' || strchr (name, '/') || out->first > out->last)
        return false;
    out->name = talloc_strdup (ctx, name);
    strcpy (out->sha256, sha256);
    return true;
}

struct manifest *
manifest_decode (void *ctx, const char *text, char **error_out)
{
    struct manifest *manifest = manifest_create (ctx);
    if (*text == '\0')
        return manifest;
    if (strncmp (text, VERSION_LINE, strlen (VERSION_LINE)) != 0) {
        *error_out = talloc_strdup (ctx, "the list of segments is of an unknown version");
        talloc_free (manifest);
        return NULL;
    }
    char *copy = talloc_strdup (manifest, text + strlen (VERSION_LINE)), *rest = copy, *line;
    while ((line = strsep (&rest, "\n")) != NULL && *line != '\0') {
        struct segment segment = {0};
        if (!decode_line (manifest, line, &segment) || !manifest_insert (manifest, &segment)) {
            *error_out = talloc_asprintf (ctx, "the list of segments has a bad line: %s", line);
            talloc_free (manifest);
            return NULL;
        }
    }
    talloc_free (copy);
    return manifest;
}

bool
manifest_insert (struct manifest *manifest, const struct segment *segment)
{
    size_t at = manifest->count;
    while (at > 0 && manifest->segments[at - 1].first > segment->first)
        at--;
    if (at > 0 && manifest->segments[at - 1].last >= segment->first)
        return false;
    if (at < manifest->count && manifest->segments[at].first <= segment->last)
        return false;
    manifest->segments =
        talloc_realloc (manifest, manifest->segments, struct segment, manifest->count + 1);
    memmove (&manifest->segments[at + 1], &manifest->segments[at],
             (manifest->count - at) * sizeof *manifest->segments);
    manifest->segments[at] = *segment;
    manifest->segments[at].name = talloc_strdup (manifest, segment->name);
    manifest->count++;
    return true;
}

void
manifest_remove (struct manifest *manifest, size_t at)
{
    talloc_free (manifest->segments[at].name);
    manifest->count--;
    memmove (&manifest->segments[at], &manifest->segments[at + 1],
             (manifest->count - at) * sizeof *manifest->segments);
}

struct segment *
manifest_find (struct manifest *manifest, uint32_t id)
{
    for (size_t i = 0; i < manifest->count; i++) {
        struct segment *s = &manifest->segments[i];
        if (s->first <= id && id <= s->last)
            return s;
    }
    return NULL;
}
