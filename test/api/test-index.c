/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-index.c - opening, closing, what a handle says of its index, statuses. */
#include "helper.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAIL_STATUS_ROW(name, code, text) {name, code, text},
static const struct {
    enum mail_status status;
    int code;
    const char *text;
} statuses[] = {MAIL_STATUS_LIST (MAIL_STATUS_ROW)};

static void
test_statuses (void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        assert_string_equal (mail_status_text (statuses[i].status), statuses[i].text);
        assert_int_equal (mail_status_exit_code (statuses[i].status), statuses[i].code);
    }
    assert_string_equal (mail_status_text ((enum mail_status) 9999), "unknown status");
    assert_int_equal (mail_status_exit_code ((enum mail_status) 9999), 1);
}

static void
test_empty_index (void **state)
{
    struct fixture *f = *state;
    assert_int_equal (mail_index_count (f->index), 0);
    assert_string_equal (mail_index_mail_root (f->index), f->root);
    char *folder = talloc_asprintf (f->ctx, "%s/.mailindex", f->root);
    assert_string_equal (mail_index_folder (f->index), folder);
    assert_int_equal (strlen (mail_index_uuid (f->index)), 36);
    assert_string_equal (mail_index_error (f->index), "");
    assert_int_equal (helper_count (f, "*"), 0);
    struct stat st;
    assert_int_equal (stat (folder, &st), 0);
    assert_int_equal (st.st_mode & 0777, 0700);
}

static enum mail_status
open_at (struct fixture *f, const char *path, const char *mail_root, unsigned flags, char **error)
{
    struct mail_open_options options = {
        .path = path, .mail_root = mail_root, .flags = flags, .lock_timeout = 1};
    struct mail_index *index = NULL;
    *error = NULL;
    enum mail_status status = mail_index_open (f->ctx, &options, &index, error);
    if (status == MAIL_OK)
        mail_index_close (index);
    else
        assert_null (index);
    return status;
}

static void
test_cannot_open (void **state)
{
    struct fixture *f = *state;
    char *error;
    char *empty = talloc_asprintf (f->ctx, "%s/empty", f->root);
    char *absent = talloc_asprintf (f->ctx, "%s/absent", f->root);
    assert_int_equal (mkdir (empty, 0700), 0);
    assert_int_equal (open_at (f, empty, NULL, 0, &error), MAIL_ERROR_NO_INDEX);
    assert_non_null (strstr (error, empty));
    assert_null (strchr (error, '\n'));
    assert_int_equal (open_at (f, f->root, absent, 0, &error), MAIL_ERROR_NO_MAIL_ROOT);
    assert_non_null (strstr (error, absent));
}

static void
test_damaged (void **state)
{
    struct fixture *f = *state;
    char *error;
    char *path = talloc_asprintf (f->ctx, "%s/.mailindex/state/iamglass", f->root);
    FILE *file = fopen (path, "w");
    assert_non_null (file);
    fputs ("this is no database", file);
    fclose (file);
    assert_int_equal (open_at (f, f->root, NULL, 0, &error), MAIL_ERROR_CORRUPT);
    assert_non_null (error);
}

static void
test_two_handles (void **state)
{
    struct fixture *f = *state;
    struct mail_open_options options = {.path = f->root};
    struct mail_index *reader = NULL;
    assert_int_equal (mail_index_open (f->ctx, &options, &reader, NULL), MAIL_OK);
    assert_string_equal (mail_index_uuid (reader), mail_index_uuid (f->index));
    uint64_t before = mail_index_revision (reader);
    helper_standard_mail (f);
    helper_index (f, helper_standard_files);
    assert_int_equal (mail_index_count (f->index), 5);
    assert_true (mail_index_revision (f->index) > before);
    assert_int_equal (mail_index_refresh (reader), MAIL_OK);
    assert_int_equal (mail_index_count (reader), 5);
    assert_true (mail_index_revision (reader) == mail_index_revision (f->index));
    assert_true (mail_index_lock_wait (reader) == 0);
    mail_index_close (reader);
    mail_index_close (NULL);
}

/* The mail and the index need not lie together. */
static void
test_separate_root (void **state)
{
    struct fixture *f = *state;
    char *place = talloc_asprintf (f->ctx, "%s/elsewhere", f->root);
    assert_int_equal (mkdir (place, 0700), 0);
    struct mail_open_options options = {
        .path = place, .mail_root = f->root, .flags = MAIL_OPEN_CREATE};
    struct mail_index *index = NULL;
    assert_int_equal (mail_index_open (f->ctx, &options, &index, NULL), MAIL_OK);
    assert_string_equal (mail_index_mail_root (index), f->root);
    assert_string_equal (mail_index_folder (index),
                         talloc_asprintf (f->ctx, "%s/.mailindex", place));
    mail_index_close (index);
}

static void
test_header_prefixes (void **state)
{
    static const struct {
        const char *name;
        bool good;
    } names[] = {{"Label", true}, {"X_1", true},      {"9x", true},   {"_x", true},
                 {"", false},     {"lab", false},     {"A-B", false}, {"A:", false},
                 {"A b", false},  {"\303\211", false}};
    static const struct mail_header_prefix good[] = {{"Answered", "in-reply-to"}, {NULL, NULL}},
                                           bad[] = {{"answered", "in-reply-to"}, {NULL, NULL}};
    struct fixture *f = *state;
    struct mail_open_options options = {.path = f->root, .headers = bad};
    struct mail_index *index = NULL;
    struct mail_query *query = NULL;
    char *error = NULL;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *reason = NULL;
        assert_int_equal (mail_header_prefix_check (names[i].name, &reason),
                          names[i].good ? MAIL_OK : MAIL_ERROR_ARGUMENT);
        assert_int_equal (reason == NULL, names[i].good);
    }
    assert_int_equal (mail_index_open (f->ctx, &options, &index, &error), MAIL_ERROR_ARGUMENT);
    assert_non_null (strstr (error, "answered"));
    options.headers = good;
    options.stemmer = "klingon";
    assert_int_equal (mail_index_open (f->ctx, &options, &index, &error), MAIL_ERROR_ARGUMENT);
    assert_non_null (strstr (error, "klingon"));
    options.stemmer = "none";
    assert_int_equal (mail_index_open (f->ctx, &options, &index, &error), MAIL_OK);
    assert_int_equal (mail_query_parse (f->ctx, index, "Answered:x", &query, NULL), MAIL_OK);
    assert_non_null (strstr (mail_query_explain (f->ctx, query), "Answered"));
    talloc_free (query);
    mail_index_close (index);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_statuses),
        cmocka_unit_test_setup_teardown (test_empty_index, helper_setup_empty, helper_teardown),
        cmocka_unit_test_setup_teardown (test_cannot_open, helper_setup_empty, helper_teardown),
        cmocka_unit_test_setup_teardown (test_damaged, helper_setup_empty, helper_teardown),
        cmocka_unit_test_setup_teardown (test_two_handles, helper_setup_empty, helper_teardown),
        cmocka_unit_test_setup_teardown (test_separate_root, helper_setup_empty, helper_teardown),
        cmocka_unit_test_setup_teardown (test_header_prefixes, helper_setup_empty, helper_teardown),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
