/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-query-model.c - random queries of both languages over random small stores, against an
 * evaluation that looks at every message and knows nothing of indexes.
 *
 * A store comes into being in several runs, so that it has several segments, messages whose second
 * file made another text document (aliases, stale ones), and messages that are gone. Words are such
 * that no two have the same stem or beginning by chance. Thousands of queries in make check,
 * 100,000 with MAIL_TEST_LONG=1.
 */
#include "helper-index.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAILS_MAX = 48, BODY_MAX = 9, WORDS = 7, PEOPLE = 3, TAGS = 4, FOLDERS = 3, THEMES = 3 };
enum { DAY = 86400, START = 1000000000, DOCIDS = 4000, DEPTH = 4 };

/* "harbour" is a tag too, and "odette" a person who is written about. */
static const char *const words[WORDS] = {"mountain", "meadow", "harbour", "river",
                                         "island",   "forest", "odette"};
static const char *const plurals[WORDS] = {"mountains", "meadows", "harbours", "rivers",
                                           "islands",   "forests", "odettes"};
static const char *const people[PEOPLE] = {"odette", "evan", "wilma"};
static const char *const themes[THEMES] = {"sailing", "walking", "resting"};
static const char *const tags[TAGS] = {"harbour", "odd tag", "red", "blue"};
static const char *const folders[FOLDERS] = {"in", "in/deep", "Lists"};

struct mail {
    bool there;
    int body[2][BODY_MAX]; /* words, -1 behind the last */
    int person, folder;
    int theme[2]; /* of each file; -1: there is no second */
    bool wordy;   /* the subject is longer than a column takes */
    int day;      /* since START; -1: no date */
    unsigned tags;
    int thread; /* number of its first message */
};

struct model {
    struct fixture *f;
    GRand *random;
    struct mail mails[MAILS_MAX];
    int count;
    int by_docid[DOCIDS]; /* -1: none */
};

static int
pick (struct model *model, int count)
{
    return g_rand_int_range (model->random, 0, count);
}

/* ---- stores -------------------------------------------------------------------------------- */

static void
write_file (struct model *model, int i, int file)
{
    struct mail *mail = &model->mails[i];
    GString *text = g_string_new (NULL);
    time_t date = START + (time_t) mail->day * DAY;
    char line[64], *path;

    strftime (line, sizeof line, "%a, %d %b %Y %H:%M:%S +0000", gmtime (&date));
    g_string_printf (text, "From: %s <x@example.org>\nMessage-ID: <m%d@model>\nSubject: %s",
                     people[mail->person], i, themes[mail->theme[file]]);
    for (int k = 0; mail->wordy && k < TEXT_VALUE_MAX / 4; k++)
        g_string_append (text, " and");
    g_string_append (text, "\n");
    if (mail->day >= 0)
        g_string_append_printf (text, "Date: %s\n", line);
    if (mail->thread != i)
        g_string_append_printf (text, "References: <m%d@model>\n", mail->thread);
    g_string_append (text, "\n");
    for (int k = 0; k < BODY_MAX && mail->body[file][k] >= 0; k++)
        g_string_append_printf (text, "%s%s", words[mail->body[file][k]], k % 4 == 3 ? "\n" : " ");
    path = talloc_asprintf (model->f->ctx, "%s/cur/m%d-%d", folders[mail->folder], i, file);
    fixture_write (model->f, path, text->str);
    talloc_free (path);
    g_string_free (text, TRUE);
}

static void
invent_body (struct model *model, int *body)
{
    int length = pick (model, BODY_MAX);

    for (int k = 0; k < BODY_MAX; k++)
        body[k] = k < length ? pick (model, WORDS) : -1;
}

static void
invent (struct model *model, int i)
{
    struct mail *mail = &model->mails[i];

    *mail = (struct mail){.there = true,
                          .person = pick (model, PEOPLE),
                          .theme = {pick (model, THEMES), -1},
                          .wordy = pick (model, 8) == 0,
                          .folder = pick (model, FOLDERS),
                          .day = pick (model, 12) - 1,
                          .thread = i};
    mail->body[1][0] = -1;
    invent_body (model, mail->body[0]);
    if (i > 0 && pick (model, 2))
        mail->thread = model->mails[pick (model, i)].thread;
    write_file (model, i, 0);
}

static void
give_tags (struct model *model, int i)
{
    for (int k = 0; k < TAGS; k++) {
        struct mail_tag_change change = {.tag = tags[k], .add = true};
        struct mail_query *query = NULL;
        char text[32];
        if (pick (model, 3) > 0)
            continue;
        snprintf (text, sizeof text, "id:m%d@model", i);
        assert_int_equal (mail_query_parse (model->f->ctx, model->f->index, text, &query, NULL),
                          MAIL_OK);
        assert_int_equal (mail_query_tag (query, &change, 1, NULL), MAIL_OK);
        talloc_free (query);
        model->mails[i].tags |= 1u << k;
    }
}

static void
note_docids (struct model *model)
{
    for (int docid = 0; docid < DOCIDS; docid++)
        model->by_docid[docid] = -1;
    for (int i = 0; i < model->count; i++) {
        struct mail_message *message = NULL;
        char id[32];
        if (!model->mails[i].there)
            continue;
        snprintf (id, sizeof id, "m%d@model", i);
        assert_int_equal (mail_message_find (model->f->ctx, model->f->index, id, &message),
                          MAIL_OK);
        assert_non_null (message);
        assert_in_range (mail_message_docid (message), 1, DOCIDS - 1);
        model->by_docid[mail_message_docid (message)] = i;
        talloc_free (message);
    }
}

/* Messages come in several runs, then further files of some, then some go. */
static void
invent_store (struct model *model)
{
    int wanted = 1 + pick (model, MAILS_MAX);

    while (model->count < wanted) {
        for (int k = 1 + pick (model, 16); k > 0 && model->count < wanted; k--)
            invent (model, model->count++);
        fixture_sync (model->f);
        if (pick (model, 3) == 0) {
            int i = pick (model, model->count);
            invent_body (model, model->mails[i].body[1]);
            model->mails[i].theme[1] = pick (model, THEMES);
            write_file (model, i, 1);
        }
    }
    fixture_sync (model->f);
    for (int i = 0; i < model->count; i++)
        give_tags (model, i);
    for (int i = 0; i < model->count; i++) {
        if (pick (model, 10) > 0)
            continue;
        model->mails[i].there = false;
        for (int file = 0; file < 2; file++)
            fixture_remove (model->f, talloc_asprintf (model->f->ctx, "%s/cur/m%d-%d",
                                                       folders[model->mails[i].folder], i, file));
    }
    fixture_sync (model->f);
    assert_int_equal (mail_index_refresh (model->f->index), MAIL_OK);
    note_docids (model);
}

/* ---- the slow evaluation ------------------------------------------------------------------- */

enum leaf_kind {
    LEAF_ALL,
    LEAF_WORD,  /* stemmed, in any field */
    LEAF_EXACT, /* not: then a tag, too */
    LEAF_BODY,
    LEAF_PHRASE, /* a, b one after the other in the body (no other field has two) */
    LEAF_NEAR,   /* at most number apart */
    LEAF_ADJ,
    LEAF_START, /* the first two letters, of body */
    LEAF_FROM,
    LEAF_SUBJECT,
    LEAF_SUBJECT_REGEX,
    LEAF_TAG,
    LEAF_FOLDER,
    LEAF_DATE, /* from day a to day b */
    LEAF_ID,
    LEAF_KINDS
};

enum tree_op { TREE_LEAF, TREE_AND, TREE_OR, TREE_XOR, TREE_NOT, TREE_THREADS, TREE_OPS };

struct tree {
    enum tree_op op;
    struct tree *left, *right;
    enum leaf_kind leaf;
    int a, b, number;
};

static bool
body_has (const struct mail *mail, int word)
{
    for (int file = 0; file < 2; file++)
        for (int k = 0; k < BODY_MAX && mail->body[file][k] >= 0; k++)
            if (mail->body[file][k] == word)
                return true;
    return false;
}

/* From the one to the other it is between low and high words. */
static bool
body_has_pair (const struct mail *mail, int a, int b, int low, int high)
{
    for (int file = 0; file < 2; file++)
        for (int i = 0; i < BODY_MAX && mail->body[file][i] >= 0; i++)
            for (int k = 0; k < BODY_MAX && mail->body[file][k] >= 0; k++)
                if (mail->body[file][i] == a && mail->body[file][k] == b && k - i >= low &&
                    k - i <= high && i != k)
                    return true;
    return false;
}

static bool
has_word (const struct mail *mail, int word)
{
    return body_has (mail, word) || strcmp (words[word], people[mail->person]) == 0;
}

static bool
has_start (const struct mail *mail, int word)
{
    for (int k = 0; k < WORDS; k++)
        if (strncmp (words[k], words[word], 2) == 0 && body_has (mail, k))
            return true;
    return false;
}

static bool
has_tag (const struct mail *mail, const char *name)
{
    for (int k = 0; k < TAGS; k++)
        if (strcmp (tags[k], name) == 0)
            return (mail->tags & 1u << k) != 0;
    return false;
}

static bool
leaf_matches (const struct model *model, const struct tree *leaf, int i)
{
    const struct mail *mail = &model->mails[i];

    switch (leaf->leaf) {
    case LEAF_WORD:
        return has_word (mail, leaf->a);
    case LEAF_EXACT:
        return has_word (mail, leaf->a) || has_tag (mail, words[leaf->a]);
    case LEAF_BODY:
        return body_has (mail, leaf->a);
    case LEAF_PHRASE:
        return body_has_pair (mail, leaf->a, leaf->b, 1, 1);
    case LEAF_NEAR:
        return body_has_pair (mail, leaf->a, leaf->b, -leaf->number, leaf->number);
    case LEAF_ADJ:
        return body_has_pair (mail, leaf->a, leaf->b, 1, leaf->number);
    case LEAF_START:
        return has_start (mail, leaf->a);
    case LEAF_FROM:
        return mail->person == leaf->a % PEOPLE;
    case LEAF_SUBJECT:
    case LEAF_SUBJECT_REGEX:
        return mail->theme[0] == leaf->a % THEMES || mail->theme[1] == leaf->a % THEMES;
    case LEAF_TAG:
        return (mail->tags & 1u << leaf->a % TAGS) != 0;
    case LEAF_FOLDER:
        return mail->folder == leaf->a % FOLDERS;
    case LEAF_DATE:
        return mail->day >= leaf->a && mail->day <= leaf->b;
    case LEAF_ID:
        return i == leaf->number;
    default:
        return true;
    }
}

static void
evaluate_slowly (const struct model *model, const struct tree *tree, bool *set)
{
    bool left[MAILS_MAX] = {false}, right[MAILS_MAX] = {false};

    if (tree->left)
        evaluate_slowly (model, tree->left, left);
    if (tree->right)
        evaluate_slowly (model, tree->right, right);
    for (int i = 0; i < model->count; i++) {
        if (tree->op == TREE_LEAF)
            set[i] = leaf_matches (model, tree, i);
        else if (tree->op == TREE_AND)
            set[i] = left[i] && right[i];
        else if (tree->op == TREE_OR)
            set[i] = left[i] || right[i];
        else if (tree->op == TREE_XOR)
            set[i] = left[i] != right[i];
        else if (tree->op == TREE_NOT)
            set[i] = !left[i];
        for (int k = 0; tree->op == TREE_THREADS && k < model->count; k++)
            set[i] |= left[k] && model->mails[k].thread == model->mails[i].thread;
        set[i] &= model->mails[i].there;
    }
}

/* ---- trees --------------------------------------------------------------------------------- */

static struct tree *
invent_tree (void *ctx, struct model *model, int depth)
{
    struct tree *tree = talloc_zero (ctx, struct tree);

    tree->op = depth > 0 && pick (model, 5) > 0 ? 1 + pick (model, TREE_OPS - 1) : TREE_LEAF;
    if (tree->op == TREE_THREADS && pick (model, 2))
        tree->op = TREE_AND;
    if (tree->op != TREE_LEAF)
        tree->left = invent_tree (tree, model, depth - 1);
    if (tree->op == TREE_AND || tree->op == TREE_OR || tree->op == TREE_XOR)
        tree->right = invent_tree (tree, model, depth - 1);
    tree->leaf = pick (model, LEAF_KINDS);
    tree->a = pick (model, WORDS);
    do
        tree->b = pick (model, WORDS);
    while (tree->b == tree->a);
    if (tree->leaf == LEAF_DATE && tree->a > tree->b) {
        int later = tree->a; /* a range that ends before it begins is an error */
        tree->a = tree->b;
        tree->b = later;
    }
    tree->number = 1 + pick (model, 4);
    if (tree->leaf == LEAF_ID)
        tree->number = pick (model, model->count + 1);
    return tree;
}

static char *
date_text (void *ctx, int day)
{
    return talloc_asprintf (ctx, "@%lld", START + (long long) day * DAY);
}

static char *
infix_leaf (void *ctx, const struct tree *leaf)
{
    const char *a = words[leaf->a], *b = words[leaf->b];

    switch (leaf->leaf) {
    case LEAF_WORD:
        return talloc_strdup (ctx, leaf->number % 2 ? a : plurals[leaf->a]);
    case LEAF_EXACT:
        return talloc_asprintf (ctx, "\"%s\"", a);
    case LEAF_BODY:
        return talloc_asprintf (ctx, "body:%s", plurals[leaf->a]);
    case LEAF_PHRASE:
        return talloc_asprintf (ctx, leaf->number % 2 ? "\"%s %s\"" : "%s-%s", a, b);
    case LEAF_NEAR:
        return talloc_asprintf (ctx, "%s near/%d %s", a, leaf->number, b);
    case LEAF_ADJ:
        return talloc_asprintf (ctx, "%s adj/%d %s", a, leaf->number, b);
    case LEAF_START:
        return talloc_asprintf (ctx, "body:%.2s*", a);
    case LEAF_FROM:
        return talloc_asprintf (ctx, "from:%s", people[leaf->a % PEOPLE]);
    case LEAF_SUBJECT:
        return talloc_asprintf (ctx, "subject:%s", themes[leaf->a % THEMES]);
    case LEAF_SUBJECT_REGEX:
        return talloc_asprintf (ctx, "subject:/^%.3s/", themes[leaf->a % THEMES]);
    case LEAF_TAG:
        return talloc_asprintf (ctx, "tag:\"%s\"", tags[leaf->a % TAGS]);
    case LEAF_FOLDER:
        return talloc_asprintf (ctx, "folder:%s", folders[leaf->a % FOLDERS]);
    case LEAF_DATE:
        return talloc_asprintf (ctx, "date:%s..%s", date_text (ctx, leaf->a),
                                date_text (ctx, leaf->b));
    case LEAF_ID:
        return talloc_asprintf (ctx, "id:m%d@model", leaf->number);
    default:
        return talloc_strdup (ctx, "*");
    }
}

static char *
quoted (void *ctx, const char *text)
{
    char **pieces = g_strsplit (text, "\"", -1), *joined = g_strjoinv ("\"\"", pieces);
    char *copy = talloc_asprintf (ctx, "\"{%s}\"", joined);

    g_strfreev (pieces);
    g_free (joined);
    return copy;
}

static char *
infix (void *ctx, const struct tree *tree)
{
    static const char *const forms[] = {
        [TREE_AND] = "(%s) and (%s)", [TREE_OR] = "(%s) or (%s)", [TREE_XOR] = "(%s) xor (%s)"};
    char *left = tree->left ? infix (ctx, tree->left) : NULL;

    if (tree->op == TREE_LEAF)
        return infix_leaf (ctx, tree);
    if (tree->op == TREE_NOT)
        return talloc_asprintf (ctx, tree->number % 2 ? "not (%s)" : "-(%s)", left);
    if (tree->op == TREE_THREADS)
        return talloc_asprintf (ctx, "thread:%s", quoted (ctx, left));
    if (tree->op == TREE_AND && tree->number == 1)
        return talloc_asprintf (ctx, "(%s) (%s)", left, infix (ctx, tree->right));
    if (tree->op == TREE_AND && tree->right->op == TREE_NOT)
        return talloc_asprintf (ctx, "(%s) not (%s)", left, infix (ctx, tree->right->left));
    return talloc_asprintf (ctx, forms[tree->op], left, infix (ctx, tree->right));
}

static char *
sexp_leaf (void *ctx, const struct tree *leaf)
{
    const char *a = words[leaf->a], *b = words[leaf->b];

    switch (leaf->leaf) {
    case LEAF_WORD:
        return talloc_strdup (ctx, plurals[leaf->a]);
    case LEAF_EXACT:
        return talloc_asprintf (ctx, "\"%s\"", a);
    case LEAF_BODY:
        return talloc_asprintf (ctx, "(body %s)", plurals[leaf->a]);
    case LEAF_PHRASE:
        return talloc_asprintf (ctx, leaf->number % 2 ? "\"%s %s\"" : "%s-%s", a, b);
    case LEAF_START:
        return talloc_asprintf (ctx, "(body (starts-with %.2s))", a);
    case LEAF_FROM:
        return talloc_asprintf (ctx, "(from %s)", people[leaf->a % PEOPLE]);
    case LEAF_SUBJECT:
        return talloc_asprintf (ctx, "(subject %s)", themes[leaf->a % THEMES]);
    case LEAF_SUBJECT_REGEX:
        return talloc_asprintf (ctx, "(subject (rx ^%.3s))", themes[leaf->a % THEMES]);
    case LEAF_TAG:
        return talloc_asprintf (ctx, "(tag \"%s\")", tags[leaf->a % TAGS]);
    case LEAF_FOLDER:
        return talloc_asprintf (ctx, "(folder %s)", folders[leaf->a % FOLDERS]);
    case LEAF_DATE:
        return talloc_asprintf (ctx, "(date %s %s)", date_text (ctx, leaf->a),
                                date_text (ctx, leaf->b));
    case LEAF_ID:
        return talloc_asprintf (ctx, "(id m%d@model)", leaf->number);
    case LEAF_NEAR:
    case LEAF_ADJ:
        return talloc_asprintf (ctx, "(infix \"%s\")", infix_leaf (ctx, leaf));
    default:
        return talloc_strdup (ctx, leaf->number % 2 ? "*" : "()");
    }
}

static char *
sexp (void *ctx, const struct tree *tree)
{
    char *left = tree->left ? sexp (ctx, tree->left) : NULL;
    char *right = tree->right ? sexp (ctx, tree->right) : NULL;

    switch (tree->op) {
    case TREE_AND:
        return talloc_asprintf (ctx, "(and %s %s)", left, right);
    case TREE_OR:
        return talloc_asprintf (ctx, "(or %s %s)", left, right);
    case TREE_XOR:
        return talloc_asprintf (ctx, "(or (and %s (not %s)) (and %s (not %s)))", left, right, right,
                                left);
    case TREE_NOT:
        return talloc_asprintf (ctx, "(not %s)", left);
    case TREE_THREADS:
        return talloc_asprintf (ctx, "(thread (of %s))", left);
    default:
        return sexp_leaf (ctx, tree);
    }
}

/* ---- both ---------------------------------------------------------------------------------- */

static void
check (struct model *model, void *ctx, enum mail_query_syntax syntax, const char *text,
       const bool *wanted)
{
    struct mail_index *index = model->f->index;
    struct mail_query_error error = {0};
    struct mail_query *query = NULL;
    struct mail_results *results = NULL;
    struct mail_count count;
    bool found[MAILS_MAX] = {false};

    if (mail_query_parse_as (ctx, index, syntax, NULL, text, &query, &error) != MAIL_OK)
        fail_msg ("%s: %s", text, error.message);
    assert_int_equal (mail_query_count (query, false, false, &count), MAIL_OK);
    assert_int_equal (mail_query_run (ctx, query, MAIL_SORT_UNSORTED, &results), MAIL_OK);
    assert_int_equal (count.messages, mail_results_count (results));
    for (size_t i = 0; i < mail_results_count (results); i++) {
        uint32_t docid = mail_results_docids (results)[i];
        int number = docid < DOCIDS ? model->by_docid[docid] : -1;
        if (number < 0 || found[number])
            fail_msg ("%s: document %u", text, docid);
        found[number] = true;
    }
    for (int i = 0; i < model->count; i++)
        if (found[i] != wanted[i])
            fail_msg ("%s: message %d is %s\n%s", text, i, found[i] ? "found" : "missing",
                      mail_query_explain (ctx, query));
}

static void
run (unsigned seed, int trees)
{
    struct model model = {.random = g_rand_new_with_seed (seed)};
    void *state;

    assert_int_equal (fixture_setup (&state), 0);
    model.f = state;
    invent_store (&model);
    for (int round = 0; round < trees; round++) {
        void *ctx = talloc_new (NULL);
        struct tree *tree = invent_tree (ctx, &model, 1 + round % DEPTH);
        bool wanted[MAILS_MAX] = {false};
        evaluate_slowly (&model, tree, wanted);
        if (round % 2)
            check (&model, ctx, MAIL_SYNTAX_SEXP, sexp (ctx, tree), wanted);
        else
            check (&model, ctx, MAIL_SYNTAX_INFIX, infix (ctx, tree), wanted);
        talloc_free (ctx);
    }
    g_rand_free (model.random);
    assert_int_equal (fixture_teardown (&state), 0);
}

static void
test_model (void **state)
{
    const char *text = getenv ("MAIL_TEST_LONG");
    bool all = text && strcmp (text, "1") == 0;
    unsigned stores = all ? 250 : 12;

    (void) state;
    setenv ("TZ", "UTC0", 1);
    tzset ();
    for (unsigned seed = 1; seed <= stores; seed++)
        run (seed, all ? 400 : 250);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test (test_model)};
    return cmocka_run_group_tests (tests, NULL, NULL);
}
