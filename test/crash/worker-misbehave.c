/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * worker-misbehave.c - loaded before the C library (LD_PRELOAD), makes a worker go wrong in the
 * middle of a message (as it reads the file), as a parser with a hole in it would.
 *
 * A body that begins with "misbehave: NAME" has the worker that parses it do what the tables below
 * say. "misbehave: call NAME" makes a call that the sandbox must refuse and tells on stderr how it
 * was refused; where it is not, the worker ends, and so the message is missing from the index. Only
 * processes called "mail worker" are concerned.
 *
 * WORKER_SECONDS  limit of processor time a message, in place of the program's own
 * WORKER_SECRET, WORKER_STATE   files that must not be read
 * WORKER_FOLDER   a folder in which nothing may be changed; it has a file "victim"
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define MARK "misbehave: "

static _Atomic unsigned *deaths; /* shared by all processes of a run */

__attribute__ ((constructor)) static void
start (void)
{
    void *map =
        mmap (NULL, sizeof *deaths, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    deaths = map == MAP_FAILED ? NULL : map;
}

static const char *
setting (const char *name)
{
    const char *value = getenv (name);
    return value ? value : "";
}

/* ---- ways to end ---- */

static void
do_abort (void)
{
    abort ();
}

static void
do_segfault (void)
{
    raise (SIGSEGV);
}

static void
do_exit (void)
{
    _exit (0);
}

static void
do_loop (void)
{
    for (volatile int i = 0;; i++)
        ;
}

/* As GLib does it: what is refused ends the process. Far over any limit it gives up. */
static void
do_memory (void)
{
    for (int i = 0; i < 4096; i++) {
        char *bytes = malloc (1 << 20);
        if (!bytes)
            abort ();
        memset (bytes, 1, 4096);
    }
}

static int
deeper (volatile int depth)
{
    char room[4096];
    memset (room, depth, sizeof room);
    return depth < 0 ? 0 : room[depth & 4095] + deeper (depth + 1);
}

static void
do_stack (void)
{
    deeper (0);
}

/* As when somebody else ends the worker: the message did nothing wrong, the next try succeeds. */
static void
do_once (void)
{
    if (deaths && atomic_fetch_add (deaths, 1) == 0)
        raise (SIGKILL);
}

/* ---- lies to the process that asked ---- */

static int
own_socket (void)
{
    struct stat st;
    for (int fd = 3; fd < 64; fd++) {
        if (fstat (fd, &st) == 0 && S_ISSOCK (st.st_mode))
            return fd;
    }
    _exit (0);
}

struct header {
    uint32_t type, length;
    uint64_t number;
};

static void
lie (uint32_t type, uint32_t length, uint64_t number)
{
    char bytes[sizeof (struct header) + 64];
    struct header header = {type, length, number};
    memcpy (bytes, &header, sizeof header);
    memset (bytes + sizeof header, 0xff, 64);
    if (send (own_socket (), bytes, sizeof bytes, MSG_NOSIGNAL) < 0)
        _exit (0);
}

/* A message of this kind, whether it is one or not, with a payload of nonsense. */
static void
do_lie (uint32_t type)
{
    lie (type, 64, UINT64_MAX);
}

static void
do_lie_long (void)
{
    lie (7, UINT32_MAX, 1);
}

static void
do_flood (void)
{
    for (;;)
        lie (6, 64, 1);
}

/* ---- calls that must be refused: what they return ---- */

static long
call_socket (void)
{
    return socket (AF_INET, SOCK_DGRAM, 0);
}

static long
call_connect (void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/dev/log"};
    return connect (own_socket (), (struct sockaddr *) &address, sizeof address);
}

static long
call_execve (void)
{
    char *arguments[] = {"true", NULL}, *environment[] = {NULL};
    return execve ("/bin/true", arguments, environment);
}

static long
call_read_secret (void)
{
    return open (setting ("WORKER_SECRET"), O_RDONLY);
}

static long
call_read_passwd (void)
{
    return open ("/etc/passwd", O_RDONLY);
}

static long
call_read_memory (void)
{
    char path[64];
    snprintf (path, sizeof path, "/proc/%d/mem", (int) getppid ());
    return open (path, O_RDONLY);
}

static long
call_read_state (void)
{
    return open (setting ("WORKER_STATE"), O_RDONLY);
}

static long
call_list (void)
{
    return open (setting ("WORKER_FOLDER"), O_RDONLY | O_DIRECTORY);
}

static const char *
inside (const char *name)
{
    static char path[4096];
    snprintf (path, sizeof path, "%s/%s", setting ("WORKER_FOLDER"), name);
    return path;
}

static long
call_create (void)
{
    return open (inside ("made"), O_WRONLY | O_CREAT, 0600);
}

static long
call_overwrite (void)
{
    return open (inside ("victim"), O_WRONLY | O_TRUNC);
}

static long
call_truncate (void)
{
    return truncate (inside ("victim"), 0);
}

static long
call_unlink (void)
{
    return unlink (inside ("victim"));
}

static long
call_rename (void)
{
    char from[4096];
    snprintf (from, sizeof from, "%s", inside ("victim"));
    return rename (from, inside ("moved"));
}

static long
call_mkdir (void)
{
    return mkdir (inside ("folder"), 0700);
}

static long
call_symlink (void)
{
    return symlink ("/etc/passwd", inside ("symlink"));
}

static long
call_link (void)
{
    char from[4096];
    snprintf (from, sizeof from, "%s", inside ("victim"));
    return link (from, inside ("hard"));
}

static long
call_chmod (void)
{
    return chmod (inside ("victim"), 0);
}

/* The message that is being parsed: its descriptor is one of ours. */
static long
call_fchmod (void)
{
    struct stat st;
    for (int fd = 3; fd < 64; fd++) {
        if (fstat (fd, &st) == 0 && S_ISREG (st.st_mode) && st.st_nlink == 1)
            return fchmod (fd, 0);
    }
    errno = EBADF;
    return -1;
}

static long
call_kill (void)
{
    return kill (getppid (), 0);
}

static long
call_kill_all (void)
{
    return kill (-1, 0);
}

static long
call_tgkill (void)
{
    return syscall (SYS_tgkill, getppid (), getppid (), 0);
}

static long
call_sigqueue (void)
{
    union sigval value = {0};
    return sigqueue (getppid (), 0, value);
}

static long
call_pidfd (void)
{
    return syscall (SYS_pidfd_open, getppid (), 0);
}

static long
call_ptrace (void)
{
    return ptrace (PTRACE_ATTACH, getppid (), NULL, NULL);
}

static long
call_vm_read (void)
{
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *) (uintptr_t) &setting, 1};
    return process_vm_readv (getppid (), &here, 1, &there, 1, 0);
}

static long
call_prlimit (void)
{
    struct rlimit limits = {0, 0};
    return prlimit (getppid (), RLIMIT_FSIZE, &limits, NULL);
}

/* Without it sockets could be made behind the filter's back. */
static long
call_uring (void)
{
    char parameters[256] = {0};
    return syscall (SYS_io_uring_setup, 1, parameters);
}

/* x86-64 has the calls of another set of numbers, too. */
static long
call_other_numbers (void)
{
#ifdef __x86_64__
    return syscall (0x40000000 | SYS_socket, AF_INET, SOCK_DGRAM, 0);
#else
    errno = ENOSYS;
    return -1;
#endif
}

static long
call_namespace (void)
{
    return syscall (SYS_unshare, 0x10000000 /* CLONE_NEWUSER */);
}

/* A process more would not be bounded by the limits of this one. */
static long
call_fork (void)
{
    pid_t pid = fork ();
    if (pid == 0)
        _exit (0);
    return pid;
}

/* Ends that come when the message has been read: as what is to be found of it is written (with a
 * part of the block), or with the block's segment. */
static bool in_part, in_segment;

static void
do_part (void)
{
    in_part = true;
}

static void
do_segment (void)
{
    in_segment = true;
}

/* ---- tables ---- */

static const struct {
    const char *name;
    void (*run) (void);
} ends[] = {
    {"abort", do_abort}, {"segfault", do_segfault}, {"exit", do_exit},
    {"loop", do_loop},   {"memory", do_memory},     {"stack", do_stack},
    {"once", do_once},   {"lie long", do_lie_long}, {"lie flood", do_flood},
    {"part", do_part},   {"segment", do_segment},
};

static const struct {
    const char *name;
    long (*run) (void);
} calls[] = {
    {"socket", call_socket},
    {"connect", call_connect},
    {"execve", call_execve},
    {"read-secret", call_read_secret},
    {"read-passwd", call_read_passwd},
    {"read-memory", call_read_memory},
    {"read-state", call_read_state},
    {"list", call_list},
    {"create", call_create},
    {"overwrite", call_overwrite},
    {"truncate", call_truncate},
    {"unlink", call_unlink},
    {"rename", call_rename},
    {"mkdir", call_mkdir},
    {"symlink", call_symlink},
    {"link", call_link},
    {"chmod", call_chmod},
    {"fchmod", call_fchmod},
    {"kill", call_kill},
    {"kill-all", call_kill_all},
    {"tgkill", call_tgkill},
    {"sigqueue", call_sigqueue},
    {"pidfd", call_pidfd},
    {"ptrace", call_ptrace},
    {"vm-read", call_vm_read},
    {"prlimit", call_prlimit},
    {"uring", call_uring},
    {"other-numbers", call_other_numbers},
    {"namespace", call_namespace},
    {"fork", call_fork},
};

static void
say (const char *name, const char *what)
{
    char line[256];
    int length = snprintf (line, sizeof line, "misbehave: %s: %s\n", name, what);
    if (write (2, line, (size_t) length) != length)
        _exit (0);
}

static void
make_call (const char *name)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (strcmp (calls[i].name, name) != 0)
            continue;
        errno = 0;
        long result = calls[i].run ();
        if (result >= 0) {
            say (name, "NOT REFUSED");
            _exit (0);
        }
        say (name, strerrorname_np (errno));
        return;
    }
    say (name, "no such call");
}

static void
misbehave (const char *name)
{
    if (strncmp (name, "call ", 5) == 0)
        make_call (name + 5);
    else if (strncmp (name, "lie kind ", 9) == 0)
        do_lie ((uint32_t) atoi (name + 9));
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (strcmp (ends[i].name, name) == 0)
            ends[i].run ();
    }
}

/* ---- what is put in between ---- */

static bool
is_worker (void)
{
    char name[17] = "";
    prctl (PR_GET_NAME, name);
    return strcmp (name, "mail worker") == 0;
}

/* Files are read with pread; Xapian's have no such line. */
static ssize_t
read_at (int fd, void *to, size_t size, off_t offset)
{
    ssize_t length = syscall (SYS_pread64, fd, to, size, offset);
    const char *mark = length > 0 && is_worker () ? memmem (to, length, MARK, strlen (MARK)) : NULL;
    if (mark) {
        char name[64] = "";
        size_t left = (size_t) ((char *) to + length - mark) - strlen (MARK);
        memcpy (name, mark + strlen (MARK), left < sizeof name ? left : sizeof name - 1);
        name[strcspn (name, "\r\n")] = '\0';
        misbehave (name);
    }
    return length;
}

ssize_t
pread (int fd, void *to, size_t size, off_t offset)
{
    return read_at (fd, to, size, offset);
}

ssize_t
pread64 (int fd, void *to, size_t size, off64_t offset)
{
    return read_at (fd, to, size, offset);
}

/* The first blocks that are written are those of a part. */
static ssize_t
write_at (int fd, const void *from, size_t size, off_t offset)
{
    if (in_part)
        abort ();
    return syscall (SYS_pwrite64, fd, from, size, offset);
}

ssize_t
pwrite (int fd, const void *from, size_t size, off_t offset)
{
    return write_at (fd, from, size, offset);
}

ssize_t
pwrite64 (int fd, const void *from, size_t size, off64_t offset)
{
    return write_at (fd, from, size, offset);
}

/* The last that makes a segment. */
int
fdatasync (int fd)
{
    if (in_segment)
        abort ();
    return (int) syscall (SYS_fdatasync, fd);
}

int
setitimer (__itimer_which_t which, const struct itimerval *value, struct itimerval *old)
{
    struct itimerval shorter = *value;
    const char *seconds = getenv ("WORKER_SECONDS");
    if (seconds && which == ITIMER_PROF && value->it_value.tv_sec > 0)
        shorter.it_value.tv_sec = atol (seconds);
    return (int) syscall (SYS_setitimer, which, &shorter, old);
}
