/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * show-message.c - from a message of the index to its open file, and on to the form asked for.
 *
 * Each file is opened once. Where one has gone, or cannot be read, the next of the same message
 * stands in for it.
 */
#include "output.h"
#include "report.h"
#include "show.h"

#include <errno.h>
#include <string.h>
#include <talloc.h>
#include <unistd.h>

static void
open_failed (struct show *show, const char *path)
{
    int error = errno;

    fflush (show->file);
    report_message ("Error opening %s: %s\n", path, strerror (error));
    show->failed = true;
}

/* Whether the file can be shown; *gone_out: it is not there, and another may stand in for it. */
static bool
open_file (void *ctx, struct show *show, struct show_message *shown, char **error_out)
{
    bool bytes = show->options->format == SHOW_MBOX ||
                 (show->options->format == SHOW_RAW && show->options->part <= 0);

    shown->content = NULL;
    if (bytes)
        return access (shown->path, R_OK) == 0;
    if (mail_content_open (ctx, shown->path, &shown->content, error_out) != MAIL_OK)
        return false;
    if (show->options->body)
        show_unlock (show, shown);
    return true;
}

static bool
is_excluded (const struct show *show, const struct mail_message *message)
{
    for (char *const *tag = show->excluded; tag && *tag; tag++)
        for (const char *const *t = mail_message_tags (message, NULL); *t; t++)
            if (strcmp (*t, *tag) == 0)
                return true;
    return false;
}

bool
show_message_open (void *ctx, struct show *show, const struct mail_message *message,
                   struct show_message *shown)
{
    size_t count, wanted = show->options->duplicate > 0 ? (size_t) show->options->duplicate : 0;
    const struct mail_file *files = mail_message_files (message, &count);
    char *error = NULL;

    shown->message = message;
    shown->excluded = is_excluded (show, message);
    for (size_t i = 0; i < count; i++) {
        if (wanted != 0 && wanted != i + 1)
            continue;
        shown->path = mail_file_path (ctx, show->index, &files[i]);
        shown->duplicate = i + 1;
        if (open_file (ctx, show, shown, &error))
            return true;
    }
    shown->path = mail_file_path (ctx, show->index, &files[0]);
    if (wanted > count) {
        errno = ENOENT; /* what it comes to where there is no Nth file */
        open_failed (show, shown->path);
    } else if (access (shown->path, R_OK) != 0 || !error) {
        open_failed (show, shown->path);
    } else {
        report (show->cli, "%s", error);
        show->failed = true;
    }
    return false;
}

void
show_message (struct show *show, const struct mail_message *message, int depth, bool match)
{
    void *local = talloc_new (NULL);
    struct show_message shown = {.depth = depth, .match = match};

    if (!show_message_open (local, show, message, &shown)) {
        if (show->printer)
            printer_null (show->printer);
    } else if (show->printer)
        show_structured_message (show, &shown);
    else if (show->options->format == SHOW_MBOX)
        show_mbox_message (show, &shown);
    else if (show->options->format == SHOW_RAW)
        show_raw_message (show, &shown);
    else
        show_text_message (show, &shown);
    output_result ();
    talloc_free (local);
}

const struct mail_part *
show_find_part (const struct show_message *shown, int64_t number)
{
    size_t count;
    const struct mail_part *parts = mail_content_parts (shown->content, &count);

    for (size_t i = 0; i < count; i++)
        if (parts[i].number == number)
            return &parts[i];
    return NULL;
}
