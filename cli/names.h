/* SPDX-License-Identifier: GPL-3.0-or-later */
/* names.h - what differs with the name the program is called under. */
#ifndef NAMES_H
#define NAMES_H

#include <mailindex.h>

#define NAMES_PLACES 4

/* A folder of hooks, and what has to be there too for it to be one; relative to database.path. */
struct names_hooks {
    const char *folder, *with;
};

/* Where one program's settings lie, and what goes with them. */
struct names_family {
    const char *config_env;   /* path of the configuration file */
    const char *profile_env;  /* name of a profile */
    const char *database_env; /* overrides database.path */
    const char *folder;       /* FOLDER/[PROFILE/]config below $XDG_CONFIG_HOME */
    const char *no_profile;   /* stands for PROFILE in that path where none is named; NULL: none */
    const char *home_file;    /* below $HOME, with .PROFILE appended; NULL: none */
    const char *data_folder;  /* FOLDER/[PROFILE/] below $XDG_DATA_HOME is database.path where that
                                 is not set and the folder is there; NULL: none */
    const char *mail_places[NAMES_PLACES]; /* tried in order where no mail folder is configured:
                                              "$VARIABLE", "~/FOLDER" */
    const struct names_hooks *hooks;       /* ended by a NULL folder */
    bool foreign;                          /* not ours to change under our own name */
};

struct names {
    const char *program;  /* base name of argv[0], used in messages */
    const char *manual;   /* what the names of manual pages begin with */
    int query_error_exit; /* exit code for MAIL_ERROR_QUERY */
    bool lenient_queries; /* mail_query_names.lenient */
    bool quote_ids;       /* text output quotes message ids so that they can be searched for */
    bool bare_is_setup;   /* without a command: setup, or a greeting; else a usage error */
    bool takes_over;      /* looks for the other program's tags whatever the configuration is */
    const char *debug_query_env; /* set: each query is told on stderr; NULL: there is none such */
    const char *const *peer_databases; /* where notmuch's index lies, relative to database.path;
                                          NULL-terminated */
    const struct names_family *families[2]; /* in order; the first is the program's own */
};

/* The entry for this argv[0] (NULL is allowed). The result belongs to ctx. */
const struct names *names_find (void *ctx, const char *argv0);
/* Exit code of a status under this name. */
int names_exit_code (const struct names *names, enum mail_status status);

#endif
