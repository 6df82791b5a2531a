/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-messages.c - a message as the index knows it, and the content of its file. */
#include "helper.h"

#define DATE 1709632800 /* 2024-03-05 10:00:00 UTC */

static void
test_find (void **state)
{
    struct fixture *f = *state;
    assert_null (helper_find (f, "A@example.org"));
    assert_null (helper_find (f, ""));
    struct mail_message *message = helper_find (f, "b@example.org");
    assert_non_null (message);
    assert_string_equal (mail_message_id (message), "b@example.org");
    assert_int_equal (mail_message_date (message), DATE + 2);
    assert_true (mail_message_docid (message) > 0);
    assert_true (mail_message_thread (message) > 0);
    assert_true (mail_message_revision (message) > 0);
    assert_true (mail_message_revision (message) <= mail_index_revision (f->index));
    assert_int_equal (mail_message_size (message), helper_stat (f, "in/cur/b:2,S").size);
}

static void
test_fields (void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *id;
        enum mail_field field;
        const char *value;
    } rows[] = {
        {"a@example.org", MAIL_FROM, "Ann <ann@example.org>"},
        {"a@example.org", MAIL_TO, "Bob <bob@example.net>"},
        {"a@example.org", MAIL_SUBJECT, "Apples"},
        {"a@example.org", MAIL_CC, ""},
        {"a@example.org", MAIL_LIST_ID, ""},
        {"c@example.org", MAIL_CC, "Cy <cy@example.org>"},
        {"d@example.org", MAIL_FROM, "Dan <dan@example.org>"},
        {"d@example.org", MAIL_BCC, "hidden@example.org"},
        {"d@example.org", MAIL_REPLY_TO, "fruit@example.org"},
        {"d@example.org", MAIL_LIST_ID, "Fruit <fruit.example.org>"},
        {"e@example.org", MAIL_SUBJECT, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mail_message *message = helper_find (f, rows[i].id);
        assert_non_null (message);
        assert_string_equal (mail_message_field (message, rows[i].field), rows[i].value);
    }
}

static void
test_references (void **state)
{
    struct fixture *f = *state;
    size_t count = 99;
    struct mail_message *a = helper_find (f, "a@example.org");
    assert_null (mail_message_parent (a));
    assert_null (mail_message_references (a, &count)[0]);
    assert_int_equal (count, 0);
    struct mail_message *d = helper_find (f, "d@example.org");
    const char *const *references = mail_message_references (d, &count);
    assert_int_equal (count, 2);
    assert_string_equal (references[0], "a@example.org");
    assert_string_equal (references[1], "b@example.org");
    assert_null (references[2]);
    assert_string_equal (mail_message_parent (d), "b@example.org");
    assert_true (mail_message_thread (a) == mail_message_thread (d));
    assert_true (mail_message_thread (a) != mail_message_thread (helper_find (f, "c@example.org")));
}

static void
test_tags (void **state)
{
    struct fixture *f = *state;
    size_t count = 0;
    const char *const *tags = mail_message_tags (helper_find (f, "d@example.org"), &count);
    assert_int_equal (count, 2);
    assert_string_equal (tags[0], "flagged");
    assert_string_equal (tags[1], "inbox");
    assert_null (tags[2]);
    tags = mail_message_tags (helper_find (f, "e@example.org"), NULL);
    assert_string_equal (tags[0], "attachment");
    assert_string_equal (tags[1], "inbox");
    assert_null (tags[2]);
}

static void
test_files (void **state)
{
    struct fixture *f = *state;
    size_t count = 0;
    const struct mail_file *files = mail_message_files (helper_find (f, "c@example.org"), &count);
    assert_int_equal (count, 2);
    assert_string_equal (files[0].folder, "in/cur");
    assert_string_equal (files[0].name, "c2:2,S");
    assert_string_equal (files[1].name, "c:2,S");
    char *path = mail_file_path (f->ctx, f->index, &files[1]);
    assert_string_equal (path, talloc_asprintf (f->ctx, "%s/in/cur/c:2,S", f->root));
}

static const struct mail_part *
part_of (const struct mail_part *parts, size_t count, const char *type)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp (parts[i].type, type))
            return &parts[i];
    fail_msg ("no part %s", type);
    return NULL;
}

static struct mail_content *
open_content (struct fixture *f, const char *name)
{
    struct mail_content *content = NULL;
    char *path = talloc_asprintf (f->ctx, "%s/in/cur/%s", f->root, name);
    assert_int_equal (mail_content_open (f->ctx, path, &content, NULL), MAIL_OK);
    return content;
}

static void
test_content_parts (void **state)
{
    struct fixture *f = *state;
    size_t count = 0;
    struct mail_content *content = open_content (f, "e:2,S");
    const struct mail_part *parts = mail_content_parts (content, &count);
    assert_int_equal (count, 5);
    static const struct {
        enum mail_part_kind kind;
        int number, depth;
        size_t end;
        const char *type, *filename, *content_id;
        bool attachment, text;
    } right[] = {
        {MAIL_PART_MULTIPART, 1, 0, 5, "multipart/mixed", NULL, NULL, false, false},
        {MAIL_PART_LEAF, 2, 1, 2, "text/html", NULL, "html@e", false, true},
        {MAIL_PART_LEAF, 3, 1, 3, "text/plain", "list.txt", NULL, true, true},
        {MAIL_PART_MESSAGE, 4, 1, 5, "message/rfc822", NULL, NULL, false, false},
        {MAIL_PART_LEAF, 5, 2, 5, "text/plain", NULL, NULL, false, true},
    };
    for (size_t i = 0; i < count; i++) {
        assert_int_equal (parts[i].kind, right[i].kind);
        assert_int_equal (parts[i].number, right[i].number);
        assert_int_equal (parts[i].depth, right[i].depth);
        assert_int_equal (parts[i].end, right[i].end);
        assert_string_equal (parts[i].type, right[i].type);
        assert_int_equal (parts[i].attachment, right[i].attachment);
        assert_int_equal (parts[i].text, right[i].text);
        assert_string_equal (parts[i].filename ? parts[i].filename : "",
                             right[i].filename ? right[i].filename : "");
        assert_string_equal (parts[i].content_id ? parts[i].content_id : "",
                             right[i].content_id ? right[i].content_id : "");
    }
}

static void
test_content_text (void **state)
{
    struct fixture *f = *state;
    size_t count = 0, length = 0;
    char *text = NULL;
    struct mail_content *content = open_content (f, "e:2,S");
    const struct mail_part *parts = mail_content_parts (content, &count);
    const struct mail_part *html = part_of (parts, count, "text/html");
    assert_int_equal (mail_part_text (f->ctx, content, html, &text, &length), MAIL_OK);
    assert_int_equal (length, strlen (text));
    assert_non_null (strstr (text, "<p>caf&eacute;</p>"));
    assert_string_equal (mail_content_header (content, NULL, "message-id"), "<e@example.org>");
    assert_null (mail_content_header (content, NULL, "X-Absent"));
    const struct mail_part *inner = part_of (parts, count, "message/rfc822");
    assert_string_equal (mail_content_header (content, inner, "Subject"), "inner");
    assert_null (mail_content_header (content, inner, "From"));
}

struct taken {
    char bytes[4096];
    size_t length;
};

static bool
take (void *closure, const char *bytes, size_t length)
{
    struct taken *taken = closure;
    assert_true (taken->length + length < sizeof taken->bytes);
    memcpy (taken->bytes + taken->length, bytes, length);
    taken->length += length;
    taken->bytes[taken->length] = '\0';
    return true;
}

static void
test_content_bytes (void **state)
{
    struct fixture *f = *state;
    size_t count;
    struct taken part = {.length = 0}, file = {.length = 0};
    struct mail_content *content = open_content (f, "e:2,S");
    const struct mail_part *parts = mail_content_parts (content, &count);
    assert_true (mail_part_write (content, &parts[2], (struct mail_sink){take, &part}));
    assert_string_equal (part.bytes, "attached");
    const char *path = helper_write (f, "note", "just a note\n");
    assert_int_equal (mail_file_write (path, (struct mail_sink){take, &file}), MAIL_OK);
    assert_string_equal (file.bytes, "just a note\n");
    char *absent = talloc_asprintf (f->ctx, "%s/absent", f->root);
    assert_int_equal (mail_file_write (absent, (struct mail_sink){take, &file}), MAIL_ERROR_IO);
    assert_int_equal (mail_file_write (f->root, (struct mail_sink){take, &file}), MAIL_ERROR_IO);
}

static void
test_content_fields (void **state)
{
    struct fixture *f = *state;
    const char *path = helper_write (f, "fields",
                                     "from: =?utf-8?q?D=C3=B6ra?= <a@b>\nTo: x@y\nTO: z@y\n"
                                     "X-Word: =?utf-8?q?a?=\nx-word: b\n c\n\nbody\n");
    struct mail_content *content;
    assert_int_equal (mail_content_open (f->ctx, path, &content, NULL), MAIL_OK);
    assert_string_equal (mail_content_header_name (content, NULL, "FROM"), "from");
    assert_null (mail_content_header_name (content, NULL, "Cc"));
    assert_string_equal (mail_content_header (content, NULL, "To"), "x@y, z@y");
    assert_string_equal (mail_content_header_raw (f->ctx, content, "X-WORD"), "=?utf-8?q?a?= b c");
    assert_null (mail_content_header_raw (f->ctx, content, "Cc"));
}

static void
test_addresses (void **state)
{
    struct fixture *f = *state;
    size_t count;
    struct mail_address *list =
        mail_message_addresses (f->ctx, helper_find (f, "a@example.org"), MAIL_FROM, &count);
    assert_int_equal (count, 1);
    assert_string_equal (list[0].name, "Ann");
    assert_string_equal (list[0].address, "ann@example.org");
    mail_message_addresses (f->ctx, helper_find (f, "a@example.org"), MAIL_BCC, &count);
    assert_int_equal (count, 0);
    const char *path = helper_write (f, "addresses",
                                     "From: a@b\nTo: Team: \"B, C\" <c@d>, e@f;\n"
                                     "To: =?utf-8?q?x=40y=2C_g=40h?= <i@j>, nobody:;\n\nbody\n");
    struct mail_content *content;
    assert_int_equal (mail_content_open (f->ctx, path, &content, NULL), MAIL_OK);
    list = mail_content_addresses (f->ctx, content, "to", &count);
    assert_int_equal (count, 3);
    static const char *const texts[] = {"\"B, C\" <c@d>", "e@f", "\"x@y, g@h\" <i@j>"};
    for (size_t i = 0; i < count; i++)
        assert_string_equal (mail_address_text (f->ctx, &list[i]), texts[i]);
    mail_content_addresses (f->ctx, content, "Cc", &count);
    assert_int_equal (count, 0);
}

static void
test_compose (void **state)
{
    struct fixture *f = *state;
    static const struct mail_address list[] = {
        {"D\xc3\xb6ra", "d@x"}, {"B, C", "b@y"}, {"", "c@z"}, {"new\nBcc: line", "e@x"}};
    assert_string_equal (mail_compose_text (f->ctx, "Subject", "plain"), "Subject: plain\n");
    assert_string_equal (mail_compose_text (f->ctx, "Subject", "D\xc3\xb6ra"),
                         "Subject: =?iso-8859-1?B?RPZyYQ==?=\n");
    assert_null (strstr (mail_compose_text (f->ctx, "Subject", "a\nBcc: x@y"), "\nBcc"));
    assert_string_equal (mail_compose_text (f->ctx, "In-Reply-To", "<a@b>"),
                         "In-Reply-To: <a@b>\n");
    assert_string_equal (mail_compose_addresses (f->ctx, MAIL_CC, list, 3),
                         "Cc: =?iso-8859-1?b?RPZyYQ==?= <d@x>, \"B, C\" <b@y>, c@z\n");
    assert_null (strstr (mail_compose_addresses (f->ctx, MAIL_TO, list, 4), "\nBcc"));
    assert_string_equal (mail_compose_addresses (f->ctx, MAIL_TO, NULL, 0), "");
}

static void
test_content_failures (void **state)
{
    struct fixture *f = *state;
    struct mail_content *content = NULL;
    char *error = NULL;
    char *absent = talloc_asprintf (f->ctx, "%s/absent", f->root);
    assert_int_equal (mail_content_open (f->ctx, absent, &content, &error), MAIL_ERROR_IO);
    assert_non_null (error);
    assert_null (content);
    const char *path = helper_write (f, "note", "just a note\n");
    assert_int_equal (mail_content_open (f->ctx, path, &content, &error), MAIL_ERROR_NOT_MAIL);
    assert_null (content);
}

/* Every line but the first is a continued one, whatever the text looks like. */
static void
assert_one_field (const char *field)
{
    for (const char *end = strchr (field, '\n'); end; end = strchr (end + 1, '\n'))
        if (!end[1] || strchr (" \t", end[1]) == NULL)
            assert_string_equal (end, "\n");
    assert_non_null (strchr (field, '\n'));
}

static void
test_compose_words (void **state)
{
    static const char *const pieces[] = {
        "=?",   "utf-8",    "?q?",  "?b?", "?=", " ",  "     ", "=3D",
        "word", "\xc3\xb6", "\x1f", "<",   "@",  "\"", ",",     "\xe2\x80\xb9le.org"};
    struct fixture *f = *state;
    static const char word_in_word[] =
        "Re: =?utf-4?q?     ject: =?utf-4?\x1f\xe2\x80\xb9\bb\x01le.org>";
    const struct mail_address person = {word_in_word, "a@example.org"};
    unsigned chance = 3;
    assert_one_field (mail_compose_text (f->ctx, "Subject", word_in_word));
    assert_one_field (mail_compose_addresses (f->ctx, MAIL_TO, &person, 1));
    for (int i = 0; i < 3000; i++) {
        char *text = talloc_strdup (f->ctx, "");
        for (int count = 1 + rand_r (&chance) % 40; count > 0; count--)
            text = talloc_strdup_append (
                text, pieces[(size_t) rand_r (&chance) % (sizeof pieces / sizeof *pieces)]);
        const struct mail_address address = {text, "a@example.org"};
        assert_one_field (mail_compose_text (f->ctx, "Subject", text));
        assert_one_field (mail_compose_addresses (f->ctx, MAIL_TO, &address, 1));
        talloc_free (text);
    }
}

/* Whom all are from, in the order of results. */
static void
test_senders (void **state)
{
    struct fixture *f = *state;
    static const char *const ids[] = {"a@example.org", "d@example.org"};
    struct mail_results *results =
        helper_run (f, "id:a@example.org or id:d@example.org", MAIL_SORT_OLDEST_FIRST);
    struct mail_senders *senders;
    const struct mail_sender *sender;
    assert_int_equal (mail_senders_open (f->ctx, results, &senders), MAIL_OK);
    for (size_t i = 0; i < 2; i++) {
        size_t count;
        const struct mail_address *right =
            mail_message_addresses (f->ctx, helper_find (f, ids[i]), MAIL_FROM, &count);
        assert_int_equal (mail_senders_next (senders, &sender), MAIL_OK);
        assert_non_null (sender);
        assert_int_equal (sender->count, count);
        assert_string_equal (sender->addresses[0].address, right[0].address);
        assert_string_equal (sender->addresses[0].name, right[0].name);
    }
    assert_int_equal (mail_senders_next (senders, &sender), MAIL_OK);
    assert_null (sender);
}

int
main (void)
{
#define WITH_MAIL(test) cmocka_unit_test_setup_teardown (test, helper_setup, helper_teardown)
    const struct CMUnitTest tests[] = {
        WITH_MAIL (test_find),           WITH_MAIL (test_senders),
        WITH_MAIL (test_compose_words),  WITH_MAIL (test_fields),
        WITH_MAIL (test_references),     WITH_MAIL (test_tags),
        WITH_MAIL (test_files),          WITH_MAIL (test_content_parts),
        WITH_MAIL (test_content_text),   WITH_MAIL (test_content_bytes),
        WITH_MAIL (test_content_fields), WITH_MAIL (test_addresses),
        WITH_MAIL (test_compose),        WITH_MAIL (test_content_failures),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
