/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-edits.c - messages changed by id, properties, settings, flags in names. */
#include "helper.h"

#include <stdio.h>
#include <unistd.h>

static const char *
tags_of (struct fixture *f, const char *id)
{
    const char *const *tags = mail_message_tags (helper_find (f, id), NULL);
    char *text = talloc_strdup (f->ctx, "");
    for (size_t i = 0; tags[i]; i++)
        text = talloc_asprintf_append (text, "%s%s", i ? " " : "", tags[i]);
    return text;
}

static void
note_missing (void *closure, const char *id)
{
    char **text = closure;
    *text = talloc_asprintf_append (*text, "%s ", id);
}

static const struct mail_tag_change add_x[] = {{"x", true}}, remove_x[] = {{"x", false}},
                                    add_y[] = {{"y", true}, {"inbox", false}};

static void
test_edits (void **state)
{
    struct fixture *f = *state;
    struct mail_edits *edits = mail_edits_create (f->ctx, f->index);
    const struct mail_edit first = {.tags = add_x, .tag_count = 1},
                           second = {.tags = add_y, .tag_count = 2},
                           third = {.remove_tags = true, .tags = remove_x, .tag_count = 1};
    char *missing = talloc_strdup (f->ctx, "");
    uint64_t changed = 99;
    assert_int_equal (mail_edits_add (edits, "c@example.org", &third), MAIL_OK);
    assert_int_equal (mail_edits_add (edits, "a@example.org", &first), MAIL_OK);
    assert_int_equal (mail_edits_add (edits, "none@x", &first), MAIL_OK);
    assert_int_equal (mail_edits_add (edits, "a@example.org", &second), MAIL_OK);
    assert_int_equal (mail_edits_count (edits), 4);
    assert_int_equal (mail_edits_apply (edits, note_missing, &missing, &changed), MAIL_OK);
    assert_int_equal (changed, 2);
    assert_int_equal (mail_edits_count (edits), 0);
    assert_string_equal (missing, "none@x ");
    assert_string_equal (tags_of (f, "a@example.org"), "x y");
    assert_string_equal (tags_of (f, "c@example.org"), "");
    /* once more: nothing is written */
    uint64_t revision = mail_index_revision (f->index);
    assert_int_equal (mail_edits_add (edits, "a@example.org", &first), MAIL_OK);
    assert_int_equal (mail_edits_apply (edits, NULL, NULL, &changed), MAIL_OK);
    assert_int_equal (changed, 0);
    assert_int_equal (mail_index_revision (f->index), revision);
    /* changes of one message that cancel each other out */
    const struct mail_edit away = {.tags = remove_x, .tag_count = 1};
    assert_int_equal (mail_edits_add (edits, "a@example.org", &away), MAIL_OK);
    assert_int_equal (mail_edits_add (edits, "a@example.org", &first), MAIL_OK);
    assert_int_equal (mail_edits_apply (edits, NULL, NULL, &changed), MAIL_OK);
    assert_int_equal (changed, 0);
    const struct mail_tag_change bad[] = {{"-x", true}};
    const struct mail_edit refused = {.tags = bad, .tag_count = 1};
    assert_int_equal (mail_edits_add (edits, "a@example.org", &refused), MAIL_ERROR_ARGUMENT);
    assert_int_equal (mail_edits_count (edits), 0);
}

static char *
properties_of (struct fixture *f, const char *id)
{
    size_t count;
    const struct mail_property *list = mail_message_properties (helper_find (f, id), &count);
    char *text = talloc_strdup (f->ctx, "");
    for (size_t i = 0; i < count; i++)
        text = talloc_asprintf_append (text, "%s=%s ", list[i].key, list[i].value);
    return text;
}

static void
edit_a (struct fixture *f, const struct mail_edit *edit)
{
    struct mail_query *query = NULL;
    struct mail_query_error error = {0};
    assert_int_equal (mail_query_parse (f->ctx, f->index, "id:a@example.org", &query, &error),
                      MAIL_OK);
    assert_int_equal (mail_query_edit (query, edit, NULL), MAIL_OK);
}

static void
test_properties (void **state)
{
    struct fixture *f = *state;
    const struct mail_property some[] = {{"k", "z=1"}, {"k", "a"}, {"b", ""}, {"k", "a"}},
                               other[] = {{"n", "ü"}};
    const struct mail_edit add = {.properties = some, .property_count = 4},
                           replace = {
                               .remove_properties = true, .properties = other, .property_count = 1};
    assert_string_equal (properties_of (f, "a@example.org"), "");
    edit_a (f, &add);
    assert_string_equal (properties_of (f, "a@example.org"), "b= k=a k=z=1 ");
    assert_int_equal (helper_count (f, "property:k=a"), 1);
    edit_a (f, &replace);
    assert_string_equal (properties_of (f, "a@example.org"), "n=ü ");
    assert_int_equal (helper_count (f, "property:k=a"), 0);
    assert_string_equal (tags_of (f, "a@example.org"), "inbox");

    char *longest = talloc_zero_size (f->ctx, 240);
    memset (longest, 'v', 238);
    const struct mail_property bad[] = {{"", "x"}, {"a=b", "x"}, {"k", longest}};
    struct mail_edits *edits = mail_edits_create (f->ctx, f->index);
    for (size_t i = 0; i < 3; i++) {
        const struct mail_edit refused = {.properties = &bad[i], .property_count = 1};
        assert_int_equal (mail_edits_add (edits, "a@example.org", &refused), MAIL_ERROR_ARGUMENT);
    }
    longest[237] = '\0';
    const struct mail_property fits = {"k", longest};
    const struct mail_edit allowed = {.properties = &fits, .property_count = 1};
    edit_a (f, &allowed);
    assert_int_equal (strlen (properties_of (f, "a@example.org")), strlen ("k= n=ü ") + 237);
}

/* Tags and properties alone, of all matches in order. */
static void
test_tags_only (void **state)
{
    struct fixture *f = *state;
    struct mail_messages *messages;
    struct mail_message *message;
    char *text = talloc_strdup (f->ctx, "");
    struct mail_results *results = helper_run (f, "*", MAIL_SORT_OLDEST_FIRST);
    assert_int_equal (mail_messages_open_tags (f->ctx, results, &messages), MAIL_OK);
    for (;;) {
        size_t count;
        assert_int_equal (mail_messages_next (messages, &message), MAIL_OK);
        if (!message)
            break;
        mail_message_tags (message, &count);
        text = talloc_asprintf_append (text, "%.1s%zu ", mail_message_id (message), count);
        assert_string_equal (mail_message_field (message, MAIL_SUBJECT), "");
        mail_message_files (message, &count);
        assert_int_equal (count, 0);
    }
    assert_string_equal (text, "a1 b1 c1 d2 e2 ");
}

/* Header fields and files alone. */
static void
test_headers_only (void **state)
{
    struct fixture *f = *state;
    struct mail_messages *messages;
    struct mail_message *message;
    size_t count, found = 0, senders = 0;
    struct mail_results *results = helper_run (f, "*", MAIL_SORT_OLDEST_FIRST);
    assert_int_equal (mail_messages_open_headers (f->ctx, results, &messages), MAIL_OK);
    for (;; found++) {
        assert_int_equal (mail_messages_next (messages, &message), MAIL_OK);
        if (!message)
            break;
        mail_message_tags (message, &count);
        assert_int_equal (count, 0);
        assert_string_equal (mail_message_id (message), "");
        assert_int_equal (mail_message_thread (message), 0);
        assert_true (mail_message_docid (message) > 0);
        senders += *mail_message_field (message, MAIL_FROM) != '\0';
        mail_message_files (message, &count);
        assert_true (count > 0);
    }
    assert_int_equal (found, mail_results_count (results));
    assert_int_equal (senders, found);
}

static void
test_settings (void **state)
{
    struct fixture *f = *state;
    struct mail_setting *settings;
    size_t count;
    const struct mail_setting three[] = {{"b.x", "1\t2\n\\3"}, {"a.y", "ü"}, {"a.z", ""}},
                              gone[] = {{"a.y", ""}, {"b.x", "new"}};
    assert_int_equal (mail_index_settings (f->ctx, f->index, &settings, &count), MAIL_OK);
    assert_int_equal (count, 0);
    assert_int_equal (mail_index_set_settings (f->index, three, 3), MAIL_OK);
    assert_int_equal (mail_index_settings (f->ctx, f->index, &settings, &count), MAIL_OK);
    assert_int_equal (count, 2);
    assert_string_equal (settings[0].key, "a.y");
    assert_string_equal (settings[0].value, "ü");
    assert_string_equal (settings[1].value, "1\t2\n\\3");
    assert_int_equal (mail_index_set_settings (f->index, gone, 2), MAIL_OK);
    assert_int_equal (mail_index_settings (f->ctx, f->index, &settings, &count), MAIL_OK);
    assert_int_equal (count, 1);
    assert_string_equal (settings[0].value, "new");
}

static void
test_flags (void **state)
{
    struct fixture *f = *state;
    const struct mail_flag work = {'a', "x", false}, taken = {'S', "seen", false},
                           twice[] = {{'a', "p", false}, {'b', "p", false}};
    const struct mail_edit edit = {.tags = add_x, .tag_count = 1};
    assert_int_equal (mail_index_set_flags (f->index, true, &taken, 1), MAIL_ERROR_ARGUMENT);
    assert_int_equal (mail_index_set_flags (f->index, true, twice, 2), MAIL_ERROR_ARGUMENT);
    edit_a (f, &edit); /* without the call, names stay */
    const struct mail_file *files = mail_message_files (helper_find (f, "a@example.org"), NULL);
    char *before = talloc_strdup (f->ctx, files[0].name);
    const struct mail_edit away = {.tags = remove_x, .tag_count = 1};
    edit_a (f, &away);
    assert_int_equal (mail_index_set_flags (f->index, true, &work, 1), MAIL_OK);
    edit_a (f, &edit);
    struct mail_message *message = helper_find (f, "a@example.org");
    files = mail_message_files (message, NULL);
    assert_string_not_equal (files[0].name, before);
    assert_non_null (strstr (files[0].name, ":2,"));
    assert_int_equal (files[0].name[strlen (files[0].name) - 1], 'a');
    assert_int_equal (access (mail_file_path (f->ctx, f->index, &files[0]), R_OK), 0);
}

static void
test_message_id (void **state)
{
    struct fixture *f = *state;
    struct mail_content *content;
    const struct mail_file *files = mail_message_files (helper_find (f, "a@example.org"), NULL);
    char *path = mail_file_path (f->ctx, f->index, &files[0]);
    assert_int_equal (mail_content_open (f->ctx, path, &content, NULL), MAIL_OK);
    assert_string_equal (mail_content_message_id (f->ctx, content), "a@example.org");
}

static void
count_line (void *closure, const char *line)
{
    unsigned *lines = closure;
    *lines += *line != '\0';
}

static void
test_compact (void **state)
{
    struct fixture *f = *state;
    unsigned lines = 0;
    uint64_t revision = mail_index_revision (f->index);
    char *backup = talloc_asprintf (f->ctx, "%s/backup", f->root);
    assert_int_equal (mail_index_compact (f->index, NULL, backup, count_line, &lines), MAIL_OK);
    assert_true (lines > 0);
    assert_int_equal (mail_index_revision (f->index), revision);
    assert_int_equal (helper_count (f, "apples"), 3);
    assert_int_equal (access (talloc_asprintf (f->ctx, "%s/state/iamglass", backup), R_OK), 0);
    assert_int_equal (mail_index_compact (f->index, NULL, backup, NULL, NULL), MAIL_ERROR_ARGUMENT);
    assert_int_equal (mail_index_compact (f->index, NULL, NULL, NULL, NULL), MAIL_OK);
    const struct mail_edit edit = {.tags = add_x, .tag_count = 1};
    edit_a (f, &edit);
    assert_int_equal (helper_count (f, "tag:x"), 1);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown (name, helper_setup, helper_teardown)
        T (test_edits),    T (test_properties), T (test_tags_only),  T (test_headers_only),
        T (test_settings), T (test_flags),      T (test_message_id), T (test_compact),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
