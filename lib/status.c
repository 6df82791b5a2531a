/* SPDX-License-Identifier: GPL-3.0-or-later */
/* status.c - texts and exit codes of statuses, from the one list in mailindex.h. */
#include "mailindex.h"

static const struct {
    int exit_code;
    const char *text;
} table[] = {
#define ROW(name, code, line) [name] = {code, line},
    MAIL_STATUS_LIST (ROW)
#undef ROW
};

const char *
mail_status_text (enum mail_status status)
{
    return (unsigned) status < MAIL_STATUS_COUNT ? table[status].text : "unknown status";
}

int
mail_status_exit_code (enum mail_status status)
{
    return (unsigned) status < MAIL_STATUS_COUNT ? table[status].exit_code : 1;
}
