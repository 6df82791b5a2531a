/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * thread-tree.c - who answers whom.
 *
 * Work expected: threads of ten messages, and now and then one of ten thousand, in a line or all
 * answering one. Nothing here is recursive, and nothing costs more than the references there are.
 */
#include "thread-tree.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>
#include <talloc.h>

struct tree {
    const struct tree_message *messages;
    size_t count;
    struct tree_node *nodes;
    GHashTable *by_id; /* id → index + 1 */
    size_t *depth;     /* 0: not known yet; a root has 1 */
};

static size_t
find (const struct tree *tree, const char *id)
{
    return GPOINTER_TO_SIZE (g_hash_table_lookup (tree->by_id, id)) - 1;
}

/* The parents that are named. */
static void
link_named (struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        const char *parent = tree->messages[i].parent;
        size_t found = parent ? find (tree, parent) : TREE_NONE;

        tree->nodes[i] = (struct tree_node){TREE_NONE, TREE_NONE, found == i ? TREE_NONE : found};
    }
}

/* Makes the oldest message of each cycle a root. mark: the walk that came by, from 1; messages come
 * oldest first, so the walk that closes a cycle is not always that of its oldest one. */
static void
cut_cycles (struct tree *tree)
{
    size_t *mark = talloc_zero_array (NULL, size_t, tree->count);

    for (size_t i = 0; i < tree->count; i++) {
        size_t at = i, oldest;

        while (at != TREE_NONE && mark[at] == 0) {
            mark[at] = i + 1;
            at = tree->nodes[at].parent;
        }
        if (at == TREE_NONE || mark[at] != i + 1)
            continue;
        oldest = at;
        for (size_t j = tree->nodes[at].parent; j != at; j = tree->nodes[j].parent)
            oldest = MIN (oldest, j);
        tree->nodes[oldest].parent = TREE_NONE;
    }
    talloc_free (mark);
}

static void
find_depth (struct tree *tree, size_t i)
{
    size_t steps = 0, known, at;

    for (at = i; at != TREE_NONE && tree->depth[at] == 0; at = tree->nodes[at].parent)
        steps++;
    known = at == TREE_NONE ? 0 : tree->depth[at];
    for (at = i; steps > 0; at = tree->nodes[at].parent)
        tree->depth[at] = known + steps--;
}

/* Whether i stands on the way from at to its root. */
static bool
is_above (const struct tree *tree, size_t i, size_t at)
{
    while (at != TREE_NONE && at != i)
        at = tree->nodes[at].parent;
    return at == i;
}

/* Whether a reference is a better place than the best so far: the deeper one, of equal ones the one
 * whose id is less. So notmuch has it, with depths as they were before any root was moved. */
static bool
is_better (const struct tree *tree, size_t i, size_t best)
{
    if (best == TREE_NONE || tree->depth[i] != tree->depth[best])
        return best == TREE_NONE || tree->depth[i] > tree->depth[best];
    return strcmp (tree->messages[i].id, tree->messages[best].id) < 0;
}

/* A root that has references: hangs it below one of them. */
static void
link_by_references (struct tree *tree, size_t i)
{
    size_t best = TREE_NONE;

    for (const char *const *id = tree->messages[i].references; id && *id; id++) {
        size_t found = find (tree, *id);

        if (found != TREE_NONE && found != i && is_better (tree, found, best))
            best = found;
    }
    if (best != TREE_NONE && !is_above (tree, i, best))
        tree->nodes[i].parent = best;
}

/* Lists of roots and children, built from the end so that they are in order. */
static size_t
link_siblings (struct tree *tree)
{
    size_t first_root = TREE_NONE;

    for (size_t i = tree->count; i-- > 0;) {
        size_t parent = tree->nodes[i].parent;
        size_t *first = parent == TREE_NONE ? &first_root : &tree->nodes[parent].first_child;

        tree->nodes[i].next_sibling = *first;
        *first = i;
    }
    return first_root;
}

struct tree_node *
thread_tree_build (void *ctx, const struct tree_message *messages, size_t count,
                   size_t *first_root_out)
{
    struct tree tree = {
        .messages = messages,
        .count = count,
        .nodes = talloc_zero_array (ctx, struct tree_node, count),
        .by_id = g_hash_table_new (g_str_hash, g_str_equal),
    };

    tree.depth = talloc_zero_array (tree.nodes, size_t, count);
    for (size_t i = 0; i < count; i++)
        g_hash_table_insert (tree.by_id, (void *) messages[i].id, GSIZE_TO_POINTER (i + 1));
    link_named (&tree);
    cut_cycles (&tree);
    for (size_t i = 0; i < count; i++)
        find_depth (&tree, i);
    for (size_t i = 0; i < count; i++)
        if (tree.nodes[i].parent == TREE_NONE)
            link_by_references (&tree, i);
    *first_root_out = link_siblings (&tree);
    g_hash_table_unref (tree.by_id);
    talloc_free (tree.depth);
    return tree.nodes;
}
