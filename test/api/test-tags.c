/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-tags.c - changing tags. */
#include "helper.h"

static enum mail_status
tag (struct fixture *f, const char *text, const struct mail_tag_change *changes, size_t count,
     uint64_t *changed)
{
    struct mail_query *query = NULL;
    struct mail_query_error error = {0};
    assert_int_equal (mail_query_parse (f->ctx, f->index, text, &query, &error), MAIL_OK);
    return mail_query_tag (query, changes, count, changed);
}

static void
test_check (void **state)
{
    (void) state;
    char *longest = talloc_zero_size (NULL, MAIL_TAG_MAX + 2);
    const char *reason = NULL;
    memset (longest, 't', MAIL_TAG_MAX);
    assert_int_equal (mail_tag_check (longest, &reason), MAIL_OK);
    longest[MAIL_TAG_MAX] = 't';
    static const char *const good[] = {"a", "two words", "ünïcode", "a-b", "+x", "a\tb", "\""};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal (mail_tag_check (good[i], NULL), MAIL_OK);
    const char *const bad[] = {"", "-a", longest};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        reason = NULL;
        assert_int_equal (mail_tag_check (bad[i], &reason), MAIL_ERROR_ARGUMENT);
        assert_non_null (reason);
    }
    talloc_free (longest);
}

static void
test_tag (void **state)
{
    struct fixture *f = *state;
    uint64_t changed = 99;
    const struct mail_tag_change add[] = {{"fruit", true}, {"inbox", false}};
    uint64_t before = mail_index_revision (f->index);
    assert_int_equal (tag (f, "apples", add, 2, &changed), MAIL_OK);
    assert_int_equal (changed, 3);
    assert_int_equal (helper_count (f, "tag:fruit"), 3);
    assert_int_equal (helper_count (f, "tag:inbox"), 2);
    assert_int_equal (helper_count (f, "tag:fruit and apples"), 3);
    assert_true (mail_index_revision (f->index) > before);
}

/* Messages that are so already are not written. */
static void
test_nothing_to_do (void **state)
{
    struct fixture *f = *state;
    uint64_t changed = 99;
    const struct mail_tag_change add[] = {{"inbox", true}, {"absent", false}};
    uint64_t before = mail_index_revision (f->index);
    uint64_t revision = mail_message_revision (helper_find (f, "a@example.org"));
    assert_int_equal (tag (f, "*", add, 2, &changed), MAIL_OK);
    assert_int_equal (changed, 0);
    assert_true (mail_index_revision (f->index) == before);
    assert_true (mail_message_revision (helper_find (f, "a@example.org")) == revision);
}

static void
test_order (void **state)
{
    struct fixture *f = *state;
    const struct mail_tag_change both[] = {{"x", true}, {"x", false}, {"y", false}, {"y", true}};
    assert_int_equal (tag (f, "red", both, 4, NULL), MAIL_OK);
    assert_int_equal (helper_count (f, "tag:x"), 0);
    assert_int_equal (helper_count (f, "tag:y"), 2);
}

static void
test_refused (void **state)
{
    struct fixture *f = *state;
    uint64_t changed = 99;
    const struct mail_tag_change bad[] = {{"good", true}, {"-bad", true}};
    assert_int_equal (tag (f, "*", bad, 2, &changed), MAIL_ERROR_ARGUMENT);
    assert_int_not_equal (strlen (mail_index_error (f->index)), 0);
    assert_int_equal (helper_count (f, "tag:good"), 0);
}

/* A second handle sees the change, and its own change is seen in turn. */
static void
test_two_handles (void **state)
{
    struct fixture *f = *state;
    struct fixture other = *f;
    struct mail_open_options options = {.path = f->root};
    assert_int_equal (mail_index_open (f->ctx, &options, &other.index, NULL), MAIL_OK);
    const struct mail_tag_change one[] = {{"one", true}}, two[] = {{"two", true}};
    assert_int_equal (tag (f, "*", one, 1, NULL), MAIL_OK);
    assert_int_equal (mail_index_refresh (other.index), MAIL_OK);
    assert_int_equal (tag (&other, "tag:one and red", two, 1, NULL), MAIL_OK);
    assert_int_equal (mail_index_refresh (f->index), MAIL_OK);
    assert_int_equal (helper_count (f, "tag:one"), 5);
    assert_int_equal (helper_count (f, "tag:two"), 2);
    mail_index_close (other.index);
}

static void
test_hex (void **state)
{
    static const char *const pairs[][2] = {
        {"", ""},
        {"plain", "plain"},
        {"two%20words", "two words"},
        {"%c3%B6", "\xC3\xB6"},
        {"%zz", NULL},
        {"a%2", NULL},
        {"a%", NULL},
        {"%00", NULL},
        {"%25", "%"},
    };

    (void) state;
    char *encoded = mail_hex_encode (NULL, "a-b_c@d=e.f,+ \"%");
    assert_string_equal (encoded, "a-b_c@d=e.f,+%20%22%25");
    talloc_free (encoded);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *text = strdup (pairs[i][0]);

        assert_int_equal (mail_hex_decode (text), pairs[i][1] != NULL);
        if (pairs[i][1]) {
            assert_string_equal (text, pairs[i][1]);
            char *again = mail_hex_encode (NULL, text);
            assert_true (mail_hex_decode (again));
            assert_string_equal (again, text);
            talloc_free (again);
        }
        free (text);
    }
}

int
main (void)
{
#define WITH_MAIL(test) cmocka_unit_test_setup_teardown (test, helper_setup, helper_teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_hex),    cmocka_unit_test (test_check), WITH_MAIL (test_tag),
        WITH_MAIL (test_nothing_to_do), WITH_MAIL (test_order),        WITH_MAIL (test_refused),
        WITH_MAIL (test_two_handles),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
