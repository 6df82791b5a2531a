/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * new-problems.c - new --problems: the list of what could not be indexed, or not wholly, in the
 * order of the paths.
 *
 * It is what the index remembers, and is not compared with what lies there now.
 */
#include "new-problems.h"
#include "output.h"
#include "report.h"
#include "session.h"

#include <stdlib.h>
#include <string.h>
#include <talloc.h>
#include <time.h>

#define TIME_SIZE 40

struct row {
    const struct mail_problem *problem;
    char *path; /* absolute */
};

static int
compare_rows (const void *a, const void *b)
{
    return strcmp (((const struct row *) a)->path, ((const struct row *) b)->path);
}

/* A folder that a damaged index does not have: the name alone has to do. */
static char *
row_path (void *ctx, struct mail_index *index, const struct mail_folders *folders,
          const struct mail_problem *problem)
{
    if (!mail_folders_by_id (folders, problem->folder))
        return talloc_strdup (ctx, problem->name);

    char *folder = mail_folders_path (ctx, folders, problem->folder);
    const struct mail_file file = {folder, problem->name};

    return mail_file_path (ctx, index, &file);
}

static enum mail_status
load_rows (void *ctx, struct mail_index *index, struct row **rows_out, size_t *count_out)
{
    struct mail_problem *whole, *in_part;
    struct mail_folders *folders;
    size_t whole_count, part_count;
    enum mail_status status = mail_problems_load (ctx, index, &whole, &whole_count);

    if (status == MAIL_OK)
        status = mail_problems_in_part (ctx, index, &in_part, &part_count);
    if (status == MAIL_OK)
        status = mail_folders_load (ctx, index, &folders);
    if (status != MAIL_OK)
        return status;
    *count_out = whole_count + part_count;
    *rows_out = talloc_array (ctx, struct row, *count_out);
    for (size_t i = 0; i < *count_out; i++) {
        const struct mail_problem *problem =
            i < whole_count ? &whole[i] : &in_part[i - whole_count];

        (*rows_out)[i] =
            (struct row){.problem = problem, .path = row_path (ctx, index, folders, problem)};
    }
    if (*count_out > 1)
        qsort (*rows_out, *count_out, sizeof **rows_out, compare_rows);
    return MAIL_OK;
}

/* Local time; the number where the calendar has no such year. */
static const char *
local_time (int64_t seconds, char buffer[TIME_SIZE])
{
    time_t time = (time_t) seconds;
    struct tm tm;

    if (!localtime_r (&time, &tm) || strftime (buffer, TIME_SIZE, "%Y-%m-%dT%H:%M:%S%z", &tm) == 0)
        snprintf (buffer, TIME_SIZE, "%lld", (long long) seconds);
    return buffer;
}

static void
print_row (struct printer *printer, const struct row *row)
{
    const char *word = mail_reason_word (row->problem->reason);
    char since[TIME_SIZE];

    if (printer_is_lines (printer)) {
        printer_string (printer, word);
        printer_string (printer, "\t");
        printer_string (printer, local_time (row->problem->since, since));
        printer_string (printer, "\t");
        printer_path (printer, row->path);
    } else {
        printer_begin_map (printer);
        printer_key_string (printer, "reason", word);
        printer_key_integer (printer, "since", row->problem->since);
        printer_key (printer, "path");
        printer_path (printer, row->path);
        printer_end (printer);
    }
    printer_separator (printer);
}

int
new_problems (struct cli *cli, enum printer_format format)
{
    void *local = talloc_new (NULL);
    struct mail_index *index = NULL;
    int code = session_open (local, cli, 0, &index);
    void *reading = talloc_new (local); /* freed before the index */
    struct row *rows = NULL;
    size_t count = 0;

    if (code == 0) {
        enum mail_status status = load_rows (reading, index, &rows, &count);

        code = status == MAIL_OK ? 0 : report_status (cli, status, index);
    }
    if (code == 0) {
        struct printer *printer = printer_create (reading, format, stdout);

        printer_begin_list (printer);
        for (size_t i = 0; i < count && !output_broken (); i++)
            print_row (printer, &rows[i]);
        printer_end (printer);
        output_result ();
    }
    talloc_free (reading);
    session_close (cli, index);
    talloc_free (local);
    return code;
}
