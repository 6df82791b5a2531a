/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * thread.c - the summary of a thread: authors, subject, dates, tags.
 *
 * The rules are notmuch's, so that listings agree to the letter.
 */
#include "thread.h"
#include "mime/mime.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

struct mail_thread {
    uint64_t id;
    enum mail_sort sort;
    struct mail_message **messages;
    bool *matched;
    size_t count, matched_count, files;
    int64_t oldest, newest;
    char *authors;
    char *subject;
    const char **tags;
    size_t tag_count;
};

static int
compare_dates (const void *a, const void *b)
{
    const struct mail_message *left = *(struct mail_message *const *) a;
    const struct mail_message *right = *(struct mail_message *const *) b;
    if (left->record.date != right->record.date)
        return left->record.date < right->record.date ? -1 : 1;
    return left->docid < right->docid ? -1 : left->docid > right->docid;
}

struct mail_thread *
thread_create (void *ctx, uint64_t id, struct mail_message **messages, size_t count,
               struct idset matches, enum mail_sort sort)
{
    struct mail_thread *thread = talloc_zero (ctx, struct mail_thread);
    thread->id = id;
    thread->sort = sort;
    thread->messages = talloc_array (thread, struct mail_message *, count + 1);
    for (size_t i = 0; i < count; i++) {
        if (messages[i])
            thread->messages[thread->count++] = messages[i];
    }
    qsort (thread->messages, thread->count, sizeof *thread->messages, compare_dates);
    thread->matched = talloc_zero_array (thread, bool, thread->count + 1);
    for (size_t i = 0; i < thread->count; i++) {
        struct mail_message *message = thread->messages[i];
        thread->files += message->record.file_count;
        thread->matched[i] = idset_contains (matches, message->docid);
        if (!thread->matched[i])
            continue;
        thread->newest = message->record.date;
        if (thread->matched_count++ == 0)
            thread->oldest = message->record.date;
    }
    if (thread->matched_count == 0)
        TALLOC_FREE (thread);
    return thread;
}

uint64_t
mail_thread_id (const struct mail_thread *thread)
{
    return thread->id;
}

struct mail_message *const *
mail_thread_messages (const struct mail_thread *thread, size_t *count_out)
{
    *count_out = thread->count;
    return thread->messages;
}

bool
mail_thread_message_matched (const struct mail_thread *thread, size_t i)
{
    return i < thread->count && thread->matched[i];
}

size_t
mail_thread_matched (const struct mail_thread *thread)
{
    return thread->matched_count;
}

size_t
mail_thread_files (const struct mail_thread *thread)
{
    return thread->files;
}

int64_t
mail_thread_oldest (const struct mail_thread *thread)
{
    return thread->oldest;
}

int64_t
mail_thread_newest (const struct mail_thread *thread)
{
    return thread->newest;
}

/* ---- authors ---- */

/* "first.last" of a "Last, First" name, blanks as dots; the name turned round, or NULL where the
 * address does not confirm it. */
static char *
turn_round (void *ctx, const char *name, const char *from)
{
    const char *comma = strchr (name, ',');
    if (!comma || comma == name)
        return NULL;
    const char *first = comma + 1;
    while (*first == ' ')
        first++;
    if (*first == '\0')
        return NULL;
    char *last = talloc_strndup (ctx, name, comma - name);
    char *turned = talloc_asprintf (ctx, "%s %s", first, last);
    char *wanted = talloc_strdup (ctx, turned);
    for (char *c = wanted; *c; c++) {
        if (*c == ' ')
            *c = '.';
    }
    return strcasestr (from, wanted) ? turned : NULL;
}

/* The author of a message: the display name of the first address, or that address. */
static char *
author_of (void *ctx, const struct mail_message *message)
{
    size_t count;
    const char *raw = message_raw_field (message, MAIL_FROM);
    struct mime_address *addresses = mime_decode_addresses (ctx, raw, &count);
    if (count == 0)
        return talloc_strdup (ctx, "");
    const char *name = *addresses[0].name ? addresses[0].name : addresses[0].address;
    char *turned = strchr (name, ',') ? turn_round (ctx, name, raw) : NULL;
    return turned ? turned : talloc_strdup (ctx, name);
}

/* Appends the authors of messages whose match is as wanted, each name once over both calls. */
static char *
append_authors (const struct mail_thread *thread, char *text, bool matched, GHashTable *seen,
                const char *first_separator, const char *between, void *names)
{
    const char *separator = first_separator;
    for (size_t i = 0; i < thread->count; i++) {
        if (thread->matched[i] != matched)
            continue;
        char *author = author_of (names, thread->messages[i]);
        if (*author == '\0' || !g_hash_table_add (seen, author))
            continue;
        text = talloc_asprintf_append_buffer (text, "%s%s", separator, author);
        separator = between;
    }
    return text;
}

char *
mail_thread_authors_with (void *ctx, const struct mail_thread *thread, const char *between,
                          const char *before_others)
{
    GHashTable *seen = g_hash_table_new (g_str_hash, g_str_equal);
    void *names = talloc_new (ctx);
    char *text = talloc_strdup (ctx, "");
    text = append_authors (thread, text, true, seen, "", between, names);
    text = append_authors (thread, text, false, seen, before_others, between, names);
    g_hash_table_destroy (seen);
    talloc_free (names);
    return text;
}

const char *
mail_thread_authors (const struct mail_thread *constant)
{
    struct mail_thread *thread = (struct mail_thread *) constant;
    if (!thread->authors)
        thread->authors = mail_thread_authors_with (thread, thread, ", ", "| ");
    return thread->authors;
}

/* ---- subject ---- */

static const char *
without_reply_prefix (const char *subject)
{
    static const char *const prefixes[] = {"Re: ", "Aw: ", "Vs: ", "Sv: "};
    for (size_t i = 0; i < G_N_ELEMENTS (prefixes); i++) {
        size_t length = strlen (prefixes[i]);
        if (g_ascii_strncasecmp (subject, prefixes[i], length) == 0)
            return subject + length;
    }
    return subject;
}

const char *
mail_thread_subject (const struct mail_thread *constant)
{
    struct mail_thread *thread = (struct mail_thread *) constant;
    const char *subject = "";
    if (thread->subject)
        return thread->subject;
    for (size_t k = 0; k < thread->count && *subject == '\0'; k++) {
        size_t i = thread->sort == MAIL_SORT_OLDEST_FIRST ? k : thread->count - 1 - k;
        if (thread->matched[i])
            subject = mail_message_field (thread->messages[i], MAIL_SUBJECT);
    }
    thread->subject = talloc_strdup (thread, without_reply_prefix (subject));
    return thread->subject;
}

/* ---- tags ---- */

static int
compare_strings (const void *a, const void *b)
{
    return strcmp (*(const char *const *) a, *(const char *const *) b);
}

const char *const *
mail_thread_tags (const struct mail_thread *constant, size_t *count_out)
{
    struct mail_thread *thread = (struct mail_thread *) constant;
    if (!thread->tags) {
        size_t room = 1;
        for (size_t i = 0; i < thread->count; i++)
            room += thread->messages[i]->tag_count;
        const char **tags = talloc_zero_array (thread, const char *, room);
        size_t count = 0, kept = 0;
        for (size_t i = 0; i < thread->count; i++) {
            for (size_t k = 0; k < thread->messages[i]->tag_count; k++)
                tags[count++] = thread->messages[i]->tags[k];
        }
        qsort (tags, count, sizeof *tags, compare_strings);
        for (size_t i = 0; i < count; i++) {
            if (kept == 0 || strcmp (tags[i], tags[kept - 1]) != 0)
                tags[kept++] = tags[i];
        }
        tags[kept] = NULL;
        thread->tags = tags;
        thread->tag_count = kept;
    }
    if (count_out)
        *count_out = thread->tag_count;
    return thread->tags;
}
