/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * show-threads.c - owns the way through threads: which messages, in which order, how deep.
 *
 * Threads come in the order of search; inside a thread messages stand below what they answer. In
 * json and sexp a thread is a list of nodes, a node is a message (or null) and the list of the
 * nodes below it. Nothing recurses: a thread may be ten thousand deep.
 */
#include "output.h"
#include "paging.h"
#include "show.h"
#include "thread-tree.h"

#include <talloc.h>

static void
begin_list (const struct show *show)
{
    if (show->printer)
        printer_begin_list (show->printer);
}

static void
end_lists (const struct show *show, int count)
{
    for (; show->printer && count > 0; count--)
        printer_end (show->printer);
}

static struct tree_node *
build_tree (void *ctx, struct mail_message *const *messages, size_t count, size_t *root_out)
{
    struct tree_message *inputs = talloc_array (ctx, struct tree_message, count);

    for (size_t i = 0; i < count; i++)
        inputs[i] = (struct tree_message){
            .id = mail_message_id (messages[i]),
            .parent = mail_message_parent (messages[i]),
            .references = mail_message_references (messages[i], NULL),
        };
    return thread_tree_build (ctx, inputs, count, root_out);
}

/* The node after i, its children first; ends the lists of those that are done on the way. */
static size_t
next_node (const struct show *show, const struct tree_node *nodes, size_t i)
{
    if (nodes[i].first_child != TREE_NONE)
        return nodes[i].first_child;
    end_lists (show, 2);
    while (nodes[i].next_sibling == TREE_NONE) {
        i = nodes[i].parent;
        if (i == TREE_NONE)
            return TREE_NONE;
        end_lists (show, 2);
    }
    return nodes[i].next_sibling;
}

static void
show_tree (void *ctx, struct show *show, const struct mail_thread *thread)
{
    size_t count, root;
    struct mail_message *const *messages = mail_thread_messages (thread, &count);
    struct tree_node *nodes = build_tree (ctx, messages, count, &root);
    int *below = talloc_array (ctx, int, count); /* depth of what hangs below a node */

    begin_list (show);
    for (size_t i = root; i != TREE_NONE && !output_broken (); i = next_node (show, nodes, i)) {
        bool match = mail_thread_message_matched (thread, i);
        bool shown = match || show->options->entire_thread;
        int depth = nodes[i].parent == TREE_NONE ? 0 : below[nodes[i].parent];

        below[i] = depth + (shown ? 1 : 0);
        begin_list (show);
        if (shown)
            show_message (show, messages[i], depth, match);
        else if (show->printer)
            printer_null (show->printer);
        begin_list (show);
    }
    end_lists (show, 1);
}

static enum mail_status
show_by_thread (void *ctx, struct show *show)
{
    struct mail_threads *threads;
    struct mail_thread *thread;
    enum mail_status status = paging_open_threads (ctx, show->results, show->options->offset,
                                                   show->options->limit, &threads);

    while (status == MAIL_OK && !output_broken ()) {
        void *local;

        status = mail_threads_next (threads, &thread);
        if (status != MAIL_OK || !thread)
            break;
        local = talloc_new (NULL);
        show_tree (local, show, thread);
        talloc_free (local);
    }
    return status;
}

static enum mail_status
show_unthreaded (void *ctx, struct show *show)
{
    size_t first = paging_first (show->options->offset, mail_results_count (show->results));
    struct mail_messages *messages;
    struct mail_message *message;
    enum mail_status status = mail_messages_open (ctx, show->results, first,
                                                  paging_limit (show->options->limit), &messages);

    while (status == MAIL_OK && !output_broken ()) {
        status = mail_messages_next (messages, &message);
        if (status != MAIL_OK || !message)
            break;
        begin_list (show);
        begin_list (show);
        show_message (show, message, 0, true);
        end_lists (show, 2);
    }
    return status;
}

enum mail_status
show_threads (void *ctx, struct show *show)
{
    enum mail_status status;

    begin_list (show);
    status = show->options->unthreaded ? show_unthreaded (ctx, show) : show_by_thread (ctx, show);
    end_lists (show, 1);
    return status;
}
