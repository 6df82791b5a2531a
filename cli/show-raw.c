/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * show-raw.c - messages and parts byte by byte, and as entries of a mailbox.
 *
 * Nothing is held in memory but the piece at hand, so that an attachment of a gigabyte can be
 * saved.
 */
#include "output.h"
#include "report.h"
#include "show.h"

#include <errno.h>
#include <string.h>
#include <talloc.h>
#include <time.h>

static bool
write_bytes (void *closure, const char *bytes, size_t length)
{
    output_write (closure, bytes, length);
    return !output_broken ();
}

static void
write_file (struct show *show, const struct show_message *shown, struct mail_sink sink)
{
    if (mail_file_write (shown->path, sink) == MAIL_OK)
        return;
    fflush (show->file);
    report_message ("Error reading %s: %s\n", shown->path, strerror (errno));
    show->failed = true;
}

void
show_raw_message (struct show *show, const struct show_message *shown)
{
    write_file (show, shown, (struct mail_sink){write_bytes, show->file});
}

void
show_raw_part (struct show *show, const struct show_message *shown, const struct mail_part *part)
{
    mail_part_write (shown->content, part, (struct mail_sink){write_bytes, show->file});
}

/* ---- mbox -------------------------------------------------------------------------------------
 */

static const char from_line[] = "From ";

/* Between two pieces of a file: what of the line has been seen and not been written yet, because it
 * may come to be ">...>From ". */
struct quoting {
    FILE *file;
    size_t quotes;  /* ">" at the line's beginning */
    size_t letters; /* of from_line after them */
    bool decided;   /* the rest of the line is of no interest */
};

static void
decide (struct quoting *quoting, bool is_from)
{
    for (size_t i = 0; i < quoting->quotes + is_from; i++)
        putc ('>', quoting->file);
    fwrite (from_line, 1, quoting->letters, quoting->file);
    quoting->quotes = quoting->letters = 0;
    quoting->decided = true;
}

/* One byte of a line that is not decided; whether it is written or kept. */
static bool
look_at (struct quoting *quoting, char byte)
{
    if (byte == '>' && quoting->letters == 0)
        quoting->quotes++;
    else if (byte == from_line[quoting->letters])
        quoting->letters++;
    else {
        decide (quoting, false);
        return false;
    }
    if (from_line[quoting->letters] == '\0')
        decide (quoting, true);
    return true;
}

static bool
write_quoted (void *closure, const char *bytes, size_t length)
{
    struct quoting *quoting = closure;
    const char *end = bytes + length;

    while (bytes < end) {
        const char *newline;

        if (!quoting->decided && look_at (quoting, *bytes)) {
            bytes++;
            continue;
        }
        newline = memchr (bytes, '\n', (size_t) (end - bytes));
        output_write (quoting->file, bytes, (size_t) ((newline ? newline + 1 : end) - bytes));
        bytes = newline ? newline + 1 : end;
        quoting->decided = newline == NULL;
    }
    return !output_broken ();
}

/* "From ADDRESS DATE", the date in UTC as asctime() has it. */
static void
put_envelope (const struct show *show, const struct mail_message *message)
{
    time_t seconds = (time_t) mail_message_date (message);
    struct mail_address *senders;
    const char *address = "";
    char date[40] = "Thu Jan  1 00:00:00 1970";
    struct tm tm;
    size_t count;

    senders = mail_message_addresses (NULL, message, MAIL_FROM, &count);
    if (count > 0)
        address = senders[0].address;
    /* One word, whatever a sender makes of it. */
    if (*address == '\0' || strpbrk (address, " \t\r\n"))
        address = "MAILER-DAEMON";
    if (gmtime_r (&seconds, &tm))
        strftime (date, sizeof date, "%a %b %e %H:%M:%S %Y", &tm);
    fprintf (show->file, "From %s %s\n", address, date);
    talloc_free (senders);
}

void
show_mbox_message (struct show *show, const struct show_message *shown)
{
    struct quoting quoting = {.file = show->file};

    put_envelope (show, shown->message);
    write_file (show, shown, (struct mail_sink){write_quoted, &quoting});
    decide (&quoting, false);
    putc ('\n', show->file);
}
