/* SPDX-License-Identifier: GPL-3.0-or-later */
/* helper-index.c - see helper-index.h. */
#include "helper-index.h"
#include "files.h"
#include "folders.h"
#include "term.h"

#include <dirent.h>
#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const new_tags[] = {"inbox", "unread", NULL};

struct mail_index *
fixture_open (struct fixture *f)
{
    struct mail_index *index = NULL;
    char *error = NULL;
    struct mail_open_options options = {
        .path = f->root, .flags = MAIL_OPEN_CREATE, .lock_timeout = 10, .command = "test"};
    if (mail_index_open (f->ctx, &options, &index, &error) != MAIL_OK)
        fail_msg ("cannot open: %s", error);
    return index;
}

int
fixture_setup (void **state)
{
    struct fixture *f = talloc_zero (NULL, struct fixture);
    const char *place = getenv ("TMPDIR");
    f->ctx = talloc_new (f);
    f->root = talloc_asprintf (f, "%s/unit.XXXXXX", place ? place : "/tmp");
    if (!mkdtemp (f->root))
        return -1;
    f->index = fixture_open (f);
    f->options = (struct mail_apply_options){
        .new_tags = new_tags, .new_tags_count = 2, .tombstone_days = 30};
    *state = f;
    return 0;
}

int
fixture_teardown (void **state)
{
    struct fixture *f = *state;
    if (!f->damaged)
        fixture_check (f);
    talloc_free (f->ctx);
    files_remove_tree (f->root);
    talloc_free (f);
    return 0;
}

char *
fixture_path (struct fixture *f, const char *path)
{
    return talloc_asprintf (f->ctx, "%s/%s", f->root, path);
}

/* ---- mail on the disk ---- */

void
fixture_write (struct fixture *f, const char *path, const char *text)
{
    char *full = fixture_path (f, path);
    for (char *slash = strchr (full + 1, '/'); slash; slash = strchr (slash + 1, '/')) {
        *slash = '\0';
        mkdir (full, 0700);
        *slash = '/';
    }
    /* the old file stays until the new one has its inode, so that the two differ */
    char *fresh = fixture_path (f, ".fresh");
    FILE *file = fopen (fresh, "w");
    assert_non_null (file);
    assert_int_equal (fwrite (text, 1, strlen (text), file), strlen (text));
    assert_int_equal (fclose (file), 0);
    assert_int_equal (rename (fresh, full), 0);
}

void
fixture_mail (struct fixture *f, const char *path, const char *id, const char *more,
              const char *body)
{
    char *text =
        talloc_asprintf (f->ctx,
                         "From: Ann <ann@example.org>\nSubject: about %s\n"
                         "Date: Tue, 05 Mar 2024 10:00:00 +0000\nMessage-ID: <%s>\n%s\n%s\n",
                         id, id, more ? more : "", body);
    fixture_write (f, path, text);
    talloc_free (text);
}

void
fixture_rename (struct fixture *f, const char *from, const char *to)
{
    assert_int_equal (rename (fixture_path (f, from), fixture_path (f, to)), 0);
}

void
fixture_remove (struct fixture *f, const char *path)
{
    files_remove_tree (fixture_path (f, path));
}

struct mail_stat
fixture_stat (struct fixture *f, const char *path)
{
    struct stat st;
    assert_int_equal (lstat (fixture_path (f, path), &st), 0);
    return (struct mail_stat){
        .device = st.st_dev,
        .inode = st.st_ino,
        .size = (uint64_t) st.st_size,
        .mtime = st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec,
        .ctime = st.st_ctim.tv_sec * 1000000000LL + st.st_ctim.tv_nsec,
    };
}

/* ---- a plain scan ---- */

struct scan {
    struct fixture *f;
    struct mail_changes *changes;
    struct mail_folders *folders;
};

static int
no_dots (const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int
by_bytes (const struct dirent **a, const struct dirent **b)
{
    return strcmp ((*a)->d_name, (*b)->d_name);
}

static void
scan_file (struct scan *scan, const char *folder, const char *name, const struct mail_stat *stat)
{
    const struct mail_folder *known = folders_find (scan->folders, folder);
    struct mail_stat stored;
    bool found = false;
    if (known)
        assert_int_equal (mail_folder_file_stat (scan->f->index, known->id, name, &stored, &found),
                          MAIL_OK);
    if (!found || stored.inode != stat->inode || stored.size != stat->size ||
        stored.mtime != stat->mtime)
        mail_changes_add (scan->changes, folder, name, stat);
}

static void
scan_missing (struct scan *scan, const char *folder)
{
    struct fixture *f = scan->f;
    const struct mail_folder *known = folders_find (scan->folders, folder);
    char **names;
    size_t count;
    if (!known)
        return;
    assert_int_equal (mail_folder_files (f->ctx, f->index, known->id, &names, &count), MAIL_OK);
    for (size_t i = 0; i < count; i++) {
        if (access (fixture_path (f, talloc_asprintf (f->ctx, "%s/%s", folder, names[i])), F_OK))
            mail_changes_drop (scan->changes, known->id, names[i]);
    }
    const struct mail_folder *const *children =
        mail_folders_children (scan->folders, known->id, &count);
    for (size_t i = 0; i < count; i++) {
        char *path = mail_folders_path (f->ctx, scan->folders, children[i]->id);
        if (access (fixture_path (f, path), F_OK))
            mail_changes_drop_folder (scan->changes, children[i]->id);
    }
}

static void
scan_folder (struct scan *scan, const char *folder)
{
    struct fixture *f = scan->f;
    struct dirent **entries;
    struct mail_stat stat = fixture_stat (f, *folder ? folder : ".");
    int count = scandir (fixture_path (f, folder), &entries, no_dots, by_bytes);
    assert_true (count >= 0);
    mail_changes_folder (scan->changes, folder, &stat);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char *path = *folder ? talloc_asprintf (f->ctx, "%s/%s", folder, name)
                             : talloc_strdup (f->ctx, name);
        struct mail_stat file = fixture_stat (f, path);
        if (entries[i]->d_type == DT_DIR)
            scan_folder (scan, path);
        else
            scan_file (scan, folder, name, &file);
        free (entries[i]);
    }
    free (entries);
    scan_missing (scan, folder);
}

struct mail_changes *
fixture_changes (struct fixture *f)
{
    struct scan scan = {.f = f, .changes = mail_changes_create (f->ctx, f->index)};
    assert_int_equal (mail_folders_load (f->ctx, f->index, &scan.folders), MAIL_OK);
    scan_folder (&scan, "");
    return scan.changes;
}

enum mail_status
fixture_apply (struct fixture *f, struct mail_changes *changes)
{
    enum mail_status status = mail_changes_apply (changes, &f->options, &f->counts);
    talloc_free (changes);
    return status;
}

void
fixture_sync (struct fixture *f)
{
    if (fixture_apply (f, fixture_changes (f)) != MAIL_OK)
        fail_msg ("%s", mail_index_error (f->index));
}

uint32_t
fixture_folder (struct fixture *f, const char *path)
{
    struct mail_folders *folders;
    assert_int_equal (mail_folders_load (f->ctx, f->index, &folders), MAIL_OK);
    const struct mail_folder *folder = folders_find (folders, path);
    return folder ? folder->id : 0;
}

/* ---- mail as if parsed ---- */

struct parsed_file
fixture_parsed (void *ctx, const char *id, const char *references, const char *words)
{
    struct parsed_file file = {.id = talloc_strdup (ctx, id)};
    struct record *record = &file.record;
    gchar **ids = g_strsplit_set (references, " ", -1);
    gsize length = DIGEST_SIZE;
    for (unsigned i = 0; i < MAIL_FIELD_COUNT; i++)
        record->fields[i] = "";
    record->fields[MAIL_SUBJECT] = talloc_asprintf (ctx, "about %s", id);
    record->date = 1709632800;
    record->size = 100;
    record->references = talloc_zero_array (ctx, const char *, g_strv_length (ids) + 1);
    for (size_t i = 0; ids[i]; i++) {
        if (*ids[i])
            record->references[record->reference_count++] = talloc_strdup (ctx, ids[i]);
    }
    g_strfreev (ids);
    record->parent = record->reference_count ? record->references[record->reference_count - 1] : "";
    record->files = talloc_zero (ctx, struct record_file);
    record->file_count = 1;
    record->files->stat = (struct mail_stat){.inode = 1, .size = 100, .mtime = 1};
    GChecksum *sum = g_checksum_new (G_CHECKSUM_MD5);
    g_checksum_update (sum, (const guchar *) words, -1);
    g_checksum_get_digest (sum, record->files->digest, &length);
    g_checksum_free (sum);
    return file;
}

struct publish *
fixture_begin (struct fixture *f)
{
    struct publish *publish;
    if (publish_begin (f->ctx, f->index, &f->options, &publish) != MAIL_OK)
        fail_msg ("%s", mail_index_error (f->index));
    return publish;
}

uint32_t
fixture_publish (struct fixture *f, struct publish *publish, const char *name,
                 const struct parsed_file *file)
{
    bool deferred;
    uint32_t text = writer_new_docid (publish_writer (publish));
    enum mail_status status = publish_file (publish, "in/cur", name, file, text, &deferred);
    if (status != MAIL_OK)
        fail_msg ("%s", mail_index_error (f->index));
    assert_false (deferred);
    f->published++;
    return text;
}

void
fixture_commit (struct fixture *f, struct publish *publish)
{
    f->counts = (struct mail_apply_counts){0};
    if (publish_commit (publish, &f->counts, NULL) != MAIL_OK)
        fail_msg ("%s", mail_index_error (f->index));
}

void
fixture_add (struct fixture *f, const char *id, const char *references)
{
    struct publish *publish = fixture_begin (f);
    struct parsed_file file = fixture_parsed (f->ctx, id, references, id);
    fixture_publish (f, publish, id, &file);
    fixture_commit (f, publish);
}

void
fixture_drop (struct fixture *f, const char *id)
{
    size_t count;
    struct mail_message *message = fixture_message (f, id);
    assert_non_null (message);
    struct publish *publish = fixture_begin (f);
    count = message->record.file_count;
    for (size_t i = 0; i < count; i++) {
        const struct record_file *file = &message->record.files[i];
        assert_int_equal (publish_drop (publish, file->folder, file->name), MAIL_OK);
    }
    fixture_commit (f, publish);
}

/* ---- segments ---- */

struct scratch *
fixture_scratch (struct fixture *f)
{
    struct scratch *scratch;
    char *error = NULL;
    if (scratch_create (f->ctx, f->index->folder, &scratch, &error) != MAIL_OK)
        fail_msg ("%s", error);
    return scratch;
}

char *
fixture_segment (struct fixture *f, struct scratch *scratch, uint32_t first, uint32_t last,
                 uint32_t step, const char *word, struct segment *out)
{
    char *parts, *error = NULL, number[16];
    struct store_builder *builder;
    char *name = talloc_asprintf (f->ctx, "%u", first);
    char *path = talloc_asprintf (f->ctx, "%s/%u.segment", scratch->path, first);
    static const uint32_t one = 1;
    *out = (struct segment){.first = first, .last = last};
    assert_int_equal (scratch_subfolder (f->ctx, scratch, name, &parts), MAIL_OK);
    assert_int_equal (store_builder_create (f->ctx, parts, &builder, &error), MAIL_OK);
    for (uint32_t id = first; id <= last; id += step) {
        struct store_posting postings[] = {
            {number, (uint32_t) snprintf (number, sizeof number, "%u", id), 1, &one},
            {word, (uint32_t) strlen (word), 1, &one}};
        assert_int_equal (store_builder_add (builder, id, postings, 2, NULL, 0), MAIL_OK);
        out->documents++;
    }
    assert_int_equal (store_builder_finish (builder, path), MAIL_OK);
    talloc_free (builder);
    assert_int_equal (files_sha256 (path, out->sha256, &out->bytes), 0);
    return path;
}

/* ---- looking ---- */

static int
compare_strings (const void *a, const void *b)
{
    return strcmp (*(const char *const *) a, *(const char *const *) b);
}

char *
fixture_join (void *ctx, GPtrArray *strings, const char *between)
{
    if (strings->len)
        qsort (strings->pdata, strings->len, sizeof *strings->pdata, compare_strings);
    g_ptr_array_add (strings, NULL);
    gchar *joined = g_strjoinv (between, (gchar **) strings->pdata);
    char *copy = talloc_strdup (ctx, joined);
    g_free (joined);
    g_ptr_array_unref (strings);
    return copy;
}

static struct mail_query *
parse (struct fixture *f, const char *text)
{
    struct mail_query *query = NULL;
    struct mail_query_error error = {0};
    if (mail_query_parse (f->ctx, f->index, text, &query, &error) != MAIL_OK)
        fail_msg ("%s: %s", text, error.message);
    return query;
}

char *
fixture_find (struct fixture *f, const char *text)
{
    GPtrArray *ids = g_ptr_array_new ();
    struct mail_query *query = parse (f, text);
    struct mail_results *results;
    struct mail_messages *messages;
    struct mail_message *message;
    if (mail_query_run (query, query, MAIL_SORT_UNSORTED, &results) != MAIL_OK)
        fail_msg ("%s: %s", text, mail_index_error (f->index));
    size_t count = mail_results_count (results);
    assert_int_equal (mail_messages_open (query, results, 0, SIZE_MAX, &messages), MAIL_OK);
    for (;;) {
        assert_int_equal (mail_messages_next (messages, &message), MAIL_OK);
        if (!message)
            break;
        g_ptr_array_add (ids, talloc_strdup (f->ctx, mail_message_id (message)));
    }
    assert_int_equal (ids->len, count); /* a match that is no message would be missing */
    talloc_free (query);
    return fixture_join (f->ctx, ids, " ");
}

uint64_t
fixture_count (struct fixture *f, const char *text)
{
    struct mail_count count;
    struct mail_query *query = parse (f, text);
    if (mail_query_count (query, false, false, &count) != MAIL_OK)
        fail_msg ("%s: %s", text, mail_index_error (f->index));
    talloc_free (query);
    return count.messages;
}

struct mail_message *
fixture_message (struct fixture *f, const char *id)
{
    struct mail_message *message;
    assert_int_equal (mail_message_find (f->ctx, f->index, id, &message), MAIL_OK);
    return message;
}

char *
fixture_tags (struct fixture *f, const char *id)
{
    GPtrArray *tags = g_ptr_array_new ();
    struct mail_message *message = fixture_message (f, id);
    assert_non_null (message);
    for (size_t i = 0; i < message->tag_count; i++)
        g_ptr_array_add (tags, (char *) message->tags[i]);
    return fixture_join (f->ctx, tags, " ");
}

char *
fixture_files (struct fixture *f, const char *id)
{
    size_t count;
    GPtrArray *paths = g_ptr_array_new ();
    struct mail_message *message = fixture_message (f, id);
    assert_non_null (message);
    const struct mail_file *files = mail_message_files (message, &count);
    for (size_t i = 0; i < count; i++)
        g_ptr_array_add (paths, talloc_asprintf (f->ctx, "%s/%s", files[i].folder, files[i].name));
    return fixture_join (f->ctx, paths, " ");
}

uint32_t
fixture_freq (struct fixture *f, const char *term)
{
    uint32_t freq;
    assert_int_equal (
        store_term_freq (f->index->state, (struct store_term){term, strlen (term)}, &freq),
        MAIL_OK);
    return freq;
}

char *
fixture_list (struct fixture *f, const char *path)
{
    struct dirent **entries;
    char *names = talloc_strdup (f->ctx, "");
    int count = scandir (fixture_path (f, path), &entries, no_dots, by_bytes);
    for (int i = 0; i < count; i++) {
        names = talloc_asprintf_append (names, "%s%s", i ? " " : "", entries[i]->d_name);
        free (entries[i]);
    }
    if (count >= 0)
        free (entries);
    return names;
}

/* ---- other processes ---- */

void
fixture_in_child (struct fixture *f, void (*function) (struct fixture *f))
{
    int code = -1;
    pid_t child = fork ();
    assert_true (child >= 0);
    if (child == 0) {
        f->index = fixture_open (f);
        function (f);
        mail_index_close (f->index);
        _exit (7);
    }
    assert_int_equal (waitpid (child, &code, 0), child);
    if (!WIFEXITED (code) || WEXITSTATUS (code) != 7)
        fail_msg ("the child ended with %d", code);
}
