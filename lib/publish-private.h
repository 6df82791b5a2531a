/* SPDX-License-Identifier: GPL-3.0-or-later */
/* publish-private.h - shared by the parts of publishing (publish*.c). */
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

/* ---- who has a name (publish-moves.c) ---- */

typedef bool (*publish_holder_fn) (void *closure, struct edit *edit, size_t at);
/* Calls back with each message that has this file, and the file's place in its record. That is one
 * message, but where a name is passed on in this run, and after a run that was stopped. Return
 * false to stop. A remembered problem of the name is forgotten: whoever asks changes what it stood
 * for. */
enum mail_status publish_each_holder (struct publish *publish, uint32_t folder, const char *name,
                                      publish_holder_fn each, void *closure);

/* ---- what mail says of itself (publish-content.c) ---- */

/* Whether tags of this name follow from content. */
bool content_is_tag (const char *tag);
void content_add_tags (struct edit *edit, const struct parsed_file *file);
/* What was found while reading a file: that not all of it is indexed, how decrypting it went. */
void content_note_findings (struct edit *edit, const struct parsed_file *file);
/* All of that is to be found anew; but keys are kept. */
void content_forget_findings (struct edit *edit);
/* The same of all that follows from the content of the files. */
void content_forget (const struct publish *publish, struct edit *edit);
/* What the content of all files says, not only of the new ones: these are as many as came
 * together. What could not be read may have said what the message has. */
void content_renew (const struct publish *publish, struct edit *edit,
                    const struct publish_words *words);
/* Whether the message has a session key from before, without which the file has just been read. */
bool content_is_shut (const struct publish *publish, const struct edit *edit,
                      const struct parsed_file *file);
/* The first tags of a message. known: it has its own already, from before it went, or gets those of
 * another message. */
void content_tag_new (struct publish *publish, struct edit *edit, const struct parsed_file *file,
                      bool known);

/* ---- files of another message (publish-heirs.c) ---- */

/* Before the messages are written: tags and properties of those whose file names another
 * message now go to that one. */
void publish_pass_on (struct publish *publish);

/* ---- messages ---- */

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
