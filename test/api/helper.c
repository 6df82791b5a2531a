/* SPDX-License-Identifier: GPL-3.0-or-later */
/* helper.c - see helper.h. */
#include "helper.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const helper_standard_files[][2] = {
    {"in/cur", "a:2,S"},  {"in/cur", "b:2,S"}, {"in/cur", "c:2,S"}, {"in/cur", "c2:2,S"},
    {"in/cur", "d:2,FS"}, {"in/cur", "e:2,S"}, {NULL, NULL}};

static void
make_parents (char *path)
{
    for (char *slash = strchr (path + 1, '/'); slash; slash = strchr (slash + 1, '/')) {
        *slash = '\0';
        mkdir (path, 0700);
        *slash = '/';
    }
}

const char *
helper_write (struct fixture *f, const char *path, const char *text)
{
    char *full = talloc_asprintf (f->ctx, "%s/%s", f->root, path);
    make_parents (full);
    FILE *file = fopen (full, "w");
    assert_non_null (file);
    assert_int_equal (fwrite (text, 1, strlen (text), file), strlen (text));
    assert_int_equal (fclose (file), 0);
    return full;
}

void
helper_mail (struct fixture *f, const char *name, const char *id, const char *subject, int second,
             const char *more, const char *body)
{
    char *text = talloc_asprintf (f->ctx,
                                  "From: %s <%s@example.org>\nTo: Bob <bob@example.net>\n"
                                  "Subject: %s\nDate: Tue, 05 Mar 2024 10:00:%02d +0000\n"
                                  "Message-ID: <%s@example.org>\n%s\n%s\n",
                                  *id == 'd' ? "Dan" : "Ann", *id == 'd' ? "dan" : "ann", subject,
                                  second, id, more ? more : "", body);
    helper_write (f, talloc_asprintf (f->ctx, "in/cur/%s", name), text);
}

void
helper_standard_mail (struct fixture *f)
{
    helper_mail (f, "a:2,S", "a", "Apples", 1, NULL, "green apples");
    helper_mail (f, "b:2,S", "b", "Re: Apples", 2,
                 "In-Reply-To: <a@example.org>\nReferences: <a@example.org>\n", "red apples");
    helper_mail (f, "c:2,S", "c", "Cherries", 3, "Cc: Cy <cy@example.org>\n", "red cherries");
    helper_mail (f, "c2:2,S", "c", "Cherries", 3, "Cc: Cy <cy@example.org>\n", "red cherries");
    helper_mail (f, "d:2,FS", "d", "Re: Apples", 4,
                 "References: <a@example.org> <b@example.org>\nList-Id: Fruit <fruit.example.org>\n"
                 "Reply-To: fruit@example.org\nBcc: hidden@example.org\n",
                 "rotten");
    helper_mail (f, "e:2,S", "e", "", 5,
                 "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"x\"\n",
                 "--x\nContent-Type: text/html; charset=utf-8\nContent-ID: <html@e>\n\n"
                 "<p>caf&eacute;</p>\n--x\nContent-Type: text/plain\n"
                 "Content-Disposition: attachment; filename=list.txt\n\nattached\n"
                 "--x\nContent-Type: message/rfc822\n\nSubject: inner\n\ninside\n--x--");
}

struct mail_stat
helper_stat (struct fixture *f, const char *path)
{
    struct stat st;
    assert_int_equal (lstat (talloc_asprintf (f->ctx, "%s/%s", f->root, path), &st), 0);
    return (struct mail_stat){
        .device = st.st_dev,
        .inode = st.st_ino,
        .size = (uint64_t) st.st_size,
        .mtime = st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec,
        .ctime = st.st_ctim.tv_sec * 1000000000LL + st.st_ctim.tv_nsec,
    };
}

struct mail_apply_options
helper_options (void)
{
    static const char *const tags[] = {"inbox", "unread", NULL};
    return (struct mail_apply_options){
        .new_tags = tags, .new_tags_count = 2, .maildir_flags = true};
}

struct mail_apply_counts
helper_index (struct fixture *f, const char *const (*files)[2])
{
    struct mail_changes *changes = mail_changes_create (f->ctx, f->index);
    for (size_t i = 0; files[i][0]; i++) {
        struct mail_stat folder = helper_stat (f, files[i][0]);
        char *path = talloc_asprintf (f->ctx, "%s/%s", files[i][0], files[i][1]);
        struct mail_stat file = helper_stat (f, path);
        mail_changes_folder (changes, files[i][0], &folder);
        mail_changes_add (changes, files[i][0], files[i][1], &file);
    }
    struct mail_apply_options options = helper_options ();
    struct mail_apply_counts counts = {0};
    assert_int_equal (mail_changes_apply (changes, &options, &counts), MAIL_OK);
    talloc_free (changes);
    return counts;
}

static struct fixture *
fixture_create (void)
{
    struct fixture *f = talloc_zero (NULL, struct fixture);
    const char *place = getenv ("TMPDIR");
    f->ctx = talloc_new (f);
    f->root = talloc_asprintf (f, "%s/api.XXXXXX", place ? place : "/tmp");
    if (!mkdtemp (f->root))
        fail ();
    struct mail_open_options options = {
        .path = f->root, .flags = MAIL_OPEN_CREATE, .lock_timeout = 10, .command = "test"};
    char *error = NULL;
    if (mail_index_open (f->ctx, &options, &f->index, &error) != MAIL_OK) {
        print_error ("%s\n", error);
        fail ();
    }
    return f;
}

int
helper_setup_empty (void **state)
{
    *state = fixture_create ();
    return 0;
}

int
helper_setup (void **state)
{
    struct fixture *f = fixture_create ();
    *state = f;
    helper_standard_mail (f);
    helper_index (f, helper_standard_files);
    return 0;
}

int
helper_teardown (void **state)
{
    struct fixture *f = *state;
    char *command = talloc_asprintf (NULL, "rm -rf '%s'", f->root);
    talloc_free (f->ctx);
    int code = system (command);
    talloc_free (command);
    talloc_free (f);
    return code;
}

struct mail_results *
helper_run (struct fixture *f, const char *text, enum mail_sort sort)
{
    struct mail_query *query = NULL;
    struct mail_query_error error = {0};
    struct mail_results *results = NULL;
    if (mail_query_parse (f->ctx, f->index, text, &query, &error) != MAIL_OK)
        fail_msg ("%s: %s", text, error.message);
    assert_int_equal (mail_query_run (f->ctx, query, sort, &results), MAIL_OK);
    return results;
}

uint64_t
helper_count (struct fixture *f, const char *text)
{
    struct mail_query *query = NULL;
    struct mail_query_error error = {0};
    struct mail_count count = {0};
    if (mail_query_parse (f->ctx, f->index, text, &query, &error) != MAIL_OK)
        fail_msg ("%s: %s", text, error.message);
    assert_int_equal (mail_query_count (query, false, false, &count), MAIL_OK);
    return count.messages;
}

struct mail_message *
helper_find (struct fixture *f, const char *id)
{
    struct mail_message *message = NULL;
    assert_int_equal (mail_message_find (f->ctx, f->index, id, &message), MAIL_OK);
    return message;
}
