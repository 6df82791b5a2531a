/* SPDX-License-Identifier: GPL-3.0-or-later */
/* publish-private.h - shared by publish.c, publish-files.c, publish-folders.c, publish-threads.c.
 */
#ifndef PUBLISH_PRIVATE_H
#define PUBLISH_PRIVATE_H

#include "publish.h"

#include <glib.h>

/* A message-id that this transaction is concerned with: a message, a ghost, or neither yet. Nodes
 * of one thread are joined (union-find). */
struct node {
    const char *id;
    uint32_t docid;      /* in state; 0 where there is none */
    bool is_mail;        /* that document is a message, or edit is */
    struct edit *edit;   /* set where the message is being changed */
    uint64_t thread;     /* in state; 0 where there is none */
    struct node *parent; /* union-find; itself at the root */
    uint64_t final;      /* at the root: the thread of all */
};

/* A message that loses its last file. */
struct removal {
    const char *id;
    uint64_t thread;
};

/* In the file that was the old message's, the other Message-ID was found. */
struct heir {
    struct edit *old;
    struct node *node;
};

struct publish {
    struct writer *writer;
    struct mail_folders *folders;
    const struct mail_apply_options *options;
    struct mail_apply_counts counts;
    GPtrArray *edits;     /* in order of first use */
    GHashTable *by_docid; /* docid -> edit */
    GPtrArray *nodes;
    GHashTable *by_id;     /* id -> node */
    GHashTable *by_thread; /* thread in state -> a node that is in it */
    GArray *removals;
    GArray *heirs; /* of struct heir */
};

/* Before the messages are written: tags and properties of those whose last file names another
 * message now go to that one. */
void publish_pass_on (struct publish *publish);
/* The tags of mail_apply_options.new_tags, but for "unread" where a name says that it is not. */
void publish_new_tags (struct publish *publish, struct edit *edit);

/* The message under change; *edit_out is NULL where docid is none. */
enum mail_status publish_edit (struct publish *publish, uint32_t docid, struct edit **edit_out);
void publish_keep_edit (struct publish *publish, struct edit *edit);
/* The message's words are in another text document from now on. */
enum mail_status publish_set_text (struct publish *publish, struct edit *edit, uint32_t text);

/* Forgets the problem of a name: document docid, found under the name, is perhaps one. */
enum mail_status publish_forget_problem (struct publish *publish, uint32_t docid);

/* Leaves a tombstone in place of a message that has no file any more. */
enum mail_status publish_put_tombstone (struct publish *publish, struct edit *edit);
/* If the new message is one that has gone: gives it its tags and properties back and ends the
 * tombstone. *thread_out: the thread it was in, 0 for none. */
enum mail_status publish_take_back (struct publish *publish, struct edit *edit,
                                    uint64_t *thread_out, bool *was_gone_out);

/* The node is in this thread of state too. */
void threads_set (struct publish *publish, struct node *node, uint64_t thread);
/* The node of an id, looked up in state when it is new. */
enum mail_status threads_node (struct publish *publish, const char *id, struct node **node_out);
/* Joins a new message with all that it refers to. */
enum mail_status threads_link (struct publish *publish, struct node *node,
                               const struct record *record);
/* Gives every node its thread: merges in state, new ghosts. Before the messages are written. */
enum mail_status threads_settle (struct publish *publish);
/* Ghosts in place of removed messages, or the end of threads without a message. After the messages
 * are written. */
enum mail_status threads_after_removals (struct publish *publish);

#endif
