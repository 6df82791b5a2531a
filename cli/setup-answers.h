/* SPDX-License-Identifier: GPL-3.0-or-later */
/* setup-answers.h - the questions of setup, and what comes of the answers. */
#ifndef SETUP_ANSWERS_H
#define SETUP_ANSWERS_H

#include "config-change.h"

struct setup {
    void *ctx;
    struct cli *cli;
    bool yes;
    bool ended;                  /* standard input */
    struct config *blank;        /* defaults only */
    struct config *base;         /* what is asked about: the file in force, or blank */
    struct config_value *values; /* to be written */
    size_t count;
    char *mail_root, *database;
    bool take_over;
};

/* The next line of standard input without blanks around it; "" where there is none. */
char *setup_read (struct setup *setup);
/* present: what an empty answer stands for. */
char *setup_ask (struct setup *setup, const char *question, const char *present);
bool setup_ask_yes (struct setup *setup, const char *question);

/* raw: as it is written in the file; NULL: the default. The last answer counts. */
void setup_put (struct setup *setup, const char *key, const char *raw);
/* One value. without: what holds if it is not in the file; NULL for nothing. */
void setup_put_text (struct setup *setup, const char *key, char *value, const char *without);
/* A list, of which the defaults say what holds without. */
void setup_put_list (struct setup *setup, const char *key, char **values);
/* All that the file in force has (notmuch's), and that we would not do by ourselves. */
void setup_put_all (struct setup *setup);
/* What is not in the file need not be taken out. */
void setup_drop_needless (struct setup *setup);

#endif
