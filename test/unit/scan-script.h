/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan-script.h - a mail root of its own for each test, changed and scanned by small scripts.
 *
 * A script is a list of commands, separated by ";". Paths are relative to the mail root:
 *   dir PATH            with parents                     rm PATH       with all below it
 *   file PATH           with a content of its own        mv FROM TO
 *   put PATH TEXT       with this content                hard FROM TO  a hard link
 *   link TEXT PATH      a symbolic link                  fifo PATH
 *   out PATH            a folder beside the mail root    mode OCTAL PATH
 *   age                 lets times settle                stamp PATH SECONDS NS   sets mtime
 *   keep PATH           notes its mtime                  give PATH               sets that mtime
 *   copy FROM TO        content and mtime, another inode
 *   ignore WORD         adds to new.ignore               scan, full    scans and applies
 *   boot                gives stored devices other numbers, as a reboot may
 */
#ifndef SCAN_SCRIPT_H
#define SCAN_SCRIPT_H

#include "scan-fake.h"

#include <ftw.h>
#include <linux/capability.h>
#include <sys/syscall.h>

struct script {
    char *top;  /* removed afterwards */
    char *root; /* the mail root in it */
    struct mail_index *index;
    const char **ignore;
    size_t ignore_count;
    char **lines; /* of the last scan: what it told, sorted */
    size_t line_count;
    struct scan_counts counts;
    struct timespec kept;
    unsigned files; /* made so far */
};

static struct script *
script_create (void)
{
    struct script *script = talloc_zero (NULL, struct script);
    const char *tmp = getenv ("TMPDIR");

    script->top = talloc_asprintf (script, "%s/scan.XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null (mkdtemp (script->top));
    script->root = talloc_asprintf (script, "%s/Mail", script->top);
    assert_int_equal (mkdir (script->root, 0700), 0);
    script->index = fake_index_create (script, script->root);
    return script;
}

static int
script_remove_one (const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void) st;
    (void) type;
    (void) ftw;
    return remove (path);
}

static void
script_remove (const char *path)
{
    assert_int_equal (nftw (path, script_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static void
script_destroy (struct script *script)
{
    script_remove (script->top);
    talloc_free (script);
}

static char *
script_path (struct script *script, const char *path)
{
    return talloc_asprintf (script, "%s/%s", script->root, path);
}

/* Root reads everything; without these two capabilities it is an owner like others. */
static inline bool
script_give_up_override (void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];

    if (syscall (SYS_capget, &header, data) < 0)
        return false;
    data[0].effective &= ~((1u << CAP_DAC_OVERRIDE) | (1u << CAP_DAC_READ_SEARCH));
    return syscall (SYS_capset, &header, data) == 0;
}

/* ---- commands ------------------------------------------------------------------------------ */

static void
script_dir (struct script *script, const char *path)
{
    char *full = script_path (script, path);

    for (char *slash = full + strlen (script->root) + 1; (slash = strchr (slash, '/')); slash++) {
        *slash = '\0';
        mkdir (full, 0700);
        *slash = '/';
    }
    assert_true (mkdir (full, 0700) == 0 || errno == EEXIST);
}

static void
script_put (struct script *script, const char *path, const char *text)
{
    FILE *file = fopen (script_path (script, path), "w");

    assert_non_null (file);
    fputs (text, file);
    assert_int_equal (fclose (file), 0);
}

static void
script_stamp (const char *path, struct timespec mtime)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, mtime};

    assert_int_equal (utimensat (AT_FDCWD, path, times, 0), 0);
}

static void
script_copy (struct script *script, const char *from, const char *to)
{
    char text[100] = "";
    struct stat st;
    FILE *file = fopen (from, "r");

    assert_non_null (file);
    assert_non_null (fgets (text, sizeof text, file));
    fclose (file);
    script_put (script, to, text);
    assert_int_equal (stat (from, &st), 0);
    script_stamp (script_path (script, to), st.st_mtim);
}

static void
script_age (void)
{
    nanosleep (&(struct timespec){.tv_nsec = 30000000}, NULL);
}

static void
script_boot (struct script *script)
{
    for (size_t i = 0; i < script->index->folder_count; i++)
        script->index->folders[i].folder.stat.device += 7;
}

static void
script_line (struct script *script, char *line)
{
    script->lines = talloc_realloc (script, script->lines, char *, script->line_count + 1);
    script->lines[script->line_count++] = line;
}

static void
script_problem (void *closure, enum mail_reason reason, const char *path, int error)
{
    struct script *script = closure;
    size_t length = strlen (script->root);

    (void) error;
    assert_memory_equal (path, script->root, length);
    script_line (script, talloc_asprintf (script, "%s %s", mail_reason_word (reason),
                                          path[length] ? path + length + 1 : ""));
}

static void
script_scan (struct script *script, bool full)
{
    struct scan_options options = {.full = full,
                                   .ignore = script->ignore,
                                   .ignore_count = script->ignore_count,
                                   .problem = script_problem,
                                   .closure = script};
    struct mail_changes *changes;
    char *error = NULL;

    script->line_count = 0;
    assert_int_equal (
        scan_mail_root (script, script->index, &options, &changes, &script->counts, &error),
        MAIL_OK);
    for (size_t i = 0; i < changes->count; i++)
        if (changes->ops[i].kind != OP_PROBLEM) /* told by the scan already */
            script_line (script, fake_op_text (script, script->index, &changes->ops[i]));
    if (script->line_count)
        qsort (script->lines, script->line_count, sizeof (char *), fake_by_name);
    fake_apply (changes);
    talloc_free (changes);
}

static void
script_two_paths (struct script *script, const char *verb, const char *from, const char *to)
{
    char *source = script_path (script, from), *target = script_path (script, to);
    int result = -1;

    if (strcmp (verb, "mv") == 0)
        result = rename (source, target);
    else if (strcmp (verb, "hard") == 0)
        result = link (source, target);
    else if (strcmp (verb, "link") == 0)
        result = symlink (from, target);
    else if (strcmp (verb, "mode") == 0)
        result = chmod (target, (mode_t) strtol (from, NULL, 8));
    else
        fail_msg ("no such command: %s", verb);
    if (result)
        fail_msg ("%s %s %s: %s", verb, from, to, strerror (errno));
}

static void
script_one_path (struct script *script, const char *verb, const char *path)
{
    char *full = script_path (script, path);
    struct stat st;

    if (strcmp (verb, "dir") == 0) {
        script_dir (script, path);
    } else if (strcmp (verb, "file") == 0) {
        script_put (script, path, talloc_asprintf (script, "mail %u\n", 1000 + script->files++));
    } else if (strcmp (verb, "rm") == 0) {
        script_remove (full);
    } else if (strcmp (verb, "fifo") == 0) {
        assert_int_equal (mkfifo (full, 0600), 0);
    } else if (strcmp (verb, "out") == 0) {
        assert_int_equal (mkdir (talloc_asprintf (script, "%s/%s", script->top, path), 0700), 0);
    } else if (strcmp (verb, "keep") == 0) {
        assert_int_equal (stat (full, &st), 0);
        script->kept = st.st_mtim;
    } else if (strcmp (verb, "give") == 0) {
        script_stamp (full, script->kept);
    } else if (strcmp (verb, "ignore") == 0) {
        script->ignore =
            talloc_realloc (script, script->ignore, const char *, script->ignore_count + 1);
        script->ignore[script->ignore_count++] = talloc_strdup (script, path);
    } else {
        fail_msg ("no such command: %s", verb);
    }
}

static void
script_command (struct script *script, const char *command)
{
    char verb[16], a[1024], b[1024], c[1024];
    int words = sscanf (command, " %15s %1023s %1023s %1023s", verb, a, b, c);

    if (words < 1)
        return;
    if (strcmp (verb, "age") == 0)
        script_age ();
    else if (strcmp (verb, "boot") == 0)
        script_boot (script);
    else if (words == 1)
        script_scan (script, strcmp (verb, "full") == 0);
    else if (strcmp (verb, "put") == 0)
        script_put (script, a, b);
    else if (strcmp (verb, "copy") == 0)
        script_copy (script, script_path (script, a), b);
    else if (words == 4)
        script_stamp (script_path (script, a),
                      (struct timespec){.tv_sec = atoll (b), .tv_nsec = atol (c)});
    else if (words == 3)
        script_two_paths (script, verb, a, b);
    else
        script_one_path (script, verb, a);
}

static inline void
script_run (struct script *script, const char *text)
{
    char *copy = talloc_strdup (script, text), *rest = copy, *command;

    while ((command = strsep (&rest, ";")))
        script_command (script, command);
}

/* What the last scan told, in byte order, as one line. */
static inline char *
script_told (struct script *script)
{
    char *told = talloc_strdup (script, "");

    for (size_t i = 0; i < script->line_count; i++)
        told = talloc_asprintf_append (told, "%s%s", i ? "; " : "", script->lines[i]);
    return told;
}

#endif
