/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ahead.c - threads that fetch what the walk is going to ask for.
 *
 * With nothing in the cache a stat is a wait for the disk or a server, one after the other, and the
 * disk could do several at once. So threads stat the folders ahead of the walk, by paths, and throw
 * the answers away: what they have read the walk finds in the kernel's cache, and all that is
 * decided is decided there, in order, by one thread.
 *
 * It is twice the number of calls, so it must be worth it: the threads are started only when the
 * stats of this process have made the disk read (ru_inblock, which other programs and a tracer do
 * not disturb), or take long on a file system of another machine, where nothing counts reads; and
 * where there is still enough to do. They are gone before anything is forked.
 */
#include "ahead.h"

#include <glib.h>
#include <linux/magic.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <talloc.h>
#include <time.h>

#define THREADS 8
#define LOOK_EVERY 64         /* stats */
#define COLD_BLOCKS 32        /* of 512 bytes, read for so many stats */
#define COLD_US 6400          /* for so many stats of another machine's files */
#define FOLDERS_LEFT_MIN 1000 /* below that it is done before the threads have helped */

struct ahead {
    const struct mail_folders *folders;
    int root_fd;
    bool remote;
    size_t noted;     /* stats of the walk */
    uint64_t blocks;  /* read when it was last looked at ... */
    uint64_t time_us; /* ... and when that was */
    char **paths;     /* of all known folders, in the order of the walk */
    size_t count;
    atomic_size_t next; /* path that no thread has had */
    atomic_bool stop;
    GThread *threads[THREADS];
    unsigned thread_count;
};

static uint64_t
blocks_read (void)
{
    struct rusage usage;

    return getrusage (RUSAGE_SELF, &usage) == 0 ? (uint64_t) usage.ru_inblock : 0;
}

static uint64_t
now_us (void)
{
    struct timespec now;

    clock_gettime (CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000000 + (uint64_t) now.tv_nsec / 1000;
}

/* Whether the files are another machine's, or another program's. */
static bool
is_remote (int fd)
{
    static const uint32_t kinds[] = {NFS_SUPER_MAGIC,  SMB_SUPER_MAGIC,  CIFS_SUPER_MAGIC,
                                     SMB2_SUPER_MAGIC, FUSE_SUPER_MAGIC, V9FS_MAGIC,
                                     CEPH_SUPER_MAGIC, AFS_FS_MAGIC,     CODA_SUPER_MAGIC};
    struct statfs fs;

    if (fstatfs (fd, &fs) < 0)
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS (kinds); i++)
        if ((uint32_t) fs.f_type == kinds[i])
            return true;
    return false;
}

unsigned
ahead_stop (struct ahead *ahead)
{
    unsigned count = ahead->thread_count;

    atomic_store (&ahead->stop, true);
    while (ahead->thread_count)
        g_thread_join (ahead->threads[--ahead->thread_count]);
    return count;
}

static int
ahead_destroy (struct ahead *ahead)
{
    ahead_stop (ahead);
    return 0;
}

struct ahead *
ahead_create (void *ctx, const struct mail_folders *folders, int root_fd)
{
    struct ahead *ahead = talloc_zero (ctx, struct ahead);

    ahead->folders = folders;
    ahead->root_fd = root_fd;
    ahead->remote = is_remote (root_fd);
    ahead->blocks = blocks_read ();
    ahead->time_us = now_us ();
    talloc_set_destructor (ahead, ahead_destroy);
    return ahead;
}

/* The paths of what lies in a folder, each before what lies in it. */
static void
collect (struct ahead *ahead, uint32_t parent, const char *path, size_t room)
{
    const struct mail_folder *const *children;
    size_t count;

    children = mail_folders_children (ahead->folders, parent, &count);
    for (size_t i = 0; i < count && ahead->count < room; i++) {
        char *below = *path ? talloc_asprintf (ahead->paths, "%s/%s", path, children[i]->name)
                            : talloc_strdup (ahead->paths, children[i]->name);
        ahead->paths[ahead->count++] = below;
        collect (ahead, children[i]->id, below, room);
    }
}

static gpointer
run (gpointer data)
{
    struct ahead *ahead = data;
    struct stat st;

    while (!atomic_load (&ahead->stop)) {
        size_t at = atomic_fetch_add (&ahead->next, 1);
        if (at >= ahead->count)
            break;
        fstatat (ahead->root_fd, ahead->paths[at], &st, 0); /* for the cache */
    }
    return NULL;
}

static void
start (struct ahead *ahead, size_t folder_count)
{
    const struct mail_folder *root = mail_folders_child (ahead->folders, 0, "");

    ahead->paths = talloc_array (ahead, char *, folder_count);
    if (root)
        collect (ahead, root->id, "", folder_count);
    atomic_store (&ahead->next, MIN (ahead->noted, ahead->count));
    while (ahead->thread_count < THREADS) {
        GThread *thread = g_thread_try_new ("ahead", run, ahead, NULL);
        if (!thread)
            break;
        ahead->threads[ahead->thread_count++] = thread;
    }
}

void
ahead_note (struct ahead *ahead)
{
    size_t folder_count;
    uint64_t blocks, time_us;

    if (++ahead->noted % LOOK_EVERY || ahead->paths)
        return;
    mail_folders_list (ahead->folders, &folder_count);
    blocks = blocks_read ();
    time_us = now_us ();
    if ((blocks - ahead->blocks >= COLD_BLOCKS ||
         (ahead->remote && time_us - ahead->time_us >= COLD_US)) &&
        folder_count >= ahead->noted + FOLDERS_LEFT_MIN)
        start (ahead, folder_count);
    ahead->blocks = blocks;
    ahead->time_us = time_us;
}
