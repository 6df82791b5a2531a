/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reservations.c - document ids set aside, one by one and all together.
 *
 * They are files and not in state, because a commit of state is dear: some syncs and blocks more
 * for every run that brings a message. They lie where no worker can write.
 */
#include "reservations.h"
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <talloc.h>
#include <unistd.h>

static int
reservation_destroy (struct reservation *reservation)
{
    unlink (reservation->path);
    return 0;
}

enum mail_status
reservation_make (void *ctx, const struct scratch *owner, uint32_t first, uint32_t last,
                  struct reservation **reservation_out)
{
    struct reservation *made = talloc (ctx, struct reservation);
    *made = (struct reservation){first, last, NULL};
    made->path = talloc_asprintf (made, "%s.%" PRIu32 "-%" PRIu32, owner->path, first, last);
    int fd = open (made->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        int error = errno;
        talloc_free (made);
        errno = error;
        return files_status (error);
    }
    close (fd);
    talloc_set_destructor (made, reservation_destroy);
    *reservation_out = made;
    return MAIL_OK;
}

static void
add_living (struct reservations *reservations, const char *index_folder, const char *name)
{
    struct reservation found = {0};
    char *owner = talloc_strdup (reservations, name), *range = strchr (owner, '.'), end;
    if (range && range > owner) {
        *range++ = '\0';
        if (sscanf (range, "%" SCNu32 "-%" SCNu32 "%c", &found.first, &found.last, &end) == 2 &&
            scratch_is_owned (index_folder, owner)) {
            size_t at = reservations->count++;
            reservations->list =
                talloc_realloc (reservations, reservations->list, struct reservation, at + 1);
            reservations->list[at] = found;
        }
    }
    talloc_free (owner);
}

enum mail_status
reservations_read (void *ctx, const char *index_folder, struct reservations **reservations_out)
{
    struct reservations *reservations = talloc_zero (ctx, struct reservations);
    char *path = talloc_asprintf (reservations, "%s/text/tmp", index_folder);
    DIR *dir = opendir (path);
    int error = dir ? 0 : errno;
    while (dir) {
        errno = 0;
        struct dirent *entry = readdir (dir);
        if (!entry)
            break;
        add_living (reservations, index_folder, entry->d_name);
    }
    if (dir) {
        error = errno;
        closedir (dir);
    }
    if (error && error != ENOENT && error != ENOTDIR) { /* a damaged index may lack it */
        talloc_free (reservations);
        errno = error;
        return files_status (error);
    }
    talloc_free (path);
    *reservations_out = reservations;
    return MAIL_OK;
}

void
reservations_leave_out (struct reservations *reservations, uint32_t first)
{
    for (size_t i = 0; i < reservations->count; i++) {
        if (reservations->list[i].first != first)
            continue;
        reservations->list[i] = reservations->list[--reservations->count];
        return;
    }
}

uint64_t
reservations_end (const struct reservations *reservations)
{
    uint64_t end = 0;
    for (size_t i = 0; i < reservations->count; i++)
        end = MAX (end, (uint64_t) reservations->list[i].last + 1);
    return end;
}

bool
reservations_meet (const struct reservations *reservations, uint32_t first, uint32_t last)
{
    for (size_t i = 0; i < reservations->count; i++)
        if (reservations->list[i].first <= last && reservations->list[i].last >= first)
            return true;
    return false;
}
