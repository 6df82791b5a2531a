/* SPDX-License-Identifier: GPL-3.0-or-later */
/* thread-tree.h - the messages of a thread as trees of replies. */
#ifndef THREAD_TREE_H
#define THREAD_TREE_H

#include <stddef.h>

struct tree_message {
    const char *id;
    const char *parent;            /* NULL for none */
    const char *const *references; /* NULL-terminated */
};

struct tree_node {
    size_t first_child; /* index of a node, TREE_NONE for none */
    size_t next_sibling;
    size_t parent;
};
#define TREE_NONE ((size_t) -1)

/* Nodes in the order of messages (oldest first; talloc'd on ctx). A message hangs below its parent
 * where that is in the thread, else below the deepest of its references that is (of equal ones that
 * with the least id); the oldest message of a cycle is a root. Roots and children are in the order
 * of messages; *first_root_out begins the roots. */
struct tree_node *thread_tree_build (void *ctx, const struct tree_message *messages, size_t count,
                                     size_t *first_root_out);

#endif
