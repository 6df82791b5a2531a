/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-maildir.c - letters in names of files. */
#include "maildir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <talloc.h>

#include <cmocka.h>

static bool
has_tag (void *closure, const char *tag)
{
    const char *tags = closure; /* " a b " */
    char *wanted = talloc_asprintf (NULL, " %s ", tag);
    bool found = strstr (tags, wanted) != NULL;
    talloc_free (wanted);
    return found;
}

static const struct {
    const char *folder, *name, *tags, *after; /* after: NULL where it stays */
} names[] = {
    {"cur", "a:2,", " unread ", "a:2,"},
    {"cur", "a:2,", " ", "a:2,S"},
    {"cur", "a:2,S", " unread ", "a:2,"},
    {"cur", "a", " unread ", "a:2,"}, /* an info is added where there is none */
    {"cur", "a", " flagged replied ", "a:2,FRS"},
    {"cur", "a:1,foo", " unread flagged ", "a:1,foo:2,F"},
    {"cur", "a:2,ST", " unread ", "a:2,T"}, /* other letters stay */
    {"cur", "a:2,Tab", " passed draft ", "a:2,DPSTab"},
    {"cur", "a:2,TS", " unread ", NULL}, /* not in ascending order */
    {"cur", "a:2,SS", " unread ", NULL},
    {"cur", "a:2,S\303\244", " unread ", NULL},
    {"cur", "a:2,S,x", " unread ", NULL},
    {"new", "a", " unread ", NULL}, /* nothing to say */
    {"new", "a", " ", "a:2,S"},
    {"new", "a:2,", " unread ", "a:2,"},
    /* what mbsync and Dovecot keep in front of the info */
    {"cur", "1.M2P3.host,U=17:2,S", " unread flagged ", "1.M2P3.host,U=17:2,F"},
    {"new", "1.M2P3.host,U=17", " ", "1.M2P3.host,U=17:2,S"},
    {"cur", "1.M2P3.host,S=2048,W=2100:2,", " ", "1.M2P3.host,S=2048,W=2100:2,S"},
};

static void
test_names (void **state)
{
    void *ctx = talloc_new (NULL);
    struct maildir_flags *flags = maildir_flags_create (ctx);
    (void) state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *after = maildir_name (ctx, flags, names[i].folder, names[i].name, has_tag,
                                    (void *) names[i].tags);
        const char *wanted = names[i].after;
        if (!wanted != !after || (wanted && strcmp (wanted, after) != 0))
            fail_msg ("%s/%s, '%s': %s", names[i].folder, names[i].name, names[i].tags,
                      after ? after : "stays");
    }
    talloc_free (ctx);
}

/* What the letters give, they get back from the tags. */
static void
test_letters (void **state)
{
    (void) state;
    assert_string_equal (maildir_letters ("cur", "a:2,FS"), "FS");
    assert_string_equal (maildir_letters ("cur", "a:2,S:2,F"), "S:2,F");
    assert_string_equal (maildir_letters ("new", "a"), "");
    assert_string_equal (maildir_letters ("new", "a:2,S"), "S");
    assert_null (maildir_letters ("cur", "a"));
    assert_null (maildir_letters ("cur", "a:1,S"));
    assert_null (maildir_letters ("in", "a:2,S"));
}

int
main (void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test (test_names),
                                       cmocka_unit_test (test_letters)};
    return cmocka_run_group_tests (tests, NULL, NULL);
}
