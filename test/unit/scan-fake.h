/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan-fake.h - the scan, compiled against an index in memory.
 *
 * The functions of the library that the scan uses are replaced by fake ones of the same contract,
 * which note what they are told; fake_apply() then does it, so that one scan can follow another.
 * What the file system does in the middle of a scan is played by hooks.
 */
#ifndef SCAN_FAKE_H
#define SCAN_FAKE_H

#define mail_folders_list fake_folders_list
#define mail_folders_by_id fake_folders_by_id
#define mail_folders_child fake_folders_child
#define mail_folders_children fake_folders_children
#define mail_folder_files fake_folder_files
#define mail_folder_file_stat fake_folder_file_stat
#define mail_problems_load fake_problems_load
#define mail_changes_problem fake_changes_problem
#define mail_changes_create fake_changes_create
#define mail_changes_folders fake_changes_folders
#define mail_changes_folder fake_changes_folder
#define mail_changes_move_folder fake_changes_move_folder
#define mail_changes_drop_folder fake_changes_drop_folder
#define mail_changes_add fake_changes_add
#define mail_changes_move fake_changes_move
#define mail_changes_drop fake_changes_drop
#define mail_index_mail_root fake_index_mail_root
#define mail_index_folder fake_index_folder
#define mail_index_error fake_index_error

#include <dirent.h>
#include <sys/types.h>

static ssize_t fake_getdents (int fd, void *buffer, size_t length);
#define getdents64 fake_getdents
#include "cli/scan/listing.c"
#undef getdents64

/* A disk from which so many blocks are read between two looks at getrusage(). */
static long fake_blocks;

#include <sys/resource.h>

static int
fake_getrusage (int who, struct rusage *usage)
{
    static long sum;

    (void) who;
    *usage = (struct rusage){.ru_inblock = sum += fake_blocks};
    return 0;
}

#define getrusage fake_getrusage
#include "cli/scan/ahead.c"
#undef getrusage

#include "cli/scan/again.c"
#include "cli/scan/diff.c"
#include "cli/scan/fresh.c"
#include "cli/scan/ignore.c"
#include "cli/scan/look.c"
#include "cli/scan/moves.c"
#include "cli/scan/problems.c"
#include "cli/scan/recheck.c"
#include "cli/scan/scan.c"
#include "cli/scan/tell.c"
#include "cli/scan/times.c"
#include "cli/scan/visited.c"
#include "cli/scan/walk.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

/* ---- the index ----------------------------------------------------------------------------- */

struct fake_folder {
    struct mail_folder folder; /* id = position + 1 */
    bool gone;
};

struct fake_file {
    uint32_t folder;
    char *name;
    struct mail_stat stat;
    bool gone;
};

struct fake_problem {
    struct mail_problem problem;
    bool gone;
};

struct fake_op {
    enum { OP_FOLDER, OP_MOVE_FOLDER, OP_DROP_FOLDER, OP_ADD, OP_MOVE, OP_DROP, OP_PROBLEM } kind;
    uint32_t id; /* the folder meant, or moved or dropped from */
    char *from;  /* name */
    char *folder;
    char *name;
    struct mail_stat stat;
    enum mail_reason reason;
};

struct mail_index {
    char *root, *index_folder;
    struct fake_folder *folders;
    size_t folder_count;
    GHashTable *by_path; /* id of a folder, as far as it has been asked for */
    struct fake_file *files;
    size_t file_count;
    struct fake_problem *problems;
    size_t problem_count;
    uint64_t stats_read; /* calls of mail_folder_file_stat */
    enum mail_status fail_files;

    /* Called once, when the files of this folder (a relative path) are asked for: after its
     * listing. */
    const char *hook_folder;
    void (*hook) (struct mail_index *index);
};

struct mail_folders {
    struct mail_index *index;
    struct mail_folder *list;
    size_t count;
};

struct mail_changes {
    struct mail_index *index;
    struct mail_folders *known;
    struct fake_op *ops;
    size_t count;
};

static int
fake_index_destroy (struct mail_index *index)
{
    g_hash_table_destroy (index->by_path);
    return 0;
}

static struct mail_index *
fake_index_create (void *ctx, const char *root)
{
    struct mail_index *index = talloc_zero (ctx, struct mail_index);

    index->root = talloc_strdup (index, root);
    index->by_path = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    talloc_set_destructor (index, fake_index_destroy);
    index->index_folder = talloc_asprintf (index, "%s/.mailindex", root);
    return index;
}

const char *
mail_index_mail_root (const struct mail_index *index)
{
    return index->root;
}

const char *
mail_index_folder (const struct mail_index *index)
{
    return index->index_folder;
}

const char *
mail_index_error (const struct mail_index *index)
{
    (void) index;
    return "the fake index fails";
}

static struct mail_folder *
fake_folder (struct mail_index *index, uint32_t id)
{
    return &index->folders[id - 1].folder;
}

static char *
fake_path (void *ctx, struct mail_index *index, uint32_t id)
{
    struct mail_folder *folder = fake_folder (index, id);
    char *above;

    if (!folder->parent)
        return talloc_strdup (ctx, "");
    above = fake_path (ctx, index, folder->parent);
    return *above ? talloc_asprintf (ctx, "%s/%s", above, folder->name)
                  : talloc_strdup (ctx, folder->name);
}

/* ---- reading it ---------------------------------------------------------------------------- */

static struct mail_folders *
fake_folders_load (void *ctx, struct mail_index *index)
{
    struct mail_folders *folders = talloc_zero (ctx, struct mail_folders);

    folders->index = index;
    folders->list = talloc_array (folders, struct mail_folder, index->folder_count);
    for (size_t i = 0; i < index->folder_count; i++)
        if (!index->folders[i].gone)
            folders->list[folders->count++] = index->folders[i].folder;
    return folders;
}

const struct mail_folder *
mail_folders_list (const struct mail_folders *folders, size_t *count_out)
{
    *count_out = folders->count;
    return folders->list;
}

static int
fake_by_folder_name (const void *a, const void *b)
{
    return strcmp ((*(struct mail_folder *const *) a)->name,
                   (*(struct mail_folder *const *) b)->name);
}

const struct mail_folder *const *
mail_folders_children (const struct mail_folders *folders, uint32_t parent, size_t *count_out)
{
    const struct mail_folder **children =
        talloc_array (folders, const struct mail_folder *, folders->count);
    size_t count = 0;

    for (size_t i = 0; i < folders->count; i++)
        if (folders->list[i].parent == parent)
            children[count++] = &folders->list[i];
    qsort (children, count, sizeof *children, fake_by_folder_name);
    *count_out = count;
    return children;
}

const struct mail_folder *
mail_folders_child (const struct mail_folders *folders, uint32_t parent, const char *name)
{
    for (size_t i = 0; i < folders->count; i++)
        if (folders->list[i].parent == parent && strcmp (folders->list[i].name, name) == 0)
            return &folders->list[i];
    return NULL;
}

const struct mail_folder *
mail_folders_by_id (const struct mail_folders *folders, uint32_t id)
{
    for (size_t i = 0; i < folders->count; i++)
        if (folders->list[i].id == id)
            return &folders->list[i];
    return NULL;
}

static struct fake_problem *
fake_problem (struct mail_index *index, uint32_t folder, const char *name)
{
    for (size_t i = 0; i < index->problem_count; i++)
        if (!index->problems[i].gone && index->problems[i].problem.folder == folder &&
            strcmp (index->problems[i].problem.name, name) == 0)
            return &index->problems[i];
    return NULL;
}

static int
fake_by_place (const void *a, const void *b)
{
    const struct mail_problem *left = a, *right = b;

    if (left->folder != right->folder)
        return left->folder < right->folder ? -1 : 1;
    return strcmp (left->name, right->name);
}

enum mail_status
mail_problems_load (void *ctx, struct mail_index *index, struct mail_problem **problems_out,
                    size_t *count_out)
{
    *problems_out = talloc_array (ctx, struct mail_problem, index->problem_count);
    *count_out = 0;
    for (size_t i = 0; i < index->problem_count; i++)
        if (!index->problems[i].gone)
            (*problems_out)[(*count_out)++] = index->problems[i].problem;
    if (*count_out)
        qsort (*problems_out, *count_out, sizeof **problems_out, fake_by_place);
    return MAIL_OK;
}

static struct fake_file *
fake_file (struct mail_index *index, uint32_t folder, const char *name)
{
    for (size_t i = 0; i < index->file_count; i++)
        if (!index->files[i].gone && index->files[i].folder == folder &&
            strcmp (index->files[i].name, name) == 0)
            return &index->files[i];
    return NULL;
}

static int
fake_by_name (const void *a, const void *b)
{
    return strcmp (*(char *const *) a, *(char *const *) b);
}

enum mail_status
mail_folder_files (void *ctx, struct mail_index *index, uint32_t folder, char ***names_out,
                   size_t *count_out)
{
    size_t count = 0;

    if (index->fail_files != MAIL_OK)
        return index->fail_files;
    if (index->hook && strcmp (index->hook_folder, fake_path (ctx, index, folder)) == 0) {
        void (*hook) (struct mail_index *) = index->hook;

        index->hook = NULL;
        hook (index);
    }
    *names_out = talloc_array (ctx, char *, index->file_count + index->problem_count);
    for (size_t i = 0; i < index->file_count; i++)
        if (!index->files[i].gone && index->files[i].folder == folder)
            (*names_out)[count++] = index->files[i].name;
    for (size_t i = 0; i < index->problem_count; i++) {
        const struct mail_problem *problem = &index->problems[i].problem;

        if (!index->problems[i].gone && problem->folder == folder &&
            !fake_file (index, folder, problem->name))
            (*names_out)[count++] = (char *) problem->name;
    }
    qsort (*names_out, count, sizeof (char *), fake_by_name);
    *count_out = count;
    return MAIL_OK;
}

enum mail_status
mail_folder_file_stat (struct mail_index *index, uint32_t folder, const char *name,
                       struct mail_stat *stat_out, bool *found_out)
{
    struct fake_file *file = fake_file (index, folder, name);
    const struct fake_problem *problem = fake_problem (index, folder, name);

    index->stats_read++;
    *found_out = file || problem;
    if (*found_out) {
        *stat_out = file ? file->stat : problem->problem.stat;
        stat_out->device = 0; /* records do not keep these */
        stat_out->ctime = 0;
    }
    return MAIL_OK;
}

/* ---- the list of changes ------------------------------------------------------------------- */

struct mail_changes *
mail_changes_create (void *ctx, struct mail_index *index)
{
    struct mail_changes *changes = talloc_zero (ctx, struct mail_changes);

    changes->index = index;
    changes->known = fake_folders_load (changes, index);
    return changes;
}

enum mail_status
mail_changes_folders (const struct mail_changes *changes, const struct mail_folders **folders_out)
{
    *folders_out = changes->known;
    return MAIL_OK;
}

static void
fake_note (struct mail_changes *changes, int kind, uint32_t id, const char *from,
           const char *folder, const char *name, const struct mail_stat *stat)
{
    struct fake_op *op;

    changes->ops = talloc_realloc (changes, changes->ops, struct fake_op, changes->count + 1);
    op = &changes->ops[changes->count++];
    *op = (struct fake_op){.kind = kind,
                           .id = id,
                           .from = from ? talloc_strdup (changes, from) : NULL,
                           .folder = folder ? talloc_strdup (changes, folder) : NULL,
                           .name = name ? talloc_strdup (changes, name) : NULL};
    if (stat)
        op->stat = *stat;
}

void
mail_changes_folder (struct mail_changes *changes, const char *folder, const struct mail_stat *stat)
{
    fake_note (changes, OP_FOLDER, 0, NULL, folder, NULL, stat);
}

void
mail_changes_move_folder (struct mail_changes *changes, uint32_t id, const char *to)
{
    fake_note (changes, OP_MOVE_FOLDER, id, NULL, to, NULL, NULL);
}

void
mail_changes_drop_folder (struct mail_changes *changes, uint32_t id)
{
    fake_note (changes, OP_DROP_FOLDER, id, NULL, NULL, NULL, NULL);
}

void
mail_changes_add (struct mail_changes *changes, const char *folder, const char *name,
                  const struct mail_stat *stat)
{
    fake_note (changes, OP_ADD, 0, NULL, folder, name, stat);
}

void
mail_changes_move (struct mail_changes *changes, uint32_t from_folder, const char *from_name,
                   const char *folder, const char *name, const struct mail_stat *stat)
{
    fake_note (changes, OP_MOVE, from_folder, from_name, folder, name, stat);
}

void
mail_changes_drop (struct mail_changes *changes, uint32_t folder, const char *name)
{
    fake_note (changes, OP_DROP, folder, name, NULL, NULL, NULL);
}

void
mail_changes_problem (struct mail_changes *changes, const char *folder, const char *name,
                      enum mail_reason reason, const struct mail_stat *stat)
{
    fake_note (changes, OP_PROBLEM, 0, NULL, folder, name, stat);
    changes->ops[changes->count - 1].reason = reason;
}

/* One line an operation, as the tests expect them: paths are those before the changes. */
static char *
fake_op_text (void *ctx, struct mail_index *index, const struct fake_op *op)
{
    char *from = op->id ? fake_path (ctx, index, op->id) : NULL;
    const char *slash = from && *from ? "/" : "", *below = op->folder && *op->folder ? "/" : "";

    switch (op->kind) {
    case OP_FOLDER:
        return talloc_asprintf (ctx, "%s %s", op->stat.mtime ? "folder" : "untrusted", op->folder);
    case OP_MOVE_FOLDER:
        return talloc_asprintf (ctx, "move-folder %s -> %s", from, op->folder);
    case OP_DROP_FOLDER:
        return talloc_asprintf (ctx, "drop-folder %s", from);
    case OP_ADD:
        return talloc_asprintf (ctx, "add %s%s%s", op->folder, below, op->name);
    case OP_PROBLEM:
        return talloc_asprintf (ctx, "remember %s%s%s", op->folder, below, op->name);
    case OP_MOVE:
        return talloc_asprintf (ctx, "move %s%s%s -> %s%s%s", from, slash, op->from, op->folder,
                                below, op->name);
    default:
        return talloc_asprintf (ctx, "drop %s%s%s", from, slash, op->from);
    }
}

/* ---- doing it ------------------------------------------------------------------------------ */

static uint32_t
fake_child_folder (struct mail_index *index, uint32_t parent, const char *name)
{
    struct fake_folder *made;

    for (size_t i = 0; i < index->folder_count; i++)
        if (!index->folders[i].gone && index->folders[i].folder.parent == parent &&
            strcmp (index->folders[i].folder.name, name) == 0)
            return index->folders[i].folder.id;
    index->folders =
        talloc_realloc (index, index->folders, struct fake_folder, index->folder_count + 1);
    made = &index->folders[index->folder_count++];
    *made = (struct fake_folder){.folder = {.id = (uint32_t) index->folder_count,
                                            .parent = parent,
                                            .name = talloc_strdup (index, name)}};
    return made->folder.id;
}

static uint32_t
fake_make_folder (struct mail_index *index, const char *path)
{
    uint32_t id = GPOINTER_TO_UINT (g_hash_table_lookup (index->by_path, path));
    const char *slash = strrchr (path, '/');

    if (id)
        return id;
    if (!*path) {
        id = fake_child_folder (index, 0, "");
    } else {
        char *above = talloc_strndup (index, path, slash ? (size_t) (slash - path) : 0);

        id = fake_child_folder (index, fake_make_folder (index, above), slash ? slash + 1 : path);
        talloc_free (above);
    }
    g_hash_table_insert (index->by_path, g_strdup (path), GUINT_TO_POINTER (id));
    return id;
}

static void
fake_put_file (struct mail_index *index, uint32_t folder, const char *name,
               const struct mail_stat *stat)
{
    struct fake_file *file = fake_file (index, folder, name);

    if (!file) {
        index->files =
            talloc_realloc (index, index->files, struct fake_file, index->file_count + 1);
        file = &index->files[index->file_count++];
    }
    *file =
        (struct fake_file){.folder = folder, .name = talloc_strdup (index, name), .stat = *stat};
}

static void
fake_forget_problem (struct mail_index *index, uint32_t folder, const char *name)
{
    struct fake_problem *problem = fake_problem (index, folder, name);

    if (problem)
        problem->gone = true;
}

static void
fake_put_problem (struct mail_index *index, const struct fake_op *op)
{
    struct mail_problem problem = {.reason = op->reason,
                                   .folder = fake_make_folder (index, op->folder),
                                   .name = talloc_strdup (index, op->name),
                                   .stat = op->stat};

    fake_forget_problem (index, problem.folder, problem.name);
    index->problems =
        talloc_realloc (index, index->problems, struct fake_problem, index->problem_count + 1);
    index->problems[index->problem_count++] = (struct fake_problem){.problem = problem};
}

/* What ends in ".bad" is no mail, and what is no longer so is. */
static void
fake_add (struct mail_index *index, struct fake_op *op)
{
    uint32_t folder = fake_make_folder (index, op->folder);

    op->reason = MAIL_REASON_NOT_MAIL;
    if (g_str_has_suffix (op->name, ".bad") && op->stat.size < 100) {
        fake_put_problem (index, op);
        return;
    }
    fake_forget_problem (index, folder, op->name);
    fake_put_file (index, folder, op->name, &op->stat);
}

/* Where two files have one name, the inode says which is meant. */
static void
fake_move_file (struct mail_index *index, const struct fake_op *op, uint32_t folder)
{
    for (size_t i = 0; i < index->file_count; i++) {
        struct fake_file *file = &index->files[i];

        if (file->gone || file->folder != op->id || strcmp (file->name, op->from) != 0 ||
            file->stat.inode != op->stat.inode)
            continue;
        file->folder = folder;
        file->name = talloc_strdup (index, op->name);
        file->stat = op->stat;
        return;
    }
    fail_msg ("no file %s with inode %ju to move", op->from, (uintmax_t) op->stat.inode);
}

/* By then, nothing else may have the name. */
static void
fake_drop_file (struct mail_index *index, uint32_t folder, const char *name)
{
    struct fake_file *file = fake_file (index, folder, name);

    if (!file && !fake_problem (index, folder, name))
        fail_msg ("no file %s to drop", name);
    fake_forget_problem (index, folder, name);
    if (file)
        file->gone = true;
    if (fake_file (index, folder, name))
        fail_msg ("two files %s when one is dropped", name);
}

static void
fake_remove_folder (struct mail_index *index, uint32_t id)
{
    g_hash_table_remove_all (index->by_path);
    index->folders[id - 1].gone = true;
    for (size_t i = 0; i < index->folder_count; i++)
        if (!index->folders[i].gone && index->folders[i].folder.parent == id)
            fake_remove_folder (index, index->folders[i].folder.id);
    for (size_t i = 0; i < index->file_count; i++)
        if (index->files[i].folder == id)
            index->files[i].gone = true;
    for (size_t i = 0; i < index->problem_count; i++)
        if (index->problems[i].problem.folder == id)
            index->problems[i].gone = true;
}

static void
fake_move_folder (struct mail_index *index, uint32_t id, const char *to)
{
    const char *slash = strrchr (to, '/');
    char *above = talloc_strndup (index, to, slash ? (size_t) (slash - to) : 0);
    uint32_t parent = fake_make_folder (index, above);

    g_hash_table_remove_all (index->by_path);
    fake_folder (index, id)->parent = parent;
    fake_folder (index, id)->name = talloc_strdup (index, slash ? slash + 1 : to);
}

static void
fake_do (struct mail_index *index, struct fake_op *op)
{
    switch (op->kind) {
    case OP_FOLDER:
        fake_folder (index, fake_make_folder (index, op->folder))->stat = op->stat;
        break;
    case OP_MOVE_FOLDER:
        fake_move_folder (index, op->id, op->folder);
        break;
    case OP_DROP_FOLDER:
        fake_remove_folder (index, op->id);
        break;
    case OP_ADD:
        fake_add (index, op);
        break;
    case OP_PROBLEM:
        fake_put_problem (index, op);
        break;
    case OP_MOVE:
        fake_move_file (index, op, fake_make_folder (index, op->folder));
        break;
    case OP_DROP:
        fake_drop_file (index, op->id, op->from);
        break;
    }
}

static void
fake_apply (struct mail_changes *changes)
{
    static const int order[] = {OP_MOVE_FOLDER, OP_MOVE,    OP_ADD,   OP_DROP,
                                OP_DROP_FOLDER, OP_PROBLEM, OP_FOLDER};

    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (size_t i = 0; i < changes->count; i++)
            if ((int) changes->ops[i].kind == order[k])
                fake_do (changes->index, &changes->ops[i]);
}

/* ---- the kernel ---------------------------------------------------------------------------- */

static bool fake_untyped;                 /* names come without their type */
static void (*fake_while_listing) (void); /* called once, at the end of the next listing */

static ssize_t
fake_getdents (int fd, void *buffer, size_t length)
{
    ssize_t got = getdents64 (fd, buffer, length);

    for (char *at = buffer; fake_untyped && at < (char *) buffer + got;
         at += ((struct dirent64 *) at)->d_reclen)
        ((struct dirent64 *) at)->d_type = DT_UNKNOWN;
    if (got == 0 && fake_while_listing) {
        void (*hook) (void) = fake_while_listing;

        fake_while_listing = NULL;
        hook ();
    }
    return got;
}

#endif
