/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sandbox.c - Landlock for files, seccomp for calls that have no business here, resource limits for
 * the rest.
 *
 * The C library loads a module for most character sets when it first meets them, so its folders
 * stay readable; without them conversions fail without a word.
 */
#include "index/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

/* Rights of later kernels, where the header is older. */
#define FS_REFER (1ULL << 13)     /* ABI 2 */
#define FS_TRUNCATE (1ULL << 14)  /* ABI 3 */
#define FS_IOCTL_DEV (1ULL << 15) /* ABI 5 */
#define CALL_FCHMODAT2 452        /* Linux 6.6 */

#define FS_READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define FS_FIRST \
    (FS_READ | LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | \
     LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | \
     LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | \
     LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | \
     LANDLOCK_ACCESS_FS_MAKE_SYM)
#define FS_WRITE \
    (FS_READ | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | \
     LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG)

static void
allow_below (int ruleset, const char *path, uint64_t access)
{
    struct landlock_path_beneath_attr rule = {.allowed_access = access,
                                              .parent_fd = open (path, O_PATH | O_CLOEXEC)};
    if (rule.parent_fd < 0)
        return;
    syscall (SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close (rule.parent_fd);
}

static bool
restrict_files (const char *writable, const char *readable)
{
    static const char *const libraries[] = {
        "/usr/lib", "/usr/lib64",        "/usr/local/lib",  "/lib",
        "/lib64",   "/usr/share/locale", "/usr/share/i18n", "/usr/share/zoneinfo"};
    long abi = syscall (SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (abi < 1)
        return false;
    uint64_t handled = FS_FIRST, write = FS_WRITE;
    if (abi >= 2)
        handled |= FS_REFER;
    if (abi >= 3) {
        handled |= FS_TRUNCATE;
        write |= FS_TRUNCATE;
    }
    if (abi >= 5)
        handled |= FS_IOCTL_DEV;
    struct landlock_ruleset_attr attributes = {.handled_access_fs = handled};
    int ruleset = (int) syscall (SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (ruleset < 0)
        return false;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        allow_below (ruleset, libraries[i], FS_READ);
    allow_below (ruleset, writable, write);
    if (readable)
        allow_below (ruleset, readable, FS_READ);
    bool done = syscall (SYS_landlock_restrict_self, ruleset, 0) == 0;
    close (ruleset);
    return done;
}

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#define OTHER_NUMBERS 0x40000000U /* of the x32 calls */
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#define OTHER_NUMBERS 0x80000000U
#endif

#ifdef OWN_ARCH
#define DO(code, operand) BPF_STMT (code, operand)
#define LOAD(field) DO (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, field))
#define UNLESS(test, operand) BPF_JUMP (BPF_JMP | BPF_K | (test), operand, 0, 1)
#define ANSWER(what) DO (BPF_RET | BPF_K, what)
#define REFUSED (SECCOMP_RET_ERRNO | EPERM)
/* Only with this value of the first argument (its lower half) is the call allowed. */
#define ALLOW_FIRST(call, value) \
    BPF_JUMP (BPF_JMP | BPF_K | BPF_JEQ, SYS_##call, 0, 4), LOAD (args[0]), \
        BPF_JUMP (BPF_JMP | BPF_K | BPF_JEQ, value, 1, 0), ANSWER (REFUSED), \
        ANSWER (SECCOMP_RET_ALLOW)

/* Programs, processes, sockets (also those that io_uring would make out of our sight), what changes
 * a file that is only open for reading, and what reaches other processes. */
static const unsigned refused[] = {
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_io_uring_setup,
    SYS_execve,
    SYS_execveat,
    SYS_clone,
    SYS_clone3,
#ifdef SYS_fork
    SYS_fork,
    SYS_vfork,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
#endif
    SYS_unshare,
    SYS_setns,
    SYS_fchmod,
    SYS_fchmodat,
    CALL_FCHMODAT2,
    SYS_fchown,
    SYS_fchownat,
    SYS_utimensat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    SYS_kill,
    SYS_tkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_pidfd_open,
    SYS_pidfd_send_signal,
    SYS_pidfd_getfd,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_setpriority,
    SYS_keyctl,
    SYS_bpf,
    SYS_perf_event_open,
};
#endif

/* The calls of refused fail with EPERM. */
static bool
restrict_calls (void)
{
#ifdef OWN_ARCH
    const struct sock_filter before[] = {
        LOAD (arch),
        BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCH, 1, 0),
        ANSWER (SECCOMP_RET_KILL_PROCESS),
        LOAD (nr),
        UNLESS (BPF_JSET, OTHER_NUMBERS),
        ANSWER (REFUSED),
    };
    const struct sock_filter after[] = {
        ALLOW_FIRST (prlimit64, 0),
        ALLOW_FIRST (tgkill, (unsigned) getpid ()), /* for abort() */
        ANSWER (SECCOMP_RET_ALLOW),
    };
    enum { REFUSED_COUNT = sizeof refused / sizeof *refused };
    struct sock_filter
        filter[sizeof before / sizeof *before + 2 * REFUSED_COUNT + sizeof after / sizeof *after];
    struct sock_filter *next = mempcpy (filter, before, sizeof before);
    for (size_t i = 0; i < REFUSED_COUNT; i++) {
        *next++ = (struct sock_filter) UNLESS (BPF_JEQ, refused[i]);
        *next++ = (struct sock_filter) ANSWER (REFUSED);
    }
    memcpy (next, after, sizeof after);
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
#else
    return false;
#endif
}

static void
limit (int resource, rlim_t most)
{
    struct rlimit limits = {most, most};
    setrlimit (resource, &limits);
}

/* Whoever writes more than a message can need dies of it. Where the user allows less than that, it
 * is a full disk, and no fault of the message. */
static void
limit_files (void)
{
    const rlim_t most = (rlim_t) 16 << 30;
    struct rlimit limits;
    bool less = getrlimit (RLIMIT_FSIZE, &limits) == 0 && limits.rlim_cur < most;
    signal (SIGXFSZ, less ? SIG_IGN : SIG_DFL);
    if (!less)
        limit (RLIMIT_FSIZE, most);
}

bool
sandbox_enter (const char *writable, const char *readable, size_t memory)
{
    limit (RLIMIT_CORE, 0);
    limit_files ();
#if defined(__SANITIZE_ADDRESS__)
    (void) memory; /* the sanitizer maps far more than it uses */
#else
    limit (RLIMIT_DATA, memory);
#endif
    if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return false;
    bool files = restrict_files (writable, readable);
    bool calls = restrict_calls ();
    return files && calls;
}

void
sandbox_allow_seconds (unsigned seconds)
{
    struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    setitimer (ITIMER_PROF, &timer, NULL);
}
