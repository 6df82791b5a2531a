/* SPDX-License-Identifier: GPL-3.0-or-later */
/* config-change.h - changes of the configuration file, one process after the other. */
#ifndef CONFIG_CHANGE_H
#define CONFIG_CHANGE_H

#include "command.h"

struct config_value {
    const char *key;   /* "section.item" */
    const char *value; /* as it is written: config_join(); NULL: without the key */
};

/* Changes the file in force, read anew under a lock, or makes the first one. Where that is the file
 * of the other program it stays as it is, and our own place is written, which comes first from then
 * on; with copy it is copied there first, and that is said. All else in the file stays byte for
 * byte (config_edit). Returns 0, or an exit code after a message: EXIT_AGAIN where another process
 * keeps the lock for longer than database.lock_timeout. */
int config_change (const struct cli *cli, const struct config_value *values, size_t count,
                   bool copy);

/* The file that config_change writes; talloc'd on ctx. */
const char *config_change_file (void *ctx, const struct cli *cli);

#endif
