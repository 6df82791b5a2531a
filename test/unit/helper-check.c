/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * helper-check.c - an index held against doc/schema.md.
 *
 * Every document of state and every segment is read with the functions of store.h, none of those
 * that write them.
 */
#include "helper-index.h"
#include "files.h"
#include "folders.h"
#include "problem.h"
#include "schema.h"
#include "senders.h"
#include "term.h"

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

struct check {
    struct fixture *f;
    struct store *state;
    struct manifest *manifest;
    uint32_t last;
    char *types;     /* by document id: m, g, a, s, d, b; M: a message whose own text is stale */
    uint32_t *texts; /* of a message: its text; of an alias: its message */
    GHashTable *ids; /* Message-IDs seen */
    GHashTable *threads, *ghost_threads;
    struct mail_folders *folders;
};

static bool
has_term (const struct store_document *document, struct store_term term)
{
    for (size_t i = 0; i < document->term_count; i++) {
        if (document->terms[i].length == term.length &&
            memcmp (document->terms[i].text, term.text, term.length) == 0)
            return true;
    }
    return false;
}

static bool
has (const struct store_document *document, const char *term)
{
    return has_term (document, (struct store_term){term, strlen (term)});
}

static size_t
count_terms (const struct store_document *document, char prefix)
{
    size_t count = 0;
    for (size_t i = 0; i < document->term_count; i++)
        count += document->terms[i].text[0] == prefix;
    return count;
}

static const char *
term_value (const struct store_document *document, char prefix)
{
    for (size_t i = 0; i < document->term_count; i++) {
        if (document->terms[i].text[0] == prefix)
            return document->terms[i].text + 1;
    }
    return NULL;
}

static uint64_t
value (struct check *check, uint32_t id, unsigned slot)
{
    uint64_t number;
    assert_int_equal (store_values (check->state, slot, &id, 1, &number), MAIL_OK);
    return number;
}

static uint64_t
metadata_number (struct check *check, const char *key)
{
    char *text;
    assert_int_equal (store_metadata (check, check->state, key, &text, NULL), MAIL_OK);
    return strtoull (text, NULL, 10);
}

/* What messages and ghosts have in common. */
static uint64_t
check_id_and_thread (struct check *check, uint32_t id, const struct store_document *document)
{
    const char *name = term_value (document, 'Q');
    assert_int_equal (count_terms (document, 'Q'), 1);
    assert_int_equal (count_terms (document, 'G'), 1);
    if (!g_hash_table_add (check->ids, talloc_strdup (check, name)))
        fail_msg ("two documents have the Message-ID %s", name);
    uint64_t thread = strtoull (term_value (document, 'G'), NULL, 16);
    assert_true (thread > 0 && thread < metadata_number (check, META_NEXT_THREAD));
    assert_int_equal (value (check, id, SLOT_THREAD), thread);
    uint64_t revision = value (check, id, SLOT_REVISION);
    assert_true (revision > 0 && revision <= metadata_number (check, META_REVISION));
    return thread;
}

static size_t
count_distinct_folders (const struct record *record)
{
    size_t count = 0;
    for (size_t i = 0; i < record->file_count; i++) {
        bool before = false;
        for (size_t k = 0; k < i; k++)
            before |= record->files[k].folder == record->files[i].folder;
        count += !before;
    }
    return count;
}

static void
check_files (struct check *check, const struct store_document *document,
             const struct record *record)
{
    bool settled = false;
    assert_true (record->file_count > 0);
    for (size_t i = 0; i < record->file_count; i++) {
        const struct record_file *file = &record->files[i];
        assert_true (has_term (document, term_folder (check, file->folder)));
        assert_true (has_term (document, term_file (check, file->folder, file->name)));
        assert_int_equal (record_find_file (record, file->folder, file->name), i);
        if (!mail_folders_by_id (check->folders, file->folder))
            fail_msg ("'%s' lies in a folder that has no record", file->name);
        bool differs = false;
        for (unsigned k = 0; k < MAIL_FIELD_COUNT; k++) {
            assert_true (!file->differs[k] || strcmp (file->differs[k], record->fields[k]) != 0);
            differs |= file->differs[k] != NULL;
        }
        settled |= !differs;
    }
    if (!settled)
        fail_msg ("the headers of a message are those of none of its files");
    assert_int_equal (count_terms (document, 'N'), record->file_count);
    assert_int_equal (count_terms (document, 'F'), count_distinct_folders (record));
}

static void
check_mail (struct check *check, uint32_t id, const struct store_document *document)
{
    struct record record;
    assert_true (record_decode (check, document->data, document->data_length, &record));
    uint64_t thread = check_id_and_thread (check, id, document);
    g_hash_table_add (check->threads, talloc_memdup (check, &thread, sizeof thread));
    check_files (check, document, &record);
    assert_true (value (check, id, SLOT_DATE) == date_to_value (record.date));
    assert_true (value (check, id, SLOT_SIZE) == record.size);
    assert_int_equal (value (check, id, SLOT_ALIAS), 0);
    check->types[id] = has (document, TERM_TYPE_STALE) ? 'M' : 'm';
    check->texts[id] = record.text;
    assert_int_equal (record.text == id, check->types[id] == 'm');
    assert_int_equal (count_terms (document, 'T'), 1 + (check->types[id] == 'M'));
}

static void
check_problem (struct check *check, uint32_t id, const struct store_document *document)
{
    struct mail_problem problem;
    assert_true (problem_decode (check, document->data, document->data_length, &problem));
    assert_int_equal (document->term_count, 2);
    assert_true (has_term (document, term_file (check, problem.folder, problem.name)));
    assert_non_null (mail_folders_by_id (check->folders, problem.folder));
    check->types[id] = 'b';
}

static void
check_document (struct check *check, uint32_t id)
{
    struct store_document document;
    bool found;
    assert_int_equal (
        store_read (check, check->state, id, STORE_DATA | STORE_TERMS, &document, &found), MAIL_OK);
    if (!found)
        return;
    if (has (&document, TERM_TYPE_MAIL)) {
        check_mail (check, id, &document);
        return;
    }
    if (has (&document, TERM_TYPE_TOMBSTONE)) {
        assert_int_equal (document.term_count, 3);
        assert_true (has (&document, TERM_TYPE_STALE));
        assert_int_equal (count_terms (&document, 'X'), 1);
        assert_true (value (check, id, SLOT_GONE) > 0);
        check->types[id] = 's';
        return;
    }
    assert_int_equal (count_terms (&document, 'T'), 1);
    if (has (&document, TERM_TYPE_BAD)) {
        check_problem (check, id, &document);
        return;
    }
    assert_int_equal (document.data_length, 0);
    if (has (&document, TERM_TYPE_GHOST)) {
        uint64_t thread = check_id_and_thread (check, id, &document);
        g_hash_table_add (check->ghost_threads, talloc_memdup (check, &thread, sizeof thread));
        assert_int_equal (document.term_count, 3);
        assert_int_equal (value (check, id, SLOT_DATE), 0);
        check->types[id] = 'g';
    } else if (has (&document, TERM_TYPE_ALIAS)) {
        check->types[id] = 'a';
        check->texts[id] = (uint32_t) value (check, id, SLOT_ALIAS);
    } else if (has (&document, TERM_TYPE_STALE)) {
        check->types[id] = 's';
    } else if (has (&document, TERM_TYPE_FOLDER)) {
        assert_non_null (mail_folders_by_id (check->folders, id));
        check->types[id] = 'd';
    } else {
        fail_msg ("document %u is of no type", id);
    }
}

/* An alias and its message name each other. */
static void
check_aliases (struct check *check)
{
    for (uint32_t id = 1; id <= check->last; id++) {
        uint32_t other = check->texts[id];
        if (check->types[id] == 'M' && (check->types[other] != 'a' || check->texts[other] != id))
            fail_msg ("the text of message %u is %u, which is no alias of it", id, other);
        if (check->types[id] == 'a' && (check->types[other] != 'M' || check->texts[other] != id))
            fail_msg ("%u is an alias of %u, whose text it is not", id, other);
    }
}

static void
check_ghosts (struct check *check)
{
    GHashTableIter iter;
    gpointer thread;
    g_hash_table_iter_init (&iter, check->ghost_threads);
    while (g_hash_table_iter_next (&iter, &thread, NULL)) {
        if (!g_hash_table_contains (check->threads, thread))
            fail_msg ("thread %llx has ghosts and no message",
                      (unsigned long long) *(uint64_t *) thread);
    }
}

static void
check_folders (struct check *check)
{
    size_t count;
    const struct mail_folder *list = mail_folders_list (check->folders, &count);
    GHashTable *paths = g_hash_table_new (g_str_hash, g_str_equal);
    for (size_t i = 0; i < count; i++) {
        char *path = mail_folders_path (check, check->folders, list[i].id);
        if (list[i].parent && !mail_folders_by_id (check->folders, list[i].parent))
            fail_msg ("folder '%s' lies in a folder that has no record", path);
        if (!g_hash_table_add (paths, path))
            fail_msg ("there are two records of the folder '%s'", path);
    }
    g_hash_table_destroy (paths);
}

/* Every text document belongs to a message or is known to be stale. */
static void
check_segment (struct check *check, const struct segment *segment)
{
    uint64_t bytes;
    char sha256[65], *error = NULL;
    char *path = talloc_asprintf (check, "%s/text/%s", check->f->index->folder, segment->name);
    struct store *text;
    struct store_query all = {.op = STORE_OP_ALL};
    struct idset ids;
    uint32_t stale = 0;
    if (store_open (check, path, STORE_READ, &text, &error) != MAIL_OK)
        fail_msg ("%s", error);
    assert_int_equal (files_sha256 (path, sha256, &bytes), 0);
    assert_string_equal (sha256, segment->sha256);
    assert_int_equal (bytes, segment->bytes);
    assert_int_equal (store_search (check, text, &all, &ids), MAIL_OK);
    assert_int_equal (ids.count, segment->documents);
    for (size_t i = 0; i < ids.count; i++) {
        uint32_t id = ids.ids[i];
        assert_true (segment->first <= id && id <= segment->last && id <= check->last);
        char type = check->types[id];
        if (!type || !strchr ("mMas", type))
            fail_msg ("text %u belongs to nothing, and is not stale", id);
        stale += type == 'M' || type == 's';
    }
    assert_int_equal (stale, segment->stale);
    talloc_free (text);
}

/* The files in text/ are those that the manifest names. */
static void
check_names (struct check *check)
{
    GPtrArray *names = g_ptr_array_new ();
    for (size_t i = 0; i < check->manifest->count; i++)
        g_ptr_array_add (names, check->manifest->segments[i].name);
    g_ptr_array_add (names, "tmp");
    assert_string_equal (fixture_list (check->f, ".mailindex/text"),
                         fixture_join (check, names, " "));
}

static void
check_segments (struct check *check)
{
    for (size_t i = 0; i < check->manifest->count; i++)
        check_segment (check, &check->manifest->segments[i]);
    /* no message may lack its words */
    for (uint32_t id = 1; id <= check->last && check->f->published == 0; id++) {
        bool mail = check->types[id] == 'm' || check->types[id] == 'M';
        if (mail && !manifest_find (check->manifest, check->texts[id]))
            fail_msg ("message %u has no words", id);
    }
    check_names (check);
}

static char *
addresses_text (struct check *check, const struct mail_address *list, size_t count)
{
    char *text = talloc_strdup (check, "");
    for (size_t i = 0; i < count; i++)
        text = talloc_asprintf_append (text, "%s|%s\n", list[i].name, list[i].address);
    return text;
}

/* The columns say of each message that it is from those whom its record names. */
static void
check_senders (struct check *check)
{
    struct mail_index *index = fixture_open (check->f);
    struct mail_query *query;
    struct mail_results *results;
    struct mail_messages *messages;
    struct mail_message *message;
    const struct mail_sender *sender;
    size_t count;
    assert_int_equal (mail_query_parse (check, index, "*", &query, NULL), MAIL_OK);
    assert_int_equal (mail_query_run (check, query, MAIL_SORT_NEWEST_FIRST, &results), MAIL_OK);
    struct mail_senders *senders = senders_open (check, results, 0);
    assert_int_equal (mail_messages_open_headers (check, results, &messages), MAIL_OK);
    do {
        assert_int_equal (mail_messages_next (messages, &message), MAIL_OK);
        assert_int_equal (mail_senders_next (senders, &sender), MAIL_OK);
        assert_int_equal (!message, !sender);
        if (!message)
            break;
        struct mail_address *list = mail_message_addresses (check, message, MAIL_FROM, &count);
        assert_string_equal (addresses_text (check, sender->addresses, sender->count),
                             addresses_text (check, list, count));
    } while (true);
    talloc_free (senders);
    mail_index_close (index);
}

static struct check *
begin (struct fixture *f)
{
    char *text, *error = NULL, *path = talloc_asprintf (f->ctx, "%s/state", f->index->folder);
    struct check *check = talloc_zero (f->ctx, struct check);
    check->f = f;
    if (store_open (check, path, STORE_READ, &check->state, &error) != MAIL_OK)
        fail_msg ("%s", error);
    check->last = store_last_docid (check->state);
    check->types = talloc_zero_array (check, char, check->last + 1);
    check->texts = talloc_zero_array (check, uint32_t, check->last + 1);
    check->ids = g_hash_table_new (g_str_hash, g_str_equal);
    check->threads = g_hash_table_new (g_int64_hash, g_int64_equal);
    check->ghost_threads = g_hash_table_new (g_int64_hash, g_int64_equal);
    assert_int_equal (store_metadata (check, check->state, META_MANIFEST, &text, NULL), MAIL_OK);
    check->manifest = manifest_decode (check, text, &error);
    assert_non_null (check->manifest);
    assert_int_equal (folders_read (check, check->state, &check->folders), MAIL_OK);
    return check;
}

static void
finish (struct check *check)
{
    g_hash_table_destroy (check->ids);
    g_hash_table_destroy (check->threads);
    g_hash_table_destroy (check->ghost_threads);
    talloc_free (check);
}

void
fixture_check (struct fixture *f)
{
    struct check *check = begin (f);
    assert_true (check->last < metadata_number (check, META_NEXT_DOCID));
    for (uint32_t id = 1; id <= check->last; id++)
        check_document (check, id);
    check_aliases (check);
    check_ghosts (check);
    check_folders (check);
    check_segments (check);
    check_senders (check);
    finish (check);
}

/* ---- threads as text ---- */

static char *
members_of (struct check *check, uint64_t thread)
{
    GPtrArray *names = g_ptr_array_new ();
    struct idset ids;
    struct store_document document;
    bool found;
    assert_int_equal (store_postings (check, check->state, term_thread (check, thread), &ids),
                      MAIL_OK);
    for (size_t i = 0; i < ids.count; i++) {
        assert_int_equal (
            store_read (check, check->state, ids.ids[i], STORE_TERMS, &document, &found), MAIL_OK);
        const char *form = has (&document, TERM_TYPE_MAIL) ? "%s" : "(%s)";
        g_ptr_array_add (names, talloc_asprintf (check, form, term_value (&document, 'Q')));
    }
    return fixture_join (check, names, " ");
}

static bool
note_thread (void *closure, const char *term, size_t length, uint32_t freq)
{
    (void) length;
    assert_true (freq > 0);
    uint64_t thread = strtoull (term + 1, NULL, 16);
    g_array_append_val ((GArray *) closure, thread);
    return true;
}

char *
fixture_threads (struct fixture *f)
{
    struct check *check = begin (f);
    GArray *threads = g_array_new (FALSE, FALSE, sizeof (uint64_t));
    GPtrArray *lines = g_ptr_array_new ();
    struct store_term prefix = {PREFIX_THREAD, strlen (PREFIX_THREAD)};
    assert_int_equal (store_each_term (check->state, prefix, note_thread, threads), MAIL_OK);
    for (size_t i = 0; i < threads->len; i++)
        g_ptr_array_add (lines, members_of (check, g_array_index (threads, uint64_t, i)));
    char *text = fixture_join (f->ctx, lines, " | ");
    g_array_unref (threads);
    finish (check);
    return text;
}
