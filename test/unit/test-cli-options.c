/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-cli-options.c - the grammar of options and its messages. */
#include "cli/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

#include <cmocka.h>

struct values {
    bool batch, hooks, config_given;
    int sort, outputs, decrypt;
    int64_t limit, part;
    const char *input, *config;
};

static const struct option_keyword sorts[] = {{"newest", 1}, {"oldest", 2}, {NULL, 0}};
static const struct option_keyword outputs[] = {{"a", 1}, {"b", 2}, {"c", 4}, {NULL, 0}};

static const struct option_spec specs[] = {
    OPT_BOOLEAN (struct values, batch, "batch", "read many"),
    OPT_BOOLEAN (struct values, hooks, "hooks", "run hooks"),
    OPT_KEYWORD (struct values, sort, "sort", sorts, "order"),
    OPT_KEYWORD (struct values, decrypt, "decrypt", sorts, "order", .may_be_bare = true),
    OPT_FLAGS (struct values, outputs, "output", outputs, "what"),
    OPT_INTEGER (struct values, limit, "limit", "N", "how many"),
    OPT_INTEGER (struct values, part, "part", "N", "which", .min = 0, .max = 99),
    OPT_STRING (struct values, input, "input", "FILE", "from a file"),
    OPT_STRING (struct values, config, "config", "FILE", NULL, .may_be_empty = true),
    OPT_END,
};

#define WORDS 6

/* Parses words[1...]; returns the index of the first word that is left. */
static int
parse (void *ctx, const char *const *words, struct values *values, char **error)
{
    const struct option_set set = {specs, values};
    int argc = 0;

    *values = (struct values){.hooks = true, .limit = -1, .part = -1};
    *error = NULL;
    while (argc < WORDS && words[argc])
        argc++;
    return options_parse (ctx, &set, 1, argc, (char *const *) words, 1, error);
}

static void
test_values (void **state)
{
    static const struct {
        const char *words[WORDS + 1];
        int left;
        struct values values;
    } cases[] = {
#define V .hooks = true, .limit = -1, .part = -1
        {{"x"}, 1, {V}},
        {{"x", "--batch"}, 2, {V, .batch = true}},
        {{"x", "--batch=true", "q"}, 2, {V, .batch = true}},
        {{"x", "--batch", "true"}, 2, {V, .batch = true}},
        {{"x", "--no-hooks"}, 2, {.hooks = false, .limit = -1, .part = -1}},
        {{"x", "--no-hooks=false"}, 2, {V}},
        {{"x", "--hooks:false"}, 2, {.hooks = false, .limit = -1, .part = -1}},
        {{"x", "--sort=oldest"}, 2, {V, .sort = 2}},
        {{"x", "--sort:newest"}, 2, {V, .sort = 1}},
        {{"x", "--sort", "oldest", "q"}, 3, {V, .sort = 2}},
        {{"x", "--decrypt"}, 2, {V, .decrypt = 1}},
        {{"x", "--decrypt", "q"}, 2, {V, .decrypt = 1}},
        {{"x", "--decrypt", "oldest"}, 3, {V, .decrypt = 2}},
        {{"x", "--output=a", "--output=c"}, 3, {V, .outputs = 5}},
        {{"x", "--output=a", "--output=b", "--no-output=a"}, 4, {V, .outputs = 2}},
        {{"x", "--limit=7"}, 2, {.hooks = true, .limit = 7, .part = -1}},
        {{"x", "--limit", "-3", "q"}, 3, {.hooks = true, .limit = -3, .part = -1}},
        {{"x", "--limit= +7"}, 2, {.hooks = true, .limit = 7, .part = -1}},
        {{"x", "--part=99"}, 2, {.hooks = true, .limit = -1, .part = 99}},
        {{"x", "--input=f"}, 2, {V, .input = "f"}},
        {{"x", "--input", "-"}, 3, {V, .input = "-"}},
        {{"x", "--input=a=b:c"}, 2, {V, .input = "a=b:c"}},
        {{"x", "--config="}, 2, {V, .config = ""}},
        {{"x", "--config", ""}, 3, {V, .config = ""}},
        {{"x", "--", "--batch"}, 2, {V}},
        {{"x", "-batch", "--batch"}, 1, {V}},
        {{"x", "q", "--batch"}, 1, {V}},
        {{"x", "--batch", "--", "+a"}, 3, {V, .batch = true}},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        void *ctx = talloc_new (NULL);
        const struct values *right = &cases[i].values;
        struct values got;
        char *error;

        assert_int_equal (parse (ctx, cases[i].words, &got, &error), cases[i].left);
        assert_null (error);
        assert_int_equal (got.batch, right->batch);
        assert_int_equal (got.hooks, right->hooks);
        assert_int_equal (got.sort, right->sort);
        assert_int_equal (got.decrypt, right->decrypt);
        assert_int_equal (got.outputs, right->outputs);
        assert_int_equal (got.limit, right->limit);
        assert_int_equal (got.part, right->part);
        assert_string_equal (got.input ? got.input : "(none)",
                             right->input ? right->input : "(none)");
        assert_string_equal (got.config ? got.config : "(none)",
                             right->config ? right->config : "(none)");
        talloc_free (ctx);
    }
}

static void
test_messages (void **state)
{
    static const struct {
        const char *words[WORDS + 1];
        const char *error;
    } cases[] = {
        {{"x", "--nosuch"}, "Unrecognized option: --nosuch\n"},
        {{"x", "--batc"}, "Unrecognized option: --batc\n"},
        {{"x", "--batches"}, "Unrecognized option: --batches\n"},
        {{"x", "--no-limit"}, "Unrecognized option: --no-limit\n"},
        {{"x", "--no-sort=newest"}, "Unrecognized option: --no-sort=newest\n"},
        {{"x", "--batch=yes"},
         "Unknown argument \"yes\" for (boolean) option \"batch\".\n"
         "Unrecognized option: --batch=yes\n"},
        {{"x", "--batch="},
         "Unknown argument \"\" for (boolean) option \"batch\".\n"
         "Unrecognized option: --batch=\n"},
        {{"x", "--sort=up"},
         "Unknown keyword argument \"up\" for option \"sort\".\n"
         "Unrecognized option: --sort=up\n"},
        {{"x", "--sort"},
         "Option \"sort\" needs a keyword argument.\nUnrecognized option: --sort\n"},
        {{"x", "--sort", "--batch"},
         "Option \"sort\" needs a keyword argument.\nUnrecognized option: --sort\n"},
        {{"x", "--decrypt=no"},
         "Unknown keyword argument \"no\" for option \"decrypt\".\n"
         "Unrecognized option: --decrypt=no\n"},
        {{"x", "--limit"},
         "Option \"limit\" needs an integer argument.\nUnrecognized option: --limit\n"},
        {{"x", "--limit="},
         "Option \"limit\" needs an integer argument.\nUnrecognized option: --limit=\n"},
        {{"x", "--limit=0x10"},
         "Unable to parse argument \"0x10\" for option \"limit\" as an integer.\n"
         "Unrecognized option: --limit=0x10\n"},
        {{"x", "--limit= "},
         "Unable to parse argument \" \" for option \"limit\" as an integer.\n"
         "Unrecognized option: --limit= \n"},
        {{"x", "--limit=99999999999999999999"},
         "Argument \"99999999999999999999\" for option \"limit\" is out of range.\n"
         "Unrecognized option: --limit=99999999999999999999\n"},
        {{"x", "--part=100"},
         "Argument \"100\" for option \"part\" is out of range.\n"
         "Unrecognized option: --part=100\n"},
        {{"x", "--part=-1"},
         "Argument \"-1\" for option \"part\" is out of range.\n"
         "Unrecognized option: --part=-1\n"},
        {{"x", "--input"},
         "Option \"input\" needs a string argument.\nUnrecognized option: --input\n"},
        {{"x", "--input="},
         "String argument for option \"input\" must be non-empty.\n"
         "Unrecognized option: --input=\n"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        void *ctx = talloc_new (NULL);
        struct values got;
        char *error;

        assert_int_equal (parse (ctx, cases[i].words, &got, &error), -1);
        assert_string_equal (error, cases[i].error);
        talloc_free (ctx);
    }
}

/* The first set that has a name gets it. */
static void
test_sets (void **state)
{
    char *words[] = {"x", "--batch", "--limit=3", NULL};
    struct values own = {0}, others = {0};
    const struct option_spec few[] = {OPT_BOOLEAN (struct values, batch, "batch", ""), OPT_END};
    const struct option_set sets[] = {{few, &own}, {specs, &others}};
    char *error = NULL;

    (void) state;
    assert_int_equal (options_parse (NULL, sets, 2, 3, words, 1, &error), 3);
    assert_true (own.batch);
    assert_false (others.batch);
    assert_int_equal (others.limit, 3);
}

static void
test_help (void **state)
{
    static const struct values defaults = {.hooks = true};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream (&text, &size);

    (void) state;
    options_help (file, specs, &defaults);
    fclose (file);
    assert_non_null (strstr (
        text, "  --batch                   read many\n  --[no-]hooks              run hooks\n"));
    assert_non_null (strstr (text, "  --sort=newest|oldest      order\n"));
    assert_non_null (strstr (text, "  --limit=N                 how many\n"));
    assert_null (strstr (text, "config"));
    free (text);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_values),
        cmocka_unit_test (test_messages),
        cmocka_unit_test (test_sets),
        cmocka_unit_test (test_help),
    };

    return cmocka_run_group_tests (tests, NULL, NULL);
}
