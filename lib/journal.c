/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * journal.c - the journal of tags and properties.
 *
 * One write and one fdatasync a commit (half a millisecond). The length in state says at once what
 * belongs to it; only where the file has another length is it read, to find the end of the last
 * block that state knows.
 */
#include "journal.h"
#include "files.h"
#include "metadata.h"
#include "schema.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <talloc.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#define JOURNAL_HEAD "#mail-journal 1 "

/* ---- reading ---- */

/* The file up to a length; NULL with errno, or with 0 where there is none. */
static char *
read_file (void *ctx, const char *path, uint64_t length, size_t *length_out)
{
    struct stat st;
    int fd = open (path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        errno = errno == ENOENT ? 0 : errno;
        return NULL;
    }
    char *text = NULL;
    size_t done = 0;
    if (fstat (fd, &st) == 0) {
        size_t wanted = (size_t) MIN (length, (uint64_t) st.st_size);
        ssize_t got = 1;
        text = talloc_size (ctx, wanted + 1);
        while (got > 0 && done < wanted) {
            got = read (fd, text + done, wanted - done);
            done += got > 0 ? (size_t) got : 0;
        }
        if (got < 0)
            TALLOC_FREE (text);
    }
    int error = errno;
    close (fd);
    errno = error;
    if (text)
        text[done] = '\0';
    *length_out = done;
    return text;
}

/* Reads "#c REVISION UNIXTIME PID.RUN.N COMMAND". */
static bool
parse_head (void *ctx, const char *text, size_t length, struct journal_block *block)
{
    int end = 0, more = 0;
    char *line = talloc_strndup (ctx, text, length);
    long pid;
    unsigned run = 0;
    block->number = 1; /* journals have been written without RUN and N */
    if (sscanf (line, "#c %" SCNu64 " %" SCNd64 " %ld%n", &block->revision, &block->time, &pid,
                &end) < 3)
        return false;
    if (line[end] == '.' && sscanf (line + end, ".%x.%u%n", &run, &block->number, &more) < 2)
        return false;
    block->who = talloc_asprintf (ctx, "%ld.%x", pid, run);
    block->command = line + end + more + strspn (line + end + more, " ");
    return true;
}

/* The block that begins at text: the place behind it, or NULL where there is none that is whole.
 * Ends of lines in it are made NULs. */
static char *
parse_block (void *ctx, char *text, char *end, struct journal_block *block)
{
    char *line = memchr (text, '\n', (size_t) (end - text)), *next;
    GPtrArray *lines;
    if (!line || !parse_head (ctx, text, (size_t) (line - text), block))
        return NULL;
    lines = g_ptr_array_new ();
    for (line++; line < end; line = next + 1) {
        next = memchr (line, '\n', (size_t) (end - line));
        if (!next || strncmp (line, "#c ", 3) == 0)
            break;
        if (strncmp (line, "#e ", 3) == 0) {
            uint64_t revision = 0;
            unsigned sum = 0;
            uLong right = crc32_z (0, (const Bytef *) text, (size_t) (line - text));
            bool good = sscanf (line, "#e %" SCNu64 " %x", &revision, &sum) == 2 &&
                        revision == block->revision && sum == right;
            if (!good)
                break;
            for (char *c = text; c < line; c++)
                *c = *c == '\n' ? '\0' : *c;
            block->line_count = lines->len;
            block->lines =
                talloc_memdup (ctx, lines->pdata, (lines->len ? lines->len : 1) * sizeof (char *));
            g_ptr_array_free (lines, TRUE);
            return next + 1;
        }
        g_ptr_array_add (lines, line);
    }
    g_ptr_array_free (lines, TRUE);
    return NULL;
}

enum mail_status
journal_read (const char *path, uint64_t length, journal_block_fn each, void *closure,
              bool *bad_out)
{
    void *local = talloc_new (NULL);
    size_t got = 0;
    char *text = read_file (local, path, length, &got);
    enum mail_status status = text || errno == 0 ? MAIL_OK : files_status (errno);
    char *at = text, *end = text ? text + got : NULL;
    bool bad = false, more = true;
    if (text && strncmp (text, JOURNAL_HEAD, strlen (JOURNAL_HEAD)) == 0) {
        at = memchr (text, '\n', got);
        at = at ? at + 1 : end;
    } else if (text && got > 0) {
        bad = true;
    }
    while (more && at < end) {
        struct journal_block block;
        char *behind = parse_block (local, at, end, &block);
        if (behind) {
            more = each (closure, &block);
            at = behind;
            continue;
        }
        bad = true; /* on with the next that looks like a block */
        char *next = memmem (at + 1, (size_t) (end - at - 1), "\n#c ", 4);
        at = next ? next + 1 : end;
    }
    if (bad_out)
        *bad_out = bad;
    talloc_free (local);
    return status;
}

/* ---- the end of the file ---- */

/* Where the last block ends that is of a revision up to a limit. */
static size_t
find_end (const char *path, uint64_t limit)
{
    void *local = talloc_new (NULL);
    size_t got = 0, good = 0;
    char *text = read_file (local, path, UINT64_MAX, &got);
    char *at = text, *end = text ? text + got : NULL;
    if (text && strncmp (text, JOURNAL_HEAD, strlen (JOURNAL_HEAD)) == 0 &&
        (at = memchr (text, '\n', got)) != NULL)
        good = (size_t) (++at - text);
    while (at && at < end) {
        struct journal_block block;
        char *behind = parse_block (local, at, end, &block);
        if (behind && block.revision <= limit)
            good = (size_t) (behind - text);
        char *next = behind ? behind - 1 : memmem (at + 1, (size_t) (end - at - 1), "\n#c ", 4);
        at = next ? next + 1 : end;
    }
    talloc_free (local);
    return good;
}

static char *
journal_path (void *ctx, const struct mail_index *index)
{
    return talloc_asprintf (ctx, "%s/journal", index->folder);
}

static enum mail_status
failed (struct writer *writer, const char *what, int error)
{
    return index_fail (writer->index, files_status (error), "cannot %s '%s/journal': %s", what,
                       writer->index->folder, strerror (error));
}

bool
journal_is_renamed (const char *folder, uint64_t length)
{
    struct stat st;
    char **paths = journal_files (NULL, folder), **last = paths;
    while (last[1] && last[2])
        last++;
    bool is = last[1] && stat (*last, &st) == 0 && (uint64_t) st.st_size == length;
    talloc_free (paths);
    return is;
}

/* Opens it with its end where state's last block ends. */
static enum mail_status
open_at_end (struct writer *writer, int *fd_out, uint64_t *length_out)
{
    struct stat st;
    char *path = journal_path (writer, writer->index);
    int fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || fstat (fd, &st) != 0) {
        int error = errno;
        if (fd >= 0)
            close (fd);
        return failed (writer, "open", error);
    }
    uint64_t length = (uint64_t) st.st_size;
    if (length < writer->journal_length &&
        !(length == 0 && journal_is_renamed (writer->index->folder, writer->journal_length)) &&
        writer_set_text (writer, META_JOURNAL_LOST, META_MARK) != MAIL_OK) {
        close (fd);
        return MAIL_ERROR_STORE;
    }
    if (length != writer->journal_length) {
        length = find_end (path, writer->revision - 1);
        if (ftruncate (fd, (off_t) length) != 0) {
            int error = errno;
            close (fd);
            return failed (writer, "shorten", error);
        }
    }
    *fd_out = fd;
    *length_out = length;
    return MAIL_OK;
}

static char *
make_block (struct writer *writer, bool first, size_t *length_out)
{
    struct mail_index *index = writer->index;
    GString *block = g_string_sized_new (writer->journal->len + 256);
    if (first)
        g_string_append_printf (block, JOURNAL_HEAD "%s\n", index->uuid ? index->uuid : "");
    size_t begin = block->len;
    char *command = g_strdelimit (g_strdup (index->command), "\n", ' ');
    g_string_append_printf (block, "#c %" PRIu64 " %" PRId64 " %ld.%x.%u %s\n", writer->revision,
                            (int64_t) time (NULL), (long) getpid (), index->run, index->blocks + 1,
                            command);
    g_string_append_len (block, writer->journal->str, (gssize) writer->journal->len);
    uLong sum = crc32_z (0, (const Bytef *) block->str + begin, block->len - begin);
    g_string_append_printf (block, "#e %" PRIu64 " %08lx\n", writer->revision, sum);
    *length_out = block->len;
    g_free (command);
    return g_string_free (block, FALSE);
}

static int
write_all (int fd, const char *bytes, size_t length, uint64_t offset)
{
    while (length > 0) {
        ssize_t done = pwrite (fd, bytes, length, (off_t) offset);
        if (done < 0 && errno != EINTR)
            return errno;
        if (done > 0) {
            bytes += done;
            length -= (size_t) done;
            offset += (uint64_t) done;
        }
    }
    return 0;
}

enum mail_status
journal_write (struct writer *writer)
{
    int fd;
    uint64_t length;
    size_t block_length;
    /* What a repair and a "new" within it do is in the snapshot that follows; were it here, the
     * next repair after one that was stopped would take it for what the user did. */
    if (writer->restoring || !writer->journal || writer->journal->len == 0)
        return MAIL_OK;
    enum mail_status status = open_at_end (writer, &fd, &length);
    if (status != MAIL_OK)
        return status;
    char *block = make_block (writer, length == 0, &block_length);
    int error = write_all (fd, block, block_length, length);
    if (error == 0 && fdatasync (fd) != 0)
        error = errno;
    if (error && ftruncate (fd, (off_t) length) != 0)
        block_length = 0; /* the next writer does it */
    close (fd);
    g_free (block);
    if (error == 0 && length == 0)
        error = files_sync_folder (writer->index->folder);
    if (error)
        return failed (writer, "write", error);
    writer->journal_before = length;
    writer->journal_written = true;
    return writer_set_number (writer, META_JOURNAL, length + block_length);
}

void
journal_take_back (struct writer *writer)
{
    char *path = journal_path (writer, writer->index);
    if (writer->journal_written && truncate (path, (off_t) writer->journal_before) != 0)
        writer->journal_written = false; /* the next writer does it */
}

/* ---- several files ---- */

static int
compare_numbers (const void *a, const void *b)
{
    unsigned long left = *(const unsigned long *) a, right = *(const unsigned long *) b;
    return left < right ? -1 : left > right;
}

/* The N of journal.N in order. */
static unsigned long *
find_numbers (void *ctx, const char *folder, size_t *count_out)
{
    unsigned long *numbers = talloc_array (ctx, unsigned long, 1);
    DIR *dir = opendir (folder);
    *count_out = 0;
    for (struct dirent *entry; dir && (entry = readdir (dir)) != NULL;) {
        char *end;
        if (strncmp (entry->d_name, "journal.", 8) != 0 || !g_ascii_isdigit (entry->d_name[8]))
            continue;
        unsigned long number = strtoul (entry->d_name + 8, &end, 10);
        if (*end)
            continue;
        numbers = talloc_realloc (ctx, numbers, unsigned long, *count_out + 1);
        numbers[(*count_out)++] = number;
    }
    if (dir)
        closedir (dir);
    qsort (numbers, *count_out, sizeof *numbers, compare_numbers);
    return numbers;
}

char **
journal_files (void *ctx, const char *folder)
{
    size_t count;
    unsigned long *numbers = find_numbers (ctx, folder, &count);
    char **paths = talloc_array (ctx, char *, count + 2);
    for (size_t i = 0; i < count; i++)
        paths[i] = talloc_asprintf (paths, "%s/journal.%lu", folder, numbers[i]);
    paths[count] = talloc_asprintf (paths, "%s/journal", folder);
    paths[count + 1] = NULL;
    talloc_free (numbers);
    return paths;
}

enum mail_status
journal_rotate (struct writer *writer, bool *rotated_out)
{
    struct mail_index *index = writer->index;
    size_t count;
    int fd;
    uint64_t length;
    *rotated_out = false;
    enum mail_status status = open_at_end (writer, &fd, &length);
    if (status != MAIL_OK)
        return status;
    close (fd);
    if (length == 0)
        return writer_set_number (writer, META_JOURNAL, 0);
    unsigned long *numbers = find_numbers (writer, index->folder, &count);
    char *path = journal_path (writer, index);
    char *old = talloc_asprintf (writer, "%s.%lu", path, count ? numbers[count - 1] + 1 : 1);
    int error = rename (path, old) == 0 ? files_sync_folder (index->folder) : errno;
    if (error)
        return failed (writer, "rename", error);
    *rotated_out = true;
    return writer_set_number (writer, META_JOURNAL, 0);
}
