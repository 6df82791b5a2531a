/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-thread-tree.c - trees of replies. */
#include "cli/thread-tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <talloc.h>

#include <cmocka.h>

#define MAX 8

struct message {
    const char *id, *parent, *references; /* references: one letter each */
};

/* "a(b(c)d)e": children in parentheses. */
static void
draw (const struct message *messages, const struct tree_node *nodes, size_t i, char *text)
{
    for (; i != TREE_NONE; i = nodes[i].next_sibling) {
        strcat (text, messages[i].id);
        if (nodes[i].first_child != TREE_NONE) {
            strcat (text, "(");
            draw (messages, nodes, nodes[i].first_child, text);
            strcat (text, ")");
        }
    }
}

static void
fill (void *ctx, const struct message *message, struct tree_message *input)
{
    size_t count = message->references ? strlen (message->references) : 0;
    const char **references = talloc_zero_array (ctx, const char *, count + 1);

    for (size_t i = 0; i < count; i++)
        references[i] = talloc_strndup (ctx, message->references + i, 1);
    *input = (struct tree_message){message->id, message->parent, references};
}

static void
test_shapes (void **state)
{
    static const struct {
        struct message messages[MAX]; /* oldest first */
        const char *right;
    } cases[] = {
        {{{"a", NULL, NULL}}, "a"},
        {{{"a", NULL, NULL}, {"b", "a", NULL}, {"c", "b", NULL}}, "a(b(c))"},
        {{{"a", NULL, NULL}, {"b", "a", NULL}, {"c", "a", NULL}}, "a(bc)"},
        /* a reply older than what it answers */
        {{{"b", "a", NULL}, {"a", NULL, NULL}}, "a(b)"},
        /* the parent is missing: the deepest reference */
        {{{"a", NULL, NULL}, {"b", "a", "a"}, {"d", "c", "abc"}}, "a(b(d))"},
        {{{"a", NULL, NULL}, {"b", "a", "a"}, {"d", "c", "ba"}}, "a(b(d))"},
        /* of equally deep ones the least; what moved itself counts as little as before */
        {{{"b", NULL, NULL}, {"a", NULL, NULL}, {"d", "c", "ba"}}, "ba(d)"},
        {{{"a", NULL, NULL}, {"b", "x", "a"}, {"d", "c", "ab"}}, "a(bd)"},
        /* nothing of the thread named: roots of their own */
        {{{"a", "x", "x"}, {"b", "x", "x"}}, "ab"},
        /* cycles: the oldest is the root */
        {{{"a", "b", NULL}, {"b", "a", NULL}}, "a(b)"},
        {{{"a", "c", NULL}, {"b", "a", NULL}, {"c", "b", NULL}}, "a(b(c))"},
        {{{"a", "b", NULL}, {"b", "c", NULL}, {"c", "b", NULL}}, "b(ac)"},
        {{{"x", "c", NULL}, {"b", "c", NULL}, {"c", "b", NULL}}, "b(c(x))"},
        /* names itself */
        {{{"a", "a", "a"}}, "a"},
        /* references that would close a ring */
        {{{"a", "z", "b"}, {"b", "a", "a"}}, "a(b)"},
        {{{"a", NULL, "b"}, {"b", NULL, "a"}}, "b(a)"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        void *ctx = talloc_new (NULL);
        struct tree_message inputs[MAX];
        struct tree_node *nodes;
        size_t count = 0, root;
        char text[64] = "";

        for (; count < MAX && cases[i].messages[count].id; count++)
            fill (ctx, &cases[i].messages[count], &inputs[count]);
        nodes = thread_tree_build (ctx, inputs, count, &root);
        draw (cases[i].messages, nodes, root, text);
        assert_string_equal (text, cases[i].right);
        talloc_free (ctx);
    }
}

/* A long line of replies is neither deep recursion nor quadratic. */
static void
test_long_line (void **state)
{
    enum { COUNT = 50000 };
    void *ctx = talloc_new (NULL);
    struct tree_message *inputs = talloc_array (ctx, struct tree_message, COUNT);
    struct tree_node *nodes;
    size_t root, at, length = 0;

    (void) state;
    for (size_t i = 0; i < COUNT; i++) {
        inputs[i].id = talloc_asprintf (ctx, "m%zu", i);
        /* Each answers the one before it; the youngest comes first, as when clocks are wrong. */
        inputs[i].parent = talloc_asprintf (ctx, "m%zu", i + 1);
        inputs[i].references = NULL;
    }
    nodes = thread_tree_build (ctx, inputs, COUNT, &root);
    for (at = root; at != TREE_NONE; at = nodes[at].first_child)
        length++;
    assert_int_equal (root, COUNT - 1);
    assert_int_equal (length, COUNT);
    talloc_free (ctx);
}

int
main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_shapes),
        cmocka_unit_test (test_long_line),
    };

    return cmocka_run_group_tests (tests, NULL, NULL);
}
