/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-publish.c - files and folders come, go and are renamed: what that means for messages. */
#include "helper-index.h"
#include "folders.h"
#include "schema.h"
#include "term.h"

#include <stdio.h>

/* ---- helpers ---- */

/* The holder of in/cur/NAME as publish_drop wants it. */
static uint32_t
cur (struct publish *publish)
{
    uint32_t folder;
    assert_int_equal (publish_folder (publish, "in/cur", &folder), MAIL_OK);
    return folder;
}

static void
drop (struct publish *publish, const char *name)
{
    assert_int_equal (publish_drop (publish, cur (publish), name), MAIL_OK);
}

static bool
move (struct publish *publish, const char *from, const char *folder, const char *name,
      uint64_t inode)
{
    bool done;
    struct mail_stat stat = {.inode = inode, .size = 7, .mtime = 8};
    assert_int_equal (publish_move (publish, cur (publish), from, folder, name, &stat, &done),
                      MAIL_OK);
    return done;
}

/* A message in in/cur under this name and inode. */
static void
add_named (struct fixture *f, const char *id, const char *name, uint64_t inode, const char *words)
{
    struct publish *publish = fixture_begin (f);
    struct parsed_file file = fixture_parsed (f->ctx, id, "", words);
    file.record.files->stat.inode = inode;
    fixture_publish (f, publish, name, &file);
    fixture_commit (f, publish);
}

static void
set_tag (struct fixture *f, const char *id, const char *tag)
{
    struct writer *writer;
    struct edit *edit;
    assert_int_equal (writer_begin (f->ctx, f->index, &writer), MAIL_OK);
    assert_int_equal (
        edit_open (writer, writer, mail_message_docid (fixture_message (f, id)), &edit), MAIL_OK);
    assert_true (edit_add_tag (edit, tag));
    assert_int_equal (edit_save (writer, edit, NULL), MAIL_OK);
    assert_int_equal (writer_commit (writer), MAIL_OK);
}

/* publish_file, where the words of the message are others. */
static bool
is_deferred (struct fixture *f, struct publish *publish, const char *name,
             const struct parsed_file *file)
{
    bool deferred = false;
    uint32_t text = writer_new_docid (publish_writer (publish));
    assert_int_equal (publish_file (publish, "in/cur", name, file, text, &deferred), MAIL_OK);
    f->published++;
    return deferred;
}

/* ---- files come ---- */

static void
test_new_message (void **state)
{
    struct fixture *f = *state;
    static const char *const kinds[] = {"attachment", "signed"};
    struct publish *publish = fixture_begin (f);
    struct parsed_file file = fixture_parsed (f->ctx, "a", "x", "a");
    file.tags = kinds;
    file.tag_count = 2;
    uint32_t docid = fixture_publish (f, publish, "a", &file);
    fixture_commit (f, publish);
    struct mail_message *message = fixture_message (f, "a");
    assert_int_equal (mail_message_docid (message), docid);
    assert_int_equal (message->record.text, docid);
    assert_string_equal (mail_message_field (message, MAIL_SUBJECT), "about a");
    assert_string_equal (mail_message_parent (message), "x");
    assert_true (mail_message_date (message) == 1709632800);
    assert_true (mail_message_size (message) == 100);
    assert_string_equal (fixture_tags (f, "a"), "attachment inbox signed unread");
    assert_string_equal (fixture_files (f, "a"), "in/cur/a");
    assert_int_equal (f->counts.added, 1);
}

/* new.tags and the names of files agree on what is unread. */
static void
test_tags_of_new_messages (void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *name, *with_flags, *without;
    } rows[] = {
        {"a", "inbox unread", "inbox unread"},
        {"b:2,", "inbox unread", "inbox unread"},
        {"c:2,S", "inbox", "inbox"},
        {"d:2,DFPRS", "draft flagged inbox passed replied", "inbox"},
        {"e:2,F", "flagged inbox unread", "inbox unread"},
        {"f:1,S", "inbox unread", "inbox unread"},
        {"g:2,Z:2,S", "inbox", "inbox"},
    };
    for (unsigned flags = 0; flags < 2; flags++) {
        f->options.maildir_flags = flags;
        for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
            char *id = talloc_asprintf (f->ctx, "%zu-%u", i, flags);
            char *name = talloc_asprintf (f->ctx, "%u%s", flags, rows[i].name);
            struct publish *publish = fixture_begin (f);
            struct parsed_file file = fixture_parsed (f->ctx, id, "", id);
            fixture_publish (f, publish, name, &file);
            fixture_commit (f, publish);
            assert_string_equal (fixture_tags (f, id),
                                 flags ? rows[i].with_flags : rows[i].without);
        }
    }
}

/* A copy: a file entry and nothing more; the text built of it is of nothing. */
static void
test_copy (void **state)
{
    struct fixture *f = *state;
    add_named (f, "a", "1", 1, "w");
    set_tag (f, "a", "mine");
    uint32_t docid = mail_message_docid (fixture_message (f, "a"));
    struct publish *publish = fixture_begin (f);
    struct parsed_file copy = fixture_parsed (f->ctx, "a", "", "w");
    copy.record.fields[MAIL_SUBJECT] = "[list] about a";
    uint32_t text = fixture_publish (f, publish, "2", &copy);
    fixture_commit (f, publish);
    struct mail_message *message = fixture_message (f, "a");
    assert_int_equal (mail_message_docid (message), docid);
    assert_int_equal (f->counts.added, 0);
    assert_string_equal (fixture_files (f, "a"), "in/cur/1 in/cur/2");
    assert_string_equal (fixture_tags (f, "a"), "inbox mine unread");
    assert_string_equal (mail_message_field (message, MAIL_SUBJECT), "about a");
    assert_null (message->record.files[0].differs[MAIL_SUBJECT]);
    assert_string_equal (message->record.files[1].differs[MAIL_SUBJECT], "[list] about a");
    struct store_document document;
    bool found;
    assert_int_equal (store_read (f->ctx, f->index->state, text, STORE_TERMS, &document, &found),
                      MAIL_OK);
    assert_true (found);
    assert_int_equal (document.term_count, 1);
    assert_string_equal (document.terms[0].text, TERM_TYPE_STALE);
}

/* Two files of one message, new in one batch. */
static void
test_copy_in_one_batch (void **state)
{
    struct fixture *f = *state;
    struct publish *publish = fixture_begin (f);
    struct parsed_file first = fixture_parsed (f->ctx, "a", "", "w");
    struct parsed_file other = fixture_parsed (f->ctx, "a", "", "other words");
    uint32_t docid = fixture_publish (f, publish, "1", &first);
    fixture_publish (f, publish, "2", &first);
    assert_true (is_deferred (f, publish, "3", &other));
    fixture_commit (f, publish);
    assert_string_equal (fixture_files (f, "a"), "in/cur/1 in/cur/2");
    assert_int_equal (mail_message_docid (fixture_message (f, "a")), docid);
    assert_int_equal (f->counts.added, 1);
}

/* ---- words made anew ---- */

static enum mail_status
rebuilt (struct publish *publish, const char *id, uint32_t text, uint32_t before,
         const struct publish_name *files, size_t count, bool *done)
{
    const struct publish_words words = {
        .id = id, .text = text, .before = before, .files = files, .count = count};
    return publish_rebuilt (publish, &words, done);
}

static void
rebuild (struct fixture *f, const char *id, const char *name, const char *words)
{
    struct publish *publish = fixture_begin (f);
    struct parsed_file file = fixture_parsed (f->ctx, id, "", words);
    assert_true (is_deferred (f, publish, name, &file));
    fixture_commit (f, publish);
    struct publish_name one = {"in/cur", name, &file};
    uint32_t before = fixture_message (f, id)->record.text;
    bool done;
    publish = fixture_begin (f);
    uint32_t text = writer_new_docid (publish_writer (publish));
    assert_int_equal (rebuilt (publish, id, text, before, &one, 1, &done), MAIL_OK);
    assert_true (done);
    fixture_commit (f, publish);
    assert_int_equal (fixture_message (f, id)->record.text, text);
}

/* The alias of an alias: the text before the last is of nothing. */
static void
test_rebuilt_twice (void **state)
{
    struct fixture *f = *state;
    add_named (f, "a", "1", 1, "one");
    set_tag (f, "a", "mine");
    uint32_t docid = mail_message_docid (fixture_message (f, "a"));
    rebuild (f, "a", "2", "two");
    fixture_check (f);
    assert_int_equal (fixture_freq (f, TERM_TYPE_ALIAS), 1);
    rebuild (f, "a", "3", "three");
    fixture_check (f);
    assert_int_equal (fixture_freq (f, TERM_TYPE_ALIAS), 1);
    assert_int_equal (mail_message_docid (fixture_message (f, "a")), docid);
    assert_string_equal (fixture_files (f, "a"), "in/cur/1 in/cur/2 in/cur/3");
    assert_string_equal (fixture_tags (f, "a"), "inbox mine unread");
    /* all files go: nothing of it is left */
    fixture_drop (f, "a");
    assert_int_equal (fixture_freq (f, TERM_TYPE_ALIAS), 0);
    assert_int_equal (fixture_freq (f, TERM_TYPE_MAIL), 0);
    assert_null (fixture_message (f, "a"));
}

/* Its words were made anew meanwhile, by somebody who did not know of this file. */
static void
test_rebuilt_by_another (void **state)
{
    struct fixture *f = *state;
    bool done;
    add_named (f, "a", "1", 1, "one");
    uint32_t before = fixture_message (f, "a")->record.text;
    rebuild (f, "a", "2", "two");
    struct parsed_file three = fixture_parsed (f->ctx, "a", "", "three");
    struct publish_name name = {"in/cur", "3", &three};
    struct publish *publish = fixture_begin (f);
    uint32_t text = writer_new_docid (publish_writer (publish));
    assert_int_equal (rebuilt (publish, "a", text, before, &name, 1, &done), MAIL_OK);
    assert_false (done);
    fixture_commit (f, publish);
    assert_string_equal (fixture_files (f, "a"), "in/cur/1 in/cur/2");
    assert_int_equal (fixture_message (f, "a")->record.text, text - 1);
}

/* The message has gone between the two: what was built is one of all the files it has now. */
static void
test_rebuilt_but_gone (void **state)
{
    struct fixture *f = *state;
    struct parsed_file two = fixture_parsed (f->ctx, "a", "", "two"),
                       three = fixture_parsed (f->ctx, "a", "b", "three");
    const struct publish_name names[] = {{"in/cur", "2", &two}, {"in/cur", "3", &three}};
    bool done;
    add_named (f, "a", "1", 1, "one");
    fixture_drop (f, "a");
    struct publish *publish = fixture_begin (f);
    uint32_t text = writer_new_docid (publish_writer (publish));
    assert_int_equal (rebuilt (publish, "a", text, 77, names, 2, &done), MAIL_OK);
    assert_true (done);
    fixture_commit (f, publish);
    f->published++;
    assert_string_equal (fixture_files (f, "a"), "in/cur/2 in/cur/3");
    assert_int_equal (mail_message_docid (fixture_message (f, "a")), text);
    assert_int_equal (f->counts.renamed, 1);
    assert_string_equal (fixture_threads (f), "(b) a");
}

/* The only file of a message is another one now, with the same Message-ID: a draft that was saved
 * again. Its headers are the message's, and its references count. */
static void
test_draft_saved_again (void **state)
{
    struct fixture *f = *state;
    for (unsigned same_words = 0; same_words < 2; same_words++) {
        char *id = talloc_asprintf (f->ctx, "draft%u", same_words);
        add_named (f, id, id, 1, "words");
        set_tag (f, id, "mine");
        struct parsed_file again =
            fixture_parsed (f->ctx, id, "answered", same_words ? "words" : "other words");
        again.record.date = 99;
        again.record.size = 98;
        again.record.fields[MAIL_TO] = "bob@example.org";
        struct publish *publish = fixture_begin (f);
        assert_false (is_deferred (f, publish, id, &again));
        fixture_commit (f, publish);
        struct mail_message *message = fixture_message (f, id);
        assert_true (mail_message_date (message) == 99 && mail_message_size (message) == 98);
        assert_string_equal (mail_message_field (message, MAIL_TO), "bob@example.org");
        assert_string_equal (mail_message_parent (message), "answered");
        assert_null (message->record.files[0].differs[MAIL_TO]);
        assert_string_equal (fixture_tags (f, id), "inbox mine unread");
        assert_int_equal (message->record.text == message->docid, same_words);
        assert_string_equal (fixture_threads (f),
                             same_words ? "(answered) draft0 draft1" : "(answered) draft0");
    }
}

/* ---- names that now hold another message ---- */

static void
test_name_of_another_message (void **state)
{
    struct fixture *f = *state;
    add_named (f, "a", "1", 1, "a");
    add_named (f, "a", "2", 2, "a");
    struct publish *publish = fixture_begin (f);
    struct parsed_file b = fixture_parsed (f->ctx, "b", "", "b");
    fixture_publish (f, publish, "1", &b);
    fixture_commit (f, publish);
    assert_string_equal (fixture_files (f, "a"), "in/cur/2");
    assert_string_equal (fixture_files (f, "b"), "in/cur/1");
    /* and the last one */
    publish = fixture_begin (f);
    fixture_publish (f, publish, "2", &b);
    fixture_commit (f, publish);
    assert_null (fixture_message (f, "a"));
    assert_string_equal (fixture_files (f, "b"), "in/cur/1 in/cur/2");
    assert_int_equal (f->counts.removed, 1);
}

/* Two messages exchange their names by being written anew, in one batch: neither loses its tags,
 * though each is without a file for a moment. */
static void
test_names_exchanged (void **state)
{
    struct fixture *f = *state;
    add_named (f, "a", "1", 1, "a");
    add_named (f, "b", "2", 2, "b");
    set_tag (f, "a", "of-a");
    set_tag (f, "b", "of-b");
    struct publish *publish = fixture_begin (f);
    struct parsed_file a = fixture_parsed (f->ctx, "a", "", "a"),
                       b = fixture_parsed (f->ctx, "b", "", "b");
    assert_false (is_deferred (f, publish, "1", &b));
    assert_false (is_deferred (f, publish, "2", &a));
    fixture_commit (f, publish);
    assert_string_equal (fixture_files (f, "a"), "in/cur/2");
    assert_string_equal (fixture_files (f, "b"), "in/cur/1");
    assert_string_equal (fixture_tags (f, "a"), "inbox of-a unread");
    assert_string_equal (fixture_tags (f, "b"), "inbox of-b unread");
    assert_int_equal (f->counts.added + f->counts.removed, 0);
}

/* A name that several messages have, which an interrupted run may leave, is taken from all. */
static void
test_name_of_several (void **state)
{
    struct fixture *f = *state;
    add_named (f, "a", "1", 1, "a");
    add_named (f, "b", "2", 2, "b");
    struct publish *publish = fixture_begin (f);
    assert_true (move (publish, "2", "in/cur", "1", 2));
    fixture_commit (f, publish);
    assert_string_equal (fixture_files (f, "a"), "in/cur/1");
    assert_string_equal (fixture_files (f, "b"), "in/cur/1");
    publish = fixture_begin (f);
    struct parsed_file c = fixture_parsed (f->ctx, "c", "", "c");
    fixture_publish (f, publish, "1", &c);
    fixture_commit (f, publish);
    assert_string_equal (fixture_find (f, "*"), "c");
}

/* ---- files are renamed ---- */

static void
test_move (void **state)
{
    struct fixture *f = *state;
    add_named (f, "a", "1:2,", 5, "a");
    uint64_t revision = mail_index_revision (f->index);
    f->options.maildir_flags = true;
    struct publish *publish = fixture_begin (f);
    assert_true (move (publish, "1:2,", "archive/cur", "1:2,FS", 5));
    fixture_commit (f, publish);
    assert_string_equal (fixture_files (f, "a"), "archive/cur/1:2,FS");
    assert_string_equal (fixture_tags (f, "a"), "flagged inbox");
    assert_int_equal (f->counts.renamed, 1);
    assert_int_equal (mail_index_revision (f->index), revision + 1);
    struct record_file *file = &fixture_message (f, "a")->record.files[0];
    assert_true (file->stat.size == 7 && file->stat.mtime == 8);
}

/* Whoever asks has to know whether the file is there under its new name. */
static void
test_move_of_what_is_not_there (void **state)
{
    struct fixture *f = *state;
    add_named (f, "a", "1", 5, "a");
    struct publish *publish = fixture_begin (f);
    assert_false (move (publish, "absent", "in/cur", "new", 5));
    assert_false (move (publish, "1", "in/cur", "new", 6)); /* another file under that name */
    fixture_commit (f, publish);
    assert_string_equal (fixture_files (f, "a"), "in/cur/1");
    assert_int_equal (f->counts.renamed, 0);
    /* done already by somebody else */
    publish = fixture_begin (f);
    assert_true (move (publish, "old", "in/cur", "1", 5));
    fixture_commit (f, publish);
    assert_int_equal (f->counts.renamed, 0);
}

/* Two files exchange names, three go round, one follows another; in one commit and in several. */
static void
test_moves_in_a_circle (void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *from, *to;
        uint64_t inode;
    } moves[][3] = {
        {{"1", "2", 1}, {"2", "1", 2}, {NULL, NULL, 0}},
        {{"1", "2", 1}, {"2", "3", 2}, {"3", "1", 3}},
        {{"3", "1", 3}, {"2", "3", 2}, {"1", "2", 1}},
        {{"1", "2", 1}, {"2", "3", 2}, {"3", "4", 3}},
    };
    static const char *const ends[] = {"2 1 3", "2 3 1", "2 3 1", "2 3 4"};
    for (size_t i = 0; i < G_N_ELEMENTS (moves); i++) {
        for (unsigned commits = 0; commits < 2; commits++) {
            add_named (f, "a", "1", 1, "a");
            add_named (f, "b", "2", 2, "b");
            add_named (f, "c", "3", 3, "c");
            struct publish *publish = fixture_begin (f);
            for (size_t k = 0; k < 3 && moves[i][k].from; k++) {
                assert_true (
                    move (publish, moves[i][k].from, "in/cur", moves[i][k].to, moves[i][k].inode));
                if (commits) {
                    fixture_commit (f, publish);
                    publish = fixture_begin (f);
                }
            }
            fixture_commit (f, publish);
            char *now = talloc_asprintf (f->ctx, "%s %s %s", fixture_files (f, "a") + 7,
                                         fixture_files (f, "b") + 7, fixture_files (f, "c") + 7);
            assert_string_equal (now, ends[i]);
            fixture_check (f);
            fixture_drop (f, "a");
            fixture_drop (f, "b");
            fixture_drop (f, "c");
        }
    }
}

/* Two files of one message, one moved over the other. */
static void
test_move_over_a_copy (void **state)
{
    struct fixture *f = *state;
    add_named (f, "a", "1", 1, "a");
    add_named (f, "a", "2", 2, "a");
    struct publish *publish = fixture_begin (f);
    assert_true (move (publish, "1", "in/cur", "2", 1));
    fixture_commit (f, publish);
    assert_string_equal (fixture_files (f, "a"), "in/cur/2");
    assert_true (fixture_message (f, "a")->record.files[0].stat.inode == 1);
}

/* ---- files go ---- */

static void
test_drop (void **state)
{
    struct fixture *f = *state;
    add_named (f, "a", "1", 1, "a");
    add_named (f, "a", "2", 2, "a");
    add_named (f, "b", "3", 3, "b");
    struct publish *publish = fixture_begin (f);
    drop (publish, "1");
    drop (publish, "absent");
    fixture_commit (f, publish);
    assert_string_equal (fixture_files (f, "a"), "in/cur/2");
    assert_int_equal (f->counts.renamed, 1);
    assert_int_equal (f->counts.removed, 0);
    publish = fixture_begin (f);
    drop (publish, "2");
    drop (publish, "2");
    fixture_commit (f, publish);
    assert_int_equal (f->counts.removed, 1);
    assert_null (fixture_message (f, "a"));
    assert_string_equal (fixture_find (f, "*"), "b");
}

/* A message whose last file went comes back: under a new document id, with its tags and in its
 * thread, and not as a new one. */
static void
test_comes_back (void **state)
{
    struct fixture *f = *state;
    add_named (f, "a", "1", 1, "a");
    set_tag (f, "a", "mine");
    uint32_t docid = mail_message_docid (fixture_message (f, "a"));
    uint64_t thread = mail_message_thread (fixture_message (f, "a"));
    fixture_drop (f, "a");
    assert_string_equal (fixture_find (f, "tag:mine or id:a"), "");
    assert_int_equal (fixture_freq (f, TERM_TYPE_TOMBSTONE), 1);
    add_named (f, "a", "2", 2, "a");
    assert_int_equal (fixture_freq (f, TERM_TYPE_TOMBSTONE), 0);
    assert_true (mail_message_docid (fixture_message (f, "a")) > docid);
    assert_int_equal (mail_message_thread (fixture_message (f, "a")), thread);
    assert_string_equal (fixture_tags (f, "a"), "inbox mine unread");
    assert_int_equal (f->counts.added, 0);
    assert_int_equal (f->counts.renamed, 1);
    /* without tombstones it is a new one */
    f->options.tombstone_days = 0;
    fixture_drop (f, "a");
    assert_int_equal (fixture_freq (f, TERM_TYPE_TOMBSTONE), 0);
    add_named (f, "a", "2", 2, "a");
    assert_string_equal (fixture_tags (f, "a"), "inbox unread");
    assert_int_equal (f->counts.added, 1);
}

/* Tags that were taken away stay away, new.tags too; flags in the name are as they are now. */
static void
test_comes_back_without_new_tags (void **state)
{
    struct fixture *f = *state;
    struct mail_query *query;
    const struct mail_tag_change changes[] = {{"inbox", false}, {"unread", false}};
    add_named (f, "a", "1:2,S", 1, "a");
    assert_int_equal (mail_query_parse (f->ctx, f->index, "id:a", &query, NULL), MAIL_OK);
    assert_int_equal (mail_query_tag (query, changes, 2, NULL), MAIL_OK);
    fixture_drop (f, "a");
    f->options.maildir_flags = true;
    add_named (f, "a", "1:2,FS", 1, "a");
    assert_string_equal (fixture_tags (f, "a"), "flagged");
}

/* The thread that it left has been merged into another meanwhile, or has ended. */
static void
test_comes_back_to_its_thread (void **state)
{
    struct fixture *f = *state;
    fixture_add (f, "a", "");
    fixture_add (f, "b", "a");
    fixture_drop (f, "a");
    fixture_add (f, "c", "");
    fixture_add (f, "c2", "c");
    fixture_add (f, "c3", "c");
    fixture_add (f, "join", "b c");
    fixture_add (f, "a", "");
    assert_string_equal (fixture_threads (f), "a b c c2 c3 join");
    fixture_add (f, "x", "");
    fixture_add (f, "y", "x");
    fixture_drop (f, "x");
    fixture_drop (f, "y");
    fixture_add (f, "y", "");
    fixture_add (f, "x", "");
    assert_string_equal (fixture_threads (f), "a b c c2 c3 join | x y");
}

/* Old tombstones go, young ones stay. */
static void
test_tombstones_expire (void **state)
{
    struct fixture *f = *state;
    add_named (f, "a", "1", 1, "a");
    fixture_drop (f, "a");
    for (unsigned days = 2; days-- > 0;) {
        f->options.tombstone_days = days;
        struct publish *publish = fixture_begin (f);
        assert_int_equal (publish_expire_tombstones (publish), MAIL_OK);
        fixture_commit (f, publish);
        assert_int_equal (fixture_freq (f, TERM_TYPE_TOMBSTONE), days);
    }
    add_named (f, "a", "1", 1, "a");
    assert_int_equal (f->counts.added, 1);
}

/* A property of any length comes back as it was. */
static void
test_properties_come_back (void **state)
{
    struct fixture *f = *state;
    struct writer *writer;
    struct edit *edit;
    char value[400];
    memset (value, 'v', sizeof value);
    add_named (f, "a", "1", 1, "a");
    assert_int_equal (writer_begin (f->ctx, f->index, &writer), MAIL_OK);
    assert_int_equal (
        edit_open (writer, writer, mail_message_docid (fixture_message (f, "a")), &edit), MAIL_OK);
    struct store_term terms[] = {term_make (edit, PREFIX_PROPERTY, value, 239),
                                 term_make (edit, PREFIX_PROPERTY, value, 240),
                                 term_make (edit, PREFIX_PROPERTY, value, 400)};
    edit->message->others = terms;
    edit->message->other_count = 3;
    assert_int_equal (edit_save (writer, edit, NULL), MAIL_OK);
    assert_int_equal (writer_commit (writer), MAIL_OK);
    fixture_drop (f, "a");
    add_named (f, "a", "1", 1, "a");
    struct mail_message *message = fixture_message (f, "a");
    assert_int_equal (message->other_count, 3);
    for (size_t i = 0; i < 3; i++) {
        static const size_t lengths[] = {239, 240, 400};
        char *term = (char *) term_make (f->ctx, PREFIX_PROPERTY, value, lengths[i]).text;
        assert_int_equal (fixture_freq (f, term), 1);
    }
}

/* ---- folders ---- */

static char *
folder_list (struct fixture *f)
{
    struct mail_folders *folders;
    size_t count;
    GPtrArray *paths = g_ptr_array_new ();
    assert_int_equal (mail_folders_load (f->ctx, f->index, &folders), MAIL_OK);
    const struct mail_folder *list = mail_folders_list (folders, &count);
    for (size_t i = 0; i < count; i++)
        g_ptr_array_add (paths, mail_folders_path (f->ctx, folders, list[i].id));
    return fixture_join (f->ctx, paths, ",");
}

static void
add_below (struct fixture *f, const char *folder, const char *name)
{
    bool deferred;
    struct publish *publish = fixture_begin (f);
    struct parsed_file file = fixture_parsed (f->ctx, name, "", name);
    uint32_t text = writer_new_docid (publish_writer (publish));
    assert_int_equal (publish_file (publish, folder, name, &file, text, &deferred), MAIL_OK);
    f->published++;
    fixture_commit (f, publish);
}

static bool
move_folder (struct fixture *f, const char *from, const char *to)
{
    bool done;
    uint32_t id = fixture_folder (f, from);
    struct publish *publish = fixture_begin (f);
    assert_int_equal (publish_move_folder (publish, id, to, &done), MAIL_OK);
    fixture_commit (f, publish);
    return done;
}

static void
test_folders_are_made (void **state)
{
    struct fixture *f = *state;
    uint32_t root, deep, again;
    struct publish *publish = fixture_begin (f);
    assert_int_equal (publish_folder (publish, "a/b/c", &deep), MAIL_OK);
    assert_int_equal (publish_folder (publish, "", &root), MAIL_OK);
    assert_int_equal (publish_folder (publish, "a/b/c", &again), MAIL_OK);
    assert_int_equal (again, deep);
    assert_string_equal (mail_folders_path (f->ctx, publish_folders (publish), deep), "a/b/c");
    assert_int_equal (mail_folders_by_id (publish_folders (publish), root)->parent, 0);
    uint64_t revision = mail_index_revision (f->index);
    fixture_commit (f, publish);
    assert_string_equal (folder_list (f), ",a,a/b,a/b/c");
    assert_int_equal (fixture_folder (f, "a/b/c"), deep);
    assert_int_equal (mail_index_revision (f->index), revision); /* no message has changed */
}

static void
test_folder_stat (void **state)
{
    struct fixture *f = *state;
    struct mail_folders *folders;
    struct mail_stat stat = {.device = 1, .inode = 2, .mtime = -3, .ctime = INT64_MAX};
    struct publish *publish = fixture_begin (f);
    assert_int_equal (publish_folder_stat (publish, "a/b", &stat), MAIL_OK);
    fixture_commit (f, publish);
    assert_int_equal (mail_folders_load (f->ctx, f->index, &folders), MAIL_OK);
    const struct mail_folder *folder = folders_find (folders, "a/b");
    assert_true (folder->stat.device == 1 && folder->stat.inode == 2);
    assert_true (folder->stat.mtime == -3 && folder->stat.ctime == INT64_MAX);
    assert_true (folders_find (folders, "a")->stat.mtime == 0);
}

/* One record changes; everything below it is found under the new path. */
static void
test_folder_moved (void **state)
{
    struct fixture *f = *state;
    add_below (f, "one/deep/cur", "a");
    add_below (f, "one", "b");
    uint32_t deep = fixture_folder (f, "one/deep");
    uint64_t revision = mail_index_revision (f->index);
    assert_true (move_folder (f, "one", "new/place"));
    assert_string_equal (folder_list (f), ",new,new/place,new/place/deep,new/place/deep/cur");
    assert_int_equal (fixture_folder (f, "new/place/deep"), deep);
    assert_string_equal (fixture_files (f, "a"), "new/place/deep/cur/a");
    assert_string_equal (fixture_find (f, "path:new/place/**"), "a b");
    assert_string_equal (fixture_find (f, "path:one/**"), "");
    assert_int_equal (mail_index_revision (f->index), revision + 1);
    assert_true (move_folder (f, "new/place/deep", "deep"));
    assert_string_equal (fixture_files (f, "a"), "deep/cur/a");
}

/* In one commit a folder changes places with the one below it. */
static void
test_folders_inside_out (void **state)
{
    struct fixture *f = *state;
    bool done;
    add_below (f, "a", "1");
    add_below (f, "a/b", "2");
    uint32_t a = fixture_folder (f, "a"), b = fixture_folder (f, "a/b");
    struct publish *publish = fixture_begin (f);
    assert_int_equal (publish_move_folder (publish, b, "b", &done), MAIL_OK);
    assert_true (done);
    assert_int_equal (publish_move_folder (publish, a, "b/a", &done), MAIL_OK);
    assert_true (done);
    fixture_commit (f, publish);
    assert_string_equal (folder_list (f), ",b,b/a");
    assert_string_equal (fixture_files (f, "1"), "b/a/1");
    assert_string_equal (fixture_files (f, "2"), "b/2");
}

/* Where there is a record by now, where the folder would come into itself, and where there is no
 * such folder any more, nothing is done, and the asker is told. */
static void
test_folder_not_moved (void **state)
{
    struct fixture *f = *state;
    bool done;
    add_below (f, "a", "1");
    add_below (f, "b", "2");
    add_below (f, "a/c", "3");
    assert_false (move_folder (f, "a", "b"));
    assert_false (move_folder (f, "a", "a/c/d"));
    assert_false (move_folder (f, "a", "a/d"));
    struct publish *publish = fixture_begin (f);
    assert_int_equal (publish_move_folder (publish, 4711, "x", &done), MAIL_OK);
    assert_false (done);
    fixture_commit (f, publish);
    assert_true (move_folder (f, "a", "a"));
    assert_string_equal (folder_list (f), ",a,a/c,b");
    assert_string_equal (fixture_files (f, "1"), "a/1");
}

static void
test_folder_dropped (void **state)
{
    struct fixture *f = *state;
    add_below (f, "one/deep/cur", "a");
    add_below (f, "one/deep/new", "b");
    add_below (f, "one", "c");
    add_below (f, "two", "d");
    struct publish *publish = fixture_begin (f);
    struct parsed_file copy = fixture_parsed (f->ctx, "a", "", "a");
    fixture_publish (f, publish, "a", &copy);
    fixture_commit (f, publish);
    uint32_t one = fixture_folder (f, "one");
    publish = fixture_begin (f);
    assert_int_equal (publish_drop_folder (publish, one), MAIL_OK);
    assert_int_equal (publish_drop_folder (publish, one), MAIL_OK); /* no more */
    fixture_commit (f, publish);
    assert_string_equal (folder_list (f), ",in,in/cur,two");
    assert_string_equal (fixture_find (f, "*"), "a d");
    assert_string_equal (fixture_files (f, "a"), "in/cur/a");
    assert_int_equal (f->counts.removed, 2);
    assert_int_equal (f->counts.renamed, 1);
}

/* ---- names and ids over the limits ---- */

static void
test_long_names (void **state)
{
    struct fixture *f = *state;
    char names[3][256];
    for (unsigned i = 0; i < 3; i++) {
        memset (names[i], 'n', 255); /* the first 200 bytes are the same */
        snprintf (names[i] + 250, 6, "%05u", i);
        add_named (f, i < 2 ? "a" : "b", names[i], i + 1, i < 2 ? "a" : "b");
    }
    uint32_t folder = fixture_folder (f, "in/cur");
    char **list;
    size_t count;
    assert_int_equal (mail_folder_files (f->ctx, f->index, folder, &list, &count), MAIL_OK);
    assert_int_equal (count, 3);
    for (unsigned i = 0; i < 3; i++) {
        struct mail_stat stat;
        bool found;
        assert_string_equal (list[i], names[i]);
        assert_int_equal (mail_folder_file_stat (f->index, folder, names[i], &stat, &found),
                          MAIL_OK);
        assert_true (found && stat.inode == i + 1);
    }
    struct publish *publish = fixture_begin (f);
    drop (publish, names[0]);
    assert_true (move (publish, names[2], "in/cur", names[0], 3));
    fixture_commit (f, publish);
    assert_string_equal (fixture_files (f, "a"), talloc_asprintf (f->ctx, "in/cur/%s", names[1]));
    assert_string_equal (fixture_files (f, "b"), talloc_asprintf (f->ctx, "in/cur/%s", names[0]));
}

/* Names may have any byte but a slash. */
static void
test_odd_names (void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {"\x01", " ", "\xff\xfe", "a:b", "new\nline", "\xc3\xa4"};
    for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
        add_named (f, talloc_asprintf (f->ctx, "id%zu", i), names[i], 10 + i, "w");
    char **list;
    size_t count;
    assert_int_equal (
        mail_folder_files (f->ctx, f->index, fixture_folder (f, "in/cur"), &list, &count), MAIL_OK);
    assert_int_equal (count, G_N_ELEMENTS (names));
    for (size_t i = 1; i < count; i++)
        assert_true (strcmp (list[i - 1], list[i]) < 0);
    for (size_t i = 0; i < count; i++)
        assert_string_equal (fixture_files (f, talloc_asprintf (f->ctx, "id%zu", i)),
                             talloc_asprintf (f->ctx, "in/cur/%s", names[i]));
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown (name, fixture_setup, fixture_teardown)
        T (test_new_message),
        T (test_tags_of_new_messages),
        T (test_copy),
        T (test_copy_in_one_batch),
        T (test_rebuilt_twice),
        T (test_rebuilt_by_another),
        T (test_rebuilt_but_gone),
        T (test_draft_saved_again),
        T (test_name_of_another_message),
        T (test_names_exchanged),
        T (test_name_of_several),
        T (test_move),
        T (test_move_of_what_is_not_there),
        T (test_moves_in_a_circle),
        T (test_move_over_a_copy),
        T (test_drop),
        T (test_comes_back),
        T (test_comes_back_without_new_tags),
        T (test_comes_back_to_its_thread),
        T (test_tombstones_expire),
        T (test_properties_come_back),
        T (test_folders_are_made),
        T (test_folder_stat),
        T (test_folder_moved),
        T (test_folders_inside_out),
        T (test_folder_not_moved),
        T (test_folder_dropped),
        T (test_long_names),
        T (test_odd_names),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
