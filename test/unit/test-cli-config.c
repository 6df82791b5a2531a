/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-cli-config.c - which configuration is read, its values, and where the mail lies. */
#include "cli/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    void *ctx;
    char home[64];
};

static const char *const variables[] = {"XDG_CONFIG_HOME", "MAILDIR",         "MAIL_CONFIG",
                                        "MAIL_PROFILE",    "MAIL_DATABASE",   "NOTMUCH_CONFIG",
                                        "NOTMUCH_PROFILE", "NOTMUCH_DATABASE"};

static int
setup (void **state)
{
    struct fixture *f = calloc (1, sizeof *f);

    strcpy (f->home, "/tmp/test-cli-config.XXXXXX");
    f->ctx = talloc_new (NULL);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv (variables[i]);
    if (!mkdtemp (f->home))
        return -1;
    setenv ("HOME", f->home, 1);
    *state = f;
    return 0;
}

static int
teardown (void **state)
{
    struct fixture *f = *state;
    char *command = talloc_asprintf (f->ctx, "rm -rf '%s'", f->home);
    int result = system (command);

    talloc_free (f->ctx);
    free (f);
    return result;
}

static char *
below (struct fixture *f, const char *name)
{
    return talloc_asprintf (f->ctx, "%s/%s", f->home, name);
}

/* Writes a file, with its folders. */
static char *
put (struct fixture *f, const char *name, const char *text)
{
    char *path = below (f, name);
    FILE *file;

    for (char *slash = path + strlen (f->home) + 1; (slash = strchr (slash, '/')); slash++) {
        *slash = '\0';
        mkdir (path, 0700);
        *slash = '/';
    }
    file = fopen (path, "w");
    assert_non_null (file);
    fputs (text, file);
    fclose (file);
    return path;
}

static struct config *
load_as (struct fixture *f, const char *program, const char *file)
{
    struct config *config = NULL;
    char *error = NULL;

    if (config_load (f->ctx, names_find (f->ctx, program), file, &config, &error) != MAIL_OK)
        fail_msg ("%s", error);
    return config;
}

static void
assert_list (struct fixture *f, const struct config *config, const char *key, const char *right)
{
    size_t count;
    char **list = config_list (f->ctx, config, key, &count);
    char *text = talloc_strdup (f->ctx, "");

    for (size_t i = 0; i < count; i++)
        text = talloc_asprintf_append (text, "[%s]", list[i]);
    assert_null (list[count]);
    assert_string_equal (text, right);
}

static void
test_defaults (void **state)
{
    struct fixture *f = *state;
    struct config *config = load_as (f, "mail", NULL);
    char *error = NULL;
    int64_t timeout;
    bool flags;

    assert_null (config_file (config));
    assert_string_equal (config_usual_file (config), below (f, ".config/mail/config"));
    assert_list (f, config, "new.tags", "[unread][inbox]");
    assert_list (f, config, "search.exclude_tags", "");
    assert_list (f, config, "no.such", "");
    assert_list (f, config, "nodot", "");
    assert_null (config_raw (config, "no.such"));
    assert_int_equal (config_boolean (f->ctx, config, "maildir.synchronize_flags", &flags, &error),
                      MAIL_OK);
    assert_true (flags);
    assert_int_equal (
        config_integer (f->ctx, config, "database.lock_timeout", 0, 99, &timeout, &error), MAIL_OK);
    assert_int_equal (timeout, 30);
}

static void
test_values (void **state)
{
    struct fixture *f = *state;
    char *path = put (f, "c",
                      "# comment\n"
                      "[new]\n"
                      "tags = a ; b;;c\\;d; \\se\\\\f;\n"
                      "ignore=/\\.bak$/;x\\ty\n"
                      "[database]\nlock_timeout=12x\n"
                      "[maildir]\nsynchronize_flags= YES \n"
                      "[search]\nexclude_tags=\n"
                      "[bad]\nflag=1\nempty=\n");
    struct config *config = load_as (f, "mail", path);
    char *error = NULL, **keys;
    int64_t number;
    bool flag;

    assert_string_equal (config_file (config), path);
    assert_list (f, config, "new.tags", "[a][b][c;d][e\\f]");
    assert_list (f, config, "new.ignore", "[/\\.bak$/][x\ty]");
    assert_list (f, config, "search.exclude_tags", "");
    assert_string_equal (config_string (f->ctx, config, "new.tags"), "a ; b;;c;d;  e\\f;");
    assert_int_equal (config_boolean (f->ctx, config, "maildir.synchronize_flags", &flag, &error),
                      MAIL_OK);
    assert_true (flag);
    assert_int_equal (config_boolean (f->ctx, config, "bad.flag", &flag, &error),
                      MAIL_ERROR_ARGUMENT);
    assert_non_null (strstr (error, "'1' is not allowed for bad.flag"));
    assert_int_equal (
        config_integer (f->ctx, config, "database.lock_timeout", 0, 99, &number, &error),
        MAIL_ERROR_ARGUMENT);
    assert_non_null (strstr (error, "from 0 to 99"));

    keys = config_keys (f->ctx, config);
    assert_string_equal (keys[0], "bad.empty");
    assert_string_equal (keys[1], "bad.flag");
    assert_string_equal (keys[2], "database.lock_timeout");
    size_t count = 0, with_default = 0;
    for (; keys[count]; count++) {
        with_default += strcmp (keys[count], "search.exclude_tags") == 0;
        if (count > 0)
            assert_true (strcmp (keys[count - 1], keys[count]) < 0);
    }
    assert_int_equal (with_default, 1);
}

static void
test_errors (void **state)
{
    struct fixture *f = *state;
    const struct names *names = names_find (f->ctx, "mail");
    struct config *config;
    char *error = NULL, *path = put (f, "c", "[new]\ntags=x\n\nnonsense\n[more]\n");

    assert_int_equal (config_load (f->ctx, names, path, &config, &error), MAIL_ERROR_ARGUMENT);
    assert_non_null (strstr (error, talloc_asprintf (f->ctx, "%s:4: ", path)));

    path = below (f, "absent");
    assert_int_equal (config_load (f->ctx, names, path, &config, &error), MAIL_ERROR_IO);
    assert_non_null (strstr (error, "absent': No such file or directory"));

    assert_int_equal (config_load (f->ctx, names, f->home, &config, &error), MAIL_ERROR_IO);

    /* What is named must be there. */
    setenv ("MAIL_CONFIG", path, 1);
    assert_int_equal (config_load (f->ctx, names, NULL, &config, &error), MAIL_ERROR_IO);
    unsetenv ("MAIL_CONFIG");
    setenv ("MAIL_PROFILE", "work", 1);
    assert_int_equal (config_load (f->ctx, names, NULL, &config, &error), MAIL_ERROR_IO);
    assert_non_null (strstr (error, "profile 'work' (MAIL_PROFILE)"));
    unsetenv ("MAIL_PROFILE");
    /* The other program's variable is not ours to complain about. */
    setenv ("NOTMUCH_CONFIG", path, 1);
    assert_int_equal (config_load (f->ctx, names, NULL, &config, &error), MAIL_OK);
    names = names_find (f->ctx, "notmuch");
    assert_int_equal (config_load (f->ctx, names, NULL, &config, &error), MAIL_ERROR_IO);
}

/* The file that is read, as places are filled from the last to the first. */
static void
test_order (void **state)
{
    static const struct {
        const char *file, *variable, *as_mail, *as_notmuch;
    } steps[] = {
        {".notmuch-config", NULL, ".notmuch-config", ".notmuch-config"},
        {".config/notmuch/default/config", NULL, ".config/notmuch/default/config",
         ".config/notmuch/default/config"},
        {"nm-variable", "NOTMUCH_CONFIG", "nm-variable", "nm-variable"},
        {".config/mail/config", NULL, ".config/mail/config", "nm-variable"},
        {"mail-variable", "MAIL_CONFIG", "mail-variable", "nm-variable"},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char *path = put (f, steps[i].file, "");

        if (steps[i].variable)
            setenv (steps[i].variable, path, 1);
        assert_string_equal (config_file (load_as (f, "mail", NULL)), below (f, steps[i].as_mail));
        assert_string_equal (config_file (load_as (f, "/usr/bin/notmuch", NULL)),
                             below (f, steps[i].as_notmuch));
    }
    assert_string_equal (config_file (load_as (f, "other-name", NULL)), below (f, "mail-variable"));
    assert_string_equal (config_file (load_as (f, "mail", below (f, ".notmuch-config"))),
                         below (f, ".notmuch-config"));
    assert_null (config_file (load_as (f, "mail", "")));
}

static void
test_profiles (void **state)
{
    struct fixture *f = *state;

    setenv ("XDG_CONFIG_HOME", below (f, "xdg"), 1);
    put (f, ".notmuch-config", "");
    put (f, ".notmuch-config.work", "");
    setenv ("MAIL_PROFILE", "work", 1);
    assert_string_equal (config_file (load_as (f, "mail", NULL)),
                         below (f, ".notmuch-config.work"));
    put (f, "xdg/notmuch/work/config", "");
    assert_string_equal (config_file (load_as (f, "mail", NULL)),
                         below (f, "xdg/notmuch/work/config"));
    put (f, "xdg/mail/config", "");
    assert_string_equal (config_file (load_as (f, "mail", NULL)),
                         below (f, "xdg/notmuch/work/config"));
    put (f, "xdg/mail/work/config", "");
    assert_string_equal (config_file (load_as (f, "mail", NULL)),
                         below (f, "xdg/mail/work/config"));
    unsetenv ("MAIL_PROFILE");
    setenv ("NOTMUCH_PROFILE", "work", 1);
    assert_string_equal (config_file (load_as (f, "mail", NULL)), below (f, "xdg/mail/config"));
    assert_string_equal (config_file (load_as (f, "notmuch", NULL)),
                         below (f, "xdg/notmuch/work/config"));
}

static void
assert_paths (struct fixture *f, const char *program, const char *text, const char *database,
              const char *mail_root)
{
    struct config *config = load_as (f, program, put (f, "paths", text));
    struct config_paths paths;
    char *error = NULL;

    assert_int_equal (config_paths (f->ctx, config, &paths, &error), MAIL_OK);
    assert_string_equal (paths.database, database);
    assert_string_equal (paths.mail_root, mail_root);
    assert_null (paths.assumed);
}

static void
test_paths (void **state)
{
    struct fixture *f = *state;

    assert_paths (f, "mail", "[database]\npath=/a//\n", "/a", "/a");
    assert_paths (f, "mail", "[database]\nmail_root=/m\n", "/m", "/m");
    assert_paths (f, "mail", "[database]\npath=/a\nmail_root=/m\n", "/a", "/m");
    assert_paths (f, "mail", "[database]\npath=a;b\nmail_root=~/m/\n", below (f, "a;b"),
                  below (f, "m"));
    assert_paths (f, "mail", "[database]\npath=/\n", "/", "/");
    setenv ("MAIL_DATABASE", "/env", 1);
    assert_paths (f, "mail", "[database]\npath=/a\nmail_root=/m\n", "/env", "/m");
    assert_paths (f, "mail", "[database]\npath=/a\n", "/env", "/env");
    assert_paths (f, "notmuch", "[database]\npath=/a\n", "/a", "/a");
    unsetenv ("MAIL_DATABASE");
    setenv ("NOTMUCH_DATABASE", "/env", 1);
    assert_paths (f, "mail", "[database]\npath=/a\n", "/a", "/a");
    assert_paths (f, "notmuch", "[database]\npath=/a\n", "/env", "/env");
}

static void
test_assumed (void **state)
{
    struct fixture *f = *state;
    struct config *config = load_as (f, "mail", NULL);
    struct config_paths paths;
    char *error = NULL;
    static const char *const folders[] = {"mail", "Mail", "Maildir"};

    assert_int_equal (config_paths (f->ctx, config, &paths, &error), MAIL_ERROR_NO_MAIL_ROOT);
    assert_non_null (strstr (error, "none of ~/Maildir, ~/Mail, ~/mail"));
    put (f, "mail", "not a folder");
    assert_int_equal (config_paths (f->ctx, config, &paths, &error), MAIL_ERROR_NO_MAIL_ROOT);
    unlink (below (f, "mail"));
    for (size_t i = 0; i < 3; i++) {
        put (f, talloc_asprintf (f->ctx, "%s/x", folders[i]), "");
        assert_int_equal (config_paths (f->ctx, config, &paths, &error), MAIL_OK);
        assert_string_equal (paths.mail_root, below (f, folders[i]));
        assert_string_equal (paths.database, paths.mail_root);
    }
    assert_non_null (strstr (paths.assumed, "~/Mail, ~/mail)"));
    setenv ("MAILDIR", "mail", 1);
    assert_int_equal (config_paths (f->ctx, config, &paths, &error), MAIL_OK);
    assert_string_equal (paths.mail_root, below (f, "mail"));
    assert_non_null (strstr (paths.assumed, "~/Maildir, ~/Mail, ~/mail)"));
    assert_non_null (strstr (paths.assumed, "$MAILDIR; "));
}

static void
test_names (void **state)
{
    struct fixture *f = *state;

    assert_string_equal (names_find (f->ctx, "/a/b/mm")->program, "mm");
    assert_string_equal (names_find (f->ctx, NULL)->program, "mail");
    assert_string_equal (names_find (f->ctx, "")->program, "mail");
    assert_int_equal (names_exit_code (names_find (f->ctx, "mm"), MAIL_ERROR_QUERY), 2);
    assert_int_equal (names_exit_code (names_find (f->ctx, "x/notmuch"), MAIL_ERROR_QUERY), 1);
    assert_int_equal (names_exit_code (names_find (f->ctx, "notmuch"), MAIL_ERROR_LOCKED), 75);
}

int
main (void)
{
#define TEST(name) cmocka_unit_test_setup_teardown (name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST (test_defaults), TEST (test_values), TEST (test_errors),  TEST (test_order),
        TEST (test_profiles), TEST (test_paths),  TEST (test_assumed), TEST (test_names),
    };

    return cmocka_run_group_tests (tests, NULL, NULL);
}
